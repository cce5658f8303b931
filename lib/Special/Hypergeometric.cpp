//===- Hypergeometric.cpp - Gauss' function 2F1 of real numbers --------------------------===//
//
// Abramowitz and Stegun, chapter 15: the power series, and what it makes of the transformations to
// 1 - z (15.3.6, 15.3.10, 15.3.11), to z / (z - 1) (15.3.4, 15.3.5) and of (15.3.3). Each sum comes
// with the size of its terms, which says how many digits cancelled: the first sum that kept enough
// of them is the result. Where none did, the power series is summed with 500 bits.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

bool isPole(Real x) { return x <= 0 && x == std::floor(x); }

/// Up to some 1 / (1 - z) times 45 terms.
constexpr int64_t kMostTerms = 4'000'000, kMostWideTerms = 40'000;

/// A sum and the sum of its terms' magnitudes.
struct Sum {
  Real value = kNone, size = kInfinity;
  /// Of the 11 bits that a Real has more than a float64, five are left to the roundings of terms.
  bool isGood() const { return size <= 64 * std::fabs(value) && size < kInfinity; }
};
Sum operator*(Real factor, Sum s) { return {factor * s.value, std::fabs(factor) * s.size}; }
Sum operator+(Sum x, Sum y) { return {x.value + y.value, x.size + y.size}; }

/// The power series; it ends by itself where a or b is a pole.
Sum series(Real a, Real b, Real c, Real z) {
  Real term = 1, sum = 1, size = 1, settled = 1e-20L * std::fmin(1 - std::fabs(z), 1);
  const Real steady = std::fabs(a) + std::fabs(b) + std::fabs(c);
  if (settled > 0 && Real(kMostTerms) * (1 - std::fabs(z)) < 40 && !isPole(a) && !isPole(b))
    return {};
  for (int64_t n = 0; n < kMostTerms; ++n) {
    term *= (a + Real(n)) * (b + Real(n)) / ((c + Real(n)) * Real(n + 1)) * z;
    sum += term;
    size += std::fabs(term);
    // Terms may grow at first. What has cancelled beyond use is not summed to its last digit.
    if (term == 0 ||
        (std::fabs(term) <= settled * std::fmax(std::fabs(sum), size * 1e-6L) && Real(n) > steady))
      return {sum, size};
  }
  return {};
}

using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<500, boost::multiprecision::backends::digit_base_2>,
    boost::multiprecision::et_off>;

/// The same with 500 bits.
Real wideSeries(Real a, Real b, Real c, Real z, Real power) {
  const bool isMirrored = z < -0.5L && !isPole(a) && !isPole(b);
  Wide first = a, third = c, second = isMirrored ? third - Wide(b) : Wide(b), at = z;
  if (isMirrored)
    at = at / (at - 1);
  Wide term = 1, sum = 1, size = 1, settled = 1e-25L * std::fmin(1 - Real(abs(at)), 1);
  const Real steady = std::fabs(a) + std::fabs(Real(second)) + std::fabs(c);
  if (settled > 0 && Real(kMostWideTerms) * settled < 40e-25L && !isPole(a) && !isPole(b))
    return kNone;
  for (int64_t n = 0; n < kMostWideTerms; ++n) {
    term = term * ((first + n) * (second + n) * at) / ((third + n) * Wide(n + 1));
    sum += term;
    size += abs(term);
    if (term == 0 || (Real(n) > steady && abs(term) <= settled * abs(sum))) {
      if (sum == 0)
        return 0;
      // Of 500 bits, 100 are the result's and its terms' roundings.
      if (size > abs(sum) * ldexp(Wide(1), 400))
        return kNone;
      Wide factor = isMirrored   ? pow(1 - Wide(z), -first)
                    : power == 0 ? Wide(1)
                                 : pow(1 - at, Wide(power));
      return Real(sum * factor);
    }
  }
  return kNone;
}

Real digammaOf(Real x) { return boost::math::digamma(x, Quiet()); }

