//===- FormulasErf.h - error functions and the normal distribution --*- C++ -*-===//
//
// For a >= 0: erfc(a) = e^(-a^2) w P(w - 1/2), w = 1 / (1 + c a): one polynomial for all a
// (fit.py). Keeps the relative accuracy of the tail; a^2 is split exactly for the exponential.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering/Math/FormulasLog.h"

namespace graphc::math {

/// e^(b^2) erfc(b) for b = unit a >= 0 (and within the fit's range).
template <class K, class F> F erfcxPositive(F a, double unit = 1) {
  F w = 1.0 / mulAdd(a, K::erfcxScale * unit, splat(a, 1.0));
  return w * polynomial(w - 0.5, K::erfcx);
}

/// y e^(-factor a^2) for a >= 0 that ends before the result has vanished.
template <class K, class F> F timesExpMinusSquare(F y, F a, double factor) {
  Pair<F> square = twoProduct(a, a);
  return expClampedTimes<K>(square.high * -factor, square.low * -factor, y);
}

/// erfc(a) for a >= 0; it has vanished at the clamp.
template <class K, class F> F erfcPositive(F a) {
  F ac = atMost(a, kIsDouble<F> ? 27.5 : 10.2);
  return timesExpMinusSquare<K>(erfcxPositive<K>(ac), ac, 1);
}

template <class K, class F> F erfFormula(F x) {
  if constexpr (!kIsDouble<F>)
    if (hasTables(x))
      return bySegments(x, K::erfTable, 5.0);
  F a = abs(x), u = atMost(fmaWhereCheap(x, x, -K::erfSmallCentre), 1.0);
  F large = withSign(1.0 - erfcPositive<K>(a), x);
  F small = fmaWhereCheap(x, polynomial(u, K::erfSmall), x);
  return select(less(a, K::erfSmallEnd), small, large);
}

/// 1 / x to 42 bits for a normal x > 0: without a division where there is an estimate.
template <class F> F inverse(F x) {
  if (!hasScale(x))
    return 1.0 / x;
  F y = nativeReciprocal(x), e = fma(-x, y, splat(x, 1.0));
  return mulAdd(y, mulAdd(e, e, e), y);
}

/// erfc of f32 to about 2^-33, in f64: there a^2 is exact, and no step but the last needs more than
/// 40 bits. e^(a^2) erfc(a) is a quotient, for which there is one division anyway; the result is
/// normal in f64 where it has vanished in f32.
template <class F> F erfcOfSingle(F x) {
  using K = WideCoefficients;
  auto wide = widen(x), a = atMost(abs(wide), 10.2), square = a * a;
  auto n = roundProduct(square, -K::invLn20);
  auto r = mulAdd(n.value, -K::ln20, -square);
  auto power = mulAdd(r * r, polynomial(r, K::exp), 1.0 + r);
  auto over = power * polynomial(a, K::erfcxSingleOver), under = polynomial(a, K::erfcxSingleUnder);
  auto y = hasScale(a) ? nativeScale(over * inverse(under), n.value) : over / under * powerOfTwo(n);
  return narrow(select(less(wide, 0.0), 2.0 - y, y));
}

template <class F> F erfcFormula(F x) {
  if constexpr (!kIsDouble<F>) {
    return erfcOfSingle(x);
  } else {
    F y = erfcPositive<DoubleCoefficients>(abs(x));
    return select(less(x, 0.0), 2.0 - y, y);
  }
}

/// e^(x^2) erfc(x); below 0 it is 2 e^(x^2) - erfcx(-x).
template <class K, class F> F erfcxFormula(F x) {
  F a = abs(x), y = erfcxPositive<K>(a), ac = atMost(a, 28.0);
  return select(less(x, 0.0), timesExpMinusSquare<K>(splat(x, 2.0), ac, -1) - y, y);
}

/// Phi(-a) = erfc(a / sqrt 2) / 2 = e^(-a^2/2) g(a), a >= 0.
template <class K, class F> F normalFactor(F a) {
  return erfcxPositive<K>(a, 0.70710678118654752440) * 0.5;
}
template <class F> inline constexpr double kNormalEnd = kIsDouble<F> ? 38.9 : 14.4;
template <class K, class F> F normalTail(F a) {
  F ac = atMost(a, kNormalEnd<F>);
  return timesExpMinusSquare<K>(normalFactor<K>(ac), ac, 0.5);
}

template <class K, class F> F ndtrFormula(F x) {
  F tail = normalTail<K>(abs(x));
  return select(less(x, 0.0), tail, 1.0 - tail);
}

/// log Phi(x): -x^2/2 + log g(-x) below -1, log1p(-Phi(-x)) above.
template <class K, class F> F logNdtrFormula(F x) {
  F a = abs(x), tail = normalTail<K>(a);
  auto low = less(x, -1.0);
  // For -1 <= x < 0: 1 - Phi(-x) is Phi(x), the tail itself.
  auto direct = low | less(x, 0.0);
  F u = select(low, normalFactor<K>(a), select(direct, tail, 1.0 - tail));
  F y = logOrLog1p<K>(-tail, u, &direct);
  F base = select(low, a * (a * -0.5), 0.0);
  return select(equal(x, -kInf), x, y + base);
}

/// x Phi(x), accurate in the negative tail.
template <class K, class F> F geluFormula(F x) {
  F a = atMost(abs(x), kNormalEnd<F>);
  auto negative = less(x, 0.0);
  F y = timesExpMinusSquare<K>(select(negative, -a, a) * normalFactor<K>(a), a, 0.5);
  return select(negative, y, select(less(kNormalEnd<F>, x), x, x - y));
}

} // namespace graphc::math
