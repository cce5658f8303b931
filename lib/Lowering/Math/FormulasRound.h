//===- FormulasRound.h - rounding, remainders, neighbours -----------*- C++ -*-===//
#pragma once

#include "Lowering/Math/FormulaCore.h"

namespace graphc::math {

/// Nearest integer, ties to even, of any x: from 2^23 (2^52) on all numbers are integers.
template <class F> F roundEvenValue(F x) {
  if (hasRounding(x))
    return nativeRound(RoundingMode::Even, x);
  constexpr double kWhole = kIsDouble<F> ? 0x1p52 : 0x1p23;
  F a = abs(x);
  return select(less(a, kWhole), withSign((a + kWhole) - kWhole, x), x);
}
template <class F> F floorValue(F x) {
  if (hasRounding(x))
    return nativeRound(RoundingMode::Down, x);
  F r = roundEvenValue(x);
  return copysignValue(select(less(x, r), r - 1.0, r), x);
}
template <class F> F ceilValue(F x) {
  if (hasRounding(x))
    return nativeRound(RoundingMode::Up, x);
  F r = roundEvenValue(x);
  return copysignValue(select(less(r, x), r + 1.0, r), x);
}
template <class F> F truncValue(F x) {
  if (hasRounding(x))
    return nativeRound(RoundingMode::Zero, x);
  F a = abs(x), r = roundEvenValue(a);
  return copysignValue(select(less(a, r), r - 1.0, r), x);
}
/// Ties away from zero: what trunc leaves is exact and compared with 1/2.
template <class F> F roundAwayValue(F x) {
  F t = truncValue(x), step = copysignValue(splat(x, 1.0), x);
  return copysignValue(select(lessEqual(0.5, abs(x - t)), t + step, t), x);
}

/// x - floor(x/y) y with the sign of y. trunc(x/y) may be one too large; the remainder is exact all
/// the same. Quotients without exact integers go to fmod.
template <class F> F modFormula(F x, F y) {
  if constexpr (!kIsDouble<F>) {
    return narrow(modFormula(widen(x), widen(y)));
  } else {
    F quotient = x / y, r = fma(-truncValue(quotient), y, x);
    r = select(less(abs(x), kInf) & equal(abs(y), kInf), x, r);
    auto cold = less(abs(x), kInf) & !less(abs(quotient), 0x1p52) & less(0.0, abs(y));
    if (!hasFma(x)) // the product by parts must not overflow
      cold = cold | less(0x1p990, abs(x)) | less(0x1p990, abs(y));
    r = coldLanes(LibmFunction::Fmod, cold, x, y, r);
    auto zero = equal(r, 0.0), otherSign = nonZero(signBits(r) ^ signBits(y));
    return select(zero, copysignValue(r, y), select(otherSign, r + y, r));
  }
}

/// NumPy's floor_divide: (x - mod) / y, rounded to the nearest integer, the quotient's sign at 0.
template <class F> F floorDivideFormula(F x, F y) {
  if constexpr (!kIsDouble<F>) {
    return narrow(floorDivideFormula(widen(x), widen(y)));
  } else {
    F quotient = x / y, d = (x - modFormula(x, y)) / y, f = floorValue(d);
    f = select(less(0.5, d - f), f + 1.0, f);
    f = select(equal(f, 0.0), copysignValue(f, quotient), f);
    // The modulus by an infinity is that infinity where the signs differ: the difference above is
    // no number.
    auto below = nonZero(signBits(x) ^ signBits(y)) & !equal(x, 0.0);
    auto byInfinity = equal(abs(y), kInf) & less(abs(x), kInf);
    f = select(byInfinity, select(below, -1.0, quotient), f);
    return select(equal(y, 0.0), quotient, f);
  }
}

/// The next number from x towards y: one step of the bit pattern, away from 0 or towards it.
template <class F> F nextafterFormula(F x, F y) {
  auto away = nonZero(signBits(x) ^ signBits(y - x)); // y on the other side: towards 0
  auto b = bits(x);
  F stepped = fromBits(select(away, b - 1, b + 1));
  stepped = select(equal(x, 0.0), fromBits(signBits(y) | 1), stepped);
  F result = select(equal(x, y), y, stepped);
  return select(isNumber(x) & isNumber(y), result, x + y);
}

} // namespace graphc::math
