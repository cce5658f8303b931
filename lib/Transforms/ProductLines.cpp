//===- Transforms/ProductLines.cpp - single rows and columns of products --===//
//
// Whether a product of matrices has one row or one column may only show when it runs: then it is
// done as a matrix times a vector (ProductVectors.cpp), which reads the matrix by long runs.
// Before, tiles of 4 equal rows went down strips of it: 1 x 1024 x 1024 took 2.4 times OpenBLAS's
// time, now 0.95.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

/// So few vectors of results wait for each trip of their sums to memory: tiles keep them in
/// registers.
static constexpr int64_t kFewVectors = 2;

/// Whether a product of matrices has one row, or one column, that is done by emitOneLine; each null
/// if it never is.
std::pair<Value, Value> ProductEmitter::findOneLine() {
  if (!uses(Optimization::Vectors) || shape.isWindow || !shape.isLeftPlain || !shape.isRightPlain)
    return {};
  int k = shape.sums[0];
  bool isDots = !isDense(nest, shape.right, shape.columnLoop);
  auto isOne = [&](Size extent, Size results, bool isDots) -> Value {
    if (constantSize(extent).value_or(1) != 1)
      return nullptr;
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stack->value(extent),
                                        stack->constant(1));
    if (isDots)
      return isOne;
    Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, stack->value(results),
                                         stack->constant(kFewVectors * shape.lanes));
    return arith::AndIOp::create(b, isOne, isLong);
  };
  Size rows = nest.extents[size_t(shape.rowLoop)];
  Value isRow, isColumn;
  if (!isDots || (isDense(nest, shape.right, k) && isDense(nest, shape.left, k)))
    isRow = isOne(rows, shape.numColumns, isDots);
  // Otherwise it is one of the last columns.
  if (isDense(nest, shape.left, shape.rowLoop))
    isColumn = isOne(shape.numColumns, rows, /*isDots=*/false);
  return {isRow, isColumn};
}

void ProductEmitter::emitOneLine() {
  auto [isRow, isColumn] = isOneLine;
  if (!isRow && !isColumn)
    return;
  int k = shape.sums[0];
  bool isDots = !isDense(nest, shape.right, shape.columnLoop);
  Value zero = stack->constant(0);
  auto either = [&](Value condition, Value one, Value other) -> Value {
    return condition ? Value(arith::SelectOp::create(b, condition, one, other)) : other;
  };
  auto keepRow = [&](Value first, Value end) {
    keepSums(first, end, shape.lanes, [&](Value index, Value last, bool masked) {
      setLoop(shape.rowLoop, threadPart.lower);
      setColumns(index, last, masked);
    });
  };
  auto keepColumn = [&](Value first, Value end) {
    keepSums(first, end, /*lanes=*/1, [&](Value index, Value, bool) {
      setLoop(shape.rowLoop, index);
      setColumns(zero, Value(), /*masked=*/false);
    });
  };
  VectorProduct ofRow, ofColumn;
  if (isRow)
    ofRow = vectorProduct(shape.right, shape.columnLoop, shape.left, k, isDots);
  if (isColumn)
    ofColumn = vectorProduct(shape.left, shape.rowLoop, shape.right, k, false);
  if (!isColumn || isDots) {
    if (isRow)
      mayBeOutlined(emitVectorProduct(ofRow, threadPart.begin,
                                      either(isRow, threadPart.end, threadPart.begin), keepRow));
    isRow = nullptr;
  }
  if (!isColumn)
    return;
  // One loop for both.
  VectorProduct product = ofColumn;
  Value lower = threadPart.lower, upper = either(isColumn, threadPart.upper, threadPart.lower);
  if (isRow) {
    for (auto field : {&VectorProduct::matrix, &VectorProduct::resultStep, &VectorProduct::sumStep,
                       &VectorProduct::vector, &VectorProduct::vectorStep})
      product.*field = either(isRow, ofRow.*field, ofColumn.*field);
    lower = either(isRow, threadPart.begin, lower);
    upper = either(isRow, threadPart.end, upper);
  }
  mayBeOutlined(emitVectorProduct(product, lower, upper, [&](Value first, Value end) {
    if (isRow)
      keepRow(first, either(isRow, end, first));
    keepColumn(first, either(isRow, first, end));
  }));
}

} // namespace graphc
