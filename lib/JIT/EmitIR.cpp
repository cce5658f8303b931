//===- JIT/EmitIR.cpp - loops on vectors to LLVM IR -----------------------===//
//
// One walk over a kernel: each op of the loops stage is one or a few of LLVM's instructions, loops
// and branches are blocks with phis. MLIR's way, a dialect conversion to the LLVM dialect and the
// translation of that, made and looked at some 20,000 instructions' worth of objects for each op.
//
// Before:  func.func @f(%a: memref<f32>, %n: index) -> i32 attributes {graphc.kernel} {
//            scf.for %i = %c0 to %n step %c16 { ... } }
// After:   define i32 @f(ptr readonly %buffers, ptr readonly %sizes) {
//            %a = load ptr, ptr %buffers, align 8, !invariant.load !0 ...
//          header:
//            %i = phi i64 [ 0, %entry ], [ %next, %body ]
//
//===----------------------------------------------------------------------===//
#include "JIT/EmitIR.h"

#include "JIT/HalfFloats.h"
#include "JIT/IREmitter.h"
#include "Lowering/KernelAttr.h"
#include "Transforms/CheckStage.h"
#include "graphc/Status.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "llvm/IR/MDBuilder.h"

namespace graphc {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

/// How often the other arm of an scf.if that is marked kSeldomAttr is run: enough for nothing of
/// the loop around to be moved for the first arm.
constexpr uint32_t kOften = 2000;

static const OpEmitters &opEmitters() {
  static const OpEmitters &table = *[] {
    auto *made = new OpEmitters();
    addArithmetic(*made);
    addVectors(*made);
    addLLVM(*made);
    return made;
  }();
  return table;
}

bool isLoopsOp(mlir::Operation *op) {
  return mlir::isa<func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
         opEmitters().contains(op->getName().getTypeID());
}

IREmitter::IREmitter(llvm::Module &module, const TargetDescription &target,
                     const OutlinedLoops &outlined)
    : b(module.getContext(), llvm::TargetFolder(module.getDataLayout())), module(module),
      target(target), outlined(outlined) {}

llvm::Value *IREmitter::get(mlir::Value value) const { return values.lookup(value); }

llvm::Type *IREmitter::type(mlir::Type type) const {
  llvm::LLVMContext &context = module.getContext();
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return llvm::FixedVectorType::get(this->type(vector.getElementType()),
                                      unsigned(vector.getNumElements()));
  if (type.isIndex())
    return llvm::Type::getInt64Ty(context);
  if (auto number = mlir::dyn_cast<mlir::IntegerType>(type))
    return llvm::Type::getIntNTy(context, number.getWidth());
  if (type.isF16() || type.isBF16())
    return llvm::Type::getInt16Ty(context);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  if (type.isF80())
    return llvm::Type::getX86_FP80Ty(context);
  return llvm::PointerType::get(context, 0);
}

llvm::Constant *IREmitter::constant(mlir::Type type, mlir::Attribute value) const {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  llvm::Type *to = this->type(element);
  auto ofFloat = [&](const llvm::APFloat &number) -> llvm::Constant * {
    if (to->isIntegerTy()) // of 16 bits
      return llvm::ConstantInt::get(to, number.bitcastToAPInt());
    return llvm::ConstantFP::get(to, number);
  };
  auto ofInteger = [&](const llvm::APInt &number) -> llvm::Constant * {
    return llvm::ConstantInt::get(to, number);
  };
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(value))
    return ofInteger(number.getValue());
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value))
    return ofFloat(number.getValue());
  auto numbers = mlir::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!numbers)
    return nullptr;
  const bool isFloat = mlir::isa<mlir::FloatType>(element);
  if (numbers.isSplat())
    return llvm::ConstantVector::getSplat(
        llvm::ElementCount::getFixed(unsigned(numbers.getNumElements())),
        isFloat ? ofFloat(numbers.getSplatValue<llvm::APFloat>())
                : ofInteger(numbers.getSplatValue<llvm::APInt>()));
  llvm::SmallVector<llvm::Constant *> elements;
  if (isFloat)
    for (const llvm::APFloat &number : numbers.getValues<llvm::APFloat>())
      elements.push_back(ofFloat(number));
  else
    for (const llvm::APInt &number : numbers.getValues<llvm::APInt>())
      elements.push_back(ofInteger(number));
  return llvm::ConstantVector::get(elements);
}

llvm::Value *IREmitter::address(mlir::Value array, mlir::ValueRange indices) {
  llvm::Value *base = get(array);
  if (indices.empty())
    return base;
  mlir::Type element = mlir::cast<mlir::MemRefType>(array.getType()).getElementType();
  return b.CreateGEP(type(element), base, get(indices[0]));
}

