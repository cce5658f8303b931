//===- Solvers.cpp - triangular and general systems, determinants ----------------===//
#include "Solvers.h"

#include <algorithm>
#include <utility>

#include "Dense.h"
#include "Elimination.h"

namespace graphc {
namespace {

GRAPHC_LAPACK_IN(LAPACK_COL_MAJOR, potrf, potrf_work, potrf_work)
GRAPHC_LAPACK_IN(LAPACK_COL_MAJOR, potrs, potrs_work, potrs_work)
GRAPHC_LAPACK_IN(LAPACK_COL_MAJOR, trtrs, trtrs_work, trtrs_work)
GRAPHC_LAPACK_IN(LAPACK_COL_MAJOR, getrf, getrf_work, getrf_work)
GRAPHC_LAPACK_IN(LAPACK_COL_MAJOR, getrs, getrs_work, getrs_work)
GRAPHC_LAPACK(sysv, sysv_work, sysv_work)

char triangle(bool isLower) { return isLower ? 'L' : 'U'; }
/// By columns a row-major matrix is its transpose, and its triangle the other one: what is
/// symmetric, or can be told to be transposed, needs no copy.
char triangleByColumns(bool isLower) { return triangle(!isLower); }

/// The other triangle is not looked at.
template <class T> bool isTriangleFinite(lapack_int n, bool isLower, const T *a) {
  for (lapack_int r = 0; r < n; ++r)
    if (!isFinite(a + int64_t(r) * n + (isLower ? 0 : r), isLower ? r + 1 : n - r))
      return false;
  return true;
}

/// Solutions in the place of `k` right sides, whose NaNs are theirs. LAPACK's.
template <class T>
lapack_int solveSymmetric(lapack_int n, lapack_int k, bool isLower, T *a, T *sides) {
  std::vector<lapack_int> pivots(size_t(n), 0);
  std::vector<T> work(1);
  lapack_int info = 0;
  for (lapack_int size : {-1, 0}) { // how much it wants, then the work
    info = sysv(Precision<T>(), triangle(isLower), n, k, a, std::max(n, 1), pivots.data(), sides,
                std::max(k, 1), work.data(), size < 0 ? -1 : lapack_int(work.size()));
    if (info == 0 && size < 0)
      work.resize(size_t(std::max(std::real(work[0]), Real<T>(1))));
  }
  return info;
}

/// LU factors of a matrix, by columns.
template <class T> struct Lu {
  std::vector<T> factors;
  std::vector<lapack_int> pivots;
  lapack_int info;        ///< LAPACK's
  bool isDivided = false; ///< by `eliminate`, not by LAPACK

  Lu(const T *a, lapack_int n) : factors(size_t(n) * size_t(n)), pivots(size_t(n)) {
    transpose(a, n, n, factors.data());
    info = getrf(Precision<T>(), n, n, factors.data(), std::max(n, 1), pivots.data());
    isDivided = hasSubnormal(factors.data(), pivots.size(), pivots.size() + 1);
    if (!isDivided)
      return;
    std::vector<T> rows(a, a + factors.size());
    pivots = eliminate(rows.data(), pivots.size(), pivots.size());
    transpose(rows.data(), n, n, factors.data());
    info = 0;
    for (size_t k = 0; k < pivots.size() && info == 0; ++k)
      if (factors[k * (pivots.size() + 1)] == T(0))
        info = lapack_int(k) + 1;
  }
  /// The k columns of `b`, which stand one after the other, become those of a^-1 b.
  lapack_int solve(lapack_int k, T *b) const {
    const auto n = lapack_int(pivots.size());
    if (!isDivided)
      return getrs(Precision<T>(), 'N', n, k, factors.data(), std::max(n, 1), pivots.data(), b,
                   std::max(n, 1));
    const size_t rows = pivots.size();
    auto at = [&](size_t i, size_t j) { return factors[j * rows + i]; };
    for (T *column = b; column != b + int64_t(n) * k; column += n) {
      for (size_t r = 0; r < rows; ++r)
        std::swap(column[r], column[pivots[r] - 1]);
      substitute(rows, true, true, at, column);
      substitute(rows, false, false, at, column);
    }
    return 0;
  }
};

/// Exchanges of rows that make the sign of the determinant change.
bool isOdd(const std::vector<lapack_int> &pivots) {
  bool odd = false;
  for (size_t k = 0; k < pivots.size(); ++k)
    odd ^= pivots[k] != lapack_int(k) + 1;
  return odd;
}

/// x = what `solve` makes of the columns of b, both (n, k); its result.
template <class T, class F>
lapack_int byColumns(lapack_int n, lapack_int k, const T *b, T *x, F &&solve) {
  std::vector<T> columns(size_t(n) * size_t(k));
  transpose(b, n, k, columns.data());
  lapack_int info = solve(columns.data());
  transpose(columns.data(), k, n, x);
  return info;
}

template <class T> void conjugateAll(T *elements, int64_t count) {
  if constexpr (kIsComplex<T>)
    std::transform(elements, elements + count, elements, conjugate<T>);
}

constexpr std::string_view kSingular = "is singular";
constexpr std::string_view kNotPositive = "is not positive definite";

} // namespace

absl::Status cholesky(const RoutineCall &call) {
  const bool isLower = call.parameters[0], givesNaN = call.parameters[1];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const lapack_int n = lapack_int(call.inputs[0].shape()[1]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *a = matrixOf<T>(call.inputs[0], i);
      T *l = matrixOf<T>(call.outputs[0], i);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = 0; c < n; ++c)
          l[r * n + c] = r == c               ? T(std::real(a[r * n + c]))
                         : isLower == (c < r) ? a[r * n + c]
                                              : T(0);
      lapack_int info = potrf(Precision<T>(), triangleByColumns(isLower), n, l, std::max(n, 1));
      if (info > 0 && givesNaN)
        fillWithNaN(call, i);
      else if (info > 0)
        return matrixError(call, i, kNotPositive);
      return checkInfo(info);
    });
  });
}

