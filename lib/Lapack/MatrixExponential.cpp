//===- MatrixExponential.cpp - exp(A) by scaling and squaring ----------------------===//
//
// N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J.
// Matrix Anal. Appl. 26 (2005): the [13/13] Padé approximant of A / 2^s, where the 1-norm is at
// most 5.37, squared s times. In float64 for float32, too.
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

/// The sum of kPade[first + 2 k] powers[k]; powers[0] is the unit matrix.
template <class W>
std::vector<W> polynomial(size_t first, const std::vector<const std::vector<W> *> &powers) {
  std::vector<W> sum(powers[0]->size());
  for (size_t k = 0; k < powers.size(); ++k)
    for (size_t e = 0; e < sum.size(); ++e)
      sum[e] += kPade[first + 2 * k] * (*powers[k])[e];
  return sum;
}

template <class W> absl::Status exponential(std::vector<W> a, size_t n, std::vector<W> &result) {
  using Matrix = std::vector<W>;
  double norm = norm1(a, n);
  int squarings = norm > kPadeReach ? std::max(0, int(std::ceil(std::log2(norm / kPadeReach)))) : 0;
  for (W &element : a)
    element *= std::ldexp(1.0, -squarings);
  Matrix unit(n * n);
  for (size_t k = 0; k < n; ++k)
    unit[k * n + k] = 1;
  Matrix a2 = product(a, a, n), a4 = product(a2, a2, n), a6 = product(a2, a4, n);
  auto plus = [](Matrix x, const Matrix &y) {
    for (size_t e = 0; e < x.size(); ++e)
      x[e] += y[e];
    return x;
  };
  Matrix highOdd = polynomial<W>(7, {&unit, &a2, &a4, &a6}),
         highEven = polynomial<W>(6, {&unit, &a2, &a4, &a6});
  // The coefficients of A^7 and A^6 belong to the lower parts.
  for (size_t k = 0; k < n; ++k) {
    highOdd[k * n + k] -= kPade[7];
    highEven[k * n + k] -= kPade[6];
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
  for (int k = 0; k < squarings; ++k)
    above = product(above, above, n);
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
      std::vector<Wide<T>> result;
      if (n > 0)
        if (absl::Status s = exponential(std::vector<Wide<T>>(from, from + n * n), n, result);
            !s.ok())
          return s;
      for (size_t e = 0; e < result.size(); ++e)
        to[e] = T(result[e]);
      return absl::OkStatus();
    });
  });
}

} // namespace graphc
