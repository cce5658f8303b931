//===- Factors.cpp - LU and LDL^T factors --------------------------------------===//
#include <algorithm>
#include <numeric>
#include <utility>

#include "Elimination.h"
#include "Solvers.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(getrf, getrf_work, getrf_work)
GRAPHC_LAPACK(sytrf, sytrf, hetrf)

/// The factors of Bunch and Kaufman's method, from `a` that sytrf has left of a lower triangle:
/// a = l d l^H, where rows `order` of l are a unit lower triangular matrix.
template <class T>
void unpack(const std::vector<T> &a, const std::vector<lapack_int> &pivots, size_t n, T *l, T *d,
            int64_t *order) {
  std::fill_n(l, n * n, T(0));
  std::fill_n(d, n * n, T(0));
  std::vector<int64_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<size_t> begins; // of blocks
  for (size_t k = 0; k < n; k += pivots[k] > 0 ? 1 : 2)
    begins.push_back(k);
  for (auto block = begins.rbegin(); block != begins.rend(); ++block) {
    size_t k = *block, size = pivots[k] > 0 ? 1 : 2, end = k + size;
    for (size_t c = k; c < end; ++c) {
      l[c * n + c] = 1;
      d[c * n + c] = a[c * n + c];
      for (size_t r = end; r < n; ++r)
        l[r * n + c] = a[r * n + c];
    }
    if (size == 2) {
      d[(k + 1) * n + k] = a[(k + 1) * n + k];
      d[k * n + k + 1] = conjugate(a[(k + 1) * n + k]);
    }
    // The exchange that was made before the block's columns were eliminated.
    size_t own = end - 1, other = size_t(std::abs(pivots[own])) - 1;
    if (own == other)
      continue;
    std::swap_ranges(l + own * n + k, l + own * n + n, l + other * n + k);
    std::swap(rows[own], rows[other]);
  }
  for (size_t k = 0; k < n; ++k)
    order[size_t(rows[k])] = int64_t(k);
}

/// Rows and columns in reverse order: an upper triangle becomes a lower one.
template <class T> void reverse(T *matrix, size_t n) { std::reverse(matrix, matrix + n * n); }

} // namespace

absl::Status luFactor(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t m = call.inputs[0].shape()[1], n = call.inputs[0].shape()[2];
    const int64_t least = std::min(m, n);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      T *lu = matrixOf<T>(call.outputs[0], i);
      auto *pivots = matrixOf<int64_t>(call.outputs[1], i);
      auto *order = matrixOf<int64_t>(call.outputs[2], i);
      std::iota(order, order + m, 0);
      std::iota(pivots, pivots + least, 0);
      if (!isFinite(from, m * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      std::copy_n(from, m * n, lu);
      if (least == 0)
        return absl::OkStatus();
      std::vector<lapack_int> exchanged(size_t(least), 0);
      // A pivot of 0 is told by a positive result, and stands in the factor.
      lapack_int info =
          getrf(Precision<T>(), lapack_int(m), lapack_int(n), lu, lapack_int(n), exchanged.data());
      if (hasSubnormal(lu, size_t(least), size_t(n) + 1)) {
        std::copy_n(from, m * n, lu);
        exchanged = eliminate(lu, size_t(m), size_t(n));
      }
      for (int64_t k = 0; k < least; ++k) {
        pivots[k] = exchanged[size_t(k)] - 1;
        std::swap(order[k], order[pivots[k]]);
      }
      return checkInfo(std::min<lapack_int>(info, 0));
    });
  });
}

absl::Status ldl(const RoutineCall &call) {
  const bool isLower = call.parameters[0];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = size_t(call.inputs[0].shape()[1]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      T *l = matrixOf<T>(call.outputs[0], i), *d = matrixOf<T>(call.outputs[1], i);
      auto *order = matrixOf<int64_t>(call.outputs[2], i);
      // One triangle counts.
      std::vector<T> a(n * n, T(0));
      for (size_t r = 0; r < n; ++r)
        for (size_t c = 0; c <= r; ++c)
          a[r * n + c] = r == c    ? T(std::real(from[r * n + r]))
                         : isLower ? from[r * n + c]
                                   : from[c * n + r];
      if (!isFinite(a.data(), int64_t(n * n))) {
        fillWithNaN(call, i);
        std::iota(order, order + n, 0);
        return absl::OkStatus();
      }
      if (n == 0)
        return absl::OkStatus();
      if (!isLower) {
        for (size_t r = 0; r < n; ++r) // the upper triangle again
          for (size_t c = 0; c < r; ++c)
            a[c * n + r] = std::exchange(a[r * n + c], T(0));
        reverse(a.data(), n);
      }
      std::vector<lapack_int> pivots(n);
      auto rows = lapack_int(n);
      lapack_int info = sytrf(Precision<T>(), 'L', rows, a.data(), rows, pivots.data());
      if (absl::Status bad = checkInfo(std::min<lapack_int>(info, 0)); !bad.ok())
        return bad;
      unpack(a, pivots, n, l, d, order);
      if (!isLower) {
        reverse(l, n);
        reverse(d, n);
        std::reverse(order, order + n);
        for (size_t k = 0; k < n; ++k)
          order[k] = int64_t(n) - 1 - order[k];
      }
      return absl::OkStatus();
    });
  });
}

} // namespace graphc
