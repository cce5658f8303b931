//===- Schur.cpp ----------------------------------------------------------------===//
#include "Schur.h"

#include <algorithm>

namespace graphc {

lapack_int schur(ComplexMatrix a, size_t n, Schur &result) {
  result.unitary.resize(n * n);
  ComplexMatrix values(n);
  lapack_int found = 0, rows = lapack_int(n);
  // Elements of std::complex are laid out as LAPACK's.
  auto data = [](ComplexMatrix &m) { return reinterpret_cast<lapack_complex_double *>(m.data()); };
  lapack_int info = LAPACKE_zgees(LAPACK_ROW_MAJOR, 'V', 'N', nullptr, rows, data(a), rows, &found,
                                  data(values), data(result.unitary), rows);
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
