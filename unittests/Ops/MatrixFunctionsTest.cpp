//===- MatrixFunctionsTest.cpp - exp and log of matrices far from 1 ---------===//
//
// Expected numbers are closed forms: of N with N N = 0, exp(N) = 1 + N and log(1 + N) = N.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "Calls.h"
#include "graphc/Function.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

std::vector<double> valuesAt(const Variable &y, const Variable &x, const Tensor &value) {
  return valuesOf(made(function({x}, y))(value));
}

/// Scaling by the norm would square away what stands beside a large element.
TEST(MatrixFunctions, ExpOfTriangles) {
  Variable x = dmatrix("x");
  for (double large : {1e8, 1e16, 1e20})
    EXPECT_EQ(valuesAt(expm(x), x, Tensor({{0.0, large}, {0.0, 0.0}})),
              (std::vector<double>{1, large, 0, 1}));
  EXPECT_EQ(valuesAt(expm(x), x, Tensor({{0.0, 0.0}, {0.0, 0.0}})),
            (std::vector<double>{1, 0, 0, 1}));
  // e, 1e16 sinh(1), 1 / e; four roundings of numbers around it in each of the products.
  std::vector<double> y = valuesAt(expm(x), x, Tensor({{1.0, 1e16}, {0.0, -1.0}}));
  EXPECT_NEAR(y[0], 2.718281828459045, 1e-14);
  EXPECT_NEAR(y[1], 1.1752011936438014e16, 1e2);
  EXPECT_EQ(y[2], 0);
  EXPECT_NEAR(y[3], 0.36787944117144233, 2e-15);
}

/// A negative eigenvalue has no real logarithm, whatever stands beside it.
TEST(MatrixFunctions, LogOfNegativeEigenvalues) {
  Variable x = dmatrix("x");
  for (double beside : {10.0, 1e8}) {
    for (double y :
         valuesAt(logm(x), x, Tensor({{-1.0, 0.0, 0.0}, {0.0, 1.0, beside}, {0.0, 0.0, 1.0}})))
      EXPECT_TRUE(std::isnan(y)) << beside;
    std::vector<double> y =
        valuesAt(logm(x), x, Tensor({{1.0, 0.0, 0.0}, {0.0, 1.0, beside}, {0.0, 0.0, 1.0}}));
    EXPECT_NEAR(y[5], beside, 4e-16 * beside);
    EXPECT_EQ(y[0], 0);
  }
}

} // namespace
} // namespace graphc
