//===- Transforms/ColumnBlocks.cpp - nests that share columns -------------===//
//
// The nests of a kernel look at columns one by one (lib/Kernels/ColumnChains.cpp; or inside the
// loops that they share, as a softmax over an axis in the middle). So they run block by block:
//
//   before: for %j { m[%j] }   for %i, %j { e[%i, %j] }   for %j { s[%j] }   for %i, %j { y[%i, %j]
//   } after:  for %block = 0 to columns step width {
//             the same, for columns of the block
//           }
//
// The rows of a block stay in the caches from one nest to the next. Lines of results are asked for
// two rows ahead: processors do not see that a block's next row follows, and would wait for each.
//
// Rows that one nest makes and a later one takes to an output element by element (e) lie in the
// output's memory meanwhile.
//
// Which blocks: as wide as twice the L2 cache allows. Narrower ones than 512 columns cost more than
// they save, since processors fetch ahead along rows; and so do those of chains that pass over the
// rows but twice (x minus its means). Then all columns are one block.
//
// Measured on an EPYC 9005 that others used too, f32, time over that of four kernels one after the
// other: softmax over axis 0 of 64 x 65536 0.72, of 512 x 32768 0.80 (without asking ahead 0.80 and
// 0.85), (x - mean) / deviation of 64 x 65536 0.87; x - mean of 512 x 32768 would be 1.06. To make
// e and s in one pass over the block, four or sixteen rows at a time, was no faster.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// The narrowest block.
static constexpr int64_t kFewestColumns = 512;
/// How often rows are passed over at least.
static constexpr int kFewestPasses = 3;
/// How far ahead lines of results are asked for.
static constexpr int64_t kRowsAhead = 2;
/// What a block may have, in L2 caches.
static constexpr int64_t kCaches = 2;

/// Opens the loop over blocks of the columns [lower, upper).
void KernelEmitter::openBlocks(Value lower, Value upper) {
  llvm::SmallDenseSet<int> seen;
  Value width, isNarrow;
  stack->inPrologue([&] {
    Size bytes = b.getIndexAttr(0); // of a column
    auto add = [&](int array) {
      const KernelArray &of = kernel.arrays[size_t(array)];
      if (of.rank() < kernel.numShared + 2 || !seen.insert(array).second)
        return;
      Size rows = b.getIndexAttr(memoryBytes(of.element));
      for (int axis = kernel.numShared; axis + 1 < of.rank(); ++axis)
        rows = stack->multiply(rows, of.shape[size_t(axis)]);
      bytes = stack->add(bytes, rows);
    };
    for (const KernelNest &nest : kernel.nests) {
      for (int array : nest.inputs)
        if (array >= 0 && !isHeld[size_t(array)])
          add(array);
      if (!isHeld[size_t(nest.result)])
        add(nest.result);
    }
    Value most = stack->constant(kCaches * target.l2Bytes);
    Value each = arith::MaxUIOp::create(b, stack->value(bytes), stack->constant(1));
    width = floorToMultiple(arith::DivUIOp::create(b, most, each), kFewestColumns);
    isNarrow = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, width, stack->constant(0));
    rowsAhead =
        arith::SelectOp::create(b, isNarrow, stack->constant(0), stack->constant(kRowsAhead));
  });
  Value all = arith::MaxSIOp::create(b, arith::SubIOp::create(b, upper, lower), stack->constant(1));
  width = arith::SelectOp::create(b, isNarrow, all, width);
  auto blocks = stack->open(lower, upper, width);
  Value begin = blocks.getInductionVar(), end = arith::AddIOp::create(b, begin, width);
  block = {begin, arith::MinSIOp::create(b, end, upper).getResult()};
}

