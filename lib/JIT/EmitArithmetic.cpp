//===- JIT/EmitArithmetic.cpp - arith and math as LLVM IR -----------------===//
#include "JIT/IREmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace graphc {

namespace arith = mlir::arith;
namespace math = mlir::math;
using llvm::Instruction;
using llvm::Value;

llvm::Value *withFlags(llvm::Value *made, arith::FastMathFlags flags) {
  auto *instruction = llvm::dyn_cast<Instruction>(made); // else it was folded
  if (!instruction || flags == arith::FastMathFlags::none)
    return made;
  auto has = [&](arith::FastMathFlags flag) { return arith::bitEnumContainsAny(flags, flag); };
  llvm::FastMathFlags set;
  set.setAllowReassoc(has(arith::FastMathFlags::reassoc));
  set.setNoNaNs(has(arith::FastMathFlags::nnan));
  set.setNoInfs(has(arith::FastMathFlags::ninf));
  set.setNoSignedZeros(has(arith::FastMathFlags::nsz));
  set.setAllowReciprocal(has(arith::FastMathFlags::arcp));
  set.setAllowContract(has(arith::FastMathFlags::contract));
  set.setApproxFunc(has(arith::FastMathFlags::afn));
  instruction->setFastMathFlags(set);
  return made;
}

namespace {

template <Instruction::BinaryOps Code> struct Binary {
  template <class Op> Value *operator()(IREmitter &e, Op op) const {
    Value *made = e.b.CreateBinOp(Code, e.get(op->getOperand(0)), e.get(op->getOperand(1)));
    auto *instruction = llvm::dyn_cast<Instruction>(made);
    if (!instruction)
      return made;
    if constexpr (requires { op.hasNoSignedWrap(); }) {
      instruction->setHasNoSignedWrap(op.hasNoSignedWrap());
      instruction->setHasNoUnsignedWrap(op.hasNoUnsignedWrap());
    } else if constexpr (requires { op.getIsExact(); }) {
      instruction->setIsExact(op.getIsExact());
    } else if constexpr (requires { op.getFastmath(); }) {
      withFlags(made, op.getFastmath());
    }
    return made;
  }
};

/// An index is an integer of 64 bits.
template <bool IsSigned> struct IndexCast {
  template <class Op> Value *operator()(IREmitter &e, Op op) const {
    return e.b.CreateIntCast(e.get(op->getOperand(0)), e.type(op.getType()), IsSigned);
  }
};

llvm::CmpInst::Predicate predicateOf(arith::CmpIPredicate p) {
  switch (p) {
  case arith::CmpIPredicate::eq:
    return llvm::CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return llvm::CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return llvm::CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return llvm::CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return llvm::CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return llvm::CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return llvm::CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return llvm::CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return llvm::CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return llvm::CmpInst::ICMP_UGE;
  }
  return llvm::CmpInst::BAD_ICMP_PREDICATE;
}

llvm::CmpInst::Predicate predicateOf(arith::CmpFPredicate p) {
  switch (p) {
  case arith::CmpFPredicate::AlwaysFalse:
    return llvm::CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return llvm::CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return llvm::CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return llvm::CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return llvm::CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return llvm::CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return llvm::CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return llvm::CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return llvm::CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return llvm::CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return llvm::CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return llvm::CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return llvm::CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return llvm::CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return llvm::CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return llvm::CmpInst::FCMP_TRUE;
  }
  return llvm::CmpInst::BAD_FCMP_PREDICATE;
}

/// x / y rounded down (`Up`: up), of signed numbers.
template <bool Up> struct RoundedQuotient {
  template <class Op> Value *operator()(IREmitter &e, Op op) const {
    Value *x = e.get(op.getLhs()), *y = e.get(op.getRhs());
    Value *zero = llvm::Constant::getNullValue(x->getType());
    Value *one = llvm::ConstantInt::get(x->getType(), 1);
    Value *quotient = e.b.CreateSDiv(x, y);
    Value *isRounded = e.b.CreateICmpNE(e.b.CreateMul(quotient, y), x);
    Value *xNegative = e.b.CreateICmpSLT(x, zero), *yNegative = e.b.CreateICmpSLT(y, zero);
    Value *wasOther = Up ? e.b.CreateICmpEQ(xNegative, yNegative) // sdiv rounds towards 0
                         : e.b.CreateICmpNE(xNegative, yNegative);
    Value *next = Up ? e.b.CreateAdd(quotient, one) : e.b.CreateSub(quotient, one);
    return e.b.CreateSelect(e.b.CreateAnd(isRounded, wasOther), next, quotient);
  }
};

/// Both halves of a product.
template <bool IsSigned> struct LongProduct {
  template <class Op> bool operator()(IREmitter &e, Op op) const {
    Value *x = e.get(op.getLhs()), *y = e.get(op.getRhs());
    llvm::Type *narrow = x->getType(), *wide = narrow->getExtendedType();
    Value *product =
        e.b.CreateMul(e.b.CreateIntCast(x, wide, IsSigned), e.b.CreateIntCast(y, wide, IsSigned));
    Value *high = e.b.CreateLShr(product, narrow->getScalarSizeInBits());
    e.set(op.getLow(), e.b.CreateTrunc(product, narrow));
    e.set(op.getHigh(), e.b.CreateTrunc(high, narrow));
    return true;
  }
};

bool isF16(mlir::Type type) { return mlir::getElementTypeOrSelf(type).isF16(); }

llvm::Type *halfLike(Value *bits) { // LLVM's own type, for a conversion that is an instruction
  return bits->getType()->getWithNewType(llvm::Type::getHalfTy(bits->getContext()));
}

} // namespace

