//===- unittests/Transforms/MapTest.cpp - maps as compiled code -----------===//
#include "KernelHarness.h"
#include "Targets.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

const DType kDTypes[] = {DType::Bool,   DType::Int8,    DType::Int16,    DType::Int32,
                         DType::Int64,  DType::UInt8,   DType::UInt16,   DType::UInt32,
                         DType::UInt64, DType::Float16, DType::BFloat16, DType::Float32,
                         DType::Float64};

/// A vector of unknown length.
Type vectorType(DType dtype, int rank = 1) {
  return Type(dtype, std::vector<int64_t>(size_t(rank), kDynamic));
}

TEST(Maps, LengthsAroundTheVectors) {
  for (int64_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 257}) {
    Emitter e;
    Array x = e.operand(vectorType(DType::Float32)), y = e.operand(vectorType(DType::Float32));
    Array z =
        e.map({x, y}, [&](const Scalars &v) { return maximum(v[0] * v[1] + v[0], 0.25) - v[1]; });
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {x, y}, {z}, {{n}, {n}});
    expectSame(test,
               {randomTensor(DType::Float32, {n}, 1, true), randomTensor(DType::Float32, {n}, 2)});
  }
}

/// Long bodies are made once for whole vectors and the rest: loads of neighbours, of every second
/// element, backwards, masked by the body, of Bools; stores of numbers and of Bools; a check.
TEST(Maps, LongBodiesOfAllLengths) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int8})
    for (int64_t n : {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 129}) {
      Emitter e;
      Array x = e.operand(vectorType(dtype)), y = e.operand(vectorType(dtype));
      Array flags = e.operand(vectorType(DType::Bool));
      Extent count = e.dim(x, 0);
      e.require(e.dim(flags, 0), Predicate::Equal, count, ErrorKind::ShapeError, "flags");
      auto value = [&](Indices i) {
        Scalar v = e.load(x, {i[0]}) + e.load(y, {i[0] * 2});
        v = v - e.load(x, {e.scalar(count) - 1 - i[0]});
        v = v + e.loadIf(i[0] >= 3, x, std::vector<Scalar>{i[0] - 3}, e.literal(dtype, 1));
        for (int k = 0; k < 10; ++k)
          v = maximum(v - e.load(x, {i[0]}), e.literal(dtype, k)) + e.load(y, {i[0] * 2});
        return select(e.load(flags, {i[0]}), v, -v);
      };
      Array numbers = e.define({count}, value);
      Array tests = e.define({count}, [&](Indices i) {
        e.check(i[0] < 129, ErrorKind::IndexError, "too long");
        return value(i) < e.literal(dtype, 2);
      });
      auto emission = e.finish();
      ASSERT_TRUE(emission.ok()) << emission.status();
      TestKernel test = makeKernel(*emission, {x, y, flags}, {numbers, tests}, {{n}, {2 * n}, {n}});
      SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(n));
      std::vector<Tensor> inputs = {randomTensor(dtype, {n}, 1), randomTensor(dtype, {2 * n}, 2),
                                    randomTensor(DType::Bool, {n}, 3)};
      expectSame(test, inputs);
      EXPECT_EQ(runKernel(test, inputs).status, 0);
    }
}

TEST(Maps, RankZero) {
  Emitter e;
  Array x = e.operand(Type(DType::Float64, {})), y = e.operand(Type(DType::Float64, {}));
  Array z = e.map({x, y}, [&](const Scalars &v) { return v[0] * v[1] - v[0]; });
  TestKernel test = makeKernel(*e.finish(), {x, y}, {z}, {{}, {}});
  expectSame(test, {Tensor(2.5), Tensor(3.0)});
}

