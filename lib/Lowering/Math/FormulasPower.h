//===- FormulasPower.h - roots and powers ---------------------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/FormulasLog.h"
#include "Lowering/Math/FormulasRound.h"

namespace graphc::math {

/// 14 bits where there is an instruction for them, else about all but one.
template <class F> F rsqrtEstimate(F x) {
  if constexpr (!kIsDouble<F>)
    if (hasScale(x))
      return nativeRsqrt(x);
  return 1.0 / sqrt(x);
}

/// One third-order step from an estimate; 0 and inf, where x y is NaN, keep the estimate.
template <class F> F rsqrtFormula(F x) {
  F y = rsqrtEstimate(x);
  F h = x * y, e = fma(-h, y, splat(x, 1.0));
  e = e - fma(x, y, -h) * y; // what the product lost
  F z = mulAdd(y * e, mulAdd(e, 0.375, splat(e, 0.5)), y);
  return select(isNumber(e), z, y);
}

/// x = m 2^e, e = 3k + r: the root of m from q = m^(-1/3) (fit) by Newton steps without division,
/// c - (c^3 - m) q^2 / 3, times 2^(r/3) 2^k.
template <class K, class F> F cbrtFormula(F x) {
  Split<F> s = splitExponent(abs(x));
  auto special = equal(abs(s.exponent), kInf);
  F m = s.mantissa, e = select(special, 0.0, s.exponent);
  Rounded<F> k = roundProduct(e, 0.33333333333333331);
  F r = mulAdd(k.value, -3.0, e);
  F q = polynomial(m, K::cbrt), c = m * (q * q), third = (q * q) * 0.33333333333333331;
  c = c - mulAdd(c * c, c, -m) * third;
  Pair<F> square = twoProduct(c, c), cube = twoProduct(c, square.high);
  F rest = ((m - cube.high) - mulAdd(c, square.low, cube.low)) * third;
  auto up = less(0.0, r), down = less(r, 0.0);
  F f0 = select(up, splat(x, K::cbrtTwo0), select(down, splat(x, K::cbrtHalf0), 1.0));
  F f1 = select(up, splat(x, K::cbrtTwo1), select(down, splat(x, K::cbrtHalf1), 0.0));
  F y = fma(c, f0, mulAdd(rest, f0, c * f1)) * powerOfTwo(k);
  return withSign(select(special, abs(x), y), x);
}

/// sqrt(x^2 + y^2): in f64 the sum of squares is a pair, and the root is corrected by its
/// remainder.
template <class F> F hypotFormula(F x, F y) {
  F a = abs(x), b = abs(y);
  auto infinite = equal(a, kInf) | equal(b, kInf);
  if constexpr (!kIsDouble<F>) {
    auto wa = widen(a), wb = widen(b);
    return select(infinite, kInf, narrow(sqrt(mulAdd(wa, wa, wb * wb))));
  } else {
    auto order = less(a, b);
    F high = select(order, b, a), low = select(order, a, b);
    auto large = less(0x1p500, high), small = less(high, 0x1p-500);
    F by = select(large, 0x1p-600, select(small, splat(x, 0x1p600), 1.0));
    F back = select(large, 0x1p600, select(small, splat(x, 0x1p-600), 1.0));
    high = high * by, low = low * by;
    Pair<F> p = twoProduct(high, high), q = twoProduct(low, low), s = fastTwoSum(p.high, q.high);
    F h = sqrt(s.high);
    F rest = fma(-h, h, s.high) + (s.low + (p.low + q.low));
    h = select(less(0.0, h), mulAdd(rest / h, 0.5, h), h);
    return select(infinite, kInf, h * back);
  }
}

/// The rules around |x|^y: signs, integers, 0, 1, inf, NaN (IEEE 754 pow).
template <class F> F finishPower(F x, F y, F magnitude) {
  auto integer = equal(roundEvenValue(y), y);
  F half = y * 0.5;
  auto odd = integer & !equal(roundEvenValue(half), half);
  F signedValue = select(odd & nonZero(signBits(x)), -magnitude, magnitude);
  F r = select(less(x, 0.0) & less(-kInf, x) & !integer, kNaN, signedValue);
  return select(equal(x, 1.0) | equal(y, 0.0), 1.0, r);
}

/// |x|^y = e^(y log |x|) evaluated in f64 for f32 operands.
template <class F> F powOfSingle(F x, F y) {
  using K = WideCoefficients;
  auto l = logFormula<K>(abs(widen(x)));
  // 1 to any power: 0 inf is no NaN here.
  auto product = select(equal(l, 0.0) & isNumber(widen(y)), 0.0, widen(y) * l);
  return finishPower(x, y, narrow(expFormula<K>(product)));
}

/// log x to about 2^-64 of itself, for x > 0; an infinity of the exponent ends in `high`. As
/// logRest, with s, s^3 and the first coefficient in two parts each.
template <class K, class F> Pair<F> logPair(F x) {
  Split<F> split = splitExponent(x);
  auto special = equal(abs(split.exponent), kInf);
  F e = select(special, 0.0, split.exponent), f = split.mantissa - 1.0;
  F d = 2.0 + f, dl = f - (d - 2.0), inverse = 1.0 / d;
  F s = f * inverse, sl = mulAdd(-s, dl, fma(-s, d, f)) * inverse;
  F u = s * s, ul = fma(s, s, -u) + 2.0 * s * sl;
  Pair<F> p = fastTwoSum(splat(x, K::twoThirds0), u * polynomial(u, K::atanhTail));
  p.low = p.low + K::twoThirds1;
  F cube = u * s, cubeLow = mulAdd(u, sl, mulAdd(ul, s, fma(u, s, -cube)));
  F v = cube * p.high, vl = mulAdd(cube, p.low, mulAdd(cubeLow, p.high, fma(cube, p.high, -v)));
  Pair<F> a = fastTwoSum(s + s, v);
  Pair<F> b = fastTwoSum(e * K::ln2Short0, a.high); // the product is exact
  F low = b.low + mulAdd(e, K::ln2Short1, a.low + mulAdd(sl, 2.0, vl));
  Pair<F> sum = fastTwoSum(b.high, low);
  return {select(special, split.exponent, sum.high), sum.low};
}

/// e^(y log |x|) with the logarithm and the product as pairs.
template <class K, class F> F powOfDouble(F x, F y) {
  Pair<F> l = logPair<K>(abs(x));
  F product = y * l.high;
  auto one = equal(l.high, 0.0) & isNumber(y); // 1 to any power: 0 inf is no NaN here
  F low = mulAdd(y, l.low, fma(y, l.high, -product));
  low = select(less(abs(product), 800.0) & !one, low, 0.0);
  product = atLeast(atMost(select(one, 0.0, product), kExpHigh<F>), kExpLow<F>);
  return finishPower(x, y, expClampedTimes<K>(product, low, splat(x, 1.0)));
}

/// x^n, n > 0, by squares.
template <class V, class Multiply> V wholePower(V x, int n, Multiply multiply) {
  while (n % 2 == 0)
    x = multiply(x, x), n /= 2;
  V result = x;
  while (n /= 2) {
    x = multiply(x, x);
    if (n % 2)
      result = multiply(result, x);
  }
  return result;
}

/// x^(-1/2) to 43 bits, x no subnormal number: one third-order step from the estimate, which 0 and
/// inf keep.
template <class F> F inverseRoot(F x) {
  if (!hasScale(x))
    return 1.0 / sqrt(x);
  F y = nativeRsqrt(x), e = fma(-(x * y), y, splat(x, 1.0));
  return select(isNumber(e), mulAdd(y * e, mulAdd(e, 0.375, splat(e, 0.5)), y), y);
}

/// |x|^(twice/2) in f64, which neither overflows nor vanishes before f32 does. With the estimate a
/// negative power is one of x^(-1/2): no division.
template <class F> F halfPowerOfSingle(F x, int twice) {
  auto a = abs(widen(x));
  using W = decltype(a);
  auto times = [](W u, W v) { return u * v; };
  const int n = twice < 0 ? -twice : twice;
  if (twice < 0 && hasScale(a))
    return narrow(wholePower(inverseRoot(a), n, times));
  W r = a;
  if (n % 2) {
    W product = hasScale(a) ? a * inverseRoot(a) : sqrt(a);
    r = hasScale(a) ? select(isNumber(product), product, a) : product; // not 0 inf
    if (n > 1)
      r = r * wholePower(a, n / 2, times);
  } else {
    r = wholePower(a, n / 2, times);
  }
  return narrow(twice < 0 ? 1.0 / r : r);
}

/// The product to twice the precision of F.
template <class F> Pair<F> multiplyPairs(Pair<F> a, Pair<F> b) {
  Pair<F> p = twoProduct(a.high, b.high);
  return fastTwoSum(p.high, mulAdd(a.high, b.low, mulAdd(a.low, b.high, p.low)));
}

/// x^(-1/2) for a normal x > 0: what the inverse root lost is put back in the same way.
template <class F> Pair<F> inverseRootPair(F x) {
  F y = inverseRoot(x);
  Pair<F> h = twoProduct(x, y);
  F e = fma(-h.high, y, splat(x, 1.0)) - h.low * y;
  return fastTwoSum(y, y * e * mulAdd(e, 0.375, splat(e, 0.5)));
}

/// |x|^(twice/2) = m^(twice/2) 2^(e twice/2), x = m 2^e with an even e where twice is odd: the
/// power of m in pairs, so that it and the scaling round once each.
template <class F> F halfPowerOfDouble(F x, int twice) {
  F a = abs(x);
  Split<F> split = splitExponent(a);
  auto special = equal(abs(split.exponent), kInf);
  F e = select(special, 0.0, split.exponent), m = split.mantissa, power = e * (twice / 2);
  const int n = twice < 0 ? -twice : twice;
  if (n % 2) {
    F half = roundProduct(e, 0.5).value, rest = mulAdd(half, -2.0, e); // -1, 0 or 1
    m = m * select(equal(rest, 0.0), 1.0, select(less(0.0, rest), splat(x, 2.0), 0.5));
    power = half * twice;
  }
  auto times = [](Pair<F> u, Pair<F> v) { return multiplyPairs(u, v); };
  Pair<F> whole = {m, splat(x, 0.0)}, r = whole;
  if (twice < 0) {
    r = wholePower(inverseRootPair(m), n, times);
  } else if (n % 2) {
    r = times(inverseRootPair(m), whole);
    if (n > 1)
      r = times(r, wholePower(whole, n / 2, times));
  } else {
    r = wholePower(whole, n / 2, times);
  }
  // m^(twice/2) is within 2^+-51.
  F y = scale(r.high + r.low, roundNearest(atLeast(atMost(power, 1300.0), -1300.0)));
  F end = twice < 0 ? select(equal(a, 0.0), kInf, splat(x, 0.0)) : a;
  return select(special, end, y);
}

/// x^(-n/2), n = 1 or 3, of f32 without f64: y^n (1 - e)^(-n/2), where e = 1 - x y^2 and y is the
/// estimate of x^(-1/2) cut to 12 bits, so that y^2 is exact and y^3 is in the last sum. The second
/// power of e takes most of the third one's place: c e (e - r) (e - s), 0 <= e <= h, is all that is
/// left out.
template <class F> F inversePowerByEstimate(F x, int n) {
  F y = fromBits(bits(nativeRsqrt(x)) & ~int64_t(0xfff)), square = y * y;
  F e = fma(-x, square, splat(x, 1.0));
  constexpr double h = 0x1.2p-10, r = 0.5 * h, s = 0.93 * h;
  const double first = n / 2.0, second = first * (n + 2) / 4, third = second * (n + 4) / 6;
  F series = mulAdd(e, second + third * (r + s), splat(x, first - third * r * s));
  if (n == 1)
    return mulAdd(y, e * series, y);
  return fma(square, y, square * y * e * series);
}

/// The same from the root, with fused operations: of what the root, the product and the quotient
/// round off, the first order is put back.
template <class F> F inversePowerByRoot(F x, int n) {
  F s = sqrt(x), r = fma(-s, s, x); // the root is s + r / (2 s)
  F p = n == 1 ? s : x * s;
  F q = 1.0 / p, low = n == 1 ? r * q * 0.5 : mulAdd(r * s, 0.5, fma(x, s, -p)),
    e = mulAdd(-q, low, fma(-q, p, splat(x, 1.0)));
  return fma(q, e, q);
}

/// x^(twice/2), 0 < |twice| <= kMaxHalfPower: roots and products in the place of e^(y log x).
template <class F> F halfPowerFormula(F x, int twice) {
  auto general = [&] {
    F y;
    if constexpr (kIsDouble<F>)
      y = halfPowerOfDouble(x, twice);
    else
      y = halfPowerOfSingle(x, twice);
    if (twice % 4 == 0)
      return y;
    if (twice % 2 == 0)
      return withSign(y, x);
    return select(less(x, 0.0) & less(-kInf, x), kNaN, y);
  };
  if constexpr (!kIsDouble<F>)
    if ((hasScale(x) || hasFma(x)) && (twice == -1 || twice == -3)) {
      // From 2^-64 to 2^64 every step is a normal number.
      constexpr int64_t kLeast = int64_t(Format<F>::kBias - 64) << Format<F>::kMantissaBits;
      auto cold = nonZero((bits(x) - kLeast) & (int64_t(3) << 30));
      return inColdLanes(
          cold, hasScale(x) ? inversePowerByEstimate(x, -twice) : inversePowerByRoot(x, -twice),
          general);
    }
  return general();
}

template <class F> F powFormula(F x, F y) {
  if constexpr (kIsDouble<F>)
    return powOfDouble<DoubleCoefficients>(x, y);
  else
    return powOfSingle(x, y);
}

} // namespace graphc::math
