//===- Decompositions.cpp - QR, singular values, eigenvalues ----------------------===//
#include <algorithm>

#include "Matrices.h"
#include "Solvers.h"

namespace graphc {
namespace {

GRAPHC_LAPACK(geqrf, geqrf, geqrf)
GRAPHC_LAPACK(orgqr, orgqr, ungqr)
GRAPHC_LAPACK(gesdd, gesdd, gesdd)
GRAPHC_LAPACK(syevd, syevd, heevd)
GRAPHC_LAPACK(getrf, getrf_work, getrf_work)

template <class T> void scale(T *elements, int64_t count, int64_t stride, T factor) {
  for (int64_t k = 0; k < count; ++k)
    elements[k * stride] *= factor;
}

} // namespace

absl::Status qr(const RoutineCall &call) {
  const bool isComplete = call.parameters[0], givesQ = call.parameters[1];
  const Tensor &r = call.outputs[givesQ];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t m = call.inputs[0].shape()[1], n = call.inputs[0].shape()[2];
    const int64_t least = std::min(m, n), rows = isComplete ? m : least;
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      // Room for the columns of Q that A has not.
      const int64_t width = std::max(n, givesQ ? rows : 0);
      std::vector<T> a(size_t(m * width)), scales(size_t(std::max<int64_t>(least, 1)));
      for (int64_t row = 0; row < m; ++row)
        std::copy_n(from + row * n, n, a.data() + row * width);
      if (!isFinite(from, m * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      auto lda = lapack_int(std::max<int64_t>(width, 1));
      if (least > 0)
        if (absl::Status s = checkInfo(
                geqrf(Precision<T>(), lapack_int(m), lapack_int(n), a.data(), lda, scales.data()));
            !s.ok())
          return s;
      if (!isFinite(scales.data(), least)) { // a column is longer than any number
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      T *upper = matrixOf<T>(r, i);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t c = 0; c < n; ++c)
          upper[row * n + c] = c >= row ? a[size_t(row * width + c)] : T(0);
      if (givesQ && rows > 0) {
        if (absl::Status s = checkInfo(orgqr(Precision<T>(), lapack_int(m), lapack_int(rows),
                                             lapack_int(least), a.data(), lda, scales.data()));
            !s.ok())
          return s;
        T *q = matrixOf<T>(call.outputs[0], i);
        for (int64_t row = 0; row < m; ++row)
          std::copy_n(a.data() + row * width, rows, q + row * rows);
      }
      // LAPACK makes the diagonal real.
      for (int64_t k = 0; k < least; ++k)
        if (std::real(upper[k * n + k]) < 0) {
          scale(upper + k * n + k, n - k, 1, T(-1));
          if (givesQ)
            scale(matrixOf<T>(call.outputs[0], i) + k, m, rows, T(-1));
        }
      return absl::OkStatus();
    });
  });
}

absl::Status svd(const RoutineCall &call) {
  const bool isFull = call.parameters[0], givesVectors = call.parameters[1];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t m = call.inputs[0].shape()[1], n = call.inputs[0].shape()[2];
    const int64_t least = std::min(m, n), left = isFull ? m : least, right = isFull ? n : least;
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      if (!isFinite(from, m * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      auto *s = matrixOf<Real<T>>(call.outputs[givesVectors], i);
      T *u = givesVectors ? matrixOf<T>(call.outputs[0], i) : nullptr;
      T *vt = givesVectors ? matrixOf<T>(call.outputs[2], i) : nullptr;
      if (least == 0) { // what is full is a unit matrix
        for (int64_t k = 0; givesVectors && k < left * left && left == m; ++k)
          u[k] = k % (left + 1) == 0 ? T(1) : T(0);
        for (int64_t k = 0; givesVectors && k < right * right && right == n; ++k)
          vt[k] = k % (right + 1) == 0 ? T(1) : T(0);
        return absl::OkStatus();
      }
      std::vector<T> a(from, from + m * n);
      lapack_int info = gesdd(Precision<T>(),
                              !givesVectors ? 'N'
                              : isFull      ? 'A'
                                            : 'S',
                              lapack_int(m), lapack_int(n), a.data(), lapack_int(n), s, u,
                              lapack_int(left), vt, lapack_int(n));
      if (info > 0)
        return matrixError(call, i, kNoConvergence);
      for (int64_t k = 0; givesVectors && k < least; ++k)
        scale(vt + k * n, n, 1, conjugate(turn(u + k, m, left)));
      return checkInfo(info);
    });
  });
}