/// Arithmetic with defined results on all values: F-046, ops.md section 1.
TEST(Maps, BinaryOperationsOfAllDTypes) {
  const ScalarOp ops[] = {ScalarOp::Add,     ScalarOp::Sub, ScalarOp::Mul,     ScalarOp::Div,
                          ScalarOp::IntDiv,  ScalarOp::Mod, ScalarOp::Maximum, ScalarOp::Minimum,
                          ScalarOp::And,     ScalarOp::Or,  ScalarOp::Xor,     ScalarOp::Shl,
                          ScalarOp::Shr,     ScalarOp::Eq,  ScalarOp::Ne,      ScalarOp::Lt,
                          ScalarOp::Le,      ScalarOp::Gt,  ScalarOp::Ge,      ScalarOp::Pow,
                          ScalarOp::CopySign};
  for (DType dtype : kDTypes) {
    std::vector<Array> outputs;
    Emitter e;
    Array x = e.operand(vectorType(dtype)), y = e.operand(vectorType(dtype));
    e.require(e.dim(x, 0), Predicate::Equal, e.dim(y, 0), ErrorKind::ShapeError, "lengths");
    for (ScalarOp op : ops) {
      bool isFloatOnly = op == ScalarOp::Div || op == ScalarOp::CopySign;
      bool isIntOnly = op == ScalarOp::Shl || op == ScalarOp::Shr;
      bool isBits = op == ScalarOp::And || op == ScalarOp::Or || op == ScalarOp::Xor;
      bool isCompare = op >= ScalarOp::Eq && op <= ScalarOp::Ge;
      if ((isFloatOnly && !isFloat(dtype)) || (isIntOnly && !isInteger(dtype)) ||
          (isBits && isFloat(dtype)) || (isBool(dtype) && !isBits && !isCompare) ||
          (op == ScalarOp::Pow && isFloat(dtype)))
        continue;
      outputs.push_back(e.map({x, y}, [&](const Scalars &v) { return graphc::apply(op, v); }));
    }
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    TestKernel test = makeKernel(*emission, {x, y}, outputs, {{333}, {333}});
    SCOPED_TRACE(std::string(dtypeName(dtype)));
    expectSame(test, {randomTensor(dtype, {333}, 1, true), randomTensor(dtype, {333}, 2, true)});
  }
}

TEST(Maps, CastsBetweenAllDTypes) {
  for (DType from : kDTypes) {
    Emitter e;
    Array x = e.operand(vectorType(from));
    std::vector<Array> outputs;
    for (DType to : kDTypes)
      if (to != from)
        outputs.push_back(e.map({x}, [&](const Scalars &v) { return cast(v[0], to); }));
    TestKernel test = makeKernel(*e.finish(), {x}, outputs, {{211}});
    SCOPED_TRACE(std::string(dtypeName(from)));
    expectSame(test, {randomTensor(from, {211}, 3, true)});
  }
}

/// Blocks of the crossed loop, whole and cut short, in vectors, whole and cut short; squares of
/// elements of each size.
TEST(Maps, TransposedOperandsInBlocks) {
  for (DType dtype :
       {DType::Float32, DType::Float64, DType::BFloat16, DType::Int16, DType::Int32, DType::Int8})
    for (auto [n, m] :
         {std::pair<int64_t, int64_t>{1, 40}, {16, 16}, {17, 33}, {40, 3}, {64, 70}}) {
      Emitter e;
      Array x = e.operand(vectorType(dtype, 2)), y = e.operand(vectorType(dtype, 2));
      Array z = e.operand(vectorType(dtype, 3));
      e.requireEqual(e.dim(x, 0), e.dim(y, 1), "rows");
      e.requireEqual(e.dim(x, 1), e.dim(y, 0), "columns");
      Array sum = e.define({e.dim(y, 0), e.dim(y, 1)}, [&](Indices i) {
        return e.load(x, {i[1], i[0]}) + e.load(y, {i[0], i[1]});
      });
      Array turned = e.define({e.dim(z, 2), e.dim(z, 0), e.dim(z, 1)},
                              [&](Indices i) { return e.load(z, {i[1], i[2], i[0]}); });
      Array back = e.define({e.dim(z, 0), e.dim(z, 2), e.dim(z, 1)},
                            [&](Indices i) { return -e.load(z, {i[0], i[2], i[1]}); });
      auto emission = e.finish();
      ASSERT_TRUE(emission.ok()) << emission.status();
      TestKernel test =
          makeKernel(*emission, {x, y, z}, {sum, turned, back}, {{n, m}, {m, n}, {n, 5, m}});
      SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(n));
      expectSame(test, {randomTensor(dtype, {n, m}, 1, true), randomTensor(dtype, {m, n}, 2, true),
                        randomTensor(dtype, {n, 5, m}, 3, true)});
    }
}

TEST(Maps, BroadcastsTransposesAndSlices) {
  Emitter e;
  Array x = e.operand(vectorType(DType::Float32, 2)), row = e.operand(vectorType(DType::Float32));
  Array column = e.operand(vectorType(DType::Float32));
  Extent m = e.dim(x, 0), n = e.dim(x, 1);
  Array sum = e.define({m, n}, [&](Indices i) {
    return e.load(x, {i[0], i[1]}) * e.load(row, {i[1]}) + e.load(column, {i[0]});
  });
  Array transposed = e.define({n, m}, [&](Indices i) { return e.load(x, {i[1], i[0]}); });
  Array reversed =
      e.define({m, n}, [&](Indices i) { return e.load(x, {i[0], e.scalar(n) - 1 - i[1]}); });
  Array strided =
      e.define({m, e.size(7)}, [&](Indices i) { return e.load(x, {i[0], i[1] * 2 + 3}); });
  Array first = e.define({m, n}, [&](Indices i) { return e.load(x, {i[0], e.index(0)}); });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test = makeKernel(*emission, {x, row, column},
                               {sum, transposed, reversed, strided, first}, {{13, 37}, {37}, {13}});
  expectSame(test,
             {randomTensor(DType::Float32, {13, 37}, 1), randomTensor(DType::Float32, {37}, 2),
              randomTensor(DType::Float32, {13}, 3)},
             1);
}

