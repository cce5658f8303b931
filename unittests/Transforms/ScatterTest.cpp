//===- unittests/Transforms/ScatterTest.cpp - terms that belong to places -===//
#include "Emit/Scatter.h"
#include "JIT/LoopTargetOf.h"
#include "KernelHarness.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

struct Extents3 {
  int64_t outer, extent, inner;
};

/// x with v's lines added at positions along its middle axis, and twice that, if `doubles`.
TestKernel scatterKernel(DType dtype, Extents3 of, int64_t count, bool doubles) {
  Emitter e;
  Array x = e.operand(Type(dtype, {kDynamic, kDynamic, kDynamic}));
  Array v = e.operand(Type(dtype, {kDynamic, kDynamic, kDynamic}));
  Array at = e.operand(Type(DType::Int64, {kDynamic}));
  e.requireEqual(e.dim(v, 0), e.dim(x, 0), "i");
  e.requireEqual(e.dim(at, 0), e.dim(v, 1), "k");
  e.requireEqual(e.dim(v, 2), e.dim(x, 2), "j");
  Array sums = scatter(e, x, v, at, 1);
  std::vector<Array> outputs = {sums};
  if (doubles)
    outputs[0] = e.define(e.shape(x), [&](Indices i) { return e.load(sums, i) + e.load(sums, i); });
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, {x, v, at}, outputs,
                    {{of.outer, of.extent, of.inner}, {of.outer, count, of.inner}, {count}}, 3);
}

/// Small integers, so that sums of them are exact in every dtype and order.
Tensor smallNumbers(DType dtype, const std::vector<int64_t> &shape, uint64_t seed) {
  return randomTensor(DType::UInt8, shape, seed).cast(DType::Bool).cast(dtype).contiguous();
}

Tensor positions(int64_t count, int64_t extent) {
  Tensor at = *Tensor::allocate(DType::Int64, {count});
  for (int64_t k = 0; k < count; ++k) // some of them twice, some beyond either end
    at.mutableFlat<int64_t>()[size_t(k)] = k * k % (extent + 3) - 1;
  return at;
}

/// By plain loops: neither the evaluator nor the compiler looks for scatters here.
std::vector<double> expectedSums(const Tensor &x, const Tensor &v, const Tensor &at, Extents3 of,
                                 bool isOr) {
  Tensor wide = v.cast(DType::Float64).contiguous(), from = x.cast(DType::Float64).contiguous();
  int64_t count = at.numElements();
  std::vector<double> sums(from.flat<double>().begin(), from.flat<double>().end());
  for (int64_t i = 0; i < of.outer; ++i)
    for (int64_t k = 0; k < count; ++k)
      for (int64_t j = 0; j < of.inner; ++j) {
        int64_t p = at.flat<int64_t>()[size_t(k)];
        if (p < 0 || p >= of.extent)
          continue;
        double &sum = sums[size_t((i * of.extent + p) * of.inner + j)];
        double term = wide.flat<double>()[size_t((i * count + k) * of.inner + j)];
        sum = isOr ? double(sum != 0 || term != 0) : sum + term;
      }
  return sums;
}

constexpr Extents3 kExtents[] = {{1, 7, 1},  {1, 100, 1}, {3, 5, 1}, {1, 5, 3},
                                 {2, 4, 37}, {3, 9, 64},  {0, 3, 2}, {2, 0, 3}};

TEST(Scatter, AddsEachTermWhereItBelongs) {
  for (DType dtype :
       {DType::Bool, DType::Int8, DType::UInt16, DType::Int64, DType::Float32, DType::Float64})
    for (Extents3 of : kExtents)
      for (int64_t count : {0, 1, 29})
        for (bool doubles : {false, true}) {
          if (doubles && isBool(dtype))
            continue;
          SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(of.outer) + " " +
                       std::to_string(of.extent) + " " + std::to_string(of.inner) + " of " +
                       std::to_string(count));
          TestKernel test = scatterKernel(dtype, of, count, doubles);
          Tensor x = smallNumbers(dtype, {of.outer, of.extent, of.inner}, 9),
                 v = smallNumbers(dtype, {of.outer, count, of.inner}, 5),
                 at = positions(count, of.extent);
          std::vector<double> sums = expectedSums(x, v, at, of, isBool(dtype));
          for (const Tensor &result :
               {evaluateKernel(test, {x, v, at})[0], runKernel(test, {x, v, at}).outputs[0]}) {
            Tensor wide = result.cast(DType::Float64).contiguous();
            for (size_t i = 0; i < sums.size(); ++i)
              ASSERT_EQ(wide.flat<double>()[i], sums[i] * (doubles ? 2 : 1)) << i;
          }
        }
}

