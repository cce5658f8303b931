//===- Shapes.cpp - incomplete functions and their derivatives by parameters --------===//
//
// The power series and the continued fraction (modified Lentz) of the incomplete gamma function
// (Press et al., Numerical Recipes, 6.2), the continued fraction of the incomplete beta function
// (Didonato and Morris, ACM Trans. Math. Softw. 18, 1992: the even part of NIST 8.17.22, in which
// large parameters do not cancel), on numbers that may carry their derivative by a or b.
//
//===----------------------------------------------------------------------===//
#include <boost/math/special_functions/digamma.hpp>

#include <iterator>

#include "Dual.h"
#include "Precision.h"

namespace graphc::special {
namespace {

/// The steps grow like the root of the operands: beyond what operands up to kUniform take.
constexpr int kMostSteps = 1'000'000;
/// Some units of long double.
constexpr Real kSettled = 4e-19L;
constexpr Real kTiny = 1e-4000L;
/// From where on Stirling's series are used.
constexpr Real kStirling = 20;

bool isSettled(Real sum, Real step) { return std::fabs(step) <= kSettled * std::fabs(sum); }
bool isSettled(Dual sum, Dual step) {
  Real value = std::fabs(sum.value), slope = std::fabs(sum.slope);
  return std::fabs(step.value) <= kSettled * value &&
         std::fabs(step.slope) <= kSettled * (slope + value);
}

Real &valueOf(Real &x) { return x; }
Real &valueOf(Dual &x) { return x.value; }

/// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)), term by term; of Reals or Duals.
template <class N> class Fraction {
public:
  explicit Fraction(N first) : value(first), c(first), d{0} {}
  /// Whether it has settled.
  bool add(N a, N b) {
    d = b + a * d;
    c = b + a / c;
    for (N *part : {&c, &d})
      if (valueOf(*part) == 0)
        valueOf(*part) = kTiny;
    d = N{1} / d;
    N before = value;
    value = value * (c * d);
    return isSettled(value, value - before);
  }
  N value;

private:
  N c, d;
};

/// The logarithm of 1 + away, which is `ratio`: either has the digits where the other one is near
/// 0.
Real logOf(Real away, Real ratio) { return away < -0.5L ? std::log(ratio) : std::log1p(away); }

/// u - log(1 + u), of which `ratio` is 1 + u; the terms nearly cancel where u is small. With
/// r = u / (2 + u) the logarithm is 2 (r + r^3 / 3 + r^5 / 5 + ...), and u - 2 r = r u.
Real logGap(Real u, Real ratio) {
  if (!(std::fabs(u) < 0.5L))
    return u - logOf(u, ratio);
  const Real r = u / (2 + u), square = r * r;
  Real sum = 0, power = 2 * r;
  for (int k = 3;; k += 2) {
    power *= square;
    const Real term = power / Real(k);
    sum += term;
    if (std::fabs(term) <= 0x1p-66L * std::fabs(sum))
      return r * u - sum;
  }
}

/// log x - digamma(x).
Real digammaGap(Real x) {
  if (x < kStirling)
    return std::log(x) - boost::math::digamma(x, Quiet());
  // B(2k) / (2k).
  constexpr Real kTerms[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                             1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  const Real square = 1 / (x * x);
  Real sum = 0;
  for (int k = int(std::size(kTerms)) - 1; k >= 0; --k)
    sum = sum * square + kTerms[k];
  return 0.5L / x + sum * square;
}

/// x^a e^-x / Gamma(a). Of large a, the logarithms of the factors are large numbers that cancel;
/// beside their product's, e^(-a (u - log(1 + u))) for u = (x - a) / a, Stirling's rest is small.
Real frontOf(Real a, Real x) {
  if (a < kStirling)
    return std::exp(a * std::log(x) - x - logGamma(a));
  return std::sqrt(a) * kInvSqrtTwoPi * std::exp(-a * logGap((x - a) / a, x / a) - stirlingRest(a));
}
Dual frontOf(Dual a, Real x) {
  const Real p = a.value, front = frontOf(p, x);
  return {front, front * a.slope * (logOf((x - p) / p, x / p) + digammaGap(p))};
}

/// x^a (1-x)^b / B(a, b), likewise with d = x (a + b) - a.
Real frontOf(Real a, Real b, Real x, Real d) {
  if (a < kStirling || b < kStirling)
    return std::exp(a * std::log(x) + b * std::log1p(-x) - logBeta(a, b));
  const Real s = a + b;
  return std::sqrt(a / s * b) * kInvSqrtTwoPi *
         std::exp(-a * logGap(d / a, x * (s / a)) - b * logGap(-d / b, (1 - x) * (s / b)) -
                  (stirlingRest(a) + stirlingRest(b) - stirlingRest(s)));
}
Dual frontOf(Dual a, Dual b, Real x, Dual d) {
  const Real p = a.value, q = b.value, s = p + q, front = frontOf(p, q, x, d.value);
  const Real byA = logOf(d.value / p, x * (s / p)) + digammaGap(p) - digammaGap(s),
             byB = logOf(-d.value / q, (1 - x) * (s / q)) + digammaGap(q) - digammaGap(s);
  return {front, front * (a.slope * byA + b.slope * byB)};
}

/// P(a, x) where x < a + 1, else Q(a, x).
template <class N> N gammaTail(N a, Real x) {
  const N front = frontOf(a, x), one{1};
  if (x < valueOf(a) + 1) {
    N term = one / a, sum = term, k = a;
    for (int i = 0; i < kMostSteps; ++i) {
      k = k + one;
      term = term * N{x} / k;
      sum = sum + term;
      if (isSettled(sum, term))
        return front * sum;
    }
    return N{kNone};
  }
  N b = N{x + 1} - a;
  Fraction<N> f(b);
  for (int i = 1; i < kMostSteps; ++i) {
    const N n{Real(i)};
    b = b + N{2};
    if (f.add(n * (a - n), b))
      return front / f.value;
  }
  return N{kNone};
}

/// The fraction of I_x(a, b), for x below its mean; d = x (a + b) - a.
template <class N> N betaFraction(N a, N b, Real x, N d) {
  const N one{1}, at{x};
  Fraction<N> f(a * (one - d) / (a + one));
  for (int m = 1; m < kMostSteps; ++m) {
    const N n{Real(m)}, odd = a + n + n - one;
    const N above = (a + n - one) * (a + b + n - one) * (n * (b - n)) * (at / odd) * (at / odd);
    const N next = n + n * (b - n) * at / odd + (a + n) * (one - d + n * N{2 - x}) / (odd + N{2});
    if (f.add(above, next))
      return f.value;
  }
  return N{kNone};
}

/// I_x(a, b).
template <class N> N betaPart(N a, N b, Real x) {
  const N d = fromMean(a, b, x), front = frontOf(a, b, x, d);
  if (x < (valueOf(a) + 1) / (valueOf(a) + valueOf(b) + 2))
    return front / betaFraction(a, b, x, d);
  return N{1} - front / betaFraction(b, a, 1 - x, N{0} - d);
}

} // namespace

Real gammaPart(Real a, Real x, bool isUpper) {
  const Real tail = gammaTail(a, x);
  return (x < a + 1) != isUpper ? tail : 1 - tail;
}

Real gammaPByShape(Real shape, Real x) {
  if (!(shape > 0) || !(x >= 0) || std::isinf(shape))
    return kNone;
  if (x == 0 || std::isinf(x))
    return 0;
  if (shape >= kUniform)
    return uniformGamma(shape, x, false).slope;
  const Real slope = gammaTail(Dual{shape, 1}, x).slope;
  return x < shape + 1 ? slope : -slope;
}

Real betaPart(Real a, Real b, Real x) { return betaPart<Real>(a, b, x); }

Real betaIByShape(Real shape, Real other, Real x, bool byB) {
  if (!(shape > 0) || !(other > 0) || !(x >= 0 && x <= 1) || std::isinf(shape) || std::isinf(other))
    return kNone;
  if (x == 0 || x == 1)
    return 0;
  if (shape >= kUniform && other >= kUniform)
    return uniformBeta(shape, other, x, byB).slope;
  return betaPart(Dual{shape, byB ? 0.0L : 1.0L}, Dual{other, byB ? 1.0L : 0.0L}, x).slope;
}

} // namespace graphc::special
