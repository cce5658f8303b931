//===- Lowering/ScalarExpansion.cpp - scalar operations as arithmetic -----===//
#include "Lowering/ScalarExpansion.h"

#include "Lowering/IntegerExpansion.h"
#include "Lowering/LinalgScalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace graphc {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using mlir::ValueRange;
using Builder = mlir::ImplicitLocOpBuilder;

std::optional<MathFunction> mathFunction(ScalarOp op) {
  switch (op) {
  case ScalarOp::IntDiv:
    return MathFunction::FloorDivide;
  case ScalarOp::Mod:
    return MathFunction::Mod;
  case ScalarOp::Pow:
    return MathFunction::Pow;
  case ScalarOp::Sqrt:
    return MathFunction::Sqrt;
  case ScalarOp::Rsqrt:
    return MathFunction::Rsqrt;
  case ScalarOp::Cbrt:
    return MathFunction::Cbrt;
  case ScalarOp::CopySign:
    return MathFunction::Copysign;
  case ScalarOp::NextAfter:
    return MathFunction::Nextafter;
  case ScalarOp::Hypot:
    return MathFunction::Hypot;
  case ScalarOp::Floor:
    return MathFunction::Floor;
  case ScalarOp::Ceil:
    return MathFunction::Ceil;
  case ScalarOp::Trunc:
    return MathFunction::Trunc;
  case ScalarOp::RoundEven:
    return MathFunction::RoundEven;
  case ScalarOp::RoundAway:
    return MathFunction::RoundAway;
  case ScalarOp::Exp:
    return MathFunction::Exp;
  case ScalarOp::Exp2:
    return MathFunction::Exp2;
  case ScalarOp::Expm1:
    return MathFunction::Expm1;
  case ScalarOp::Log:
    return MathFunction::Log;
  case ScalarOp::Log2:
    return MathFunction::Log2;
  case ScalarOp::Log10:
    return MathFunction::Log10;
  case ScalarOp::Log1p:
    return MathFunction::Log1p;
  case ScalarOp::Log1mExp:
    return MathFunction::Log1mExp;
  case ScalarOp::Logit:
    return MathFunction::Logit;
  case ScalarOp::LogAddExp:
    return MathFunction::LogAddExp;
  case ScalarOp::Sin:
    return MathFunction::Sin;
  case ScalarOp::Cos:
    return MathFunction::Cos;
  case ScalarOp::Tan:
    return MathFunction::Tan;
  case ScalarOp::ArcSin:
    return MathFunction::Arcsin;
  case ScalarOp::ArcCos:
    return MathFunction::Arccos;
  case ScalarOp::ArcTan:
    return MathFunction::Arctan;
  case ScalarOp::ArcTan2:
    return MathFunction::Arctan2;
  case ScalarOp::Sinh:
    return MathFunction::Sinh;
  case ScalarOp::Cosh:
    return MathFunction::Cosh;
  case ScalarOp::Tanh:
    return MathFunction::Tanh;
  case ScalarOp::ArcSinh:
    return MathFunction::Arcsinh;
  case ScalarOp::ArcCosh:
    return MathFunction::Arccosh;
  case ScalarOp::ArcTanh:
    return MathFunction::Arctanh;
  case ScalarOp::Sinc:
    return MathFunction::Sinc;
  case ScalarOp::Erf:
    return MathFunction::Erf;
  case ScalarOp::Erfc:
    return MathFunction::Erfc;
  case ScalarOp::Erfcx:
    return MathFunction::Erfcx;
  case ScalarOp::Ndtr:
    return MathFunction::Ndtr;
  case ScalarOp::LogNdtr:
    return MathFunction::LogNdtr;
  case ScalarOp::Sigmoid:
    return MathFunction::Sigmoid;
  case ScalarOp::Softplus:
    return MathFunction::Softplus;
  case ScalarOp::Gelu:
    return MathFunction::Gelu;
  case ScalarOp::GeluTanh:
    return MathFunction::GeluTanh;
  case ScalarOp::Silu:
    return MathFunction::Silu;
  default:
    return std::nullopt;
  }
}

Value compare(Builder &b, arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}

/// -1, 0 or 1; 0 for both zeros; NaN stays (F-367).
Value floatSign(Builder &b, Value x) {
  Value zero = floatConstantLike(b, x, 0);
  Value below = arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::OLT, x, zero),
                                        floatConstantLike(b, x, -1), zero);
  Value sign = arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::OGT, x, zero),
                                       floatConstantLike(b, x, 1), below);
  return arith::SelectOp::create(b, compare(b, arith::CmpFPredicate::UNO, x, x), x, sign);
}

