//===- Transforms/ProductColumns.cpp - last columns of products ----------===//
//
// One to four columns behind the last whole vector would cost as much as a vector of them.
//
// One column is a dot product for each row (ProductVectors.cpp), with vectors along k. Of two to
// four, a vector has some k of each: four columns of float32 with AVX-512
//
//   [b[k][0] b[k+1][0] b[k+2][0] b[k+3][0]  b[k][1] ... b[k+3][3]] * 4 times [a[k] ... a[k+3]]
//
// so that rows are read once, and lanes are joined for four rows at a time. The columns are copied
// so first. Before, there were dot products with two columns at a time: 100 cubed takes 0.95 of
// that time, 200x50x20 0.83, and 64x64x1 0.81, whose column was done twice. 49 pixels are 3 vectors
// and a sixteenth instead of 4. Products of two to four columns in all are such ones, too (f32, Zen
// 5: 512x64x3 0.14 of the time of blocks, x4 0.74; f64 0.60 and 0.70).
//
// Where rows of the left operand stand together (gradients with respect to pictures), vectors are
// along rows: each is multiplied by the elements of all columns (two, where registers hold fewer
// sums). The sums go to the stack, from
// which results are made one by one: the gradient of a 1x1 layer, 2048 to 512 channels of 7x7, went
// from 1.32 to 1.11 ms.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::Value;

/// Vectors of rows that are summed at a time.
static constexpr int kRowVectors = 4;

/// Memory for copies of the last columns, where rows of the left operand are read along k: on the
/// stack if there is room.
void ProductEmitter::placeLastColumns() {
  int64_t bytes = memoryBytes(shape.element);
  const bool maySeveral = shape.lanes > kLastColumns;
  lastColumns.most = maySeveral ? kLastColumns : 1;
  lastColumns.columns = lastColumns.most;
  lastColumns.mayBeOne = true;
  lastColumns.mostOnStack = kSumBytes / bytes / kLastColumns;
  lastColumns.may =
      uses(Optimization::LastColumns) && shape.group == 1 &&
      (shape.isLeftTransposed ? maySeveral
                              : !shape.isLeftPlain || constantSize(memory.leftSumStride) == 1);
  if (auto number = constantSize(shape.numColumns)) {
    int64_t tail = *number % shape.lanes;
    lastColumns.may &= tail >= 1 && tail <= lastColumns.most;
    lastColumns.mayBeOne = tail == 1;
    lastColumns.columns = int(llvm::PowerOf2Ceil(uint64_t(tail)));
  }
  if (!lastColumns.may || shape.isLeftTransposed)
    return;
  // What fills up the last vector is no longer than k.
  llvm::SmallVector<Size> sums = extentsOf(nest, shape.sums), room = sums;
  room.insert(room.begin(), b.getIndexAttr(kLastColumns + 1));
  lastColumns.inScratch = addressOf(function.addScratchArgument(shape.element, room));
  function.limitScratch(lastColumns.mostOnStack, sums);
  lastColumns.onStack = addressOf(onStack(shape.element, kSumBytes));
}

