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
// A block has the whole tiles of 128 rows, 140 with AVX-512, or fewer where rows are long, so that
// they stay in the L2 cache. "block-memory" is how its memory is used:
//
//   before: each block copies the right operands anew, and rows of p where they collide in the L1
//   cache; after: panels are copied in front of all blocks, rows of s have gaps between them, and p
//   lies where s did. attention_8x1024 takes 0.89 of the time with it (EPYC 9005).
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Support/CopiedOperands.h"
#include "Transforms/KernelEmitter.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::Value;

/// Rows of a block, in whole tiles.
static constexpr int64_t kBlockRows = 128;
/// Columns whose panels are copied to memory of a size that is known when the kernel is compiled.
/// Memory for more is twice as large as they are: the last panel may be cut.
static constexpr int64_t kFewColumns = 512;

/// Elements from one row of a block to the next: rows of a multiple of 512 bytes have a gap
/// between them, so that those of a tile are not in one set of the L1 cache.
Size KernelEmitter::blockStride(int array, int rowLoop) {
  const KernelArray &of = kernel.arrays[size_t(array)];
  int64_t bytes = memoryBytes(of.element);
  Size stride = b.getIndexAttr(1);
  stack->inPrologue([&] {
    for (Size extent : llvm::ArrayRef(of.shape).drop_front(size_t(rowLoop) + 1))
      stride = stack->multiply(stride, extent);
    if (!uses(Optimization::BlockMemory))
      return;
    if (std::optional<int64_t> length = constantSize(stride)) {
      stride = b.getIndexAttr(copiedStride(*length * bytes) / bytes);
      return;
    }
    stride = withRowGap(stack->value(stride), bytes);
  });
  return stride;
}

/// Scratch memory for so many rows of an array, from the open block's first one on.
void KernelEmitter::placeBlock(int array, int rowLoop, int64_t rows) {
  const KernelArray &of = kernel.arrays[size_t(array)];
  llvm::SmallVector<Size> shape = llvm::to_vector(of.shape);
  if (uses(Optimization::BlockMemory))
    rows = rows * 9 / 8 + 1; // gaps are an eighth of a row at most
  shape[size_t(rowLoop)] = b.getIndexAttr(rows);
  Value argument =
      function.addScratchArgument(of.element, llvm::ArrayRef(shape).drop_front(size_t(rowLoop)));
  ArrayPlace &memory = body->memory[size_t(array)];
  memory = function.view(argument, shape, of.element, rowLoop);
  memory.strides[size_t(rowLoop)] = blockStride(array, rowLoop);
  Size back;
  stack->inPrologue(
      [&] { back = stack->multiply(memory.strides[size_t(rowLoop)], b.getIndexAttr(-1)); });
  memory.origin = stack->multiply(function.block.lower, back);
  memory.originLevel = stack->depth();
}

bool KernelEmitter::loads(const KernelNest &nest, int array) const {
  bool found = llvm::is_contained(nest.inputs, array);
  nest.body()->walk([&](mlir::tensor::ExtractOp load) {
    found |= kernel.arrayOf.lookup(load.getTensor()) == array;
  });
  return found;
}

/// One of the block's arrays that nobody reads any more when the nest writes a row of its result,
/// so that this may lie there: what reads it are earlier passes over the same row. -1: none is.
int KernelEmitter::deadBefore(int number, llvm::ArrayRef<Pass> parts,
                              llvm::ArrayRef<int> placed) const {
  llvm::SmallVector<int> before; // nests of earlier passes
  for (const Pass &part : parts)
    if (part.kind == Pass::Kind::Stream && llvm::is_contained(part.nests, number))
      for (const Pass &pass :
           planPasses(kernel, part.nests, part.outer + 1, uses(Optimization::SideBySide))) {
        if (llvm::is_contained(pass.nests, number))
          break;
        before.append(pass.nests);
      }
  const KernelArray &result = kernel.arrays[size_t(kernel.nests[size_t(number)].result)];
  for (int array : placed) {
    const KernelArray &of = kernel.arrays[size_t(array)];
    auto isReadLater = [&](int nest) {
      return loads(kernel.nests[size_t(nest)], array) && !llvm::is_contained(before, nest);
    };
    if (of.element == result.element && of.shape == result.shape &&
        llvm::none_of(llvm::seq<int>(0, int(kernel.nests.size())), isReadLater))
      return array;
  }
  return -1;
}

