//===- Transforms/KernelEmitter.cpp - loops of one kernel -----------------===//
#include "Transforms/BlockShape.h"

#include "Lowering/LowerToLinalg.h"
#include "Lowering/ScalarCall.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/LinalgToLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
using mlir::Value;

KernelEmitter::KernelEmitter(const KernelModel &kernel, const LoopTarget &target)
    : kernel(kernel), target(target),
      b(const_cast<KernelModel &>(kernel).fn.getLoc(), const_cast<KernelModel &>(kernel).fn) {}

/// Lanes of vectors: one number for all types of the kernel, so that values of different types meet
/// lane by lane. By 4-byte elements unless all are narrower, or all are 8 bytes long: wider ones
/// take two registers.
int KernelEmitter::lanesOf() const {
  bool hasWide = false, hasFour = false;
  int64_t widest = 1;
  auto see = [&](mlir::Type type) {
    int64_t bytes = type.isF16() || type.isBF16() ? 4 : memoryBytes(type);
    widest = std::max(widest, bytes);
    hasWide |= bytes == 8;
    hasFour |= bytes == 2 || bytes == 4;
  };
  for (const KernelArray &array : kernel.arrays)
    see(array.element);
  for (const KernelNest &nest : kernel.nests)
    for (mlir::Operation &op : *nest.body())
      for (mlir::Type type : op.getResultTypes())
        if (mlir::isa<mlir::FloatType>(type))
          see(type);
  return int(target.vectorBytes / (hasWide && hasFour ? 4 : widest));
}

int KernelEmitter::bodyCost(const KernelNest &nest) const {
  int cost = 0;
  for (mlir::Operation &op : nest.body()->without_terminator())
    cost += instructionsOf(op);
  return cost;
}

/// An argument's memory as rank-1 elements, with the distances of neighbours along each axis.
/// `dropped` leading axes are not in memory: each iteration of the outer loops uses the same place.
ArrayPlace KernelEmitter::view(Value argument, llvm::ArrayRef<Size> shape, mlir::Type element,
                               int dropped) {
  ArrayPlace memory;
  memory.strides.resize(shape.size(), b.getIndexAttr(0));
  stack->inPrologue([&] {
    Size count = b.getIndexAttr(1);
    for (int axis = int(shape.size()); axis-- > dropped;) {
      memory.strides[size_t(axis)] = count;
      count = stack->multiply(count, shape[size_t(axis)]);
    }
    auto type = mlir::MemRefType::get({mlir::ShapedType::kDynamic}, memoryType(element));
    Size one = b.getIndexAttr(1);
    memory.buffer = memref::ReinterpretCastOp::create(b, type, argument, b.getIndexAttr(0),
                                                      Size(stack->value(count)), one);
  });
  return memory;
}

/// `factor` times the constant extents, and then the arguments' numbers of the others.
mlir::DenseI64ArrayAttr KernelEmitter::productOfSizes(int64_t factor,
                                                      llvm::ArrayRef<Size> extents) {
  llvm::SmallVector<int64_t> product = {factor};
  for (Size extent : extents) {
    if (auto number = constantSize(extent))
      product[0] *= *number;
    else
      product.push_back(mlir::cast<mlir::BlockArgument>(mlir::cast<Value>(extent)).getArgNumber());
  }
  return b.getDenseI64ArrayAttr(product);
}

void KernelEmitter::limitScratch(int64_t limit, llvm::ArrayRef<Size> extents) {
  mlir::DenseI64ArrayAttr product = productOfSizes(1, extents);
  auto numbers = llvm::to_vector(product.asArrayRef());
  numbers[0] = limit / std::max<int64_t>(numbers[0], 1);
  scratchLimits.back() = b.getDenseI64ArrayAttr(numbers);
}

/// An argument for scratch memory of the shape, behind the others.
Value KernelEmitter::addScratchArgument(mlir::Type element, llvm::ArrayRef<Size> shape) {
  scratchSizes.push_back(productOfSizes(memoryBytes(element), shape));
  scratchLimits.push_back(b.getDenseI64ArrayAttr({}));
  keptForms.emplace_back();
  unsigned position = unsigned(kernel.numOf(KernelArray::Role::Input) +
                               kernel.numOf(KernelArray::Role::Output) + numScratch++);
  return fn.front().insertArgument(position, mlir::MemRefType::get({}, memoryType(element)),
                                   fn.getLoc());
}

