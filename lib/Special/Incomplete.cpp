//===- Incomplete.cpp - incomplete gamma and beta functions ----------------------===//
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "Dual.h"
#include "Precision.h"

namespace graphc::special {

/// What P(a, x) is where one of its operands is 0 or infinite, or outside the domain: -1 elsewhere.
static Real gammaLimit(Real a, Real x) {
  if (a < 0 || x < 0 || (std::isinf(a) && std::isinf(x)))
    return kNone;
  if (x == 0 || std::isinf(a))
    return 0;
  if (a == 0 || std::isinf(x))
    return 1;
  return -1;
}

/// Where Boost does not use Temme's expansion, and its factor loses digits of large parameters.
static bool isTail(Real a, Real x) {
  return a >= 1000 && a < kUniform && (x - a) * (x - a) >= 20 * a;
}

Real gammaP(Real a, Real x) {
  if (Real limit = gammaLimit(a, x); limit != -1)
    return limit;
  if (isTail(a, x))
    return gammaPart(a, x, false);
  return a >= kUniform ? uniformGamma(a, x, false).value : boost::math::gamma_p(a, x, Quiet());
}

Real gammaQ(Real a, Real x) {
  if (Real limit = gammaLimit(a, x); limit != -1)
    return 1 - limit;
  if (isTail(a, x))
    return gammaPart(a, x, true);
  return a >= kUniform ? uniformGamma(a, x, true).value : boost::math::gamma_q(a, x, Quiet());
}

static bool isProbability(Real p) { return p >= 0 && p <= 1; }

Real gammaPInverse(Real a, Real p) {
  if (!(a > 0) || std::isinf(a) || !isProbability(p))
    return kNone;
  if (p == 0 || p == 1)
    return p == 0 ? 0.0L : kInfinity;
  return a >= kUniform ? uniformGammaInverse(a, p, false) : boost::math::gamma_p_inv(a, p, Quiet());
}

Real gammaQInverse(Real a, Real q) {
  if (!(a > 0) || std::isinf(a) || !isProbability(q))
    return kNone;
  if (q == 0 || q == 1)
    return q == 1 ? 0.0L : kInfinity;
  return a >= kUniform ? uniformGammaInverse(a, q, true) : boost::math::gamma_q_inv(a, q, Quiet());
}

Real betaI(Real a, Real b, Real x) {
  if (!(a >= 0) || !(b >= 0) || !isProbability(x) || (a == 0 && b == 0) ||
      (std::isinf(a) && std::isinf(b)))
    return kNone;
  if (x == 0 || x == 1)
    return x;
  if (a == 0 || std::isinf(b))
    return 1;
  if (b == 0 || std::isinf(a))
    return 0;
  return a >= kUniform && b >= kUniform ? uniformBeta(a, b, x, false).value : betaPart(a, b, x);
}

/// Beyond, Boost's continued fraction does not end, and I_x(a, b) is P(a, -(b + (a - 1) / 2) log(1
/// - x)) but for (a / b)^2 (M. E. Wise, "The incomplete beta function as a contour integral and a
/// quickly converging series for its inverse", Biometrika 37 (1950)).
constexpr Real kSteep = 1e15L;

Real betaInverse(Real a, Real b, Real p) {
  if (!(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b) || !isProbability(p))
    return kNone;
  if (p == 0 || p == 1)
    return p;
  if (a >= kUniform && b >= kUniform)
    return uniformBetaInverse(a, b, p);
  if (b > kSteep)
    return -std::expm1(-gammaPInverse(a, p) / (b + (a - 1) / 2));
  if (a > kSteep)
    return std::exp(-gammaQInverse(b, p) / (a + (b - 1) / 2));
  return boost::math::ibeta_inv(a, b, p, static_cast<Real *>(nullptr), Quiet());
}

} // namespace graphc::special
