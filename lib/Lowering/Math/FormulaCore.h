//===- FormulaCore.h - what all formulas are written with -----------*- C++ -*-===//
//
// A formula is a template over an abstract value F: "some lanes of f32 or f64". A backend supplies
//   types      F::Scalar (float or double), F::Int (lanes of as wide integers), F::Mask,
//              F::Wide (f64 lanes, of f32 only)
//   F          + - * / unary -, nativeFma, sqrt, abs, splat(F, double), less, lessEqual, equal
//              (all false for NaN), select(Mask, F, F), bits(F), widen / narrow between f32 and f64
//   F::Int     + - & | ^ with F::Int or int64_t, << and >> (logical) by a constant, fromBits,
//              select(Mask, Int, Int), nonZero(Int)
//   F::Mask    & | !
//   faster forms, asked for by has...(F): fma, rounding, scale by 2^n, split of the exponent,
//   32-entry tables
//   coldLanes    a call of libm for the lanes of a mask, in a branch that is rarely taken
//   inColdLanes  the same with another formula
// Nothing may rely on the number of lanes. No fast-math: the compensated steps need exact order.
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "Lowering/Math/Coefficients.h"

namespace graphc::math {

template <class F> inline constexpr bool kIsDouble = std::is_same_v<typename F::Scalar, double>;

/// The coefficient set of a formula evaluated at the precision of its own type.
template <class F>
using Native = std::conditional_t<kIsDouble<F>, DoubleCoefficients, SingleCoefficients>;

/// Layout of the IEEE format of F.
template <class F> struct Format {
  static constexpr int kMantissaBits = kIsDouble<F> ? 52 : 23;
  static constexpr int kBias = kIsDouble<F> ? 1023 : 127;
  static constexpr int kBits = kIsDouble<F> ? 64 : 32;
  static constexpr int64_t kSignBit = int64_t(1) << (kBits - 1);
  static constexpr int64_t kOneBits = int64_t(kBias) << kMantissaBits;
  static constexpr double kMinNormal = kIsDouble<F> ? 0x1p-1022 : 0x1p-126;
  /// Added to a number it leaves the number's nearest integer in the low bits (1.5 ulp^-1).
  static constexpr double kMagic = kIsDouble<F> ? 0x1.8p52 : 0x1.8p23;
  /// kMagic as bits.
  static constexpr int64_t kMagicBits =
      ((int64_t(kBias) + kMantissaBits) << kMantissaBits) | (int64_t(1) << (kMantissaBits - 1));
};

/// What coldLanes computes, lane by lane.
enum class LibmFunction { Sin, Cos, Tan, Fmod };

enum class RoundingMode { Even, Down, Up, Zero };

/// The greatest |2y| for which x^y, y constant, has a formula of its own. Up to here f64 has the
/// range for all results of f32, and the error of a root counts little though it is multiplied by
/// 2y.
inline constexpr int kMaxHalfPower = 64;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class F> F lift(F, F x) { return x; }
template <class F> F lift(F like, double c) { return splat(like, c); }

template <class F>
concept FloatLanes = requires { typename F::Scalar; };

template <FloatLanes F> F operator+(F a, double c) { return a + splat(a, c); }
template <FloatLanes F> F operator+(double c, F a) { return splat(a, c) + a; }
template <FloatLanes F> F operator-(F a, double c) { return a - splat(a, c); }
template <FloatLanes F> F operator-(double c, F a) { return splat(a, c) - a; }
template <FloatLanes F> F operator*(F a, double c) { return a * splat(a, c); }
template <FloatLanes F> F operator*(double c, F a) { return splat(a, c) * a; }
template <FloatLanes F> F operator/(double c, F a) { return splat(a, c) / a; }
template <FloatLanes F> auto less(F a, double c) { return less(a, splat(a, c)); }
template <FloatLanes F> auto less(double c, F a) { return less(splat(a, c), a); }
template <FloatLanes F> auto lessEqual(F a, double c) { return lessEqual(a, splat(a, c)); }
template <FloatLanes F> auto lessEqual(double c, F a) { return lessEqual(splat(a, c), a); }
template <FloatLanes F> auto equal(F a, double c) { return equal(a, splat(a, c)); }
template <FloatLanes F> auto isNumber(F a) { return equal(a, a); }
template <FloatLanes F> F select(typename F::Mask m, F a, double c) {
  return select(m, a, splat(a, c));
}
template <FloatLanes F> F select(typename F::Mask m, double c, F b) {
  return select(m, splat(b, c), b);
}

/// A value with its rounding error: high + low, |low| at most about one ulp of high.
template <class F> struct Pair {
  F high, low;
};

/// Exact sum for |a| >= |b| (or a = 0).
template <class F> Pair<F> fastTwoSum(F a, F b) {
  F s = a + b;
  return {s, b - (s - a)};
}
/// Exact sum of any two numbers.
template <class F> Pair<F> twoSum(F a, F b) {
  F s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// The exact product without an FMA instruction (Dekker, Veltkamp): for |a|, |b| < 2^996.
template <class F> Pair<F> dekkerProduct(F a, F b) {
  static_assert(kIsDouble<F>);
  F ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27;
  F ah = ta - (ta - a), bh = tb - (tb - b), al = a - ah, bl = b - bh, p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

/// a b + c rounded once. Without the instruction: exact whenever the result is representable and
/// the operands are moderate, which is what the compensated steps need; f32 goes through f64.
template <FloatLanes F, class B, class C> F fma(F a, B b0, C c0) {
  F b = lift(a, b0), c = lift(a, c0);
  if (hasFma(a))
    return nativeFma(a, b, c);
  if constexpr (kIsDouble<F>) {
    Pair<F> p = dekkerProduct(a, b), s = twoSum(p.high, c);
    return s.high + (s.low + p.low);
  } else {
    return narrow(widen(a) * widen(b) + widen(c));
  }
}

/// a b + c where either rounding will do (polynomials).
template <FloatLanes F, class B, class C> F mulAdd(F a, B b0, C c0) {
  F b = lift(a, b0), c = lift(a, c0);
  return hasFma(a) ? nativeFma(a, b, c) : a * b + c;
}

/// a b + c rounded once where that is cheap: not in f64 without the instruction.
template <FloatLanes F, class B, class C> F fmaWhereCheap(F a, B b, C c) {
  if constexpr (kIsDouble<F>)
    return mulAdd(a, b, c);
  else
    return fma(a, b, c);
}

template <class F> Pair<F> twoProduct(F a, F b) {
  F p = a * b;
  return {p, fma(a, b, -p)};
}

template <class F, class T, int N> F horner(F x, const T (&c)[N]) {
  F p = splat(x, c[N - 1]);
  for (int i = N - 2; i >= 0; --i)
    p = mulAdd(p, x, c[i]);
  return p;
}

/// The same by pairs and powers: a chain of about log2 N steps instead of N. For f64, whose
/// polynomials are long enough for the latency to count.
template <class F, class T, int N> F estrin(F x, const T (&c)[N]) {
  F level[N];
  int n = 0;
  for (int i = 0; i + 1 < N; i += 2)
    level[n++] = mulAdd(splat(x, c[i + 1]), x, c[i]);
  if (N % 2)
    level[n++] = splat(x, c[N - 1]);
  for (F power = x * x; n > 1; power = power * power) {
    int m = 0;
    for (int i = 0; i + 1 < n; i += 2)
      level[m++] = mulAdd(level[i + 1], power, level[i]);
    if (n % 2)
      level[m++] = level[n - 1];
    n = m;
    if (n == 1)
      break;
  }
  return level[0];
}

template <class F, class T, int N> F polynomial(F x, const T (&c)[N]) {
  if constexpr (kIsDouble<F>)
    return estrin(x, c);
  else
    return horner(x, c);
}

/// Clamps that let NaN through (minnum and maxnum would swallow it).
template <class F> F atMost(F x, double c) { return select(less(c, x), c, x); }
template <class F> F atLeast(F x, double c) { return select(less(x, c), c, x); }

template <class F> auto signBits(F x) { return bits(x) & Format<F>::kSignBit; }
/// |magnitude| is `magnitude` itself: for magnitudes known to be positive or NaN.
template <class F> F withSign(F magnitude, F sign) {
  return fromBits(bits(magnitude) | signBits(sign));
}
template <class F> F copysignValue(F magnitude, F sign) { return withSign(abs(magnitude), sign); }

/// A number rounded to the nearest integer, with the integer also as bits of `biased`.
/// For |x| < 2^21 (f32) or 2^50 (f64); needs neither a rounding instruction nor a conversion.
template <class F> struct Rounded {
  F biased, value;
  auto integer() const { return bits(biased) - Format<F>::kMagicBits; }
};
template <class F> Rounded<F> makeRounded(F biased) { return {biased, biased - Format<F>::kMagic}; }
template <class F> Rounded<F> roundProduct(F x, double c) {
  return makeRounded(mulAdd(x, c, Format<F>::kMagic));
}
template <class F> Rounded<F> roundNearest(F x) { return makeRounded(x + Format<F>::kMagic); }

/// A small integer as a float.
template <class F> F toFloat(F like, typename F::Int i) {
  (void)like;
  return fromBits(i + Format<F>::kMagicBits) - Format<F>::kMagic;
}

/// 2^n for a normal result.
template <class F> F powerOfTwo(typename F::Int n) {
  return fromBits((n + int64_t(Format<F>::kBias)) << Format<F>::kMantissaBits);
}

/// Multiplies by 2^n, rounding once, also into the subnormals and over the border: for n of
/// magnitude below twice the exponent range and factors y near 1.
template <class F> class Scaler {
public:
  explicit Scaler(Rounded<F> n) : value(n.value) {
    if (hasScale(value))
      return;
    auto i = n.integer();
    constexpr int64_t kOffset = 4096; // keeps the halved number positive for the logical shift
    auto half = ((i + kOffset) >> 1) - kOffset / 2;
    first = powerOfTwo<F>(half), second = powerOfTwo<F>(i - half);
  }
  F operator()(F y) const { return hasScale(y) ? nativeScale(y, value) : y * first * second; }

private:
  F value, first, second;
};
template <class F> F scale(F y, Rounded<F> n) { return Scaler<F>(n)(y); }

/// x = mantissa 2^exponent with the mantissa in [0.75, 1.5). The exponent is -inf for 0 and inf for
/// inf; the mantissa is NaN below 0 and for NaN.
template <class F> struct Split {
  F mantissa, exponent;
};

/// For normal x > 0 only.
template <class F> Split<F> splitNormal(F x) {
  using Fmt = Format<F>;
  constexpr int64_t kHalfStep = int64_t(1)
                                << (Fmt::kMantissaBits - 1); // 1.0 and 0.75 are this far apart
  auto biased = (bits(x) + kHalfStep) >> Fmt::kMantissaBits;
  F m = fromBits(bits(x) - ((biased - int64_t(Fmt::kBias)) << Fmt::kMantissaBits));
  return {m, toFloat(x, biased - int64_t(Fmt::kBias))};
}

template <class F> Split<F> splitExponent(F x) {
  if (hasScale(x))
    return nativeSplit(x);
  using Fmt = Format<F>;
  auto small = less(x, Fmt::kMinNormal);
  constexpr int kUp = Fmt::kMantissaBits + 1;
  Split<F> s = splitNormal(select(small, x * double(int64_t(1) << kUp), x));
  F e = select(small, s.exponent - double(kUp), s.exponent);
  e = select(equal(x, 0.0), -kInf, select(equal(x, kInf), kInf, e));
  return {select(lessEqual(0.0, x), s.mantissa, kNaN), e};
}

} // namespace graphc::math
