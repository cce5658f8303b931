//===- Bessel.cpp - modified Bessel functions -----------------------------------===//
//
// K by the trapezoidal rule on its integral over exp(v t - x cosh t), from the integrand's maximum
// on: it is entire, so that steps of some part of the maximum's width give all digits. I by its
// power series, from the greatest term on. Both are sums of positive numbers.
//
//===----------------------------------------------------------------------===//
#include <limits>
#include <numbers>

#include "Export/SpecialParts.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;
/// More are NaN in files: the sums below lose digits, and lib/Special has other formulas for I and
/// K.
constexpr double kMostOrder = 100'000;

/// sinh(t) - t and cosh(t) - 1 without cancellation.
V sinhLess(const V &t) {
  constexpr double kTerms[] = {1.0 / 6,        1.0 / 120,        1.0 / 5040,         1.0 / 362880,
                               1.0 / 39916800, 1.0 / 6227020800, 1.0 / 1307674368000};
  V isNear = lt(abs(t), 1.0), near = where(isNear, t, number(0)), square = mul(near, near);
  V far = sub(mul(sub(exp(t), exp(neg(t))), 0.5), t);
  return where(isNear, mul(mul(near, square), polynomial(kTerms, square)), far);
}
V coshLess(const V &t) {
  V half = mul(t, 0.5), sinhOfHalf = add(sinhLess(half), half);
  return mul(mul(sinhOfHalf, sinhOfHalf), 2.0);
}

/// By its logarithm, less the sum's.
struct Scaled {
  V exponent, rest;
};
/// K_v(x) e^x of v >= 0 and finite x > 0. Numbers below 1e-300 count as that.
Scaled besselK(const V &v, const V &given) {
  V x = maximum(given, 1e-300), w = sqrt(add(mul(v, v), mul(x, x)));
  w = where(gt(x, 1e150), x, w);
  V step = minimum(trueDiv(number(0.5), sqrt(w)), 0.125);
  auto at = [&](const V &t) { return exp(neg(add(mul(v, sinhLess(t)), mul(w, coshLess(t))))); };
  V isAll = gt(w, 0.0);
  V sum = iterated(isAll, {number(1)}, kMostTerms, [&](const V &k, const Vs &s) {
    V t = mul(step, add(k, 1.0)), both = add(at(t), at(neg(t)));
    return Iterated{{add(s[0], both)}, gt(both, mul(s[0], 0x1p-60))};
  })[0];
  V top = sub(mul(v, sub(log(add(v, w)), log(x))), mul(v, trueDiv(v, add(w, x))));
  return {top, mul(mul(sum, step), 0.5)};
}

/// e^(-y) y^k / Gamma(k + 1), by the density of a gamma distribution.
V poisson(const V &k, const V &y) {
  V isZero = eq(k, 0.0);
  V share = trueDiv(gammaDensityOf(where(isZero, number(1), k), y), where(isZero, number(1), k));
  return where(isZero, exp(neg(y)), share);
}

/// From there on Hankel's series has all digits, for orders that there are.
constexpr double kFar = 1e8;

