//===- Transforms/ProductFetches.cpp - what tiles fetch while they run -----===//
//
// A tile multiplies for a thousand cycles and more. What it, or a later one, needs from behind the
// L2 cache comes meanwhile:
//
//   for panels of columns {                     before:
//     for tiles of rows {
//       prefetch results, residual              no prefetch
//       for 16 or 64 k at a time {              one loop over k
//         prefetch rows of the next tile        no prefetch
//         prefetch lines of the next panel      no prefetch but the first tile's of its own panel
//         for k { fma ... }
//       }
//       store max(sums + residual, 0)
//   } }
//
// - fetch-results: the lines that a tile will store, and read besides its sums; of sums of up to 64
//   terms those of the next panel's tile, since this one is over before they come. Where sums are
//   cut into parts of k (ProductSums.cpp), it goes on from its results at once; then those of the
//   next tile are fetched.
// - fetch-rows: beside the first panel, where rows are many.
// - fetch-panels: where the first tile of rows fills the panel (ProductTiles.cpp), each other one
//   fetches a part of the next. Alone, the first one would take a line of 64 bytes every six
//   cycles, twice what memory gives; with the others it has the time of all.
//
// fetch-results and fetch-panels are for processors without mask registers. Zen 3, time left with
// fetch-results: first layers of networks (3 channels, 3x3) 0.57 to 0.72, 1024x32x1024 0.75, 256
// channels of 14x14 pixels -> 1024 0.97, with a residual 0.83 to 0.98,
// SqueezeNet 0.97, ResNet-50 0.95 to 0.99, 1000 cubed 0.975 to 0.99; up to 256 cubed, whose results
// the L2 cache has, 1.00. With AVX-512 (EPYC 9005) it gained nothing. With fetch-panels:
// 190x1024x1024 0.86, 49x512x2048 0.83, 64 or 128 channels of 256 with 56x56 pixels 0.89.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/Products.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Tiles of so many terms, or fewer, are over before a line has come.
static constexpr int64_t kShortTerms = 64;
/// Tiles beside a panel fetch the next one where there are so many of them: one other than the
/// first would fetch a line at each k.
static constexpr int64_t kFetchingTiles = 4;
/// Lines are fetched in front of so many terms: of rows, and of panels, of which each of up to 64
/// tiles has a part.
static constexpr int kRowsShift = 4, kPanelShift = 6;

/// Whether tiles fetch the next panel of a matrix that the first one of each panel fills.
void KernelEmitter::setPanelFetching(const ProductShape &shape, const ProductCopies &copies,
                                     Value numRows, ProductPanel &panel) {
  if (!tuningOf(target).fetchesPanels || !uses(Optimization::FetchPanels))
    return;
  Value tiles = arith::DivUIOp::create(b, numRows, stack->constant(shape.rows[0]));
  auto areAtLeast = [&](int64_t least) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, tiles, stack->constant(least));
  };
  panel.fetchesPanel = arith::AndIOp::create(b, copies.fills, areAtLeast(kFetchingTiles));
  panel.partsShift = stack->constant(0); // of the tiles but the first, rounded up
  for (int shift = 0; shift < kPanelShift; ++shift)
    panel.partsShift = arith::AddIOp::create(
        b, panel.partsShift,
        arith::IndexCastUIOp::create(b, b.getIndexType(), areAtLeast((1 << shift) + 2)));
}

/// Whether tiles fetch the next one's rows: beside the first panel, since beside others they are in
/// the L2 cache. Null: never.
Value KernelEmitter::fetchesRows(const ProductShape &shape, const ProductCopies &copies,
                                 Value isFirst) {
  if (shape.isLeftTransposed || !uses(Optimization::FetchRows))
    return nullptr;
  Value fetches = arith::AndIOp::create(b, copies.areMany, isFirst);
  if (copies.sums) // whole rows
    fetches = arith::AndIOp::create(b, fetches,
                                    arith::CmpIOp::create(b, arith::CmpIPredicate::sge, copies.sums,
                                                          stack->value(shape.length)));
  if (int64_t most = tuningOf(target).mostFetched; most < kNoLimit) {
    Value tile =
        bytesOf(stack->multiply(shape.length, b.getIndexAttr(shape.rows[0])), shape.element);
    fetches = arith::AndIOp::create(
        b, fetches,
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, tile, stack->constant(most)));
  }
  return fetches;
}

