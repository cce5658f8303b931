//===- Functions.cpp - exponential, trigonometric, error functions ----------===//
//
// What ONNX has no operator for is composed so that digits do not cancel; the errors are some units
// in the last place more than those of docs/Ops.md.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <numbers>

#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

V isZero(const V &x) { return eq(x, literal(0, x)); }

/// u = 1 + x rounds; log(u) * x / (u - 1) mends it (Kahan).
V accurateLog1p(const V &x) {
  V u = add(x, literal(1, x)), d = sub(u, literal(1, x));
  V mended = mul(log(u), trueDiv(x, d));
  V isTiny = isZero(d), isOut = logicalOr(isinf(u), isZero(u));
  return where(isTiny, x, where(isOut, log(u), mended));
}
/// The same for exp: (u - 1) * x / log(u) with u = exp(x).
V accurateExpm1(const V &x) {
  V u = exp(x), d = sub(u, literal(1, x));
  V mended = mul(d, trueDiv(x, log(u)));
  V isTiny = isZero(d), isOut = logicalOr(isinf(u), isZero(u));
  return where(isTiny, x, where(logicalOr(isOut, eq(d, literal(-1, x))), d, mended));
}

template <V (*f)(const V &)> Vs ofOne(const Apply &n) { return {f(operand(n, 0))}; }
template <V (*f)(const V &, const V &)> Vs ofTwo(const Apply &n) {
  return {f(operand(n, 0), operand(n, 1))};
}

V exp2Of(const V &x) { return pow(literal(2, x), x); }
V log2Of(const V &x) { return mul(log(x), literal(1 / std::numbers::ln2, x)); }
V log10Of(const V &x) { return mul(log(x), literal(1 / std::numbers::ln10, x)); }
V log1mexpOf(const V &x) {
  V isNear = gt(x, literal(-std::numbers::ln2, x));
  return where(isNear, log(neg(accurateExpm1(x))), accurateLog1p(neg(exp(x))));
}
/// log(x / (1 - x)), whose digits near the zero at 1/2 are those of log1p.
V logitOf(const V &x) {
  V one = literal(1, x), half = literal(0.5, x);
  V isNear = lt(abs(sub(x, half)), literal(0.25, x));
  V beside = accurateLog1p(trueDiv(sub(add(x, x), one), sub(one, x)));
  return where(isNear, beside, sub(log(x), accurateLog1p(neg(x))));
}
V logaddexpOf(const V &x, const V &y) {
  V most = maximum(x, y), distance = abs(sub(x, y));
  V result = add(most, accurateLog1p(exp(neg(distance))));
  return where(logicalOr(eq(x, y), isinf(most)),
               where(eq(x, y), add(most, literal(std::numbers::ln2, x)), most), result);
}
V xlogyOf(const V &x, const V &y) {
  return where(logicalAnd(isZero(x), logicalNot(isnan(y))), literal(0, x), mul(x, log(y)));
}
V xlog1pyOf(const V &x, const V &y) {
  return where(logicalAnd(isZero(x), logicalNot(isnan(y))), literal(0, x),
               mul(x, accurateLog1p(y)));
}
V sincOf(const V &x) {
  // Of the distance to the next integer, which is exact: digits stay near the zeros.
  V whole = round(x), wave = sin(mul(sub(x, whole), literal(std::numbers::pi, x)));
  V isOdd = neq(mod(whole, literal(2, x)), literal(0, x));
  V result = trueDiv(where(isOdd, neg(wave), wave), mul(x, literal(std::numbers::pi, x)));
  return where(isZero(x), literal(1, x), result);
}
V rsqrtOf(const V &x) { return reciprocal(sqrt(x)); }
V cbrtOf(const V &x) {
  V size = abs(x), root = pow(size, literal(1.0 / 3, x));
  // A step of Newton's method: the third in the exponent is rounded.
  V step = trueDiv(sub(root, trueDiv(size, mul(root, root))), literal(3, x));
  V isSpecial = logicalOr(isZero(size), isinf(size));
  return copysign(where(isSpecial, size, sub(root, step)), x);
}
V deg2radOf(const V &x) { return mul(x, literal(std::numbers::pi / 180, x)); }
V rad2degOf(const V &x) { return mul(x, literal(180 / std::numbers::pi, x)); }
V hypotOf(const V &x, const V &y) {
  V a = abs(x), b = abs(y), most = maximum(a, b), least = minimum(a, b);
  V ratio = trueDiv(least, where(isZero(most), literal(1, x), most));
  V size = mul(most, sqrt(add(mul(ratio, ratio), literal(1, x))));
  V infinity = literal(INFINITY, x);
  return where(logicalOr(eq(a, infinity), eq(b, infinity)), infinity, size);
}
/// By IEEE's table: the sign of y, and a half turn where x has a sign.
V arctan2Of(const V &y, const V &x) {
  V pi = literal(std::numbers::pi, x), half = literal(std::numbers::pi / 2, x);
  V isLeft = builtin("signbit")(x), zero = literal(0, x);
  V bothZero = logicalAnd(isZero(x), isZero(y)), bothInfinite = logicalAnd(isinf(x), isinf(y));
  V ratio = trueDiv(abs(y), abs(x));
  V angle = where(bothZero, zero, where(bothInfinite, mul(half, literal(0.5, x)), arctan(ratio)));
  return copysign(where(isLeft, sub(pi, angle), angle), y);
}
/// To absolute accuracy: where erf is 1, nothing is left.
V erfcOf(const V &x) { return sub(literal(1, x), erf(x)); }
V ndtrOf(const V &x) {
  return mul(erfcOf(mul(x, literal(-std::numbers::sqrt2 / 2, x))), literal(0.5, x));
}

} // namespace