/// The last columns of the block, which has `rest` columns behind whole panels: how many there are,
/// and where they are read.
void ProductEmitter::findLastColumns(Value rest) {
  Value zero = stack->constant(0), one = stack->constant(1), length = stack->value(shape.length);
  lastColumns.count = zero;
  lastColumns.first = endColumn;
  if (!lastColumns.may)
    return;
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, predicate, x, y);
  };
  Value tail = arith::RemUIOp::create(b, rest, stack->constant(shape.lanes));
  Value isFew = compare(arith::CmpIPredicate::sle, tail, stack->constant(lastColumns.most));
  Value isOne = compare(arith::CmpIPredicate::eq, tail, one);
  const bool areAll = constantSize(shape.numColumns).value_or(kNoLimit) <= lastColumns.most;
  Value least = arith::SelectOp::create(b, isOne, stack->constant(kDotTerms),
                                        stack->constant((areAll ? 1 : 2) * kDotTerms));
  if (shape.isLeftTransposed)
    least = arith::MulIOp::create(b, tail, stack->constant(kDotTerms));
  Value isLong = compare(arith::CmpIPredicate::sge, length, least);
  if (shape.isLeftTransposed)
    isLong =
        arith::AndIOp::create(b, isLong,
                              compare(arith::CmpIPredicate::sge,
                                      stack->value(nest.extents[size_t(shape.rowLoop)]), least));
  lastColumns.count =
      arith::SelectOp::create(b, arith::AndIOp::create(b, isFew, isLong), tail, zero);
  lastColumns.first = arith::SubIOp::create(b, endColumn, lastColumns.count);
  setRight(endOfWhole, lastColumns.first, lastColumns.panel);
  if (shape.isLeftTransposed)
    return;
  lastColumns.isOne = compare(arith::CmpIPredicate::eq, lastColumns.count, one);
  Value fits = compare(arith::CmpIPredicate::sle, length, stack->constant(lastColumns.mostOnStack));
  lastColumns.address =
      arith::SelectOp::create(b, fits, lastColumns.onStack, lastColumns.inScratch);
  // The only column of a matrix stands together as it is.
  Value isDense = arith::AndIOp::create(b, lastColumns.isOne,
                                        compare(arith::CmpIPredicate::eq, lastColumns.panel.step,
                                                stack->constant(memoryBytes(shape.element))));
  packLastColumns(arith::SelectOp::create(b, isDense, zero, lastColumns.count));
  lastColumns.address =
      arith::SelectOp::create(b, isDense, lastColumns.panel.address, lastColumns.address);
}

/// Copies `copied` columns from `lastColumns.panel` to `lastColumns.address`: one, or
/// `lastColumns.columns` side by side.
void ProductEmitter::packLastColumns(Value copied) {
  const int64_t elementBytes = memoryBytes(shape.element),
                group = shape.lanes / lastColumns.columns;
  Value length = stack->value(shape.length), zero = stack->constant(0), one = stack->constant(1);
  Value bytes = stack->constant(elementBytes);
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  stack->dropAnchor();
  // k is element k % group of the vector's part for its column; behind that are those for others.
  Value within, behind;
  if (lastColumns.columns > 1) {
    within = stack->constant(group - 1),
    behind = stack->constant((lastColumns.columns - 1) * group);
    if (lastColumns.mayBeOne) {
      within = arith::SelectOp::create(b, lastColumns.isOne, zero, within);
      behind = arith::SelectOp::create(b, lastColumns.isOne, zero, behind);
    }
    behind = times(behind, bytes);
    // The last vector, which may not be full; there is memory for it whether it is used or not.
    Value end = arith::MaxSIOp::create(b, plus(length, stack->constant(-1)), zero);
    end = arith::SubIOp::create(b, end, Value(arith::AndIOp::create(b, end, within)));
    end = times(end, arith::SelectOp::create(b, lastColumns.isOne, one,
                                             stack->constant(lastColumns.columns)));
    auto type = mlir::VectorType::get({shape.lanes}, shape.element);
    storeVector(plus(lastColumns.address, times(end, bytes)),
                arith::ConstantOp::create(b, b.getZeroAttr(type)));
    stack->dropAnchor();
  }
  Value first = zero;
  if (lastColumns.columns > 1 && target.maskRegisters) {
    Value isSeveral = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, copied, one);
    first = arith::SelectOp::create(b, isSeveral, floorToMultiple(length, group), zero);
    packWholeLastColumns(first);
  }
  auto columns = stack->open(zero, copied, one);
  Value column = columns.getInductionVar();
  Value from = plus(lastColumns.panel.address, times(column, bytes));
  from = plus(from, times(first, lastColumns.panel.step));
  Value to = plus(lastColumns.address, times(column, stack->constant(group * elementBytes)));
  if (lastColumns.columns > 1)
    to = plus(to, times(first, stack->constant(lastColumns.columns * elementBytes)));
  auto sums = stack->open(first, length, one, {from, to});
  from = sums.getRegionIterArg(0), to = sums.getRegionIterArg(1);
  storeAt(to, loadAt(from, shape.element, nullptr));
  to = plus(to, bytes);
  if (lastColumns.columns > 1) {
    Value low = arith::AndIOp::create(b, sums.getInductionVar(), within);
    Value isEnd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, low, within);
    to = plus(to, arith::SelectOp::create(b, isEnd, behind, zero));
  }
  stack->close({plus(from, lastColumns.panel.step), to});
  stack->close();
  stack->dropAnchor();
}

