//===- Elementwise.cpp - arithmetic, comparisons, logic, bits ---------------===//
#include <cmath>

#include "Export/ExportRules.h"
#include "Ops/Build.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

bool isBoolResult(const Apply &n) { return isBool(n.output(0).dtype()); }

/// On bools, an operator of logic; else the rule's own.
template <Variable (*logic)(const Operand &, const Operand &)> Vs onBools(const Apply &n) {
  if (!isBoolResult(n))
    return {};
  V result = n.input(0);
  for (int i = 1; i < n.numInputs(); ++i)
    result = logic(result, n.input(i));
  return {result};
}

/// The node's own operator with a composition for bools in front.
constexpr ExportRule numeric(std::string_view op, std::string_view onnx, ComposeRule onBools) {
  ExportRule rule = onElements(op, onnx, kNumbers);
  rule.compose = onBools;
  return rule;
}

//===--- what ONNX's operators do not say at once -------------------------------------===//

Values writeMod(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  Type type = n.output(0).type();
  bool isReal = isFloat(dtype);
  DType computed = dtypeWithin(kNumbers, dtype);
  Value x = w.as(in[0], computed), y = w.as(in[1], computed);
  type = type.withDType(computed);
  Type flags = type.withDType(DType::Bool);
  Value zero = OnnxWriter::scalar(0, computed);
  if (!isReal) {
    Type ofY = y.type.withDType(DType::Bool);
    Value isZero = w.node("Equal", {y, zero}, ofY), isTrap = isZero;
    if (isSignedInt(computed)) // the least integer has no whole quotient by -1; the rest is 0
      isTrap =
          w.node("Or", {isZero, w.node("Equal", {y, OnnxWriter::scalar(-1, computed)}, ofY)}, ofY);
    Value safe = w.node("Where", {isTrap, OnnxWriter::scalar(1, computed), y}, y.type);
    Value rest = w.node("Mod", {x, safe}, type, {{"fmod", int64_t(0)}});
    return {w.as(w.node("Where", {isZero, zero, rest}, type), dtype)};
  }
  Value rest = w.node("Mod", {x, y}, type, {{"fmod", int64_t(1)}});
  Value isNegative = w.node("Less", {rest, zero}, flags);
  Value yNegative = w.node("Less", {y, zero}, y.type.withDType(DType::Bool));
  Value differ = w.node("Xor", {isNegative, yNegative}, flags);
  Value isZero = w.node("Equal", {rest, zero}, flags);
  Value signedZero = w.node(
      "Where", {yNegative, OnnxWriter::scalar(-0.0, computed), OnnxWriter::scalar(0.0, computed)},
      y.type);
  Value moved = w.node("Add", {rest, y}, type);
  Value result = w.node("Where", {differ, moved, rest}, type);
  return {w.as(w.node("Where", {isZero, signedZero, result}, type), dtype)};
}

Vs composeIntDiv(const Apply &n) {
  V x = operand(n, 0), y = operand(n, 1);
  if (!isFloat(x.dtype()))
    return {};
  // As NumPy: the quotient of what has no rest, which is of the dividend's sign, rounded to the
  // integer next to it.
  V zero = literal(0, x), one = literal(1, x);
  V rest = copysign(mod(abs(x), abs(y)), x), quotient = trueDiv(sub(x, rest), y);
  V isLess = logicalAnd(neq(rest, zero), neq(lt(rest, zero), lt(y, zero)));
  quotient = where(isLess, sub(quotient, one), quotient);
  V down = floor(quotient);
  V nearest = where(gt(sub(quotient, down), literal(0.5, x)), add(down, one), down);
  V result = where(eq(quotient, zero), copysign(zero, trueDiv(x, y)), nearest);
  return {where(eq(y, zero), trueDiv(x, y), result)};
}

