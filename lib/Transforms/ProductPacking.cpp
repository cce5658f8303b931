//===- Transforms/ProductPacking.cpp - operands of products, copied --------===//
//
// Rows of a left operand that stand together (row-tiles), without mask registers in tiles of six,
// with them in tiles of 14 on Intel's processors:
//
//   for k { row 0 ... row 191 }       before: of each k all rows of a block, 768 bytes, of which a
//                                     tile reads 24 of one or two lines
//   for tiles { for k { six rows }    after: a tile reads whole lines, one behind the other
//   }
//
// a^T b of 512 cubed 0.70 of the time in place, gradients of 1x1 layers with respect to pictures
// 0.70 to 0.92 of what they took before (Zen 3); with AVX-512 0.83 to 0.94 (Emerald Rapids).
//
// Panels of a right operand whose columns' elements stand together (square-panels):
//
//   for k by four { 16 lines of four, each with an address of its own }       before
//   for k by eight { 16 lines of eight, from four pointers and two steps }    after; in squares
//
// 96 products of 32x64 by 64x32 took 1.12 of the time (Zen 5), attention of 8 x 128 1.10: most of
// the loop was additions, and loads of what they add. Where extents are known (versions), 1.06 and
// the same.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::Value;

/// Copies of rows fetch so many bytes ahead: rows are copied as a whole, one after the other.
static constexpr int64_t kRowsAheadBytes = 1 << 10;
/// The same, in k, where rows stand together.
static constexpr int64_t kCopiedAhead = 24;

/// The same, in outputs, where each has its windows far from the others': a few rows of them are
/// too short for a processor to see where they go (reversed weights of 512 x 512 x 3 x 3: 0.885 of
/// the gradient's time, of 256 x 256 0.93).
static constexpr int64_t kRunsAhead = 8;
/// Runs of so many elements are copied without a loop.
static constexpr int64_t kShortRun = 64;

/// Sets the columns up as a vector loop from `first` on.
void ProductEmitter::setColumns(Value first, Value upper, bool masked) {
  // Several loops of columns are counted by the last one: nothing asks for the others' counters.
  for (LoopVariable &outer : llvm::MutableArrayRef(body->loops).slice(size_t(shape.columnLoop))) {
    outer = {};
    outer.index = {stack->constant(0)};
  }
  LoopVariable &columns = body->loops[size_t(nest.numParallel - 1)];
  columns.level = stack->depth();
  columns.isVector = true;
  columns.index = {first};
  if (shape.pictureLoop >= 0)
    setPixel(first);
  setMasks(first, upper, masked);
}

/// The block's vectors from `first` on have masks, or none.
void ProductEmitter::setMasks(Value first, Value upper, bool masked) {
  body->masks.clear();
  if (!masked)
    return;
  Value left = arith::SubIOp::create(b, upper, first);
  for (int v = 0; v < body->vectors; ++v) {
    Value rest = left;
    if (v)
      rest = arith::SubIOp::create(b, left, stack->constant(int64_t(v) * body->lanes));
    body->masks.push_back(
        vector::CreateMaskOp::create(b, mlir::VectorType::get({body->lanes}, b.getI1Type()), rest));
  }
}

/// One vector of all, which are a power of two.
Value ProductEmitter::joinLines(llvm::SmallVector<Value> lines) {
  for (; lines.size() > 1; lines.truncate(lines.size() / 2)) {
    const int64_t lanes = mlir::cast<mlir::VectorType>(lines[0].getType()).getNumElements();
    auto both = llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes));
    for (size_t k = 0; k < lines.size() / 2; ++k)
      lines[k] = vector::ShuffleOp::create(b, lines[2 * k], lines[2 * k + 1], both);
  }
  return lines[0];
}

/// Element i of each of `lines`, which are as many as a vector has lanes and have `side` elements
/// each, as vector i: lines i, i + side, ... side by side; then squares at once.
llvm::SmallVector<Value> ProductEmitter::transposeSquares(llvm::ArrayRef<Value> lines, int side) {
  int lanes = int(lines.size());
  llvm::SmallVector<Value> squares;
  for (int i = 0; i < side; ++i) {
    llvm::SmallVector<Value> parts;
    for (int line = i; line < lanes; line += side)
      parts.push_back(lines[size_t(line)]);
    squares.push_back(joinLines(parts));
  }
  transposeInSquares(squares);
  return squares;
}

