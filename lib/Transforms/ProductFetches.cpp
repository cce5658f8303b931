//===- Transforms/ProductFetches.cpp - what tiles fetch while they run -----===//
//
// A tile multiplies for a thousand cycles and more. What it, or a later one, needs from behind the
// L2 cache comes meanwhile:
//
//   for panels of columns {                     before:
//     for tiles of rows {
//       prefetch results, residual              no prefetch
//       for 16 k and more at a time {           one loop over k
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
// - fetch-rows: beside the first panel, where rows are many; with mask registers not of windows'
//   products, whose panels are long, so that less of the L2 cache is free: without it 256x14, 512x7
//   and 256x28 with stride 2 take 0.96 to 0.98 of the time with weights that come from memory, as a
//   network's do (EPYC 9005; 1.0 where they are in a cache). 1x1 layers of 7x7 pixels gain, 0.84 to
//   0.94.
// - fetch-panels: where the first tile of rows fills the panel (ProductTiles.cpp), each other one
//   fetches its lines of the next. Alone, the first one would take a line of 64 bytes every six
//   cycles, twice what memory gives; with the others it has the time of all.
//
// Zen 3 gains by fetch-results in first layers of networks 0.57 to 1.00 of the time, in ResNet-50's
// 1x1 layers 0.81 to 0.95. With mask registers (Zen 4) only results of two L2 caches and more are
// fetched (0.80 to 0.99): smaller ones took 1.00 to 1.02 of the time. fetch-panels is for
// processors without mask registers. Intel's fetch results into the L2 cache: in the nearest one
// they are lines of few sets. 1024x32x1024 took 1.26 times as long with them there where its
// results are near, 1.04 without any fetch, and 1.14 with these; where they are far 1.04, 1.38 and
// 0.83 (beside the best peer; Emerald Rapids). docs/design/17-products.md has the other figures.
// Pictures that are joined (ProductPictures.cpp) fetch no results: a tile's are in several of them.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Tiles of so many terms, or fewer, are over before a line has come.
static constexpr int64_t kShortTerms = 64;
/// Tiles beside a panel fetch the next one where there are so many of them: one or two others than
/// the first would fetch a line in front of each or every second k.
static constexpr int64_t kFetchingTiles = 4;

/// Whether tiles fetch the next panel of a matrix that the first one of each panel fills.
void ProductEmitter::setPanelFetching() {
  if (!tuningOf(target).fetchesPanels || !uses(Optimization::FetchPanels))
    return;
  Value tiles =
      arith::DivUIOp::create(b, rowsOfWholeTiles(numRows), stack->constant(shape.rows[0]));
  Value areMany =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, tiles, stack->constant(kFetchingTiles));
  panel.fetchesPanel = arith::AndIOp::create(b, copies.fills, areMany);
  Value one = stack->constant(1);
  panel.numFetching = arith::MaxSIOp::create(b, arith::SubIOp::create(b, tiles, one), one);
  // Each has one of so many lines in a row, so that it fetches one in front of as many terms.
  Value most = arith::AddIOp::create(b, panel.numFetching, stack->constant(kTermsAtOnce - 1));
  panel.numLines = arith::DivUIOp::create(b, most, panel.numFetching);
  panel.numTerms = arith::MulIOp::create(b, panel.numLines, panel.numFetching);
}