Value KernelEmitter::addKept(int array, KeptForm form, mlir::Type element,
                             llvm::ArrayRef<Size> extents) {
  Value argument = addScratchArgument(element, extents);
  form.input = kernel.arrays[size_t(array)].number;
  keptForms.back() = form;
  Value address;
  stack->inPrologue([&] { address = memref::ExtractAlignedPointerAsIndexOp::create(b, argument); });
  return address;
}

void KernelEmitter::addScratch(int array, int outer) {
  const KernelArray &of = kernel.arrays[size_t(array)];
  Value argument =
      addScratchArgument(of.element, llvm::ArrayRef(of.shape).drop_front(size_t(outer)));
  body->memory[size_t(array)] = view(argument, of.shape, of.element, outer);
}

ArrayPlace KernelEmitter::addScratch(mlir::Type element, Size extent) {
  return view(addScratchArgument(element, extent), extent, element, 0);
}

/// Gives memory to what must be in memory and is not yet.
void KernelEmitter::placeArrays(llvm::ArrayRef<Pass> passes, int outer) {
  for (const Pass &pass : passes)
    for (int nest : pass.nests) {
      int array = kernel.nests[size_t(nest)].result;
      if (inMemory[size_t(array)] || !needsMemory(kernel, passes, outer, array))
        continue;
      inMemory[size_t(array)] = true;
      if (kernel.arrays[size_t(array)].role == KernelArray::Role::Local)
        addScratch(array, outer);
    }
}

void KernelEmitter::makeFunction(func::FuncOp linalg) {
  llvm::SmallVector<mlir::Type> arguments;
  auto addArrays = [&](KernelArray::Role role) {
    for (const KernelArray &array : kernel.arrays)
      if (array.role == role)
        arguments.push_back(mlir::MemRefType::get({}, memoryType(array.element)));
  };
  addArrays(KernelArray::Role::Input);
  // Outputs in the order of the results.
  int numInputs = int(arguments.size());
  addArrays(KernelArray::Role::Output);
  for (const KernelArray &array : kernel.arrays)
    if (array.role == KernelArray::Role::Output)
      arguments[size_t(numInputs + array.number)] =
          mlir::MemRefType::get({}, memoryType(array.element));
  int numBuffers = int(arguments.size());
  arguments.append(kernel.sizeArguments.size() + (kernel.split ? 2 : 0), b.getIndexType());
  fn = func::FuncOp::create(b, b.getLoc(), linalg.getName(),
                            b.getFunctionType(arguments, b.getI32Type()));
  fn->setAttr(kKernelAttr, b.getUnitAttr());
  mlir::Block *entry = fn.addEntryBlock();
  b.setInsertionPointToStart(entry);

  stack.emplace(b);
  body.emplace(*stack, kernel, target);
  body->memory.resize(kernel.arrays.size());
  inMemory.assign(kernel.arrays.size(), false);
  for (size_t i = 0; i < kernel.arrays.size(); ++i) {
    const KernelArray &array = kernel.arrays[i];
    if (array.role == KernelArray::Role::Local)
      continue;
    int number = array.number + (array.role == KernelArray::Role::Output ? numInputs : 0);
    body->memory[i] = view(entry->getArgument(unsigned(number)), array.shape, array.element, 0);
    inMemory[i] = true;
  }
  if (kernel.split) {
    unsigned first = unsigned(numBuffers + int(kernel.sizeArguments.size()));
    splitBegin = entry->getArgument(first);
    splitEnd = entry->getArgument(first + 1);
  }
  if (kernel.hasChecks) {
    body->status = memref::AllocaOp::create(b, mlir::MemRefType::get({}, b.getI32Type()));
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    memref::StoreOp::create(b, zero, body->status, mlir::ValueRange());
  }
}

KernelEmitter::Bounds KernelEmitter::bounds(const KernelNest &nest, int loop) const {
  if (loop == blockLoop)
    return block;
  if (loop == 0 && splitBegin)
    return {splitBegin, splitEnd};
  return {mlir::IntegerAttr::get(mlir::IndexType::get(nest.op->getContext()), 0),
          nest.extents[size_t(loop)]};
}

Value KernelEmitter::floorToMultiple(Value number, int64_t powerOfTwo) {
  if (powerOfTwo == 1)
    return number;
  return arith::AndIOp::create(b, number, stack->constant(-powerOfTwo));
}

void KernelEmitter::openLoop(const KernelNest &nest, int loop) {
  Bounds range = bounds(nest, loop);
  auto op = stack->open(stack->value(range.lower), stack->value(range.upper), stack->constant(1));
  LoopVariable &variable = body->loops[size_t(loop)];
  variable = {};
  variable.level = stack->depth();
  variable.index = {op.getInductionVar()};
}