/// What nests hand on, each with an array in whose memory it lies, or -1.
llvm::SmallVector<std::pair<int, int>> KernelEmitter::arraysOfBlock(llvm::ArrayRef<int> nests,
                                                                    llvm::ArrayRef<Pass> parts,
                                                                    int rowLoop) const {
  llvm::SmallVector<std::pair<int, int>> arrays;
  llvm::SmallVector<int> placed; // whose memory is no other one's yet
  for (int number : nests) {
    int array = kernel.nests[size_t(number)].result;
    if (inMemory[size_t(array)] || !needsMemory(kernel, parts, rowLoop, array))
      continue;
    int dead = uses(Optimization::BlockMemory) ? deadBefore(number, parts, placed) : -1;
    if (dead >= 0)
      llvm::erase(placed, dead);
    placed.push_back(array);
    arrays.emplace_back(array, dead);
  }
  return arrays;
}

/// Copies the right operand of a product, which is the same for all blocks of rows, in front of
/// these; tiles read the copy as one that the runtime keeps. Where it is small, or rows are few, it
/// is read where it lies.
void ProductEmitter::copyBlockPanels() {
  if (!uses(Optimization::BlockMemory) || shape.isWindow || shape.right < 0 ||
      kernel.arrays[size_t(nest.inputs[size_t(shape.right)])].role != KernelArray::Role::Input)
    return;
  auto columns = llvm::to_vector(llvm::seq<int>(shape.columnLoop, nest.numParallel));
  shape.room = shape.length = extentOfAll(nest, shape.sums);
  shape.numColumns = extentOfAll(nest, columns);
  body->lanes = shape.lanes;
  body->vectors = shape.vectors;
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  Value zero = stack->constant(0), numColumns = stack->value(shape.numColumns);
  memory.mustPack = !target.maskRegisters || mustPack();
  numRows = stack->value(nest.extents[size_t(shape.rowLoop)]);
  Value isCopied = choosePanels();
  auto unless = [&](Value condition) {
    Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
    isCopied = arith::SelectOp::create(b, condition, no, isCopied);
  };
  if (Value isRow = findOneLine().first)
    unless(isRow);
  Value kept;
  if (std::optional<KeptForm> form = keptPanels()) {
    Size row = form->isTransposed ? shape.length : shape.numColumns; // in memory
    kept = function.addKept(nest.inputs[size_t(shape.right)], *form, shape.element, row);
    unless(isKept(kept));
  }

  int64_t width = shape.width();
  std::optional<int64_t> known = constantSize(shape.numColumns);
  llvm::SmallVector<Size> room = extentsOf(nest, shape.sums);
  int64_t few = int64_t(llvm::alignTo(uint64_t(known.value_or(kFewColumns)), uint64_t(width)));
  room.insert(room.begin(), b.getIndexAttr(few));
  Value buffer =
      function.view(function.addScratchArgument(shape.element, room), room, shape.element, 0)
          .buffer;
  if (!known) {
    room[0] = b.getIndexAttr(2);
    room.append(extentsOf(nest, columns));
    Value large =
        function.view(function.addScratchArgument(shape.element, room), room, shape.element, 0)
            .buffer;
    function.limitScratch(kFewColumns, extentsOf(nest, columns));
    Value isLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns,
                                          stack->constant(kFewColumns));
    buffer = arith::SelectOp::create(b, isLarge, large, buffer);
  }
  Value end = arith::SelectOp::create(b, isCopied, numColumns, zero);
  copies.now = allSums();
  findSquares();
  packPanels(buffer, zero, zero, end);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value panels = arith::SelectOp::create(b, isCopied, address, zero);
  if (kept)
    panels = arith::SelectOp::create(b, isKept(kept), kept, panels);
  function.blockPanels[pass.nests[0]] = panels;
}