/// Whether tiles fetch the next one's rows: beside the first panel, since beside others they are in
/// the L2 cache. Null: never.
Value ProductEmitter::fetchesRows(Value isFirst) {
  if (shape.isLeftTransposed || !uses(Optimization::FetchRows) ||
      (shape.isWindow && !tuningOf(target).fetchesRowsOfWindows))
    return nullptr;
  Value fetches = arith::AndIOp::create(b, copies.areFar, isFirst);
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
/// or each other tile but the first its lines of the next panel. One has up to kCacheLine bytes;
/// the cache line of the last is fetched, since that of the first is the last of this panel, or the
/// same.
void ProductEmitter::setFetched(Value fetchesRows) {
  const bool mayFetchPanel = panel.fetchesPanel && panel.fillingRow;
  Value zero = stack->constant(0), one = stack->constant(1), atOnce = stack->constant(kTermsAtOnce);
  Value numTerms = arith::MaxSIOp::create(b, panel.length, one);
  if (panel.buffers)
    numTerms = arith::SelectOp::create(b, panel.buffers, atOnce, numTerms);
  if (!fetchesRows && !mayFetchPanel) {
    if (panel.buffers)
      panel.fetched.numTerms = numTerms;
    return;
  }
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  auto choose = [&](Value which, const LinesAhead &one) {
    for (Value LinesAhead::*part :
         {&LinesAhead::address, &LinesAhead::firstRow, &LinesAhead::tileStep, &LinesAhead::termStep,
          &LinesAhead::lineStep, &LinesAhead::numLines, &LinesAhead::numTerms})
      panel.fetched.*part = arith::SelectOp::create(b, which, one.*part, panel.fetched.*part);
  };
  const int64_t bytes = memoryBytes(shape.element), tileBytes = shape.rows[0] * bytes;
  panel.fetched = {.address = panel.leftAddress,
                   .firstRow = panel.firstRow,
                   .tileStep = zero,
                   .termStep = zero,
                   .lineStep = zero,
                   .numLines = zero,
                   .numTerms = numTerms};
  if (fetchesRows) {
    Value tile = times(stack->value(panel.rowStep), stack->constant(shape.rows[0]));
    int64_t numLines = llvm::divideCeil(kTermsAtOnce * tileBytes, kCacheLine);
    choose(fetchesRows, {.address = plus(panel.leftAddress, tile),
                         .firstRow = panel.firstRow,
                         .tileStep = tile,
                         .termStep = stack->constant(tileBytes),
                         .lineStep = stack->constant(kCacheLine),
                         .numLines = stack->constant(numLines),
                         .numTerms = atOnce});
  }
  if (mayFetchPanel) {
    const int64_t width = shape.width() * bytes;
    choose(arith::AndIOp::create(b, panel.fetchesPanel, panel.hasNext),
           {.address = plus(panel.source, stack->constant(2 * width - bytes)),
            .firstRow = plus(panel.fillingRow, stack->constant(shape.rows[0])),
            .tileStep = panel.sourceStep,
            .termStep = panel.sourceStep,
            .lineStep = times(panel.numFetching, panel.sourceStep),
            .numLines = panel.numLines,
            .numTerms = panel.numTerms});
  }
}

/// Fetches the lines in front of term `k` of the tile whose first row is `row`.
void ProductEmitter::fetchAhead(Value row, Value k) {
  const LinesAhead &ahead = panel.fetched;
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  // Small tiles, which fetch nothing, have one test more for it.
  auto branch = mlir::scf::IfOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, ahead.numLines, stack->constant(0)),
      /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value rows = arith::SubIOp::create(b, row, ahead.firstRow);
  Value tile = arith::DivUIOp::create(b, rows, stack->constant(shape.rows[0]));
  Value start = plus(plus(ahead.address, times(tile, ahead.tileStep)), times(k, ahead.termStep));
  auto lines = stack->open(stack->constant(0), ahead.numLines, stack->constant(1));
  Value place = plus(start, times(lines.getInductionVar(), ahead.lineStep));
  LLVM::Prefetch::create(b, pointerTo(place), /*rw=*/0, /*hint=*/2, /*cache=*/1);
  stack->close();
  stack->dropAnchor(); // which is in the branch
}

