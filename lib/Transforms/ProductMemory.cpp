//===- Transforms/ProductMemory.cpp - where products read operands --------===//
//
// A product reads its operands where they lie, or copies of them: in scratch memory, which is asked
// for here, or those that the runtime keeps of constants (Support/CopiedOperands.h):
//
//   x w, w a constant of 32 KB and more      before: panels of w are copied at each call, if there
//   are rows enough, and else strips of it are read where it lies; after: one more argument, the
//   address of all its panels or null, from which all tiles read
//
// Without mask registers (whole-lines), of many rows:
//
//   2048 x 512 times 512 x 49                before: the right operand is small, and read where it
//   lies: each k of a panel is 64 bytes of two cache lines, so that no panel fits into the first
//   cache; after: panels are copied, whose k are one cache line each
//
// All sizes are known at run time only, and so is what is worth copying.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Support/CopiedOperands.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::Value;

/// Panels of columns that are copied at once, at most: 1024 columns of float32 with AVX-512.
static constexpr int64_t kPanels = 32;
/// The same for windows: so many, with their sums, stay in the L2 cache in most cases.
static constexpr int64_t kWindowPanels = 4;
/// The same where rows of the left operand must be copied each time.
static constexpr int64_t kWideWindowPanels = 16;
/// A smaller right operand stays in the L2 cache and is used where it lies.
static constexpr int64_t kPackBytes = 128 << 10;
/// The same where its lines are in one set of the L1 cache.
static constexpr int64_t kPackOneSetBytes = 64 << 10;
/// Fewer tiles of rows do not pay for a copy; half as many do where it does not fit into the L2
/// cache. With mask registers, whose tiles are high, one and a half do there, and any second one
/// where the operand's lines are in one set of the L1 cache: the first one copies, and the others
/// would read each line from behind the L2 cache again. Not where there is one height of tiles, and
/// for products that are joined (RowBlocks.cpp): these copy before any tile runs.
static constexpr int64_t kPackTiles = 4;
/// Panels as wide as a cache line, whose lines begin anywhere in one, are two of them at each k:
/// where they lie, so many terms are half of a first cache of 32 KB. They are copied for so many
/// tiles of rows, if there are so many panels.
static constexpr int64_t kStraddlingTerms = 128;
static constexpr int64_t kStraddlingPanels = 2;
static constexpr int64_t kStraddlingTiles = 16;
/// Rows are copied (Support/CopiedOperands.h) if there are more columns than so many, or than so
/// many panels where tiles can read them from a buffer (ProductRows.cpp).
static constexpr int64_t kPackLeftColumns = 32;
static constexpr int64_t kBufferedPanels = 4;
/// Rows that stand together are copied if they have so many bytes, and there are more panels than
/// so many: tiles beside the first one read rows where they lie, fetch them some k ahead, and copy
/// them on the way (ProductTuning::copiesFetchedRows). So many tiles are a block. Gradients of 1x1
/// layers of 7x7 pixels, products of 1024 x 2048 with 49 columns, went from 1.39 to 1.11 of
/// oneDNN's time.
static constexpr int64_t kPackTransposedBytes = 1 << 20;
static constexpr int64_t kPackLeftPanels = 2;
/// Rows that are copied tile by tile have so many terms: the room for a copy has an eighth more
/// than the rows, and a tile one k more.
static constexpr int64_t kCopiedTilesTerms = 16;
static constexpr int64_t kTilesInPlace = 4;
/// Panels are copied by the first tile of rows where there are so many, at most.
static constexpr int64_t kFillingTiles = 64;
/// Rows that are copied at once, at most.
static constexpr int64_t kCopiedRows = 196;
/// The address of an operand's element where k, row and column are 0, at the present iteration of
/// the other loops.
Value ProductEmitter::productAddress(int operand) {
  Value start;
  stack->inPrologue([&] {
    start = memref::ExtractAlignedPointerAsIndexOp::create(
        b, body->memory[size_t(nest.inputs[size_t(operand)])].buffer);
  });
  Size offset = strideAlong(nest, operand, nest.numLoops());
  if (Size origin = body->memory[size_t(nest.inputs[size_t(operand)])].origin)
    offset = stack->add(offset, origin);
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (loop != shape.rowLoop && loop != shape.pictureLoop && loop < shape.columnLoop)
      if (Size stride = strideAlong(nest, operand, loop); constantSize(stride) != 0)
        offset = stack->add(offset, stack->multiply(body->loops[size_t(loop)].index[0], stride));
  for (unsigned i : shape.backwards.set_bits()) {
    Size last = stack->add(nest.extents[size_t(shape.sums[i])], b.getIndexAttr(-1));
    offset = stack->add(offset, stack->multiply(strideAlong(nest, operand, shape.sums[i]), last));
  }
  return stack->value(stack->add(start, bytesInPlace(offset)));
}

