//===- Schur.cpp ----------------------------------------------------------------===//
#include "Schur.h"

#include <algorithm>

namespace graphc {

lapack_int schur(ComplexMatrix a, size_t n, Schur &result) {
  result.unitary.assign(n * n, Complex());
  // LAPACK would scale a triangular matrix of elements that are far apart, and lose the small ones.
  const bool isUpper = isTriangular(a, n, false);
  if (isUpper || isTriangular(a, n, true)) {
    if (!isUpper) // in reverse order it is an upper one
      std::reverse(a.begin(), a.end());
    for (size_t k = 0; k < n; ++k)
      result.unitary[k * n + (isUpper ? k : n - 1 - k)] = 1;
    result.triangular = std::move(a);
    return 0;
  }
  ComplexMatrix values(n);
  lapack_int found = 0, rows = lapack_int(n);
  lapack_int info = LAPACKE_zgees(LAPACK_ROW_MAJOR, 'V', 'N', nullptr, rows, a.data(), rows, &found,
                                  values.data(), result.unitary.data(), rows);
  result.triangular = std::move(a);
  return info;
}

ComplexMatrix adjoint(const ComplexMatrix &x, size_t n) {
  ComplexMatrix y(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      y[j * n + i] = std::conj(x[i * n + j]);
  return y;
}

} // namespace graphc