/// Transposes each square of as many lanes as there are vectors.
void ProductEmitter::transposeInSquares(llvm::MutableArrayRef<Value> squares) {
  const int side = int(squares.size());
  const int64_t lanes = mlir::cast<mlir::VectorType>(squares[0].getType()).getNumElements();
  for (int distance = 1; distance < side; distance *= 2)
    for (int i = 0; i < side; ++i) {
      if (i & distance)
        continue;
      llvm::SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        low.push_back(lane & distance ? lanes + lane - distance : lane);
        high.push_back(lane & distance ? lanes + lane : lane + distance);
      }
      Value &x = squares[size_t(i)], &y = squares[size_t(i) + size_t(distance)];
      Value lower = vector::ShuffleOp::create(b, x, y, low);
      y = vector::ShuffleOp::create(b, x, y, high);
      x = lower;
    }
}

/// Fetches what a copy of an operand reads `ahead` elements later.
void ProductEmitter::fetchCopied(int operand, Size ahead) {
  if (!tuningOf(target).fetchesCopied || !uses(Optimization::FetchRows))
    return;
  int array = nest.inputs[size_t(operand)];
  Size place = stack->add(body->placeOfOperand(nest, operand), ahead);
  Value distance = bytesOf(place, kernel.arrays[size_t(array)].element);
  Value start = addressOf(body->memory[size_t(array)].buffer);
  mlir::LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, start, distance)), /*rw=*/0,
                               /*hint=*/3, /*cache=*/1);
}

/// Copies k in [lower, upper) of a panel of the right operand: what one k needs stands together.
void ProductEmitter::packPanel(Value buffer, Value offset, Value lower, Value upper) {
  int64_t width = shape.width();
  body->rows = 1;
  auto loop = stack->open(lower, upper, stack->constant(1));
  LoopVariable &counter = body->loops[size_t(shape.sums[0])];
  counter = {};
  counter.level = stack->depth();
  counter.index = {loop.getInductionVar()};
  llvm::SmallVector<Value, 8> values = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
  // Of the lines that are copied at a time each gives a few panels' width, a stream for each line,
  // of which processors follow fewer: the same of the next lines is fetched.
  if (body->masks.empty() && constantSize(strideAlong(nest, shape.right, shape.columnLoop)) == 1) {
    Size ahead;
    stack->inPrologue([&] {
      ahead = stack->multiply(strideAlong(nest, shape.right, shape.sums[0]),
                              b.getIndexAttr(tuningOf(target).copiedLines));
    });
    fetchCopied(shape.right, ahead);
  }
  Value at = arith::AddIOp::create(
      b, offset, arith::MulIOp::create(b, loop.getInductionVar(), stack->constant(width)));
  for (int v = 0; v < shape.vectors; ++v) {
    Value place =
        v ? Value(arith::AddIOp::create(b, at, stack->constant(int64_t(v) * shape.lanes))) : at;
    vector::StoreOp::create(b, values[size_t(v)], buffer, place);
  }
  stack->close();
}

/// Of lines one behind the other, of which each has an address: one pointer, and how far the next
/// three are behind it in two registers, one of them scaled.
static constexpr int kLinesOfPointer = 4;

/// The columns [column, column + lanes) of a right operand whose columns' elements stand together,
/// k in [copies.now.first, end), in squares.
void ProductEmitter::packSquares(Value buffer, Value offset, Value column, Value end, int side) {
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  const int64_t bytes = memoryBytes(shape.element), width = shape.width();
  Value step =
      hide(stack->value(bytesOf(strideAlong(nest, shape.right, shape.columnLoop), shape.element)));
  Value steps[] = {stack->constant(0), step, Value(), hide(times(step, stack->constant(3)))};
  Value from = plus(memory.rightSource, times(column, step));
  from = plus(from, times(copies.now.first, stack->constant(bytes)));
  llvm::SmallVector<Value> carried = {
      plus(offset, times(copies.now.first, stack->constant(width)))};
  for (int line = 0; line < shape.lanes; line += kLinesOfPointer)
    carried.push_back(plus(from, times(step, stack->constant(line))));
  stack->dropAnchor();
  auto loop = stack->open(copies.now.first, end, stack->constant(side), carried);
  carried.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  steps[2] = arith::ShLIOp::create(b, step, stack->constant(1));
  auto type = mlir::VectorType::get({side}, shape.element);
  llvm::SmallVector<Value> lines;
  for (int line = 0; line < shape.lanes; ++line)
    lines.push_back(
        loadAt(plus(carried[size_t(1 + line / kLinesOfPointer)], steps[line % kLinesOfPointer]),
               type, Value()));
  for (auto [i, square] : llvm::enumerate(transposeSquares(lines, side)))
    vector::StoreOp::create(b, square, buffer,
                            plus(carried[0], stack->constant(int64_t(i) * width)));
  carried[0] = plus(carried[0], stack->constant(side * width));
  for (Value &place : llvm::MutableArrayRef(carried).drop_front())
    place = plus(place, stack->constant(side * bytes));
  stack->close(carried);
}

