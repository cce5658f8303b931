//===- Transforms/RowBlocks.cpp - products with rows between them ---------===//
//
// All nests share loops, the last of which counts the rows of products; nests between these look at
// rows one by one (lib/Kernels/JoinProducts.cpp). Inside all shared loops a product would have a
// single row, and no tiles. So it is a block of rows that passes through the nests, and what they
// hand on is in scratch memory for a block:
//
//   for the other shared loops:
//     for %block = 0 to rows step 128, in whole tiles {
//       s[%i - %block, %j]                        a product of the block's rows
//       for %i in the block { m; e; t; p[%i - %block, %j] }
//       y[%i, %d]                                 another one
//     }
//
// No sum is made in another order than it would be in kernels of their own, so that results are the
// same, whatever the blocks. (FlashAttention, which also cuts rows of s and rescales what was
// summed before, needs less memory for long rows, and gives other bits.)
//
// A block has the whole tiles of 128 rows, 140 with AVX-512: right operands are copied for each
// block anew, at a few percent of the time, so that 128 rows should be one block.
//
//===----------------------------------------------------------------------===//
#include "Transforms/Products.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

/// Rows of a block, in whole tiles.
static constexpr int64_t kBlockRows = 128;

/// Scratch memory for so many rows of an array, from the open block's first one on.
void KernelEmitter::placeBlock(int array, int rowLoop, int64_t rows) {
  const KernelArray &of = kernel.arrays[size_t(array)];
  llvm::SmallVector<Size> shape = llvm::to_vector(of.shape);
  shape[size_t(rowLoop)] = b.getIndexAttr(rows);
  Value argument =
      addScratchArgument(of.element, llvm::ArrayRef(shape).drop_front(size_t(rowLoop)));
  ArrayMemory &memory = body->memory[size_t(array)];
  memory = view(argument, shape, of.element, rowLoop);
  Size back;
  stack->inPrologue(
      [&] { back = stack->multiply(memory.strides[size_t(rowLoop)], b.getIndexAttr(-1)); });
  memory.origin = stack->multiply(block.lower, back);
  memory.originLevel = stack->depth();
  inMemory[size_t(array)] = true;
}

bool KernelEmitter::emitIfRowBlocks(llvm::ArrayRef<int> nests) {
  int rowLoop = kernel.numShared - 1;
  if (rowLoop < 0)
    return false;
  // Products are passes of points; all else, up to the next one, is done row by row.
  std::vector<Pass> parts;
  int64_t rows = 0;
  for (const Pass &pass : planPasses(kernel, nests, rowLoop, uses(Optimization::SideBySide))) {
    std::optional<ProductShape> shape;
    if (pass.kind == Pass::Kind::Points)
      shape = productShape(pass);
    if (shape && shape->rowLoop == rowLoop) {
      rows = std::max(rows, (kBlockRows + shape->rows[0] - 1) / shape->rows[0] * shape->rows[0]);
      parts.push_back(pass);
    } else if (!parts.empty() && parts.back().kind == Pass::Kind::Stream) {
      parts.back().nests.append(pass.nests);
    } else {
      parts.push_back({Pass::Kind::Stream, rowLoop, pass.nests});
    }
  }
  if (!rows)
    return false;

  const KernelNest &first = kernel.nests[size_t(nests[0])];
  body->loops.resize(size_t(kernel.numShared));
  for (int loop = 0; loop < rowLoop; ++loop)
    openLoop(first, loop);
  Bounds all = bounds(first, rowLoop);
  Value upper = stack->value(all.upper);
  auto blocks = stack->open(stack->value(all.lower), upper, stack->constant(rows));
  Value begin = blocks.getInductionVar();
  Value end = arith::AddIOp::create(b, begin, stack->constant(rows));
  block = {begin, arith::MinSIOp::create(b, end, upper).getResult()};
  blockLoop = rowLoop;
  for (int number : nests) {
    int array = kernel.nests[size_t(number)].result;
    if (!inMemory[size_t(array)] && needsMemory(kernel, parts, rowLoop, array))
      placeBlock(array, rowLoop, rows);
  }
  for (const Pass &part : parts) {
    if (part.kind == Pass::Kind::Points)
      emitPoints(part);
    else
      emitRows(part.nests, rowLoop, rowLoop + 1);
    stack->dropAnchor();
  }
  blockLoop = -1;
  for (int loop = 0; loop <= rowLoop; ++loop)
    stack->close();
  return true;
}

} // namespace graphc
