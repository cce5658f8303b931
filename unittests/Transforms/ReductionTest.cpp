//===- unittests/Transforms/ReductionTest.cpp - reductions, compiled ------===//
#include "KernelHarness.h"

#include "gtest/gtest.h"

namespace graphc::testing {
namespace {

Type matrixType(DType dtype, int rank = 2) {
  return Type(dtype, std::vector<int64_t>(size_t(rank), kDynamic));
}

struct Case {
  Combine combine;
  DType dtype;
};

void reduceAll(int rank, std::vector<int64_t> shape, std::vector<int> axes) {
  const DType dtypes[] = {DType::Bool,     DType::Int8,    DType::UInt8,
                          DType::Int32,    DType::UInt64,  DType::Float16,
                          DType::BFloat16, DType::Float32, DType::Float64};
  for (DType dtype : dtypes) {
    Emitter e;
    Array x = e.operand(matrixType(dtype, rank));
    std::vector<Array> outputs;
    std::vector<Combine> combines = {Combine::Max, Combine::Min, Combine::ArgMax, Combine::ArgMin};
    if (!isFloat(dtype))
      combines.insert(combines.end(), {Combine::And, Combine::Or});
    if (isInteger(dtype))
      combines.insert(combines.end(), {Combine::Xor, Combine::Prod});
    if (isBool(dtype))
      combines = {Combine::And, Combine::Or, Combine::ArgMax};
    else
      combines.push_back(Combine::Sum);
    bool empty = false;
    for (int axis : axes)
      empty |= shape[size_t(axis)] == 0;
    if (empty)
      llvm::erase_if(combines, [](Combine c) {
        return c >= Combine::ArgMax || c == Combine::Max || c == Combine::Min;
      });
    for (Combine combine : combines)
      outputs.push_back(e.reduceAxes(combine, x, axes, false));
    auto emission = e.finish();
    ASSERT_TRUE(emission.ok()) << emission.status();
    for (bool special : {false, true}) {
      TestKernel test = makeKernel(*emission, {x}, outputs, {shape});
      SCOPED_TRACE(std::string(dtypeName(dtype)));
      int64_t count = 1;
      for (int axis : axes)
        count *= shape[size_t(axis)];
      // F-012: float32 sums have at most 16 terms joined in float32 (15 roundings of 2^-24 of their
      // absolute sum, at most 2 per term here); 16-bit sums are joined in float32 altogether. One
      // ULP for the last rounding.
      double absolute = dtype == DType::Float64   ? double(count) * double(count) * 2 * 0x1p-53
                        : dtype == DType::Float32 ? double(count) * 2 * 16 * 0x1p-24
                                                  : double(count) * double(count) * 2 * 0x1p-24;
      if (!isFloat(dtype) || special)
        absolute = isFloat(dtype) ? INFINITY : 0;
      expectSame(test, {randomTensor(dtype, shape, 4, special)}, 1, absolute);
    }
  }
}

TEST(Reductions, AllOfAVector) {
  for (int64_t n : {1, 3, 16, 100, 1000})
    reduceAll(1, {n}, {0});
}
TEST(Reductions, EmptyHasTheNeutralElement) { // F-366
  reduceAll(1, {0}, {0});
  reduceAll(2, {0, 5}, {0});
  reduceAll(2, {5, 0}, {0});
}
TEST(Reductions, LastAxis) { reduceAll(2, {7, 137}, {1}); }
TEST(Reductions, FirstAxis) { reduceAll(2, {137, 37}, {0}); }
TEST(Reductions, MiddleAxis) { reduceAll(3, {3, 50, 21}, {1}); }
TEST(Reductions, OuterAndInnerAxes) { reduceAll(3, {11, 5, 21}, {0, 2}); }

/// Sums, a sum of other terms, one that reads what another gives, and a map between them: which run
/// in one loop is PassPlan's choice, the values are not.
TEST(Reductions, SideBySide) {
  for (DType dtype : {DType::Float32, DType::Float64, DType::Int32, DType::Float16})
    for (int64_t n : {0, 1, 15, 64, 300}) {
      Emitter e;
      Array x = e.operand(matrixType(dtype));
      Extent rows = e.dim(x, 0), columns = e.dim(x, 1);
      auto sumOf = [&](llvm::function_ref<Scalar(Indices)> term) {
        return e.reduce(Combine::Sum, {rows}, {columns},
                        [&](Indices i, Indices r) { return term({i[0], r[0]}); });
      };
      Array sum = sumOf([&](Indices at) { return e.load(x, at); });
      Array twice = e.define({rows}, [&](Indices i) { return e.load(sum, i) + e.load(sum, i); });
      Array squares = sumOf([&](Indices at) { return e.load(x, at) * e.load(x, at); });
      Array after = sumOf([&](Indices at) { return e.load(x, at) - e.load(twice, {at[0]}); });
      Array product = sumOf([&](Indices at) { return e.load(x, at) * e.load(sum, {at[0]}); });
      auto emission = e.finish();
      ASSERT_TRUE(emission.ok()) << emission.status();
      TestKernel test =
          makeKernel(*emission, {x}, {sum, twice, squares, after, product}, {{5, n}}, /*shared=*/1);
      SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::to_string(n));
      // Terms up to 4, squares up to 16; sums of sums up to 8 n: F-012 joins at most 16 of n terms
      // in float32, and float16 sums in float32, rounded to 11 bits where they are read.
      double terms = double(n) * 8 * double(n);
      double rounding = dtype == DType::Float64   ? 0x1p-52
                        : dtype == DType::Float32 ? 0x1p-20
                                                  : 0x1p-10;
      expectSame(test, {randomTensor(dtype, {5, n}, 7)}, 1,
                 isFloat(dtype) ? terms * 4 * rounding : 0);
    }
}

} // namespace
} // namespace graphc::testing