/// The same where a column's elements stand together: squares of four columns
/// and four k are transposed in registers, as many side by side as a vector has
/// room for.
void ProductEmitter::packPanelTransposed(Value buffer, Value offset, Value first, Value last) {
  int side = std::min(4, shape.lanes);
  Value main = arith::AddIOp::create(
      b, copies.now.first,
      floorToMultiple(arith::SubIOp::create(b, copies.now.end, copies.now.first), side));
  int64_t width = shape.width();
  LoopVariable &columns = body->loops[size_t(shape.columnLoop)];
  LoopVariable &counter = body->loops[size_t(shape.sums[0])];
  body->masks.clear();
  // Columns beyond the last one repeat it; what is computed of them is not
  // stored.
  auto setLines = [&](Value begin, int count) {
    columns = {};
    columns.level = stack->depth();
    columns.rowSet = kMajorRows;
    begin = arith::AddIOp::create(b, first, begin);
    for (int i = 0; i < count; ++i) {
      Value index = begin;
      if (i)
        index = arith::AddIOp::create(b, begin, stack->constant(i));
      columns.index.push_back(arith::MinSIOp::create(b, index, last));
    }
    body->rows = count;
    body->vectors = 1;
  };
  auto openCounter = [&](Value lower, Value end, int step) {
    stack->dropAnchor();
    auto loop = stack->open(lower, end, stack->constant(step));
    counter = {};
    counter.level = stack->depth();
    counter.isVector = step > 1;
    counter.index = {loop.getInductionVar()};
    Value row = arith::MulIOp::create(b, loop.getInductionVar(), stack->constant(width));
    return Size(arith::AddIOp::create(b, offset, row).getResult());
  };
  if (side > 1) {
    auto vectors =
        stack->open(stack->constant(0), stack->constant(width), stack->constant(shape.lanes));
    Value begin = copies.now.first;
    if (memory.rightSource) {
      Value column = arith::AddIOp::create(b, first, vectors.getInductionVar());
      Value left = arith::SubIOp::create(b, last, column);
      Value isPart = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left,
                                           stack->constant(shape.lanes - 1));
      const int wide = std::max(side, shape.lanes / 2); // longer loads, and fewer shuffles
      Value end = arith::AddIOp::create(
          b, copies.now.first,
          floorToMultiple(arith::SubIOp::create(b, copies.now.end, copies.now.first), wide));
      end = arith::SelectOp::create(b, isPart, copies.now.first, end);
      packSquares(buffer, arith::AddIOp::create(b, offset, vectors.getInductionVar()), column, end,
                  wide);
      begin = end;
      Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, begin, main);
      // Addresses of all lines are made within, where there are some to read so.
      stack->open(stack->constant(0),
                  arith::SelectOp::create(b, isThere, stack->constant(1), stack->constant(0)),
                  stack->constant(1));
    }
    setLines(vectors.getInductionVar(), shape.lanes);
    Size at = openCounter(begin, main, side);
    body->lanes = side;
    llvm::SmallVector<Value, 8> lines = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
    body->lanes = shape.lanes;
    llvm::SmallVector<Value> squares = transposeSquares(lines, side);
    for (int i = 0; i < side; ++i) {
      Size place = stack->add(stack->add(at, vectors.getInductionVar()), b.getIndexAttr(i * width));
      vector::StoreOp::create(b, squares[size_t(i)], buffer, stack->value(place));
    }
    stack->close();
    if (memory.rightSource)
      stack->close();
    stack->close();
  }
  // What is left of the columns, one k after the other.
  setLines(stack->constant(0), int(width));
  Size at = openCounter(main, copies.now.end, 1);
  llvm::SmallVector<Value, 8> elements =
      body->emit(nest, shape.rightFactor, /*asVectors=*/false)[0];
  for (int i = 0; i < int(width); ++i)
    memref::StoreOp::create(b, elements[size_t(i)], buffer,
                            stack->value(stack->add(at, b.getIndexAttr(i))));
  stack->close();
  body->vectors = shape.vectors;
}

