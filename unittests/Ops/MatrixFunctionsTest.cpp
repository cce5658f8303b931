//===- MatrixFunctionsTest.cpp - exp and log of matrices far from 1 ---------===//
//
// Expected numbers are closed forms: of N with N N = 0, exp(N) = 1 + N and log(1 + N) = N.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "Calls.h"
#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
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

/// a / 2^k has a diagonal of zeros beside a large element: what it is, is known from a. By mpmath,
/// and by symmetry for lower triangles.
TEST(MatrixFunctions, ExpOfSmallDiagonals) {
  const double more = std::expm1(1.0), e = std::exp(1.0);
  for (DType dtype : {DType::Float64, DType::Complex128}) {
    auto exponential = [&](const Tensor &a) {
      Variable x = dmatrix("x");
      return valuesAt(real(expm(cast(x, dtype))), x, a);
    };
    auto expectNear = [&](const std::vector<double> &y, const std::vector<double> &wanted) {
      ASSERT_EQ(y.size(), wanted.size());
      for (size_t k = 0; k < y.size(); ++k)
        if (y[k] != wanted[k])
          EXPECT_NEAR(y[k], wanted[k], 1e-14 * std::fabs(wanted[k])) << dtypeName(dtype) << k;
    };
    expectNear(exponential(Tensor({{0.0, 1e300}, {0.0, 1.0}})), {1, 1e300 * more, 0, e});
    expectNear(exponential(Tensor({{1.0, 0.0}, {1e300, 0.0}})), {e, 0, 1e300 * more, 1});
    // The derivative of exp where elements of the diagonal are equal, or nearly.
    expectNear(exponential(Tensor({{1.0, 1e200}, {0.0, 1.0}})), {e, 1e200 * e, 0, e});
    expectNear(exponential(Tensor({{-2000.0, 1.0}, {0.0, 0.0}})), {0, 1 / 2000.0, 0, 1});
    // e^2 / 2 - e + 1 / 2 is the divided difference of exp at 0, 1 and 2.
    expectNear(
        exponential(Tensor({{0.0, 1e100, 0.0}, {0.0, 1.0, 1e100}, {0.0, 0.0, 2.0}})),
        {1, 1e100 * more, 1e200 * (e * e / 2 - e + 0.5), 0, e, 1e100 * (e * e - e), 0, 0, e * e});
    // A turn by 1 in front of a large element, with the integral of its sine and cosine.
    expectNear(exponential(Tensor({{0.0, -1.0, 1e200}, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}})),
               {std::cos(1), -std::sin(1), 1e200 * std::sin(1), std::sin(1), std::cos(1),
                1e200 * (1 - std::cos(1)), 0, 0, 1});
    // Two rows have a closed form, in which cosh(10) and -sinh(10) would cancel.
    expectNear(
        exponential(Tensor({{-20.0, 1.0}, {1.0, 0.0}})),
        {0.0026083067623289232, 0.052296186851146632, 0.052296186851146632, 1.0485320437852616});
    expectNear(exponential(Tensor({{1000.0, 0.0}, {0.0, 0.0}})), {HUGE_VAL, 0, 0, 1});
  }
}

TEST(MatrixFunctions, LogOfElementsFarApart) {
  Variable x = dmatrix("x");
  const double far = 300 * std::log(10.0);
  for (bool isLower : {false, true}) {
    const double above = isLower ? 0 : 1, below = isLower ? 1 : 0;
    std::vector<double> y = valuesAt(logm(x), x, Tensor({{1e-300, above}, {below, 1e300}}));
    EXPECT_NEAR(y[0], -far, 1e-12);
    EXPECT_NEAR(y[3], far, 1e-12);
    EXPECT_NEAR(isLower ? y[2] : y[1], 2 * far / 1e300, 1e-310);
    EXPECT_EQ(isLower ? y[1] : y[2], 0);
  }
  // Of a real matrix that is not triangular, as before.
  EXPECT_TRUE(std::isnan(valuesAt(logm(x), x, Tensor({{0.0, 1.0}, {0.0, 0.0}}))[0]));
}

/// The reciprocal of a subnormal pivot is infinite. Powers of 2, so that all is exact.
TEST(MatrixFunctions, SubnormalPivots) {
  const double tiny = std::ldexp(1, -1070), small = std::ldexp(1, -1060);
  Variable x = dmatrix("x"), b = dvector("b");
  // l = [[1, 0], [1/2, 1]], u = [[small, tiny], [0, tiny / 2]].
  const Tensor a({{small, tiny}, {small / 2, tiny}}), right({small + tiny, small / 2 + tiny});
  const std::vector<double> ones = {1, 1};
  auto solved = [&](const Variable &y, const Tensor &matrix, const Tensor &of) {
    return valuesOf(made(function({x, b}, y))(matrix, of));
  };
  for (DType dtype : {DType::Float64, DType::Complex128}) {
    Variable m = cast(x, dtype), v = cast(b, dtype);
    EXPECT_EQ(solved(real(solve(m, v)), a, right), ones);
    EXPECT_EQ(valuesAt(real(inv(m)), x, Tensor({{2.0, 0.0}, {0.0, tiny}})),
              (std::vector<double>{0.5, 0, 0, HUGE_VAL}));
    EXPECT_EQ(valuesAt(real(luFactor(m).factors), x, a),
              (std::vector<double>{small, tiny, 0.5, tiny / 2}));
    EXPECT_NEAR(valuesAt(slogdet(m).logarithm, x, a)[0], -2131 * std::log(2.0), 1e-12);
    EXPECT_EQ(valuesAt(real(det(m)), x, Tensor({{0.0, std::ldexp(1, 1000)}, {tiny, 1.0}})),
              std::vector<double>{-std::ldexp(1, -70)});
    EXPECT_EQ(solved(real(solveTriangular(m, v)), Tensor({{small, tiny}, {0.0, tiny}}),
                     Tensor({small + tiny, tiny})),
              ones);
  }
  // Real and imaginary parts: (1 + i)^-1 is (1 - i) / 2.
  Variable z = complex(x, x);
  EXPECT_EQ(solved(real(solve(z, cast(b, DType::Complex128))), Tensor({{tiny}}), Tensor({tiny})),
            std::vector<double>{0.5});
  // A matrix that is singular stays so.
  auto f = made(function({x, b}, solve(x, b)));
  EXPECT_EQ(f(Tensor({{tiny, tiny}, {tiny, tiny}}), right).status().code(),
            absl::StatusCode::kAborted);
}

