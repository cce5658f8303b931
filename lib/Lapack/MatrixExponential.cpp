//===- MatrixExponential.cpp - exp(A) by scaling and squaring ----------------------===//
//
// N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J.
// Matrix Anal. Appl. 26 (2005): the [13/13] Padé approximant of A / 2^s, where the 1-norm is at
// most 5.37, squared s times. In float64 for float32, too.
//
// What squaring loses of a triangular matrix whose diagonal is small beside the rest is known
// without it: the diagonal and what stands beside it are computed again after each (A. H. Al-Mohy,
// N. J. Higham, "A new scaling and squaring algorithm for the matrix exponential", SIAM J. Matrix
// Anal. Appl. 31 (2009), fragment 2.1), with blocks of two rows by their closed form.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>

#include "Dense.h"
#include "Matrices.h"
#include "Solvers.h"
#include "Support/PadeExponential.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(gesv, gesv_work, gesv_work)

/// Of square matrices.
template <class W>
std::vector<W> product(const std::vector<W> &a, const std::vector<W> &b, size_t n) {
  return graphc::product(a, b, n, n, n);
}

/// Of the power k, where that of the unit matrix is 1: what has no diagonal then has ones in the
/// result's, however often that is squared.
constexpr double coefficient(size_t k) { return kPade[k] / kPade[0]; }

/// The sum of coefficient(first + 2 k) powers[k]; powers[0] is the unit matrix.
template <class W>
std::vector<W> polynomial(size_t first, const std::vector<const std::vector<W> *> &powers) {
  std::vector<W> sum(powers[0]->size());
  for (size_t k = 0; k < powers.size(); ++k)
    for (size_t e = 0; e < sum.size(); ++e)
      sum[e] += coefficient(first + 2 * k) * (*powers[k])[e];
  return sum;
}

/// By which power of 2 a matrix is divided. Its powers' norms say more than its own, of which
/// triangular ones may have any (Al-Mohy and Higham). Of powers that overflow they say nothing.
template <class W>
int squaringsOf(const std::vector<W> &a, const std::vector<W> &a4, const std::vector<W> &a6,
                size_t n) {
  const double norm = norm1(a, n);
  if (norm <= kPadeReach)
    return 0;
  auto root = [&](const std::vector<W> &power, int k) {
    return std::pow(norm1(power, n), 1.0 / k);
  };
  const double eighth = root(product(a4, a4, n), 8);
  double reach =
      std::min(std::max(root(a6, 6), eighth), std::max(eighth, root(product(a4, a6, n), 10)));
  if (!std::isfinite(reach))
    reach = norm;
  auto halvings = [](double ratio) {
    return ratio > 1 ? std::max(0, int(std::ceil(std::log2(ratio)))) : 0;
  };
  int squarings = halvings(reach / kPadeReach);
  if (reach >= norm)
    return squarings;
  // The first term that the approximation leaves out, of elements without signs.
  std::vector<double> column(n, 1.0), next(n);
  for (int k = 0; k < 27; ++k) {
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        next[j] += std::ldexp(std::abs(a[i * n + j]), -squarings) * column[i];
    std::swap(column, next);
  }
  const double left = *std::max_element(column.begin(), column.end()) /
                      std::ldexp(norm, -squarings) * 8.8e-36; // 1 / (26 over 13) 27!
  if (!std::isfinite(left))
    return halvings(norm / kPadeReach);
  return squarings + halvings(std::pow(left / 0x1p-53, 1.0 / 26));
}

/// The first rows of the blocks of one and two rows on the diagonal of a matrix that has nothing
/// but zeros below them, and the number of rows; empty for other matrices.
template <class W> std::vector<size_t> blocksOf(const std::vector<W> &a, size_t n) {
  std::vector<size_t> begins;
  for (size_t k = 0; k < n;) {
    begins.push_back(k);
    k += k + 1 < n && a[(k + 1) * n + k] != W(0) ? 2 : 1;
  }
  begins.push_back(n);
  for (size_t block = 0; block + 1 < begins.size(); ++block)
    for (size_t i = begins[block + 1]; i < n; ++i)
      for (size_t j = begins[block]; j < begins[block + 1]; ++j)
        if (a[i * n + j] != W(0))
          return {};
  return begins;
}

