//===- Transforms/ProductSums.cpp - long sums, a part at a time -----------===//
//
// Rows of a few thousand k are so long that few of them stay in the L2 cache, so that panels come
// from memory for every two tiles. Then k is cut, too, and tiles go on from the sums that the
// parts before have left in the result, which the next fma adds to as it would have: bit for bit.
//
//   for blocks of columns {                  before: all k of panels and rows at once
//     for parts of k {
//       panels of the part are copied
//       for blocks of rows {                 some four times as many
//         rows of the part are copied
//         tiles: %sums = the first part ? 0 : what is stored; for k of the part { ... }; stores
//   } } }
//
// Only where nothing follows the sums, results are of their dtype, and k may be large: it is 18 %
// of the compilation of a product (Kernel::hasLongSums).
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// Bytes of a row's part, at most.
static constexpr int64_t kPartBytes = 8 << 10;
/// Parts are multiples of so many k.
static constexpr int64_t kPartMultiple = 16;
/// Sums are cut where all rows are more than two L2 caches, and fewer than so many stay in half of
/// one.
static constexpr int64_t kFewRows = 60;

/// Whether sums may go on from what is stored.
bool ProductEmitter::mayCutSums() const {
  return kernel.hasLongSums && uses(Optimization::SumBlocks) && pass.nests.size() == 1 &&
         inMemory[size_t(nest.result)] &&
         kernel.arrays[size_t(nest.result)].element == shape.element && !shape.isWindow &&
         !shape.isOneTile && shape.group == 1 && shape.isLeftPlain && !shape.isLeftTransposed &&
         !memory.blockPanels;
}

SumRange ProductEmitter::allSums() {
  return {stack->constant(0), stack->value(shape.length), stack->value(shape.room)};
}

/// How many k are done at a time: all, which are at least one, or a part, where blocks of rows get
/// longer by it (`areMany`: rows, of `rowBytes` each, are more than two L2 caches).
Value ProductEmitter::chooseSums(Value rowBytes) {
  Value one = stack->constant(1), length = stack->value(shape.length);
  Value all = arith::MaxSIOp::create(b, length, one);
  auto compare = [&](arith::CmpIPredicate predicate, Value x, int64_t y) -> Value {
    return arith::CmpIOp::create(b, predicate, x, stack->constant(y));
  };
  auto both = [&](Value x, Value y) -> Value { return arith::AndIOp::create(b, x, y); };
  Value cuts = both(copies.areMany,
                    compare(arith::CmpIPredicate::sgt, rowBytes, target.l2Bytes / 2 / kFewRows));
  Value arePanels = copies.packs;
  if (memory.keptPanels)
    arePanels = arith::OrIOp::create(b, arePanels, isKept(memory.keptPanels));
  cuts = both(cuts, arePanels);
  // The runtime's copies of rows are whole rows.
  if (memory.keptRows)
    cuts = both(cuts, compare(arith::CmpIPredicate::eq, memory.keptRows, 0));
  // Last columns that may be dot products are sums in another order.
  if (lastColumns.may) {
    Value tail =
        arith::RemUIOp::create(b, stack->value(shape.numColumns), stack->constant(shape.lanes));
    cuts = both(cuts,
                arith::OrIOp::create(b, compare(arith::CmpIPredicate::eq, tail, 0),
                                     compare(arith::CmpIPredicate::sgt, tail, lastColumns.most)));
  }
  auto branch = scf::IfOp::create(b, b.getIndexType(), cuts, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  // As even as multiples can be.
  auto upTo = [&](Value x, Value y) -> Value {
    Value more = arith::AddIOp::create(b, y, stack->constant(-1));
    return arith::DivUIOp::create(b, arith::AddIOp::create(b, x, more), y);
  };
  Value most = stack->constant(kPartBytes / memoryBytes(shape.element));
  Value part = upTo(length, upTo(length, most)), multiple = stack->constant(kPartMultiple);
  scf::YieldOp::create(b, Value(arith::MulIOp::create(b, upTo(part, multiple), multiple)));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, all);
  return branch.getResult(0);
}

/// The address of a panel's vectors of zeros.
Value ProductEmitter::zerosOnStack() {
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  int64_t bytes = shape.lanes * memoryBytes(shape.element);
  Value start = addressOf(onStack(shape.element, shape.vectors * bytes));
  for (int v = 0; v < shape.vectors; ++v)
    storeVector(stack->value(stack->add(start, b.getIndexAttr(v * bytes))),
                arith::ConstantOp::create(b, b.getZeroAttr(type)));
  return start;
}

/// What the tile that is set up begins with: zeros, or what the parts of k before have left. Both
/// are loaded, from different places: a branch with all sums as its results takes longer to
/// compile.
llvm::SmallVector<Value> ProductEmitter::firstSums(bool isWhole) {
  Value zero = body->neutral(nest, shape.lanes)[0];
  if (!panel.continues)
    return llvm::SmallVector<Value>(size_t(body->rows * body->vectors), zero);
  const ArrayPlace &result = body->memory[size_t(nest.result)];
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  Value first =
      plus(addressOf(result.buffer), bytesOf(body->placesOfResult(nest)[0], shape.element));
  first = arith::SelectOp::create(b, panel.continues, first, panel.zeros);
  Value stride = bytesOf(result.strides[size_t(shape.rowLoop)], shape.element);
  stride = arith::SelectOp::create(b, panel.continues, stride, stack->constant(0));
  int64_t bytes = shape.lanes * memoryBytes(shape.element);
  llvm::SmallVector<Value> sums;
  llvm::ArrayRef<Value> rows = body->loops[size_t(shape.rowLoop)].index;
  Value place = first;
  for (auto [i, row] : llvm::enumerate(rows)) {
    if (i && isWhole)
      place = plus(place, stride);
    else if (i)
      place = plus(first, arith::MulIOp::create(b, arith::SubIOp::create(b, row, rows[0]), stride));
    for (int v = 0; v < body->vectors; ++v)
      sums.push_back(loadAt(v ? plus(place, stack->constant(v * bytes)) : place, zero.getType(),
                            body->masks.empty() ? Value() : body->masks[size_t(v)]));
  }
  return sums;
}

} // namespace graphc