void addArithmetic(OpEmitters &t) {
  addValue<arith::ConstantOp>(t, [](IREmitter &e, arith::ConstantOp op) -> Value * {
    return e.constant(op.getType(), op.getValue());
  });

  addValue<arith::AddIOp>(t, Binary<Instruction::Add>());
  addValue<arith::SubIOp>(t, Binary<Instruction::Sub>());
  addValue<arith::MulIOp>(t, Binary<Instruction::Mul>());
  addValue<arith::DivSIOp>(t, Binary<Instruction::SDiv>());
  addValue<arith::DivUIOp>(t, Binary<Instruction::UDiv>());
  addValue<arith::RemSIOp>(t, Binary<Instruction::SRem>());
  addValue<arith::RemUIOp>(t, Binary<Instruction::URem>());
  addValue<arith::AndIOp>(t, Binary<Instruction::And>());
  addValue<arith::OrIOp>(t, Binary<Instruction::Or>());
  addValue<arith::XOrIOp>(t, Binary<Instruction::Xor>());
  addValue<arith::ShLIOp>(t, Binary<Instruction::Shl>());
  addValue<arith::ShRSIOp>(t, Binary<Instruction::AShr>());
  addValue<arith::ShRUIOp>(t, Binary<Instruction::LShr>());
  addValue<arith::FloorDivSIOp>(t, RoundedQuotient<false>());
  addValue<arith::CeilDivSIOp>(t, RoundedQuotient<true>());
  addValue<arith::CeilDivUIOp>(t, [](IREmitter &e, arith::CeilDivUIOp op) -> Value * {
    Value *x = e.get(op.getLhs()), *y = e.get(op.getRhs());
    Value *zero = llvm::Constant::getNullValue(x->getType());
    Value *one = llvm::ConstantInt::get(x->getType(), 1);
    Value *above = e.b.CreateAdd(e.b.CreateUDiv(e.b.CreateSub(x, one), y), one);
    return e.b.CreateSelect(e.b.CreateICmpEQ(x, zero), zero, above);
  });
  addEffect<arith::AddUIExtendedOp>(t, [](IREmitter &e, arith::AddUIExtendedOp op) {
    Value *x = e.get(op.getLhs()), *sum = e.b.CreateAdd(x, e.get(op.getRhs()));
    e.set(op.getSum(), sum);
    e.set(op.getOverflow(), e.b.CreateICmpULT(sum, x));
    return true;
  });
  addEffect<arith::MulSIExtendedOp>(t, LongProduct<true>());
  addEffect<arith::MulUIExtendedOp>(t, LongProduct<false>());
  addValue<arith::MaxSIOp>(t, CallOf<llvm::Intrinsic::smax>());
  addValue<arith::MaxUIOp>(t, CallOf<llvm::Intrinsic::umax>());
  addValue<arith::MinSIOp>(t, CallOf<llvm::Intrinsic::smin>());
  addValue<arith::MinUIOp>(t, CallOf<llvm::Intrinsic::umin>());
  addValue<math::AbsIOp>(t, [](IREmitter &e, math::AbsIOp op) -> Value * {
    return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, e.get(op.getOperand()),
                                     e.b.getFalse()); // the least number is its own
  });

  addValue<arith::AddFOp>(t, Binary<Instruction::FAdd>());
  addValue<arith::SubFOp>(t, Binary<Instruction::FSub>());
  addValue<arith::MulFOp>(t, Binary<Instruction::FMul>());
  addValue<arith::DivFOp>(t, Binary<Instruction::FDiv>());
  addValue<arith::RemFOp>(t, Binary<Instruction::FRem>());
  addValue<arith::NegFOp>(t, [](IREmitter &e, arith::NegFOp op) {
    return withFlags(e.b.CreateFNeg(e.get(op.getOperand())), op.getFastmath());
  });
  addValue<arith::MaximumFOp>(t, CallOf<llvm::Intrinsic::maximum>());
  addValue<arith::MinimumFOp>(t, CallOf<llvm::Intrinsic::minimum>());
  addValue<arith::MaxNumFOp>(t, CallOf<llvm::Intrinsic::maxnum>());
  addValue<arith::MinNumFOp>(t, CallOf<llvm::Intrinsic::minnum>());
  addValue<math::AbsFOp>(t, CallOf<llvm::Intrinsic::fabs>());
  addValue<math::CeilOp>(t, CallOf<llvm::Intrinsic::ceil>());
  addValue<math::CopySignOp>(t, CallOf<llvm::Intrinsic::copysign>());
  addValue<math::FloorOp>(t, CallOf<llvm::Intrinsic::floor>());
  addValue<math::FmaOp>(t, CallOf<llvm::Intrinsic::fma>());
  addValue<math::RoundEvenOp>(t, CallOf<llvm::Intrinsic::roundeven>());
  addValue<math::SqrtOp>(t, CallOf<llvm::Intrinsic::sqrt>());
  addValue<math::TruncOp>(t, CallOf<llvm::Intrinsic::trunc>());

  addValue<arith::ExtSIOp>(t, CastOf<Instruction::SExt>());
  addValue<arith::ExtUIOp>(t, CastOf<Instruction::ZExt>());
  addValue<arith::TruncIOp>(t, CastOf<Instruction::Trunc>());
  addValue<arith::SIToFPOp>(t, CastOf<Instruction::SIToFP>());
  addValue<arith::UIToFPOp>(t, CastOf<Instruction::UIToFP>());
  addValue<arith::FPToSIOp>(t, CastOf<Instruction::FPToSI>());
  addValue<arith::FPToUIOp>(t, CastOf<Instruction::FPToUI>());
  addValue<arith::BitcastOp>(t, CastOf<Instruction::BitCast>());
  addValue<arith::IndexCastOp>(t, IndexCast<true>());
  addValue<arith::IndexCastUIOp>(t, IndexCast<false>());
  addValue<arith::ExtFOp>(t, [](IREmitter &e, arith::ExtFOp op) -> Value * {
    Value *x = e.get(op.getIn());
    if (isF16(op.getIn().getType()))
      x = e.b.CreateBitCast(x, halfLike(x));
    return e.b.CreateFPExt(x, e.type(op.getType()));
  });
  addValue<arith::TruncFOp>(t, [](IREmitter &e, arith::TruncFOp op) -> Value * {
    if (op.getRoundingmode())
      return nullptr;
    Value *x = e.get(op.getIn());
    if (!isF16(op.getType()))
      return e.b.CreateFPTrunc(x, e.type(op.getType()));
    return e.b.CreateBitCast(e.b.CreateFPTrunc(x, halfLike(x)), e.type(op.getType()));
  });

  addValue<arith::CmpIOp>(t, [](IREmitter &e, arith::CmpIOp op) {
    return e.b.CreateICmp(predicateOf(op.getPredicate()), e.get(op.getLhs()), e.get(op.getRhs()));
  });
  addValue<arith::CmpFOp>(t, [](IREmitter &e, arith::CmpFOp op) {
    Value *made =
        e.b.CreateFCmp(predicateOf(op.getPredicate()), e.get(op.getLhs()), e.get(op.getRhs()));
    return withFlags(made, op.getFastmath());
  });
  addValue<arith::SelectOp>(t, [](IREmitter &e, arith::SelectOp op) {
    return e.b.CreateSelect(e.get(op.getCondition()), e.get(op.getTrueValue()),
                            e.get(op.getFalseValue()));
  });
}

} // namespace graphc
