//===- JIT/HalfFloats.cpp - 16-bit floats as integers ---------------------===//
//
// No processor that graphc knows has all of loads, masks, selects and conversions for both formats,
// and where one is missing LLVM goes through f32, a lane at a time, with calls of compiler-rt
// (__truncsfbf2, __extendhfsf2, ...). So values of these types are i16 all the way: what moves them
// is integer code, which every processor has, and what computes with them is f32.
//
// The layouts: f16 has 5 bits of exponent (bias 15) and 10 of fraction, bf16 is the upper half of
// an f32 (8 bits, bias 127, and 7), f32 has 8 and 23. The expansions work on scalars and on
// vectors; the selects become blends.
//
//===----------------------------------------------------------------------===//
#include "JIT/HalfFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace graphc {
namespace {

bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(vector.clone(element)) : element;
}

/// The instructions of F16C and of aarch64 take scalars and vectors of one dimension.
bool hasInstruction(Type type, const TargetDescription &target) {
  auto vector = dyn_cast<VectorType>(type);
  return target.hasF16C && getElementTypeOrSelf(type).isF16() && (!vector || vector.getRank() == 1);
}

/// Ops on values of one shape: scalars, or vectors like the one that is converted.
class Builder {
public:
  Builder(Operation *before, Type like)
      : b(before->getLoc(), before), like(dyn_cast<VectorType>(like)) {}

  Type type(Type element) {
    return like ? Type(VectorType::get(like.getShape(), element)) : element;
  }
  Type i16() { return type(b.getI16Type()); }
  Type i32() { return type(b.getI32Type()); }
  Type f32() { return type(b.getF32Type()); }
  Type f64() { return type(b.getF64Type()); }
  Value constant(uint32_t bits) {
    TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(bits));
    if (like)
      attr = DenseElementsAttr::get(cast<ShapedType>(i32()), attr);
    return arith::ConstantOp::create(b, attr);
  }
  template <typename Op> Value make(Value x, Value y) { return Op::create(b, x, y); }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value bitAnd(Value x, uint32_t y) { return make<arith::AndIOp>(x, constant(y)); }
  Value bitOr(Value x, Value y) { return make<arith::OrIOp>(x, y); }
  Value shiftLeft(Value x, uint32_t y) { return make<arith::ShLIOp>(x, constant(y)); }
  Value shiftRight(Value x, uint32_t y) { return make<arith::ShRUIOp>(x, constant(y)); }
  Value select(Value c, Value x, Value y) { return arith::SelectOp::create(b, c, x, y); }
  Value less(Value x, uint32_t y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, constant(y));
  }
  Value equal(Value x, uint32_t y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, constant(y));
  }
  Value compare(arith::CmpFPredicate p, Value x, Value y) {
    return arith::CmpFOp::create(b, p, x, y);
  }
  Value bits(Value x, Type to) { return arith::BitcastOp::create(b, to, x); }
  Value widen(Value x, Type to) { return arith::ExtUIOp::create(b, to, x); }
  Value narrow(Value x, Type to) { return arith::TruncIOp::create(b, to, x); }
  Value extend(Value x, Type to) { return arith::ExtFOp::create(b, to, x); }
  Value truncate(Value x, Type to) { return arith::TruncFOp::create(b, to, x); }

private:
  ImplicitLocOpBuilder b;
  VectorType like;
};

Value f32FromBF16(Builder &b, Value x) {
  return b.bits(b.shiftLeft(b.widen(b.bits(x, b.i16()), b.i32()), 16), b.f32());
}

/// Nearest even: adds half of the last place that stays, and one less where that place is even.
Value bf16FromF32(Builder &b, Value x, Type to) {
  Value bits = b.bits(x, b.i32());
  Value even = b.bitAnd(b.shiftRight(bits, 16), 1);
  Value rounded = b.add(b.add(bits, b.constant(0x7fff)), even);
  Value quiet =
      b.bitOr(bits, b.constant(0x00400000)); // a NaN whose payload is below must not turn into inf
  Value nan = b.compare(arith::CmpFPredicate::UNO, x, x);
  Value high = b.shiftRight(b.select(nan, quiet, rounded), 16);
  return b.bits(b.narrow(high, b.i16()), to);
}

/// Moves exponent and fraction into place and corrects the bias. A subnormal f16 gets an exponent
/// of 1 and its value from a subtraction that is exact.
Value f32FromF16(Builder &b, Value x) {
  constexpr uint32_t kExponent = 0x7c00u << 13;
  Value half = b.widen(b.bits(x, b.i16()), b.i32());
  Value sign = b.shiftLeft(b.bitAnd(half, 0x8000), 16);
  Value moved = b.shiftLeft(b.bitAnd(half, 0x7fff), 13);
  Value exponent = b.bitAnd(moved, kExponent);
  Value normal = b.add(moved, b.constant((127u - 15) << 23));
  Value special = b.add(moved, b.constant((255u - 31) << 23)); // inf and NaN
  Value subnormal = b.add(normal, b.constant(1u << 23));
  subnormal = b.bits(b.make<arith::SubFOp>(b.bits(subnormal, b.f32()),
                                           b.bits(b.constant((127u - 14) << 23), b.f32())),
                     b.i32());
  Value magnitude = b.select(b.equal(exponent, kExponent), special, normal);
  magnitude = b.select(b.equal(exponent, 0), subnormal, magnitude);
  return b.bits(b.bitOr(magnitude, sign), b.f32());
}

