//===- Lapack/Matrices.h - batches of matrices for LAPACK ----------*- C++ -*-===//
#pragma once

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

/// LAPACK's FUNCTION for float and double, on matrices of a layout, as NAME.
#define GRAPHC_LAPACK_IN(LAYOUT, NAME, FUNCTION)                                                   \
  template <class... A> lapack_int NAME(Precision<float>, A... arguments) {                        \
    return LAPACKE_s##FUNCTION(LAYOUT, arguments...);                                              \
  }                                                                                                \
  template <class... A> lapack_int NAME(Precision<double>, A... arguments) {                       \
    return LAPACKE_d##FUNCTION(LAYOUT, arguments...);                                              \
  }
/// On row-major ones: LAPACKE transposes them element by element, at each call, there and back.
#define GRAPHC_LAPACK(NAME, FUNCTION) GRAPHC_LAPACK_IN(LAPACK_ROW_MAJOR, NAME, FUNCTION)

/// Matrix i of an operand or result, (batch, m, n) or (batch, n) or (batch).
template <class T> T *matrixOf(const Tensor &t, int64_t i) {
  int64_t size = 1;
  for (int64_t extent : t.shape().subspan(1))
    size *= extent;
  return static_cast<T *>(const_cast<void *>(t.data())) + i * size;
}

template <class T> bool isFinite(const T *elements, int64_t count) {
  // The sum of 0 x is 0 or NaN, and needs no branch.
  T sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += elements[i] * T(0);
  return sum == 0;
}

/// OK, or what LAPACK's result says that has nothing to do with the matrix.
absl::Status checkInfo(lapack_int info);
/// LinAlgError about matrix i: "the matrix is singular", "matrix 2 of 5 is singular".
absl::Status matrixError(const RoutineCall &call, int64_t i, std::string_view what);

/// Does `one` for each matrix of the batch, on several threads where there are several: the error
/// of the first that fails. ValueError for matrices that LAPACK cannot count.
absl::Status forMatrices(const RoutineCall &call, absl::FunctionRef<absl::Status(int64_t i)> one);

/// `run` with a value of the operands' type, float or double.
template <class F> absl::Status inPrecision(const RoutineCall &call, F &&run) {
  if (call.inputs[0].dtype() == DType::Float32)
    return run(float());
  return run(double());
}

} // namespace graphc