absl::Status solveTriangular(const RoutineCall &call) {
  const bool isLower = call.parameters[0], isTransposed = call.parameters[1],
             isUnit = call.parameters[2];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = lapack_int(call.inputs[1].shape()[1]), k = lapack_int(call.inputs[1].shape()[2]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *a = matrixOf<T>(call.inputs[0], i);
      const auto rows = size_t(n);
      const bool isDivided = !isUnit && hasSubnormal(a, rows, rows + 1);
      auto at = [&](size_t r, size_t c) {
        return isTransposed ? a[c * rows + r] : a[r * rows + c];
      };
      auto solved = [&](T *columns) -> lapack_int {
        if (!isDivided)
          return trtrs(Precision<T>(), triangleByColumns(isLower), isTransposed ? 'N' : 'T',
                       isUnit ? 'U' : 'N', n, k, a, std::max(n, 1), columns, std::max(n, 1));
        for (size_t r = 0; r < rows; ++r)
          if (a[r * (rows + 1)] == T(0))
            return lapack_int(r) + 1;
        for (T *column = columns; column != columns + int64_t(n) * k; column += n)
          substitute(rows, isLower != isTransposed, false, at, column);
        return 0;
      };
      lapack_int info =
          byColumns(n, k, matrixOf<T>(call.inputs[1], i), matrixOf<T>(call.outputs[0], i), solved);
      return info > 0 ? matrixError(call, i, kSingular) : checkInfo(info);
    });
  });
}

/// x = a^-1 b of (n, n) and (n, k); LAPACK's result.
template <class T>
static lapack_int solveGeneral(lapack_int n, lapack_int k, const T *a, const T *b, T *x) {
  Lu<T> lu(a, n);
  if (lu.info != 0)
    return lu.info;
  return byColumns(n, k, b, x, [&](T *columns) { return lu.solve(k, columns); });
}

