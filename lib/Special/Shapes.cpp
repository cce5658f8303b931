//===- Shapes.cpp - derivatives by the parameters of incomplete functions ----------===//
//
// The power series and the continued fraction (modified Lentz) of the incomplete gamma function,
// the continued fraction of the incomplete beta function, as in Press et al., Numerical Recipes,
// 6.2 and 6.4, evaluated on numbers that carry their derivative by a or b.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "Dual.h"
#include "Precision.h"

namespace graphc::special {
namespace {

Dual logGamma(Dual a) {
  return {special::logGamma(a.value), boost::math::digamma(a.value, Quiet()) * a.slope};
}

/// The steps grow like the root of the operands: beyond what operands up to kUniform take.
constexpr int kMostSteps = 1'000'000;
/// Some units of long double.
constexpr Real kSettled = 4e-19L;
constexpr Real kTiny = 1e-4000L;

bool isSettled(Dual sum, Dual step) {
  Real value = std::fabs(sum.value), slope = std::fabs(sum.slope);
  return std::fabs(step.value) <= kSettled * value &&
         std::fabs(step.slope) <= kSettled * (slope + value);
}

/// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)), term by term.
class Fraction {
public:
  explicit Fraction(Dual first) : value(first), c(first), d{0} {}
  /// Whether it has settled.
  bool add(Dual a, Dual b) {
    d = b + a * d;
    c = b + a / c;
    if (d.value == 0)
      d.value = kTiny;
    if (c.value == 0)
      c.value = kTiny;
    d = Dual{1} / d;
    Dual factor = c * d, before = value;
    value = value * factor;
    return isSettled(value, value - before);
  }
  Dual value;

private:
  Dual c, d;
};

/// x^a e^-x / Gamma(a). Of large a, the logarithms of the factors are large numbers that cancel;
/// beside their product's, e^(-a (u - log(1 + u))) for u = (x - a) / a, Stirling's rest is small.
Dual gammaFront(Real a, Real x) {
  if (a < 20)
    return exp(Dual{a, 1} * Dual{std::log(x)} - Dual{x} - logGamma(Dual{a, 1}));
  constexpr Real kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
  Real u = (x - a) / a, logarithm = std::log1p(u);
  Real front = std::sqrt(a) * kInvSqrtTwoPi * std::exp(a * logarithm - (x - a) - stirlingRest(a));
  return {front, front * (logarithm + (std::log(a) - boost::math::digamma(a, Quiet())))};
}

/// x^a (1-x)^b / B(a, b), likewise with d = x (a + b) - a.
Dual betaFront(Dual a, Dual b, Real x) {
  Real p = a.value, q = b.value, s = p + q, slope;
  if (p < 20 || q < 20)
    return exp(a * Dual{std::log(x)} + b * Dual{std::log1p(-x)} -
               (logGamma(a) + logGamma(b) - logGamma(a + b)));
  constexpr Real kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
  Real d = std::fma(x, s, -p), u = std::log1p(d / p), v = std::log1p(-d / q);
  Real front = std::sqrt(p / s * q) * kInvSqrtTwoPi *
               std::exp(p * u + q * v - (stirlingRest(p) + stirlingRest(q) - stirlingRest(s)));
  auto rest = [](Real y) { return std::log(y) - boost::math::digamma(y, Quiet()); };
  slope = a.slope != 0 ? u + rest(p) - rest(s) : v + rest(q) - rest(s);
  return {front, front * slope};
}

/// The fraction of I_x(a, b), for x below its mean.
Dual betaFraction(Dual a, Dual b, Dual x) {
  Fraction f(Dual{1});
  for (int m = 0; m < kMostSteps; ++m) {
    Dual n{Real(m)}, twice = a + n + n, one{1};
    if (m > 0 && f.add(n * (b - n) * x / ((twice - one) * twice), one))
      return Dual{1} / f.value;
    if (f.add(Dual{0} - (a + n) * (a + b + n) * x / (twice * (twice + one)), one))
      return Dual{1} / f.value;
  }
  return {kNone, kNone};
}

} // namespace

Real gammaPByShape(Real shape, Real x) {
  if (!(shape > 0) || !(x >= 0) || std::isinf(shape))
    return kNone;
  if (x == 0 || std::isinf(x))
    return 0;
  if (shape >= kUniform)
    return uniformGamma(shape, x, false).slope;
  Dual a{shape, 1}, at{x}, one{1}, front = gammaFront(shape, x);
  if (x < shape + 1) {
    Dual term = one / a, sum = term, k = a;
    for (int i = 0; i < kMostSteps; ++i) {
      k = k + one;
      term = term * at / k;
      sum = sum + term;
      if (isSettled(sum, term))
        return (front * sum).slope;
    }
    return kNone;
  }
  Dual b = at + one - a;
  Fraction f(b);
  for (int i = 1; i < kMostSteps; ++i) {
    Dual n{Real(i)};
    b = b + Dual{2};
    if (f.add(n * (a - n), b))
      return -(front / f.value).slope;
  }
  return kNone;
}

Dual betaPart(Dual a, Dual b, Real x) {
  Dual front = betaFront(a, b, x);
  if (x < (a.value + 1) / (a.value + b.value + 2))
    return front * betaFraction(a, b, Dual{x}) / a;
  return Dual{1} - front * betaFraction(b, a, Dual{1 - x}) / b;
}

Real betaIByShape(Real shape, Real other, Real x, bool byB) {
  if (!(shape > 0) || !(other > 0) || !(x >= 0 && x <= 1) || std::isinf(shape) || std::isinf(other))
    return kNone;
  if (x == 0 || x == 1)
    return 0;
  Dual a{shape, byB ? 0.0L : 1.0L}, b{other, byB ? 1.0L : 0.0L};
  if (shape >= kUniform && other >= kUniform)
    return uniformBeta(shape, other, x, byB).slope;
  return betaPart(a, b, x).slope;
}

} // namespace graphc::special
