//===- ComplexMatricesTest.cpp - factors and numbers of complex matrices ----------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "Messages.h"
#include "NumbersOfFile.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

/// Sines of squares: those of consecutive numbers would make matrices of rank 2.
Tensor wave(std::vector<int64_t> shape, int start) {
  Tensor values = *Tensor::zeros(DType::Float64, shape);
  for (double &value : values.mutableFlat<double>())
    value = std::sin(double(start * start)), ++start;
  return values;
}
/// As make_complex_matrices.py has them.
Variable waves(std::vector<int64_t> shape, int start) {
  return complex(constant(wave(shape, start)), constant(wave(shape, start + 100)));
}
Variable adjoint(const Variable &a) { return conj(swapaxes(a, -1, -2)); }
Variable definite(const Variable &a) {
  return matmul(a, adjoint(a)) + 3 * eye(3, std::nullopt, 0, realDType(a.dtype()));
}

/// Each a function of square matrices, and of right sides or rectangles.
std::map<std::string, Variable> results(const Variable &a, const Variable &b, const Variable &r,
                                        const Variable &right) {
  Variable h = definite(a), s = a + swapaxes(a, -1, -2);
  return {
      {"cholesky", cholesky(h)},
      {"cholesky_upper", cholesky(h, {.lower = false})},
      {"cho_solve", choSolve(cholesky(h), b)},
      {"lower", solveTriangular(a, b, {.lower = true})},
      {"upper", solveTriangular(a, b)},
      {"transposed", solveTriangular(a, b, {.transposed = true})},
      {"unit", solveTriangular(a, b, {.lower = true, .unitDiagonal = true})},
      {"symmetric", solve(s, b, {.assume = MatrixAssumption::Symmetric})},
      {"positive", solve(h, b, {.assume = MatrixAssumption::Positive})},
      {"det", det(a)},
      {"sign", slogdet(a).sign},
      {"logarithm", slogdet(a).logarithm},
      {"pinv", pinv(r)},
      {"pinv_wide", pinv(swapaxes(r, -1, -2))},
      {"lstsq", lstsq(r, right)},
      {"svdvals", svdvals(r)},
      {"eigvalsh", eigvalsh(h)},
      {"eigvalsh_upper", eigvalsh(a, false)},
      {"frobenius", matrixNorm(r)},
      {"nuclear", matrixNorm(r, MatrixNorm::Nuclear)},
      {"one", matrixNorm(r, MatrixNorm::One)},
      {"minus_one", matrixNorm(r, MatrixNorm::MinusOne)},
      {"inf", matrixNorm(r, MatrixNorm::Inf)},
      {"minus_inf", matrixNorm(r, MatrixNorm::MinusInf)},
      {"two", matrixNorm(r, MatrixNorm::Two)},
      {"minus_two", matrixNorm(r, MatrixNorm::MinusTwo)},
  };
}

std::map<std::string, Variable> allResults(DType dtype) {
  auto of = [&](const Variable &v) { return cast(v, dtype); };
  return results(of(waves({2, 3, 3}, 1)), of(waves({2, 3, 2}, 40)), of(waves({2, 4, 3}, 60)),
                 of(waves({2, 4, 2}, 90)));
}

// Condition numbers are below 100, and each result is some hundred roundings of numbers below 10.
constexpr double kRoundings = 100 * 100 * 10;

