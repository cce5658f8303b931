//===- FormulasExp.h - exponentials and their logistic relatives ----*- C++ -*-===//
//
// e^x = 2^n e^r with r in +-ln2/2. r = r1 + t: r1 = x - n ln2 is exact with the first part of ln2,
// t carries the rest, so that only one rounding enters the linear term of e^r = 1 + r1 + (r^2 q(r)
// + t).
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering/Math/FormulaCore.h"

namespace graphc::math {

/// e^x = 2^n (1 + high + low).
template <class F> struct ReducedExp {
  Rounded<F> n;
  F high, low;
  F tail() const { return high + low; }
};

/// For |x| below the overflow border and a little more. `rest` is added to x unrounded.
/// `q` is K::exp where 1 is added to the result, K::expm1, one term longer, where it is not.
template <class K, class F, class T, int N>
ReducedExp<F> reduceExp(F x, const T (&q)[N], const F *rest = nullptr) {
  Rounded<F> n = roundProduct(x, K::invLn20);
  F r1 = fma(n.value, -K::ln20, x);
  F t = rest ? mulAdd(n.value, -K::ln21, *rest) : n.value * -K::ln21;
  F r = r1 + t;
  F square = r * r, p = polynomial(r, q);
  return {n, r1, fmaWhereCheap(square, p, t)};
}

/// Where e^x has overflowed and where it has vanished, with room for a sum of two.
template <class F> inline constexpr double kExpHigh = kIsDouble<F> ? 710.0 : 89.0;
template <class F> inline constexpr double kExpLow = kIsDouble<F> ? -760.0 : -120.0;

template <class K, class F> F expClamped(F x) {
  ReducedExp<F> e = reduceExp<K>(x, K::exp);
  return scale(1.0 + e.tail(), e.n);
}
/// factor e^(x + rest): the product does not pass through the subnormals unless it ends there.
template <class K, class F> F expClampedTimes(F x, F rest, F factor) {
  ReducedExp<F> e = reduceExp<K>(x, K::exp, &rest);
  return scale(mulAdd(factor, e.tail(), factor), e.n);
}

template <class K, class F> F expFormula(F x) {
  return expClamped<K>(atLeast(atMost(x, kExpHigh<F>), kExpLow<F>));
}

template <class K, class F> F exp2Formula(F x) {
  constexpr double kHigh = kIsDouble<F> ? 1025 : 129, kLow = kIsDouble<F> ? -1100 : -160;
  F xc = atLeast(atMost(x, kHigh), kLow);
  Rounded<F> n = roundNearest(xc);
  F r = xc - n.value;
  return scale(fmaWhereCheap(r, polynomial(r, K::exp2), 1.0), n);
}

/// 2^n for a normal result, from the biased form.
template <class F> F powerOfTwo(Rounded<F> n) {
  return fromBits((bits(n.biased) << Format<F>::kMantissaBits) + Format<F>::kOneBits);
}

/// e^x - 1 as a pair that is accurate relative to itself, for 2^n normal. Keeps no sign of zero.
template <class F> Pair<F> expm1Pair(ReducedExp<F> e, F power) {
  F whole = power - 1.0, lost = (power - whole) - 1.0;
  Pair<F> sum = fastTwoSum(whole, power * e.high);
  return {sum.high, mulAdd(power, e.low, sum.low + lost)};
}
template <class K, class F> Pair<F> expm1Pair(F x) {
  ReducedExp<F> e = reduceExp<K>(x, K::expm1);
  return expm1Pair(e, powerOfTwo(e.n));
}

template <class K, class F> F expm1Formula(F x) {
  ReducedExp<F> e =
      reduceExp<K>(atLeast(atMost(x, kExpHigh<F>), kIsDouble<F> ? -40.0 : -20.0), K::expm1);
  // 2^(bias + 1) is no number: halve it there, double the result.
  auto top = less(double(Format<F>::kBias), e.n.value);
  F power = powerOfTwo(Rounded<F>{select(top, e.n.biased - 1.0, e.n.biased), e.n.value});
  Pair<F> y = expm1Pair(e, power);
  F sum = y.high + y.low;
  return withSign(select(top, sum + sum, sum), x);
}

/// tanh a = E / (E + 2), E = e^2a - 1; the remainder of the division and the low parts are put
/// back.
template <class K, class F> F tanhByExp(F x) {
  F a = atMost(abs(x), kIsDouble<F> ? 20.0 : 10.0);
  Pair<F> e = expm1Pair<K>(a + a);
  e = fastTwoSum(e.high, e.low);
  Pair<F> d = twoSum(e.high, splat(x, 2.0));
  F inverse = 1.0 / d.high, q = e.high * inverse;
  F remainder = fma(-q, d.high, e.high) + mulAdd(-q, d.low + e.low, e.low);
  return withSign(mulAdd(remainder, inverse, q), x);
}

/// sinh a = (E + E / (E + 1)) / 2, E = e^a - 1; where e^-a has vanished, e^(a - ln2).
template <class K, class F> F sinhFormula(F x) {
  F a = abs(x);
  ReducedExp<F> r = reduceExp<K>(atMost(a, kIsDouble<F> ? 711.0 : 90.0), K::expm1);
  Pair<F> e = expm1Pair(r, powerOfTwo(r.n));
  F sum = e.high + e.low;
  e = {sum, e.low - (sum - e.high)};
  F small = (e.high + (e.high / (e.high + 1.0) + e.low)) * 0.5;
  F large = scale(1.0 + r.tail(), makeRounded(r.n.biased - 1.0));
  return withSign(select(less(kIsDouble<F> ? 22.0 : 10.0, a), large, small), x);
}

/// cosh a = h + 1 / (4 h), h = e^a / 2, which overflows only when the result does.
template <class K, class F> F coshFormula(F x) {
  ReducedExp<F> r = reduceExp<K>(atMost(abs(x), kIsDouble<F> ? 711.0 : 90.0), K::expm1);
  F h = scale(1.0 + r.tail(), makeRounded(r.n.biased - 1.0));
  return h + 0.25 / h;
}

/// Odd function with a table of 32 segments (see fit.py); `top` is where it has become 1. Its
/// polynomial is one of t^2 with pairs as coefficients: a recurrence waits for each result, and
/// that is 8 cycles less of it than coefficient by coefficient.
template <class F, class T, int N> F bySegments(F x, const T (&rows)[N][32], double top) {
  F a = atMost(abs(x), top);
  constexpr int64_t kFirst = int64_t(Format<F>::kBias - 4) << Format<F>::kMantissaBits; // 2^-4
  auto index = (bits(atLeast(a, 0x1p-4)) - kFirst) >> (Format<F>::kMantissaBits - 2);
  F t = a - lookup(x, rows[0], index), square = t * t;
  auto pair = [&](int k) {
    return fma(lookup(x, rows[k + 1], index), t, lookup(x, rows[k], index));
  };
  static_assert(N % 2 == 1, "pairs of coefficients");
  F p = pair(N - 2);
  for (int k = N - 4; k >= 3; k -= 2)
    p = fma(p, square, pair(k));
  // In the first segment the value at the centre is 0 and t is x: start from t itself there.
  F start = select(less(a, 1.25 * 0x1p-4), t, lookup(x, rows[1], index));
  return withSign(start + fma(t, p, lookup(x, rows[2], index)), x);
}

template <class K, class F> F tanhFormula(F x) {
  if constexpr (!kIsDouble<F>)
    if (hasTables(x))
      return bySegments(x, K::tanhTable, 15.0);
  return tanhByExp<K>(x);
}

/// factor / (1 + e^-x) for x = high + low; no low part: nullptr, factor 1: nullptr. e = e^-|x|
/// never overflows; what numerator and denominator lost and the remainder of the division are
/// folded back with 1 / (1 + e) = 1 - e/2, close enough for a correction.
template <class K, class F> F timesSigmoid(const F *factor, F high, const F *low) {
  auto negative = less(high, 0.0);
  F a = atLeast(-abs(high), kExpLow<F>), rest = a;
  if (low)
    rest = select(negative, *low, -*low);
  ReducedExp<F> r = reduceExp<K>(a, K::exp, low ? &rest : nullptr);
  Scaler<F> scaled(r.n);
  F tail = r.tail(), h = 1.0 + tail, l = tail - (h - 1.0);
  F e = scaled(h), el = scaled(l), num = e, numLow = el;
  if (factor) { // multiplied before the scaling, which may end in the subnormals
    Pair<F> p = twoProduct(*factor, h);
    num = scaled(p.high), numLow = scaled(mulAdd(*factor, l, p.low));
  }
  num = select(negative, num, factor ? *factor : splat(high, 1.0));
  numLow = select(negative, numLow, 0.0);
  F d = 1.0 + e, dl = (e - (d - 1.0)) + el;
  F q = num / d;
  F remainder = mulAdd(-q, dl, fma(-q, d, num)) + numLow;
  return mulAdd(remainder, mulAdd(e, -0.5, splat(e, 1.0)), q);
}

template <class K, class F> F sigmoidFormula(F x) {
  return timesSigmoid<K, F>(nullptr, x, nullptr);
}

/// x sigmoid(x). Far below 0 the product has vanished, and -inf gives 0 rather than NaN; inf must
/// not meet inf - inf in the remainder. The remainder of -0 is +0, which would be added.
template <class K, class F> F siluFormula(F x) {
  F xc = atLeast(x, kExpLow<F>);
  return select(less(100.0, x), x, withSign(timesSigmoid<K, F>(&xc, xc, nullptr), x));
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)).
/// The argument is kept as a pair: its error counts as often as it is large.
template <class K, class F> F geluTanhFormula(F x) {
  F xc = atLeast(atMost(x, 100.0), -100.0);
  Pair<F> square = twoProduct(xc, xc), cubic = twoProduct(square.high, splat(x, K::geluCubic0));
  F cubicLow = mulAdd(square.low, K::geluCubic0, mulAdd(square.high, K::geluCubic1, cubic.low));
  Pair<F> factor = twoSum(cubic.high, splat(x, K::geluLinear0));
  F factorLow = factor.low + (cubicLow + K::geluLinear1);
  Pair<F> z = twoProduct(xc, factor.high);
  F low = mulAdd(xc, factorLow, z.low);
  return select(less(100.0, x), x, withSign(timesSigmoid<K, F>(&xc, z.high, &low), x));
}

} // namespace graphc::math