llvm::Align IREmitter::alignment(mlir::Type element) const {
  return module.getDataLayout().getABITypeAlign(type(mlir::getElementTypeOrSelf(element)));
}

llvm::BasicBlock *IREmitter::newBlock() {
  return llvm::BasicBlock::Create(module.getContext(), "", function);
}

/// LLVM renames the second of two functions.
void IREmitter::checkName(llvm::StringRef wanted, const llvm::Function &made) {
  if (made.getName() != wanted && status.ok())
    status = makeError(ErrorKind::Internal,
                       "two functions are called " + wanted.str() + ", a kernel or a part of one");
}

llvm::Function *IREmitter::declare(const OutlinedLoop &loop) {
  llvm::SmallVector<llvm::Type *> types;
  for (mlir::Value operand : loop.operands)
    types.push_back(type(operand.getType()));
  llvm::Function *declared =
      llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false),
                             llvm::Function::ExternalLinkage, loop.symbol, module);
  declared->setVisibility(llvm::Function::HiddenVisibility); // no way round by tables
  checkName(loop.symbol, *declared);
  return declared;
}

void IREmitter::call(const OutlinedLoop &loop) {
  llvm::BasicBlock *calling = newBlock(), *behind = newBlock();
  scf::ForOp op = loop.op;
  llvm::Value *lower = get(op.getLowerBound()), *upper = get(op.getUpperBound());
  b.CreateCondBr(op.getUnsignedCmp() ? b.CreateICmpULT(lower, upper)
                                     : b.CreateICmpSLT(lower, upper),
                 calling, behind);
  b.SetInsertPoint(calling);
  llvm::SmallVector<llvm::Value *> operands;
  for (mlir::Value operand : loop.operands)
    operands.push_back(get(operand));
  b.CreateCall(declare(loop), operands);
  b.CreateBr(behind);
  b.SetInsertPoint(behind);
}

absl::Status IREmitter::outline(const OutlinedLoop &of) {
  function = declare(of);
  b.SetInsertPoint(newBlock());
  for (unsigned i = 0; i < of.operands.size(); ++i)
    set(of.operands[i], function->getArg(i));
  for (mlir::Operation *constant : of.constants)
    op(*constant);
  loop(of.op);
  b.CreateRetVoid();
  return status;
}

void IREmitter::loop(scf::ForOp op) {
  llvm::Value *lower = get(op.getLowerBound()), *upper = get(op.getUpperBound());
  llvm::BasicBlock *before = b.GetInsertBlock(), *header = newBlock();
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::PHINode *number = b.CreatePHI(lower->getType(), 2);
  number->addIncoming(lower, before);
  set(op.getInductionVar(), number);
  llvm::SmallVector<llvm::PHINode *> carried;
  for (auto [argument, initial] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
    carried.push_back(b.CreatePHI(type(argument.getType()), 2));
    carried.back()->addIncoming(get(initial), before);
    set(argument, carried.back());
  }
  for (auto [result, phi] : llvm::zip(op.getResults(), carried))
    set(result, phi);
  llvm::BasicBlock *inside = newBlock();
  llvm::Value *isIn =
      op.getUnsignedCmp() ? b.CreateICmpULT(number, upper) : b.CreateICmpSLT(number, upper);
  b.SetInsertPoint(inside);
  block(*op.getBody());
  llvm::BasicBlock *last = b.GetInsertBlock();
  number->addIncoming(b.CreateAdd(number, get(op.getStep())), last);
  for (auto [phi, next] : llvm::zip(carried, op.getYieldedValues()))
    phi->addIncoming(get(next), last);
  b.CreateBr(header);
  llvm::BasicBlock *behind = newBlock();
  b.SetInsertPoint(header);
  b.CreateCondBr(isIn, inside, behind);
  b.SetInsertPoint(behind);
}