/// Bytes of so many elements of an operand where it lies.
Size ProductEmitter::bytesInPlace(Size elements) {
  return stack->multiply(elements, b.getIndexAttr(memoryBytes(shape.element) / shape.group));
}

static llvm::SmallVector<Size> joined(llvm::ArrayRef<Size> first, llvm::ArrayRef<Size> others) {
  llvm::SmallVector<Size> all(first);
  all.append(others.begin(), others.end());
  return all;
}
Value ProductEmitter::isKept(Value copy) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, copy, stack->constant(0));
}

/// Whether tiles cannot read the right operand where it lies.
bool ProductEmitter::mustPack() {
  return shape.isWindow || !shape.isRightPlain ||
         constantSize(strideAlong(nest, shape.right, shape.columnLoop)) != 1;
}

/// Whether elements of the right operand's columns stand together.
bool ProductEmitter::areColumnsTransposed() {
  return constantSize(strideAlong(nest, shape.right, shape.columnLoop)) != 1 &&
         constantSize(strideAlong(nest, shape.right, shape.sums[0])) == 1;
}

/// Memory for panels of the right operand, or those that are kept.
void ProductEmitter::placeRight() {
  int64_t bytes = memoryBytes(shape.element), width = shape.width();
  llvm::SmallVector<Size> sums = extentsOf(nest, shape.sums);
  memory.mustPack = mustPack();
  memory.blockPanels = function.blockPanels.lookup(pass.nests[0]);
  if (memory.blockPanels)
    return;
  if (std::optional<KeptForm> form = keptPanels()) {
    Size row = form->isTransposed ? sums[0] : shape.numColumns; // in memory
    mlir::Type element = kernel.arrays[size_t(nest.inputs[size_t(shape.right)])].element;
    memory.keptPanels = function.addKept(nest.inputs[size_t(shape.right)], *form, element, row);
    if (shape.group == 1)
      function.limitScratch(1,
                            nest.extents[size_t(shape.rowLoop)]); // one row is no matter of panels
  }
  memory.numPanels = !shape.isWindow     ? kPanels
                     : shape.isLeftPlain ? kWindowPanels
                                         : kWideWindowPanels;
  if (std::optional<int64_t> known = constantSize(shape.numColumns); known && !shape.isWindow)
    memory.numPanels = std::clamp<int64_t>(llvm::divideCeil(*known, width), 1, memory.numPanels);
  // Of pairs there are half as many, or one of one k, and up to three lines more behind them.
  int64_t roomPanels = memory.numPanels + (shape.group > 1 ? 3 : 0);
  llvm::SmallVector<Size> room = joined(Size(b.getIndexAttr(width * roomPanels)), sums);
  memory.packed =
      function.view(function.addScratchArgument(shape.element, room), room, shape.element, 0);
  if (!memory.mustPack && target.maskRegisters) {
    auto columns = llvm::to_vector(llvm::seq<int>(shape.columnLoop, nest.numParallel));
    function.limitScratch(kPackOneSetBytes / bytes - 1, joined(extentsOf(nest, columns), sums));
  }
  memory.packedAddress = addressOf(memory.packed.buffer);
}