/// Nearest even in integers for normal results; for subnormal ones an addition that puts the last
/// place of the f16 at the last place of the f32 sum does the rounding.
Value f16FromF32(Builder &b, Value x, Type to) {
  constexpr uint32_t kInf = 255u << 23, kTooLarge = (127u + 16) << 23, kNormal = (127u - 14) << 23;
  constexpr uint32_t kMagic = (127u - 15 + 23 - 10 + 1)
                              << 23; // its last place is 2^-24, f16's smallest
  Value bits = b.bits(x, b.i32());
  Value sign = b.bitAnd(b.shiftRight(bits, 16), 0x8000);
  Value magnitude = b.bitAnd(bits, 0x7fffffff);
  Value even = b.bitAnd(b.shiftRight(magnitude, 13), 1);
  Value rebased = b.sub(magnitude, b.constant((127u - 15) << 23));
  Value normal = b.shiftRight(b.add(b.add(rebased, b.constant(0xfff)), even), 13);
  Value magic = b.constant(kMagic);
  Value sum = b.make<arith::AddFOp>(b.bits(magnitude, b.f32()), b.bits(magic, b.f32()));
  Value subnormal = b.sub(b.bits(sum, b.i32()), magic);
  Value result = b.select(b.less(magnitude, kNormal), subnormal, normal);
  Value special = b.select(b.less(magnitude, kInf + 1), b.constant(0x7c00), b.constant(0x7e00));
  result = b.select(b.less(magnitude, kTooLarge), result, special);
  return b.bits(b.narrow(b.bitOr(result, sign), b.i16()), to);
}

/// f64 to f32 with the last bit set wherever the result is not exact, so that a second rounding to
/// a type with at least two bits less is right (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums", 2008).
Value f32ToOdd(Builder &b, Value x) {
  Value nearest = b.truncate(x, b.f32());
  Value back = b.extend(nearest, b.f64());
  Value bits = b.bits(nearest, b.i32());
  // The sign is taken from x, since a result of zero has none to compare.
  Value zero = b.extend(b.bits(b.constant(0), b.f32()), b.f64());
  Value positive = b.compare(arith::CmpFPredicate::OGT, x, zero);
  Value above = b.compare(arith::CmpFPredicate::OGT, back, x);
  Value below = b.compare(arith::CmpFPredicate::OLT, back, x);
  Value away = b.select(positive, above, below);
  Value towardsZero = b.select(away, b.sub(bits, b.constant(1)), bits);
  Value odd = b.bitOr(towardsZero, b.constant(1));
  Value inexact = b.compare(arith::CmpFPredicate::ONE, back, x);
  return b.bits(b.select(inexact, odd, bits), b.f32());
}

/// Integer arithmetic for what is no instruction.
void expand(arith::ExtFOp op, const TargetDescription &target) {
  Type from = op.getIn().getType();
  if (!isHalf(from) || hasInstruction(from, target))
    return;
  Builder b(op, from);
  Value result =
      getElementTypeOrSelf(from).isBF16() ? f32FromBF16(b, op.getIn()) : f32FromF16(b, op.getIn());
  if (result.getType() != op.getType())
    result = b.extend(result, op.getType());
  op.replaceAllUsesWith(result);
  op.erase();
}

void expand(arith::TruncFOp op, const TargetDescription &target) {
  Type to = op.getType();
  bool fromF64 = getElementTypeOrSelf(op.getIn().getType()).isF64();
  bool instruction = hasInstruction(to, target);
  if (!isHalf(to) || (instruction && (!fromF64 || target.isAArch64 || target.hasAvx512Fp16)))
    return;
  Builder b(op, to);
  Value x = fromF64 ? f32ToOdd(b, op.getIn()) : op.getIn();
  // AVX512-BF16's instruction takes subnormals for zero, so bf16 is always done here.
  Value result = getElementTypeOrSelf(to).isBF16() ? bf16FromF32(b, x, to)
                 : instruction                     ? b.truncate(x, to)
                                                   : f16FromF32(b, x, to);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Whether the op computes with the values of its halves, rather than moving them.
bool computesWithHalves(Operation *op) {
  Dialect *dialect = op->getDialect();
  bool computes = isa_and_present<arith::ArithDialect, math::MathDialect>(dialect)
                      ? !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
                             arith::TruncFOp>(op)
                      : isa<vector::FMAOp, vector::ReductionOp>(op);
  return computes && op->getNumResults() == 1 &&
         (llvm::any_of(op->getOperandTypes(), isHalf) || isHalf(op->getResult(0).getType()));
}

/// The op on f32. An integer of at most 32 bits becomes an f64, which has room for it, so that
/// there is one rounding; larger ones have calls of their own (CastBuilder.cpp).
void computeInFloat32(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type wide = isa<arith::SIToFPOp, arith::UIToFPOp>(op) ? Type(b.getF64Type()) : b.getF32Type();
  SmallVector<Value, 4> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        isHalf(operand.getType())
            ? arith::ExtFOp::create(b, loc, withElement(operand.getType(), b.getF32Type()), operand)
            : operand);
  op->setOperands(operands);
  Value result = op->getResult(0);
  Type type = result.getType();
  if (!isHalf(type))
    return;
  result.setType(withElement(type, wide));
  b.setInsertionPointAfter(op);
  Value narrow = arith::TruncFOp::create(b, loc, type, result);
  result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

} // namespace

void expandHalfFloats(ModuleOp module, const TargetDescription &target) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (computesWithHalves(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    computeInFloat32(op);
  module.walk([&](Operation *op) {
    if (auto extension = dyn_cast<arith::ExtFOp>(op))
      expand(extension, target);
    else if (auto truncation = dyn_cast<arith::TruncFOp>(op))
      expand(truncation, target);
  });
}

} // namespace graphc
