//===- Transforms/Products.cpp - products of matrices ---------------------===//
//
// Sums over one loop of products of two loads, of which one follows the last parallel loop (the
// columns; `right`) and the other one another parallel loop (the rows; `left`):
//
//   for the other parallel loops:
//     for blocks of columns {                as many as the packed panels have room for
//       right[k, columns] is copied, a panel of `vectors` vectors after the other
//       for blocks of rows {                 what stays in the L2 cache
//         scf.for %j step vectors * lanes {
//           scf.for %i step rows {           and again for the rows that are left, in fewer
//             %sums:rows*vectors = scf.for %k iter_args {
//               `vectors` vectors of right; `rows` scalars of left; fma ...
//             }
//             what follows at the same element (bias, relu, casts); stores
//   } } } }
//
// ProductShape.cpp says which passes are products, ProductPacking.cpp copies operands,
// ProductTiles.cpp makes the tiles, ProductVectors.cpp and ProductLines.cpp what has one row or
// column.
//
// All sizes are known at run time only, and so is what is worth copying. Every sum is made in the
// order of k, wherever blocks begin: results depend neither on the caches nor on the threads.
//
// docs/design/17-products.md tells why, and what was measured.
//
//===----------------------------------------------------------------------===//
#include "Transforms/Products.h"
#include "Lowering/ScalarTypes.h"
#include "Support/CopiedRows.h"
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
/// Fewer tiles of rows do not pay for a copy; half as many do where it does not fit into the L2
/// cache.
static constexpr int64_t kPackTiles = 4;
/// Rows are copied (Support/CopiedRows.h) if there are more columns than so many.
static constexpr int64_t kPackLeftColumns = 32;
/// The same where rows stand together, in panels: tiles beside the first one read rows where they
/// lie, fetch them so many k ahead, and copy them on the way. So many tiles are a block. Gradients
/// of 1x1 layers of 7x7 pixels, products of 1024 x 2048 with 49 columns, went from 1.39 to 1.11 of
/// oneDNN's time.
static constexpr int64_t kPackLeftPanels = 2;
static constexpr int64_t kSumsAhead = 24, kTilesInPlace = 4;
/// Rows that are copied at once, at most.
static constexpr int64_t kCopiedRows = 196;

/// Each of the last few columns is a dot product for each row where there are so many terms.
static constexpr int64_t kDotTerms = 16;
/// The same where rows of the left operand stand together, for all rows.
static constexpr int64_t kTransposedTerms = 32 << 10;

bool KernelEmitter::emitIfProduct(const Pass &pass) {
  std::optional<ProductShape> shape = productShape(pass);
  if (shape)
    emitProduct(pass, *shape);
  return shape.has_value();
}

/// Distance in elements between neighbours of an operand along a loop; that of
/// `numLoops` is what is constant in its place.
Size KernelEmitter::strideAlong(const KernelNest &nest, int operand, int loop) {
  const ArrayMemory &array = body->memory[size_t(nest.inputs[size_t(operand)])];
  mlir::AffineMap map = mapOf(nest, operand);
  Size stride = b.getIndexAttr(0);
  stack->inPrologue([&] {
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (int64_t step = affineFactors(expr, unsigned(nest.numLoops()))[size_t(loop)])
        stride = stack->add(stride, stack->multiply(array.strides[axis], b.getIndexAttr(step)));
  });
  return stride;
}

Size KernelEmitter::extentOfAll(const KernelNest &nest, llvm::ArrayRef<int> loops) {
  Size extent = b.getIndexAttr(1);
  stack->inPrologue([&] {
    for (int loop : loops)
      extent = stack->multiply(extent, nest.extents[size_t(loop)]);
  });
  return extent;
}

