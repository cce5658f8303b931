//===- Lapack/Schur.h - complex triangular forms of matrices ---------*- C++ -*-===//
#pragma once

#include <complex>
#include <vector>

#include "Dense.h"
#include "Matrices.h"

namespace graphc {

using Complex = std::complex<double>;
/// Row-major, n x n or as the function says.
using ComplexMatrix = std::vector<Complex>;

/// a = unitary triangular unitary^H, the triangular matrix being an upper one.
struct Schur {
  ComplexMatrix unitary, triangular;
};
/// Of a square matrix; what LAPACK says: positive where its iteration does not converge.
lapack_int schur(ComplexMatrix a, size_t n, Schur &result);

/// The conjugate transpose of an n x n matrix.
ComplexMatrix adjoint(const ComplexMatrix &x, size_t n);

/// A matrix as numbers of T: of real ones, the real parts.
template <class T> void numbersOf(const ComplexMatrix &x, T *to) {
  for (size_t e = 0; e < x.size(); ++e)
    if constexpr (kIsComplex<T>)
      to[e] = T(x[e]);
    else
      to[e] = T(x[e].real());
}

} // namespace graphc