/// A border around a matrix, of which the first columns may be left out instead, as a result: by
/// masked loads, or as lines of the border's number and of the matrix.
TEST(Maps, Pads) {
  for (const TargetDescription &target : runnableTargets())
    for (DType dtype : {DType::Int16, DType::Float32, DType::Float64, DType::BFloat16, DType::Bool})
      for (int front : {2, 0, -1}) {
        Emitter e;
        Array x = e.operand(vectorType(dtype, 2));
        Extent m = e.dim(x, 0), n = e.dim(x, 1);
        Array padded = e.define({m + 3, n + 5}, [&](Indices i) {
          Scalar r = i[0] - 1, c = i[1] - front;
          Scalar inside = r >= 0 && r < e.scalar(m) && c >= 0 && c < e.scalar(n);
          return e.loadIf(inside, x, std::vector<Scalar>{r, c}, e.literal(dtype, 1));
        });
        auto emission = e.finish();
        ASSERT_TRUE(emission.ok()) << emission.status();
        for (int64_t width : {0, 1, 2, 7, 8, 9, 12, 15, 16, 17, 30, 64}) {
          TestKernel test = makeKernel(*emission, {x}, {padded}, {{5, width}});
          expectSame(test, {randomTensor(dtype, {5, width}, 1)}, 0, 0, target);
        }
      }
}

/// Some columns of some rows of x, and 1 elsewhere; y is in the memory of x (the harness puts it
/// there, too). Of 5 columns none is left where they are counted from the number of rows.
TEST(Maps, PadsInPlace) {
  for (const TargetDescription &target : runnableTargets())
    for (DType dtype : {DType::Float32, DType::Float64, DType::BFloat16})
      for (int64_t width : {1, 5, 30, 64, -5, -64}) {
        bool isFromThere = width < 0; // on
        width = std::abs(width);
        Emitter e;
        Array x = e.operand(vectorType(dtype, 2));
        Array y = e.define(e.shape(x), [&](Indices i) {
          Scalar rows = e.scalar(e.dim(x, 0));
          Scalar isInside = isFromThere ? i[1] >= rows : i[0] >= 1 && i[0] < 15 && i[1] >= 3;
          isInside = isFromThere ? isInside : isInside && i[1] < rows;
          return e.loadIf(isInside, x, {i[0], i[1]}, e.literal(dtype, 1));
        });
        auto emission = e.finish();
        ASSERT_TRUE(emission.ok()) << emission.status();
        TestKernel test = makeKernel(*emission, {x}, {y}, {{20, width}});
        EXPECT_EQ(reusableInputs(test.kernel), (std::vector<std::vector<int32_t>>{{0}}));
        expectSame(test, {randomTensor(dtype, {20, width}, 1)}, 0, 0, target);
      }
}

/// y[i, j] = x[i / d, j / d], where a quotient's rest is `rest` if there is one, and x[i, (j + 1) /
/// d] beside it, whose vectors do not begin at a multiple.
TEST(Maps, QuotientsOfCounters) {
  for (const TargetDescription &target : runnableTargets()) {
    for (DType dtype : {DType::Float32, DType::Float64, DType::BFloat16, DType::Bool})
      for (int64_t divisor : {2, 3, 4})
        for (int64_t rest : {-1, 1})
          for (int64_t n : {0, 1, 8, 15, 17, 33, 131}) {
            Emitter e;
            Array x = e.operand(vectorType(dtype, 2)), size = e.operand(vectorType(dtype, 2));
            Array y = e.define(e.shape(size), [&](Indices i) {
              std::vector<Scalar> at = {intDiv(i[0], double(divisor)),
                                        intDiv(i[1], double(divisor))};
              if (rest < 0)
                return e.load(x, at);
              Scalar isHere = equalTo(mod(i[0], double(divisor)), double(rest)) &&
                              equalTo(mod(i[1], double(divisor)), double(rest));
              return e.loadIf(isHere, x, at, e.literal(dtype, 1));
            });
            Array z = e.define(e.shape(size), [&](Indices i) {
              return e.load(x, {i[0] * 0, intDiv(i[1] + 1, double(divisor))});
            });
            int64_t width = (n + divisor) / divisor;
            TestKernel test = makeKernel(*e.finish(), {x, size}, {y, z}, {{3, width}, {3, n}});
            SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(n) + " / " +
                         std::to_string(divisor) + " rest " + std::to_string(rest) + " " +
                         target.name);
            expectSame(test, {randomTensor(dtype, {3, width}, 1), randomTensor(dtype, {3, n}, 2)},
                       0, 0, target);
          }
  }
}

