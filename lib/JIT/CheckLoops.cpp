//===- JIT/CheckLoops.cpp - loops that a file brought ---------------------===//
#include "JIT/CheckLoops.h"

#include "JIT/EmitIR.h"
#include "JIT/TileInstructions.h"
#include "Lowering/KernelAttr.h"
#include "Transforms/CheckStage.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {
namespace {

/// A register of the widest processor holds 64 bytes; values of other types meet these lane by
/// lane.
constexpr int64_t kMaxLanes = 64;
/// Elements that one alloca puts on the stack.
constexpr int64_t kMaxStackElements = 4096;
constexpr uint64_t kMaxAlignment = 64;

class Checker {
public:
  explicit Checker(const TargetDescription &target) : target(target) {}
  absl::Status run(ModuleOp module);

private:
  bool isScalar(Type type) const {
    return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
           (type.isF80() && target.isX86) || type.isSignlessInteger(1) ||
           type.isSignlessInteger(8) || type.isSignlessInteger(16) || type.isSignlessInteger(32) ||
           type.isSignlessInteger(64);
  }
  bool isStageType(Type type) const;
  absl::Status checkOp(Operation *op) const;
  absl::Status checkIntrinsic(LLVM::CallIntrinsicOp op) const;
  absl::Status checkTiles(LLVM::CallIntrinsicOp op, unsigned registers) const;

  const TargetDescription &target;
};

bool Checker::isStageType(Type type) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable() && vector.getDimSize(0) <= kMaxLanes &&
           isScalar(vector.getElementType());
  if (auto memory = dyn_cast<MemRefType>(type))
    return memory.getRank() <= 1 && memory.getLayout().isIdentity() && !memory.getMemorySpace() &&
           isScalar(memory.getElementType());
  return isScalar(type) || isa<LLVM::LLVMPointerType>(type);
}

absl::Status Checker::checkTiles(LLVM::CallIntrinsicOp op, unsigned registers) const {
  if (!target.hasAmx)
    return stageError(op, "the target " + target.name + " has no AMX");
  llvm::SmallDenseSet<int64_t> numbers;
  for (unsigned i = 0; i < registers && i < op->getNumOperands(); ++i) {
    APInt number;
    if (!matchPattern(op->getOperand(i), m_ConstantInt(&number)) || !number.ult(kTileRegisters) ||
        !numbers.insert(number.getSExtValue()).second)
      return stageError(op, "tile registers are different numbers from 0 to 7");
  }
  return absl::OkStatus();
}

/// The conversions, and AVX-512's instructions as lib/Lowering/Math uses them: an immediate that
/// the processor does not have is not noticed before instructions are selected.
absl::Status Checker::checkIntrinsic(LLVM::CallIntrinsicOp op) const {
  if (op.getArgAttrs() || op.getResAttrs() || !op.getOpBundleOperands().empty())
    return stageError(op, "a call of an intrinsic has operands and nothing more");
  StringRef name = op.getIntrin();
  if (name == "llvm.fptosi.sat" || name == "llvm.fptoui.sat") {
    auto shapeOf = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? vector.getDimSize(0) : 0;
    };
    bool fits = op->getNumOperands() == 1 && op->getNumResults() == 1 &&
                isa<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())) &&
                isa<IntegerType>(getElementTypeOrSelf(op->getResult(0).getType())) &&
                shapeOf(op->getOperand(0).getType()) == shapeOf(op->getResult(0).getType());
    return fits ? absl::OkStatus()
                : stageError(op, "a conversion of floats makes as many integers");
  }
  if (name == "llvm.x86.avx512bf16.dpbf16ps.512")
    return target.hasAvx512Bf16
               ? absl::OkStatus()
               : stageError(op, "the target " + target.name + " has no AVX512-BF16");
  if (int registers = numTileRegisters(name); registers >= 0)
    return checkTiles(op, unsigned(registers));
  bool isKnown = name.consume_front("llvm.x86.avx512.") &&
                 (name.consume_back(".ps.512") || name.consume_back(".pd.512"));
  bool hasRounding = name == "mask.scalef" || name == "mask.getmant" || name == "mask.getexp";
  if (!isKnown || !(hasRounding || name == "rcp14" || name == "rsqrt14" || name == "vpermi2var"))
    return stageError(op, "an intrinsic that this stage does not use");
  if (!target.hasAvx512)
    return stageError(op, "the target " + target.name + " has no AVX-512");
  auto isImmediate = [&](unsigned operand, int64_t least, int64_t most) {
    if (operand >= op->getNumOperands())
      return false;
    APInt value;
    return matchPattern(op->getOperand(operand), m_ConstantInt(&value)) &&
           value.getSExtValue() >= least && value.getSExtValue() <= most;
  };
  // 4 is the rounding mode of the environment.
  bool fine = !hasRounding || isImmediate(op->getNumOperands() - 1, 4, 4);
  if (name == "mask.getmant")
    fine = fine && isImmediate(1, 0, 15);
  return fine ? absl::OkStatus() : stageError(op, "an immediate that the instruction has not");
}

