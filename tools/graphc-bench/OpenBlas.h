//===- OpenBlas.h - matrix products of OpenBLAS -------------------*- C++ -*-===//
//
// Opened at run time, where the machine has it: no part of graphc calls it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

#include "Compare.h"

namespace graphc::bench {

/// a[m, k] times b[k, n], or b[n, k] transposed; row-major.
struct Product {
  int m, k, n;
  bool isTransposed = false;
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