/// The same of k up to `end`, as many as a vector has of each column, at a time.
void ProductEmitter::packWholeLastColumns(Value end) {
  const int columns = lastColumns.columns, group = shape.lanes / columns;
  auto type = mlir::VectorType::get({columns}, shape.element);
  Value mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({columns}, b.getI1Type()),
                                            lastColumns.count);
  auto loop = stack->open(stack->constant(0), end, stack->constant(group),
                          {lastColumns.panel.address, lastColumns.address});
  Value from = loop.getRegionIterArg(0), to = loop.getRegionIterArg(1);
  llvm::SmallVector<Value> lines;
  for (int k = 0; k < group; ++k) {
    lines.push_back(loadAt(from, type, mask));
    from = arith::AddIOp::create(b, from, lastColumns.panel.step);
  }
  llvm::SmallVector<int64_t> transposed;
  for (int column = 0; column < columns; ++column)
    for (int k = 0; k < group; ++k)
      transposed.push_back(int64_t(k) * columns + column);
  Value together = joinLines(lines);
  storeVector(to, vector::ShuffleOp::create(b, together, together, transposed));
  to = arith::AddIOp::create(b, to, stack->constant(shape.lanes * memoryBytes(shape.element)));
  stack->close({from, to});
  stack->dropAnchor();
}

/// The last columns of the block of rows, as dot products.
void ProductEmitter::emitLastColumnsAsDots() {
  VectorProduct product{shape.element, shape.lanes, /*isDots=*/true, stack->value(shape.length)};
  product.resultStep = stack->value(panel.rowStep);
  product.matrix = arith::SubIOp::create(
      b, panel.leftAddress, arith::MulIOp::create(b, panel.firstRow, product.resultStep));
  product.vector = lastColumns.address;
  Value endOfAll = arith::AddIOp::create(b, lastColumns.first, lastColumns.count);
  auto are = [&](arith::CmpIPredicate predicate) -> Value {
    Value is = arith::CmpIOp::create(b, predicate, lastColumns.count, stack->constant(1));
    return arith::SelectOp::create(b, is, endRow, firstRow);
  };
  if (lastColumns.mayBeOne) {
    auto setLoops = [&](Value index, Value, bool) {
      setLoop(shape.rowLoop, index);
      setColumns(lastColumns.first, Value(), /*masked=*/false);
    };
    emitVectorProduct(product, firstRow, are(arith::CmpIPredicate::eq),
                      [&](Value begin, Value end) { keepSums(begin, end, /*lanes=*/1, setLoops); });
  }
  if (lastColumns.columns > 1) {
    const int lanes = product.columns = lastColumns.columns;
    auto keep = [&](Value begin, Value end) {
      body->lanes = lanes;
      body->rows = body->vectors = 1;
      body->rowExists.clear();
      stack->dropAnchor();
      auto rows = stack->open(begin, end, stack->constant(1));
      setLoop(shape.rowLoop, rows.getInductionVar());
      setColumns(lastColumns.first, endOfAll, /*masked=*/true);
      Value number = arith::SubIOp::create(b, rows.getInductionVar(), begin);
      Value sum =
          vector::LoadOp::create(b, mlir::VectorType::get({lanes}, shape.element), sumsOnStack,
                                 Value(arith::MulIOp::create(b, number, stack->constant(lanes))));
      if (shape.pictureLoop >= 0)
        keepPictures(lastColumns.first, endOfAll, sum);
      else
        keepNests(pass, sum);
      stack->close();
      stack->dropAnchor();
      body->masks.clear();
    };
    // One column is too little work: outlined, 17x33x65 took 1.05 of the time.
    mayBeOutlined(emitVectorProduct(product, firstRow, are(arith::CmpIPredicate::sgt), keep));
  }
  body->lanes = shape.lanes;
}