void IREmitter::branch(scf::IfOp op) {
  llvm::Value *condition = get(op.getCondition());
  llvm::BasicBlock *before = b.GetInsertBlock();
  llvm::BasicBlock *first[2] = {}, *last[2] = {before, before};
  mlir::Block *arms[] = {op.thenBlock(), op.elseBlock()};
  for (int i : {0, 1})
    if (arms[i]) {
      first[i] = newBlock();
      b.SetInsertPoint(first[i]);
      block(*arms[i]);
      last[i] = b.GetInsertBlock();
    }
  llvm::BasicBlock *behind = newBlock();
  for (int i : {0, 1})
    if (arms[i]) {
      b.SetInsertPoint(last[i]);
      b.CreateBr(behind);
    }
  b.SetInsertPoint(before);
  llvm::MDNode *weights = op->hasAttr(kSeldomAttr)
                              ? llvm::MDBuilder(module.getContext()).createBranchWeights(1, kOften)
                              : nullptr;
  b.CreateCondBr(condition, first[0], first[1] ? first[1] : behind, weights);
  b.SetInsertPoint(behind);
  for (mlir::OpResult result : op.getResults()) {
    llvm::PHINode *phi = b.CreatePHI(type(result.getType()), 2);
    for (int i : {0, 1})
      phi->addIncoming(get(arms[i]->getTerminator()->getOperand(result.getResultNumber())),
                       last[i]);
    set(result, phi);
  }
}

void IREmitter::op(mlir::Operation &op) {
  if (auto loopOp = mlir::dyn_cast<scf::ForOp>(op)) {
    if (auto found = outlined.find(&op); found != outlined.end())
      return call(found->second);
    return loop(loopOp);
  }
  if (auto branchOp = mlir::dyn_cast<scf::IfOp>(op))
    return branch(branchOp);
  if (mlir::isa<scf::YieldOp>(op))
    return;
  if (auto ret = mlir::dyn_cast<func::ReturnOp>(op)) {
    b.CreateRet(get(ret.getOperand(0)));
    return;
  }
  OpEmitter emit = opEmitters().lookup(op.getName().getTypeID());
  if (emit && emit(*this, &op))
    return;
  if (status.ok())
    status = stageError(&op, "op, or form of it, that has no place in loops");
  for (mlir::OpResult result : op.getResults())
    set(result, llvm::PoisonValue::get(type(result.getType())));
}

void IREmitter::block(mlir::Block &block) {
  for (mlir::Operation &each : block)
    op(each);
}

absl::Status IREmitter::kernel(func::FuncOp fn) {
  bool isSize = false,
       isKernel = fn.getResultTypes() ==
                  llvm::ArrayRef<mlir::Type>{mlir::IntegerType::get(fn.getContext(), 32)};
  for (mlir::Type type : fn.getArgumentTypes()) {
    isSize |= type.isIndex();
    auto memory = mlir::dyn_cast<mlir::MemRefType>(type);
    isKernel &= isSize ? type.isIndex() : memory && memory.getRank() == 0;
  }
  if (!isKernel || fn.isExternal())
    return stageError(fn, "a kernel takes memref<T> of rank 0 and then index, and returns i32");
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  function = llvm::Function::Create(
      llvm::FunctionType::get(b.getInt32Ty(), {pointer, pointer}, /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, fn.getName(), module);
  checkName(fn.getName(), *function);
  for (unsigned i : {0, 1})
    function->addParamAttr(i, llvm::Attribute::ReadOnly);
  b.SetInsertPoint(newBlock());
  llvm::MDNode *none = llvm::MDNode::get(module.getContext(), {});
  unsigned next[2] = {};
  for (mlir::BlockArgument argument : fn.getArguments()) {
    const bool isSize = argument.getType().isIndex();
    unsigned index = next[isSize]++;
    if (argument.use_empty())
      continue;
    llvm::Type *loaded = type(argument.getType());
    llvm::Value *at = function->getArg(isSize);
    if (index)
      at = b.CreateConstInBoundsGEP1_32(loaded, at, index);
    // Nothing writes to the arrays while the kernel runs.
    llvm::LoadInst *load = b.CreateAlignedLoad(loaded, at, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
    set(argument, load);
  }
  block(fn.getBody().front());
  return status;
}

void registerLoopDialects(mlir::DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  // Of neighbours: a text with their ops is read, and told what has no place in it.
  registry.insert<mlir::affine::AffineDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect>();
  // Home of kKernelAttr; it has no ops.
  registry.insertDynamic("graphc", [](mlir::MLIRContext *, mlir::DynamicDialect *) {});
}

absl::Status emitIR(mlir::ModuleOp loops, const TargetDescription &target,
                    llvm::ArrayRef<llvm::Module *> into) {
  expandHalfFloats(loops, target);
  OutlinedLoops outlined = outlineLoops(loops, into.size());
  for (auto fn : loops.getOps<func::FuncOp>())
    if (absl::Status s = IREmitter(*into[0], target, outlined).kernel(fn); !s.ok())
      return s;
  for (const auto &[op, loop] : outlined)
    if (absl::Status s = IREmitter(*into[loop.module], target, outlined).outline(loop); !s.ok())
      return s;
  return absl::OkStatus();
}

} // namespace graphc
