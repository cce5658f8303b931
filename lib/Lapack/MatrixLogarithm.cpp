//===- MatrixLogarithm.cpp - log(A) by inverse scaling and squaring ----------------===//
//
// N. J. Higham, Functions of Matrices (SIAM 2008), chapter 11: of a triangular form square roots
// are taken (Björck and Hammarling) until it is near the unit matrix, where the logarithm's Padé
// approximant, as a sum over the nodes of Gauss and Legendre, is as good as float64. In float64 for
// float32, too.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>

#include "Schur.h"
#include "Solvers.h"

namespace graphc {
namespace {

/// Nodes and weights in [0, 1]: the approximant of degree 8.
constexpr double kNodes[] = {0.019855071751231912, 0.10166676129318664, 0.2372337950418355,
                             0.4082826787521751,   0.5917173212478248,  0.7627662049581645,
                             0.8983332387068134,   0.9801449282487681};
constexpr double kWeights[] = {0.050614268145188344, 0.11119051722668717, 0.15685332293894352,
                               0.18134189168918088,  0.18134189168918088, 0.15685332293894352,
                               0.11119051722668717,  0.050614268145188344};
/// Below Higham's bound for degree 7 (table 11.1), 0.264.
constexpr double kNear = 0.25;
/// Of a matrix of normal numbers some ten are enough.
constexpr int kMostRoots = 100;

/// t - I.
ComplexMatrix lessUnit(ComplexMatrix t, size_t n) {
  for (size_t k = 0; k < n; ++k)
    t[k * n + k] -= 1;
  return t;
}

/// The square root of an upper triangular matrix whose elements on the diagonal have one.
ComplexMatrix rootOf(const ComplexMatrix &t, size_t n) {
  ComplexMatrix r(n * n);
  for (size_t j = 0; j < n; ++j) {
    r[j * n + j] = std::sqrt(t[j * n + j]);
    for (size_t i = j; i-- > 0;) {
      Complex rest = t[i * n + j];
      for (size_t k = i + 1; k < j; ++k)
        rest -= r[i * n + k] * r[k * n + j];
      r[i * n + j] = rest / (r[i * n + i] + r[j * n + j]);
    }
  }
  return r;
}

/// Adds weight (I + node x)^-1 x of an upper triangular x.
void addTerm(const ComplexMatrix &x, size_t n, double node, double weight, ComplexMatrix &sum) {
  ComplexMatrix y = x;
  for (size_t i = n; i-- > 0;)
    for (size_t j = i; j < n; ++j) {
      for (size_t k = i + 1; k <= j; ++k)
        y[i * n + j] -= node * x[i * n + k] * y[k * n + j];
      y[i * n + j] /= 1.0 + node * x[i * n + i];
    }
  for (size_t e = 0; e < n * n; ++e)
    sum[e] += weight * y[e];
}

/// The logarithm of an upper triangular matrix; false where it has none.
bool logarithm(ComplexMatrix t, size_t n, ComplexMatrix &result) {
  std::vector<Complex> diagonal(n);
  for (size_t k = 0; k < n; ++k) {
    if (t[k * n + k] == 0.0)
      return false;
    diagonal[k] = std::log(t[k * n + k]);
  }
  int roots = 0;
  for (; roots < kMostRoots && norm1(lessUnit(t, n), n) > kNear; ++roots)
    t = rootOf(t, n);
  result.assign(n * n, Complex());
  ComplexMatrix x = lessUnit(std::move(t), n);
  for (size_t k = 0; k < std::size(kNodes); ++k)
    addTerm(x, n, kNodes[k], kWeights[k], result);
  for (Complex &element : result)
    element *= std::ldexp(1.0, roots);
  for (size_t k = 0; k < n; ++k)
    result[k * n + k] = diagonal[k];
  return true;
}

} // namespace

absl::Status matrixLogarithm(const RoutineCall &call) {
  return inPrecision(call, [&](auto zero) {
    using T = decltype(zero);
    const auto n = size_t(call.inputs[0].shape()[1]);
    return forMatrices(call, [&](int64_t i) -> absl::Status {
      const T *from = matrixOf<T>(call.inputs[0], i);
      T *to = matrixOf<T>(call.outputs[0], i);
      if (n == 0)
        return absl::OkStatus();
      fillWithNaN(call, i);
      if (!isFinite(from, int64_t(n * n)))
        return absl::OkStatus();
      Schur form;
      lapack_int info = schur(ComplexMatrix(from, from + n * n), n, form);
      if (info > 0)
        return matrixError(call, i, "has eigenvalues to which the iteration does not converge");
      if (absl::Status bad = checkInfo(info); !bad.ok())
        return bad;
      ComplexMatrix result;
      if (!logarithm(std::move(form.triangular), n, result))
        return absl::OkStatus();
      double turns = 0; // of all eigenvalues, which no change of the basis rounds away
      for (size_t i = 0; i < n; ++i)
        turns += result[i * n + i].imag();
      result = product(product(form.unitary, result, n, n, n), adjoint(form.unitary, n), n, n, n);
      // Of a real matrix eigenvalues come in pairs, or one of them is negative: then its logarithm
      // is not real.
      double real = 0, imaginary = 0;
      for (Complex z : result) {
        real = std::max(real, std::fabs(z.real()));
        imaginary = std::max(imaginary, std::fabs(z.imag()));
      }
      if (kIsComplex<T> || (std::fabs(turns) < 1 && imaginary <= 1e-6 * std::max(1.0, real)))
        numbersOf(result, to);
      return absl::OkStatus();
    });
  });
}

} // namespace graphc
