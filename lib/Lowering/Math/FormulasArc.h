//===- FormulasArc.h - inverse trigonometric functions --------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/FormulaCore.h"

namespace graphc::math {

/// arctan(a / b) for a, b >= 0 as base + rest, with one division: by the quotient's size
/// arctan t = t + t^3 A(t^2) of t = a/b, of (a-b)/(a+b) after pi/4, or of -b/a after pi/2; |t| <=
/// tan(pi/8).
template <class K, class F> Pair<F> arctanOfQuotient(F a, F b) {
  auto steep = less(b * 2.4142135623730951, a), middle = less(b * 0.41421356237309503, a);
  F numerator = select(steep, -b, select(middle, a - b, a));
  F denominator = select(steep, a, select(middle, a + b, b));
  F t = numerator / select(equal(denominator, 0.0), 1.0, denominator);
  F high = select(steep, splat(a, K::halfPi0), select(middle, splat(a, K::halfPi0 * 0.5), 0.0));
  F low = select(steep, splat(a, K::halfPi1), select(middle, splat(a, K::halfPi1 * 0.5), 0.0));
  F u = t * t;
  return {high, t + mulAdd(t * u, polynomial(u, K::arctan), low)};
}

template <class K, class F> F arctanFormula(F x) {
  Pair<F> y = arctanOfQuotient<K>(abs(x), splat(x, 1.0));
  return withSign(y.high + y.low, x);
}

/// The angle of (x, y), with IEEE's signs: pi - angle for negative x (-0 too), then the sign of y.
template <class K, class F> F arctan2Formula(F y, F x) {
  F a = abs(y), b = abs(x);
  auto infinite = equal(a, kInf) & equal(b, kInf);
  if constexpr (std::is_same_v<K, DoubleCoefficients>) { // a + b must not overflow, nor the
                                                         // quotient of subnormals lose bits
    F larger = select(less(a, b), b, a);
    F by = select(less(0x1p1000, larger), 0x1p-60,
                  select(less(larger, 0x1p-900), splat(x, 0x1p120), 1.0));
    a = a * by, b = b * by;
  }
  a = select(infinite, 1.0, a), b = select(infinite, 1.0, b);
  Pair<F> angle = arctanOfQuotient<K>(a, b);
  F pi = splat(x, 2 * K::halfPi0), base = pi - angle.high, lost = (pi - base) - angle.high;
  F other = base + ((2 * K::halfPi1 + lost) - angle.low);
  return withSign(select(nonZero(signBits(x)), other, angle.high + angle.low), y);
}

/// arcsin z = z + z^3 S(z^2) up to 1/2; above, arcsin a = pi/2 - 2 arcsin(sqrt((1-a)/2)).
template <class F> struct ArcReduced {
  F z, rest;
  typename F::Mask outer;
};
template <class K, class F> ArcReduced<F> reduceArc(F a) {
  auto outer = less(0.5, a);
  F u = select(outer, mulAdd(a, -0.5, splat(a, 0.5)), a * a), z = select(outer, sqrt(u), a);
  return {z, z * u * polynomial(u, K::arcsin), outer};
}

template <class K, class F> F arcsinFormula(F x) {
  ArcReduced<F> r = reduceArc<K>(abs(x));
  F z = r.z + r.rest, outer = K::halfPi0 - ((r.z + r.z) + (r.rest + (r.rest - K::halfPi1)));
  return withSign(select(r.outer, outer, z), x);
}

template <class K, class F> F arccosFormula(F x) {
  ArcReduced<F> r = reduceArc<K>(abs(x));
  auto negative = less(x, 0.0);
  F z = (r.z + r.rest) * 2.0;
  F outer = select(negative, 2 * K::halfPi0 - (z - 2 * K::halfPi1), z);
  F inner = K::halfPi0 - (x + (select(negative, -r.rest, r.rest) - K::halfPi1));
  return select(r.outer, outer, inner);
}

} // namespace graphc::math