/// Of integers; ONNX rounds toward 0: where that is up, one less.
Values writeIntDiv(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kNumbers, dtype);
  Type type = n.output(0).type().withDType(computed);
  Value x = w.as(in[0], computed), y = w.as(in[1], computed);
  Type flags = y.type.withDType(DType::Bool);
  auto scalar = [&](double value) { return OnnxWriter::scalar(value, computed); };
  Value isZero = w.node("Equal", {y, scalar(0)}, flags), isBad = isZero, isMinusOne;
  if (isSignedInt(computed)) { // the least integer divided by -1 may trap
    isMinusOne = w.node("Equal", {y, scalar(-1)}, flags);
    isBad = w.node("Or", {isZero, isMinusOne}, flags);
  }
  Value safe = w.node("Where", {isBad, scalar(1), y}, y.type);
  Value result = w.node("Div", {x, safe}, type);
  if (isSignedInt(computed)) {
    Type bools = type.withDType(DType::Bool);
    Value rest = w.node("Sub", {x, w.node("Mul", {result, safe}, type)}, type);
    Value isExact = w.node("Equal", {rest, scalar(0)}, bools);
    Value differ = w.node(
        "Xor", {w.node("Less", {rest, scalar(0)}, bools), w.node("Less", {safe, scalar(0)}, flags)},
        bools);
    Value isUp = w.node("And", {w.node("Not", {isExact}, bools), differ}, bools);
    result = w.node("Sub", {result, w.as(isUp, computed)}, type);
    result = w.node("Where", {isMinusOne, w.node("Sub", {scalar(0), x}, x.type), result}, type);
  }
  return {w.as(w.node("Where", {isZero, scalar(0), result}, type), dtype)};
}

Values writeCast(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.as(in[0], n.output(0).dtype())};
}
Vs composeCopy(const Apply &n) { return {n.input(0)}; }

Values writeWhere(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.node("Where", {w.as(in[0], DType::Bool), w.as(in[1], dtype), w.as(in[2], dtype)},
                 n.output(0).type())};
}

/// ONNX's operator broadcasts both ways.
Values writeSecond(OnnxWriter &w, const Apply &n, const Values &in) {
  return {
      w.node("Expand", {w.as(in[1], n.output(0).dtype()), w.shapeOf(in[0])}, n.output(0).type())};
}

/// With known numbers as bounds, in order, it is ONNX's Clip.
Vs composeClip(const Apply &n) {
  std::optional<Constant> lowest = Constant::from(n.input(1)), highest = Constant::from(n.input(2));
  if (lowest && highest && lowest->rank() == 0 && highest->rank() == 0 && !isBoolResult(n) &&
      lowest->data().cast(DType::Float64).item<double>() <=
          highest->data().cast(DType::Float64).item<double>())
    return {};
  V x = operand(n, 0), low = operand(n, 1), high = operand(n, 2);
  return {where(lt(x, low), low, where(gt(x, high), high, x))};
}
Values writeClip(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  return {w.node("Clip", {w.as(in[0], dtype), w.as(in[1], dtype), w.as(in[2], dtype)},
                 n.output(0).type())};
}

Vs composeNeg(const Apply &n) {
  V x = n.input(0);
  return isUnsignedInt(x.dtype()) ? Vs{sub(literal(0, x), x)} : Vs();
}
Vs composeAbs(const Apply &n) {
  V x = n.input(0);
  return isBool(x.dtype()) || isUnsignedInt(x.dtype()) ? Vs{x} : Vs();
}
Vs composeSignbit(const Apply &n) {
  V x = n.input(0);
  if (!isFloat(x.dtype()))
    return {lt(x, literal(0, x))};
  return {logicalOr(lt(x, literal(0, x)), lt(reciprocal(x), literal(0, x)))};
}
Vs composeCopysign(const Apply &n) {
  V size = abs(operand(n, 0)), y = operand(n, 1);
  return {where(builtin("signbit")(y), neg(size), size)};
}
/// Of a negative exponent: the whole part of the reciprocal, of which 1 and -1 alone have more
/// than 0. ONNX does not say.
Vs composePow(const Apply &n) {
  DType dtype = n.output(0).dtype();
  if (!isSignedInt(dtype) || !isSignedInt(n.input(1).dtype()))
    return {};
  V x = cast(n.input(0), dtype), y = cast(n.input(1), dtype), zero = literal(0, y);
  std::optional<Constant> known = Constant::from(n.input(1));
  if (known && known->rank() == 0 && known->data().cast(DType::Float64).item<double>() >= 0)
    return {};
  V isNegative = lt(y, zero), isOdd = neq(mod(y, literal(2, y)), zero);
  V sign = where(logicalAnd(eq(x, literal(-1, x)), isOdd), literal(-1, x), literal(1, x));
  V small = where(eq(abs(x), literal(1, x)), sign, literal(0, x));
  V power = cast(pow(x, cast(maximum(y, zero), DType::UInt32)), dtype);
  return {where(isNegative, small, power)};
}
Vs composeFma(const Apply &n) {
  DType dtype = n.output(0).dtype();
  if (!isFloat(dtype) || dtype == DType::Float64)
    return {add(mul(operand(n, 0), operand(n, 1)), operand(n, 2))};
  auto wide = [&](int i) { return cast(n.input(i), DType::Float64); };
  return {add(mul(wide(0), wide(1)), wide(2))}; // the product is exact
}
Vs composeSqr(const Apply &n) { return {mul(n.input(0), n.input(0))}; }