/// Memory for rows of the left operand, or those that are kept.
void ProductEmitter::placeLeft() {
  int64_t bytes = memoryBytes(shape.element);
  llvm::SmallVector<Size> sums = extentsOf(nest, shape.sums);
  memory.leftRowStride = memory.leftSumStride = b.getIndexAttr(0);
  if (shape.left >= 0) {
    memory.leftRowStride = strideAlong(nest, shape.left, shape.rowLoop);
    memory.leftSumStride = strideAlong(nest, shape.left, shape.sums.back());
    if (shape.backwards[unsigned(shape.sums.size()) - 1])
      stack->inPrologue([&] {
        memory.leftSumStride = stack->multiply(memory.leftSumStride, b.getIndexAttr(-1));
      });
  }
  shape.isLeftTransposed = constantSize(memory.leftRowStride) == 1;
  if (shape.group > 1)
    shape.isLeftTransposed = !shape.isLeftPlain && !shape.inTileRegisters;
  if (!shape.isLeftPlain && (shape.isLeftTransposed || constantSize(memory.leftSumStride) != 1)) {
    shape.numRun = 0; // copied element by element, in the order of the loops
    shape.backwards.reset();
  }
  // A matrix, or a window's sums in the order of memory.
  memory.mayCopyLeft = !shape.isLeftPlain || shape.sums.size() == 1;
  // A block's rows have gaps between them.
  const bool isPlain = shape.isLeftPlain && shape.group == 1;
  if (isPlain && isOfBlock(nest.inputs[size_t(shape.left)], shape.rowLoop))
    memory.mayCopyLeft = false;
  // The L1 cache has room for the rows of low tiles wherever these are: what a copy brings (a tenth
  // with AVX2 for rows 4 KB apart, if it is kept) it takes to make one at each call.
  const bool areLow = isPlain && !shape.isLeftTransposed && shape.rows[0] <= kCacheWays;
  if (memory.mayCopyLeft && mayKeepRows())
    memory.keptRows = function.addKept(nest.inputs[size_t(shape.left)],
                                       KeptForm{.hasRoom = !areLow}, shape.element, sums);
  memory.mayCopyLeft &= !areLow;
  shape.inTiles = tuningOf(target).tilesOfRows && uses(Optimization::RowTiles) &&
                  memory.mayCopyLeft && shape.isLeftPlain && shape.isLeftTransposed &&
                  shape.group == 1 && !shape.isOneTile &&
                  llvm::alignTo(shape.rows[0], shape.lanes) <= uint64_t(2 * shape.rows[0]);
  memory.mostRows = kCopiedRows / shape.rows[0] * shape.rows[0];
  memory.copiedAddress = stack->constant(0);
  if (!memory.mayCopyLeft)
    return;
  llvm::SmallVector<Size> room = joined(Size(b.getIndexAttr(memory.mostRows * 9 / 8 + 1)), sums);
  memory.copied =
      function.view(function.addScratchArgument(shape.element, room), room, shape.element, 0);
  // The last pair of an odd number of terms is filled up in a copy.
  if (shape.isLeftPlain && shape.group == 1)
    function.limitScratch(kCopiedBytes / bytes - 1,
                          joined(nest.extents[size_t(shape.rowLoop)], sums));
  memory.copiedAddress = addressOf(memory.copied.buffer);
}

/// Where panels of a transposed right operand are read in squares, if they are.
void ProductEmitter::findSquares() {
  if (uses(Optimization::SquarePanels) && shape.group == 1 && !shape.isWindow &&
      shape.isRightPlain && areColumnsTransposed())
    memory.rightSource = productAddress(shape.right);
}

