//===- FormulasTrig.h - sine, cosine, tangent -----------------------*- C++ -*-===//
//
// x = n pi/2 + r with pi/2 in three parts: x - n A is exact with FMA, the product with B is split
// exactly, C brings the tail, so r comes as a pair. Larger arguments call libm lane by lane.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering/Math/FormulaCore.h"

namespace graphc::math {

/// Largest |x| of the fast reduction: n C must stay below the result's last bit, n exact.
template <class F> inline constexpr double kTrigLimit = kIsDouble<F> ? 0x1p30 : 0x1p17;

/// f32 in f64: the digits behind a number are of no account.
template <class K> inline constexpr bool kIsWide = std::is_same_v<K, WideCoefficients>;

template <class F> struct SinCos {
  F sin, cos;
  typename F::Int quadrant;
};

template <class F> auto isOdd(typename F::Int quadrant) { return nonZero(quadrant & 1); }

/// sin and cos of r = high + low, |r| <= pi/4 and a little; where that is wide, of r.
template <class K, class F> SinCos<F> sinCosKernel(F r, F low, typename F::Int quadrant) {
  F u = r * r;
  if constexpr (kIsWide<K>)
    return {mulAdd(r * u, polynomial(u, K::sin), r),
            mulAdd(u * u, polynomial(u, K::cos), mulAdd(u, -0.5, 1.0)), quadrant};
  F s = mulAdd(r * u, polynomial(u, K::sin), low);
  F half = u * 0.5, w = 1.0 - half;
  F c = w + mulAdd(u * u, polynomial(u, K::cos), ((1.0 - w) - half) - r * low);
  return {r + s, c, quadrant};
}

template <class K, class F> SinCos<F> sinCosReduced(F x) {
  Rounded<F> n = roundProduct(x, K::twoOverPi);
  F r1 = fma(n.value, -K::halfPi0, x);
  if constexpr (kIsWide<K>)
    return sinCosKernel<K>(mulAdd(n.value, -K::halfPi1, r1), r1, bits(n.biased));
  F ph = n.value * K::halfPi1, pl = fma(n.value, K::halfPi1, -ph);
  Pair<F> r = twoSum(r1, -ph);
  F low = mulAdd(n.value, -K::halfPi2, r.low - pl);
  return sinCosKernel<K>(r.high, low, bits(n.biased));
}

/// Bit 1 of the quadrant, as a sign bit.
template <class F> auto quadrantSign(typename F::Int quadrant) {
  return (quadrant & 2) << (Format<F>::kBits - 2);
}

template <class K, class F> F sinFormula(F x) {
  SinCos<F> p = sinCosReduced<K>(x);
  F y = select(isOdd<F>(p.quadrant), p.cos, p.sin);
  y = fromBits(bits(y) ^ quadrantSign<F>(p.quadrant));
  y = select(equal(x, 0.0), x, y); // the sign of zero
  return coldLanes(LibmFunction::Sin, !lessEqual(abs(x), kTrigLimit<F>), x, x, y);
}

template <class K, class F> F cosFormula(F x) {
  SinCos<F> p = sinCosReduced<K>(x);
  F y = select(isOdd<F>(p.quadrant), p.sin, p.cos);
  y = fromBits(bits(y) ^ quadrantSign<F>(p.quadrant + 1));
  return coldLanes(LibmFunction::Cos, !lessEqual(abs(x), kTrigLimit<F>), x, x, y);
}

/// sin(pi x) / (pi x): x is reduced exactly, first by 2, then by 1/2.
template <class K, class F> F sincFormula(F x) {
  constexpr double kWhole = kIsDouble<F> ? 0x1p52 : 0x1p23; // integers from here on
  F r = x - roundNearest(x * 0.5).value * 2.0;
  r = select(less(abs(x), kWhole), r, x - x); // 0; NaN for inf
  Rounded<F> n = roundNearest(r + r);
  r = mulAdd(n.value, -0.5, r);
  F high = r * (2 * K::halfPi0), low = high;
  if constexpr (!kIsWide<K>)
    low = mulAdd(r, 2 * K::halfPi1, fma(r, 2 * K::halfPi0, -high));
  SinCos<F> p = sinCosKernel<K>(high, low, bits(n.biased));
  F y = select(isOdd<F>(p.quadrant), p.cos, p.sin);
  y = fromBits(bits(y) ^ quadrantSign<F>(p.quadrant));
  // 1 - (pi x)^2 / 6 next to 0, where without FMA subnormals have no exact product.
  return select(less(abs(x), 0x1p-30), 1.0, y / (x * (2 * K::halfPi0)));
}

/// sin/cos or -cos/sin.
template <class K, class F> F tanFormula(F x) {
  SinCos<F> p = sinCosReduced<K>(x);
  auto odd = isOdd<F>(p.quadrant);
  F y = select(odd, -p.cos, p.sin) / select(odd, p.sin, p.cos);
  y = select(equal(x, 0.0), x, y);
  return coldLanes(LibmFunction::Tan, !lessEqual(abs(x), kTrigLimit<F>), x, x, y);
}

} // namespace graphc::math
