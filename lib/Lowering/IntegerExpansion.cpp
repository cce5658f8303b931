//===- Lowering/IntegerExpansion.cpp - integer operations -----------------===//
#include "Lowering/IntegerExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace graphc {
namespace {

namespace arith = mlir::arith;
using mlir::Value;
using Builder = mlir::ImplicitLocOpBuilder;
using Compare = arith::CmpIPredicate;

Value compare(Builder &b, Compare predicate, Value x, int64_t y) {
  return arith::CmpIOp::create(b, predicate, x, constantLike(b, x, y));
}
Value select(Builder &b, Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}
Value both(Builder &b, Value x, Value y) { return arith::AndIOp::create(b, x, y); }

struct Division {
  Value quotient, remainder;
};

/// Rounded to minus infinity; defined for all operands.
Division divide(Builder &b, bool isSigned, Value x, Value y) {
  Value zero = constantLike(b, x, 0), isZero = compare(b, Compare::eq, y, 0);
  if (!isSigned) {
    Value divisor = select(b, isZero, constantLike(b, x, 1), y);
    Value quotient = arith::DivUIOp::create(b, x, divisor);
    Value remainder = arith::RemUIOp::create(b, x, divisor);
    return {select(b, isZero, zero, quotient), select(b, isZero, zero, remainder)};
  }
  // Division by -1 is negation: dividing INT_MIN by it traps.
  Value isMinusOne = compare(b, Compare::eq, y, -1);
  Value special = arith::OrIOp::create(b, isZero, isMinusOne);
  Value divisor = select(b, special, constantLike(b, x, 1), y);
  Value quotient = arith::DivSIOp::create(b, x, divisor);
  Value remainder = arith::RemSIOp::create(b, x, divisor);
  // Truncated to floored: where the remainder's sign is not the divisor's.
  Value signsDiffer = compare(b, Compare::slt, arith::XOrIOp::create(b, remainder, divisor), 0);
  Value inexact = both(b, compare(b, Compare::ne, remainder, 0), signsDiffer);
  quotient =
      select(b, inexact, arith::SubIOp::create(b, quotient, constantLike(b, x, 1)), quotient);
  remainder = select(b, inexact, arith::AddIOp::create(b, remainder, divisor), remainder);
  Value negated = arith::SubIOp::create(b, zero, x);
  return {select(b, special, select(b, isZero, zero, negated), quotient),
          select(b, special, zero, remainder)};
}

Value shift(Builder &b, bool isLeft, bool isSigned, Value x, Value count) {
  int width = mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  // Unsigned comparison: a negative count is a great one.
  Value inRange = compare(b, Compare::ult, count, width);
  if (!isLeft && isSigned) {
    Value clamped = select(b, inRange, count, constantLike(b, x, width - 1));
    return arith::ShRSIOp::create(b, x, clamped);
  }
  Value zero = constantLike(b, x, 0);
  Value clamped = select(b, inRange, count, zero);
  Value shifted = isLeft ? Value(arith::ShLIOp::create(b, x, clamped))
                         : Value(arith::ShRUIOp::create(b, x, clamped));
  return select(b, inRange, shifted, zero);
}

/// By squaring, one step for each bit of the exponent: straight-line code, so that it is the same
/// on vectors.
Value power(Builder &b, bool isSigned, Value x, Value exponent) {
  int width = mlir::getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  Value one = constantLike(b, x, 1), zero = constantLike(b, x, 0);
  Value result = one, square = x;
  int bits = isSigned ? width - 1 : width;
  for (int bit = 0; bit < bits; ++bit) {
    Value isSet = compare(b, Compare::ne,
                          both(b, exponent, constantLike(b, x, int64_t(uint64_t(1) << bit))), 0);
    result = select(b, isSet, arith::MulIOp::create(b, result, square), result);
    if (bit + 1 < bits)
      square = arith::MulIOp::create(b, square, square);
  }
  if (!isSigned)
    return result;
  // 1 and -1 have inverses; every other base gives 0.
  Value isOdd = compare(b, Compare::ne, both(b, exponent, one), 0);
  Value inverse = select(b, compare(b, Compare::eq, x, 1), one,
                         select(b, compare(b, Compare::eq, x, -1),
                                select(b, isOdd, constantLike(b, x, -1), one), zero));
  return select(b, compare(b, Compare::slt, exponent, 0), inverse, result);
}

} // namespace

Value constantLike(Builder &b, Value like, int64_t value) {
  mlir::Type type = like.getType();
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  llvm::APInt bits(element.isIndex() ? 64 : element.getIntOrFloatBitWidth(), uint64_t(value), true,
                   /*implicitTrunc=*/true);
  mlir::TypedAttr attr = mlir::IntegerAttr::get(element, bits);
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value floatConstantLike(Builder &b, Value like, double value) {
  mlir::Type type = like.getType();
  mlir::TypedAttr attr = b.getFloatAttr(mlir::getElementTypeOrSelf(type), value);
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    attr = mlir::DenseElementsAttr::get(vector, mlir::Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value expandInteger(Builder &b, ScalarOp op, bool isSigned, mlir::ValueRange x) {
  switch (op) {
  case ScalarOp::IntDiv:
    return divide(b, isSigned, x[0], x[1]).quotient;
  case ScalarOp::Mod:
    return divide(b, isSigned, x[0], x[1]).remainder;
  case ScalarOp::Pow:
    return power(b, isSigned, x[0], x[1]);
  case ScalarOp::Shl:
    return shift(b, true, isSigned, x[0], x[1]);
  case ScalarOp::Shr:
    return shift(b, false, isSigned, x[0], x[1]);
  case ScalarOp::Sgn: {
    Value zero = constantLike(b, x[0], 0), one = constantLike(b, x[0], 1);
    Value nonZero = select(b, compare(b, Compare::ne, x[0], 0), one, zero);
    if (!isSigned)
      return nonZero;
    return select(b, compare(b, Compare::slt, x[0], 0), constantLike(b, x[0], -1), nonZero);
  }
  default:
    return {};
  }
}

} // namespace graphc
