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
// ProductTiles.cpp makes the tiles.
//
// All sizes are known at run time only, and so is what is worth copying. Every sum is made in the
// order of k, wherever blocks begin: results depend neither on the caches nor on the threads.
//
// docs/design/17-products.md tells why, and what was measured.
//
//===----------------------------------------------------------------------===//
#include "Transforms/Products.h"
#include "Lowering/ScalarTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
using mlir::Value;

/// Panels of columns that are copied at once, at most: 1024 columns of float32 with AVX-512.
static constexpr int64_t kPanels = 32;
/// A smaller right operand stays in the L2 cache and is used where it lies.
static constexpr int64_t kPackBytes = 128 << 10;
/// Fewer tiles of rows do not pay for a copy; half as many do where it does not fit into the L2
/// cache.
static constexpr int64_t kPackTiles = 4;
/// A larger left operand has its rows copied, if there are more columns than so many.
static constexpr int64_t kPackLeftBytes = 1 << 20;
static constexpr int64_t kPackLeftColumns = 64;
/// Rows that are copied at once, at most.
static constexpr int64_t kCopiedRows = 196;
/// Bytes between rows that are copied, so that neighbours fall into different sets of a cache.
static constexpr int64_t kRowGap = 64;

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
  mlir::AffineMap map = const_cast<KernelNest &>(nest).op.getIndexingMapsArray()[size_t(operand)];
  Size stride = b.getIndexAttr(0);
  stack->inPrologue([&] {
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (int64_t step = affineFactors(expr, unsigned(nest.numLoops()))[size_t(loop)])
        stride = stack->add(stride, stack->multiply(array.strides[axis], b.getIndexAttr(step)));
  });
  return stride;
}

/// The address of an operand's element at 0 of the product's loops and at the
/// present iteration of the others.
Value KernelEmitter::productAddress(const KernelNest &nest, const ProductShape &shape,
                                    int operand) {
  Value start;
  stack->inPrologue([&] {
    start = memref::ExtractAlignedPointerAsIndexOp::create(
        b, body->memory[size_t(nest.inputs[size_t(operand)])].buffer);
  });
  Size offset = strideAlong(nest, operand, nest.numLoops());
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (loop != shape.rowLoop && loop != shape.columnLoop)
      offset = stack->add(offset, stack->multiply(body->loops[size_t(loop)].index[0],
                                                  strideAlong(nest, operand, loop)));
  offset = stack->multiply(offset, b.getIndexAttr(memoryBytes(shape.element)));
  return stack->value(stack->add(start, offset));
}

