//===- unittests/Transforms/StripsTest.cpp - bodies that are cut in pieces ===//
//
// Of lengths around vectors and strips (32 vectors: 512 float32, 256 float64).
//
//===----------------------------------------------------------------------===//
#include "KernelHarness.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

const int64_t kLengths[] = {0, 1, 7, 8, 16, 17, 100, 255, 256, 257, 511, 512, 513, 1100};

Type vectorType(DType dtype) { return Type(dtype, {kDynamic}); }

class Strips : public ::testing::TestWithParam<DType> {
protected:
  DType dtype = GetParam();
  Emitter e;
  Array x = e.operand(vectorType(dtype)), y = e.operand(vectorType(dtype));

  /// `numOps` operations, each on the result of the one before.
  Scalar chain(Scalar v, Indices i, int numOps) {
    for (int k = 0; k < numOps / 2; ++k)
      v = v * e.literal(dtype, 0.875) + e.load(y, {i[0]});
    return v;
  }
  void expectSameAtAllLengths(const std::vector<Array> &outputs) {
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    for (int64_t n : kLengths) {
      SCOPED_TRACE(n);
      TestKernel test = makeKernel(*emission, {x, y}, outputs, {{n}, {n}});
      expectSame(test, {randomTensor(dtype, {n}, 1, true), randomTensor(dtype, {n}, 2)});
    }
  }
};

TEST_P(Strips, Chain) {
  Extent n = e.dim(x, 0);
  expectSameAtAllLengths(
      {e.define({n}, [&](Indices i) { return chain(e.load(x, {i[0]}), i, 60); })});
}

/// Conditions, integers and neighbours are made again in each piece that uses them.
TEST_P(Strips, WhatIsMadeAgain) {
  Extent n = e.dim(x, 0);
  expectSameAtAllLengths({e.define({n}, [&](Indices i) {
    Scalar first = chain(e.load(x, {i[0]}), i, 18);
    Scalar isLarge = first > e.literal(dtype, 0.5);
    Scalar whole = cast(i[0], dtype);
    Scalar v = chain(first + whole, i, 18);
    v = select(isLarge, v, -v) + e.loadIf(i[0] >= 3, x, std::vector<Scalar>{i[0] - 3}, first);
    v = chain(v, i, 18) + whole;
    return select(isLarge, v, first);
  })});
}

/// Several nests along one another: what one computes, others read in other pieces, whether it has
/// memory or not.
TEST_P(Strips, SeveralNests) {
  Extent n = e.dim(x, 0);
  Array local = e.define({n}, [&](Indices i) { return chain(e.load(x, {i[0]}), i, 20); });
  Array kept = e.define({n}, [&](Indices i) { return chain(e.load(local, {i[0]}), i, 20); });
  Array last = e.define({n}, [&](Indices i) {
    return chain(e.load(kept, {i[0]}) - e.load(local, {i[0]}), i, 40) + e.load(local, {i[0]});
  });
  expectSameAtAllLengths({kept, last});
}

/// A nest whose result is no computed value, which therefore cannot be handed on.
TEST_P(Strips, PlainNests) {
  Extent n = e.dim(x, 0);
  Array plain = e.define({n}, [&](Indices i) { return e.load(x, {i[0]}); });
  Array last = e.define(
      {n}, [&](Indices i) { return chain(e.load(y, {i[0]}), i, 60) + e.load(plain, {i[0]}); });
  expectSameAtAllLengths({last});
}

/// More values than two or three are alive all along: nothing is cut, or only where few are.
TEST_P(Strips, WideBodies) {
  Extent n = e.dim(x, 0);
  expectSameAtAllLengths({e.define({n}, [&](Indices i) {
    std::vector<Scalar> all;
    for (int k = 0; k < 6; ++k)
      all.push_back(e.load(x, {i[0]}) + e.literal(dtype, k));
    for (int round = 0; round < 6; ++round)
      for (size_t k = 0; k < all.size(); ++k)
        all[k] = all[k] * e.load(y, {i[0]}) + all[(k + 1) % all.size()];
    Scalar v = all[0];
    for (size_t k = 1; k < all.size(); ++k)
      v = v - all[k];
    return chain(v, i, 40);
  })});
}

INSTANTIATE_TEST_SUITE_P(DTypes, Strips,
                         ::testing::Values(DType::Float16, DType::BFloat16, DType::Float32,
                                           DType::Float64),
                         [](const auto &info) { return std::string(dtypeName(info.param)); });

/// Numbers that are the same in all iterations stand in front of the loops, functions of them too.
TEST(StripsOfRows, InvariantsAndFunctions) {
  Emitter e;
  Array x = e.operand(Type(DType::Float64, {kDynamic, kDynamic}));
  Array scale = e.operand(Type(DType::Float64, {kDynamic}));
  Extent rows = e.dim(x, 0), columns = e.dim(x, 1);
  e.require(e.dim(scale, 0), Predicate::Equal, rows, ErrorKind::ShapeError, "rows");
  Array z = e.define({rows, columns}, [&](Indices i) {
    Scalar of = exp(e.load(scale, {i[0]}));
    return tanh(exp(e.load(x, {i[0], i[1]}) * of) + of) * of + exp(e.load(x, {i[0], i[1]}));
  });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  for (int64_t n : kLengths) {
    SCOPED_TRACE(n);
    TestKernel test = makeKernel(*emission, {x, scale}, {z}, {{3, n}, {3}});
    // Functions are within an ulp here and there; the exponent's size, at most 2 e^2 < 15, is how
    // much larger its own errors, two ulps each, become: 60 and some.
    expectSame(test,
               {randomTensor(DType::Float64, {3, n}, 1), randomTensor(DType::Float64, {3}, 2)}, 64);
  }
}

/// Loops that are cut in blocks for a transposed operand are not cut in strips as well.
TEST(StripsOfRows, TransposedOperand) {
  Emitter e;
  Array x = e.operand(Type(DType::Float64, {kDynamic, kDynamic}));
  Extent rows = e.dim(x, 0), columns = e.dim(x, 1);
  Array z = e.define({columns, rows}, [&](Indices i) {
    Scalar v = e.load(x, {i[1], i[0]});
    for (int k = 0; k < 30; ++k)
      v = v * e.literal(DType::Float64, 0.875) + e.load(x, {i[1], i[0]});
    return v;
  });
  auto emission = e.finish();
  ASSERT_TRUE(emission.ok()) << emission.status();
  for (int64_t n : {1, 17, 300}) {
    SCOPED_TRACE(n);
    TestKernel test = makeKernel(*emission, {x}, {z}, {{n, 19}});
    expectSame(test, {randomTensor(DType::Float64, {n, 19}, 1)});
  }
}

} // namespace
} // namespace graphc::testing
