//===- Bessel.cpp - Bessel functions -----------------------------------------===//
#include <boost/math/special_functions/bessel.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "Functions.h"
#include "Precision.h"

namespace graphc::special {
namespace {

/// Recurrences of J take a step for each unit of the order: orders beyond get no value.
constexpr Real kMostOrder = 100000;

/// J and I of other orders have no real values below 0.
bool hasValue(Real order, Real x) { return x >= 0 || order == std::floor(order); }

/// From this length of (order, x) on, Hankel's series (NIST 10.40.1, 10.40.2) is exact to the last
/// bit for orders of which four squares are less than x, Debye's (10.41.3, 10.41.4) for greater
/// ones; e^x of an x beyond has no number.
constexpr Real kFar = 11000;
bool isFar(Real order, Real x) { return std::hypot(order, x) >= kFar; }

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

/// sqrt(order^2 + x^2) - order asinh(order / x) - x + more: the logarithm of how Debye's series of
/// I, scaled by e^(more - x), grow; that of K is the negative. Of large orders the terms are great
/// and cancel: in 113 bits.
Real growth(Real order, Real x, Real more) {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  const Quad v = order, at = x, root = sqrt(v * v + at * at);
  return Real(v * v / (root + at) - v * log((v + root) / at) + more);
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

/// Where `isFar` and `isLarge`: e^(more - x) I, and e^(x + more) K, of orders >= 0.
Real largeI(Real order, Real x, Real more) {
  return std::exp(growth(order, x, more)) * debye(order, x, 1) /
         std::sqrt(2 * kPi * std::hypot(order, x));
}
Real largeK(Real order, Real x, Real more) {
  return std::exp(-growth(order, x, -more)) * debye(order, x, -1) *
         std::sqrt(kPi / (2 * std::hypot(order, x)));
}

/// e^(more - x) I_order(x), where `isFar`, for x > 0.
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
  if (!hasValue(order, x) || !(std::fabs(order) <= kMostOrder))
    return kNone;
  if (std::isinf(x))
    return 0;
  if (x == 0 && order < 0 && order != std::floor(order)) // x^order / Gamma(order + 1)
    return std::copysign(kInfinity, boost::math::tgamma(order + 1, Quiet()));
  return boost::math::cyl_bessel_j(order, x, Quiet());
}

Real besselI(Real order, Real x, bool isScaled) {
  if (!hasValue(order, x) || std::isinf(order))
    return kNone;
  Real a = std::fabs(x);
  if (x == 0 && order < 0 && order != std::floor(order))
    return std::copysign(kInfinity, boost::math::tgamma(order + 1, Quiet()));
  if (std::isinf(x)) {
    if (isScaled)
      return 0;
    return x > 0 || std::fmod(order, 2.0L) == 0 ? kInfinity : -kInfinity;
  }
  if (x == 0)
    return order == 0 ? 1 : 0;
  if (!isFar(order, a))
    return boost::math::cyl_bessel_i(order, x, Quiet()) * (isScaled ? std::exp(-a) : 1);
  Real y = farI(order, a, isScaled ? 0 : a);
  return x < 0 && std::fmod(order, 2.0L) != 0 ? -y : y;
}

Real besselK(Real order, Real x, bool isScaled) {
  if (!(x >= 0) || std::isinf(order))
    return kNone;
  if (x == 0 || std::isinf(x))
    return x == 0 ? kInfinity : 0.0L;
  const Real more = isScaled ? 0 : -x, a = std::fabs(order);
  if (!isFar(order, x)) {
    const Real y = boost::math::cyl_bessel_k(order, x, Quiet()); // NaN where it overflows
    return std::isnan(y) ? kInfinity : y * (isScaled ? std::exp(x) : 1);
  }
  if (isLarge(order, x))
    return largeK(a, x, more);
  return std::exp(more) * hankel(order, x, 1.0L) * std::sqrt(kPi / (2 * x));
}

} // namespace graphc::special