int KernelEmitter::openOtherLoops(const Pass &pass, int columnLoop, int rowLoop, int pictureLoop) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  int opened = 0;
  for (int loop = pass.outer; loop < nest.numParallel; ++loop)
    if (loop < columnLoop && loop != rowLoop && loop != pictureLoop) {
      openLoop(nest, loop);
      ++opened;
    }
  return opened;
}

void KernelEmitter::emitRows(llvm::ArrayRef<int> nests, int first, int last) {
  const KernelNest &nest = kernel.nests[size_t(nests[0])];
  if (int(body->loops.size()) < last)
    body->loops.resize(size_t(last));
  for (int loop = first; loop < last; ++loop)
    openLoop(nest, loop);
  std::vector<Pass> passes = planPasses(kernel, nests, last, uses(Optimization::SideBySide));
  placeArrays(passes, last);
  std::vector<NextRows> rows = rowsToFetch(passes, last - 1);
  for (auto [pass, fetched] : llvm::zip(passes, rows)) {
    nextRows = std::move(fetched);
    emitPass(pass);
    nextRows = {};
    stack->dropAnchor();
  }
  for (int loop = first; loop < last; ++loop)
    stack->close();
  if (last > first)
    for (int number : nests)
      body->registers.erase(kernel.nests[size_t(number)].result);
}

void KernelEmitter::emitPass(const Pass &pass) {
  if (pass.kind != Pass::Kind::Stream)
    emitPoints(pass);
  else if (std::optional<BlockShape> shape = shortRows(pass))
    emitBlocks(pass, *shape);
  else
    emitStream(pass);
}

func::FuncOp KernelEmitter::emit() {
  func::FuncOp linalg = kernel.fn;
  makeFunction(linalg);
  llvm::SmallVector<int> all = llvm::to_vector(llvm::seq<int>(0, int(kernel.nests.size())));
  if (!all.empty()) {
    bool hasReduction =
        llvm::any_of(kernel.nests, [](const KernelNest &nest) { return nest.isReduction(); });
    if (arePoints(kernel, all, kernel.numShared))
      emitPass({hasReduction ? Pass::Kind::Points : Pass::Kind::Stream, 0, all});
    else if (!emitIfRowBlocks(all))
      emitRows(all, 0, kernel.numShared);
  }
  Value result = body->status ? Value(memref::LoadOp::create(b, body->status, mlir::ValueRange()))
                              : Value(arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  func::ReturnOp::create(b, result);
  stack->finish();

  // Sizes were named by the linalg function's arguments.
  unsigned numInputs = unsigned(kernel.numOf(KernelArray::Role::Input));
  unsigned numBuffers = numInputs + unsigned(kernel.numOf(KernelArray::Role::Output) + numScratch);
  for (size_t i = 0; i < kernel.sizeArguments.size(); ++i) {
    Value size = kernel.sizeArguments[i];
    Value mine = fn.front().getArgument(numBuffers + unsigned(i));
    size.replaceUsesWithIf(
        mine, [&](mlir::OpOperand &use) { return fn->isProperAncestor(use.getOwner()); });
  }
  fn.setFunctionType(b.getFunctionType(fn.front().getArgumentTypes(), b.getI32Type()));
  if (!scratchSizes.empty()) {
    bool isLimited = false;
    for (auto *list : {&scratchSizes, &scratchLimits})
      for (mlir::Attribute &size : *list) {
        auto numbers = llvm::to_vector(mlir::cast<mlir::DenseI64ArrayAttr>(size).asArrayRef());
        isLimited |= list == &scratchLimits && !numbers.empty();
        for (size_t i = 1; i < numbers.size(); ++i)
          numbers[i] -= numInputs;
        size = b.getDenseI64ArrayAttr(numbers);
      }
    fn->setAttr(kScratchAttr, b.getArrayAttr(scratchSizes));
    if (isLimited)
      fn->setAttr(kScratchLimitAttr, b.getArrayAttr(scratchLimits));
    auto attributeOf = [&](const KeptForm &form) -> mlir::Attribute {
      if (form.input < 0)
        return b.getDenseI64ArrayAttr({});
      return b.getDenseI64ArrayAttr(
          {form.input, form.columns, form.elementBytes, form.isTransposed, form.hasRoom});
    };
    if (llvm::any_of(keptForms, [](const KeptForm &form) { return form.input >= 0; }))
      fn->setAttr(kKeptAttr, b.getArrayAttr(llvm::map_to_vector(keptForms, attributeOf)));
  }
  return fn;
}

} // namespace graphc