absl::Status solve(const RoutineCall &call) {
  const auto kind = MatrixKind(call.parameters[0]);
  const bool isLower = call.parameters[1];
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = lapack_int(call.inputs[1].shape()[1]), k = lapack_int(call.inputs[1].shape()[2]);
    const lapack_int rows = std::max(n, 1);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i), *b = matrixOf<T>(call.inputs[1], i);
      T *x = matrixOf<T>(call.outputs[0], i);
      lapack_int info = 0;
      if (kind == MatrixKind::General) {
        info = solveGeneral(n, k, from, b, x);
      } else {
        std::vector<T> a(from, from + int64_t(n) * n);
        if (kind == MatrixKind::Positive) {
          for (int64_t r = 0; r < n; ++r)
            a[size_t(r * n + r)] = std::real(a[size_t(r * n + r)]);
          info = potrf(Precision<T>(), triangleByColumns(isLower), n, a.data(), rows);
          if (info == 0)
            info = byColumns(n, k, b, x, [&](T *columns) {
              // By columns a Hermitian matrix is its conjugate, which has conjugate solutions.
              conjugateAll(columns, int64_t(n) * k);
              lapack_int info = potrs(Precision<T>(), triangleByColumns(isLower), n, k, a.data(),
                                      rows, columns, rows);
              conjugateAll(columns, int64_t(n) * k);
              return info;
            });
        } else if (!isTriangleFinite(n, isLower, a.data())) {
          fillWithNaN(call, i);
        } else {
          std::copy_n(b, int64_t(n) * k, x);
          info = solveSymmetric(n, k, isLower, a.data(), x);
        }
      }
      if (info > 0)
        return matrixError(call, i, kind == MatrixKind::Positive ? kNotPositive : kSingular);
      return checkInfo(info);
    });
  });
}

absl::Status inverse(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = lapack_int(call.inputs[0].shape()[1]);
    std::vector<T> identity(size_t(n) * size_t(n));
    for (size_t k = 0; k < size_t(n); ++k)
      identity[k * size_t(n) + k] = 1;
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      lapack_int info = solveGeneral<T>(n, n, matrixOf<T>(call.inputs[0], i), identity.data(),
                                        matrixOf<T>(call.outputs[0], i));
      return info > 0 ? matrixError(call, i, kSingular) : checkInfo(info);
    });
  });
}

/// Calls `take(i, diagonal of U, whether rows were exchanged an odd number of times)`.
template <class T, class F> static absl::Status withDiagonal(const RoutineCall &call, F &&take) {
  const auto n = lapack_int(call.inputs[0].shape()[1]);
  return forMatrices(call, [&](int64_t i) -> absl::Status {
    const T *from = matrixOf<T>(call.inputs[0], i);
    auto takeOf = [&](const std::vector<T> &factors, bool odd) {
      std::vector<T> diagonal;
      for (int64_t k = 0; k < n; ++k)
        diagonal.push_back(factors[size_t(k * n + k)]);
      take(i, diagonal, odd);
      return absl::OkStatus();
    };
    if constexpr (kIsComplex<T>)
      if (!isFinite(from, int64_t(n) * n)) {
        std::vector<T> a(from, from + int64_t(n) * n);
        const std::vector<lapack_int> pivots = eliminate(a.data(), size_t(n), size_t(n));
        return takeOf(a, isOdd(pivots));
      }
    const Lu<T> lu(from, n);
    if (absl::Status s = checkInfo(lu.info); !s.ok())
      return s;
    return takeOf(lu.factors, isOdd(lu.pivots));
  });
}

absl::Status determinant(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    return withDiagonal<T>(call, [&](int64_t i, const std::vector<T> &diagonal, bool odd) {
      Wide<T> product = odd ? -1 : 1;
      for (T u : diagonal)
        product = productOf(product, Wide<T>(u));
      *matrixOf<T>(call.outputs[0], i) = T(product);
    });
  });
}

absl::Status logDeterminant(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    return withDiagonal<T>(call, [&](int64_t i, const std::vector<T> &diagonal, bool odd) {
      Wide<T> sign = odd ? -1 : 1;
      double sum = 0;
      for (T number : diagonal) {
        const Wide<T> u = number;
        const double size = std::abs(u);
        if constexpr (kIsComplex<T>)
          sign =
              size == 0 ? Wide<T>(0) : productOf(sign, u.imag() == 0 ? u.real() / size : u / size);
        else
          sign = u > 0 ? sign : u < 0 ? -sign : u; // 0, and NaN
        sum += std::log(size);
      }
      *matrixOf<T>(call.outputs[0], i) = T(sign);
      *matrixOf<Real<T>>(call.outputs[1], i) = Real<T>(sum);
    });
  });
}

} // namespace graphc