/// The operands' addresses at the present iteration of the other loops.
void ProductEmitter::findOperands() {
  auto inBytes = [&](Size elements) { return bytesOf(elements, shape.element); };
  memory.leftAddress = shape.isLeftPlain ? productAddress(shape.left) : memory.copiedAddress;
  if (shape.group > 1)
    findPairs();
  memory.rightAddress = memory.mustPack ? Value() : productAddress(shape.right);
  if (!memory.blockPanels)
    findSquares();
  if (memory.keptRows) {
    Value start = addressOf(body->memory[size_t(nest.inputs[size_t(shape.left)])].buffer);
    Value rowBytes = arith::MaxSIOp::create(b, inBytes(shape.length), stack->constant(1));
    memory.firstKeptRow =
        arith::DivUIOp::create(b, arith::SubIOp::create(b, memory.leftAddress, start), rowBytes);
  }
  if (!memory.mustPack) {
    Size columnStride = strideAlong(nest, shape.right, shape.columnLoop);
    Size sumStride = strideAlong(nest, shape.right, shape.sums[0]);
    stack->inPrologue([&] {
      memory.columnStep = inBytes(columnStride);
      memory.sumStep = inBytes(sumStride);
    });
  }
}

/// Whether panels of `numRows` rows are copied: where it must be so, and where it pays.
Value ProductEmitter::choosePanels() {
  if (memory.blockPanels)
    return arith::ConstantOp::create(b, b.getBoolAttr(false));
  if (memory.mustPack)
    return arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value size = bytesOf(stack->multiply(shape.numColumns, shape.length), shape.element);
  Value least = stack->constant(kPackBytes + 1);
  if (memory.sumStep) {
    least = arith::SelectOp::create(b, collide(memory.sumStep), stack->constant(kPackOneSetBytes),
                                    least);
  }
  Value isLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, size, least);
  // Beyond the L2 cache it is worse to leave it where it lies.
  Value isFar = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size,
                                      stack->constant(target.l2Bytes / 2));
  const int64_t tile = shape.rows[0];
  Value leastFar = stack->constant(kPackTiles / 2 * tile);
  if (tuningOf(target).copiesForFewRows && memory.sumStep && shape.rows.size() > 1)
    leastFar = arith::SelectOp::create(b, collide(memory.sumStep), stack->constant(tile + 1),
                                       stack->constant(tile + tile / 2));
  Value leastRows = arith::SelectOp::create(b, isFar, leastFar, stack->constant(kPackTiles * tile));
  Value isTall = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, numRows, leastRows);
  Value pays = arith::AndIOp::create(b, isLarge, isTall);
  const int64_t width = shape.width();
  if (!tuningOf(target).copiesStraddling || width * memoryBytes(shape.element) != kCacheLine ||
      !uses(Optimization::WholeLines))
    return pays;
  auto isAtLeast = [&](Value number, int64_t least) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number, stack->constant(least));
  };
  Value straddles = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, arith::OrIOp::create(b, memory.rightAddress, memory.sumStep),
                            stack->constant(kCacheLine - 1)),
      stack->constant(0));
  for (Value isSo : {isAtLeast(stack->value(shape.length), kStraddlingTerms),
                     isAtLeast(stack->value(shape.numColumns), kStraddlingPanels * width),
                     isAtLeast(numRows, kStraddlingTiles * shape.rows[0])})
    straddles = arith::AndIOp::create(b, straddles, isSo);
  return arith::OrIOp::create(b, pays, straddles);
}

/// Whether each block of columns reads rows from behind the L2 cache, or copies them.
Value ProductEmitter::readsRowsAgain() {
  return arith::OrIOp::create(b, copies.areMany,
                              arith::AndIOp::create(b, copies.rowsNow, copies.areBlocks));
}

