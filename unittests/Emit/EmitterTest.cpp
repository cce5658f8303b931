//===- EmitterTest.cpp - recording, size expressions, known elements ------===//
#include "graphc/Emit.h"

#include <functional>
#include <gtest/gtest.h>

#include "Messages.h"

namespace graphc {
namespace {

Type vectorOf(DType dtype, int64_t extent = kDynamic) {
  return Type(dtype, absl::MakeConstSpan(&extent, 1));
}

TEST(Sizes, ConstantsFold) {
  Emitter e;
  EXPECT_EQ(e.constantValue(e.size(7) + e.size(5)), 12);
  EXPECT_EQ(e.constantValue(floorDiv(e.size(-7), e.size(2))), -4);
  EXPECT_EQ(e.constantValue(ceilDiv(e.size(-7), e.size(2))), -3);
  EXPECT_EQ(e.constantValue(ceilDiv(e.size(7), e.size(-2))), -3);
  EXPECT_EQ(e.constantValue(mod(e.size(-7), e.size(3))), 2);
  EXPECT_EQ(e.constantValue(mod(e.size(7), e.size(-3))), -2);
  EXPECT_EQ(e.constantValue(floorDiv(e.size(7), e.size(0))), 0);
  // Exact: what no int64 holds is no constant, though it may become one again.
  Extent half = e.size(int64_t(1) << 32);
  EXPECT_FALSE(e.constantValue(half * half).has_value());
  EXPECT_FALSE(e.constantValue(floorDiv(e.size(INT64_MIN), e.size(-1))).has_value());
  EXPECT_EQ(e.constantValue(floorDiv(half * half, half)), int64_t(1) << 32);
}

TEST(Sizes, EqualExpressionsAreOneNumber) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32)), y = e.operand(vectorOf(DType::Float32));
  Extent n = e.dim(x, 0), m = e.dim(y, 0);
  EXPECT_EQ((n + m).id(), (m + n).id());
  EXPECT_EQ((n * 1).id(), n.id());
  EXPECT_EQ((n + 3 - 3).id(), n.id());
  EXPECT_EQ(e.constantValue(n - n), 0);
  EXPECT_EQ(max(n, e.size(0)).id(), n.id()) << "extents are never negative";
  EXPECT_EQ(e.constantValue(less(n, e.size(0))), 0);
  EXPECT_NE((n - m).id(), (m - n).id());
}

TEST(Sizes, RequiredEqualExtentsBecomeOne) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32)), y = e.operand(vectorOf(DType::Float32));
  EXPECT_NE(e.dim(x, 0).id(), e.dim(y, 0).id());
  e.requireEqual(e.dim(x, 0), e.dim(y, 0), "differ");
  EXPECT_EQ(e.dim(x, 0).id(), e.dim(y, 0).id());
  ASSERT_EQ(e.emission().sizeChecks.size(), 1u);
  EXPECT_EQ(e.emission().sizeChecks[0].message, "differ");
  e.requireEqual(e.dim(x, 0), e.dim(y, 0), "differ"); // known by now
  EXPECT_EQ(e.emission().sizeChecks.size(), 1u);
}

// F-019, F-020: only axes that the type says are 1 broadcast; others must agree at run time.
TEST(Map, BroadcastsByTypeAndChecksTheRest) {
  Emitter e;
  int64_t rowShape[] = {1, kDynamic}, matrixShape[] = {kDynamic, kDynamic};
  Array row = e.operand(Type(DType::Float64, rowShape));
  Array matrix = e.operand(Type(DType::Float64, matrixShape));
  Array sum = e.map({row, matrix}, [](const Scalars &s) { return s[0] + s[1]; });
  const Emission &record = e.emission();
  ASSERT_EQ(record.sizeChecks.size(), 2u);
  EXPECT_EQ(record.sizeChecks[1].predicate, Predicate::Fits);
  EXPECT_EQ(record.sizeChecks[0].message,
            "extents differ along axis 1: {a} and {b} (an extent broadcasts only where its type "
            "says 1: declare it so, or use specifyShape)");
  EXPECT_EQ(e.dim(sum, 0).id(), e.dim(matrix, 0).id());
  const Nest &nest = record.steps[0].nest;
  const ScalarNode &load = nest.body[nest.body[nest.root].args[0]];
  ASSERT_EQ(load.op, ScalarOp::Load);
  EXPECT_EQ(load.loadArray(), row.id);
  const ScalarNode &rowIndex = nest.body[nest.indices[load.loadFirstIndex()]];
  EXPECT_EQ(rowIndex.op, ScalarOp::Constant);
  EXPECT_EQ(rowIndex.payload, 0u);
}

