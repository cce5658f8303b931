//===- Eigenvalues.cpp - of general matrices ------------------------------===//
#include <algorithm>
#include <limits>

#include "Dense.h"
#include "Matrices.h"
#include "Solvers.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(geev, geev, geev)
GRAPHC_LAPACK(gesv, gesv_work, gesv_work)

/// Values and vectors of one matrix.
template <class T> struct Eigen {
  std::vector<std::complex<T>> values, vectors;

  lapack_int ofReal(lapack_int n, char job, const T *from) {
    const size_t rows = size_t(n);
    std::vector<T> a(from, from + rows * rows), re(rows), im(rows);
    std::vector<T> columns(job == 'V' ? rows * rows : 1);
    lapack_int info = geev(Precision<T>(), 'N', job, n, a.data(), n, re.data(), im.data(),
                           static_cast<T *>(nullptr), n, columns.data(), n);
    for (size_t k = 0; k < rows; ++k)
      values.emplace_back(re[k], im[k]);
    if (job != 'V')
      return info;
    // Of a conjugate pair, the first column is the real part of both vectors, the next one the
    // imaginary part of the first.
    vectors.resize(rows * rows);
    for (size_t r = 0; r < rows; ++r)
      for (size_t k = 0; k < rows; ++k) {
        if (im[k] == 0 || k + 1 == rows) {
          vectors[r * rows + k] = columns[r * rows + k];
          continue;
        }
        std::complex<T> element(columns[r * rows + k], columns[r * rows + k + 1]);
        vectors[r * rows + k] = element;
        vectors[r * rows + ++k] = std::conj(element);
      }
    return info;
  }

  lapack_int ofComplex(lapack_int n, char job, const std::complex<T> *from) {
    const size_t rows = size_t(n);
    using C = std::complex<T>;
    std::vector<C> a(from, from + rows * rows);
    values.resize(rows);
    vectors.resize(job == 'V' ? rows * rows : 1);
    return geev(Precision<C>(), 'N', job, n, a.data(), n, values.data(), static_cast<C *>(nullptr),
                n, vectors.data(), n);
  }
};

/// Whether rounding cannot tell an n x n matrix from one that has fewer eigenvectors than rows. To
/// such a one no other is nearer than about the sine s of the angle between an eigenvector and what
/// the others span, times the distance to the next eigenvalue (J. H. Wilkinson, "On neighbouring
/// matrices with quadratic elementary divisors", Numer. Math. 44 (1984)). Of a double eigenvalue
/// rounding makes two, and of s about the root of a unit; but those of triangles are exact.
template <class T, class C>
bool isDefective(const T *a, size_t n, const std::vector<C> &values, std::vector<C> vectors) {
  const Real<T> unit = std::numeric_limits<Real<T>>::epsilon();
  const std::vector<T> matrix(a, a + n * n);
  Real<T> size = 0;
  const bool isExact = isTriangular(matrix, n, false) || isTriangular(matrix, n, true);
  for (C value : values)
    size = std::max(size, std::abs(value));
  if (!isExact)
    size = Real<T>(norm1(matrix, n));
  std::vector<C> inverse(n * n);
  for (size_t k = 0; k < n; ++k)
    inverse[k * n + k] = 1;
  const auto rows = lapack_int(n);
  std::vector<lapack_int> pivots(n);
  if (gesv(Precision<C>(), rows, rows, vectors.data(), rows, pivots.data(), inverse.data(), rows) !=
      0)
    return true;
  for (size_t k = 0; k < n; ++k) {
    Real<T> square = 0, gap = std::numeric_limits<Real<T>>::infinity();
    for (size_t j = 0; j < n; ++j) {
      square += std::norm(inverse[k * n + j]);
      if (j != k)
        gap = std::min(gap, std::abs(values[j] - values[k]));
    }
    const Real<T> sine = 1 / std::sqrt(square);
    if (n > 1 && sine <= 16 * std::sqrt(unit) && (isExact ? gap : sine * gap) <= 8 * unit * size)
      return true;
  }
  return false;
}

} // namespace

absl::Status eigenvalues(const RoutineCall &call) {
  const bool givesVectors = call.parameters[0] != 0, isChecked = call.parameters[0] == 2;
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    using C = std::complex<Real<T>>;
    const int64_t n = call.inputs[0].shape()[1];
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      if (n == 0)
        return absl::OkStatus();
      const T *from = matrixOf<T>(call.inputs[0], i);
      if (!isFinite(from, n * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      Eigen<Real<T>> eigen;
      const char job = givesVectors ? 'V' : 'N';
      lapack_int info = 0;
      if constexpr (kIsComplex<T>)
        info = eigen.ofComplex(lapack_int(n), job, from);
      else
        info = eigen.ofReal(lapack_int(n), job, from);
      if (info > 0)
        return matrixError(call, i, kNoConvergence);
      if (isChecked && isDefective(from, size_t(n), eigen.values, eigen.vectors))
        return matrixError(call, i, "has fewer eigenvectors than rows, or almost: it is defective");
      std::copy(eigen.values.begin(), eigen.values.end(), matrixOf<C>(call.outputs[0], i));
      for (int64_t k = 0; givesVectors && k < n; ++k)
        turn(eigen.vectors.data() + k, n, n);
      if (givesVectors)
        std::copy(eigen.vectors.begin(), eigen.vectors.end(), matrixOf<C>(call.outputs[1], i));
      return checkInfo(info);
    });
  });
}

} // namespace graphc
