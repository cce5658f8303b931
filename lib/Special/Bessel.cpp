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

/// Beyond, e^x has no number, and Hankel's series (NIST 10.40.1, 10.40.2) is exact to the last bit
/// for orders of which four squares are less than x.
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
  if (!isScaled)
    return boost::math::cyl_bessel_i(order, x, Quiet());
  if (a < kFar)
    return boost::math::cyl_bessel_i(order, x, Quiet()) * std::exp(-a);
  Real y = hankel(order, a, -1.0L) / std::sqrt(2 * kPi * a);
  return x < 0 && std::fmod(order, 2.0L) != 0 ? -y : y;
}

Real besselK(Real order, Real x, bool isScaled) {
  if (!(x >= 0) || !(std::fabs(order) <= kMostOrder))
    return kNone;
  if (x == 0 || std::isinf(x))
    return x == 0 ? kInfinity : 0.0L;
  if (!isScaled)
    return boost::math::cyl_bessel_k(order, x, Quiet());
  if (x < kFar)
    return boost::math::cyl_bessel_k(order, x, Quiet()) * std::exp(x);
  return hankel(order, x, 1.0L) * std::sqrt(kPi / (2 * x));
}

} // namespace graphc::special
