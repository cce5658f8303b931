//===- Lowering/LinalgScalars.cpp - scalar operations in linalg bodies ----===//
#include "Lowering/LinalgScalars.h"

#include "Lowering/ScalarTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace graphc {
namespace {

using mlir::Value;
using mlir::ValueRange;
using Builder = mlir::ImplicitLocOpBuilder;
namespace arith = mlir::arith;
namespace math = mlir::math;

template <class Op> Value unary(Builder &b, ValueRange x) { return Op::create(b, x[0]); }
template <class Op> Value binary(Builder &b, ValueRange x) { return Op::create(b, x[0], x[1]); }

Value compareFloats(Builder &b, arith::CmpFPredicate predicate, ValueRange x) {
  return arith::CmpFOp::create(b, predicate, x[0], x.size() == 1 ? x[0] : x[1]);
}

Value floatOp(Builder &b, ScalarOp op, ValueRange x) {
  switch (op) {
  case ScalarOp::Add:
    return binary<arith::AddFOp>(b, x);
  case ScalarOp::Sub:
    return binary<arith::SubFOp>(b, x);
  case ScalarOp::Mul:
    return binary<arith::MulFOp>(b, x);
  case ScalarOp::Div:
    return binary<arith::DivFOp>(b, x);
  case ScalarOp::Neg:
    return unary<arith::NegFOp>(b, x);
  case ScalarOp::Abs:
    return unary<math::AbsFOp>(b, x);
  case ScalarOp::Maximum:
    return binary<arith::MaximumFOp>(b, x);
  case ScalarOp::Minimum:
    return binary<arith::MinimumFOp>(b, x);
  case ScalarOp::Sqrt:
    return unary<math::SqrtOp>(b, x);
  case ScalarOp::Floor:
    return unary<math::FloorOp>(b, x);
  case ScalarOp::Ceil:
    return unary<math::CeilOp>(b, x);
  case ScalarOp::Trunc:
    return unary<math::TruncOp>(b, x);
  case ScalarOp::RoundEven:
    return unary<math::RoundEvenOp>(b, x);
  case ScalarOp::CopySign:
    return binary<math::CopySignOp>(b, x);
  case ScalarOp::Fma:
    return math::FmaOp::create(b, x[0], x[1], x[2]);
  case ScalarOp::Eq:
    return compareFloats(b, arith::CmpFPredicate::OEQ, x);
  case ScalarOp::Ne:
    return compareFloats(b, arith::CmpFPredicate::UNE, x);
  case ScalarOp::Lt:
    return compareFloats(b, arith::CmpFPredicate::OLT, x);
  case ScalarOp::Le:
    return compareFloats(b, arith::CmpFPredicate::OLE, x);
  case ScalarOp::Gt:
    return compareFloats(b, arith::CmpFPredicate::OGT, x);
  case ScalarOp::Ge:
    return compareFloats(b, arith::CmpFPredicate::OGE, x);
  case ScalarOp::IsNan:
    return compareFloats(b, arith::CmpFPredicate::UNO, x);
  default:
    return {};
  }
}

Value compareInts(Builder &b, bool isSigned, ScalarOp op, ValueRange x) {
  using P = arith::CmpIPredicate;
  P predicate = op == ScalarOp::Eq   ? P::eq
                : op == ScalarOp::Ne ? P::ne
                : op == ScalarOp::Lt ? (isSigned ? P::slt : P::ult)
                : op == ScalarOp::Le ? (isSigned ? P::sle : P::ule)
                : op == ScalarOp::Gt ? (isSigned ? P::sgt : P::ugt)
                                     : (isSigned ? P::sge : P::uge);
  return arith::CmpIOp::create(b, predicate, x[0], x[1]);
}

Value intConstant(Builder &b, mlir::Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value intOp(Builder &b, ScalarOp op, bool isSigned, ValueRange x) {
  switch (op) {
  case ScalarOp::Add:
    return binary<arith::AddIOp>(b, x);
  case ScalarOp::Sub:
    return binary<arith::SubIOp>(b, x);
  case ScalarOp::Mul:
    return binary<arith::MulIOp>(b, x);
  case ScalarOp::Neg:
    return arith::SubIOp::create(b, intConstant(b, x[0].getType(), 0), x[0]);
  case ScalarOp::Abs:
    return isSigned ? unary<math::AbsIOp>(b, x) : x[0];
  case ScalarOp::Maximum:
    return isSigned ? binary<arith::MaxSIOp>(b, x) : binary<arith::MaxUIOp>(b, x);
  case ScalarOp::Minimum:
    return isSigned ? binary<arith::MinSIOp>(b, x) : binary<arith::MinUIOp>(b, x);
  case ScalarOp::And:
    return binary<arith::AndIOp>(b, x);
  case ScalarOp::Or:
    return binary<arith::OrIOp>(b, x);
  case ScalarOp::Xor:
    return binary<arith::XOrIOp>(b, x);
  case ScalarOp::Not:
    return arith::XOrIOp::create(b, x[0], intConstant(b, x[0].getType(), -1));
  case ScalarOp::Eq:
  case ScalarOp::Ne:
  case ScalarOp::Lt:
  case ScalarOp::Le:
  case ScalarOp::Gt:
  case ScalarOp::Ge:
    return compareInts(b, isSigned, op, x);
  default:
    return {};
  }
}

/// Addition of Bools is or, multiplication and.
Value boolOp(Builder &b, ScalarOp op, ValueRange x) {
  switch (op) {
  case ScalarOp::Add:
  case ScalarOp::Maximum:
    return binary<arith::OrIOp>(b, x);
  case ScalarOp::Mul:
  case ScalarOp::Minimum:
    return binary<arith::AndIOp>(b, x);
  case ScalarOp::Abs:
    return x[0];
  case ScalarOp::And:
  case ScalarOp::Or:
  case ScalarOp::Xor:
  case ScalarOp::Not:
  case ScalarOp::Eq:
  case ScalarOp::Ne:
  case ScalarOp::Lt:
  case ScalarOp::Le:
  case ScalarOp::Gt:
  case ScalarOp::Ge:
    return intOp(b, op, /*isSigned=*/false, x);
  default:
    return {};
  }
}

Value castOp(Builder &b, DType from, DType to, Value x) {
  mlir::Type type = scalarType(b.getContext(), to);
  if (to == DType::Bool) {
    if (isFloat(from)) {
      Value zero = arith::ConstantOp::create(b, b.getFloatAttr(x.getType(), 0));
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
    }
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, intConstant(b, x.getType(), 0));
  }
  if (isFloat(from)) {
    if (to == DType::Float64 && from == DType::Float32)
      return arith::ExtFOp::create(b, type, x);
    if (to == DType::Float32 && (from == DType::Float16 || from == DType::BFloat16))
      return arith::ExtFOp::create(b, type, x);
    if (to == DType::Float32 && from == DType::Float64)
      return arith::TruncFOp::create(b, type, x);
    return {};
  }
  if (to == DType::Float32 || to == DType::Float64)
    return isSignedInt(from) ? Value(arith::SIToFPOp::create(b, type, x))
                             : Value(arith::UIToFPOp::create(b, type, x));
  if (isFloat(to))
    return {};
  if (bitWidth(to) < bitWidth(from))
    return arith::TruncIOp::create(b, type, x);
  if (bitWidth(to) == bitWidth(from))
    return x;
  return isSignedInt(from) ? Value(arith::ExtSIOp::create(b, type, x))
                           : Value(arith::ExtUIOp::create(b, type, x));
}

} // namespace