//===--- comparisons and logic --------------------------------------------------------===//

Vs composeIsnan(const Apply &n) {
  V x = n.input(0);
  return isFloat(x.dtype()) ? Vs() : Vs{neq(x, x)};
}
Values writeIsnan(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("IsNaN", {in[0]}, n.output(0).type())};
}
Vs composeIsinf(const Apply &n) {
  V x = n.input(0);
  if (!isFloat(x.dtype()))
    return {neq(x, x)};
  return bitWidth(x.dtype()) == 16 ? Vs{isinf(cast(x, DType::Float32))} : Vs();
}
Values writeIsinf(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("IsInf", {in[0]}, n.output(0).type())};
}
Vs composeIsfinite(const Apply &n) {
  V x = n.input(0);
  if (!isFloat(x.dtype()))
    return {eq(x, x)};
  return {logicalNot(logicalOr(isnan(x), isinf(x)))};
}
Vs composeNeq(const Apply &n) { return {logicalNot(eq(n.input(0), n.input(1)))}; }
/// int64 beside uint64, which no dtype holds both: a negative number is less than all of the other.
/// `whenNegative`: the result for a first operand that is.
template <Variable (*compare)(const Operand &, const Operand &)>
V ofBothSigns(const V &x, const V &y, bool whenNegative) {
  V isNegative = lt(x, literal(0, x)), other = compare(cast(x, DType::UInt64), y);
  return whenNegative ? logicalOr(isNegative, other) : logicalAnd(logicalNot(isNegative), other);
}
/// ONNX orders no bools.
template <Variable (*compare)(const Operand &, const Operand &),
          Variable (*reverse)(const Operand &, const Operand &), bool isLess, bool isMore>
Vs compared(const Apply &n) {
  V x = n.input(0), y = n.input(1);
  if (isBool(x.dtype()) && isBool(y.dtype()) && (isLess || isMore))
    return {compare(cast(x, DType::Int32), cast(y, DType::Int32))};
  if (isSignedInt(x.dtype()) && y.dtype() == DType::UInt64)
    return {ofBothSigns<compare>(x, y, isLess)};
  if (x.dtype() == DType::UInt64 && isSignedInt(y.dtype()))
    return {ofBothSigns<reverse>(y, x, isMore)};
  return {};
}
constexpr ExportRule ordering(std::string_view op, std::string_view onnx, DTypeSet dtypes,
                              ComposeRule first) {
  ExportRule rule = comparison(op, onnx, dtypes);
  rule.compose = first;
  return rule;
}
Vs composeIsclose(const Apply &n) {
  const Attributes &attributes = n.op().attributes();
  DType dtype = promoteToFloat(promote(n.input(0).dtype(), n.input(1).dtype()));
  if (bitWidth(dtype) == 16)
    dtype = DType::Float32;
  V x = cast(n.input(0), dtype), y = cast(n.input(1), dtype);
  V bound = add(literal(attributes.real("atol"), y), mul(abs(y), attributes.real("rtol")));
  V isNear = logicalAnd(le(abs(sub(x, y)), bound), isfinite(y));
  V result = logicalOr(isNear, eq(x, y));
  if (attributes.boolean("equalNan"))
    result = logicalOr(result, logicalAnd(isnan(x), isnan(y)));
  return {result};
}

constexpr ExportRule logic(std::string_view op, std::string_view onnx) {
  return onElements(op, onnx, dtypeSet(DType::Bool));
}