/// What whole tiles beside a panel fetch: the rows of the next tile, which stand behind their own,
/// or a part of the next panel. A line of that has up to kCacheLine bytes; the cache line of the
/// last one is fetched, since that of the first is the last of this panel, or the same.
void KernelEmitter::setFetched(const ProductShape &shape, Value fetchesRows, ProductPanel &panel) {
  const bool mayFetchPanel = panel.fetchesPanel && panel.fillingRow;
  if (!fetchesRows && !mayFetchPanel)
    return;
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto minus = [&](Value x, Value y) -> Value { return arith::SubIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  const int64_t bytes = memoryBytes(shape.element);
  Value rows = stack->constant(shape.rows[0]), zero = stack->constant(0);
  LinesAhead none{.address = panel.leftAddress,
                  .rowStep = zero,
                  .lineStep = zero,
                  .numLines = zero,
                  .numTerms = arith::MaxSIOp::create(b, panel.length, stack->constant(1)),
                  .termsShift = zero};
  auto either = [&](Value which, const LinesAhead &one, const LinesAhead &other) {
    auto choose = [&](Value LinesAhead::*part) -> Value {
      return arith::SelectOp::create(b, which, one.*part, other.*part);
    };
    return LinesAhead{choose(&LinesAhead::address),  choose(&LinesAhead::rowStep),
                      choose(&LinesAhead::lineStep), choose(&LinesAhead::numLines),
                      choose(&LinesAhead::numTerms), choose(&LinesAhead::termsShift)};
  };
  panel.fetched = none;
  if (fetchesRows) {
    Value step = stack->value(panel.rowStep);
    int64_t numLines = llvm::divideCeil((shape.rows[0] * bytes) << kRowsShift, kCacheLine);
    LinesAhead next{.address = plus(panel.leftAddress, times(minus(rows, panel.firstRow), step)),
                    .rowStep = step,
                    .lineStep = stack->constant(kCacheLine),
                    .numLines = stack->constant(numLines),
                    .numTerms = stack->constant(1 << kRowsShift),
                    .termsShift = stack->constant(kRowsShift)};
    panel.fetched = either(fetchesRows, next, panel.fetched);
  }
  if (mayFetchPanel) {
    const int64_t width = int64_t(shape.vectors) * shape.lanes * bytes;
    Value terms = stack->constant(1 << kPanelShift);
    Value lines = arith::ShRUIOp::create(b, panel.length, panel.partsShift);
    Value step = times(arith::DivUIOp::create(b, lines, rows), panel.sourceStep);
    Value first = plus(panel.fillingRow, rows); // of the tile that has the first part
    Value start = plus(panel.source, stack->constant(2 * width - bytes));
    LinesAhead next{.address = minus(start, times(first, step)),
                    .rowStep = step,
                    .lineStep = panel.sourceStep,
                    .numLines = arith::ShRUIOp::create(b, terms, panel.partsShift),
                    .numTerms = terms,
                    .termsShift = stack->constant(kPanelShift)};
    panel.fetched = either(panel.fetchesPanel, next, panel.fetched);
  }
}

/// Fetches the lines in front of term `k` of the tile whose first row is `firstRow`.
void KernelEmitter::fetchAhead(const LinesAhead &ahead, Value firstRow, Value k) {
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  // Small tiles, which fetch nothing, have one test more for it.
  auto branch = mlir::scf::IfOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, ahead.numLines, stack->constant(0)),
      /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value before = times(arith::ShRUIOp::create(b, k, ahead.termsShift), ahead.numLines);
  Value start = plus(ahead.address, times(firstRow, ahead.rowStep));
  auto lines = stack->open(stack->constant(0), ahead.numLines, stack->constant(1));
  Value line = plus(before, lines.getInductionVar());
  LLVM::Prefetch::create(b, pointerTo(plus(start, times(line, ahead.lineStep))), /*rw=*/0,
                         /*hint=*/2, /*cache=*/1);
  stack->close();
}

/// Fetches what vectors of the tile's columns meet of `array`, `ahead` elements behind `places`,
/// where its rows begin: the cache line of the last column, and those before it but perhaps the
/// first. That one is the last of the panel before, or the same.
void KernelEmitter::fetchLines(const ProductShape &shape, int array, llvm::ArrayRef<Value> places,
                               Value ahead, bool toWrite) {
  mlir::Type element = kernel.arrays[size_t(array)].element;
  const int64_t bytes = memoryBytes(element), width = int64_t(shape.vectors) * shape.lanes * bytes;
  Value start = addressOf(body->memory[size_t(array)].buffer);
  start = arith::AddIOp::create(b, start, bytesOf(ahead, element));
  for (Value place : places) {
    Value row = arith::AddIOp::create(b, start, bytesOf(place, element));
    for (int64_t last = width - bytes; last >= 0; last -= kCacheLine)
      LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, row, stack->constant(last))),
                             /*rw=*/toWrite, /*hint=*/3, /*cache=*/1);
  }
}

/// Fetches what the tile that is set up will store, and read besides its sums; of short sums what
/// the tile beside the next panel will.
void KernelEmitter::fetchResults(const Pass &pass, const ProductShape &shape,
                                 const ProductPanel &panel) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  const bool areFew = constantSize(nest.extents[size_t(shape.rowLoop)]) && // up to 16 x 16
                      constantSize(shape.numColumns);
  if (!tuningOf(target).fetchesResults || !uses(Optimization::FetchResults) || areFew ||
      shape.pictureLoop >= 0 || body->vectors < shape.vectors)
    return;
  Value none = stack->constant(0);
  Value isShort = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, stack->value(shape.length),
                                        stack->constant(kShortTerms));
  Value columnsAhead = arith::SelectOp::create(
      b, isShort, stack->constant(int64_t(shape.vectors) * shape.lanes), none);
  llvm::SmallDenseSet<int> ofPass; // these stay in registers
  for (int number : pass.nests)
    ofPass.insert(kernel.nests[size_t(number)].result);
  for (int number : pass.nests) {
    const KernelNest &each = kernel.nests[size_t(number)];
    const ArrayPlace &result = body->memory[size_t(each.result)];
    if (inMemory[size_t(each.result)] && constantSize(result.strides.back()) == 1) {
      Value ahead = columnsAhead;
      if (panel.continues) {
        Value tile = stack->value(
            stack->multiply(result.strides[size_t(shape.rowLoop)], b.getIndexAttr(body->rows)));
        ahead = arith::SelectOp::create(b, panel.continues, tile, ahead);
      }
      fetchLines(shape, each.result, body->rowsOfResult(each), ahead, /*toWrite=*/true);
    }
    for (int i = 0; &each != &nest && i < int(each.inputs.size()); ++i)
      if (int array = each.inputs[size_t(i)];
          array >= 0 && !ofPass.contains(array) && isDense(each, i, each.numParallel - 1) &&
          constantSize(strideAlong(each, i, shape.rowLoop)) != 0)
        fetchLines(shape, array, body->placesOfOperand(each, i), columnsAhead, /*toWrite=*/false);
  }
}

} // namespace graphc
