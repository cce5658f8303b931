//===- Transforms/ProductColumns.cpp - last columns of transposed rows ---===//
//
// One to four columns behind the last whole vector would cost as much as a vector of them. Where
// rows of the left operand stand together (gradients with respect to pictures), vectors are along
// rows: each is multiplied by the elements of two columns. The sums go to the stack, from which
// results are made one by one: the gradient of a 1x1 layer, 2048 to 512 channels of 7x7, went from
// 1.32 to 1.11 ms. Otherwise ProductLines.cpp does them.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/Products.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::Value;

/// Vectors of rows that are summed at a time, beside so many columns.
static constexpr int kRowVectors = 4, kColumnsBeside = 2;

/// The columns [first, first + count), which begin at `panel.address`, of the rows [lower, upper)
/// of a left operand whose rows stand together. Sums are made in `buffer`, in the order of k.
void KernelEmitter::emitLastColumnsOfRows(const Pass &pass, const ProductShape &shape,
                                          const ProductPanel &panel, Value buffer, Value first,
                                          Value count, Value lower, Value upper) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  int64_t bytes = memoryBytes(shape.element), rowsAtOnce = kRowVectors * shape.lanes;
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, int64_t factor) -> Value {
    return arith::MulIOp::create(b, x, stack->constant(factor));
  };
  stack->dropAnchor();
  auto pairs = stack->open(stack->constant(0), count, stack->constant(kColumnsBeside));
  Value last = plus(count, stack->constant(-1)), column = pairs.getInductionVar();
  llvm::SmallVector<Value> columns; // where they begin; the last one stands for one that is missing
  for (int i = 0; i < kColumnsBeside; ++i) {
    Value number = arith::MinSIOp::create(b, plus(column, stack->constant(i)), last);
    columns.push_back(plus(panel.address, times(number, bytes)));
  }
  auto blocks = stack->open(lower, upper, stack->constant(rowsAtOnce));
  Value left = arith::SubIOp::create(b, upper, blocks.getInductionVar());
  Value row = arith::SubIOp::create(b, blocks.getInductionVar(), panel.firstRow);
  llvm::SmallVector<Value> masks;
  for (int v = 0; v < kRowVectors; ++v)
    masks.push_back(
        vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
                                     plus(left, stack->constant(-int64_t(v) * shape.lanes))));
  llvm::SmallVector<Value> carried(size_t(kRowVectors * kColumnsBeside),
                                   body->neutral(nest, shape.lanes)[0]);
  size_t numSums = carried.size();
  carried.push_back(plus(panel.leftAddress, times(row, bytes)));
  carried.append(columns);
  auto loop =
      stack->open(stack->constant(0), stack->value(shape.length), stack->constant(1), carried);
  carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  llvm::SmallVector<Value> elements;
  for (int i = 0; i < kColumnsBeside; ++i)
    elements.push_back(vector::BroadcastOp::create(
        b, type, loadAt(carried[numSums + 1 + size_t(i)], shape.element, nullptr)));
  for (int v = 0; v < kRowVectors; ++v) {
    Value place = plus(carried[numSums], stack->constant(int64_t(v) * shape.lanes * bytes));
    Value rows = loadAt(place, type, masks[size_t(v)]);
    for (int i = 0; i < kColumnsBeside; ++i) {
      Value &sum = carried[size_t(i * kRowVectors + v)];
      sum = addProduct(rows, elements[size_t(i)], sum);
    }
  }
  carried[numSums] = plus(carried[numSums], stack->value(panel.sumStep));
  for (Value &place : llvm::MutableArrayRef(carried).drop_front(numSums + 1))
    place = plus(place, panel.step);
  stack->close(carried);
  for (int i = 0; i < kColumnsBeside; ++i)
    for (int v = 0; v < kRowVectors; ++v) {
      Value at = plus(times(plus(column, stack->constant(i)), kRowsOfSums), row);
      vector::StoreOp::create(b, loop.getResult(unsigned(i * kRowVectors + v)), buffer,
                              plus(at, stack->constant(int64_t(v) * shape.lanes)));
    }
  stack->close();
  stack->close();

  // What follows the sums, element by element.
  body->lanes = body->rows = body->vectors = 1;
  body->rowExists.clear();
  stack->dropAnchor();
  auto rows = stack->open(
      lower,
      arith::SelectOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, count, stack->constant(0)), upper,
          lower),
      stack->constant(1));
  LoopVariable &variable = body->loops[size_t(shape.rowLoop)];
  variable = {};
  variable.level = stack->depth();
  variable.rowSet = kMajorRows;
  variable.index = {rows.getInductionVar()};
  Value number = arith::SubIOp::create(b, rows.getInductionVar(), panel.firstRow);
  auto each = stack->open(stack->constant(0), count, stack->constant(1));
  setColumns(nest, shape, plus(first, each.getInductionVar()), upper, /*masked=*/false);
  Value at = plus(times(each.getInductionVar(), kRowsOfSums), number);
  keepNests(pass, Value(memref::LoadOp::create(b, buffer, at)));
  stack->close();
  stack->close();
  stack->dropAnchor();
  body->lanes = shape.lanes;
}

} // namespace graphc