Values writeBits(OnnxWriter &w, const Apply &n, const Values &in) {
  if (w.opset() < 18)
    return {w.refuse(n.output(0).type(), "ONNX has operators on bits from version 18 on")};
  std::string_view op = n.op().name();
  DType dtype = n.output(0).dtype();
  if (op == "invert")
    return {w.node("BitwiseNot", in, n.output(0).type())};
  return {w.node(op == "bitwiseAnd"  ? "BitwiseAnd"
                 : op == "bitwiseOr" ? "BitwiseOr"
                                     : "BitwiseXor",
                 {w.as(in[0], dtype), w.as(in[1], dtype)}, n.output(0).type())};
}
Vs composeInvert(const Apply &n) {
  V x = n.input(0);
  if (isBool(x.dtype()))
    return {logicalNot(x)};
  return isSignedInt(x.dtype()) ? Vs{sub(literal(-1, x), x)} : Vs();
}

/// Shifts of unsigned integers by less than their width are ONNX's.
Vs composeShift(const Apply &n) {
  bool isLeft = n.op().name() == "leftShift";
  DType dtype = n.output(0).dtype();
  V x = cast(n.input(0), dtype), y = cast(n.input(1), dtype);
  double width = bitWidth(dtype);
  if (isUnsignedInt(dtype))
    return {};
  DType raw = dtype == DType::Int8    ? DType::UInt8
              : dtype == DType::Int16 ? DType::UInt16
              : dtype == DType::Int32 ? DType::UInt32
                                      : DType::UInt64;
  V isInside = logicalAnd(ge(y, literal(0, y)), lt(y, literal(width, y)));
  V count = cast(where(isInside, y, literal(0, y)), raw);
  if (isLeft)
    return {where(isInside, cast(leftShift(cast(x, raw), count), dtype), literal(0, x))};
  // ~(~x >> n) for negative x.
  V isNegative = lt(x, literal(0, x));
  V magnitude = where(isNegative, sub(literal(-1, x), x), x);
  V shifted = cast(rightShift(cast(magnitude, raw), count), dtype);
  V inside = where(isNegative, sub(literal(-1, x), shifted), shifted);
  return {where(isInside, inside, where(isNegative, literal(-1, x), literal(0, x)))};
}
Values writeShift(OnnxWriter &w, const Apply &n, const Values &in) {
  DType dtype = n.output(0).dtype();
  const Type &type = n.output(0).type();
  Value x = w.as(in[0], dtype), y = w.as(in[1], dtype);
  auto scalar = [&](double value) { return OnnxWriter::scalar(value, dtype); };
  Type flags = y.type.withDType(DType::Bool);
  Value isInside = w.node("Less", {y, scalar(bitWidth(dtype))}, flags);
  Value count = w.node("Where", {isInside, y, scalar(0)}, y.type);
  std::string direction = n.op().name() == "leftShift" ? "LEFT" : "RIGHT";
  Value shifted = w.node("BitShift", {x, count}, type, {{"direction", direction}});
  return {w.node("Where", {isInside, shifted, scalar(0)}, type)};
}

//===--- rounding ---------------------------------------------------------------------===//

Vs composeTrunc(const Apply &n) {
  V x = operand(n, 0);
  return {where(lt(x, literal(0, x)), ceil(x), floor(x))};
}
Vs composeRoundAway(const Apply &n) {
  V x = operand(n, 0), size = abs(x), down = floor(size);
  V rounded = where(ge(sub(size, down), literal(0.5, x)), add(down, literal(1, x)), down);
  return {copysign(rounded, x)};
}

/// By arithmetic alone (Rump, Zimmermann, Boldo and Melquiond, Computing predecessor and successor
/// in rounding to nearest): what is added to |x| rounds to the next number.
Vs composeNextafter(const Apply &n) {
  DType dtype = n.output(0).dtype();
  V x = cast(n.input(0), dtype), y = cast(n.input(1), dtype);
  int digits = dtype == DType::Float64   ? 53
               : dtype == DType::Float32 ? 24
               : dtype == DType::Float16 ? 11
                                         : 8;
  int least = dtype == DType::Float64   ? -1074
              : dtype == DType::Float32 ? -149
              : dtype == DType::Float16 ? -24
                                        : -133;
  auto power = [&](int exponent) { return std::ldexp(1.0, exponent); };
  double u = power(-digits), eta = power(least);
  V size = abs(x);
  auto numberOf = [&](double value) { return literal(value, x); };
  // Great numbers directly; small ones a power of two higher up; the least are eta apart.
  V part = numberOf(u * (1 + 2 * u));
  V raised = mul(size, numberOf(1 / u)), step = mul(part, raised);
  V isGreat = ge(size, numberOf(power(least + 2 * digits - 1)));
  V isLeast = lt(size, numberOf(power(least + digits)));
  auto next = [&](bool isUp) {
    auto move = [&](const V &a, const V &b) { return isUp ? add(a, b) : sub(a, b); };
    V small = where(isLeast, move(size, numberOf(eta)), mul(move(raised, step), numberOf(u)));
    return where(isGreat, move(size, mul(part, size)), small);
  };
  V infinity = numberOf(INFINITY),
    most = numberOf(
        dtype == DType::Float16 ? 65504 : std::ldexp(1 - u, dtype == DType::Float64 ? 1024 : 128));
  V isAway = eq(gt(y, x), ge(x, numberOf(0)));
  V moved = where(isAway, next(true), where(eq(size, infinity), most, next(false)));
  V fromZero = copysign(numberOf(eta), y);
  V result = where(eq(x, numberOf(0)), fromZero, copysign(moved, x));
  return {where(eq(x, y), y, where(logicalOr(isnan(x), isnan(y)), add(x, y), result))};
}

} // namespace

