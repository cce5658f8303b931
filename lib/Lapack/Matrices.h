//===- Lapack/Matrices.h - batches of matrices for LAPACK ----------*- C++ -*-===//
//
// Of real or complex numbers: complex ones are pairs of their parts in real arrays, which have one
// axis of 2 more.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <complex>
#include <cstdlib>

// LAPACKE's complex numbers are C's unless told otherwise.
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <cmath>
#include <string>
#include <vector>

#include "Routines/Lapack.h"
#include "Runtime/ThreadPool.h"
#include "absl/functional/function_ref.h"
#include "graphc/Status.h"

namespace graphc {

template <class T> struct Precision {};

#define GRAPHC_LAPACK_OF(LAYOUT, NAME, TYPE, FUNCTION)                                             \
  template <class... A> lapack_int NAME(Precision<TYPE>, A... arguments) {                         \
    return LAPACKE_##FUNCTION(LAYOUT, arguments...);                                               \
  }
/// LAPACK's functions for real and for complex numbers, of both precisions, on matrices of a
/// layout, as NAME.
#define GRAPHC_LAPACK_IN(LAYOUT, NAME, REAL, COMPLEX)                                              \
  GRAPHC_LAPACK_OF(LAYOUT, NAME, float, s##REAL)                                                   \
  GRAPHC_LAPACK_OF(LAYOUT, NAME, double, d##REAL)                                                  \
  GRAPHC_LAPACK_OF(LAYOUT, NAME, std::complex<float>, c##COMPLEX)                                  \
  GRAPHC_LAPACK_OF(LAYOUT, NAME, std::complex<double>, z##COMPLEX)
/// On row-major ones: LAPACKE transposes them element by element, at each call, there and back.
#define GRAPHC_LAPACK(NAME, REAL, COMPLEX) GRAPHC_LAPACK_IN(LAPACK_ROW_MAJOR, NAME, REAL, COMPLEX)

/// float or double of a real or complex type.
template <class T> struct RealPart {
  using Type = T;
};
template <class T> struct RealPart<std::complex<T>> {
  using Type = T;
};
template <class T> using Real = typename RealPart<T>::Type;
template <class T> inline constexpr bool kIsComplex = !std::is_same_v<Real<T>, T>;
/// What numbers of T are computed in where one precision does.
template <class T> using Wide = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;

/// A real number is its own conjugate.
template <class T> T conjugate(T x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}

/// Matrix i of an operand or result, (batch, m, n) or (batch, n) or (batch).
template <class T> T *matrixOf(const Tensor &t, int64_t i) {
  int64_t bytes = byteSize(t.dtype());
  for (int64_t extent : t.shape().subspan(1))
    bytes *= extent;
  return reinterpret_cast<T *>(static_cast<char *>(const_cast<void *>(t.data())) + i * bytes);
}

template <class T> bool isFinite(const T *elements, int64_t count) {
  // Parts of complex numbers lie one after the other. The sum of 0 x is 0 or NaN, and needs no
  // branch.
  const auto *parts = reinterpret_cast<const Real<T> *>(elements);
  Real<T> sum = 0;
  for (int64_t i = 0; i < count * (kIsComplex<T> ? 2 : 1); ++i)
    sum += parts[i] * Real<T>(0);
  return sum == 0;
}

/// Results of a matrix that has elements without a value: NaNs. Integers stay as they are.
void fillWithNaN(const RoutineCall &call, int64_t i);

/// OK, or what LAPACK's result says that has nothing to do with the matrix.
absl::Status checkInfo(lapack_int info);
/// LinAlgError about matrix i: "the matrix is singular", "matrix 2 of 5 is singular".
absl::Status matrixError(const RoutineCall &call, int64_t i, std::string_view what);

/// Does `one` for each matrix of the batch, on several threads where there are several: the error
/// of the first that fails. ValueError for matrices that LAPACK cannot count.
absl::Status forMatrices(const RoutineCall &call, absl::FunctionRef<absl::Status(int64_t i)> one);

/// `run` with a value of the operands' type: float, double, or a complex number of them.
template <class F> absl::Status inPrecision(const RoutineCall &call, F &&run) {
  const Tensor &first = call.inputs[0]; // (batch, m, n), and pairs
  const bool isComplex = first.rank() == 4;
  if (first.dtype() == DType::Float32)
    return isComplex ? run(std::complex<float>()) : run(float());
  return isComplex ? run(std::complex<double>()) : run(double());
}

/// Makes the first of the greatest elements of a column positive, real where it is complex, and
/// gives the number of length 1 by which it was multiplied.
template <class T> T turn(T *column, int64_t rows, int64_t stride) {
  int64_t first = 0;
  Real<T> greatest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    // Complex elements that differ by rounding are equally great (lib/Ops/Phases.h).
    constexpr Real<T> kSlack = kIsComplex<T> ? 8 * std::numeric_limits<Real<T>>::epsilon() : 0;
    if (Real<T> own = std::abs(column[r * stride]); own > greatest * (1 + kSlack))
      first = r, greatest = own;
  }
  if (greatest == 0)
    return T(1);
  T phase = conjugate(column[first * stride]) / greatest;
  if (phase == T(1))
    return phase;
  for (int64_t r = 0; r < rows; ++r)
    column[r * stride] *= phase;
  column[first * stride] = greatest;
  return phase;
}

} // namespace graphc