/// A defective matrix' eigenvalues have no derivative. Rounding makes a multiple eigenvalue some
/// that lie close together, with great derivatives.
TEST(MatrixFunctions, GradientsOfDefectiveEigenvalues) {
  Variable x = dmatrix("x"), a = cast(x, DType::Float32);
  auto gradient = [&](const Variable &of) {
    Variable w = eigvals(of);
    return made(function({x}, grad(sum(real(w)), Variables{x})[0]));
  };
  Function f = gradient(x), narrow = gradient(a), turned = gradient(complex(x, x));
  Function forward = made(function({x}, real(pushforward(eigvals(x), x, onesLike(x)))));
  // s j s^-1 of whole numbers, j being blocks of Jordan: of 1 alone; of 2 and 2 rows beside 3.
  for (const Tensor &defective :
       {Tensor({{1.0, 1.0}, {0.0, 1.0}}), Tensor({{2.0, 1.0}, {-1.0, 0.0}}),
        Tensor({{0.0, 1.0}, {0.0, 0.0}}),
        Tensor({{3.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}, {4.0, 5.0, 7.0}}),
        Tensor({{5.0, 4.0, 2.0, 1.0},
                {0.0, 1.0, -1.0, -1.0},
                {-1.0, -1.0, 3.0, 0.0},
                {1.0, 1.0, -1.0, 2.0}})})
    for (Function *g : {&f, &narrow, &turned, &forward}) {
      absl::StatusOr<Results> result = (*g)(defective);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(firstLine(result.status()), "LinAlgError: eig: the matrix has fewer eigenvectors "
                                            "than rows, or almost: it is defective");
    }
  // Of the trace it is the unit matrix.
  for (const Tensor &matrix : {Tensor({{1.0, 0.0}, {0.0, 1.0}}), Tensor({{1.0, 1e9}, {0.0, 2.0}}),
                               Tensor({{0.0, -1.0}, {1.0, 0.0}}), Tensor({{1.0, 1e3}, {1e-3, 2.0}}),
                               Tensor({{1.0, 1.0}, {1e-10, 1.0}})}) {
    std::vector<double> y = valuesOf(f(matrix));
    ASSERT_EQ(y.size(), 4u);
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(y[k], k % 3 == 0 ? 1 : 0, 1e-5);
  }
}

// What is no number in a right side is that of its own solution; the other triangle is not read.
TEST(MatrixFunctions, SymmetricSystems) {
  const double nan = std::nan("");
  Variable a = dmatrix("a"), b = dmatrix("b");
  for (bool isLower : {true, false}) {
    Function f = made(
        function({a, b}, solve(a, b, {.assume = MatrixAssumption::Symmetric, .lower = isLower})));
    auto solutions = [&](const Tensor &matrix, const Tensor &sides) {
      return valuesOf(f(matrix, sides));
    };
    std::vector<double> x =
        solutions(Tensor({{2.0, 1.0}, {1.0, 3.0}}), Tensor({{1.0, nan}, {2.0, 1.0}}));
    EXPECT_NEAR(x[0], 0.2, 1e-15);
    EXPECT_NEAR(x[2], 0.6, 1e-15);
    EXPECT_TRUE(std::isnan(x[1]) && std::isnan(x[3]));
    const Tensor unread =
                     isLower ? Tensor({{2.0, nan}, {1.0, 3.0}}) : Tensor({{2.0, 1.0}, {nan, 3.0}}),
                 read =
                     isLower ? Tensor({{2.0, 1.0}, {nan, 3.0}}) : Tensor({{2.0, nan}, {1.0, 3.0}});
    x = solutions(unread, Tensor({{1.0}, {2.0}}));
    EXPECT_NEAR(x[0], 0.2, 1e-15);
    EXPECT_NEAR(x[1], 0.6, 1e-15);
    for (double none : solutions(read, Tensor({{1.0}, {2.0}})))
      EXPECT_TRUE(std::isnan(none));
  }
}

// A column that is longer than any number has no direction.
TEST(MatrixFunctions, QrOfLongColumns) {
  Variable a = dmatrix("a");
  for (double none : valuesAt(qr(a).q, a, Tensor({{1.7e308, 1.0}, {1.7e308, 2.0}})))
    EXPECT_TRUE(std::isnan(none));
}

} // namespace
} // namespace graphc