/// e^mean cosh(root), and e^mean sinh(root) / root: functions of the root's square.
struct Hyperbolic {
  std::complex<double> even, odd;

  Hyperbolic(std::complex<double> mean, std::complex<double> root) {
    if (std::abs(root) > 1) { // neither overflows where the product does not
      const std::complex<double> up = std::exp(mean + root), down = std::exp(mean - root);
      even = (up + down) / 2.0;
      odd = (up - down) / (2.0 * root);
      return;
    }
    even = std::exp(mean) * std::cosh(root);
    odd =
        std::exp(mean) * (std::abs(root) < 1e-4 ? 1.0 + root * root / 6.0 : std::sinh(root) / root);
  }
};

/// A complex number, or the real part of what is real.
template <class W> W numberOf(std::complex<double> x) {
  if constexpr (kIsComplex<W>)
    return x;
  else
    return x.real();
}

/// Writes the diagonal's blocks of exp(a / 2^halvings), and what stands beside it between blocks of
/// one row.
template <class W>
void setDiagonals(const std::vector<W> &a, const std::vector<size_t> &begins, size_t n,
                  int halvings, std::vector<W> &x) {
  const double scale = std::ldexp(1.0, -halvings);
  auto at = [&](size_t i, size_t j) { return a[i * n + j] * scale; };
  auto isSingle = [&](size_t block) { return begins[block + 1] == begins[block] + 1; };
  for (size_t block = 0; block + 1 < begins.size(); ++block) {
    const size_t k = begins[block];
    if (isSingle(block)) {
      x[k * n + k] = std::exp(at(k, k));
      if (block == 0 || !isSingle(block - 1))
        continue;
      const std::complex<double> first = at(k - 1, k - 1), second = at(k, k);
      const W beside = at(k - 1, k);
      if (beside != W(0))
        x[(k - 1) * n + k] =
            beside *
            numberOf<W>(Hyperbolic(first / 2.0 + second / 2.0, second / 2.0 - first / 2.0).odd);
      continue;
    }
    const std::complex<double> mean = at(k, k) / 2.0 + at(k + 1, k + 1) / 2.0,
                               half = at(k, k) / 2.0 - at(k + 1, k + 1) / 2.0,
                               others = std::complex<double>(at(k, k + 1)) *
                                        std::complex<double>(at(k + 1, k)),
                               root = std::sqrt(half * half + others);
    const Hyperbolic h(mean, root);
    x[k * n + k + 1] = at(k, k + 1) * numberOf<W>(h.odd);
    x[(k + 1) * n + k] = at(k + 1, k) * numberOf<W>(h.odd);
    std::complex<double> first = h.even + half * h.odd, second = h.even - half * h.odd;
    if (std::abs(root) > 1) {
      // In parts that do not cancel, by (root + half) (root - half) = others.
      const std::complex<double> sum = root + half, difference = root - half;
      const bool isPlus = std::abs(sum) > std::abs(difference);
      const std::complex<double> up = std::exp(mean + root) / (2.0 * root),
                                 down = std::exp(mean - root) / (2.0 * root),
                                 plus = isPlus ? sum : others / difference,
                                 minus = isPlus ? others / sum : difference;
      auto part = [](std::complex<double> factor, std::complex<double> power) {
        return factor == 0.0 ? factor : factor * power;
      };
      first = part(plus, up) + part(minus, down);
      second = part(minus, up) + part(plus, down);
    }
    x[k * n + k] = numberOf<W>(first);
    x[(k + 1) * n + k + 1] = numberOf<W>(second);
  }
}