/// Accesses through pointers must say so, or LLVM takes them for aligned as whole vectors; less is
/// as good.
bool isAlignedAsElement(Operation *op) {
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return alloca.getAlignment().value_or(1) <= kMaxAlignment;
  if (!isa<LLVM::LoadOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::StoreOp>(op))
    return !op->hasAttr("alignment");
  auto alignment = op->getAttrOfType<IntegerAttr>("alignment");
  Value value = op->getNumResults() == 0 ? op->getOperand(0) : op->getResult(0);
  Type element = getElementTypeOrSelf(value.getType());
  // Two bfloat16 are read as one i32, where each of them may lie.
  return alignment && element.isIntOrFloat() &&
         llvm::isPowerOf2_64(alignment.getValue().getZExtValue()) &&
         alignment.getInt() * 8 <= int64_t(element.getIntOrFloatBitWidth());
}

absl::Status Checker::checkOp(Operation *op) const {
  if (!isLoopsOp(op))
    return stageError(op, "op that has no place in loops");
  if (op->hasAttr(kSeldomAttr) && !isa<scf::IfOp>(op))
    return stageError(op, ("'" + kSeldomAttr + "' marks an scf.if").str());
  if (op->hasAttr(kOutlineAttr) && (!isa<scf::ForOp>(op) || op->getNumResults() > 0))
    return stageError(op, ("'" + kOutlineAttr + "' marks an scf.for without results").str());
  auto fits = [&](Type type) { return isStageType(type); };
  if (!llvm::all_of(op->getOperandTypes(), fits) || !llvm::all_of(op->getResultTypes(), fits))
    return stageError(op,
                      "values are scalars, vectors of up to 64 lanes, or memory of rank 0 and 1");
  if (!isAlignedAsElement(op))
    return stageError(op, "accesses are as aligned as their elements");
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (!isa<IntegerAttr, FloatAttr, DenseElementsAttr>(constant.getValue()))
      return stageError(op, "a constant is a number, or one for each lane");
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    if (!alloca.getType().hasStaticShape() || alloca.getType().getNumElements() > kMaxStackElements)
      return stageError(op, "an alloca is small, and its size is known");
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return checkIntrinsic(call);
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
    bool isOne = op->getNumOperands() == 1 && op->getResultTypes() == op->getOperandTypes();
    Type type = isOne ? op->getOperand(0).getType() : Type();
    bool isFloat = isOne && target.isX86 && assembly.getConstraints() == "=x,0" &&
                   (type.isF32() || type.isF64());
    bool isNumber = isOne && assembly.getConstraints() == "=r,0" && type.isSignlessInteger(64);
    if (!(isFloat || isNumber) || !assembly.getAsmString().empty() || assembly.getOperandAttrs())
      return stageError(op, "inline assembly is empty, to hide a value");
  }
  return absl::OkStatus();
}

absl::Status Checker::run(ModuleOp module) {
  if (absl::Status s = checkAttributes(module, {kKernelAttr, kScratchAttr, kScratchLimitAttr,
                                                kKeptAttr, kSeldomAttr, kOutlineAttr});
      !s.ok())
    return s;
  for (Operation &op : *module.getBody()) {
    auto fn = dyn_cast<func::FuncOp>(op);
    if (!fn || !fn.getBody().hasOneBlock())
      return stageError(&op, "a module of loops has functions of one block");
    if (absl::Status s = checkKernelName(fn, kKernelAttr); !s.ok())
      return s;
    bool isSize = false;
    for (Type type : fn.getArgumentTypes()) {
      isSize |= type.isIndex();
      auto memory = dyn_cast<MemRefType>(type);
      if (isSize ? !type.isIndex() : !memory || memory.getRank() != 0 || !isStageType(type))
        return stageError(fn, "a kernel takes memref<T> of rank 0 and then index");
    }
    if (fn.getNumResults() != 1 || !fn.getResultTypes()[0].isInteger(32))
      return stageError(fn, "a kernel returns i32");
  }
  absl::Status status;
  module.getBody()->walk([&](Operation *op) {
    status = checkOp(op);
    return status.ok() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

} // namespace

absl::Status checkLoops(ModuleOp module, const TargetDescription &target) {
  return Checker(target).run(module);
}

} // namespace graphc
