//===- Shapes.cpp - derivatives by the parameters of incomplete functions ----------===//
//
// The power series and the continued fraction (modified Lentz) of the incomplete gamma function,
// the continued fraction of the incomplete beta function, as in Press et al., Numerical Recipes,
// 6.2 and 6.4, evaluated on numbers that carry their derivative by a or b.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

/// A value and its derivative.
struct Dual {
  Real value, slope = 0;
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
Dual operator/(Dual a, Dual b) {
  Real quotient = a.value / b.value;
  return {quotient, (a.slope - quotient * b.slope) / b.value};
}
Dual exp(Dual a) {
  Real power = std::exp(a.value);
  return {power, power * a.slope};
}
Dual logGamma(Dual a) {
  return {special::logGamma(a.value), boost::math::digamma(a.value, Quiet()) * a.slope};
}

/// Far beyond what converges in long double: the steps grow like the root of the operands.
constexpr int kMostSteps = 100000;
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

/// The fraction of I_x(a, b), for x below its mean.
Dual betaFraction(Dual a, Dual b, Dual x) {
  Fraction f(Dual{1});
  for (int m = 0; m < kMostSteps; ++m) {
    Dual n{Real(m)}, twice = a + n + n, one{1};
    if (m > 0)
      if (f.add(n * (b - n) * x / ((twice - one) * twice), one))
        break;
    if (f.add(Dual{0} - (a + n) * (a + b + n) * x / (twice * (twice + one)), one))
      break;
  }
  return Dual{1} / f.value;
}

} // namespace

Real gammaPByShape(Real shape, Real x) {
  if (!(shape > 0) || !(x >= 0) || std::isinf(shape))
    return kNone;
  if (x == 0 || std::isinf(x))
    return 0;
  Dual a{shape, 1}, at{x}, one{1};
  Dual front = exp(a * Dual{std::log(x)} - at - logGamma(a));
  if (x < shape + 1) {
    Dual term = one / a, sum = term, k = a;
    for (int i = 0; i < kMostSteps; ++i) {
      k = k + one;
      term = term * at / k;
      sum = sum + term;
      if (isSettled(sum, term))
        break;
    }
    return (front * sum).slope;
  }
  Dual b = at + one - a;
  Fraction f(b);
  for (int i = 1; i < kMostSteps; ++i) {
    Dual n{Real(i)};
    b = b + Dual{2};
    if (f.add(n * (a - n), b))
      break;
  }
  return -(front / f.value).slope;
}

Real betaIByShape(Real shape, Real other, Real x, bool byB) {
  if (!(shape > 0) || !(other > 0) || !(x >= 0 && x <= 1) || std::isinf(shape) || std::isinf(other))
    return kNone;
  if (x == 0 || x == 1)
    return 0;
  Dual a{shape, byB ? 0.0L : 1.0L}, b{other, byB ? 1.0L : 0.0L};
  Dual front = exp(a * Dual{std::log(x)} + b * Dual{std::log1p(-x)} -
                   (logGamma(a) + logGamma(b) - logGamma(a + b)));
  if (x < (shape + 1) / (shape + other + 2))
    return (front * betaFraction(a, b, Dual{x}) / a).slope;
  return -(front * betaFraction(b, a, Dual{1 - x}) / b).slope;
}

} // namespace graphc::special
