//===- Transforms/ProductRows.cpp - rows in the same sets of a cache -------===//
//
// A tile reads an element of each of its rows at each k. Rows that are a multiple of 4 KB apart are
// in one set of the nearest cache, which has fewer ways (8 or 12) than a tile of AVX-512 has rows
// (13 or 14): each line would be fetched from the L2 cache at each k, and not once for 16 of them.
//
//   for tiles of rows {                       before:
//     for 16 k at a time {
//       buffer[i] = 16 k of row i             nothing
//       for k { fma row i from the buffer }   for k { fma row i from where it lies }
//   } }
//
// The lines come one after the other, while the multiplications of the terms before are done.
// Beside up to four panels of columns that is less than to copy all rows with gaps between them,
// which is done beside more (Zen 4, f32: 1024x1024 times 1024x16 takes 0.6 of the time;
// docs/design/17-products.md). Not on Intel's processors: 1.13 times the time there.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Support/CopiedOperands.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Sums of fewer terms are over before it matters.
static constexpr int64_t kBufferedTerms = 4 * kTermsAtOnce;

/// Whether lines so many bytes apart are in one set of the nearest cache.
Value ProductEmitter::collide(Value step) {
  Value distance = arith::AndIOp::create(b, step, stack->constant(kSetBytes - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, distance, stack->constant(0));
}

/// Whether tiles can read rows from a buffer, and may have to: those of AVX-512 but Intel's.
/// (Others of so many rows have one vector of columns, or fetch panels in front of more terms.)
bool ProductEmitter::mayBuffer() const {
  return tuningOf(target).buffersRows && shape.isLeftPlain && !shape.isLeftTransposed &&
         shape.group == 1 && shape.rows[0] > kCacheWays &&
         constantSize(memory.leftSumStride) == 1 && !constantSize(memory.leftRowStride) &&
         uses(Optimization::BufferRows);
}

/// Whether they do.
void ProductEmitter::chooseBuffer() {
  if (!mayBuffer())
    return;
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, panel.length,
                                       stack->constant(kBufferedTerms));
  Value rowStep = stack->value(bytesInPlace(memory.leftRowStride));
  panel.buffers = arith::AndIOp::create(b, collide(rowStep), isLong);
  panel.buffers = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, panel.buffers, copies.rows);
  panel.buffer =
      addressOf(onStack(shape.element, shape.rows[0] * kTermsAtOnce * memoryBytes(shape.element)));
}

/// Copies the terms from `first` on of a tile's rows to the buffer: kTermsAtOnce of them, of which
/// the last are those that the rows end with. The first row begins at `start`; `pointers` are where
/// the tile reads every seventh.
void ProductEmitter::bufferRows(Value now, Value start, Value first,
                                llvm::MutableArrayRef<Value> pointers) {
  const int64_t bytes = memoryBytes(shape.element), rowBytes = kTermsAtOnce * bytes,
                vectorBytes = shape.lanes * bytes;
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  auto branch = mlir::scf::IfOp::create(
      b, llvm::SmallVector<mlir::Type>(pointers.size(), b.getIndexType()), now,
      /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  auto plus = [&](Value address, int64_t distance) {
    return stack->value(stack->add(address, b.getIndexAttr(distance)));
  };
  Value from = arith::MinSIOp::create(b, first, plus(panel.length, -kTermsAtOnce));
  start = arith::AddIOp::create(b, start, bytesOf(from, shape.element));
  // A loop, for the time to compile it.
  auto rows = stack->open(stack->constant(0), stack->constant(shape.rows[0]), stack->constant(1));
  auto rowFrom = [&](Value address, Value step) -> Value {
    return arith::AddIOp::create(b, address,
                                 arith::MulIOp::create(b, rows.getInductionVar(), step));
  };
  Value row = rowFrom(start, stack->value(panel.rowStep)),
        to = rowFrom(panel.buffer, stack->constant(rowBytes));
  for (int64_t at = 0; at < rowBytes; at += vectorBytes)
    LLVM::StoreOp::create(b, loadAt(plus(row, at), type, Value()), pointerTo(plus(to, at)),
                          unsigned(bytes));
  stack->close();
  stack->dropAnchor(); // which is in the branch
  Value behind = bytesOf(arith::SubIOp::create(b, first, from).getResult(), shape.element);
  llvm::SmallVector<Value> places;
  for (size_t p = 0; p < pointers.size(); ++p)
    places.push_back(arith::AddIOp::create(
        b, plus(panel.buffer, int64_t(p) * kRowsOfPointer * rowBytes), behind));
  mlir::scf::YieldOp::create(b, places);
  b.setInsertionPointToStart(branch.elseBlock());
  mlir::scf::YieldOp::create(b, mlir::ValueRange(pointers));
  llvm::copy(branch.getResults(), pointers.begin());
}

} // namespace graphc
