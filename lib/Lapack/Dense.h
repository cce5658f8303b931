//===- Lapack/Dense.h - products and norms of small matrices ---------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace graphc {

/// x (m, k) times y (k, n), row-major; real or complex.
template <class T>
std::vector<T> product(const std::vector<T> &x, const std::vector<T> &y, size_t m, size_t k,
                       size_t n) {
  std::vector<T> z(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t r = 0; r < k; ++r)
      for (size_t j = 0; j < n; ++j)
        z[i * n + j] += x[i * k + r] * y[r * n + j];
  return z;
}

/// Whether an n x n matrix has nothing but zeros below the diagonal, or above it.
template <class T> bool isTriangular(const std::vector<T> &x, size_t n, bool isLower) {
  for (size_t i = 0; i < n; ++i)
    for (size_t j = isLower ? i + 1 : 0; j < (isLower ? n : i); ++j)
      if (x[i * n + j] != T(0))
        return false;
  return true;
}

/// The greatest sum of absolute values in a column of an n x n matrix.
template <class T> double norm1(const std::vector<T> &x, size_t n) {
  double most = 0;
  for (size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += std::abs(x[i * n + j]);
    most = std::max(most, sum);
  }
  return most;
}

/// x (m, n) as (n, m), in squares whose cache lines stay in the L1 cache.
template <class T> void transpose(const T *x, int64_t m, int64_t n, T *to) {
  constexpr int64_t kSide = 16;
  for (int64_t i = 0; i < m; i += kSide)
    for (int64_t j = 0; j < n; j += kSide)
      for (int64_t c = j; c < std::min(j + kSide, n); ++c)
        for (int64_t r = i; r < std::min(i + kSide, m); ++r)
          to[c * m + r] = x[r * n + c];
}

} // namespace graphc