/// x x, where 0 times an infinity is 0: what is 0 by the matrix's form stays so.
template <class W> std::vector<W> squareOfTriangle(const std::vector<W> &x, size_t n) {
  std::vector<W> y(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t r = 0; r < n; ++r)
      for (size_t j = 0; x[i * n + r] != W(0) && j < n; ++j)
        if (x[r * n + j] != W(0))
          y[i * n + j] += x[i * n + r] * x[r * n + j];
  return y;
}

/// Rows and columns in reverse order.
template <class W> std::vector<W> reversed(std::vector<W> x) {
  std::reverse(x.begin(), x.end());
  return x;
}

template <class W> absl::Status exponential(std::vector<W> a, size_t n, std::vector<W> &result) {
  using Matrix = std::vector<W>;
  Matrix unit(n * n);
  for (size_t k = 0; k < n; ++k)
    unit[k * n + k] = 1;
  Matrix a2 = product(a, a, n), a4 = product(a2, a2, n), a6 = product(a2, a4, n);
  const int squarings = squaringsOf(a, a4, a6, n);
  const Matrix whole = a;
  if (squarings > 0) {
    for (W &element : a)
      element *= std::ldexp(1.0, -squarings);
    a2 = product(a, a, n), a4 = product(a2, a2, n), a6 = product(a2, a4, n);
  }
  auto plus = [](Matrix x, const Matrix &y) {
    for (size_t e = 0; e < x.size(); ++e)
      x[e] += y[e];
    return x;
  };
  Matrix highOdd = polynomial<W>(7, {&unit, &a2, &a4, &a6}),
         highEven = polynomial<W>(6, {&unit, &a2, &a4, &a6});
  // The coefficients of A^7 and A^6 belong to the lower parts.
  for (size_t k = 0; k < n; ++k) {
    highOdd[k * n + k] -= coefficient(7);
    highEven[k * n + k] -= coefficient(6);
  }
  Matrix odd =
      product(a, plus(product(a6, highOdd, n), polynomial<W>(1, {&unit, &a2, &a4, &a6})), n);
  Matrix even = plus(product(a6, highEven, n), polynomial<W>(0, {&unit, &a2, &a4, &a6}));
  Matrix below(n * n), above(n * n);
  for (size_t e = 0; e < n * n; ++e) {
    below[e] = even[e] - odd[e];
    above[e] = even[e] + odd[e];
  }
  std::vector<lapack_int> pivots(n);
  auto rows = lapack_int(n);
  lapack_int info =
      gesv(Precision<W>(), rows, rows, below.data(), rows, pivots.data(), above.data(), rows);
  if (info != 0) // never for a norm that is bounded, but for memory
    return checkInfo(std::min<lapack_int>(info, -1));
  const std::vector<size_t> blocks = blocksOf(whole, n);
  if (!blocks.empty())
    setDiagonals(whole, blocks, n, squarings, above);
  for (int k = squarings; k-- > 0;) {
    above = blocks.empty() ? product(above, above, n) : squareOfTriangle(above, n);
    if (!blocks.empty())
      setDiagonals(whole, blocks, n, k, above);
  }
  result = std::move(above);
  return absl::OkStatus();
}

} // namespace

absl::Status matrixExponential(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = size_t(call.inputs[0].shape()[1]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      T *to = matrixOf<T>(call.outputs[0], i);
      if (!isFinite(from, int64_t(n * n))) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      if (n == 0)
        return absl::OkStatus();
      std::vector<Wide<T>> a(from, from + n * n), result;
      // A lower triangle is an upper one in reverse order.
      const bool isReversed = !isTriangular(a, n, false) && blocksOf(reversed(a), n).size() > 0;
      if (absl::Status s =
              exponential(isReversed ? reversed(std::move(a)) : std::move(a), n, result);
          !s.ok())
        return s;
      if (isReversed)
        result = reversed(std::move(result));
      std::transform(result.begin(), result.end(), to, [](Wide<T> x) { return T(x); });
      return absl::OkStatus();
    });
  });
}

} // namespace graphc