TEST(Body, EqualSubexpressionsAreOneNode) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32));
  e.define(e.shape(x), [&](Indices i) { return e.load(x, {i[0]}) * e.load(x, {i[0]}); });
  EXPECT_EQ(e.emission().steps[0].nest.body.size(), 3u); // index, load, mul
  EXPECT_EQ(e.emission().steps[0].inputs, Numbers{x.id});
}

TEST(Body, IndexArithmeticFolds) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32));
  e.define(e.shape(x), [&](Indices i) { return e.load(x, {i[0] * 1.0 + 0.0}); });
  EXPECT_EQ(e.emission().steps[0].nest.body.size(), 4u); // index, the two literals, load
}

// F-012: f32 sums join in f64, halves in f32; the result keeps the dtype.
TEST(Reduce, AccumulatorOfSums) {
  for (auto [dtype, accumulator] : {std::pair{DType::Float32, DType::Float64},
                                    {DType::Float16, DType::Float32},
                                    {DType::BFloat16, DType::Float32},
                                    {DType::Float64, DType::Float64},
                                    {DType::Int64, DType::Int64}}) {
    Emitter e;
    Array x = e.operand(vectorOf(dtype));
    Array sum = e.reduceAxes(Combine::Sum, x, {0}, false);
    EXPECT_EQ(e.dtype(sum), dtype);
    EXPECT_EQ(e.emission().steps[0].nest.accumulator, accumulator);
  }
}

TEST(KnownElements, ShapeArithmeticStaysOnTheHost) {
  Emitter e;
  int64_t shape[] = {kDynamic, 3, kDynamic};
  Array x = e.operand(Type(DType::Float32, shape));
  // shape(x), then [1] and [0]*[2] of it, as a graph of small integer arrays would do it.
  Array extents = e.define({e.size(3)}, [&](Indices i) {
    Scalar value = e.scalar(e.dim(x, 2));
    value = select(equalTo(i[0], 1), e.scalar(e.dim(x, 1)), value);
    return select(equalTo(i[0], 0), e.scalar(e.dim(x, 0)), value);
  });
  EXPECT_EQ(e.constantValue(e.element(extents, 1)), 3);
  EXPECT_EQ(e.element(extents, 0).id(), e.dim(x, 0).id());
  Array total = e.reduceAxes(Combine::Prod, extents, {0}, false);
  EXPECT_EQ(e.element(total).id(), (e.dim(x, 0) * 3 * e.dim(x, 2)).id());
  EXPECT_EQ(e.element(e.view(extents, {e.size(3), e.size(1)}), 2).id(), e.dim(x, 2).id());
}

TEST(KnownElements, ConstantsAndUnknownArrays) {
  Emitter e;
  Array c = e.constant(Tensor({4, 5}, DType::Int32));
  EXPECT_EQ(e.constantValue(e.element(c, 1)), 5);
  Array x = e.operand(vectorOf(DType::Int64, 2));
  Extent unknown = e.element(x, 1);
  EXPECT_FALSE(e.constantValue(unknown));
  EXPECT_EQ(e.sizes()[unknown.id()].op, SizeOp::Element);
}

TEST(Mistakes, AreKeptForFinish) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32));
  Array y = e.operand(vectorOf(DType::Float64));
  e.map({x, y}, [](const Scalars &s) { return s[0] + s[1]; });
  EXPECT_EQ(e.finish().status().message(), "emission: add of float32 and float64");
  EXPECT_EQ(errorKind(e.finish().status()), ErrorKind::None) << "empty after finish";
}

TEST(Mistakes, ResultsMustMatchTheTypeRule) {
  Emitter e;
  Array x = e.operand(vectorOf(DType::Float32));
  Type expected = vectorOf(DType::Float64);
  e.beginNode(0, {&expected, 1});
  e.endNode({e.map({x}, [](const Scalars &s) { return s[0]; })});
  EXPECT_EQ(e.finish().status().message(),
            "emission: a result is float32 of rank 1 where the type rule says tensor<?xf64>");
}

