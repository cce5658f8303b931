//===- ComplexMatricesTest.cpp - factors and numbers of complex matrices ----------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "ComplexValues.h"
#include "Messages.h"
#include "Ops/Registry.h"

namespace graphc {
namespace {

Variable adjoint(const Variable &a) { return conj(swapaxes(a, -1, -2)); }
Variable definite(const Variable &a) {
  return matmul(a, adjoint(a)) + 3 * eye(3, std::nullopt, 0, realDType(a.dtype()));
}

/// x - a x b = q.
Variable callStein(const Variable &a, const Variable &b, const Variable &q) {
  absl::StatusOr<Op> op = Op::create(*findOp("solveSylvester"), {{"discrete", true}});
  return (*op)(a, b, q);
}
/// x x^H of the columns of x from the third on.
Variable projection(const Variable &x) {
  Variable rest = subtensor(x, {ellipsis, Slice(3, kEnd)});
  return matmul(rest, adjoint(rest));
}
Variable columnsTimes(const Variable &x, const Variable &w) { return x * expandDims(w, Axis(-2)); }

/// Each a function of square matrices, and of right sides or rectangles.
std::map<std::string, Variable> results(const Variable &a, const Variable &b, const Variable &r,
                                        const Variable &right) {
  Variable h = definite(a), s = a + swapaxes(a, -1, -2), wide = swapaxes(r, -1, -2);
  Variable three = cast(waves({2, 2, 2}, 130), a.dtype());
  QrFactors narrowQr = qr(r), wideQr = qr(wide), completeQr = qr(r, true);
  SvdFactors narrowSvd = svd(r), wideSvd = svd(wide), fullSvd = svd(r, true);
  EighFactors lower = eigh(a), upper = eigh(a, false);
  LuParts narrowLu = lu(r), wideLu = lu(wide);
  LdlFactors lowerLdl = ldl(a), upperLdl = ldl(a, false);
  EigFactors general = eig(a);
  Variable w = general.values;
  return {
      {"qr_q", narrowQr.q},
      {"qr_r", narrowQr.r},
      {"qr_wide_q", wideQr.q},
      {"qr_wide_r", wideQr.r},
      {"qr_complete_r", completeQr.r},
      {"qr_complete_beyond", projection(completeQr.q)},
      {"svd_u", narrowSvd.u},
      {"svd_s", narrowSvd.s},
      {"svd_vt", narrowSvd.vt},
      {"svd_wide_u", wideSvd.u},
      {"svd_wide_vt", wideSvd.vt},
      {"svd_full_beyond", projection(fullSvd.u)},
      {"svd_full_vt", fullSvd.vt},
      {"eigh_w", lower.values},
      {"eigh_v", lower.vectors},
      {"eigh_upper_v", upper.vectors},
      {"lu_l", narrowLu.l},
      {"lu_u", narrowLu.u},
      {"lu_p", narrowLu.p},
      {"lu_wide_l", wideLu.l},
      {"lu_wide_u", wideLu.u},
      {"lu_solve", luSolve(luFactor(a), b)},
      {"ldl_l", lowerLdl.l},
      {"ldl_d", lowerLdl.d},
      {"ldl_upper_l", upperLdl.l},
      {"ldl_upper_d", upperLdl.d},
      {"expm", expm(a)},
      {"logm", logm(a)},
      {"logm_left", logm(h * std::complex<double>(-1, 0.5))},
      {"sylvester", solveSylvester(a, three, b)},
      {"stein", callStein(a, three, b)},
      {"lyapunov", solveContinuousLyapunov(a, s)},
      {"discrete_lyapunov", solveDiscreteLyapunov(a, s)},
      {"kron", stack({kron(a[Index(0)], three[Index(0)]), kron(a[Index(1)], three[Index(1)])})},
      {"power", matrixPower(a, 5)},
      {"power_of_none", matrixPower(a, 0)},
      {"power_of_inverse", matrixPower(a, -2)},
      {"eig_sums", stack({sum(w, Axis(-1)), sum(w * w, Axis(-1)), sum(w * w * w, Axis(-1))}, 1)},
      {"eig_rebuilt", matmul(columnsTimes(general.vectors, w), inv(general.vectors))},
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
  for (DType dtype : {DType::Complex128, DType::Complex64})
    expectNumbers(allResults(dtype), "complex_matrices.txt", dtype, kRoundings);
}

/// As of real matrices.
bool hasNoGradient(std::string_view name) {
  return name == "power_of_none" || name.starts_with("qr_wide") ||
         name.starts_with("qr_complete") || name.starts_with("svd_full");
}

// Of both parts, against differences (verifyGrad), the choice of vectors included.
TEST(ComplexMatrices, HaveTheGradientsOfBothParts) {
  const std::vector<Tensor> point = {wave({2, 3, 3}, 1), wave({2, 3, 3}, 101), wave({2, 3, 2}, 40),
                                     wave({2, 3, 2}, 140)};
  Variable r = waves({2, 4, 3}, 60), right = waves({2, 4, 2}, 90);
  for (const auto &[key, result] : allResults(DType::Complex128)) {
    const std::string &name = key;
    if (hasNoGradient(name))
      continue;
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

// Gradients of gradients, of what is written apart for complex numbers.
TEST(ComplexMatrices, HaveSecondDerivatives) {
  const std::vector<Tensor> point = {wave({2, 3, 3}, 1), wave({2, 3, 3}, 101)};
  Variable right = waves({2, 3, 2}, 40), below = waves({2, 1, 3}, 60);
  Variable lowest = waves({2, 1, 2}, 90);
  for (const char *name :
       {"qr_q",     "qr_r",      "svd_u", "svd_s", "svd_vt",   "eigh_w",  "eigh_v", "eig_vectors",
        "eig_sums", "lu_l",      "lu_u",  "ldl_l", "ldl_d",    "expm",    "logm",   "sylvester",
        "det",      "logarithm", "sign",  "pinv",  "cholesky", "positive"}) {
    SCOPED_TRACE(name);
    GradFunction f = [&](const Variables &in) {
      Variable a = complex(in[0], in[1]);
      Variable tall = concatenate({a, below}, -2);
      Variable y = name == std::string_view("eig_vectors")
                       ? eig(a).vectors
                       : results(a, right, tall, concatenate({right, lowest}, -2)).at(name);
      Variable cost = sum(real(y * y) + imag(y));
      return stack(grad(cost, in));
    };
    absl::Status status = verifyGrad(f, point, {.differences = Differences::Central});
    EXPECT_TRUE(status.ok()) << status;
  }
}

/// The results of a function at a complex matrix of these rows and columns, evaluated and compiled.
void expectAt(const Variable &z, const Variables &results, const Tensor &value,
              const std::function<void(const Results &)> &check) {
  for (const char *mode : {"interpreter", "fast_run"}) {
    SCOPED_TRACE(mode);
    absl::StatusOr<Function> f = function({z}, std::vector<Variable>(results), {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    absl::StatusOr<Results> r = (*f)(value);
    ASSERT_TRUE(r.ok()) << r.status();
    check(*r);
  }
}

Variables allFactors(const Variable &z, bool isSquare) {
  QrFactors q = qr(z), complete = qr(z, true);
  SvdFactors s = svd(z), full = svd(z, true);
  LuFactors l = luFactor(z);
  Variables all = {q.q,  q.r,    complete.q, complete.r, s.u,       s.s,
                   s.vt, full.u, full.vt,    svdvals(z), l.factors, pinv(z)};
  if (isSquare) {
    EighFactors e = eigh(z);
    EigFactors g = eig(z);
    LdlFactors d = ldl(z);
    for (const Variable &v : {e.values, e.vectors, g.values, g.vectors, d.l, d.d, expm(z), logm(z),
                              eigvals(z), eigvalsh(z)})
      all.push_back(v);
  }
  return all;
}

// What has no elements has factors, of the shapes that follow; full ones are unit matrices.
TEST(ComplexMatrices, MayBeEmpty) {
  Variable z(TensorType(DType::Complex128, {kDynamic, kDynamic, kDynamic}), "z");
  using Shape = std::vector<int64_t>;
  for (const Shape &shape : {Shape{0, 3, 3}, {2, 0, 3}, {2, 3, 0}, {2, 0, 0}}) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const int64_t m = shape[1], n = shape[2], least = std::min(m, n), batch = shape[0];
    expectAt(
        z, allFactors(z, m == n), *Tensor::zeros(DType::Complex128, shape), [&](const Results &r) {
          const std::vector<Shape> wanted = {{batch, m, least}, {batch, least, n}, {batch, m, m},
                                             {batch, m, n},     {batch, m, least}, {batch, least},
                                             {batch, least, n}, {batch, m, m},     {batch, n, n}};
          for (size_t k = 0; k < wanted.size(); ++k)
            EXPECT_EQ(Shape(r[k].shape().begin(), r[k].shape().end()), wanted[k]) << k;
          for (size_t k : {2, 7, 8})
            for (int64_t i = 0; i < r[k].numElements(); ++i)
              EXPECT_EQ(r[k].flat<std::complex<double>>()[size_t(i)],
                        std::complex<double>(i / wanted[k][2] % wanted[k][1] == i % wanted[k][2]));
        });
  }
}

// Each number is NaN then, its imaginary part, too; the other matrices of the batch are as they
// are.
TEST(ComplexMatrices, OfNaNAreNaN) {
  using C = std::complex<double>;
  Variable z(TensorType(DType::Complex128, {kDynamic, kDynamic, kDynamic}), "z");
  for (C bad : {C(NAN, 0), C(0, NAN), C(0, INFINITY)}) {
    Tensor value = *Tensor::zeros(DType::Complex128, {2, 2, 2});
    value.mutableFlat<C>()[0] = bad;
    // In the triangle that eigh and ldl read, too.
    value.mutableFlat<C>()[2] = bad;
    value.mutableFlat<C>()[4] = 1, value.mutableFlat<C>()[7] = C(2, 1);
    expectAt(z, allFactors(z, true), value, [&](const Results &r) {
      for (size_t k = 0; k < r.size(); ++k) {
        Tensor parts = r[k].realView().contiguous();
        for (int64_t i = 0; i < parts.numElements(); ++i)
          EXPECT_EQ(std::isnan(parts.flat<double>()[size_t(i)]), i < parts.numElements() / 2)
              << k << " " << i;
      }
    });
  }
}

TEST(ComplexMatrices, DeterminantsOfInfinitiesAreInfinite) {
  using C = std::complex<double>;
  Variable z = zmatrix("z"), x = dmatrix("x");
  const double inf = INFINITY;
  for (const std::vector<double> &values :
       {std::vector<double>{inf, 0, 0, 1}, {inf, 1, 1, 1}, {1, inf, 1, 1}, {1, 1, inf, 1}}) {
    Tensor real = *Tensor({values[0], values[1], values[2], values[3]}).reshape({2, 2});
    absl::StatusOr<Function> ofReal = function({x}, det(x));
    ASSERT_TRUE(ofReal.ok()) << ofReal.status();
    double wanted = (*(*ofReal)(real))[0].item<double>();
    EXPECT_TRUE(std::isinf(wanted));
    expectAt(z, {det(z), slogdet(z).sign, slogdet(z).logarithm}, real.cast(DType::Complex128),
             [&](const Results &r) {
               EXPECT_EQ(r[0].item<C>(), C(wanted, 0));
               EXPECT_EQ(r[2].item<double>(), inf);
             });
  }
  Tensor turned =
      *Tensor({C(0, inf), C(0, 0), C(0, 0), C(1, 1)}, DType::Complex128).reshape({2, 2});
  expectAt(z, {det(z)}, turned,
           [&](const Results &r) { EXPECT_TRUE(std::isinf(std::abs(r[0].item<C>()))); });
}

// F-360: cofactors, by singular values. The matrix is (1, i)^T (1, 2), and zeros.
TEST(ComplexMatrices, DeterminantsHaveGradientsWhereTheyAreSingular) {
  using C = std::complex<double>;
  Variable z = zmatrix("z");
  Tensor singular =
      *Tensor({C(1, 0), C(2, 0), C(0, 1), C(0, 2)}, DType::Complex128).reshape({2, 2});
  // conj of the cofactors ((2i, -i), (-2, 1)).
  const C wanted[] = {C(0, -2), C(0, 1), C(-2, 0), C(1, 0)};
  expectAt(z, {grad(real(det(z)), z)}, singular, [&](const Results &r) {
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(std::abs(r[0].flat<C>()[i] - wanted[i]), 0, 1e-14) << i;
  });
  expectAt(z, {grad(real(det(z)), z)}, *Tensor::zeros(DType::Complex128, {2, 2}),
           [&](const Results &r) {
             for (size_t i = 0; i < 4; ++i)
               EXPECT_EQ(std::abs(r[0].flat<C>()[i]), 0) << i;
           });
}

TEST(ComplexMatrices, HaveNoDerivativesWhereRealOnesHaveNone) {
  Variable z(TensorType(DType::Complex128, {2, 3}), "z");
  auto reason = [&](const Variable &v) { return said(grad(sum(real(v)), z).status()); };
  EXPECT_THAT(reason(qr(z).r),
              testing::HasSubstr("qr has no derivative for more columns than rows"));
  EXPECT_THAT(reason(qr(z, true).q),
              testing::HasSubstr("qr has no derivative where it is complete"));
  EXPECT_THAT(reason(svd(z, true).vt),
              testing::HasSubstr("svd has no derivative where it is full"));
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
  // Both extents are told by each op and in each mode.
  for (const Variable &v : {inv(z), expm(z), logm(z), matrixPower(z, -1), real(eigvals(z)),
                            eigvalsh(z), cholesky(z), solve(z, z), slogdet(z).sign})
    for (const char *mode : {"interpreter", "fast_run", "debug"}) {
      Function f = *function({z}, v, {.mode = mode});
      const std::string text = firstLine(f(*Tensor::zeros(DType::Complex128, {2, 3})).status());
      EXPECT_NE(text.find(": the matrix must be square, not 2 x 3"), text.npos) << text << mode;
    }
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