mlir::Type withElement(Value like, mlir::Type element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(like.getType()))
    return vector.clone(element);
  return element;
}

/// A float's bits, as an integer.
Value bitsOf(Builder &b, Value x) {
  mlir::Type element = mlir::getElementTypeOrSelf(x.getType());
  return arith::BitcastOp::create(
      b, withElement(x, b.getIntegerType(element.getIntOrFloatBitWidth())), x);
}

Value signBit(Builder &b, Value x) {
  Value number = bitsOf(b, x);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, constantLike(b, number, 0));
}

/// On registers of f32 and f64.
Value expandFloat(Builder &b, ScalarOp op, ValueRange x, const MathTarget &target) {
  switch (op) {
  case ScalarOp::Sgn:
    return floatSign(b, x[0]);
  case ScalarOp::SignBit:
    return signBit(b, x[0]);
  case ScalarOp::IsInf:
    return compare(b, arith::CmpFPredicate::OEQ, mlir::math::AbsFOp::create(b, x[0]),
                   floatConstantLike(b, x[0], INFINITY));
  case ScalarOp::Maximum:
  case ScalarOp::Minimum:
    return expandFloatExtremum(b, op == ScalarOp::Maximum, x[0], x[1], target);
  default:
    break;
  }
  if (auto function = mathFunction(op))
    return buildMath(b, *function, x, target);
  return {};
}

/// 16-bit floats compute in float32 and round once.
Value expandHalf(Builder &b, const ScalarCall &call, ValueRange x, const MathTarget &target) {
  llvm::SmallVector<Value, 3> wide;
  for (Value operand : x)
    wide.push_back(arith::ExtFOp::create(b, withElement(operand, b.getF32Type()), operand));
  ScalarCall in32 = {call.op, DType::Float32,
                     call.result == call.operand ? DType::Float32 : call.result};
  Value result = expandScalar(b, in32, wide, target);
  if (!result || call.result != call.operand)
    return result;
  return arith::TruncFOp::create(b, x[0].getType(), result);
}

/// The next number of a half's format: its bits, read as a sign and a magnitude, count by one.
Value nextHalf(Builder &b, Value x, Value y) {
  using P = arith::CmpFPredicate;
  mlir::Type wide = withElement(x, b.getF32Type()), narrow = withElement(x, b.getI16Type());
  Value from = arith::ExtFOp::create(b, wide, x), to = arith::ExtFOp::create(b, wide, y);
  Value zero = floatConstantLike(b, from, 0), bits = arith::BitcastOp::create(b, narrow, x);
  Value rises = compare(b, P::OGT, to, from), isPositive = compare(b, P::OGT, from, zero);
  Value grows = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rises, isPositive);
  Value count =
      arith::SelectOp::create(b, grows, constantLike(b, bits, 1), constantLike(b, bits, -1));
  Value least = arith::SelectOp::create(b, rises, constantLike(b, bits, 1),
                                        constantLike(b, bits, INT16_MIN + 1));
  Value next = arith::SelectOp::create(b, compare(b, P::OEQ, from, zero), least,
                                       arith::AddIOp::create(b, bits, count));
  next = arith::SelectOp::create(b, compare(b, P::OEQ, from, to),
                                 arith::BitcastOp::create(b, narrow, y), next);
  Value nan = arith::TruncFOp::create(b, x.getType(), arith::AddFOp::create(b, from, to));
  return arith::SelectOp::create(b, compare(b, P::UNO, from, to), nan,
                                 arith::BitcastOp::create(b, x.getType(), next));
}

/// The value of a constant (of all lanes) that is not NaN.
std::optional<llvm::APFloat> numberOf(Value x) {
  auto constant = x.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  std::optional<llvm::APFloat> value;
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue()))
    value = number.getValue();
  else if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(constant.getValue()))
    value = splat.getSplatValue<llvm::APFloat>();
  return value && !value->isNaN() ? value : std::nullopt;
}

bool isHalf(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

} // namespace