Value buildNativeScalar(Builder &b, const ScalarCall &call, ValueRange x) {
  if (call.op == ScalarOp::Cast)
    return call.operand == call.result ? x[0] : castOp(b, call.operand, call.result, x[0]);
  if (call.op == ScalarOp::Select)
    return arith::SelectOp::create(b, x[0], x[1], x[2]);
  if (isFloat(call.operand))
    return floatOp(b, call.op, x);
  if (isBool(call.operand))
    return boolOp(b, call.op, x);
  return intOp(b, call.op, isSignedInt(call.operand), x);
}

mlir::Value buildConstant(Builder &b, DType dtype, uint64_t bits) {
  mlir::Type type = scalarType(b.getContext(), dtype);
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type)) {
    llvm::APFloat value(floatType.getFloatSemantics(),
                        llvm::APInt(bitWidth(dtype), bits, false, /*implicitTrunc=*/true));
    return arith::ConstantOp::create(b, mlir::FloatAttr::get(floatType, value));
  }
  llvm::APInt value(bitWidth(dtype), isBool(dtype) ? bits != 0 : bits, false,
                    /*implicitTrunc=*/true);
  return arith::ConstantOp::create(
      b, mlir::cast<mlir::TypedAttr>(mlir::Attribute(mlir::IntegerAttr::get(type, value))));
}

mlir::TypedAttr neutralElement(mlir::MLIRContext *context, Combine combine, DType dtype) {
  mlir::Type type = scalarType(context, dtype);
  bool lowest = combine == Combine::Max || combine == Combine::ArgMax;
  bool highest = combine == Combine::Min || combine == Combine::ArgMin;
  if (auto floatType = mlir::dyn_cast<mlir::FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    llvm::APFloat value = lowest || highest ? llvm::APFloat::getInf(semantics, /*Negative=*/lowest)
                          : combine == Combine::Prod ? llvm::APFloat::getOne(semantics)
                                                     : llvm::APFloat::getZero(semantics);
    return mlir::FloatAttr::get(floatType, value);
  }
  unsigned width = bitWidth(dtype);
  llvm::APInt value(width, 0);
  if (lowest)
    value = isSignedInt(dtype) ? llvm::APInt::getSignedMinValue(width) : value;
  else if (highest)
    value =
        isSignedInt(dtype) ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getAllOnes(width);
  else if (combine == Combine::Prod)
    value = llvm::APInt(width, 1);
  else if (combine == Combine::And)
    value = llvm::APInt::getAllOnes(width);
  return mlir::IntegerAttr::get(type, value);
}

Value buildCombine(Builder &b, Combine combine, DType dtype, Value a, Value c) {
  Value joined = buildNativeScalar(b, {joinOp(combine), dtype, dtype}, {a, c});
  if (isFloat(dtype) && hasAccumulator(combine))
    mlir::cast<arith::ArithFastMathInterface>(joined.getDefiningOp())
        ->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::reassoc));
  return joined;
}

} // namespace graphc