/// Columns whose panels are copied before tiles use them. Where all rows stay in the L2 cache, only
/// as many as stay there beside them (but ProductTuning's least): written to memory behind it, and
/// read from there, panels took a third of the time of 32 rows. Otherwise many.
Value ProductEmitter::columnsAtOnce() {
  int64_t width = shape.width();
  Value all = arith::MaxSIOp::create(b, stack->value(shape.numColumns), stack->constant(1));
  Value columns = stack->constant(width * memory.numPanels);
  if (shape.isWindow)
    return arith::SelectOp::create(b, copies.packs, columns, all);
  auto branch = mlir::scf::IfOp::create(b, b.getIndexType(), copies.packs, /*withElseRegion=*/true);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value panelBytes = bytesOf(stack->multiply(shape.length, b.getIndexAttr(width)), shape.element);
    Value one = stack->constant(1), most = stack->constant(memory.numPanels),
          least = stack->constant(std::min(tuningOf(target).leastPanels, memory.numPanels));
    Value panels = arith::DivUIOp::create(b, stack->constant(target.l2Bytes * 3 / 8),
                                          arith::MaxSIOp::create(b, panelBytes, one));
    panels = arith::MinSIOp::create(b, arith::MaxSIOp::create(b, panels, least), most);
    Value near = arith::MulIOp::create(b, panels, stack->constant(width));
    mlir::scf::YieldOp::create(b,
                               Value(arith::SelectOp::create(b, readsRowsAgain(), columns, near)));
    b.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(b, all);
  }
  columns = branch.getResult(0);
  if (copies.fills) // one panel after the other, in the same memory
    columns = arith::SelectOp::create(b, copies.fills, stack->constant(width), columns);
  if (memory.keptPanels)
    columns = arith::SelectOp::create(b, isKept(memory.keptPanels), all, columns);
  return columns;
}

/// Whether the first tile of rows copies panels of a matrix on its way; null: never. A copy before
/// takes some 10 cycles for each k, most of them for stores, which cost nothing beside
/// multiplications: a quarter of the time of 32 rows, 3 % of 256. Of more rows than the L2 cache
/// keeps a block of panels at a time is copied, which all of them pass.
Value ProductEmitter::fillsMatrixByTiles() {
  if (memory.mustPack || memory.blockPanels || shape.rows.size() < 2 || shape.group > 1 ||
      !uses(Optimization::FillPanels))
    return nullptr;
  auto compare = [&](arith::CmpIPredicate predicate, int64_t tiles) -> Value {
    return arith::CmpIOp::create(b, predicate, numRows, stack->constant(tiles * shape.rows[0]));
  };
  Value fills = arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, 1),
                                      compare(arith::CmpIPredicate::sle, kFillingTiles));
  fills = arith::AndIOp::create(b, fills, copies.packs);
  if (int64_t far = tuningOf(target).farBytes; far < kNoLimit) {
    Value size = bytesOf(stack->multiply(shape.numColumns, shape.length), shape.element);
    Value isNear = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, size, stack->constant(far));
    fills = arith::AndIOp::create(b, fills, isNear);
  }
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Value again = readsRowsAgain();
  if (shape.isLeftTransposed) // copied k by k, or in tiles
    again = shape.inTiles ? Value(arith::AndIOp::create(b, copies.rows, again)) : copies.rows;
  fills = arith::SelectOp::create(b, again, no, fills);
  if (memory.keptPanels)
    fills = arith::SelectOp::create(b, isKept(memory.keptPanels), no, fills);
  return fills;
}