/// The last columns, which begin at `panel.address`, of the block's rows of a left operand whose
/// rows stand together. Sums are made on the stack, in the order of k.
void ProductEmitter::emitLastColumnsOfRows() {
  Value isOne =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lastColumns.count, stack->constant(1));
  Value none = stack->constant(0);
  // Beside the sums of four columns there are eight vectors. One alone would be computed four
  // times.
  if (!target.maskRegisters) {
    sumLastColumns(lastColumns.count, 2);
  } else {
    if (lastColumns.mayBeOne)
      sumLastColumns(arith::SelectOp::create(b, isOne, lastColumns.count, none), 1);
    if (lastColumns.columns > 1)
      sumLastColumns(arith::SelectOp::create(b, isOne, none, lastColumns.count),
                     lastColumns.columns);
  }
  keepLastColumns();
}

/// `count` of them, so many beside each vector of rows.
void ProductEmitter::sumLastColumns(Value count, int beside) {
  int64_t bytes = memoryBytes(shape.element);
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, int64_t factor) -> Value {
    return arith::MulIOp::create(b, x, stack->constant(factor));
  };
  stack->dropAnchor();
  auto groups = stack->open(stack->constant(0), count, stack->constant(beside));
  Value lastColumn = plus(lastColumns.count, stack->constant(-1)),
        column = groups.getInductionVar();
  llvm::SmallVector<Value> columns; // where they begin; the last one stands for one that is missing
  for (int i = 0; i < beside; ++i) {
    Value number = arith::MinSIOp::create(b, plus(column, stack->constant(i)), lastColumn);
    columns.push_back(plus(panel.address, times(number, bytes)));
  }
  // The first row of each vector, and where it is: one vector after the other, or those of one tile
  // after the other, which have lanes that are none of its rows.
  Value rowsAtOnce = stack->constant(int64_t(kRowVectors) * shape.lanes);
  llvm::SmallVector<Value> rowOf, placeOf;
  for (int v = 0; v < kRowVectors; ++v) {
    rowOf.push_back(stack->constant(int64_t(v) * shape.lanes));
    placeOf.push_back(stack->constant(int64_t(v) * shape.lanes * bytes));
  }
  if (panel.tileStep) {
    const int64_t tile = shape.rows[0], ofTile = llvm::divideCeil(tile, shape.lanes);
    assert(ofTile <= kRowVectors && "a tile of more rows than are summed at a time");
    Value areTiles =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, panel.tileStep, stack->constant(0));
    auto either = [&](Value inTiles, Value &together) {
      together = arith::SelectOp::create(b, areTiles, inTiles, together);
    };
    either(stack->constant(kRowVectors / ofTile * tile), rowsAtOnce);
    for (int v = 0; v < kRowVectors; ++v) {
      int64_t row = v / ofTile * tile + v % ofTile * shape.lanes;
      either(stack->constant(row), rowOf[size_t(v)]);
      either(plus(times(panel.tileStep, v / ofTile), stack->constant(row * bytes)),
             placeOf[size_t(v)]);
    }
  }
  auto blocks = stack->open(firstRow, endRow, rowsAtOnce);
  Value left = arith::SubIOp::create(b, endRow, blocks.getInductionVar());
  Value row = arith::SubIOp::create(b, blocks.getInductionVar(), panel.firstRow);
  // A vector of no rows reads where the first one does: its tile would be in memory that nothing
  // has touched, where each load without any lane takes a hundred times as long (100x300x100 in
  // tiles: 2.7).
  for (int v = 1; panel.tileStep && v < kRowVectors; ++v) {
    Value hasRows = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, left, rowOf[size_t(v)]);
    Value &place = placeOf[size_t(v)];
    place = arith::SelectOp::create(b, hasRows, place, stack->constant(0));
  }
  llvm::SmallVector<Value> masks;
  for (int v = 0; v < kRowVectors; ++v)
    masks.push_back(
        vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
                                     arith::SubIOp::create(b, left, rowOf[size_t(v)]).getResult()));
  llvm::SmallVector<Value> carried(size_t(kRowVectors * beside),
                                   body->neutral(nest, shape.lanes)[0]);
  size_t numSums = carried.size();
  carried.push_back(leftAddressOf(blocks.getInductionVar()));
  carried.append(columns);
  auto loop =
      stack->open(stack->constant(0), stack->value(shape.length), stack->constant(1), carried);
  carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  llvm::SmallVector<Value> elements;
  for (int i = 0; i < beside; ++i)
    elements.push_back(vector::BroadcastOp::create(
        b, type, loadAt(carried[numSums + 1 + size_t(i)], shape.element, nullptr)));
  for (int v = 0; v < kRowVectors; ++v) {
    Value place = plus(carried[numSums], placeOf[size_t(v)]);
    Value rows = loadAt(place, type, masks[size_t(v)]);
    for (int i = 0; i < beside; ++i) {
      Value &sum = carried[size_t(i * kRowVectors + v)];
      sum = addProduct(rows, elements[size_t(i)], sum);
    }
  }
  carried[numSums] = plus(carried[numSums], stack->value(panel.sumStep));
  for (Value &place : llvm::MutableArrayRef(carried).drop_front(numSums + 1))
    place = plus(place, panel.step);
  stack->close(carried);
  for (int i = 0; i < beside; ++i)
    for (int v = 0; v < kRowVectors; ++v) {
      Value at = plus(times(plus(column, stack->constant(i)), kRowsOfSums), row);
      vector::StoreOp::create(b, loop.getResult(unsigned(i * kRowVectors + v)), sumsOnStack,
                              plus(at, rowOf[size_t(v)]));
    }
  stack->close();
  stack->close();
}

