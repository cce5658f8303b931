//===- Lapack/Dense.h - products and norms of small matrices ---------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <cmath>
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

} // namespace graphc