TEST(ComplexMatrices, AreNumPys) {
  std::map<std::string, std::vector<double>> wanted =
      numbersOfFile(GRAPHC_TEST_DATA "/complex_matrices.txt");
  for (DType dtype : {DType::Complex128, DType::Complex64}) {
    const double bound = kRoundings * (dtype == DType::Complex64 ? 0x1p-24 : 0x1p-53);
    std::map<std::string, Variable> made = allResults(dtype);
    ASSERT_EQ(made.size(), wanted.size());
    for (const auto &[name, numbers] : wanted)
      for (const char *mode : {"interpreter", "fast_run"}) {
        SCOPED_TRACE(name + " " + mode);
        ASSERT_TRUE(made[name].ok()) << made[name].status();
        absl::StatusOr<Function> f = function({}, made[name], {.mode = mode});
        ASSERT_TRUE(f.ok()) << f.status();
        absl::StatusOr<Results> r = (*f)();
        ASSERT_TRUE(r.ok()) << r.status();
        bool isReal = !isComplex((*r)[0].dtype());
        EXPECT_EQ((*r)[0].dtype(), isReal ? realDType(dtype) : dtype);
        Tensor values = (*r)[0].realView().cast(DType::Float64).contiguous();
        ASSERT_EQ(size_t(values.numElements()) * (isReal ? 2 : 1), numbers.size());
        for (size_t i = 0; i < numbers.size(); i += isReal ? 2 : 1)
          EXPECT_NEAR(values.flat<double>()[isReal ? i / 2 : i], numbers[i], bound) << i;
      }
  }
}

// Of both parts, against differences (verifyGrad).
TEST(ComplexMatrices, HaveTheGradientsOfBothParts) {
  const std::vector<Tensor> point = {wave({2, 3, 3}, 1), wave({2, 3, 3}, 101), wave({2, 3, 2}, 40),
                                     wave({2, 3, 2}, 140)};
  Variable r = waves({2, 4, 3}, 60), right = waves({2, 4, 2}, 90);
  for (const auto &[key, result] : allResults(DType::Complex128)) {
    const std::string &name = key;
    SCOPED_TRACE(name);
    GradFunction f = [&](const Variables &in) {
      Variable a = complex(in[0], in[1]);
      Variable y = results(a, complex(in[2], in[3]), concatenate({a, r}, -2),
                           concatenate({complex(in[2], in[3]), right}, -2))
                       .at(name);
      return isComplex(y.dtype()) ? stack({real(y), imag(y)}) : y;
    };
    absl::Status status = verifyGrad(f, point);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(ComplexMatrices, TellWhatIsNoMatrixOfTheirs) {
  using C = std::complex<double>;
  Variable z = zmatrix("z");
  auto fails = [&](const Variable &v, const Tensor &value) {
    absl::StatusOr<Function> f = function({z}, v);
    return f.ok() ? firstLine((*f)(value).status()) : firstLine(f.status());
  };
  Tensor zeros = Tensor({{0.0, 0.0}, {0.0, 0.0}}).cast(DType::Complex128);
  Tensor minus = *Tensor({C(-1, 0), C(0, 0), C(0, 0), C(1, 0)}, DType::Complex128).reshape({2, 2});
  EXPECT_EQ(fails(cholesky(z), minus),
            "LinAlgError: cholesky: the matrix is not positive definite");
  EXPECT_EQ(fails(solveTriangular(z, z), zeros),
            "LinAlgError: solveTriangular: the matrix is singular");
  EXPECT_EQ(fails(solve(z, z, {.assume = MatrixAssumption::Positive}), minus),
            "LinAlgError: solve: the matrix is not positive definite");
  EXPECT_EQ(fails(det(z), *Tensor({C(1, 0), C(2, 0)}, DType::Complex128).reshape({1, 2})),
            "ShapeError: det: the matrix must be square, not 1 x 2");
  // Of no rows: 1.
  absl::StatusOr<Function> f = function({z}, {det(z), slogdet(z).logarithm, svdvals(z)});
  ASSERT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> none = (*f)(*Tensor::zeros(DType::Complex128, {0, 0}));
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ((*none)[0].flat<C>()[0], C(1, 0));
  EXPECT_EQ((*none)[1].flat<double>()[0], 0);
  EXPECT_EQ((*none)[2].numElements(), 0);
  absl::StatusOr<Results> singular = (*f)(zeros);
  ASSERT_TRUE(singular.ok()) << singular.status();
  EXPECT_EQ((*singular)[0].flat<C>()[0], C(0, 0));
  EXPECT_EQ((*singular)[1].flat<double>()[0], -INFINITY);
}

} // namespace
} // namespace graphc
