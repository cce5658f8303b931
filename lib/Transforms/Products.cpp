//===- Transforms/Products.cpp - products of matrices ---------------------===//
//
// Sums over one loop of products of two loads, of which one follows the last parallel loop (the
// columns; `right`) and the other one another parallel loop (the rows; `left`):
//
//   for the other parallel loops:
//     for blocks of columns {                as many as the packed panels have room for
//       right[k, columns] is copied, a panel of `vectors` vectors after the other
//       (where sums are long, a part of k at a time: ProductSums.cpp)
//       for blocks of rows {                 what stays in the L2 cache
//         scf.for %j step vectors * lanes {
//           scf.for %i step rows {           and again for the rows that are left, in fewer
//             %sums:rows*vectors = scf.for %k iter_args {
//               `vectors` vectors of right; `rows` scalars of left; fma ...
//             }
//             what follows at the same element (bias, relu, casts); stores
//   } } } }
//
// ProductShape.cpp says which passes are products, ProductMemory.cpp where operands are read,
// ProductPacking.cpp copies them, ProductTiles.cpp makes the tiles, ProductVectors.cpp and
// ProductLines.cpp what has one row or column, ProductPairs.cpp and ProductTileRegisters.cpp
// products of bfloat16, LineTiles.cpp those of windows that are done line by line.
//
// All sizes are known at run time only, and so is what is worth copying. Every sum is made in the
// order of k, wherever blocks begin: results depend neither on the caches nor on the threads.
//
// docs/design/17-products.md tells why, and what was measured.
//
//===----------------------------------------------------------------------===//
#include "Lowering/KernelAttr.h"
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

/// Rows that are not copied although they are large are fetched so many k ahead.
static constexpr int64_t kSumsAhead = 24;
/// What a tile's rows take, as vectors.
static constexpr int64_t kSpareBytes = 256;

bool ProductEmitter::emitIfProduct() {
  if (!findShape())
    return false;
  if (!emitIfLineTiles())
    emit();
  return true;
}

/// The loop, which another thread may compile: it runs long, or seldom.
mlir::scf::ForOp ProductEmitter::mayBeOutlined(mlir::scf::ForOp loop) {
  if (uses(Optimization::Outline))
    loop->setAttr(kOutlineAttr, b.getUnitAttr());
  return loop;
}

/// The rows and columns of a thread's part. It is a part of the rows, which stands for as much of
/// the columns where there are more of these: each part copies the right operand's columns that it
/// has, so that no two copy the same. Parts begin at whole panels: what is done with the last few
/// columns depends on no thread. Rows that are one tile (`isOneTile`) are not cut: the first part
/// has all of them.
ProductPart ProductEmitter::partOfThread() {
  Bounds range = bounds(nest, shape.rowLoop);
  Value zero = stack->constant(0), numColumns = stack->value(shape.numColumns);
  ProductPart part{stack->value(range.lower), stack->value(range.upper), zero, numColumns};
  if (shape.pictureLoop >= 0)
    setColumnsOfThread(part);
  if (shape.rowLoop != 0 || !function.splitBegin)
    return part;
  auto hasRows = [&] {
    auto greater = arith::CmpIPredicate::sgt;
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part.lower, zero);
    return arith::AndIOp::create(b, isFirst, arith::CmpIOp::create(b, greater, part.upper, zero))
        .getResult();
  };
  if (kernel.nests.size() != pass.nests.size()) {
    if (shape.isOneTile && !constantSize(range.lower)) {
      part.upper = arith::SelectOp::create(b, hasRows(), stack->value(nest.extents[0]), zero);
      part.lower = zero;
    }
    return part;
  }
  Value width = stack->constant(shape.width());
  Value rows = stack->value(nest.extents[0]);
  // A whole product is a part of neither; divisions are what small ones would wait for.
  Value isWhole =
      arith::AndIOp::create(b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part.lower, zero),
                            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part.upper, rows));
  Value one = stack->constant(1);
  auto branch = mlir::scf::IfOp::create(b, llvm::SmallVector<mlir::Type>(4, b.getIndexType()),
                                        isWhole, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  mlir::scf::YieldOp::create(b, mlir::ValueRange{zero, rows, zero, numColumns});
  b.setInsertionPointToStart(branch.elseBlock());
  Value byColumns = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns, rows);
  Value divisor = arith::MaxSIOp::create(b, rows, one);
  auto columnOf = [&](Value row) -> Value {
    Value exact = arith::DivUIOp::create(b, arith::MulIOp::create(b, row, numColumns), divisor);
    Value down = arith::SubIOp::create(b, exact, arith::RemUIOp::create(b, exact, width));
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, row, rows);
    return arith::SelectOp::create(b, isEnd, numColumns, down);
  };
  Value begin = columnOf(part.lower), end = columnOf(part.upper);
  if (shape.isOneTile) {
    part.upper = arith::SelectOp::create(b, hasRows(), rows, zero);
    part.lower = zero;
  }
  mlir::scf::YieldOp::create(
      b, mlir::ValueRange{arith::SelectOp::create(b, byColumns, zero, part.lower),
                          arith::SelectOp::create(b, byColumns, rows, part.upper),
                          arith::SelectOp::create(b, byColumns, begin, zero),
                          arith::SelectOp::create(b, byColumns, end, numColumns)});
  part = {branch.getResult(0), branch.getResult(1), branch.getResult(2), branch.getResult(3)};
  return part;
}

