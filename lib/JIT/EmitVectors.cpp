//===- JIT/EmitVectors.cpp - vectors and memory as LLVM IR ----------------===//
#include "JIT/IREmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {
namespace {

namespace memref = mlir::memref;
namespace vector = mlir::vector;
using llvm::Value;

/// Lanes below the count, which has 64 bits: cut to 32 it would be wrong from 2^32 elements on.
///
/// With mask registers the mask is a number with so many bits. A comparison would want the lanes'
/// numbers in a vector register, for which LLVM puts one of the 28 sums of a product's tile into
/// memory, and would be made anew in each iteration of a loop of masked loads: the gradient of a
/// 1x1 layer, 2048 to 512 channels of 7x7, went from 1.45 to 1.31 ms.
Value *firstLanes(IREmitter &e, vector::CreateMaskOp op) {
  const int64_t lanes = op.getType().getDimSize(0);
  Value *count = e.get(op.getOperand(0));
  count = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, e.b.getInt64(0));
  count = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, count, e.b.getInt64(uint64_t(lanes)));
  if (e.target.hasAvx512 && lanes >= 2 && lanes <= 32 && llvm::isPowerOf2_64(uint64_t(lanes))) {
    // A mask register has 8 bits or more, of which shorter vectors take the first ones.
    const auto numBits = unsigned(std::max<int64_t>(lanes, 8));
    Value *one = e.b.getInt64(1), *bits = e.b.CreateSub(e.b.CreateShl(one, count), one);
    Value *mask = e.b.CreateBitCast(e.b.CreateTrunc(bits, e.b.getIntNTy(numBits)),
                                    llvm::FixedVectorType::get(e.b.getInt1Ty(), numBits));
    if (numBits == lanes)
      return mask;
    return e.b.CreateShuffleVector(mask,
                                   llvm::to_vector(llvm::seq<int>(0, static_cast<int>(lanes))));
  }
  llvm::SmallVector<llvm::Constant *> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(e.b.getInt32(uint32_t(lane)));
  Value *limit = e.b.CreateVectorSplat(unsigned(lanes), e.b.CreateTrunc(count, e.b.getInt32Ty()));
  return e.b.CreateICmpSLT(llvm::ConstantVector::get(numbers), limit);
}

/// The only index of an op on vectors of one dimension.
template <class Op> Value *position(IREmitter &e, Op op) {
  if (op.getStaticPosition().size() != 1)
    return nullptr;
  int64_t position = op.getStaticPosition()[0];
  if (!op.getDynamicPosition().empty())
    return e.get(op.getDynamicPosition()[0]);
  if (position < 0)
    return llvm::PoisonValue::get(e.b.getInt64Ty());
  return e.b.getInt64(uint64_t(position));
}

bool isScalar(Value *value) { return !value->getType()->isVectorTy(); }