absl::Span<const ExportRule> functionExports() {
  static constexpr ExportRule kTable[] = {
      onElements("exp", "Exp", kFloats),
      composed("exp2", ofOne<exp2Of>),
      composed("expm1", ofOne<accurateExpm1>),
      onElements("log", "Log", kFloats),
      composed("log2", ofOne<log2Of>),
      composed("log10", ofOne<log10Of>),
      composed("log1p", ofOne<accurateLog1p>),
      composed("log1mexp", ofOne<log1mexpOf>),
      composed("logit", ofOne<logitOf>),
      composed("logaddexp", ofTwo<logaddexpOf>),
      composed("xlogy", ofTwo<xlogyOf>),
      composed("xlog1py", ofTwo<xlog1pyOf>),
      onElements("sin", "Sin", kRealFloats),
      onElements("cos", "Cos", kRealFloats),
      onElements("tan", "Tan", kRealFloats),
      onElements("arcsin", "Asin", kRealFloats),
      onElements("arccos", "Acos", kRealFloats),
      onElements("arctan", "Atan", kRealFloats),
      composed("arctan2", ofTwo<arctan2Of>),
      onElements("sinh", "Sinh", kRealFloats),
      onElements("cosh", "Cosh", kRealFloats),
      onElements("tanh", "Tanh", kFloats),
      onElements("arcsinh", "Asinh", kRealFloats),
      onElements("arccosh", "Acosh", kRealFloats),
      onElements("arctanh", "Atanh", kRealFloats),
      composed("sinc", ofOne<sincOf>),
      onElements("erf", "Erf", kFloats),
      composed("erfc", ofOne<erfcOf>),
      composed("ndtr", ofOne<ndtrOf>),
      composed("rsqrt", ofOne<rsqrtOf>),
      composed("cbrt", ofOne<cbrtOf>),
      composed("deg2rad", ofOne<deg2radOf>),
      composed("rad2deg", ofOne<rad2degOf>),
      composed("hypot", ofTwo<hypotOf>),
  };
  return kTable;
}

} // namespace graphc