/// Fetches what vectors of the tile's columns meet of `array`, `ahead` elements behind `place`,
/// where its first row begins, and in the others, which are `rowStride` apart: the cache line of
/// the last column, and those before it but perhaps the first. That one is the last of the panel
/// before, or the same. (The other rows' places would be in registers, or in memory, until they are
/// stored.)
void ProductEmitter::fetchLines(int array, Value place, Size rowStride, Value ahead, bool toWrite) {
  mlir::Type element = kernel.arrays[size_t(array)].element;
  const int64_t bytes = memoryBytes(element), width = shape.width() * bytes;
  const bool intoL1 = tuningOf(target).resultsIntoL1;
  Value row = addressOf(body->memory[size_t(array)].buffer), step = bytesOf(rowStride, element);
  for (Value elements : {ahead, place})
    row = arith::AddIOp::create(b, row, bytesOf(elements, element));
  auto fetchRow = [&] {
    for (int64_t last = width - bytes; last >= 0; last -= kCacheLine)
      LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, row, stack->constant(last))),
                             /*rw=*/toWrite && intoL1, /*hint=*/intoL1 ? 3 : 2, /*cache=*/1);
  };
  if (body->rows >
      kRowsOfPointer) { // a loop takes less time to compile, one of few steps more to run
    auto rows = stack->open(stack->constant(0), stack->constant(body->rows), stack->constant(1));
    row = arith::AddIOp::create(b, row, arith::MulIOp::create(b, rows.getInductionVar(), step));
    fetchRow();
    return stack->close();
  }
  for (int i = 0; i < body->rows; ++i) {
    if (i > 0)
      row = arith::AddIOp::create(b, row, step);
    fetchRow();
  }
}

/// Fetches what the tile that is set up will store, and read besides its sums; of short sums what
/// the tile beside the next panel will.
void ProductEmitter::fetchResults() {
  // A kernel knows extents of up to 16 alone.
  const bool areFew =
      constantSize(nest.extents[size_t(shape.rowLoop)]) && constantSize(shape.numColumns);
  if (!uses(Optimization::FetchResults) || areFew || shape.pictureLoop >= 0 ||
      body->vectors < shape.vectors)
    return;
  Value none = stack->constant(0);
  Value isShort = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, stack->value(shape.length),
                                        stack->constant(kShortTerms));
  Value columnsAhead = arith::SelectOp::create(b, arith::AndIOp::create(b, isShort, panel.hasNext),
                                               stack->constant(shape.width()), none);
  llvm::SmallDenseSet<int> ofPass; // these stay in registers
  for (int number : pass.nests)
    ofPass.insert(kernel.nests[size_t(number)].result);
  // Places are made in front of the branch, since others know of them.
  struct Lines {
    int array;
    Value place;
    Size rowStride;
    Value ahead;
    bool toWrite;
  };
  llvm::SmallVector<Lines> fetched;
  for (int number : pass.nests) {
    const KernelNest &each = kernel.nests[size_t(number)];
    const ArrayPlace &result = body->memory[size_t(each.result)];
    if (inMemory[size_t(each.result)] && constantSize(result.strides.back()) == 1) {
      Value ahead = columnsAhead;
      Size rowStride = result.strides[size_t(shape.rowLoop)];
      if (panel.continues) {
        Value tile = stack->value(stack->multiply(rowStride, b.getIndexAttr(body->rows)));
        ahead = arith::SelectOp::create(b, panel.continues, tile, ahead);
      }
      fetched.push_back({each.result, body->placeOfResult(each), rowStride, ahead, true});
    }
    for (int i = 0; &each != &nest && i < int(each.inputs.size()); ++i) {
      int array = each.inputs[size_t(i)];
      if (array < 0 || ofPass.contains(array) || !isDense(each, i, each.numParallel - 1))
        continue;
      Size rowStride = strideAlong(each, i, shape.rowLoop);
      if (constantSize(rowStride) != 0)
        fetched.push_back({array, body->placeOfOperand(each, i), rowStride, columnsAhead, false});
    }
  }
  mlir::OpBuilder::InsertionGuard guard(b);
  if (int64_t least = tuningOf(target).fetchedResultsBytes) {
    Size count = extentOfAll(nest, llvm::to_vector(llvm::seq<int>(0, nest.numParallel)));
    mlir::Type element = kernel.arrays[size_t(nest.result)].element;
    if (std::optional<int64_t> known = constantSize(count);
        known && *known * memoryBytes(element) < least)
      return;
    Value areMany;
    stack->inPrologue([&] {
      Value bytes = bytesOf(count, element);
      areMany = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, bytes, stack->constant(least));
    });
    auto branch = mlir::scf::IfOp::create(b, areMany, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  for (const Lines &lines : fetched)
    fetchLines(lines.array, lines.place, lines.rowStride, lines.ahead, lines.toWrite);
  stack->dropAnchor(); // which may be in the branch
}

} // namespace graphc