/// I_v(x) e^(-x) of v >= 0 and finite x > 0.
V besselI(const V &v, const V &x) {
  V isNear = lt(x, kFar), y = mul(where(isNear, x, number(1)), 0.5), square = mul(y, y);
  V size = add(sqrt(add(mul(v, v), mul(square, 4.0))), v);
  V first = floor(trueDiv(mul(square, 2.0), maximum(size, 1e-300)));
  Vs start = {number(1), number(1), number(1)}; // terms above and below the first, the sum
  V sum = iterated(isNear, start, kMostTerms, [&](const V &k, const Vs &s) {
    V up = add(add(first, k), 1.0), down = maximum(sub(first, k), 0.0);
    V above = mul(s[0], trueDiv(square, mul(up, add(up, v))));
    V isDown = gt(down, 0.0), over = where(isDown, square, number(1));
    V below = where(isDown, mul(s[1], trueDiv(mul(down, add(down, v)), over)), number(0));
    V total = add(s[2], add(above, below));
    return Iterated{{above, below, total}, gt(add(above, below), mul(total, 0x1p-60))};
  })[2];
  V near = mul(mul(poisson(first, y), poisson(add(first, v), y)), sum);

  V isFar = logicalNot(isNear), far = where(isFar, x, number(kFar)), mu = mul(mul(v, v), 4.0);
  V series = iterated(isFar, {number(1), number(1)}, 200, [&](const V &k, const Vs &s) {
    V n = add(k, 1.0), odd = sub(mul(n, 2.0), 1.0);
    V term = mul(s[0], neg(trueDiv(sub(mu, mul(odd, odd)), mul(mul(n, 8.0), far))));
    V total = add(s[1], term);
    return Iterated{{term, total}, gt(abs(term), mul(abs(total), 0x1p-56))};
  })[1];
  return where(isNear, near, trueDiv(series, sqrt(mul(far, 2 * kPi))));
}

template <bool isScaled> Vs composeK(const Apply &n) {
  WideOperands e(n);
  V order = abs(e.x[0]);
  const V &at = e.x[1];
  V isDefined = logicalAnd(le(order, kMostOrder), ge(at, 0.0));
  V isRegular = logicalAnd(isDefined, logicalAnd(gt(at, 0.0), lt(at, kInfinity)));
  Vs x = e.where(isRegular);
  Scaled k = besselK(abs(x[0]), x[1]);
  V exponent = isScaled ? k.exponent : sub(k.exponent, x[1]);
  V limit = where(eq(at, 0.0), number(kInfinity), number(0));
  V result = where(isRegular, mul(exp(exponent), k.rest), where(isDefined, limit, noNumber()));
  return {where(e.isNan, noNumber(), result)};
}

/// Negative x with whole orders alone; negative orders by K.
template <bool isScaled> Vs composeI(const Apply &n) {
  WideOperands e(n);
  const V &order = e.x[0], &at = e.x[1];
  V isWhole = eq(order, floor(order)), isNegative = lt(order, 0.0);
  V isOdd = logicalAnd(isWhole, neq(mod(order, 2.0), 0.0));
  V isDefined = logicalAnd(le(abs(order), kMostOrder), logicalOr(ge(at, 0.0), isWhole));
  V isInside = logicalAnd(neq(at, 0.0), lt(abs(at), kInfinity));
  V isRegular = logicalAnd(isDefined, isInside);
  Vs x = e.where(isRegular);
  V v = abs(x[0]), size = abs(x[1]);
  V own = besselI(v, size);
  // exp(x) might overflow before the product does.
  V half = exp(mul(size, 0.5));
  if (!isScaled)
    own = mul(mul(own, half), half);
  V isMirrored = logicalAnd(isNegative, logicalNot(isWhole));
  Scaled k = besselK(v, size);
  V exponent = sub(k.exponent, isScaled ? mul(size, 2.0) : size);
  V turn = sin(mul(mod(v, 2.0), kPi));
  V more = mul(mul(exp(exponent), k.rest), mul(turn, 2 / kPi));
  own = where(isMirrored, add(own, more), own);
  V sign = where(logicalAnd(isOdd, lt(at, 0.0)), number(-1), number(1));
  V pole = where(eq(order, 0.0), number(1), number(0));
  pole = where(isMirrored, mul(sgn(gammaOf(add(order, 1.0))), kInfinity), pole);
  V atEnd = isScaled ? number(0) : mul(sign, kInfinity);
  V limit = where(eq(at, 0.0), pole, atEnd);
  V result = where(isRegular, mul(sign, own), where(isDefined, limit, noNumber()));
  return {where(e.isNan, noNumber(), result)};
}

} // namespace

absl::Span<const ExportRule> besselExports() {
  static constexpr ExportRule kTable[] = {
      composed("kv", composeK<false>),
      composed("kve", composeK<true>),
      composed("iv", composeI<false>),
      composed("ive", composeI<true>),
  };
  return kTable;
}

} // namespace graphc