TEST(Maps, GathersAndChecks) {
  Emitter e;
  Array x = e.operand(vectorType(DType::Float64, 2)), which = e.operand(vectorType(DType::Int32));
  Array taken = e.define({e.dim(which, 0), e.dim(x, 1)}, [&](Indices i) {
    Scalar at = cast(e.load(which, {i[0]}), DType::Int64);
    Scalar inRange = at >= 0 && at < e.scalar(e.dim(x, 0));
    e.check(inRange, ErrorKind::IndexError, "index out of range");
    return e.loadIf(inRange, x, std::vector<Scalar>{at, i[1]}, e.literal(DType::Float64, 0));
  });
  Array element = e.define({e.dim(which, 0)}, [&](Indices i) {
    Scalar at = cast(e.load(which, {i[0]}), DType::Int64);
    Scalar inRange = at >= 0 && at < e.scalar(e.dim(x, 0));
    return e.loadIf(inRange, x, std::vector<Scalar>{at, e.index(2)}, e.literal(DType::Float64, -1));
  });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test = makeKernel(*emission, {x, which}, {taken, element}, {{10, 21}, {33}});
  Tensor numbers = randomTensor(DType::Int32, {33}, 5);
  int32_t *data = static_cast<int32_t *>(numbers.data());
  for (int i = 0; i < 33; ++i)
    data[i] = (data[i] + 100) % 10;
  Tensor values = randomTensor(DType::Float64, {10, 21}, 6);
  for (const TargetDescription &target : runnableTargets()) {
    expectSame(test, {values, numbers}, 0, 0, target);
    for (int place : {17, 32}) {
      int32_t before = data[place];
      for (int32_t wrong : {10, -1}) {
        data[place] = wrong;
        EXPECT_EQ(runKernel(test, {values, numbers}, target).status, 1);
      }
      data[place] = before;
    }
  }
}

/// Each element is taken by an index that is at least 1: lanes behind the last one, which read 0,
/// fail for nobody. The body is a long one, which is made once for whole vectors and the last.
TEST(Maps, ElementsOfIndices) {
  for (const TargetDescription &target : runnableTargets())
    for (DType dtype : {DType::Float32, DType::Float64, DType::Int16, DType::BFloat16})
      for (bool isLong : {false, true})
        for (int64_t n : {1, 4, 7, 8, 9, 33}) {
          Emitter e;
          Array x = e.operand(vectorType(dtype)), which = e.operand(vectorType(DType::Int64));
          Array y = e.define({e.dim(which, 0)}, [&](Indices i) {
            Scalar at = e.load(which, {i[0]});
            e.check(at >= 1, ErrorKind::IndexError, "less than 1");
            Scalar inRange = at >= 1 && at < e.scalar(e.dim(x, 0));
            Scalar v = e.loadIf(inRange, x, std::vector<Scalar>{at}, e.literal(dtype, 3));
            for (int k = 0; isLong && k < 40; ++k)
              v = select(v < e.literal(dtype, k), v + e.literal(dtype, 1), -v);
            return v;
          });
          auto emission = e.finish();
          ASSERT_TRUE(emission.ok()) << emission.status();
          TestKernel test = makeKernel(*emission, {x, which}, {y}, {{10}, {n}});
          Tensor numbers = *Tensor::zeros(DType::Int64, {n});
          int64_t *data = static_cast<int64_t *>(numbers.data());
          for (int64_t i = 0; i < n; ++i)
            data[i] = 1 + i * 7 % 9;
          SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(n) + " " + target.name);
          Tensor values = randomTensor(dtype, {10}, 6);
          expectSame(test, {values, numbers}, 0, 0, target);
          data[n / 2] = 10; // not there, and no mistake
          expectSame(test, {values, numbers}, 0, 0, target);
          for (int64_t place : {int64_t(0), n - 1}) {
            int64_t before = std::exchange(data[place], 0);
            EXPECT_EQ(runKernel(test, {values, numbers}, target).status, 1);
            data[place] = before;
          }
        }
}

TEST(Maps, CountersAndRankEight) {
  Emitter e;
  std::vector<int64_t> shape = {2, 1, 3, 2, 1, 2, 3, 5};
  Array x = e.operand(vectorType(DType::Int64, 8));
  Array y = e.define(e.shape(x), [&](Indices i) {
    Scalar sum = e.load(x, i);
    for (Scalar each : i)
      sum = sum * 3 + each;
    return select(i[7] < i[6], sum, sum - i[7] * i[5]);
  });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  TestKernel test = makeKernel(*emission, {x}, {y}, {shape});
  expectSame(test, {randomTensor(DType::Int64, shape, 9)});
}

} // namespace
} // namespace graphc::testing
