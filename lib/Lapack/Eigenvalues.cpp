//===- Eigenvalues.cpp - of general matrices ------------------------------===//
#include <algorithm>
#include <complex>

// LAPACKE's complex numbers are C's unless told otherwise.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include "Matrices.h"
#include "Solvers.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(geev, geev)

lapack_int geevOf(lapack_int n, char job, std::complex<float> *a, std::complex<float> *w,
                  std::complex<float> *v) {
  return LAPACKE_cgeev(LAPACK_ROW_MAJOR, 'N', job, n, a, n, w, nullptr, n, v, n);
}
lapack_int geevOf(lapack_int n, char job, std::complex<double> *a, std::complex<double> *w,
                  std::complex<double> *v) {
  return LAPACKE_zgeev(LAPACK_ROW_MAJOR, 'N', job, n, a, n, w, nullptr, n, v, n);
}

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

  lapack_int ofComplex(lapack_int n, char job, const T *re, const T *im) {
    const size_t rows = size_t(n);
    std::vector<std::complex<T>> a(rows * rows);
    for (size_t k = 0; k < a.size(); ++k)
      a[k] = {re[k], im[k]};
    values.resize(rows);
    vectors.resize(job == 'V' ? rows * rows : 1);
    return geevOf(n, job, a.data(), values.data(), vectors.data());
  }

  void turn(size_t rows) {
    for (size_t k = 0; k < rows; ++k) {
      std::complex<T> greatest = 0;
      for (size_t r = 0; r < rows; ++r)
        if (std::abs(vectors[r * rows + k]) > std::abs(greatest) * (1 + 8 * kUnit))
          greatest = vectors[r * rows + k];
      if (greatest == std::complex<T>(0))
        continue;
      std::complex<T> phase = std::conj(greatest) / std::abs(greatest);
      for (size_t r = 0; r < rows; ++r)
        vectors[r * rows + k] *= phase;
    }
  }
  /// Elements that differ by rounding are equally great.
  static constexpr T kUnit = std::numeric_limits<T>::epsilon();
};

} // namespace

absl::Status eigenvalues(const RoutineCall &call) {
  const bool givesVectors = call.parameters[0], isComplex = call.inputs.size() > 1;
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = call.inputs[0].shape()[1];
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      if (n == 0)
        return absl::OkStatus();
      bool isFiniteOne = true;
      for (const Tensor &part : call.inputs)
        isFiniteOne &= isFinite(matrixOf<T>(part, i), n * n);
      if (!isFiniteOne) {
        for (const Tensor &result : call.outputs)
          std::fill_n(matrixOf<T>(result, i), result.numElements() / result.shape()[0], T(NAN));
        return absl::OkStatus();
      }
      Eigen<T> eigen;
      const char job = givesVectors ? 'V' : 'N';
      const T *re = matrixOf<T>(call.inputs[0], i);
      lapack_int info =
          isComplex ? eigen.ofComplex(lapack_int(n), job, re, matrixOf<T>(call.inputs[1], i))
                    : eigen.ofReal(lapack_int(n), job, re);
      if (info > 0)
        return matrixError(call, i, kNoConvergence);
      if (givesVectors)
        eigen.turn(size_t(n));
      auto put = [&](size_t result, const std::vector<std::complex<T>> &from, int64_t count) {
        for (int64_t k = 0; k < count; ++k) {
          matrixOf<T>(call.outputs[result], i)[k] = from[size_t(k)].real();
          matrixOf<T>(call.outputs[result + 1], i)[k] = from[size_t(k)].imag();
        }
      };
      put(0, eigen.values, n);
      if (givesVectors)
        put(2, eigen.vectors, n * n);
      return checkInfo(info);
    });
  });
}

} // namespace graphc
