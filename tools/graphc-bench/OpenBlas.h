//===- OpenBlas.h - matrix products of OpenBLAS -------------------*- C++ -*-===//
//
// Opened at run time, where the machine has it: no part of graphc calls it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "Compare.h"

namespace graphc::bench {

/// a[m, k] times b[k, n], or of a[k, m] or b[n, k] transposed; row-major. Or so many of them, one
/// behind the other.
struct Product {
  int m, k, n;
  bool isRightTransposed = false, isLeftTransposed = false;
  int batch = 1;

  std::vector<int64_t> leftShape() const { return shapeOf(m, k, isLeftTransposed); }
  std::vector<int64_t> rightShape() const { return shapeOf(k, n, isRightTransposed); }
  std::vector<int64_t> resultShape() const { return shapeOf(m, n, false); }

private:
  std::vector<int64_t> shapeOf(int64_t rows, int64_t columns, bool isTransposed) const {
    if (isTransposed)
      std::swap(rows, columns);
    return batch == 1 ? std::vector{rows, columns} : std::vector{int64_t(batch), rows, columns};
  }
};

/// OpenBLAS 0.3.21 takes an AVX-512 processor that it does not know for a lesser one; what its
/// users do about it is OPENBLAS_CORETYPE. For this process and its children, unless it is set.
void chooseOpenBlasCore();

/// Its version, or empty.
std::string openBlasVersion();

/// Nothing without the library, or of BFloat16: Debian's is built without it.
std::vector<Hand> openBlasProduct(const Product &product, const Tensor &a, const Tensor &b,
                                  const Settings &settings);

} // namespace graphc::bench