Value *reduction(IREmitter &e, vector::ReductionOp op) {
  Value *x = e.get(op.getVector()), *acc = op.getAcc() ? e.get(op.getAcc()) : nullptr;
  llvm::Type *element = e.type(op.getType());
  llvm::IRBuilderBase::FastMathFlagGuard guard(e.b);
  llvm::FastMathFlags flags;
  flags.setAllowReassoc(bitEnumContainsAny(op.getFastmath(), mlir::arith::FastMathFlags::reassoc));
  e.b.setFastMathFlags(flags);
  auto joined = [&](llvm::Intrinsic::ID intrinsic, Value *made) -> Value * {
    return acc ? e.b.CreateBinaryIntrinsic(intrinsic, acc, made) : made;
  };
  const bool isFloat = element->isFloatingPointTy();
  switch (op.getKind()) {
  case vector::CombiningKind::ADD:
    if (isFloat)
      return e.b.CreateFAddReduce(acc ? acc : llvm::ConstantFP::get(element, 0.0), x);
    x = e.b.CreateAddReduce(x);
    return acc ? e.b.CreateAdd(acc, x) : x;
  case vector::CombiningKind::MUL:
    if (isFloat)
      return e.b.CreateFMulReduce(acc ? acc : llvm::ConstantFP::get(element, 1.0), x);
    x = e.b.CreateMulReduce(x);
    return acc ? e.b.CreateMul(acc, x) : x;
  case vector::CombiningKind::AND:
    x = e.b.CreateAndReduce(x);
    return acc ? e.b.CreateAnd(acc, x) : x;
  case vector::CombiningKind::OR:
    x = e.b.CreateOrReduce(x);
    return acc ? e.b.CreateOr(acc, x) : x;
  case vector::CombiningKind::XOR:
    x = e.b.CreateXorReduce(x);
    return acc ? e.b.CreateXor(acc, x) : x;
  case vector::CombiningKind::MINUI:
    return joined(llvm::Intrinsic::umin, e.b.CreateIntMinReduce(x, /*IsSigned=*/false));
  case vector::CombiningKind::MINSI:
    return joined(llvm::Intrinsic::smin, e.b.CreateIntMinReduce(x, /*IsSigned=*/true));
  case vector::CombiningKind::MAXUI:
    return joined(llvm::Intrinsic::umax, e.b.CreateIntMaxReduce(x, /*IsSigned=*/false));
  case vector::CombiningKind::MAXSI:
    return joined(llvm::Intrinsic::smax, e.b.CreateIntMaxReduce(x, /*IsSigned=*/true));
  case vector::CombiningKind::MINNUMF:
    return joined(llvm::Intrinsic::minnum, e.b.CreateFPMinReduce(x));
  case vector::CombiningKind::MAXNUMF:
    return joined(llvm::Intrinsic::maxnum, e.b.CreateFPMaxReduce(x));
  case vector::CombiningKind::MINIMUMF:
    return joined(llvm::Intrinsic::minimum, e.b.CreateFPMinimumReduce(x));
  case vector::CombiningKind::MAXIMUMF:
    return joined(llvm::Intrinsic::maximum, e.b.CreateFPMaximumReduce(x));
  }
  return nullptr;
}

/// An array on the stack, in the kernel's first block: once for all iterations of a loop.
Value *stackArray(IREmitter &e, memref::AllocaOp op) {
  mlir::MemRefType type = op.getType();
  if (!type.hasStaticShape())
    return nullptr;
  llvm::IRBuilderBase::InsertPointGuard guard(e.b);
  llvm::BasicBlock &entry = e.b.GetInsertBlock()->getParent()->getEntryBlock();
  e.b.SetInsertPoint(&entry, entry.begin());
  llvm::AllocaInst *made = e.b.CreateAlloca(e.type(type.getElementType()),
                                            e.b.getInt64(uint64_t(type.getNumElements())));
  if (std::optional<uint64_t> alignment = op.getAlignment())
    made->setAlignment(std::max(made->getAlign(), llvm::Align(*alignment)));
  return made;
}

} // namespace