/// Whether rows of the left operand are copied, and how far apart; or are large, but not copied.
void ProductEmitter::chooseRows() {
  auto inBytes = [&](Size elements) { return bytesOf(elements, shape.element); };
  int64_t width = shape.width(), bytes = memoryBytes(shape.element);
  Value zero = stack->constant(0), length = stack->value(shape.length);
  if (!shape.isLeftPlain || !memory.mayCopyLeft) {
    copies.rows = arith::ConstantOp::create(b, b.getBoolAttr(!shape.isLeftPlain));
  } else {
    Value size = inBytes(stack->multiply(nest.extents[size_t(shape.rowLoop)], length));
    Value isLarge = arith::CmpIOp::create(
        b, arith::CmpIPredicate::sge, size,
        stack->constant(shape.isLeftTransposed ? kPackTransposedBytes : kCopiedBytes));
    if (!shape.isLeftTransposed)
      isLarge = arith::AndIOp::create(b, isLarge,
                                      collide(stack->value(bytesInPlace(memory.leftRowStride))));
    int64_t few = shape.isLeftTransposed ? kPackLeftPanels * width
                  : mayBuffer()          ? kBufferedPanels * width
                                         : kPackLeftColumns;
    Value isWide = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                         stack->value(shape.numColumns), stack->constant(few));
    Value pays = isLarge;
    if (shape.inTiles) {
      auto isAtLeast = [&](Value number, int64_t least) -> Value {
        return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number, stack->constant(least));
      };
      Value work = stack->value(stack->multiply(shape.numColumns, size));
      pays = arith::AndIOp::create(b, isAtLeast(work, kCopiedTilesWork),
                                   isAtLeast(size, kCopiedBytes));
      pays = arith::AndIOp::create(b, pays, isAtLeast(length, kCopiedTilesTerms));
    }
    copies.rows = arith::AndIOp::create(b, pays, isWide);
    if (shape.group > 1) {
      // What is left of the terms is filled up with zeros.
      int64_t atOnce = shape.inTileRegisters ? shape.group * kGroupsAtOnce : shape.group;
      Value terms = stack->value(nest.extents[size_t(shape.sums[0])]);
      Value left = arith::AndIOp::create(b, terms, stack->constant(atOnce - 1));
      copies.rows = arith::OrIOp::create(
          b, copies.rows, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, left, zero));
    }
    copies.isFetched = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, isLarge, copies.rows);
  }
  copies.rowsNow = copies.rows;
  if (memory.keptRows) {
    Value are = isKept(memory.keptRows);
    copies.rowsNow = arith::SelectOp::create(
        b, are, arith::ConstantOp::create(b, b.getBoolAttr(false)), copies.rows);
    copies.rows = arith::OrIOp::create(b, copies.rows, are);
  }
  // Rows that stay in half of the L2 cache; as many as are copied where they are not many in all,
  // without a division.
  Value rowBytes = inBytes(stack->add(length, b.getIndexAttr(1)));
  Value half = stack->constant(target.l2Bytes / 2), most = stack->constant(memory.mostRows),
        tile = stack->constant(shape.rows[0]);
  Value all = arith::MulIOp::create(b, stack->value(nest.extents[size_t(shape.rowLoop)]), rowBytes);
  copies.areMany =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, all, stack->constant(2 * target.l2Bytes));
  copies.areFar = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, all,
                                        stack->constant(tuningOf(target).fetchedRowsBytes));
  Value numSums = length;
  if (mayCutSums()) {
    numSums = copies.sums = chooseSums(rowBytes);
    rowBytes = inBytes(stack->add(numSums, b.getIndexAttr(1)));
  }
  auto branch = mlir::scf::IfOp::create(b, b.getIndexType(), copies.areMany,
                                        /*withElseRegion=*/true);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value fitting = arith::DivUIOp::create(b, half, rowBytes);
    mlir::scf::YieldOp::create(b, Value(arith::MinSIOp::create(b, fitting, most)));
    b.setInsertionPointToStart(branch.elseBlock());
    mlir::scf::YieldOp::create(b, most);
  }
  Value block = branch.getResult(0);
  block = arith::SubIOp::create(b, block, arith::RemUIOp::create(b, block, tile));
  block = arith::MaxSIOp::create(b, block, tile);
  if (copies.isFetched && shape.isLeftTransposed)
    block = arith::SelectOp::create(b, copies.isFetched,
                                    stack->constant(kTilesInPlace * shape.rows[0]), block);
  copies.blockRows = copies.rowStride = block;
  copies.areBlocks = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sgt, stack->value(nest.extents[size_t(shape.rowLoop)]), block);
  if (copies.sums)
    copies.areBlocks = arith::OrIOp::create(
        b, copies.areBlocks, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, numSums, length));
  if (!shape.isLeftTransposed)
    copies.rowStride = withRowGap(numSums, bytes);
}
/// What tiles read of the rows from `firstRow` on.
void ProductEmitter::setLeft() {
  int64_t bytes = memoryBytes(shape.element);
  auto either = [&](Size packed, Size inPlace) -> Size {
    if (packed == inPlace)
      return packed;
    return arith::SelectOp::create(b, copies.rows, stack->value(packed), stack->value(inPlace))
        .getResult();
  };
  auto toBytes = [&](Size elements) { return stack->multiply(elements, b.getIndexAttr(bytes)); };
  Size element = b.getIndexAttr(bytes), stride = toBytes(copies.rowStride);
  Size leftRowStep = bytesInPlace(memory.leftRowStride);
  panel.firstRow = firstRow;
  Value inPlace =
      stack->value(stack->add(memory.leftAddress, stack->multiply(firstRow, leftRowStep)));
  if (copies.sums)
    inPlace = stack->value(
        stack->add(inPlace, stack->multiply(copies.now.first, toBytes(memory.leftSumStride))));
  panel.leftAddress = arith::SelectOp::create(b, copies.rows, memory.copiedAddress, inPlace);
  if (memory.keptRows) {
    Value row = stack->value(stack->add(memory.firstKeptRow, firstRow));
    Value distance = arith::MulIOp::create(b, row, bytesOf(copies.rowStride, shape.element));
    panel.leftAddress = arith::SelectOp::create(b, isKept(memory.keptRows),
                                                arith::AddIOp::create(b, memory.keptRows, distance),
                                                panel.leftAddress);
  }
  panel.rowStep = either(shape.isLeftTransposed ? element : stride, leftRowStep);
  if (shape.inTiles) {
    stride = toBytes(b.getIndexAttr(shape.rows[0]));
    Value zero = stack->constant(0), step = stack->value(stack->multiply(shape.length, stride));
    panel.tileStep = arith::SelectOp::create(b, copies.rows, step, zero);
  }
  panel.sumStep = either(shape.isLeftTransposed ? stride : element, toBytes(memory.leftSumStride));
}

