//===- Hypergeometric.cpp - Gauss' function 2F1 of real numbers --------------------------===//
//
// Abramowitz and Stegun, chapter 15: the power series, and what it makes of the transformations to
// 1 - z (15.3.6, 15.3.10, 15.3.11), to z / (z - 1) (15.3.4, 15.3.5) and of (15.3.3). Each sum comes
// with the size of its terms, which says how many digits cancelled: the first sum that kept enough
// of them is the result. Where none did, the sums are made with 500 bits: near 1 those of 15.3.6,
// which near integers c - a - b cancel.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

template <class N> bool isPole(const N &x) { return x <= 0 && x == floor(x); }

using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<500, boost::multiprecision::backends::digit_base_2>,
    boost::multiprecision::et_off>;

/// How near to 1 and -1 the power series is not summed: there it takes some 45,000 terms.
constexpr Real kNearEnd = 0.001L;

/// How sums of numbers of N are made and judged.
template <class N> struct Limits;
template <> struct Limits<Real> {
  static constexpr int64_t kMostTerms = 1'000'000; // of polynomials; others take 45 / (1 - z)
  /// The last term that counts, beside the sum.
  static constexpr Real kSettled = 1e-20L;
  /// Of the 11 bits that a Real has more than a float64, five are left to the roundings of terms.
  static Real mostCancelled() { return 64; }
  static Real mostSize() { return kInfinity; }
};
template <> struct Limits<Wide> {
  static constexpr int64_t kMostTerms = 20'000;
  static constexpr Real kSettled = 1e-150L;
  /// 80 bits are the result's and its terms' roundings.
  static Wide mostCancelled() { return ldexp(Wide(1), 420); }
  /// Of no use to a Real, whatever it is multiplied by; Wide itself ends at 2^(2^30).
  static Wide mostSize() { return ldexp(Wide(1), 100'000); }
};

/// A sum and the sum of its terms' magnitudes.
template <class N> struct Sum {
  N value = N(kNone), size = N(kInfinity);
  bool isGood() const {
    using std::abs;
    return size <= Limits<N>::mostCancelled() * abs(value) && size < N(kInfinity);
  }
};
template <class N> Sum<N> operator*(N factor, Sum<N> s) {
  using std::abs;
  return {factor * s.value, abs(factor) * s.size};
}
template <class N> Sum<N> operator+(Sum<N> x, Sum<N> y) {
  return {x.value + y.value, x.size + y.size};
}

/// The power series; it ends by itself where a or b is a pole.
template <class N> Sum<N> series(N a, N b, N c, N z) {
  using std::abs;
  auto sizeOf = [](const N &x) { return Real(abs(x)); };
  constexpr int64_t kMostTerms = Limits<N>::kMostTerms;
  const Real left = std::fmin(1 - sizeOf(z), 1);
  const Real steady = sizeOf(a) + sizeOf(b) + sizeOf(c);
  if (left > 0 && left < kNearEnd && !isPole(a) && !isPole(b))
    return {};
  const N settled(Limits<N>::kSettled * left), useless = 1e-6L / Limits<N>::mostCancelled();
  N term(1), sum(1), size(1);
  for (int64_t n = 0; n < kMostTerms; ++n) {
    const N k(n);
    term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * z;
    sum += term;
    size += abs(term);
    // Terms may grow at first. What has cancelled beyond use is not summed to its last digit.
    const N least = std::max<N>(abs(sum), size * useless);
    if (term == 0 || (abs(term) <= settled * least && Real(n) > steady))
      return {sum, size};
    if (!(size < Limits<N>::mostSize()))
      return {};
  }
  return {};
}

Real digammaOf(Real x) { return boost::math::digamma(x, Quiet()); }

/// At 1 - y, where c - a - b = m = 0, 1, ...; a and b and both plus m are no poles.
Sum<Real> logarithmic(Real a, Real b, Real c, int64_t m, Real y) {
  if (m > 1000) // whose factorial is almost too great
    return {};
  Sum<Real> finite{0, 0};
  Real term = 1;
  for (int64_t n = 0; n < m; ++n) {
    finite = finite + Sum<Real>{term, std::fabs(term)};
    term *= (a + Real(n)) * (b + Real(n)) / (Real(n + 1) * (Real(n + 1 - m))) * y;
  }
  if (m > 0)
    finite = gamma(Real(m)) * gamma(c) / (gamma(a + Real(m)) * gamma(b + Real(m))) * finite;
  term = std::pow(-y, Real(m)) / gamma(Real(m + 1));
  Sum<Real> sum{0, 0};
  constexpr int64_t kMostTerms = 20'000; // of y < 1/4, and functions of their own in each
  bool isSettled = false;
  for (int64_t n = 0; n < kMostTerms && !isSettled && sum.size < kInfinity; ++n) {
    const Real k = Real(n);
    Sum<Real> factor{0, 0};
    for (Real part : {std::log(y), -digammaOf(k + 1), -digammaOf(k + Real(m) + 1),
                      digammaOf(a + k + Real(m)), digammaOf(b + k + Real(m))})
      factor = factor + Sum<Real>{part, std::fabs(part)};
    sum = sum + term * factor;
    isSettled = std::fabs(term) * factor.size <= 1e-20L * std::fabs(sum.value) && n > 2;
    term *= (a + Real(m) + k) * (b + Real(m) + k) / ((k + 1) * (k + 1 + Real(m))) * y;
  }
  if (!isSettled)
    return {};
  return finite + -gamma(c) / (gamma(a) * gamma(b)) * sum;
}

Real gammaOf(Real x) { return gamma(x); }
Wide gammaOf(const Wide &x) { return boost::math::tgamma(x, Quiet()); }

/// 1 / Gamma, which has no poles.
template <class N> N inverseGamma(const N &x) { return isPole(x) ? N(0) : N(1) / gammaOf(x); }

/// At 1 - y of c - a - b = s, which is no integer. Beside one, both terms are great and cancel.
template <class N> Sum<N> joined(N a, N b, N c, N s, N y) {
  const N first = gammaOf(s) * inverseGamma<N>(c - a) * inverseGamma<N>(c - b),
          second = pow(y, s) * gammaOf(N(-s)) * inverseGamma(a) * inverseGamma(b);
  return gammaOf(c) *
         (first * series<N>(a, b, 1 - s, y) + second * series<N>(c - a, c - b, 1 + s, y));
}

/// At 1 - y, for 0 < y < 1/4.
Sum<Real> nearOne(Real a, Real b, Real c, Real y) {
  const Real s = c - a - b;
  if (s != std::round(s))
    return joined(a, b, c, s, y);
  if (s >= 0)
    return logarithmic(a, b, c, int64_t(std::fmin(s, 1e6L)), y);
  return std::pow(y, s) * logarithmic(c - a, c - b, c, int64_t(std::fmin(-s, 1e6L)), y);
}

/// The same with 500 bits. Where c - a - b is an integer, or as good as one, c is moved by so
/// little that the result is the limit to all its digits, and all of it that cancels is 150 bits.
Sum<Wide> nearOne(const Wide &a, const Wide &b, Wide c, const Wide &y) {
  const Wide little = ldexp(Wide(1), -150);
  if (abs(c - a - b - round(Wide(c - a - b))) < little)
    c += little;
  return joined<Wide>(a, b, c, c - a - b, y);
}

/// 2F1 by sums with 500 bits, for z < 1 or a polynomial; NaN where these cancel, too.
Real wide(Real a, Real b, Real c, Real z) {
  const bool isPolynomial = isPole(a) || isPole(b), isMirrored = z < -0.5L && !isPolynomial;
  const Wide first = a, third = c, second = isMirrored ? third - Wide(b) : Wide(b);
  const Wide rest = isMirrored ? 1 / (1 - Wide(z)) : 1 - Wide(z);
  const Sum<Wide> sum = rest < 0.25L && !isPolynomial && !isPole(second)
                            ? nearOne(first, second, third, rest)
                            : series<Wide>(first, second, third, 1 - rest);
  if (!sum.isGood())
    return sum.value == 0 && isPolynomial ? 0.0L : kNone;
  return Real(isMirrored ? sum.value * pow(1 - Wide(z), -first) : sum.value);
}

/// What x - y loses as it is rounded (Knuth's TwoSum).
Real lostBy(Real x, Real y) {
  const Real difference = x - y, taken = difference - x;
  return (x - (difference - taken)) - (y + taken);
}

/// Whether the distance of a difference of parameters from an integer, by which sums are divided,
/// has lost digits: parameters may be of very different sizes.
bool isRounded(Real difference, Real lost) {
  return std::fabs(lost) > 0x1p-60L * std::fabs(difference - std::round(difference));
}

/// For z < 1 and a, b that are no poles, but c - a may be one: as sums that have no factor.
Real inside(Real a, Real b, Real c, Real z) {
  const Real power = c - a - b;
  if (isRounded(c - a, lostBy(c, a)) || isRounded(c - b, lostBy(c, b)) ||
      isRounded(power, lostBy(c, a) + lostBy(c - a, b)) || isRounded(b - a, lostBy(b, a)))
    return wide(a, b, c, z);
  Sum<Real> sum;
  auto isGood = [&](const Sum<Real> &other) {
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
      } else if (isGood(nearOne(a, c - b, c, 1 / (1 - z)))) {
        return std::pow(1 - z, -a) * sum.value;
      }
    }
    if (z >= -0.9L && isGood(series(c - a, c - b, c, z)))
      return std::pow(1 - z, power) * sum.value;
    return wide(a, b, c, z);
  }
  const bool isPolynomial = isPole(c - a) || isPole(c - b);
  if (z > 0.75L && !isPolynomial && isGood(nearOne(a, b, c, 1 - z)))
    return sum.value;
  if (isPolynomial && isGood(series(c - a, c - b, c, z)))
    return std::pow(1 - z, power) * sum.value;
  if (isGood(series(a, b, c, z)))
    return sum.value;
  if (!isPolynomial && isGood(series(c - a, c - b, c, z)))
    return std::pow(1 - z, power) * sum.value;
  return wide(a, b, c, z);
}

/// A polynomial of degree `degree`, -a.
Real polynomial(Real a, Real b, Real c, Real z, Real degree) {
  if (z == 1) { // Vandermonde's product: nothing cancels
    if (degree > Real(Limits<Real>::kMostTerms))
      return kNone;
    Real product = 1;
    for (int64_t n = 0; Real(n) < degree && product != 0; ++n)
      product *= (c - b + Real(n)) / (c + Real(n));
    return product;
  }
  const Sum<Real> sum = series(a, b, c, z);
  return sum.isGood() ? sum.value : wide(a, b, c, z);
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