/// Tiles fetch the rows of the block, which are large and not copied, some k ahead; where there are
/// whole panels (`hasWhole`), those beside the first one copy them.
void ProductEmitter::setFetching(Value hasWhole) {
  Value zero = stack->constant(0);
  Size distance = stack->multiply(memory.leftSumStride,
                                  b.getIndexAttr(kSumsAhead * memoryBytes(shape.element)));
  panel.ahead = arith::SelectOp::create(b, copies.isFetched, stack->value(distance), zero);
  if (!tuningOf(target).copiesFetchedRows)
    return;
  // By whole tiles: what is left of the rows is too little for it.
  Value left = arith::RemUIOp::create(b, arith::SubIOp::create(b, endRow, firstRow),
                                      stack->constant(shape.rows[0]));
  Value areTiles = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left, zero);
  panel.copies =
      arith::AndIOp::create(b, arith::AndIOp::create(b, copies.isFetched, hasWhole), areTiles);
  Value spare = addressOf(onStack(shape.element, kSpareBytes));
  panel.copied = arith::SelectOp::create(b, panel.copies, memory.copiedAddress, spare);
  panel.copiedStep =
      arith::SelectOp::create(b, panel.copies, bytesOf(copies.rowStride, shape.element), zero);
}

/// Copies panels of the block of columns, unless they are kept.
void ProductEmitter::copyPanels() {
  if (memory.blockPanels) {
    copies.panels = memory.blockPanels;
    copies.firstPacked =
        arith::SelectOp::create(b, isKept(memory.blockPanels), stack->constant(0), endColumn);
    return;
  }
  const int64_t width = shape.width();
  // Without mask registers the last, cut panel is always copied.
  Value from = endColumn;
  if (!target.maskRegisters)
    from = arith::SubIOp::create(b, endColumn,
                                 arith::RemUIOp::create(b, endColumn, stack->constant(width)));
  from = arith::SelectOp::create(b, copies.packs, firstColumn, from);
  copies.panels = memory.packedAddress;
  copies.firstPacked = from;
  if (memory.keptPanels) {
    Value are = isKept(memory.keptPanels);
    copies.panels = arith::SelectOp::create(b, are, memory.keptPanels, copies.panels);
    copies.firstPacked = arith::SelectOp::create(b, are, stack->constant(0), from);
    from = arith::SelectOp::create(b, are, endColumn, from);
  }
  Value lower = from;
  if (copies.fills) { // all but what is behind whole panels
    Value rest = arith::RemUIOp::create(b, endColumn, stack->constant(width));
    Value whole = arith::SubIOp::create(b, endColumn, rest);
    lower = arith::SelectOp::create(b, copies.fills, whole, from);
  }
  if (shape.group > 1)
    copies.leastRight = packPairPanels(from, endColumn);
  else
    packPanels(memory.packed.buffer, from, lower, endColumn);
  if (copies.sums && memory.keptPanels) { // those have all k
    Value are = isKept(memory.keptPanels), zero = stack->constant(0);
    Value before = bytesOf(stack->multiply(copies.now.first, b.getIndexAttr(width)), shape.element);
    copies.panels =
        arith::AddIOp::create(b, copies.panels, arith::SelectOp::create(b, are, before, zero));
    copies.now.room = arith::SelectOp::create(b, are, stack->value(shape.length), copies.now.room);
  }
}