/// So many rows, in whole tiles, as have room in half of the L2 cache, and at most `most`.
Value KernelEmitter::rowsOfBlock(llvm::ArrayRef<std::pair<int, int>> arrays, int rowLoop,
                                 int64_t most, int64_t tile) {
  if (!uses(Optimization::BlockMemory))
    return stack->constant(most);
  Size bytes = b.getIndexAttr(1);
  for (auto [array, dead] : arrays) {
    if (dead >= 0)
      continue;
    Size element = b.getIndexAttr(memoryBytes(kernel.arrays[size_t(array)].element));
    Size stride = blockStride(array, rowLoop);
    stack->inPrologue([&] { bytes = stack->add(bytes, stack->multiply(stride, element)); });
  }
  Value fitting =
      arith::DivUIOp::create(b, stack->constant(target.l2Bytes / 2), stack->value(bytes));
  Value rest = arith::RemUIOp::create(b, fitting, stack->constant(tile));
  Value whole =
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, fitting, rest), stack->constant(tile));
  return arith::MinSIOp::create(b, whole, stack->constant(most));
}

bool KernelEmitter::emitIfRowBlocks(llvm::ArrayRef<int> nests) {
  int rowLoop = kernel.numShared - 1;
  if (rowLoop < 0)
    return false;
  // Products are passes of points; all else, up to the next one, is done row by row.
  std::vector<Pass> parts;
  std::vector<ProductEmitter> products; // of the parts that are
  int64_t rows = 0, tile = 1;
  for (const Pass &pass : planPasses(kernel, nests, rowLoop, uses(Optimization::SideBySide))) {
    ProductEmitter product(function, pass);
    if (pass.kind == Pass::Kind::Points && product.findShape() &&
        product.shape.rowLoop == rowLoop) {
      const int64_t ofTile = product.shape.rows[0];
      rows = std::max(rows, (kBlockRows + ofTile - 1) / ofTile * ofTile);
      tile = std::max(tile, ofTile);
      parts.push_back(pass);
      products.push_back(std::move(product));
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
  for (ProductEmitter &product : products)
    product.copyBlockPanels();
  stack->dropAnchor();
  Bounds all = bounds(first, rowLoop);
  // Rows that are one tile are the first part's (partOfThread), and with them what stands between
  // the products.
  if (rowLoop == 0 && function.splitBegin &&
      llvm::any_of(products,
                   [](const ProductEmitter &product) { return product.shape.isOneTile; })) {
    Value zero = stack->constant(0);
    Value isFirst = arith::AndIOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, function.splitBegin, zero),
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, function.splitEnd, zero));
    Value rowsOfFirst = arith::SelectOp::create(b, isFirst, stack->value(first.extents[0]), zero);
    all = {b.getIndexAttr(0), Size(rowsOfFirst)};
  }
  llvm::SmallVector<std::pair<int, int>> arrays = arraysOfBlock(nests, parts, rowLoop);
  Value rowsNow = rowsOfBlock(arrays, rowLoop, rows, tile);
  Value upper = stack->value(all.upper);
  auto blocks = stack->open(stack->value(all.lower), upper, rowsNow);
  Value begin = blocks.getInductionVar();
  Value end = arith::AddIOp::create(b, begin, rowsNow);
  function.block = {begin, arith::MinSIOp::create(b, end, upper).getResult()};
  function.blockLoop = rowLoop;
  for (auto [array, dead] : arrays) {
    inMemory[size_t(array)] = true;
    if (dead >= 0)
      body->memory[size_t(array)] = body->memory[size_t(dead)];
    else
      placeBlock(array, rowLoop, rows);
  }
  for (const Pass &part : parts) {
    if (part.kind == Pass::Kind::Points)
      emitPoints(part);
    else
      emitRows(part.nests, rowLoop, rowLoop + 1);
    stack->dropAnchor();
  }
  function.blockLoop = -1;
  for (int loop = 0; loop <= rowLoop; ++loop)
    stack->close();
  return true;
}

} // namespace graphc
