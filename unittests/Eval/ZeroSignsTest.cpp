//===- ZeroSignsTest.cpp - the sign of sums that are zero ----------------------===//
//
// Sums start at 0.0 (IEEE 754: 0.0 + -0.0 is 0.0), so that the one rounding in which -0.0 could
// stay, none, is none of theirs: -0.0 joined over any number of loops of any extent gives 0.0.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "CompiledRun.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

struct Call {
  std::string name;
  std::vector<std::vector<int64_t>> shapes;
  std::function<Variable(const Variables &)> make;
};

/// Each joins, at one place of the result, `n` terms.
std::vector<Call> sumsOf(int64_t n) {
  using V = const Variables &;
  int window = int(n);
  auto pooled = [=](PoolMode mode) {
    return [=](V x) { return pool(x[0], {window}, {.mode = mode}); };
  };
  return {
      {"sum", {{3, n}}, [](V x) { return sum(x[0], Axis(1)); }},
      {"sum kept", {{n, 3}}, [](V x) { return sum(x[0], {.axes = Axis(0), .keepDims = true}); }},
      {"sum of all", {{n, 1}}, [](V x) { return sum(x[0]); }},
      {"sum in float64",
       {{3, n}},
       [](V x) { return sum(x[0], {.axes = Axis(1), .accDtype = DType::Float64}); }},
      {"mean", {{3, n}}, [](V x) { return mean(x[0], Axis(1)); }},
      {"dot of vectors", {{n}, {n}}, [](V x) { return dot(x[0], x[1]); }},
      {"dot", {{3, n}, {n, 5}}, [](V x) { return dot(x[0], x[1]); }},
      {"matmul", {{2, 3, n}, {2, n, 5}}, [](V x) { return matmul(x[0], x[1]); }},
      {"batchedDot", {{2, 3, n}, {2, n, 5}}, [](V x) { return batchedDot(x[0], x[1]); }},
      {"tensordot", {{3, n, 1}, {n, 1, 5}}, [](V x) { return tensordot(x[0], x[1], 2); }},
      {"conv1d", {{2, n, 4}, {3, n, 1}}, [](V x) { return conv1d(x[0], x[1]); }},
      {"pool sum", {{3, 2 * n}}, pooled(PoolMode::Sum)},
      {"pool average", {{3, 2 * n}}, pooled(PoolMode::AverageExcPad)},
  };
}

Tensor filled(DType dtype, const std::vector<int64_t> &shape, double value) {
  Tensor wide = *Tensor::allocate(DType::Float64, shape);
  for (double &x : wide.mutableFlat<double>())
    x = value;
  return wide.cast(dtype);
}

void expectPlusZeros(const TensorsOr &results, const std::vector<std::string> &names) {
  ASSERT_TRUE(results.ok()) << results.status();
  for (size_t i = 0; i < names.size(); ++i) {
    Tensor wide = (*results)[i].cast(DType::Float64).contiguous();
    for (double x : wide.flat<double>())
      EXPECT_TRUE(x == 0 && !std::signbit(x)) << names[i] << " gives " << x;
  }
}

/// F-366
TEST(ZeroSigns, SumsOfNegativeZerosAreZeroForAllExtents) {
  Variables inputs, outputs;
  std::vector<Tensor> values;
  std::vector<std::string> names;
  for (int64_t n : {1, 2, 16, 37})
    for (const Call &call : sumsOf(n))
      for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
        for (bool isStatic : {true, false}) {
          Variables operands;
          for (const std::vector<int64_t> &shape : call.shapes) {
            std::vector<int64_t> extents(shape.size(), kDynamic);
            operands.push_back(tensor(dtype, isStatic ? shape : extents));
            values.push_back(filled(dtype, shape, operands.size() == 1 ? -0.0 : 1.0));
          }
          inputs.insert(inputs.end(), operands.begin(), operands.end());
          outputs.push_back(call.make(operands));
          names.push_back(call.name + " of " + std::to_string(n) + " " +
                          std::string(dtypeName(dtype)) + (isStatic ? " known" : " unknown"));
        }
  {
    SCOPED_TRACE("evaluated");
    expectPlusZeros(evaluate(outputs, inputs, values), names);
  }
  SCOPED_TRACE("compiled"); // rewrites of the default mode may change the sign of zero
  expectPlusZeros(runCompiled(outputs, inputs, values), names);
}

} // namespace
} // namespace graphc