/// What recording `emit` says.
std::string mistakeOf(const std::function<void(Emitter &, Array floats, Array integers)> &emit) {
  Emitter e;
  emit(e, e.operand(vectorOf(DType::Float32)), e.constant(Tensor({4, 5, 6}, DType::Int64)));
  std::string text = said(e.status());
  EXPECT_EQ(said(e.finish().status()), text);
  return text;
}

TEST(Mistakes, AreToldWhole) {
  Type type = vectorOf(DType::Float32);
  auto body = [](const std::function<Scalar(Emitter &, Array, Scalar)> &make) {
    return mistakeOf([&](Emitter &e, Array x, Array) {
      e.define(e.shape(x), [&](Indices i) { return make(e, x, i[0]); });
    });
  };
  EXPECT_EQ(mistakeOf([&](Emitter &e, Array, Array) {
              Array number = e.constant(Tensor(1.0));
              e.mapped(e.size(2), {number}, [](const Arrays &slices) { return slices; });
            }),
            "Internal: emission: an array of rank 0 has no axis to map over");
  EXPECT_EQ(mistakeOf([&](Emitter &e, Array x, Array) {
              e.beginNode(0, {&type, 1});
              e.endNode({x, x});
            }),
            "Internal: emission: there are 2 results where the type rule says 1");
  EXPECT_EQ(mistakeOf([&](Emitter &e, Array, Array) {
              e.beginNode(0, {&type, 1});
              e.endNode({Array()});
            }),
            "Internal: emission: a result was never made");
  EXPECT_EQ(mistakeOf([](Emitter &e, Array x, Array) { e.element(x); }),
            "Internal: emission: an element of a float32 array is no size");
  EXPECT_EQ(mistakeOf([](Emitter &e, Array, Array n) { e.element(n, 3); }),
            "Internal: emission: there is no element 3 of 3");
  EXPECT_EQ(mistakeOf([](Emitter &e, Array x, Array) { e.load(x, {e.index(0)}); }),
            "Internal: emission: a load outside a body");
  EXPECT_EQ(mistakeOf([](Emitter &e, Array x, Array) {
              e.reduce(Combine::None, e.shape(x), {},
                       [&](Indices i, Indices) { return e.load(x, i); }, {.result = DType::Int8});
            }),
            "Internal: emission: a body without reduction gives float32 where its array is int8");
  EXPECT_EQ(body([](Emitter &e, Array x, Scalar i) {
              e.define(e.shape(x), [&](Indices) { return i; });
              return i;
            }),
            "Internal: emission: an array was defined inside the body of another");
  EXPECT_EQ(body([](Emitter &, Array, Scalar) { return Scalar(); }),
            "Internal: emission: a body gave no scalar");
  EXPECT_EQ(body([](Emitter &e, Array x, Scalar i) { return e.load(x, {i, i}); }),
            "Internal: emission: a load of an array of rank 1 has 2 indices");
  EXPECT_EQ(body([](Emitter &e, Array x, Scalar i) { return e.load(x, {cast(i, DType::Int32)}); }),
            "Internal: emission: an index is int32, not int64");
  EXPECT_EQ(body([](Emitter &e, Array x, Scalar i) { return e.loadIf(i, x, {i}, e.load(x, {i})); }),
            "Internal: emission: the condition of loadIf is int64, not bool");
  EXPECT_EQ(body([](Emitter &e, Array x, Scalar i) { return e.loadIf(i < 1.0, x, {i}, i); }),
            "Internal: emission: the other value of loadIf is int64, the array float32");
  EXPECT_EQ(body([](Emitter &e, Array, Scalar i) {
              e.check(i, ErrorKind::ValueError, "never");
              return i;
            }),
            "Internal: emission: the condition of check is int64, not bool");
  EXPECT_EQ(body([](Emitter &, Array, Scalar i) { return select(i, i, i + 1.0); }),
            "Internal: emission: the condition of select is int64, not bool");
  EXPECT_EQ(body([](Emitter &, Array, Scalar i) { return apply(ScalarOp::Neg, {i, i, i, i}); }),
            "Internal: emission: neg takes 1 operand, not 4");
}

} // namespace
} // namespace graphc