/// The address of the left operand's element in a row, k = 0.
Value ProductEmitter::leftAddressOf(Value row) {
  Value distance = arith::SubIOp::create(b, row, panel.firstRow);
  Value address =
      stack->value(stack->add(panel.leftAddress, stack->multiply(distance, panel.rowStep)));
  if (!panel.tileStep)
    return address;
  Value tile = arith::DivUIOp::create(b, distance, stack->constant(shape.rows[0]));
  return arith::AddIOp::create(b, address, arith::MulIOp::create(b, tile, panel.tileStep));
}

/// What tiles read of the panel from column `start` on, from `column` on.
void ProductEmitter::setRight(Value start, Value column, ProductPanel &to) {
  auto inBytes = [&](Size elements) { return bytesOf(elements, shape.element); };
  int64_t width = shape.width();
  Value isPacked = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start, copies.firstPacked);
  Size elements = stack->multiply(arith::SubIOp::create(b, start, copies.firstPacked).getResult(),
                                  copies.now.room);
  if (start != column)
    elements = stack->add(elements, arith::SubIOp::create(b, column, start).getResult());
  to.address = arith::AddIOp::create(b, copies.panels, inBytes(elements));
  to.step = stack->constant(width * memoryBytes(shape.element));
  if (memory.mustPack)
    return;
  Value inPlace = arith::AddIOp::create(b, memory.rightAddress,
                                        arith::MulIOp::create(b, column, memory.columnStep));
  to.source = inPlace;
  to.sourceStep = memory.sumStep;
  to.address = arith::SelectOp::create(b, isPacked, to.address, inPlace);
  to.step = arith::SelectOp::create(b, isPacked, to.step, memory.sumStep);
}

} // namespace graphc