void ProductEmitter::emit() {
  shape.room = shape.length = extentOfAll(nest, shape.sums);
  auto columnLoops = llvm::to_vector(llvm::seq<int>(shape.columnLoop, nest.numParallel));
  if (shape.pictureLoop >= 0)
    columnLoops.push_back(shape.pictureLoop);
  shape.numColumns = extentOfAll(nest, columnLoops);
  placeArrays(pass, pass.outer);
  setPairs();
  int opened = openOtherLoops(pass, shape.columnLoop, shape.rowLoop, shape.pictureLoop);
  body->lanes = shape.lanes;
  body->vectors = shape.vectors;
  place();
  openColumns();
  openSums();
  openRows();
  setPanel();
  for (Columns which : {Columns::Whole, Columns::Rest, Columns::Split})
    emitPanels(which);
  emitLastColumns();
  body->masks.clear();
  stack->close();
  if (copies.sums)
    stack->close();
  stack->close();
  emitOneLine();
  while (opened--)
    stack->close();
  if (shape.inTileRegisters)
    releaseTileRegisters();
}

/// Where operands and sums are, and what is worth copying.
void ProductEmitter::place() {
  placeRight();
  placeLeft();
  sumsOnStack = onStack(shape.element, kSumBytes);
  placeLastColumns();
  findOperands();
  if (shape.inTileRegisters)
    placeTileRegisters();

  threadPart = partOfThread();
  // One row or column is no matter of tiles.
  isOneLine = findOneLine();
  endOfTiles = threadPart.end;
  for (Value is : {isOneLine.first, isOneLine.second})
    endOfTiles =
        is ? Value(arith::SelectOp::create(b, is, threadPart.begin, endOfTiles)) : endOfTiles;
  numRows = arith::SubIOp::create(b, threadPart.upper, threadPart.lower);
  copies.packs = choosePanels();
  chooseRows();
  zeros = copies.sums ? zerosOnStack() : Value();
  copies.fills = shape.isWindow ? fillsByTiles() : fillsMatrixByTiles();
}

void ProductEmitter::openColumns() {
  Value blockColumns = columnsAtOnce();
  if (shape.group > 1)
    leftExponent = leastOfRows();
  firstColumn = stack->open(threadPart.begin, endOfTiles, blockColumns).getInductionVar();
  endColumn =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, firstColumn, blockColumns), endOfTiles);
}

/// A part of the sums' terms at a time, if they are cut, and the panels of these.
void ProductEmitter::openSums() {
  copies.now = allSums();
  if (copies.sums) {
    Value length = copies.now.end;
    auto parts = stack->open(copies.now.first,
                             arith::MaxSIOp::create(b, length, stack->constant(1)), copies.sums);
    Value first = parts.getInductionVar();
    Value end = arith::AddIOp::create(b, first, copies.sums);
    copies.now = {first, arith::MinSIOp::create(b, end, length), copies.sums};
  }
  copyPanels();
  if (shape.group > 1)
    areExact = arePairsExact();
  const int64_t width = shape.width();
  Value rest = arith::RemUIOp::create(b, endColumn, stack->constant(width));
  endOfWhole = arith::SubIOp::create(b, endColumn, rest);
  findLastColumns(rest);
}

/// A block of rows, and copies of them.
void ProductEmitter::openRows() {
  auto rowBlocks = stack->open(threadPart.lower, threadPart.upper, copies.blockRows);
  firstRow = rowBlocks.getInductionVar();
  endRow = arith::MinSIOp::create(b, arith::AddIOp::create(b, firstRow, copies.blockRows),
                                  threadPart.upper);
  if (!memory.mayCopyLeft)
    return;
  // Rows that are one block are there from the first block of columns on.
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, firstColumn, threadPart.begin);
  isFirst = arith::OrIOp::create(b, isFirst, copies.areBlocks);
  Value copiesNow = arith::AndIOp::create(b, copies.rowsNow, isFirst);
  Value endCopied = arith::SelectOp::create(b, copiesNow, endRow, firstRow);
  if (shape.group > 1)
    packPairRows(firstRow, endCopied);
  else
    packLeft(firstRow, endCopied);
}

