//===- Bessel.cpp - Bessel functions -----------------------------------------===//
#include <boost/math/special_functions/bessel.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

/// Recurrences take a step for each unit of the order: orders beyond get no value.
constexpr Real kMostOrder = 100000;

/// J and I of other orders have no real values below 0.
bool hasValue(Real order, Real x) {
  return std::fabs(order) <= kMostOrder && (x >= 0 || order == std::floor(order));
}

/// Beyond, e^x has no number. Hankel's series (NIST 10.40.1, 10.40.2) is exact to the last bit for
/// orders of which four squares are less than x, Debye's (10.41.3, 10.41.4) for greater ones.
constexpr Real kFar = 11000;

/// sum over k of (sign)^k a_k(order) / x^k, up to its smallest term.
Real hankel(Real order, Real x, Real sign) {
  Real mu = 4 * order * order, term = 1, sum = 1;
  for (int k = 1; k < 100; ++k) {
    Real odd = Real(2 * k - 1), next = term * sign * (mu - odd * odd) / (Real(k) * 8 * x);
    if (std::fabs(next) > std::fabs(term) && odd * odd > mu)
      break;
    term = next;
    sum += term;
    if (std::fabs(term) < std::numeric_limits<Real>::epsilon() / 4 * std::fabs(sum))
      break;
  }
  return sum;
}

constexpr Real kPi = 3.14159265358979323846264338327950288L;

/// sqrt(order^2 + x^2) - order asinh(order / x) - x: the logarithm of how Debye's series of I,
/// scaled by e^-x, grow; that of K is the negative.
Real growth(Real order, Real x) {
  Real root = std::hypot(order, x);
  return order * order / (root + x) - order * std::asinh(order / x);
}

/// 1 + sum over k of (sign)^k U_k(p) / order^k for p = order / sqrt(order^2 + x^2), in powers of
/// q = 1 / sqrt(order^2 + x^2), which is at most 1 / kFar: the fifth is below half a unit.
Real debye(Real order, Real x, Real sign) {
  Real q = sign / std::hypot(order, x), s = order * std::fabs(q);
  s *= s;
  Real u1 = (3 - 5 * s) / 24;
  Real u2 = (81 + s * (-462 + s * 385)) / 1152;
  Real u3 = (30375 + s * (-369603 + s * (765765 - s * 425425))) / 414720;
  Real u4 =
      (4465125 + s * (-94121676 + s * (349922430 + s * (-446185740 + s * 185910725)))) / 39813120;
  return 1 + q * (u1 + q * (u2 + q * (u3 + q * u4)));
}

/// Whether Hankel's series is not exact there.
bool isLarge(Real order, Real x) { return 4 * order * order >= x; }

/// For x >= kFar and `isLarge`: e^-x I, and K without its own exponential, of orders >= 0; `more`
/// is added to the exponent.
Real largeI(Real order, Real x, Real more) {
  return std::exp(growth(order, x) + more) * debye(order, x, 1) /
         std::sqrt(2 * kPi * std::hypot(order, x));
}
Real largeK(Real order, Real x, Real more) {
  return std::exp(more - growth(order, x)) * debye(order, x, -1) *
         std::sqrt(kPi / (2 * std::hypot(order, x)));
}

/// e^(more - x) I_order(x), for x >= kFar.
Real farI(Real order, Real x, Real more) {
  Real a = std::fabs(order);
  if (!isLarge(order, x))
    return hankel(order, x, -1.0L) / std::sqrt(2 * kPi * x) * std::exp(more);
  Real y = largeI(a, x, more);
  if (order < 0 && order != std::floor(order)) // NIST 10.27.2
    y += 2 / kPi * std::sin(kPi * std::fmod(a, 2.0L)) * largeK(a, x, more - 2 * x);
  return y;
}

} // namespace

Real besselJ(Real order, Real x) {
  if (!hasValue(order, x))
    return kNone;
  if (std::isinf(x))
    return 0;
  if (x == 0 && order < 0 && order != std::floor(order)) // x^order / Gamma(order + 1)
    return std::copysign(kInfinity, boost::math::tgamma(order + 1, Quiet()));
  return boost::math::cyl_bessel_j(order, x, Quiet());
}

Real besselI(Real order, Real x, bool isScaled) {
  if (!hasValue(order, x))
    return kNone;
  Real a = std::fabs(x);
  if (x == 0 && order < 0 && order != std::floor(order))
    return std::copysign(kInfinity, boost::math::tgamma(order + 1, Quiet()));
  if (std::isinf(x)) {
    if (isScaled)
      return 0;
    return x > 0 || std::fmod(order, 2.0L) == 0 ? kInfinity : -kInfinity;
  }
  if (a < kFar)
    return boost::math::cyl_bessel_i(order, x, Quiet()) * (isScaled ? std::exp(-a) : 1);
  Real y = farI(order, a, isScaled ? 0 : a);
  return x < 0 && std::fmod(order, 2.0L) != 0 ? -y : y;
}

Real besselK(Real order, Real x, bool isScaled) {
  if (!(x >= 0) || !(std::fabs(order) <= kMostOrder))
    return kNone;
  if (x == 0 || std::isinf(x))
    return x == 0 ? kInfinity : 0.0L;
  if (x < kFar)
    return boost::math::cyl_bessel_k(order, x, Quiet()) * (isScaled ? std::exp(x) : 1);
  const Real more = isScaled ? 0 : -x;
  if (isLarge(order, x))
    return largeK(std::fabs(order), x, more);
  return std::exp(more) * hankel(order, x, 1.0L) * std::sqrt(kPi / (2 * x));
}

} // namespace graphc::special