/// Three sums to the same places, the third of the other's squares; what follows the first one
/// stands between them.
TestKernel sumsKernel(DType dtype, Extents3 of, int64_t count) {
  Emitter e;
  Array x = e.operand(Type(dtype, {kDynamic, kDynamic, kDynamic}));
  Array v = e.operand(Type(dtype, {kDynamic, kDynamic, kDynamic}));
  Array w = e.operand(Type(dtype, {kDynamic, kDynamic, kDynamic}));
  Array at = e.operand(Type(DType::Int64, {kDynamic}));
  e.requireEqual(e.dim(v, 0), e.dim(x, 0), "i");
  e.requireEqual(e.dim(at, 0), e.dim(v, 1), "k");
  e.requireEqual(e.dim(v, 2), e.dim(x, 2), "j");
  for (int axis = 0; axis < 3; ++axis)
    e.requireEqual(e.dim(w, axis), e.dim(v, axis), "w");
  Array first = scatter(e, x, v, at, 1);
  Array doubled =
      e.define(e.shape(x), [&](Indices i) { return e.load(first, i) + e.load(first, i); });
  Array second = scatter(e, x, w, at, 1);
  Array third = scatter(e, x, v, at, 1);
  Array after =
      e.define(e.shape(x), [&](Indices i) { return e.load(third, i) - e.load(second, i); });
  auto emission = e.finish();
  EXPECT_TRUE(emission.ok()) << emission.status();
  return makeKernel(*emission, {x, v, w, at}, {doubled, second, after},
                    {{of.outer, of.extent, of.inner},
                     {of.outer, count, of.inner},
                     {of.outer, count, of.inner},
                     {count}},
                    3);
}

TEST(Scatter, SeveralToTheSamePlaces) {
  for (DType dtype : {DType::Int8, DType::Int64, DType::Float32, DType::Float64})
    for (Extents3 of : kExtents)
      for (int64_t count : {0, 1, 29}) {
        SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(of.outer) + " " +
                     std::to_string(of.extent) + " " + std::to_string(of.inner) + " of " +
                     std::to_string(count));
        expectSame(sumsKernel(dtype, of, count),
                   {smallNumbers(dtype, {of.outer, of.extent, of.inner}, 9),
                    smallNumbers(dtype, {of.outer, count, of.inner}, 5),
                    smallNumbers(dtype, {of.outer, count, of.inner}, 6),
                    positions(count, of.extent)});
      }
}

/// What one loop over terms cannot do: places of another array, and sums that begin with what the
/// first scatter gives.
TEST(Scatter, SeveralThatAreApart) {
  for (bool isLater : {false, true}) {
    Emitter e;
    Array x = e.operand(Type(DType::Int32, {kDynamic})),
          v = e.operand(Type(DType::Int32, {kDynamic}));
    Array at = e.operand(Type(DType::Int64, {kDynamic})),
          to = e.operand(Type(DType::Int64, {kDynamic}));
    e.requireEqual(e.dim(at, 0), e.dim(v, 0), "at");
    e.requireEqual(e.dim(to, 0), e.dim(v, 0), "to");
    Array first = scatter(e, x, v, at, 0);
    Array second = scatter(e, isLater ? first : x, v, isLater ? at : to, 0);
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test =
        makeKernel(*emission, {x, v, at, to}, {first, second}, {{9}, {20}, {20}, {20}}, 1);
    Tensor places = positions(20, 9), others = *Tensor::allocate(DType::Int64, {20});
    for (int64_t k = 0; k < 20; ++k)
      others.mutableFlat<int64_t>()[size_t(k)] = k % 9;
    expectSame(test, {smallNumbers(DType::Int32, {9}, 9), smallNumbers(DType::Int32, {20}, 5),
                      places, others});
  }
}

/// Which places there are is asked once for all sums; and terms have no masks, which would be
/// branches.
TEST(Scatter, LooksUpAPlaceOnce) {
  LoopTarget target = loopTargetOf(hostTarget());
  std::string one = loopsOf(scatterKernel(DType::Float64, {1, 5, 1}, 3, false), target),
              three = loopsOf(sumsKernel(DType::Float64, {1, 5, 1}, 3), target);
  for (const std::string &loops : {one, three}) {
    EXPECT_EQ(countOf(loops, "arith.cmpi sge"), 1u) << loops;
    EXPECT_EQ(loops.find("scf.if"), std::string::npos) << loops;
  }
}

/// No comparison of positions for each place is left: a loop of at most one iteration.
TEST(Scatter, LooksAtEachTermOnce) {
  std::string loops =
      loopsOf(scatterKernel(DType::Float32, {2, 5, 8}, 3, false), loopTargetOf(hostTarget()));
  EXPECT_EQ(loops.find("arith.cmpi eq"), std::string::npos) << loops;
}

} // namespace
} // namespace graphc::testing
