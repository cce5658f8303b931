//===- Lapack/Elimination.h - LU by divisions ----------------------*- C++ -*-===//
//
// For pivots that have no reciprocal, by which LAPACK's routines multiply: that of a subnormal
// number is infinite. Complex ones may have infinities, too, of which LAPACK makes NaNs where real
// arithmetic does not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "Matrices.h"

namespace graphc {

/// Whether one of the `count` elements at this distance is no 0, but smaller than a normal number.
template <class T> bool hasSubnormal(const T *first, size_t count, size_t stride) {
  for (size_t k = 0; k < count; ++k) {
    const Real<T> size = std::abs(first[k * stride]);
    if (size > 0 && size < 4 * std::numeric_limits<Real<T>>::min())
      return true;
  }
  return false;
}

/// A product without what an imaginary part of 0 makes of an infinity: 0 times it is no number.
template <class T> T productOf(T x, T y) {
  if constexpr (kIsComplex<T>) {
    if (x.imag() == 0)
      return y.imag() == 0 ? T(x.real() * y.real()) : T(x.real() * y.real(), x.real() * y.imag());
    if (y.imag() == 0)
      return productOf(y, x);
  }
  return x * y;
}

/// The same of a quotient; a divisor's square has no part in it, which might be 0.
template <class T> T quotientOf(T x, T by) {
  if constexpr (kIsComplex<T>) {
    if (by.imag() == 0)
      return x / by.real();
    if (std::isinf(by.real()) || std::isinf(by.imag()))
      return isFinite(&x, 1) ? T(0) : x / by;
    if (!isFinite(&by, 1))
      return x / by;
    const int power = std::ilogb(std::max(std::fabs(by.real()), std::fabs(by.imag())));
    by = {std::scalbn(by.real(), -power), std::scalbn(by.imag(), -power)};
    const T scaled = x / by;
    return {std::scalbn(scaled.real(), -power), std::scalbn(scaled.imag(), -power)};
  } else {
    return x / by;
  }
}

/// LU factors of a row-major (m, n) matrix in its place, and the rows, from 1 on, with which rows
/// were exchanged, as getrf has them.
template <class T> std::vector<lapack_int> eliminate(T *a, size_t m, size_t n) {
  std::vector<lapack_int> pivots(std::min(m, n));
  for (size_t k = 0; k < pivots.size(); ++k) {
    size_t pivot = k;
    for (size_t r = k + 1; r < m; ++r)
      if (std::abs(a[r * n + k]) > std::abs(a[pivot * n + k]))
        pivot = r;
    pivots[k] = lapack_int(pivot) + 1;
    if (pivot != k)
      std::swap_ranges(a + k * n, a + k * n + n, a + pivot * n);
    const T own = a[k * n + k];
    if (own == T(0))
      continue;
    for (size_t r = k + 1; r < m; ++r) {
      T &below = a[r * n + k];
      below = quotientOf(below, own);
      for (size_t c = k + 1; c < n; ++c)
        a[r * n + c] -= productOf(below, a[k * n + c]);
    }
  }
  return pivots;
}

/// x in the place of b: of a triangular matrix, whose elements are at(row, column), times x. 0
/// times an infinity is 0: so of a diagonal matrix one element makes no others.
template <class T, class At> void substitute(size_t n, bool isLower, bool isUnit, At at, T *x) {
  for (size_t step = 0; step < n; ++step) {
    const size_t i = isLower ? step : n - 1 - step;
    for (size_t j = isLower ? 0 : i + 1; j < (isLower ? i : n); ++j)
      if (const T own = at(i, j); own != T(0))
        x[i] -= productOf(own, x[j]);
    if (!isUnit)
      x[i] = quotientOf<T>(x[i], at(i, i));
  }
}

} // namespace graphc