/// What all panels beside the block of rows have in common.
void ProductEmitter::setPanel() {
  setLeft();
  panel.length = stack->value(shape.length);
  if (copies.sums) {
    panel.length = arith::SubIOp::create(b, copies.now.end, copies.now.first);
    panel.continues =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, copies.now.first, stack->constant(0));
    panel.zeros = zeros;
  }
  if (copies.isFetched && shape.isLeftTransposed)
    setFetching(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, firstColumn, endOfWhole));
  chooseBuffer();
  if (copies.fills && !shape.isWindow) {
    panel.fillingRow =
        arith::SelectOp::create(b, copies.fills, threadPart.lower, stack->constant(-1));
    setPanelFetching();
  } else if (copies.fills) {
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, firstRow, threadPart.lower);
    panel.endOfFilling = arith::SelectOp::create(
        b, arith::AndIOp::create(b, isFirst, copies.fills),
        arith::AddIOp::create(b, firstRow, stack->constant(shape.rows[0])), firstRow);
  }
}

/// Rows that whole panels' tiles copy on their way are read there by what comes behind these.
void ProductEmitter::readRowsInPlaceOrCopied() {
  if (!panel.copied)
    return;
  panel.leftAddress =
      arith::SelectOp::create(b, panel.copies, memory.copiedAddress, panel.leftAddress);
  panel.sumStep = arith::SelectOp::create(b, panel.copies, bytesOf(copies.rowStride, shape.element),
                                          stack->value(panel.sumStep))
                      .getResult();
  panel.copied = nullptr;
}

void ProductEmitter::emitPanels(Columns which) {
  const bool isWhole = which == Columns::Whole, isRest = which == Columns::Rest;
  if ((which == Columns::Split && !areExact) || (isRest && shape.inTileRegisters))
    return;
  const int64_t width = shape.width();
  panel.splits = which == Columns::Split;
  body->vectors = isRest ? 1 : shape.vectors;
  if (!isWhole) // is filled before, by loads that do not reach behind the matrix
    panel.endOfFilling = panel.fillingRow = nullptr;
  stack->dropAnchor();
  if (isRest)
    readRowsInPlaceOrCopied();
  Value begin = isRest ? endOfWhole : firstColumn;
  Value end = isWhole && !shape.inTileRegisters ? endOfWhole : lastColumns.first;
  if (areExact)
    end = arith::SelectOp::create(b, areExact, panel.splits ? begin : end,
                                  panel.splits ? end : begin);
  auto panels = stack->open(begin, end, stack->constant(isRest ? shape.lanes : width));
  if (isRest)
    mayBeOutlined(panels);
  Value column = panels.getInductionVar(), start = isRest ? endOfWhole : column;
  setColumns(column, lastColumns.first, /*masked=*/!isWhole || shape.inTileRegisters);
  setRight(start, column, panel);
  panel.firstColumn = column;
  panel.endColumn = lastColumns.first;
  panel.fetched = {};
  panel.hasNext = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sle, arith::AddIOp::create(b, column, stack->constant(2 * width)),
      endOfTiles);
  // Columns of one vector are done in whole tiles, too, where these are as high.
  const bool areTall = isRest && (shape.hasTallTiles || shape.vectors == 1);
  if ((isWhole || (areTall && panel.buffers)) && !shape.inTileRegisters &&
      (shape.rows.size() > 1 || shape.isOneTile)) {
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, column, firstColumn);
    setFetched(isWhole ? fetchesRows(isFirst) : nullptr);
  }
  if (shape.inTileRegisters && isWhole)
    emitTileRegisters();
  else
    emitRowsOfPanel();
  stack->close();
}

void ProductEmitter::emitLastColumns() {
  if (!lastColumns.may)
    return;
  if (!shape.isLeftTransposed)
    return emitLastColumnsAsDots();
  panel.address = lastColumns.panel.address;
  panel.step = lastColumns.panel.step;
  emitLastColumnsOfRows();
}

} // namespace graphc
