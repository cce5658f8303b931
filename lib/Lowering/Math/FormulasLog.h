//===- FormulasLog.h - logarithms -----------------------------------*- C++ -*-===//
//
// x = m 2^e with m in [0.75, 1.5), f = m - 1. In f32: log m = f - f^2/2 + f^3 q(f), nine terms. In
// f64 with s = f / (2 + f): log m = f - (f^2/2 - s (f^2/2 + s^2 L(s^2))), the form of FDLIBM's
// e_log.c.
//===----------------------------------------------------------------------===//
#pragma once

#include "Lowering/Math/FormulasExp.h"

namespace graphc::math {

/// log(1+f) = f - half + factor inner for f in [-0.25, 0.5], half = f^2/2.
template <class F> struct LogTerms {
  F half, factor, inner;
};
template <class K, class F> LogTerms<F> logTerms(F f) {
  F half = f * (f * 0.5);
  if constexpr (kIsDouble<F>) {
    F s = f / (2.0 + f), u = s * s;
    return {half, s, mulAdd(u, polynomial(u, K::atanh), half)};
  } else {
    return {half, f * f, f * horner(f, K::log)};
  }
}

/// log(1+f) = f + the result.
template <class K, class F> F logRest(F f) {
  LogTerms<F> terms = logTerms<K>(f);
  return mulAdd(terms.factor, terms.inner, -terms.half);
}

/// log(1+f) + e ln2 where e ends with the infinities of splitExponent.
template <class K, class F> F logOfSplit(F f, F e, const F *rest = nullptr) {
  F high = fma(e, K::ln2Short0, f), low = f - (high - e * K::ln2Short0); // e ln2Short0 is exact
  F tail = mulAdd(e, K::ln2Short1, low);
  if (rest)
    tail = tail + *rest;
  F y;
  if constexpr (kIsDouble<F>)
    y = high + (logRest<K>(f) + tail);
  else
    y = high + mulAdd(f * f, mulAdd(horner(f, K::log), f, -0.5), tail);
  return select(equal(abs(e), kInf), e, y);
}

template <class K, class F> F logFormula(F x) {
  Split<F> s = splitExponent(x);
  return logOfSplit<K>(s.mantissa - 1.0, s.exponent);
}

/// log2 and log10: e c + log(1+f) / ln b. Next to 1 from below, e c and log(1+f) / ln b cancel, so
/// that the rounding of f^2/2 and of the quotient would count several times: f - f^2/2 is a pair
/// and its product with 1 / ln b, too.
template <class K, class F>
F logOfBase(F x, double inverse0, double inverse1, double step0, double step1) {
  Split<F> s = splitExponent(x);
  F f = s.mantissa - 1.0, e = s.exponent;
  LogTerms<F> terms = logTerms<K>(f);
  Pair<F> lead = fastTwoSum(f, -terms.half);
  F low = mulAdd(terms.factor, terms.inner, lead.low);
  F p = lead.high * inverse0, pl = fma(lead.high, inverse0, -p);
  F rest = mulAdd(low, inverse0, mulAdd(lead.high, inverse1, pl));
  if (step1 != 0)
    rest = mulAdd(e, step1, rest);
  Pair<F> sum = fastTwoSum(e * step0, p);
  return select(equal(abs(e), kInf), e, sum.high + (sum.low + rest));
}
template <class K, class F> F log2Formula(F x) {
  return logOfBase<K>(x, K::invLn20, K::invLn21, 1, 0);
}
template <class K, class F> F log10Formula(F x) {
  return logOfBase<K>(x, K::invLn100, K::invLn101, K::log10Short0, K::log10Short1);
}

/// log u, or log(1+x) for the same u = 1 + x where `exact` is not set: u then only chooses the
/// power of two, and f = x 2^-e + (2^-e - 1) keeps what u lost.
template <class K, class F> F logOrLog1p(F x, F u, const typename F::Mask *exact = nullptr) {
  Split<F> s = splitExponent(u);
  auto special = equal(abs(s.exponent), kInf);
  F t = scale(splat(x, 1.0), roundNearest(select(special, 0.0, -s.exponent)));
  F f = mulAdd(x, t, t - 1.0); // x t is exact
  if (exact)
    f = select(*exact, s.mantissa - 1.0, f);
  f = select(isNumber(s.mantissa), f, s.mantissa);
  return logOfSplit<K>(f, s.exponent);
}

template <class K, class F> F log1pFormula(F x) {
  F y = logOrLog1p<K>(x, 1.0 + x);
  return select(less(abs(x), kIsDouble<F> ? 0x1p-54 : 0x1p-25), x, y);
}

/// log(1+e) + larger for 0 < e <= 1. 1+e is in [1, 2]: halved above 1.5.
template <class K, class F> F log1pOfUnit(F e, F larger) {
  auto big = less(0.5, e);
  F t = select(big, splat(e, 0.5), 1.0), f = fma(e, t, t - 1.0);
  Pair<F> a = twoSum(larger, select(big, splat(e, K::ln20), 0.0)), b = twoSum(a.high, f);
  return b.high + (logRest<K>(f) + (a.low + b.low));
}

/// max(x, 0) + log(1 + e^-|x|); where e^-x does not count, x itself (and inf).
template <class K, class F> F softplusFormula(F x) {
  F y = log1pOfUnit<K>(expFormula<K>(-abs(x)), atLeast(x, 0.0));
  return select(less(40.0, x), x, y);
}

/// max + log(1 + e^-|x-y|); equal infinities must not be subtracted.
template <class K, class F> F logAddExpFormula(F x, F y) {
  F larger = select(less(x, y), y, x);
  F d = select(equal(x, y), 0.0, -abs(x - y));
  F sum = log1pOfUnit<K>(expFormula<K>(d), larger);
  return select(equal(abs(larger), kInf) & isNumber(d), larger, sum);
}

/// log(1 - e^x), x <= 0: log(-expm1 x) above -ln2, log1p(-e^x) below.
template <class K, class F> F log1mexpFormula(F x) {
  F xc = atLeast(atMost(x, 1.0), kExpLow<F>);
  ReducedExp<F> r = reduceExp<K>(atLeast(xc, kIsDouble<F> ? -40.0 : -20.0), K::expm1);
  Pair<F> e = expm1Pair(r, powerOfTwo(r.n));
  F y = -expClamped<K>(xc);
  auto near = less(-0.69314718055994531, x);
  F result = logOrLog1p<K>(y, -(e.high + e.low), &near);
  return select(less(x, kIsDouble<F> ? -38.0 : -18.0), y, result);
}

/// log(p / (1-p)) = log1p((2p-1) / (1-p)); the first form below 1/4, where 2p-1 would lose p.
template <class K, class F> F logitFormula(F p) {
  F q = 1.0 - p;
  auto low = less(p, 0.25);
  return logOrLog1p<K>(((p - 0.5) + (p - 0.5)) / q, p / q, &low);
}

/// log1p(z), or log(2a) for a above 2^28.
template <class K, class F> F log1pWithDoubling(F a, F z) {
  auto big = less(0x1p28, a);
  F y = log1pFormula<K>(select(big, a - 1.0, z));
  return y + select(big, splat(a, K::ln20), 0.0);
}

/// log(a + sqrt(a^2 + 1)) as log1p of the part beyond 1. Above 2^28 the root is a: log(a) + ln2.
template <class K, class F> F arcsinhFormula(F x) {
  F a = abs(x), ac = atMost(a, 0x1p28);
  F square = ac * ac, z = ac + square / (1.0 + sqrt(1.0 + square));
  return withSign(log1pWithDoubling<K>(a, z), x);
}

/// log(x + sqrt(x^2 - 1)) with t = x - 1: log1p(t + sqrt(2t + t^2)).
template <class K, class F> F arccoshFormula(F x) {
  F t = atMost(x, 0x1p28) - 1.0;
  F y = log1pWithDoubling<K>(x, t + sqrt(mulAdd(t, t, t + t)));
  return select(lessEqual(1.0, x), y, kNaN);
}

/// log1p(2a / (1-a)) / 2.
template <class K, class F> F arctanhFormula(F x) {
  F a = abs(x);
  return withSign(log1pFormula<K>((a + a) / (1.0 - a)) * 0.5, x);
}

} // namespace graphc::math