absl::Span<const ExportRule> elementwiseExports() {
  static constexpr ExportRule kTable[] = {
      numeric("add", "Add", onBools<logicalOr>),
      onElements("sub", "Sub", kNumbers),
      numeric("mul", "Mul", onBools<logicalAnd>),
      onElements("trueDiv", "Div", kFloats),
      written("intDiv", writeIntDiv, composeIntDiv),
      written("mod", writeMod),
      {.op = "pow",
       .onnx = "Pow",
       .dtypes = kRealFloats | dtypeSet(DType::Int32, DType::Int64),
       .compose = composePow},
      numeric("maximum", "Max", onBools<logicalOr>),
      numeric("minimum", "Min", onBools<logicalAnd>),
      composed("copysign", composeCopysign),
      composed("nextafter", composeNextafter),
      written("second", writeSecond),
      written("clip", writeClip, composeClip),
      written("switch", writeWhere),
      composed("fma", composeFma),
      {.op = "neg", .onnx = "Neg", .dtypes = kNumbers, .compose = composeNeg},
      {.op = "abs", .onnx = "Abs", .dtypes = kNumbers, .compose = composeAbs},
      onElements("sgn", "Sign", kNumbers),
      composed("sqr", composeSqr),
      onElements("sqrt", "Sqrt", kFloats),
      onElements("reciprocal", "Reciprocal", kFloats),
      composed("identity", composeCopy),
      composed("copy", composeCopy),
      ordering("eq", "Equal", kAllDTypes, compared<eq, eq, false, false>),
      composed("neq", composeNeq),
      ordering("lt", "Less", kNumbers, compared<lt, gt, true, false>),
      ordering("le", "LessOrEqual", kNumbers, compared<le, ge, true, false>),
      ordering("gt", "Greater", kNumbers, compared<gt, lt, false, true>),
      ordering("ge", "GreaterOrEqual", kNumbers, compared<ge, le, false, true>),
      written("isnan", writeIsnan, composeIsnan),
      written("isinf", writeIsinf, composeIsinf),
      composed("isfinite", composeIsfinite),
      composed("signbit", composeSignbit),
      composed("isclose", composeIsclose),
      logic("logicalAnd", "And"),
      logic("logicalOr", "Or"),
      logic("logicalXor", "Xor"),
      logic("logicalNot", "Not"),
      written("bitwiseAnd", writeBits, onBools<logicalAnd>),
      written("bitwiseOr", writeBits, onBools<logicalOr>),
      written("bitwiseXor", writeBits, onBools<logicalXor>),
      written("invert", writeBits, composeInvert),
      written("leftShift", writeShift, composeShift),
      written("rightShift", writeShift, composeShift),
      onElements("floor", "Floor", kFloats),
      onElements("ceil", "Ceil", kFloats),
      composed("trunc", composeTrunc),
      onElements("roundHalfToEven", "Round", kRealFloats),
      composed("roundHalfAwayFromZero", composeRoundAway),
      written("cast", writeCast),
      composed("zeroGrad", composeCopy),
      composed("disconnectedGrad", composeCopy),
      composed("undefinedGrad", composeCopy),
      composed("gradClip", composeCopy),
      composed("gradScale", composeCopy),
      composed("assert", composeCopy),
      composed("specifyShapeLike", composeCopy),
  };
  return kTable;
}

} // namespace graphc