/// The address of an operand's element where k, row and column are 0, at the present iteration of
/// the other loops.
Value KernelEmitter::productAddress(const KernelNest &nest, const ProductShape &shape,
                                    int operand) {
  Value start;
  stack->inPrologue([&] {
    start = memref::ExtractAlignedPointerAsIndexOp::create(
        b, body->memory[size_t(nest.inputs[size_t(operand)])].buffer);
  });
  Size offset = strideAlong(nest, operand, nest.numLoops());
  if (Size origin = body->memory[size_t(nest.inputs[size_t(operand)])].origin)
    offset = stack->add(offset, origin);
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (loop != shape.rowLoop && loop < shape.columnLoop)
      offset = stack->add(offset, stack->multiply(body->loops[size_t(loop)].index[0],
                                                  strideAlong(nest, operand, loop)));
  for (unsigned i : shape.backwards.set_bits()) {
    Size last = stack->add(nest.extents[size_t(shape.sums[i])], b.getIndexAttr(-1));
    offset = stack->add(offset, stack->multiply(strideAlong(nest, operand, shape.sums[i]), last));
  }
  offset = stack->multiply(offset, b.getIndexAttr(memoryBytes(shape.element)));
  return stack->value(stack->add(start, offset));
}

void KernelEmitter::emitProduct(const Pass &pass, ProductShape shape) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  llvm::SmallVector<int> columns =
      llvm::to_vector(llvm::seq<int>(shape.columnLoop, nest.numParallel));
  shape.length = extentOfAll(nest, shape.sums);
  shape.numColumns = extentOfAll(nest, columns);
  auto extentsOf = [&](llvm::ArrayRef<int> loops) {
    return llvm::map_to_vector(loops, [&](int loop) { return nest.extents[size_t(loop)]; });
  };
  llvm::SmallVector<Size> sumExtents = extentsOf(shape.sums), columnExtents = extentsOf(columns);
  auto joined = [](llvm::ArrayRef<Size> first, llvm::ArrayRef<Size> others) {
    llvm::SmallVector<Size> all(first);
    all.append(others.begin(), others.end());
    return all;
  };
  // A matrix, or a window's sums in the order of memory.
  bool mayCopyLeft = !shape.isLeftPlain || shape.sums.size() == 1;
  int64_t numPanels = !shape.isWindow     ? kPanels
                      : shape.isLeftPlain ? kWindowPanels
                                          : kWideWindowPanels;
  placeArrays(pass, pass.outer);
  int opened = openOtherLoops(pass, shape.columnLoop, shape.rowLoop);
  body->lanes = shape.lanes;
  body->vectors = shape.vectors;
  int64_t bytes = memoryBytes(shape.element);
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  Size length = shape.length;
  llvm::SmallVector<Size> room = joined(Size(b.getIndexAttr(width * numPanels)), sumExtents);
  ArrayMemory packed = view(addScratchArgument(shape.element, room), room, shape.element, 0);
  bool mustPack = shape.isWindow || !shape.isRightPlain ||
                  constantSize(strideAlong(nest, shape.right, shape.columnLoop)) != 1;
  if (!mustPack && target.maskRegisters)
    limitScratch(kPackBytes / bytes, joined(columnExtents, sumExtents));
  auto addressOf = [&](Value buffer) {
    Value address;
    stack->inPrologue([&] { address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer); });
    return address;
  };
  Value packedAddress = addressOf(packed.buffer);
  // Room for so many rows of the left operand.
  Size leftRowStride = b.getIndexAttr(0), leftSumStride = b.getIndexAttr(0);
  if (shape.left >= 0) {
    leftRowStride = strideAlong(nest, shape.left, shape.rowLoop);
    leftSumStride = strideAlong(nest, shape.left, shape.sums.back());
    if (shape.backwards[unsigned(shape.sums.size()) - 1])
      stack->inPrologue(
          [&] { leftSumStride = stack->multiply(leftSumStride, b.getIndexAttr(-1)); });
  }
  shape.isLeftTransposed = constantSize(leftRowStride) == 1;
  if (!shape.isLeftPlain && (shape.isLeftTransposed || constantSize(leftSumStride) != 1)) {
    shape.numRun = 0; // copied element by element, in the order of the loops
    shape.backwards.reset();
  }
  int64_t mostRows = kCopiedRows / shape.rows[0] * shape.rows[0];
  ArrayMemory copied;
  Value copiedAddress = stack->constant(0);
  if (mayCopyLeft) {
    room = joined(Size(b.getIndexAttr(mostRows * 9 / 8 + 1)), sumExtents);
    copied = view(addScratchArgument(shape.element, room), room, shape.element, 0);
    if (shape.isLeftPlain)
      limitScratch(kCopiedOneSetBytes / bytes - 1,
                   joined(nest.extents[size_t(shape.rowLoop)], sumExtents));
    copiedAddress = addressOf(copied.buffer);
  }
  Value kept, isKept;
  if (mayKeepRows(nest, shape)) {
    kept = addKeptRows(nest.inputs[size_t(shape.left)], shape.element, sumExtents);
    isKept = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, kept, stack->constant(0));
  }
  // The last few columns, with vectors along k: where rows lie so, or are copied so. The columns
  // are copied, to the stack if there is room. Or, of a transposed left operand, along rows.
  int mostLast = std::min(kLastColumns, shape.lanes - 1);
  int64_t mostOnStack = kSumBytes / bytes / kLastColumns;
  Value sums = onStack(shape.element, kSumBytes), lastOnStack, lastInScratch, lastAddress;
  ArrayMemory lastColumns;
  bool mayDot = uses(Optimization::LastColumns) &&
                (shape.isLeftTransposed ? shape.lanes > kLastColumns
                                        : !shape.isLeftPlain || constantSize(leftSumStride) == 1);
  if (auto number = constantSize(shape.numColumns)) {
    int64_t tail = *number % shape.lanes;
    mayDot &= tail >= 1 && tail <= mostLast;
  }
  if (mayDot && shape.isLeftTransposed) {
    room = {b.getIndexAttr(kLastColumns * kRowsOfSums)};
    lastColumns = view(addScratchArgument(shape.element, room), room, shape.element, 0);
    limitScratch(kTransposedTerms, joined(nest.extents[size_t(shape.rowLoop)], sumExtents));
  } else if (mayDot) {
    room = joined(Size(b.getIndexAttr(kLastColumns)), sumExtents);
    lastInScratch = addressOf(addScratchArgument(shape.element, room));
    limitScratch(mostOnStack, sumExtents);
    lastOnStack = addressOf(onStack(shape.element, kSumBytes));
  }
  Value leftAddress = shape.isLeftPlain ? productAddress(nest, shape, shape.left) : copiedAddress;
  Value rightAddress = mustPack ? packedAddress : productAddress(nest, shape, shape.right);
  auto inBytes = [&](Size elements) {
    return stack->value(stack->multiply(elements, b.getIndexAttr(bytes)));
  };
  Value firstKeptRow; // at the present iteration of the other loops
  if (kept) {
    Value start = addressOf(body->memory[size_t(nest.inputs[size_t(shape.left)])].buffer);
    Value rowBytes = arith::MaxSIOp::create(b, inBytes(length), stack->constant(1));
    firstKeptRow =
        arith::DivUIOp::create(b, arith::SubIOp::create(b, leftAddress, start), rowBytes);
  }
  Value columnStep, sumStep;
  if (!mustPack) {
    Size columnStride = strideAlong(nest, shape.right, shape.columnLoop);
    Size sumStride = strideAlong(nest, shape.right, shape.sums[0]);
    stack->inPrologue([&] {
      columnStep = inBytes(columnStride);
      sumStep = inBytes(sumStride);
    });
  }

  Bounds rowRange = bounds(nest, shape.rowLoop);
  Value lower = stack->value(rowRange.lower), upper = stack->value(rowRange.upper);
  Value numColumns = stack->value(shape.numColumns), sumLength = stack->value(length);
  Value zero = stack->constant(0);
  Value begin = zero, end = numColumns; // of the columns
  if (shape.rowLoop == 0 && splitBegin && kernel.nests.size() == pass.nests.size()) {
    // A thread's part of the rows stands for as much of the columns where there are more of these:
    // each part copies the right operand's columns that it has, so that no two copy the same. Parts
    // begin at whole panels: what is done with the last few columns depends on no thread.
    Value rows = stack->value(nest.extents[0]);
    Value byColumns = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns, rows);
    Value divisor = arith::MaxSIOp::create(b, rows, stack->constant(1));
    auto columnOf = [&](Value row) -> Value {
      Value exact = arith::DivUIOp::create(b, arith::MulIOp::create(b, row, numColumns), divisor);
      Value down =
          arith::SubIOp::create(b, exact, arith::RemUIOp::create(b, exact, stack->constant(width)));
      Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, row, rows);
      return arith::SelectOp::create(b, isEnd, numColumns, down);
    };
    begin = arith::SelectOp::create(b, byColumns, columnOf(lower), zero);
    end = arith::SelectOp::create(b, byColumns, columnOf(upper), numColumns);
    lower = arith::SelectOp::create(b, byColumns, zero, lower);
    upper = arith::SelectOp::create(b, byColumns, rows, upper);
  }
  // One row or column is no matter of tiles.
  auto isOne = findOneLine(nest, shape);
  Value endOfTiles = end;
  for (Value is : {isOne.first, isOne.second})
    endOfTiles = is ? Value(arith::SelectOp::create(b, is, begin, endOfTiles)) : endOfTiles;
  Value count = arith::SubIOp::create(b, upper, lower);

  // Whether all panels are copied: where it must be so, and where it pays.
  Value packs;
  if (mustPack) {
    packs = arith::ConstantOp::create(b, b.getBoolAttr(true));
  } else {
    Value size = inBytes(stack->multiply(numColumns, sumLength));
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size, stack->constant(kPackBytes));
    // Beyond the L2 cache it is worse to leave it where it lies.
    Value isFar = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size,
                                        stack->constant(target.l2Bytes / 2));
    Value leastRows =
        arith::SelectOp::create(b, isFar, stack->constant(kPackTiles / 2 * shape.rows[0]),
                                stack->constant(kPackTiles * shape.rows[0]));
    Value isTall = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, count, leastRows);
    packs = arith::AndIOp::create(b, isLarge, isTall);
  }
  Value blockColumns =
      arith::SelectOp::create(b, packs, stack->constant(width * numPanels),
                              arith::MaxSIOp::create(b, numColumns, stack->constant(1)));
  // Whether rows of the left operand are copied, and how far apart; or are large, but not copied.
  Value copies, isFetched;
  if (!shape.isLeftPlain || !mayCopyLeft) {
    copies = arith::ConstantOp::create(b, b.getBoolAttr(!shape.isLeftPlain));
  } else {
    Value size = inBytes(stack->multiply(nest.extents[size_t(shape.rowLoop)], sumLength));
    Value least = stack->constant(kCopiedBytes);
    if (!shape.isLeftTransposed) {
      for (auto [step, smallest] : {std::pair(kConflictBytes, kCopiedTwoSetBytes),
                                    std::pair(2 * kConflictBytes, kCopiedOneSetBytes)}) {
        Value distance =
            arith::AndIOp::create(b, inBytes(leftRowStride), stack->constant(step - 1));
        Value collides = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, distance, zero);
        least = arith::SelectOp::create(b, collides, stack->constant(smallest), least);
      }
    }
    Value isLarge = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, size, least);
    int64_t few = shape.isLeftTransposed ? kPackLeftPanels * width : kPackLeftColumns;
    Value isWide =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns, stack->constant(few));
    copies = arith::AndIOp::create(b, isLarge, isWide);
    isFetched = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, isLarge, copies);
  }
  Value copiesNow = copies; // not before
  if (isKept) {
    copiesNow = arith::SelectOp::create(b, isKept,
                                        arith::ConstantOp::create(b, b.getBoolAttr(false)), copies);
    copies = arith::OrIOp::create(b, copies, isKept);
  }
  // Rows that stay in half of the L2 cache.
  Value rowBytes = inBytes(stack->add(sumLength, b.getIndexAttr(1)));
  Value blockRows = arith::DivUIOp::create(b, stack->constant(target.l2Bytes / 2), rowBytes);
  blockRows = arith::MinSIOp::create(b, blockRows, stack->constant(mostRows));
  blockRows = arith::SubIOp::create(
      b, blockRows, arith::RemUIOp::create(b, blockRows, stack->constant(shape.rows[0])));
  blockRows = arith::MaxSIOp::create(b, blockRows, stack->constant(shape.rows[0]));
  if (isFetched && shape.isLeftTransposed)
    blockRows = arith::SelectOp::create(b, isFetched,
                                        stack->constant(kTilesInPlace * shape.rows[0]), blockRows);
  Value copiedStride = blockRows;
  if (!shape.isLeftTransposed) {
    Value rest = arith::AndIOp::create(b, inBytes(sumLength), stack->constant(kRoundBytes - 1));
    Value isRound = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
    Value gap = arith::SelectOp::create(b, isRound, stack->constant(kRowGap / bytes), zero);
    copiedStride = arith::AddIOp::create(b, sumLength, gap);
  }

  auto columnBlocks = stack->open(begin, endOfTiles, blockColumns);
  Value firstColumn = columnBlocks.getInductionVar();
  Value endColumn =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, firstColumn, blockColumns), endOfTiles);
  // The columns that are copied begin here. Without mask registers the last,
  // cut panel always is.
  Value firstPacked = endColumn;
  if (!target.maskRegisters)
    firstPacked = arith::SubIOp::create(
        b, endColumn, arith::RemUIOp::create(b, endColumn, stack->constant(width)));
  firstPacked = arith::SelectOp::create(b, packs, firstColumn, firstPacked);
  packPanels(nest, shape, packed.buffer, firstPacked, firstPacked, endColumn);
  Value rest = arith::RemUIOp::create(b, endColumn, stack->constant(width));
  Value whole = arith::SubIOp::create(b, endColumn, rest);
  // Where the panel from `start` on has `column`.
  auto setRight = [&](ProductPanel &panel, Value start, Value column) {
    Value isPacked = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start, firstPacked);
    Size elements =
        stack->multiply(arith::SubIOp::create(b, start, firstPacked).getResult(), sumLength);
    if (start != column)
      elements = stack->add(elements, arith::SubIOp::create(b, column, start).getResult());
    panel.address = arith::AddIOp::create(b, packedAddress, inBytes(elements));
    panel.step = stack->constant(width * bytes);
    if (mustPack)
      return;
    Value inPlace =
        arith::AddIOp::create(b, rightAddress, arith::MulIOp::create(b, column, columnStep));
    panel.address = arith::SelectOp::create(b, isPacked, panel.address, inPlace);
    panel.step = arith::SelectOp::create(b, isPacked, panel.step, sumStep);
  };
  ProductPanel panel, last;
  Value numLast = zero, firstLast = endColumn;
  if (mayDot) {
    Value tail = arith::RemUIOp::create(b, rest, stack->constant(shape.lanes));
    Value isFew =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, tail, stack->constant(mostLast));
    Value isLong;
    if (shape.isLeftTransposed) {
      Value numTerms =
          stack->value(stack->multiply(nest.extents[size_t(shape.rowLoop)], sumLength));
      isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numTerms,
                                     stack->constant(kTransposedTerms));
    } else {
      Value least = arith::MulIOp::create(b, tail, stack->constant(kDotTerms));
      isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, sumLength, least);
    }
    numLast = arith::SelectOp::create(b, arith::AndIOp::create(b, isFew, isLong), tail, zero);
    firstLast = arith::SubIOp::create(b, endColumn, numLast);
    setRight(last, whole, firstLast);
    if (!shape.isLeftTransposed) {
      // The only column of a matrix stands together as it is.
      Value isDense = arith::AndIOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last.step, stack->constant(bytes)),
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, numLast, stack->constant(1)));
      Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, sumLength,
                                         stack->constant(mostOnStack));
      Value numCopied = arith::SelectOp::create(b, isDense, zero, numLast);
      lastAddress = arith::SelectOp::create(b, fits, lastOnStack, lastInScratch);
      packLastColumns(shape, last, lastAddress, numCopied);
      lastAddress = arith::SelectOp::create(b, isDense, last.address, lastAddress);
    }
  }

  auto rowBlocks = stack->open(lower, upper, blockRows);
  Value endRow = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, rowBlocks.getInductionVar(), blockRows), upper);
  Value firstRow = rowBlocks.getInductionVar();
  if (mayCopyLeft)
    packLeft(nest, shape, copied.buffer, firstRow,
             arith::SelectOp::create(b, copiesNow, endRow, firstRow), copiedStride);
  panel.firstRow = firstRow;
  auto either = [&](Size packed, Size inPlace) -> Size {
    if (packed == inPlace)
      return packed;
    return arith::SelectOp::create(b, copies, stack->value(packed), stack->value(inPlace))
        .getResult();
  };
  auto toBytes = [&](Size elements) { return stack->multiply(elements, b.getIndexAttr(bytes)); };
  Size element = b.getIndexAttr(bytes);
  Value inPlace =
      stack->value(stack->add(leftAddress, stack->multiply(firstRow, toBytes(leftRowStride))));
  panel.leftAddress = arith::SelectOp::create(b, copies, copiedAddress, inPlace);
  if (isKept) {
    Value row = stack->value(stack->add(firstKeptRow, firstRow));
    Value at = arith::AddIOp::create(b, kept, arith::MulIOp::create(b, row, inBytes(copiedStride)));
    panel.leftAddress = arith::SelectOp::create(b, isKept, at, panel.leftAddress);
  }
  panel.rowStep =
      either(shape.isLeftTransposed ? element : toBytes(copiedStride), toBytes(leftRowStride));
  panel.sumStep =
      either(shape.isLeftTransposed ? toBytes(copiedStride) : element, toBytes(leftSumStride));
  if (isFetched && shape.isLeftTransposed) {
    Size distance = stack->multiply(toBytes(leftSumStride), b.getIndexAttr(kSumsAhead));
    panel.ahead = arith::SelectOp::create(b, isFetched, stack->value(distance), zero);
  }
  if (target.maskRegisters && isFetched && shape.isLeftTransposed) {
    Value hasWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, firstColumn, whole);
    // By whole tiles: what is left of the rows is too little for it.
    Value left = arith::RemUIOp::create(b, arith::SubIOp::create(b, endRow, firstRow),
                                        stack->constant(shape.rows[0]));
    Value areTiles = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left, zero);
    panel.copies =
        arith::AndIOp::create(b, arith::AndIOp::create(b, isFetched, hasWhole), areTiles);
    panel.copied = copied.buffer;
    panel.copiedStep = copiedStride;
  }
  // Whole panels without masks: with one, a load is two instructions on many
  // processors. What is left is done a vector at a time.
  for (bool isRest : {false, true}) {
    body->vectors = isRest ? 1 : shape.vectors;
    stack->dropAnchor();
    if (isRest && panel.copied) {
      panel.leftAddress =
          arith::SelectOp::create(b, panel.copies, copiedAddress, panel.leftAddress);
      panel.sumStep = arith::SelectOp::create(b, panel.copies, inBytes(copiedStride),
                                              stack->value(panel.sumStep))
                          .getResult();
      panel.copied = nullptr;
    }
    auto panels = stack->open(isRest ? whole : firstColumn, isRest ? firstLast : whole,
                              stack->constant(isRest ? shape.lanes : width));
    Value column = panels.getInductionVar(), start = isRest ? whole : column;
    setColumns(nest, shape, column, firstLast, /*masked=*/isRest);
    setRight(panel, start, column);
    emitRowsOfPanel(pass, shape, panel, firstRow, endRow);
    stack->close();
  }
  if (mayDot && shape.isLeftTransposed) {
    panel.address = last.address;
    panel.step = last.step;
    emitLastColumnsOfRows(pass, shape, panel, lastColumns.buffer, firstLast, numLast, firstRow,
                          endRow);
  } else if (mayDot) {
    emitLastColumns(pass, shape, panel, sums, lastAddress, firstLast, numLast, firstRow, endRow);
  }
  body->masks.clear();
  stack->close();
  stack->close();
  emitOneLine(pass, shape, sums, isOne, {lower, upper}, {begin, end});
  while (opened--)
    stack->close();
}

} // namespace graphc
