//===- Hypergeometric.cpp - Gauss' function 2F1 of real numbers --------------------------===//
//
// Abramowitz and Stegun, chapter 15: the power series up to 3/4, beyond it the transformations to
// 1 - z (15.3.6, 15.3.10, 15.3.11), and for negative z that to z / (z - 1) (15.3.4).
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

bool isPole(Real x) { return x <= 0 && x == std::floor(x); }

/// Up to some 1 / (1 - z) times 45 terms.
constexpr int64_t kMostTerms = 4'000'000;
constexpr Real kSettled = 1e-20L;

/// The power series; it ends by itself where a or b is a pole.
Real series(Real a, Real b, Real c, Real z) {
  Real term = 1, sum = 1;
  for (int64_t n = 0; n < kMostTerms; ++n) {
    term *= (a + Real(n)) * (b + Real(n)) / ((c + Real(n)) * Real(n + 1)) * z;
    sum += term;
    // Terms may grow at first.
    if (term == 0 || (std::fabs(term) <= kSettled * std::fabs(sum) &&
                      Real(n) > std::fabs(a) + std::fabs(b) + std::fabs(c)))
      return sum;
  }
  return kNone;
}

Real digammaOf(Real x) { return boost::math::digamma(x, Quiet()); }

/// At z near 1, where c - a - b = m = 0, 1, ...; a and b and both plus m are no poles.
Real logarithmic(Real a, Real b, int64_t m, Real z) {
  const Real y = 1 - z, c = a + b + Real(m);
  Real finite = 0, term = 1;
  for (int64_t n = 0; n < m; ++n) {
    finite += term;
    term *= (a + Real(n)) * (b + Real(n)) / (Real(n + 1) * (Real(n + 1 - m))) * y;
  }
  if (m > 0)
    finite *= gamma(Real(m)) * gamma(c) / (gamma(a + Real(m)) * gamma(b + Real(m)));
  term = std::pow(-y, Real(m)) / gamma(Real(m + 1));
  Real sum = 0;
  for (int64_t n = 0; n < kMostTerms; ++n) {
    Real k = Real(n);
    Real factor = std::log(y) - digammaOf(k + 1) - digammaOf(k + Real(m) + 1) +
                  digammaOf(a + k + Real(m)) + digammaOf(b + k + Real(m));
    sum += term * factor;
    if (std::fabs(term * factor) <= kSettled * std::fabs(sum) && n > 2)
      break;
    term *= (a + Real(m) + k) * (b + Real(m) + k) / ((k + 1) * (k + 1 + Real(m))) * y;
  }
  return finite - gamma(c) / (gamma(a) * gamma(b)) * sum;
}

/// 1 / Gamma, which has no poles.
Real inverseGamma(Real x) { return isPole(x) ? 0 : 1 / gamma(x); }

/// For 3/4 < z < 1.
Real nearOne(Real a, Real b, Real c, Real z) {
  const Real s = c - a - b, nearest = std::round(s);
  if (s == nearest) {
    if (s >= 0)
      return logarithmic(a, b, int64_t(s), z);
    return std::pow(1 - z, s) * logarithmic(c - a, c - b, int64_t(-s), z);
  }
  // The two terms below are of the size 1 / distance, and cancel.
  if (std::fabs(s - nearest) < 1e-3L)
    return series(a, b, c, z);
  return gamma(c) *
         (gamma(s) * inverseGamma(c - a) * inverseGamma(c - b) * series(a, b, 1 - s, 1 - z) +
          std::pow(1 - z, s) * gamma(-s) * inverseGamma(a) * inverseGamma(b) *
              series(c - a, c - b, 1 + s, 1 - z));
}

} // namespace

Real hypergeometric(Real a, Real b, Real c, Real z) {
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(z))
    return kNone;
  if (isPole(a) || isPole(b)) {
    // A polynomial of degree -a or -b; it must end before c's pole.
    Real degree = isPole(a) && (!isPole(b) || a > b) ? -a : -b;
    return isPole(c) && -c < degree ? kInfinity : series(a, b, c, z);
  }
  if (isPole(c))
    return kInfinity;
  if (z == 0)
    return 1;
  if (z > 1)
    return kNone;
  if (z == 1) {
    Real s = c - a - b;
    return s > 0 ? gamma(c) * gamma(s) * inverseGamma(c - a) * inverseGamma(c - b) : kInfinity;
  }
  if (isPole(c - a) || isPole(c - b))
    return std::pow(1 - z, c - a - b) * series(c - a, c - b, c, z);
  if (z < -0.5L) {
    // Of the two, the one whose operands stay the smaller.
    if (std::fabs(b) < std::fabs(a))
      std::swap(a, b);
    return std::pow(1 - z, -a) * hypergeometric(a, c - b, c, z / (z - 1));
  }
  return z <= 0.75L ? series(a, b, c, z) : nearOne(a, b, c, z);
}

} // namespace graphc::special