Value expandFloatExtremum(Builder &b, bool isMax, Value x, Value y, const MathTarget &target) {
  if (target.extrema)
    return isMax ? Value(arith::MaximumFOp::create(b, x, y))
                 : Value(arith::MinimumFOp::create(b, x, y));
  // select(x > y, x, y) is one instruction; it is y when one is NaN, and of two zeros.
  auto predicate = isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  auto pick = [&](Value first, Value second) -> Value {
    return arith::SelectOp::create(b, compare(b, predicate, first, second), first, second);
  };
  unsigned width = mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  int64_t sign = width == 64 ? INT64_MIN : INT32_MIN;
  if (numberOf(x))
    std::swap(x, y);
  if (std::optional<llvm::APFloat> number = numberOf(y)) {
    // The constant goes first, so that a NaN, and the other's zero, is what remains.
    Value picked = pick(y, x);
    if (!number->isZero() || number->isNegative() == isMax)
      return picked;
    // That is never below (above) 0, and its zero shall have the constant's sign. So may NaN.
    Value bits = bitsOf(b, picked);
    bits = isMax ? Value(arith::AndIOp::create(b, bits, constantLike(b, bits, ~sign)))
                 : Value(arith::OrIOp::create(b, bits, constantLike(b, bits, sign)));
    return arith::BitcastOp::create(b, x.getType(), bits);
  }
  // In both orders: the same, but for zeros of both signs, and a NaN beside the other operand. Of
  // all bits but the sign `or` is right then, since NaN has an exponent of ones and a fraction that
  // is not 0; of the sign `and` for a maximum, `or` for a minimum. No mask, no look for NaN: three
  // (two) instructions beside the first one where AVX-512 has logic of three operands.
  Value first = bitsOf(b, pick(x, y)), second = bitsOf(b, pick(y, x));
  Value joined = arith::OrIOp::create(b, first, second);
  if (isMax)
    joined = arith::OrIOp::create(b, arith::AndIOp::create(b, first, second),
                                  arith::AndIOp::create(b, joined, constantLike(b, joined, ~sign)));
  return arith::BitcastOp::create(b, x.getType(), joined);
}

Value expandScalar(Builder &b, const ScalarCall &call, ValueRange x, const MathTarget &target) {
  if (call.op == ScalarOp::Cast)
    return buildCast(b, x[0], call.operand, call.result);
  if (isHalf(call.operand) && call.op == ScalarOp::NextAfter)
    return nextHalf(b, x[0], x[1]);
  if (isHalf(call.operand) && call.op != ScalarOp::Select && call.op != ScalarOp::SignBit)
    return expandHalf(b, call, x, target);
  if (isFloat(call.operand)) {
    if (Value result = expandFloat(b, call.op, x, target))
      return result;
    return buildNativeScalar(b, call, x);
  }
  if (isInteger(call.operand)) {
    if (Value result = expandInteger(b, call.op, isSignedInt(call.operand), x))
      return result;
    if (call.op == ScalarOp::IsNan || call.op == ScalarOp::IsInf)
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x[0], x[0]);
    if (call.op == ScalarOp::SignBit)
      return isSignedInt(call.operand)
                 ? arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[0],
                                         constantLike(b, x[0], 0))
                 : arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x[0], x[0]);
  }
  return buildNativeScalar(b, call, x);
}

std::pair<Value, Value> expandArgJoin(Builder &b, ArgCall call, Value x, Value xPosition, Value y,
                                      Value yPosition, bool inOrder) {
  Value takeSecond, tie;
  if (isFloat(call.dtype)) {
    auto predicate = call.isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value xNan = compare(b, arith::CmpFPredicate::UNO, x, x);
    Value yNan = compare(b, arith::CmpFPredicate::UNO, y, y);
    Value notX = arith::XOrIOp::create(b, xNan, constantLike(b, xNan, 1));
    takeSecond =
        arith::OrIOp::create(b, compare(b, predicate, y, x), arith::AndIOp::create(b, yNan, notX));
    if (!inOrder)
      tie = arith::OrIOp::create(b, compare(b, arith::CmpFPredicate::OEQ, x, y),
                                 arith::AndIOp::create(b, xNan, yNan));
  } else {
    using P = arith::CmpIPredicate;
    bool isSigned = isSignedInt(call.dtype);
    P predicate = call.isMax ? (isSigned ? P::sgt : P::ugt) : (isSigned ? P::slt : P::ult);
    takeSecond = arith::CmpIOp::create(b, predicate, y, x);
    if (!inOrder)
      tie = arith::CmpIOp::create(b, P::eq, x, y);
  }
  if (!inOrder) {
    Value before = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, yPosition, xPosition);
    takeSecond = arith::OrIOp::create(b, takeSecond, arith::AndIOp::create(b, tie, before));
  }
  return {arith::SelectOp::create(b, takeSecond, y, x),
          arith::SelectOp::create(b, takeSecond, yPosition, xPosition)};
}

} // namespace graphc
