//===- Transforms/LoopEmitter.cpp - loops, blocks and addresses -----------===//
#include "Transforms/LoopEmitter.h"

#include "Lowering/ScalarTypes.h"
#include "Transforms/Pieces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace LLVM = mlir::LLVM;
using mlir::Value;

LoopEmitter::LoopEmitter(LoopFunction &function)
    : function(function), kernel(function.kernel), target(function.target), b(function.b),
      stack(&function.stack), body(&function.body), inMemory(function.inMemory) {}

/// Lanes of vectors: one number for all types of the kernel, so that values of different types meet
/// lane by lane. By 4-byte elements unless all are narrower, or all are 8 bytes long: wider ones
/// take two registers.
int LoopEmitter::lanesOf() const {
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

int LoopEmitter::bodyCost(const KernelNest &nest) const {
  int cost = 0;
  for (mlir::Operation &op : nest.body()->without_terminator())
    cost += instructionsOf(op);
  return cost;
}

/// How many vectors of a reduction's values fit the registers beside what is loaded.
int LoopEmitter::numAccumulators(const Pass &pass) const {
  int64_t widest = 4;
  for (int number : pass.nests)
    for (mlir::TypedAttr neutral : kernel.nests[size_t(number)].neutral)
      widest = std::max(widest, memoryBytes(neutral.getType()));
  int registersEach = std::max<int>(1, int(lanesOf() * widest) / target.vectorBytes);
  return (target.vectorRegisters == 32 ? 24 : 8) / registersEach;
}

/// At most `most` iterations a block, and blocks of one size where the extent is known.
int LoopEmitter::evenBlocks(Size extent, int most) {
  auto number = constantSize(extent);
  if (!number)
    return most;
  int64_t count = std::max<int64_t>(*number, 1);
  return int(llvm::divideCeil(count, llvm::divideCeil(count, most)));
}

/// Gives memory to what must be in memory and is not yet.
void LoopEmitter::placeArrays(llvm::ArrayRef<Pass> passes, int outer) {
  for (const Pass &pass : passes)
    for (int nest : pass.nests) {
      int array = kernel.nests[size_t(nest)].result;
      if (inMemory[size_t(array)] || !needsMemory(kernel, passes, outer, array))
        continue;
      inMemory[size_t(array)] = true;
      if (kernel.arrays[size_t(array)].role == KernelArray::Role::Local)
        function.addScratch(array, outer);
    }
}

Bounds LoopEmitter::bounds(const KernelNest &nest, int loop) const {
  if (loop == function.blockLoop)
    return function.block;
  if (loop == 0 && function.splitBegin)
    return {function.splitBegin, function.splitEnd};
  return {mlir::IntegerAttr::get(mlir::IndexType::get(nest.op->getContext()), 0),
          nest.extents[size_t(loop)]};
}

Value LoopEmitter::floorToMultiple(Value number, int64_t powerOfTwo) {
  if (powerOfTwo == 1)
    return number;
  return arith::AndIOp::create(b, number, stack->constant(-powerOfTwo));
}

void LoopEmitter::openLoop(const KernelNest &nest, int loop) {
  Bounds range = bounds(nest, loop);
  auto op = stack->open(stack->value(range.lower), stack->value(range.upper), stack->constant(1));
  LoopVariable &variable = body->loops[size_t(loop)];
  variable = {};
  variable.level = stack->depth();
  variable.index = {op.getInductionVar()};
}

int LoopEmitter::openOtherLoops(const Pass &pass, int columnLoop, int rowLoop, int pictureLoop) {
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

/// A loop that counts nothing within a block, at `index`.
void LoopEmitter::setLoop(int loop, Value index) {
  LoopVariable &variable = body->loops[size_t(loop)];
  variable = {};
  variable.level = stack->depth();
  variable.index = {index};
}

/// The values of a nest's result on the block, for the nests that follow and for memory.
void LoopEmitter::keepBlock(const KernelNest &nest, llvm::ArrayRef<Value> values) {
  if (inMemory[size_t(nest.result)])
    body->store(nest, values);
  RegisterArray kept;
  kept.level = stack->depth();
  kept.onRows = kMajorRows;
  kept.onVector = true;
  kept.values.assign(values.begin(), values.end());
  body->registers[nest.result] = std::move(kept);
}

/// The first nest's results on the tile that is set up, and what follows them.
void LoopEmitter::keepNests(const Pass &pass, llvm::ArrayRef<Value> results) {
  keepBlock(kernel.nests[size_t(pass.nests[0])], results);
  for (int number : llvm::ArrayRef(pass.nests).drop_front()) {
    const KernelNest &map = kernel.nests[size_t(number)];
    keepBlock(map, body->emit(map, map.terms, /*asVectors=*/true)[0]);
  }
  for (int number : pass.nests)
    body->registers.erase(kernel.nests[size_t(number)].result);
}

/// Distance in elements between neighbours of an operand along a loop; that of
/// `numLoops` is what is constant in its place.
Size LoopEmitter::strideAlong(const KernelNest &nest, int operand, int loop) {
  const ArrayPlace &array = body->memory[size_t(nest.inputs[size_t(operand)])];
  mlir::AffineMap map = mapOf(nest, operand);
  Size stride = b.getIndexAttr(0);
  stack->inPrologue([&] {
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (int64_t step = affineFactors(expr, unsigned(nest.numLoops()))[size_t(loop)])
        stride = stack->add(stride, stack->multiply(array.strides[axis], b.getIndexAttr(step)));
  });
  return stride;
}

/// Whether the operand's elements stand together along the loop. Arrays of a block of rows have
/// their place later than its panels (RowBlocks.cpp): until then nothing is known of them.
bool LoopEmitter::isDense(const KernelNest &nest, int operand, int loop) {
  if (body->memory[size_t(nest.inputs[size_t(operand)])].strides.size() !=
      mapOf(nest, operand).getNumResults())
    return false;
  return constantSize(strideAlong(nest, operand, loop)) == 1;
}

llvm::SmallVector<Size> LoopEmitter::extentsOf(const KernelNest &nest, llvm::ArrayRef<int> loops) {
  return llvm::map_to_vector(loops, [&](int loop) { return nest.extents[size_t(loop)]; });
}

Size LoopEmitter::extentOfAll(const KernelNest &nest, llvm::ArrayRef<int> loops) {
  Size extent = b.getIndexAttr(1);
  stack->inPrologue([&] {
    for (int loop : loops)
      extent = stack->multiply(extent, nest.extents[size_t(loop)]);
  });
  return extent;
}

Value LoopEmitter::onStack(mlir::Type element, int64_t bytes) {
  Value buffer;
  stack->inPrologue([&] {
    auto type = mlir::MemRefType::get({bytes / memoryBytes(element)}, element);
    buffer = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
  });
  return buffer;
}

/// Of all rows: half of an L1 cache.
static constexpr int64_t kRowBytes = 16 << 10;

int64_t LoopEmitter::mostRows(mlir::VectorType row) {
  return kRowBytes / memoryBytes(row.getElementType()) / row.getDimSize(0) - 1;
}

std::optional<VectorRows> LoopEmitter::rowsOnStack(mlir::Type element, size_t count, Size places,
                                                   Size terms, int64_t perRow) {
  if ((!element.isF32() && !element.isF64()) || target.vectorBytes < 32)
    return std::nullopt;
  VectorRows rows;
  rows.type = mlir::VectorType::get({int64_t(llvm::PowerOf2Ceil(count))}, element);
  if (rows.width() * memoryBytes(element) > target.vectorBytes)
    return std::nullopt;
  rows.memory = onStack(element, kRowBytes);
  auto atMost = [&](Value number, Value limit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, number, limit);
  };
  Value least = stack->value(stack->multiply(places, b.getIndexAttr(perRow)));
  rows.fit =
      arith::AndIOp::create(b, atMost(stack->value(places), stack->constant(mostRows(rows.type))),
                            atMost(least, stack->value(terms)));
  return rows;
}

Value LoopEmitter::addressOf(Value buffer) {
  Value address;
  stack->inPrologue([&] { address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer); });
  return address;
}

Value LoopEmitter::bytesOf(Size elements, mlir::Type element) {
  return stack->value(stack->multiply(elements, b.getIndexAttr(memoryBytes(element))));
}

Value LoopEmitter::pointerTo(Value address) {
  Value number = arith::IndexCastOp::create(b, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), number);
}

Value LoopEmitter::withRowGap(Value length, int64_t bytes) {
  Value rest = arith::AndIOp::create(b, length, stack->constant(kRoundBytes / bytes - 1));
  Value zero = stack->constant(0);
  Value isRound = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
  Value gap = arith::SelectOp::create(b, isRound, stack->constant(kRowGap / bytes), zero);
  return arith::AddIOp::create(b, length, gap);
}

/// Whether an array is scratch memory for the open block of rows, with gaps between rows.
bool LoopEmitter::isOfBlock(int array, int rowLoop) const {
  return function.blockLoop == rowLoop && uses(Optimization::BlockMemory) &&
         kernel.arrays[size_t(array)].role == KernelArray::Role::Local;
}

} // namespace graphc