/// Gives locals the memory of the output that a later map makes of them in their place. By output:
/// which one, or -1.
llvm::SmallVector<int> KernelEmitter::holdInOutputs() {
  isHeld.assign(kernel.arrays.size(), false);
  llvm::SmallVector<int> held(kernel.arrays.size(), -1);
  if (kernel.numShared > 0)
    return held;
  for (int k = int(kernel.nests.size()); k-- > 0;) {
    int local = kernel.nests[size_t(k)].result;
    const KernelArray &of = kernel.arrays[size_t(local)];
    int last = -1;
    for (int j = k + 1; j < int(kernel.nests.size()); ++j)
      if (loads(kernel.nests[size_t(j)], local))
        last = j;
    if (of.role != KernelArray::Role::Local || of.rank() < 2 || last < 0)
      continue;
    const KernelNest &reader = kernel.nests[size_t(last)];
    const KernelArray &output = kernel.arrays[size_t(reader.result)];
    bool isInPlace = !reader.isReduction() && output.role == KernelArray::Role::Output &&
                     output.element == of.element && output.shape == of.shape;
    for (int i = 0; i < int(reader.inputs.size()); ++i)
      if (reader.inputs[size_t(i)] == local)
        isInPlace &= reader.isIdentity(i);
    reader.body()->walk([&](mlir::tensor::ExtractOp load) {
      isInPlace &= kernel.arrayOf.lookup(load.getTensor()) != local;
    });
    if (!isInPlace || held[size_t(reader.result)] >= 0)
      continue;
    held[size_t(reader.result)] = local;
    body->memory[size_t(local)] = body->memory[size_t(reader.result)];
    inMemory[size_t(local)] = isHeld[size_t(local)] = true;
  }
  return held;
}

/// Asks for the line that a map will store to two rows on, where it has not been read before.
void KernelEmitter::fetchRowAhead(const KernelNest &nest) {
  const KernelArray &of = kernel.arrays[size_t(nest.result)];
  bool isNear = llvm::any_of(nest.inputs, [&](int array) {
    return array >= 0 && isHeld[size_t(array)] &&
           body->memory[size_t(array)].buffer == body->memory[size_t(nest.result)].buffer;
  });
  if (!rowsAhead || isNear || of.rank() < kernel.numShared + 2)
    return;
  const ArrayPlace &memory = body->memory[size_t(nest.result)];
  Value address = addressOf(memory.buffer), ahead;
  stack->inPrologue([&] {
    ahead = stack->value(stack->multiply(memory.strides[size_t(of.rank()) - 2], rowsAhead));
  });
  Value bytes = stack->constant(memoryBytes(of.element));
  for (Value place : body->placesOfResult(nest)) {
    Value offset = arith::MulIOp::create(b, arith::AddIOp::create(b, place, ahead), bytes);
    LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, address, offset)), /*rw=*/1,
                           /*hint=*/3, /*cache=*/1);
  }
}

bool KernelEmitter::loads(const KernelNest &nest, int array) const {
  bool found = llvm::is_contained(nest.inputs, array);
  nest.body()->walk([&](mlir::tensor::ExtractOp load) {
    found |= kernel.arrayOf.lookup(load.getTensor()) == array;
  });
  return found;
}

bool KernelEmitter::emitIfColumnBlocks() {
  if (!shareColumns(kernel))
    return false;
  auto all = llvm::to_vector(llvm::seq<int>(0, int(kernel.nests.size())));
  const KernelNest &first = kernel.nests[0];
  isInColumns = true;
  body->loops.resize(size_t(kernel.numShared));
  for (int loop = 0; loop < kernel.numShared; ++loop)
    openLoop(first, loop);
  llvm::SmallVector<int> held = holdInOutputs();
  block = {b.getIndexAttr(0), first.extents[size_t(first.numParallel) - 1]};
  if (kernel.numShared == 0 && splitBegin)
    block = {splitBegin, splitEnd};
  auto hasRows = [&](const KernelNest &nest) { return nest.numLoops() > kernel.numShared + 1; };
  const bool isCut =
      uses(Optimization::ColumnBlocks) && llvm::count_if(kernel.nests, hasRows) >= kFewestPasses;
  if (isCut)
    openBlocks(stack->value(block.lower), stack->value(block.upper));
  std::vector<Pass> passes =
      planPasses(kernel, all, kernel.numShared, uses(Optimization::SideBySide), held);
  placeArrays(passes, kernel.numShared);
  for (const Pass &pass : passes) {
    emitPass(pass);
    stack->dropAnchor();
  }
  for (int loop = 0; loop < kernel.numShared + isCut; ++loop)
    stack->close();
  isInColumns = false;
  rowsAhead = nullptr;
  return true;
}

} // namespace graphc