void addVectors(OpEmitters &t) {
  addValue<vector::BroadcastOp>(t, [](IREmitter &e, vector::BroadcastOp op) -> Value * {
    Value *x = e.get(op.getSource());
    if (x->getType() == e.type(op.getType()))
      return x;
    return isScalar(x) ? e.b.CreateVectorSplat(unsigned(op.getType().getNumElements()), x)
                       : nullptr;
  });
  addValue<vector::BitCastOp>(t, [](IREmitter &e, vector::BitCastOp op) -> Value * {
    return op.getType().getRank() == 1
               ? e.b.CreateBitCast(e.get(op.getSource()), e.type(op.getType()))
               : nullptr;
  });
  addValue<vector::CreateMaskOp>(t, [](IREmitter &e, vector::CreateMaskOp op) {
    return op.getType().getRank() == 1 ? firstLanes(e, op) : nullptr;
  });
  addValue<vector::ExtractOp>(t, [](IREmitter &e, vector::ExtractOp op) -> Value * {
    Value *at = position(e, op);
    return at ? e.b.CreateExtractElement(e.get(op.getSource()), at) : nullptr;
  });
  addValue<vector::InsertOp>(t, [](IREmitter &e, vector::InsertOp op) -> Value * {
    Value *at = position(e, op);
    return at ? e.b.CreateInsertElement(e.get(op.getDest()), e.get(op.getValueToStore()), at)
              : nullptr;
  });
  addValue<vector::ReductionOp>(t, [](auto &e, auto op) { return reduction(e, op); });
  addValue<vector::ShuffleOp>(t, [](IREmitter &e, vector::ShuffleOp op) {
    llvm::SmallVector<int, 16> mask(op.getMask());
    return e.b.CreateShuffleVector(e.get(op.getV1()), e.get(op.getV2()), mask);
  });

  addValue<vector::LoadOp>(t, [](IREmitter &e, vector::LoadOp op) {
    return e.b.CreateAlignedLoad(e.type(op.getType()), e.address(op.getBase(), op.getIndices()),
                                 e.alignment(op.getType()));
  });
  addEffect<vector::StoreOp>(t, [](IREmitter &e, vector::StoreOp op) {
    return e.b.CreateAlignedStore(e.get(op.getValueToStore()),
                                  e.address(op.getBase(), op.getIndices()),
                                  e.alignment(op.getValueToStore().getType()));
  });
  addValue<vector::MaskedLoadOp>(t, [](IREmitter &e, vector::MaskedLoadOp op) {
    return e.b.CreateMaskedLoad(e.type(op.getType()), e.address(op.getBase(), op.getIndices()),
                                e.alignment(op.getType()), e.get(op.getMask()),
                                e.get(op.getPassThru()));
  });
  addEffect<vector::MaskedStoreOp>(t, [](IREmitter &e, vector::MaskedStoreOp op) {
    return e.b.CreateMaskedStore(e.get(op.getValueToStore()),
                                 e.address(op.getBase(), op.getIndices()),
                                 e.alignment(op.getValueToStore().getType()), e.get(op.getMask()));
  });
  addValue<vector::GatherOp>(t, [](IREmitter &e, vector::GatherOp op) {
    mlir::Type element = op.getType().getElementType();
    Value *places = e.b.CreateGEP(e.type(element), e.address(op.getBase(), op.getOffsets()),
                                  e.get(op.getIndices()));
    return e.b.CreateMaskedGather(e.type(op.getType()), places, e.alignment(element),
                                  e.get(op.getMask()), e.get(op.getPassThru()));
  });

  addValue<memref::AllocaOp>(t, [](auto &e, auto op) { return stackArray(e, op); });
  addValue<memref::LoadOp>(t, [](IREmitter &e, memref::LoadOp op) {
    return e.b.CreateAlignedLoad(e.type(op.getType()), e.address(op.getMemRef(), op.getIndices()),
                                 e.alignment(op.getType()));
  });
  addEffect<memref::StoreOp>(t, [](IREmitter &e, memref::StoreOp op) {
    return e.b.CreateAlignedStore(e.get(op.getValueToStore()),
                                  e.address(op.getMemRef(), op.getIndices()),
                                  e.alignment(op.getValueToStore().getType()));
  });
  addValue<memref::ReinterpretCastOp>(t, [](IREmitter &e, memref::ReinterpretCastOp op) {
    // The elements stand side by side and begin where the array does.
    return op.getType().getLayout().isIdentity() ? e.get(op.getSource()) : nullptr;
  });
  addValue<memref::ExtractAlignedPointerAsIndexOp>(
      t, [](IREmitter &e, memref::ExtractAlignedPointerAsIndexOp op) {
        return e.b.CreatePtrToInt(e.get(op.getSource()), e.b.getInt64Ty());
      });
}

} // namespace graphc
