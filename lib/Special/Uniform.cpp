//===- Uniform.cpp - incomplete functions of large parameters ----------------------===//
//
// Temme's uniform expansions (NIST 8.12.3 and 8.18.9 ff.; Temme, "Uniform asymptotic expansions of
// the incomplete gamma functions and the incomplete beta function", 1975): the error function of a
// variable in which the density is normal, and e^-t^2 times a correction of two terms. From 1e7 on,
// what they leave is below 1e-15 of the function wherever that is a float64.
//
// With d = x (a + b) - a, u = d / a, v = d / b and the function h of
//   s - log(1 + s) = s^2 h(s) / 2
// it is t = d sqrt(H / 2) for H = h(u) / a + h(-v) / b, and the correction
//   (G0 + G1) / sqrt(2 pi), G0 = (1 / sqrt(H) - 1 / sqrt(1 / a + 1 / b)) / d.
// The derivative by x must be the density, whose factor 1 / B(a, b) has Stirling's series; so
//   G1 = ((a + d) (b - d) / (a + b) dG0/dd - its value at d = 0) / d.
// The incomplete gamma function is that of b = infinity, with d = x - a.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/erf.hpp>

#include "Dual.h"
#include "Precision.h"

namespace graphc::special {
namespace {

/// Beyond, e^-t^2 is below e^-50000.
constexpr Real kFar = 0.01L;

/// (1 - h(s)) / s = 2/3 - 2/4 s + 2/5 s^2 - ..., to s^8 of kFar.
Dual restOfH(Dual s) {
  Dual sum{0};
  for (int k = 8; k >= 0; --k)
    sum = sum * s + Dual{(k % 2 == 0 ? 2.0L : -2.0L) / Real(k + 3)};
  return sum;
}

/// Newton's method for the logarithm of a part of a distribution, which is nearly a line in the
/// tail. `derivative` is the part's.
template <class Part, class Derivative>
Real solved(Real x, Real wanted, Part part, Derivative derivative) {
  for (int i = 0; i < 20; ++i) {
    Real y = part(x), step = y * std::log(y / wanted) / derivative(x);
    x -= step;
    if (!(std::fabs(step) > 1e-19L * std::fabs(x)))
      break;
  }
  return x;
}

/// The part below d, or that above. The inverses of a and b, of which that of b may be 0.
Dual expansion(Dual d, Dual overA, Dual overB, bool isUpper) {
  Dual u = d * overA, v = Dual{0} - d * overB;
  if (!(std::fabs(u.value) <= kFar && std::fabs(v.value) <= kFar))
    return {(d.value > 0) != isUpper ? 1.0L : 0.0L};
  Dual restA = restOfH(u), restB = restOfH(v), flat = overA + overB;
  Dual h = (Dual{1} - u * restA) * overA + (Dual{1} - v * restB) * overB;
  Dual t = d * sqrt(h * Dual{0.5L}), density = exp(Dual{0} - t * t);
  constexpr Real kInvSqrtPi = 0.564189583547756286948079451560772586L;
  Dual half{std::erfc(isUpper ? t.value : -t.value) / 2, density.value * kInvSqrtPi * t.slope};
  // H is flat (1 + h1 d + h2 d^2 + ...), 1 / sqrt(H) likewise of g1, ...
  Dual powerA = overA / flat, powerB = overB / flat;
  auto next = [&](Real factor, bool isOdd) {
    powerA = powerA * overA, powerB = powerB * overB;
    return Dual{factor} * (isOdd ? powerA - powerB : powerA + powerB);
  };
  Dual h1 = next(-2 / 3.0L, true), h2 = next(0.5L, false), h3 = next(-0.4L, true),
       h4 = next(1 / 3.0L, false);
  Dual g2 = Dual{-0.5L} * h2 + Dual{0.375L} * h1 * h1;
  Dual g3 = Dual{-0.5L} * h3 + Dual{0.75L} * h1 * h2 - Dual{0.3125L} * h1 * h1 * h1;
  Dual g4 = Dual{-0.5L} * h4 + Dual{0.375L} * (Dual{2} * h1 * h3 + h2 * h2) -
            Dual{0.9375L} * h1 * h1 * h2 + Dual{0.2734375L} * h1 * h1 * h1 * h1;
  // (b - a) / (a + b), and 1 / (a + b).
  Dual skew = (overA - overB) / flat, overSum = overA * overB / flat;
  Dual second = skew * g2 + Dual{2} * g3 / flat +
                d * (Dual{3} * g4 / flat + Dual{2} * skew * g3 - overSum * g2);
  Dual correction = second / sqrt(flat) + (restA * overA * overA - restB * overB * overB) /
                                              (sqrt(h) * sqrt(flat) * (sqrt(h) + sqrt(flat)));
  correction = density * Dual{kInvSqrtTwoPi} * correction;
  if (isUpper)
    return {half.value - correction.value, -half.slope - correction.slope};
  return half + correction;
}

} // namespace

Dual uniformGamma(Real a, Real x, bool isUpper) {
  return expansion({x - a, -1}, Dual{1} / Dual{a, 1}, {0}, isUpper);
}

Dual uniformBeta(Real a, Real b, Real x, bool byB) {
  Dual p{a, byB ? 0.0L : 1.0L}, q{b, byB ? 1.0L : 0.0L};
  return expansion(fromMean(p, q, x), Dual{1} / p, Dual{1} / q, false);
}

Real uniformGammaInverse(Real a, Real p, bool isUpper) {
  // The quantile of Cornish and Fisher.
  Real z = std::sqrt(2.0L) * boost::math::erfc_inv(2 * p, Quiet()) * (isUpper ? 1 : -1);
  auto density = [&](Real x) {
    Real normal = std::exp(a * std::log1p((x - a) / a) - (x - a)) * std::sqrt(a) * kInvSqrtTwoPi;
    return (isUpper ? -normal : normal) / x;
  };
  return solved(
      a + z * std::sqrt(a) + (z * z - 1) / 3, p,
      [&](Real x) { return uniformGamma(a, x, isUpper).value; }, density);
}

Real uniformBetaInverse(Real a, Real b, Real p) {
  Real z = -std::sqrt(2.0L) * boost::math::erfc_inv(2 * p, Quiet());
  Real sum = a + b, mean = a / sum, variance = mean / sum * (b / sum);
  auto density = [&](Real x) {
    Real d = std::fma(x, sum, -a), root = std::sqrt(mean * b);
    Real normal = std::exp(a * std::log1p(d / a) + b * std::log1p(-d / b)) * root * kInvSqrtTwoPi;
    return normal / (x * (1 - x));
  };
  return solved(
      mean + z * std::sqrt(variance), p, [&](Real x) { return uniformBeta(a, b, x, false).value; },
      density);
}

} // namespace graphc::special