/// Copies panels of the columns [lower, upper), of windows for all k; `first` is the column of the
/// panel in front.
void ProductEmitter::packPanels(Value buffer, Value first, Value lower, Value upper) {
  int64_t width = shape.width();
  if (shape.isWindow) {
    stack->dropAnchor();
    auto panels = mayBeOutlined(stack->open(lower, upper, stack->constant(width)));
    Value column = panels.getInductionVar();
    Value offset =
        arith::MulIOp::create(b, arith::SubIOp::create(b, column, first), copies.now.room);
    Value end = arith::AddIOp::create(b, column, stack->constant(width));
    end = arith::MinSIOp::create(b, end, upper);
    if (mayJoinLineParts())
      packLineParts(buffer, offset, column, end);
    else
      packWindow(buffer, offset, column, end);
    stack->close();
    return stack->dropAnchor();
  }
  // Columns of the operand that stand together, or whose elements do.
  const bool isTransposed = areColumnsTransposed();
  Value last = arith::AddIOp::create(b, upper, stack->constant(-1));
  Value whole = lower;
  if (!target.maskRegisters && !isTransposed) {
    Value count = arith::SubIOp::create(b, upper, lower);
    whole =
        arith::SubIOp::create(b, upper, arith::RemUIOp::create(b, count, stack->constant(width)));
  }
  // A few lines at a time in all panels, so that memory is read by long runs.
  Value lines = isTransposed ? arith::MaxSIOp::create(b, copies.now.room, stack->constant(1))
                             : stack->constant(tuningOf(target).copiedLines);
  Value before = arith::MulIOp::create(b, copies.now.first, stack->constant(width));
  for (bool masked : {false, true}) {
    if (!masked && (target.maskRegisters || isTransposed))
      continue;
    stack->dropAnchor();
    auto blocks = mayBeOutlined(stack->open(copies.now.first, copies.now.end, lines));
    Value begin = blocks.getInductionVar();
    Value end = arith::MinSIOp::create(b, arith::AddIOp::create(b, begin, lines), copies.now.end);
    auto panels =
        stack->open(masked ? whole : lower, masked ? upper : whole, stack->constant(width));
    if (!isTransposed)
      setColumns(panels.getInductionVar(), upper, masked);
    Value offset = arith::MulIOp::create(
        b, arith::SubIOp::create(b, panels.getInductionVar(), first), copies.now.room);
    offset = arith::SubIOp::create(b, offset, before);
    if (isTransposed)
      packPanelTransposed(buffer, offset, panels.getInductionVar(), last);
    else
      packPanel(buffer, offset, begin, end);
    stack->close();
    stack->close();
  }
  stack->dropAnchor();
  body->masks.clear();
}

/// Copies the rows [first, end), which stand together, tile by tile: element (k, row) goes to
/// (tile * (length + 1) + k) * rows of a tile + row of the tile. Whole vectors are stored: what is
/// behind a tile's rows is overwritten by the next k, or stays behind the tile.
void ProductEmitter::packLeftInTiles(Value first, Value end) {
  const int64_t tile = shape.rows[0];
  const int numVectors = int(llvm::divideCeil(tile, shape.lanes));
  const int64_t stored = int64_t(numVectors) * shape.lanes;
  body->rows = 1;
  body->vectors = numVectors;
  body->lanes = shape.lanes;
  stack->dropAnchor();
  Value zero = stack->constant(0), length = stack->value(shape.length);
  Value isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end);
  auto terms = mayBeOutlined(
      stack->open(zero, arith::SelectOp::create(b, isWanted, length, zero), stack->constant(1)));
  setLoop(shape.sums[0], terms.getInductionVar());
  Value start = arith::MulIOp::create(b, terms.getInductionVar(), stack->constant(tile));
  // Tiles whose vectors end before the rows do, and those of which some of the lanes are left out.
  Value whole = arith::SubIOp::create(b, arith::SubIOp::create(b, end, first),
                                      stack->constant(stored - tile));
  whole = arith::MaxSIOp::create(b, whole, zero);
  whole = arith::SubIOp::create(b, whole, arith::RemUIOp::create(b, whole, stack->constant(tile)));
  whole = arith::AddIOp::create(b, first, whole);
  for (bool masked : {false, true}) {
    stack->dropAnchor();
    auto tiles = stack->open(masked ? whole : first, masked ? end : whole, stack->constant(tile));
    Value row = tiles.getInductionVar();
    LoopVariable &lane = body->loops[size_t(shape.rowLoop)];
    lane = {};
    lane.level = stack->depth();
    lane.isVector = true;
    lane.index = {row};
    setMasks(row, end, masked);
    llvm::SmallVector<Value, 8> values = body->emit(nest, shape.leftFactor, /*asVectors=*/true)[0];
    if (!masked)
      fetchCopied(shape.left, stack->multiply(strideAlong(nest, shape.left, shape.sums[0]),
                                              b.getIndexAttr(kCopiedAhead)));
    Value before = arith::MulIOp::create(b, arith::SubIOp::create(b, row, first),
                                         arith::AddIOp::create(b, length, stack->constant(1)));
    Value at = arith::AddIOp::create(b, start, before);
    for (int v = 0; v < numVectors; ++v)
      vector::StoreOp::create(
          b, values[size_t(v)], memory.copied.buffer,
          stack->value(stack->add(at, b.getIndexAttr(int64_t(v) * shape.lanes))));
    stack->close();
  }
  stack->close();
  stack->dropAnchor();
  body->masks.clear();
  body->vectors = shape.vectors;
}

