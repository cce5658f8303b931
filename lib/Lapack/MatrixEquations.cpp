//===- MatrixEquations.cpp - a x + x b = q and x - a x b = q -----------------------===//
//
// R. H. Bartels and G. W. Stewart, "Solution of the matrix equation AX + XB = C", Comm. ACM 15
// (1972), on complex triangular forms, where both equations are solved column by column. In float64
// for float32, too.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <limits>

#include "Schur.h"
#include "Solvers.h"

namespace graphc {
namespace {

/// y with s y + y t = f, or y - s y t = f, of upper triangular s (m x m) and t (n x n), in the
/// place of f. False where a divisor cannot be told from 0.
bool solveTriangular(const ComplexMatrix &s, const ComplexMatrix &t, ComplexMatrix &f, size_t m,
                     size_t n, bool isDiscrete) {
  auto greatest = [](const ComplexMatrix &x) {
    double most = 0;
    for (Complex element : x)
      most = std::max(most, std::abs(element));
    return most;
  };
  const double ofS = greatest(s), ofT = greatest(t);
  const double least = std::numeric_limits<double>::epsilon() *
                       (isDiscrete ? std::max(1.0, ofS * ofT) : std::max(ofS, ofT));
  std::vector<Complex> column(m), known(m);
  for (size_t j = 0; j < n; ++j) {
    // What the columns before have to do with this one.
    std::fill(known.begin(), known.end(), Complex());
    for (size_t i = 0; i < m; ++i)
      for (size_t k = 0; k < j; ++k)
        known[i] += f[i * n + k] * t[k * n + j];
    for (size_t i = 0; i < m; ++i) {
      column[i] = f[i * n + j] - (isDiscrete ? Complex() : known[i]);
      for (size_t k = i; isDiscrete && k < m; ++k)
        column[i] += s[i * m + k] * known[k];
    }
    const Complex own = t[j * n + j];
    for (size_t i = m; i-- > 0;) {
      for (size_t k = i + 1; k < m; ++k)
        column[i] -= (isDiscrete ? -own * s[i * m + k] : s[i * m + k]) * column[k];
      Complex divisor = isDiscrete ? 1.0 - own * s[i * m + i] : s[i * m + i] + own;
      if (std::abs(divisor) <= least)
        return false;
      column[i] /= divisor;
    }
    for (size_t i = 0; i < m; ++i)
      f[i * n + j] = column[i];
  }
  return true;
}

} // namespace

absl::Status solveSylvester(const RoutineCall &call) {
  const bool isDiscrete = call.parameters[0];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto m = size_t(call.inputs[2].shape()[1]), n = size_t(call.inputs[2].shape()[2]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *a = matrixOf<T>(call.inputs[0], i), *b = matrixOf<T>(call.inputs[1], i);
      const T *q = matrixOf<T>(call.inputs[2], i);
      T *x = matrixOf<T>(call.outputs[0], i);
      if (m == 0 || n == 0)
        return absl::OkStatus();
      if (!isFinite(a, int64_t(m * m)) || !isFinite(b, int64_t(n * n)) ||
          !isFinite(q, int64_t(m * n))) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      Schur left, right;
      for (lapack_int info : {schur(ComplexMatrix(a, a + m * m), m, left),
                              schur(ComplexMatrix(b, b + n * n), n, right)}) {
        if (info > 0)
          return matrixError(call, i, "has eigenvalues to which the iteration does not converge");
        if (absl::Status bad = checkInfo(info); !bad.ok())
          return bad;
      }
      ComplexMatrix f =
          product(product(adjoint(left.unitary, m), ComplexMatrix(q, q + m * n), m, m, n),
                  right.unitary, m, n, n);
      if (!solveTriangular(left.triangular, right.triangular, f, m, n, isDiscrete))
        return matrixError(call, i,
                           isDiscrete ? "has an eigenvalue that is the reciprocal of one of b's"
                                      : "has an eigenvalue that is the negative of one of b's");
      f = product(product(left.unitary, f, m, m, n), adjoint(right.unitary, n), m, n, n);
      numbersOf(f, x);
      return absl::OkStatus();
    });
  });
}

} // namespace graphc