/// What follows the sums of the last columns, element by element.
void ProductEmitter::keepLastColumns() {
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  body->lanes = body->rows = body->vectors = 1;
  body->rowExists.clear();
  stack->dropAnchor();
  auto rows = stack->open(
      firstRow,
      arith::SelectOp::create(b,
                              arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, lastColumns.count,
                                                    stack->constant(0)),
                              endRow, firstRow),
      stack->constant(1));
  LoopVariable &variable = body->loops[size_t(shape.rowLoop)];
  variable = {};
  variable.level = stack->depth();
  variable.rowSet = kMajorRows;
  variable.index = {rows.getInductionVar()};
  Value number = arith::SubIOp::create(b, rows.getInductionVar(), panel.firstRow);
  auto each = stack->open(stack->constant(0), lastColumns.count, stack->constant(1));
  setColumns(plus(lastColumns.first, each.getInductionVar()), endRow, /*masked=*/false);
  Value at = arith::MulIOp::create(b, each.getInductionVar(), stack->constant(kRowsOfSums));
  at = plus(at, number);
  keepNests(pass, Value(memref::LoadOp::create(b, sumsOnStack, at)));
  stack->close();
  stack->close();
  stack->dropAnchor();
  body->lanes = shape.lanes;
}

} // namespace graphc