/// At z near 1, where c - a - b = m = 0, 1, ...; a and b and both plus m are no poles.
Sum logarithmic(Real a, Real b, int64_t m, Real z) {
  if (m > 1000) // whose factorial is almost too great
    return {};
  const Real y = 1 - z, c = a + b + Real(m);
  Sum finite{0, 0};
  Real term = 1;
  for (int64_t n = 0; n < m; ++n) {
    finite = finite + Sum{term, std::fabs(term)};
    term *= (a + Real(n)) * (b + Real(n)) / (Real(n + 1) * (Real(n + 1 - m))) * y;
  }
  if (m > 0)
    finite = gamma(Real(m)) * gamma(c) / (gamma(a + Real(m)) * gamma(b + Real(m))) * finite;
  term = std::pow(-y, Real(m)) / gamma(Real(m + 1));
  Sum sum{0, 0};
  for (int64_t n = 0; n < kMostTerms; ++n) {
    const Real k = Real(n);
    Sum factor{0, 0};
    for (Real part : {std::log(y), -digammaOf(k + 1), -digammaOf(k + Real(m) + 1),
                      digammaOf(a + k + Real(m)), digammaOf(b + k + Real(m))})
      factor = factor + Sum{part, std::fabs(part)};
    sum = sum + term * factor;
    if (std::fabs(term) * factor.size <= 1e-20L * std::fabs(sum.value) && n > 2)
      break;
    term *= (a + Real(m) + k) * (b + Real(m) + k) / ((k + 1) * (k + 1 + Real(m))) * y;
  }
  return finite + -gamma(c) / (gamma(a) * gamma(b)) * sum;
}

/// 1 / Gamma, which has no poles.
Real inverseGamma(Real x) { return isPole(x) ? 0 : 1 / gamma(x); }

/// For 3/4 < z < 1.
Sum nearOne(Real a, Real b, Real c, Real z) {
  const Real s = c - a - b, nearest = std::round(s);
  if (s == nearest) {
    if (s >= 0)
      return logarithmic(a, b, int64_t(std::fmin(s, 1e6L)), z);
    return std::pow(1 - z, s) * logarithmic(c - a, c - b, int64_t(std::fmin(-s, 1e6L)), z);
  }
  return gamma(c) *
         (gamma(s) * inverseGamma(c - a) * inverseGamma(c - b) * series(a, b, 1 - s, 1 - z) +
          std::pow(1 - z, s) * gamma(-s) * inverseGamma(a) * inverseGamma(b) *
              series(c - a, c - b, 1 + s, 1 - z));
}

/// For z < 1 and a, b that are no poles, but c - a may be one: as sums that have no factor.
Real inside(Real a, Real b, Real c, Real z) {
  const Real power = c - a - b;
  Sum sum;
  auto isGood = [&](const Sum &other) {
    sum = other;
    return sum.isGood();
  };
  if (z < 0) {
    const Real mirrored = z / (z - 1);
    // Of the two, first the one whose operands stay the smaller.
    if (std::fabs(b) < std::fabs(a))
      std::swap(a, b);
    if (z >= -0.5L && isGood(series(a, b, c, z)))
      return sum.value;
    for (int i = 0; i < 2; ++i, std::swap(a, b)) {
      if (mirrored <= 0.75L || isPole(c - b)) {
        if (isGood(series(a, c - b, c, mirrored)))
          return std::pow(1 - z, -a) * sum.value;
      } else if (isGood(nearOne(a, c - b, c, mirrored))) {
        return std::pow(1 - z, -a) * sum.value;
      }
    }
    if (z >= -0.9L && isGood(series(c - a, c - b, c, z)))
      return std::pow(1 - z, power) * sum.value;
    return wideSeries(a, b, c, z, 0);
  }
  const bool isPolynomial = isPole(c - a) || isPole(c - b);
  if (z > 0.75L && !isPolynomial && isGood(nearOne(a, b, c, z)))
    return sum.value;
  if (isPolynomial && isGood(series(c - a, c - b, c, z)))
    return std::pow(1 - z, power) * sum.value;
  if (isGood(series(a, b, c, z)))
    return sum.value;
  if (!isPolynomial && isGood(series(c - a, c - b, c, z)))
    return std::pow(1 - z, power) * sum.value;
  return isPolynomial ? wideSeries(c - a, c - b, c, z, power) : wideSeries(a, b, c, z, 0);
}

/// A polynomial of degree `degree`, -a.
Real polynomial(Real a, Real b, Real c, Real z, Real degree) {
  if (z == 1) { // Vandermonde's product: nothing cancels
    Real product = 1;
    for (int64_t n = 0; Real(n) < degree && product != 0 && n < kMostTerms; ++n)
      product *= (c - b + Real(n)) / (c + Real(n));
    return product;
  }
  Sum sum = series(a, b, c, z);
  return sum.isGood() ? sum.value : wideSeries(a, b, c, z, 0);
}

} // namespace

Real hypergeometric(Real a, Real b, Real c, Real z) {
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(z))
    return kNone;
  if (isPole(a) || isPole(b)) {
    // A polynomial of degree -a or -b; it must end before c's pole.
    Real degree = isPole(a) && (!isPole(b) || a > b) ? -a : -b;
    if (isPole(c) && -c < degree)
      return kInfinity;
    return a == -degree ? polynomial(a, b, c, z, degree) : polynomial(b, a, c, z, degree);
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
  return inside(a, b, c, z);
}

} // namespace graphc::special