/// cof(u s vt) = det(u) det(vt) conj(u) diag(products of the other s) conj(vt).
absl::Status cofactors(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = call.inputs[0].shape()[1];
    const auto rows = lapack_int(n);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      if (!isFinite(from, n * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      if (n == 0)
        return absl::OkStatus();
      std::vector<T> a(from, from + n * n), u(a.size()), vt(a.size());
      std::vector<Real<T>> s(static_cast<size_t>(n));
      lapack_int info = gesdd(Precision<T>(), 'A', rows, rows, a.data(), rows, s.data(), u.data(),
                              rows, vt.data(), rows);
      if (info > 0)
        return matrixError(call, i, kNoConvergence);
      if (absl::Status bad = checkInfo(info); !bad.ok())
        return bad;
      Wide<T> sign = 1;
      for (const std::vector<T> &orthogonal : {u, vt}) {
        std::vector<T> lu = orthogonal;
        std::vector<lapack_int> pivots(static_cast<size_t>(n));
        if (absl::Status bad =
                checkInfo(getrf(Precision<T>(), rows, rows, lu.data(), rows, pivots.data()));
            !bad.ok())
          return bad;
        for (int64_t k = 0; k < n; ++k) {
          Wide<T> u = lu[size_t(k * n + k)];
          sign *= (pivots[size_t(k)] == k + 1 ? u : -u) / std::abs(u);
        }
      }
      T *to = matrixOf<T>(call.outputs[0], i);
      std::fill_n(to, n * n, T(0));
      for (int64_t k = 0; k < n; ++k) {
        Wide<T> others = sign;
        for (int64_t other = 0; other < n; ++other)
          others *= other == k ? 1.0 : double(s[size_t(other)]);
        for (int64_t r = 0; r < n; ++r)
          for (int64_t c = 0; c < n; ++c)
            to[r * n + c] += conjugate(vt[size_t(k * n + c)]) *
                             T(Wide<T>(conjugate(u[size_t(r * n + k)])) * others);
      }
      return absl::OkStatus();
    });
  });
}

absl::Status eigh(const RoutineCall &call) {
  const bool isLower = call.parameters[0], givesVectors = call.parameters[1];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = call.inputs[0].shape()[1];
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      // What is not read may be anything, imaginary parts of the diagonal as well.
      std::vector<T> a(size_t(n * n));
      for (int64_t row = 0; row < n; ++row)
        for (int64_t c = 0; c < n; ++c)
          a[size_t(row * n + c)] = c == row                ? T(std::real(from[row * n + c]))
                                   : (c <= row) == isLower ? from[row * n + c]
                                                           : T(0);
      if (!isFinite(a.data(), n * n)) {
        fillWithNaN(call, i);
        return absl::OkStatus();
      }
      if (n == 0)
        return absl::OkStatus();
      lapack_int info =
          syevd(Precision<T>(), givesVectors ? 'V' : 'N', isLower ? 'L' : 'U', lapack_int(n),
                a.data(), lapack_int(n), matrixOf<Real<T>>(call.outputs[0], i));
      if (info > 0)
        return matrixError(call, i, kNoConvergence);
      for (int64_t k = 0; givesVectors && k < n; ++k)
        turn(a.data() + k, n, n);
      if (givesVectors)
        std::copy(a.begin(), a.end(), matrixOf<T>(call.outputs[1], i));
      return checkInfo(info);
    });
  });
}

} // namespace graphc