void KernelEmitter::emitProduct(const Pass &pass, const ProductShape &shape) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  placeArrays(pass, pass.outer);
  int opened = openOtherLoops(pass, shape.columnLoop, shape.rowLoop);
  body->lanes = shape.lanes;
  body->vectors = shape.vectors;
  int64_t bytes = memoryBytes(shape.element);
  int64_t width = int64_t(shape.vectors) * shape.lanes;
  Size length = nest.extents[size_t(shape.sumLoop)];
  Size columnStride = strideAlong(nest, shape.right, shape.columnLoop);
  ArrayMemory packed;
  {
    Value argument = addScratchArgument(shape.element, {b.getIndexAttr(width * kPanels), length});
    packed = view(argument, {b.getIndexAttr(width * kPanels), length}, shape.element, 0);
  }
  bool mustPack = !shape.isRightPlain || constantSize(columnStride) != 1;
  if (!mustPack && target.maskRegisters)
    limitScratch(kPackBytes / bytes, {nest.extents[size_t(shape.columnLoop)], length});
  Value packedAddress;
  stack->inPrologue(
      [&] { packedAddress = memref::ExtractAlignedPointerAsIndexOp::create(b, packed.buffer); });
  // Room for so many rows of the left operand.
  Size leftRowStride = strideAlong(nest, shape.left, shape.rowLoop);
  Size leftSumStride = strideAlong(nest, shape.left, shape.sumLoop);
  ProductShape with = shape;
  with.isLeftTransposed = constantSize(leftRowStride) == 1;
  int64_t mostRows = kCopiedRows / shape.rows[0] * shape.rows[0];
  llvm::SmallVector<Size> room = {b.getIndexAttr(mostRows * 9 / 8 + 1), length};
  ArrayMemory copied = view(addScratchArgument(shape.element, room), room, shape.element, 0);
  if (shape.isLeftPlain)
    limitScratch(kPackLeftBytes / bytes, {nest.extents[size_t(shape.rowLoop)], length});
  Value copiedAddress;
  stack->inPrologue(
      [&] { copiedAddress = memref::ExtractAlignedPointerAsIndexOp::create(b, copied.buffer); });
  Value leftAddress = productAddress(nest, shape, shape.left);
  Value rightAddress = productAddress(nest, shape, shape.right);
  auto inBytes = [&](Size elements) {
    return stack->value(stack->multiply(elements, b.getIndexAttr(bytes)));
  };
  Value columnStep, sumStep;
  Size sumStride = strideAlong(nest, shape.right, shape.sumLoop);
  stack->inPrologue([&] {
    columnStep = inBytes(columnStride);
    sumStep = inBytes(sumStride);
  });

  Bounds rowRange = bounds(nest, shape.rowLoop), columnRange = bounds(nest, shape.columnLoop);
  Value lower = stack->value(rowRange.lower), upper = stack->value(rowRange.upper);
  Value numColumns = stack->value(columnRange.upper), sumLength = stack->value(length);
  Value zero = stack->constant(0);
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
      arith::SelectOp::create(b, packs, stack->constant(width * kPanels),
                              arith::MaxSIOp::create(b, numColumns, stack->constant(1)));
  // Whether rows of the left operand are copied, and how far apart.
  Value copies;
  if (!shape.isLeftPlain) {
    copies = arith::ConstantOp::create(b, b.getBoolAttr(true));
  } else {
    Value size = inBytes(stack->multiply(nest.extents[size_t(shape.rowLoop)], sumLength));
    Value isLarge =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size, stack->constant(kPackLeftBytes));
    Value isWide = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, numColumns,
                                         stack->constant(kPackLeftColumns));
    copies = arith::AndIOp::create(b, isLarge, isWide);
  }
  Value copiedStride = stack->constant(mostRows);
  if (!with.isLeftTransposed) {
    Value rest = arith::AndIOp::create(b, inBytes(sumLength), stack->constant(8 * kRowGap - 1));
    Value isRound = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
    Value gap = arith::SelectOp::create(b, isRound, stack->constant(kRowGap / bytes), zero);
    copiedStride = arith::AddIOp::create(b, sumLength, gap);
  }
  // Rows that stay in half of the L2 cache.
  Value rowBytes = inBytes(stack->add(sumLength, b.getIndexAttr(1)));
  Value blockRows = arith::DivUIOp::create(b, stack->constant(target.l2Bytes / 2), rowBytes);
  blockRows = arith::MinSIOp::create(b, blockRows, stack->constant(mostRows));
  blockRows = arith::SubIOp::create(
      b, blockRows, arith::RemUIOp::create(b, blockRows, stack->constant(shape.rows[0])));
  blockRows = arith::MaxSIOp::create(b, blockRows, stack->constant(shape.rows[0]));

  auto columnBlocks = stack->open(zero, numColumns, blockColumns);
  Value firstColumn = columnBlocks.getInductionVar();
  Value endColumn =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, firstColumn, blockColumns), numColumns);
  // The columns that are copied begin here. Without mask registers the last,
  // cut panel always is.
  Value firstPacked = endColumn;
  if (!target.maskRegisters)
    firstPacked = arith::SubIOp::create(
        b, endColumn, arith::RemUIOp::create(b, endColumn, stack->constant(width)));
  firstPacked = arith::SelectOp::create(b, packs, firstColumn, firstPacked);
  packPanels(nest, shape, packed.buffer, firstPacked, firstPacked, endColumn);

  auto rowBlocks = stack->open(lower, upper, blockRows);
  Value endRow = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, rowBlocks.getInductionVar(), blockRows), upper);
  Value firstRow = rowBlocks.getInductionVar();
  packLeft(nest, with, copied.buffer, firstRow,
           arith::SelectOp::create(b, copies, endRow, firstRow), copiedStride);
  ProductPanel panel;
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
  panel.rowStep =
      either(with.isLeftTransposed ? element : toBytes(copiedStride), toBytes(leftRowStride));
  panel.sumStep =
      either(with.isLeftTransposed ? toBytes(copiedStride) : element, toBytes(leftSumStride));
  // Whole panels without masks: with one, a load is two instructions on many
  // processors. What is left is done a vector at a time.
  Value rest = arith::RemUIOp::create(b, endColumn, stack->constant(width));
  Value whole = arith::SubIOp::create(b, endColumn, rest);
  for (bool isRest : {false, true}) {
    body->vectors = isRest ? 1 : shape.vectors;
    stack->dropAnchor();
    auto panels = stack->open(isRest ? whole : firstColumn, isRest ? endColumn : whole,
                              stack->constant(isRest ? shape.lanes : width));
    Value column = panels.getInductionVar(), start = isRest ? whole : column;
    setColumns(shape, column, endColumn, /*masked=*/isRest);
    Value isPacked = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, start, firstPacked);
    Size elements =
        stack->multiply(arith::SubIOp::create(b, start, firstPacked).getResult(), sumLength);
    if (isRest)
      elements = stack->add(elements, arith::SubIOp::create(b, column, whole).getResult());
    Value place = inBytes(elements);
    panel.address = arith::SelectOp::create(
        b, isPacked, arith::AddIOp::create(b, packedAddress, place),
        arith::AddIOp::create(b, rightAddress, arith::MulIOp::create(b, column, columnStep)));
    panel.step = arith::SelectOp::create(b, isPacked, stack->constant(width * bytes), sumStep);
    emitRowsOfPanel(pass, shape, panel, firstRow, endRow);
    stack->close();
  }
  body->masks.clear();
  stack->close();
  stack->close();
  while (opened--)
    stack->close();
}

} // namespace graphc
