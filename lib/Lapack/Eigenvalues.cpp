//===- Eigenvalues.cpp - of general matrices ------------------------------===//
#include <algorithm>

#include "Matrices.h"
#include "Solvers.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(geev, geev, geev)

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

} // namespace

absl::Status eigenvalues(const RoutineCall &call) {
  const bool givesVectors = call.parameters[0];
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
