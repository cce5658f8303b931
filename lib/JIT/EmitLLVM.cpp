//===- JIT/EmitLLVM.cpp - ops of the LLVM dialect as LLVM IR --------------===//
//
// The loops stage has some where the other dialects have no op: loads and stores at addresses, and
// the processor's instructions.
//
//===----------------------------------------------------------------------===//
#include "JIT/IREmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace graphc {
namespace {

namespace LLVM = mlir::LLVM;
using llvm::Value;

/// The same bits: LLVM's 16-bit floats are none of graphc's integers. Null for another size.
Value *sameBits(IREmitter &e, Value *value, llvm::Type *type) {
  return value->getType()->getPrimitiveSizeInBits() == type->getPrimitiveSizeInBits()
             ? e.b.CreateBitCast(value, type)
             : nullptr;
}

Value *callIntrinsic(IREmitter &e, LLVM::CallIntrinsicOp op) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(op.getIntrin());
  if (id == llvm::Intrinsic::not_intrinsic)
    return nullptr;
  llvm::Type *result = op->getNumResults() ? e.type(op->getResult(0).getType()) : e.b.getVoidTy();
  llvm::SmallVector<Value *> operands;
  llvm::SmallVector<llvm::Type *> types, overloads;
  for (mlir::Value operand : op.getArgs()) {
    operands.push_back(e.get(operand));
    types.push_back(operands.back()->getType());
  }
  if (llvm::Intrinsic::isOverloaded(id) &&
      !llvm::Intrinsic::getIntrinsicSignature(id, llvm::FunctionType::get(result, types, false),
                                              overloads))
    return nullptr;
  llvm::FunctionType *type = llvm::Intrinsic::getType(e.module.getContext(), id, overloads);
  if (type->getNumParams() != operands.size())
    return nullptr;
  for (unsigned i = 0; i < operands.size(); ++i) {
    operands[i] = sameBits(e, operands[i], type->getParamType(i));
    if (!operands[i])
      return nullptr;
  }
  llvm::Function *callee = llvm::Intrinsic::getOrInsertDeclaration(&e.module, id, overloads);
  llvm::CallInst *call = e.b.CreateCall(callee, operands);
  return result->isVoidTy() ? call : sameBits(e, call, result);
}

/// Empty, to hide a value.
Value *inlineAssembly(IREmitter &e, LLVM::InlineAsmOp op) {
  if (op->getNumResults() != 1)
    return nullptr;
  llvm::SmallVector<Value *> operands;
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Value operand : op.getOperands()) {
    operands.push_back(e.get(operand));
    types.push_back(operands.back()->getType());
  }
  auto *type = llvm::FunctionType::get(e.type(op->getResult(0).getType()), types, false);
  return e.b.CreateCall(
      type,
      llvm::InlineAsm::get(type, op.getAsmString(), op.getConstraints(), op.getHasSideEffects()),
      operands);
}

template <class Op> bool isPlain(Op op) {
  return !op.getVolatile_() && !op.getNontemporal() &&
         op.getOrdering() == LLVM::AtomicOrdering::not_atomic;
}

} // namespace

void addLLVM(OpEmitters &t) {
  addValue<LLVM::CosOp>(t, CallOf<llvm::Intrinsic::cos>());
  addValue<LLVM::FAbsOp>(t, CallOf<llvm::Intrinsic::fabs>());
  addValue<LLVM::FCeilOp>(t, CallOf<llvm::Intrinsic::ceil>());
  addValue<LLVM::FFloorOp>(t, CallOf<llvm::Intrinsic::floor>());
  addValue<LLVM::FMAOp>(t, CallOf<llvm::Intrinsic::fma>());
  addValue<LLVM::FTruncOp>(t, CallOf<llvm::Intrinsic::trunc>());
  addValue<LLVM::RoundEvenOp>(t, CallOf<llvm::Intrinsic::roundeven>());
  addValue<LLVM::SinOp>(t, CallOf<llvm::Intrinsic::sin>());
  addValue<LLVM::SqrtOp>(t, CallOf<llvm::Intrinsic::sqrt>());
  addValue<LLVM::TanOp>(t, CallOf<llvm::Intrinsic::tan>());
  addValue<LLVM::FPExtOp>(t, CastOf<llvm::Instruction::FPExt>());
  addValue<LLVM::FPTruncOp>(t, CastOf<llvm::Instruction::FPTrunc>());
  addValue<LLVM::IntToPtrOp>(t, CastOf<llvm::Instruction::IntToPtr>());
  addValue<LLVM::FRemOp>(t, [](IREmitter &e, LLVM::FRemOp op) {
    return e.b.CreateFRem(e.get(op.getLhs()), e.get(op.getRhs()));
  });
  addValue<LLVM::ShuffleVectorOp>(t, [](IREmitter &e, LLVM::ShuffleVectorOp op) {
    return e.b.CreateShuffleVector(e.get(op.getV1()), e.get(op.getV2()), op.getMask());
  });
  addEffect<LLVM::CallIntrinsicOp>(t, [](IREmitter &e, LLVM::CallIntrinsicOp op) {
    Value *made = callIntrinsic(e, op);
    if (made && op->getNumResults())
      e.set(op->getResult(0), made);
    return made != nullptr;
  });
  addValue<LLVM::InlineAsmOp>(t, [](auto &e, auto op) { return inlineAssembly(e, op); });

  addValue<LLVM::LoadOp>(t, [](IREmitter &e, LLVM::LoadOp op) -> Value * {
    return isPlain(op) ? e.b.CreateAlignedLoad(e.type(op.getType()), e.get(op.getAddr()),
                                               llvm::MaybeAlign(op.getAlignment().value_or(0)))
                       : nullptr;
  });
  addEffect<LLVM::StoreOp>(t, [](IREmitter &e, LLVM::StoreOp op) {
    return isPlain(op) && e.b.CreateAlignedStore(e.get(op.getValue()), e.get(op.getAddr()),
                                                 llvm::MaybeAlign(op.getAlignment().value_or(0)));
  });
  addValue<LLVM::MaskedLoadOp>(t, [](IREmitter &e, LLVM::MaskedLoadOp op) {
    mlir::Value otherwise = op.getPassThru();
    return e.b.CreateMaskedLoad(e.type(op->getResult(0).getType()), e.get(op.getData()),
                                llvm::Align(op.getAlignment()), e.get(op.getMask()),
                                otherwise ? e.get(otherwise) : nullptr);
  });
  addEffect<LLVM::MaskedStoreOp>(t, [](IREmitter &e, LLVM::MaskedStoreOp op) {
    return e.b.CreateMaskedStore(e.get(op.getValue()), e.get(op.getData()),
                                 llvm::Align(op.getAlignment()), e.get(op.getMask()));
  });
  addEffect<LLVM::Prefetch>(t, [](IREmitter &e, LLVM::Prefetch op) {
    Value *address = e.get(op.getAddr());
    return e.b.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                               {address, e.b.getInt32(op.getRw()), e.b.getInt32(op.getHint()),
                                e.b.getInt32(op.getCache())});
  });
}

} // namespace graphc