/// Copies a run of few elements, as the taps of a window are, from an address to a place of
/// `buffer`; false if it is none. Without mask registers, stores of a part of a vector are
/// branches: what is left behind whole vectors is a vector that ends with the run instead (3x3
/// gradients by phases of a stride of 2, whose runs are 1 to 4 elements, 0.81 of the time).
bool ProductEmitter::copyShortRun(Value address, Value place, Size length) {
  std::optional<int64_t> count = constantSize(length);
  if (target.maskRegisters || !count || *count < 1 || *count > kShortRun)
    return false;
  const int64_t bytes = memoryBytes(shape.element);
  const int64_t lanes = std::min<int64_t>(shape.lanes, int64_t(llvm::bit_floor(uint64_t(*count))));
  auto type = mlir::VectorType::get({lanes}, shape.element);
  for (int64_t done = 0; done < *count; done += lanes) {
    mlir::Attribute at = b.getIndexAttr(std::min(done, *count - lanes));
    Value from = stack->value(stack->add(address, stack->multiply(at, b.getIndexAttr(bytes))));
    vector::StoreOp::create(b, loadAt(from, type, nullptr), memory.copied.buffer,
                            stack->value(stack->add(place, at)));
  }
  return true;
}

/// Copies rows [first, end) of the left operand: row after row, `stride` apart; or, where rows
/// stand together, one k after the other. `sums` are all, or a part of a plain operand's.
void ProductEmitter::packLeft(Value first, Value end) {
  Value buffer = memory.copied.buffer;
  if (shape.inTiles)
    return packLeftInTiles(first, end);
  // The loops that are done by vectors, and the others.
  bool copiesRuns = !shape.isLeftPlain && shape.numRun > 0;
  llvm::SmallVector<int> lines = shape.sums, run = {shape.rowLoop};
  if (!shape.isLeftTransposed) {
    int numRun = copiesRuns ? shape.numRun : 1;
    run.assign(lines.end() - numRun, lines.end());
    lines.truncate(lines.size() - size_t(numRun));
    // In the order of memory: of reversed weights, a row has a window of each output, far apart,
    // and the next row what comes behind them.
    auto isFarther = [&](int sum) {
      auto ofSum = constantSize(strideAlong(nest, shape.left, sum));
      auto ofRow = constantSize(strideAlong(nest, shape.left, shape.rowLoop));
      return ofRow && (!ofSum || std::abs(*ofSum) > std::abs(*ofRow));
    };
    auto *place = lines.begin();
    while (copiesRuns && place != lines.end() && isFarther(*place))
      ++place;
    lines.insert(place, shape.rowLoop);
  }
  auto lower = [&](int loop) { return loop == shape.rowLoop ? first : stack->constant(0); };
  auto upper = [&](int loop) {
    return loop == shape.rowLoop ? end : stack->value(nest.extents[size_t(loop)]);
  };
  body->rows = body->vectors = 1;
  Value address;
  if (copiesRuns)
    address = productAddress(shape.left);
  stack->dropAnchor();
  // Nothing at all where no rows are copied.
  Value isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end);
  Value start = stack->constant(0);
  for (int loop : lines) {
    Value last = upper(loop);
    if (loop == lines[0])
      last = arith::SelectOp::create(b, isWanted, last, lower(loop));
    auto counter = stack->open(lower(loop), last, stack->constant(1));
    if (loop == lines[0])
      mayBeOutlined(counter);
    Value index = counter.getInductionVar();
    LoopVariable &line = body->loops[size_t(loop)];
    line = {};
    line.level = stack->depth();
    line.index = {index};
    Size distance = copies.rowStride;
    if (loop != shape.rowLoop) {
      size_t position = size_t(llvm::find(shape.sums, loop) - shape.sums.begin());
      distance = extentOfAll(nest, llvm::ArrayRef(shape.sums).drop_front(position + 1));
      if (shape.isLeftTransposed)
        distance = stack->multiply(distance, copies.rowStride);
    }
    Value number = index;
    if (loop == shape.rowLoop)
      number = arith::SubIOp::create(b, index, first);
    start = stack->value(stack->add(start, stack->multiply(number, distance)));
    if (copiesRuns) {
      Size step = stack->multiply(strideAlong(nest, shape.left, loop),
                                  b.getIndexAttr(memoryBytes(shape.element)));
      address = stack->value(stack->add(address, stack->multiply(index, step)));
    }
  }
  auto closeLines = [&] {
    body->lanes = shape.lanes;
    for ([[maybe_unused]] int loop : lines)
      stack->close();
    stack->dropAnchor();
    body->masks.clear();
    body->vectors = shape.vectors;
  };
  if (copiesRuns && lines[0] != shape.rowLoop && uses(Optimization::FetchRows)) {
    Size step = bytesInPlace(strideAlong(nest, shape.left, lines[0]));
    Value distance = stack->value(stack->multiply(step, b.getIndexAttr(kRunsAhead)));
    mlir::LLVM::Prefetch::create(b, pointerTo(arith::AddIOp::create(b, address, distance)),
                                 /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
  if (copiesRuns && copyShortRun(address, start, extentOfAll(nest, run)))
    return closeLines();
  Value from = stack->constant(0), to = stack->value(extentOfAll(nest, run));
  if (run == shape.sums) {
    from = copies.now.first;
    to = copies.now.end;
  }
  if (shape.isLeftTransposed) {
    from = first;
    to = end;
  }
  // What is not contiguous is copied by scalars: few elements of a gather would be wanted.
  bool isContiguous =
      shape.left < 0 || constantSize(strideAlong(nest, shape.left, run.back())) == 1;
  int lanes = copiesRuns || isContiguous ? shape.lanes : 1;
  body->lanes = lanes;
  Value count = arith::SubIOp::create(b, to, from);
  Value main = arith::AddIOp::create(b, from, floorToMultiple(count, lanes));
  for (bool masked : {false, true}) {
    if (masked && lanes == 1)
      continue;
    stack->dropAnchor();
    auto vectors = stack->open(masked ? main : from, masked ? to : main, stack->constant(lanes));
    LoopVariable &lane = body->loops[size_t(run.back())];
    lane = {};
    lane.level = stack->depth();
    lane.isVector = true;
    lane.index = {vectors.getInductionVar()};
    body->masks.clear();
    if (masked)
      body->masks.push_back(
          vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
                                       arith::SubIOp::create(b, to, main).getResult()));
    Value distance = arith::SubIOp::create(b, vectors.getInductionVar(), from);
    Value value;
    if (copiesRuns) {
      Value step = stack->constant(memoryBytes(shape.element));
      Value place = arith::AddIOp::create(b, address, arith::MulIOp::create(b, distance, step));
      value = loadAt(place, mlir::VectorType::get({shape.lanes}, shape.element),
                     masked ? body->masks[0] : Value());
    } else {
      value = body->emit(nest, shape.leftFactor, /*asVectors=*/lanes > 1)[0][0];
      if (lanes > 1 && !masked && shape.isLeftPlain)
        fetchCopied(shape.left, shape.isLeftTransposed
                                    ? stack->multiply(strideAlong(nest, shape.left, shape.sums[0]),
                                                      b.getIndexAttr(kCopiedAhead))
                                    : b.getIndexAttr(kRowsAheadBytes / memoryBytes(shape.element)));
    }
    Value at = arith::AddIOp::create(b, start, distance);
    if (masked)
      vector::MaskedStoreOp::create(b, buffer, at, body->masks[0], value);
    else if (lanes > 1)
      vector::StoreOp::create(b, value, buffer, at);
    else
      memref::StoreOp::create(b, value, buffer, at);
    stack->close();
  }
  closeLines();
}

} // namespace graphc
