//===- Transforms/LineTiles.cpp - products of windows, line by line -------===//
//
// A convolution of a small picture with a border that the sums read as a condition
// (Kernels/LeaveBorders.cpp): 3x3, 14x14 pixels.
//
//   before: the picture is copied with its border, and all of it is multiplied (ProductWindows.cpp)
//
//   for panels of two vectors of outputs {           after: a tile is a line of the result, or up
//     weights are copied, if they are no constant      to 14 pixels of it, beside two vectors of
//     for pictures, lines, tiles {                     outputs
//       %sums:pixels*2 = scf.for %c {
//         scf.for %i that the line has in the picture {
//           for each j, two vectors of weights and for each pixel that has j in the picture a
//           scalar of it; fma ...
//       } }
//       transposed in registers; what follows at the same element; stores
//   } }
//
// So nothing is multiplied with the border where a line is one tile, which is 9 % of all products
// of 3x3 windows at 14x14 pixels and 18 at 7x7; in longer lines the two pixels at the ends read a
// zero there. The picture is read where it lies. What a window has beside the border adds nothing
// to a sum: infinite weights make no NaN where it is left out.
//
//===----------------------------------------------------------------------===//
#include "Transforms/LineTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;
namespace vector = mlir::vector;
using mlir::Value;

/// Lines of other channels are fetched so many ahead, all cache lines that a tile has of one, and
/// weights of other sums that are copied. With the first cache line alone, 128x56x56 with a stride
/// of 2 and 8 pictures in pages of 4 KB took 2.7 times as long (Emerald Rapids, whose third cache
/// is slow).
static constexpr int64_t kLinesAhead = 8, kWeightsAhead = 8;

bool ProductEmitter::emitIfLineTiles() {
  std::optional<LineShape> lines = lineShape();
  if (lines)
    LineTiles(*this, *lines).emit();
  return lines.has_value();
}

void ProductEmitter::LineTiles::emit() {
  emitter.placeArrays(pass, pass.outer);
  llvm::SmallVector<Size> extents = emitter.extentsOf(nest, shape.sums);
  Value kept;
  if (emitter.mayKeepLines()) {
    KeptForm form{-1, int32_t(outputs), int32_t(bytes), /*isTransposed=*/true};
    kept = emitter.function.addKept(nest.inputs[size_t(shape.left)], form, shape.element, extents);
  }
  extents.push_back(b.getIndexAttr(outputs));
  room = emitter.addressOf(emitter.function.addScratchArgument(shape.element, extents));
  if (int(body.loops.size()) < nest.numLoops())
    body.loops.resize(size_t(nest.numLoops()));
  int opened = 0;
  for (int loop = pass.outer; loop < lines.line; ++loop)
    if (loop != shape.rowLoop && !llvm::is_contained(lines.others, loop)) {
      emitter.openLoop(nest, loop);
      ++opened;
    }
  body.lanes = shape.lanes;
  weights = emitter.productAddress(shape.left);
  setPart();
  auto panels = stack.open(firstPanel, endPanel, stack.constant(1));
  Value number = panels.getInductionVar(), panel = room;
  Value first = arith::MulIOp::create(b, number, stack.constant(outputs));
  Value isWanted = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
  if (kept) {
    Value are = emitter.isKept(kept);
    Size rowBytes = stack.multiply(emitter.extentOfAll(nest, shape.sums), b.getIndexAttr(bytes));
    panel = arith::SelectOp::create(b, are, arith::AddIOp::create(b, kept, times(first, rowBytes)),
                                    panel);
    isWanted = arith::XOrIOp::create(b, are, isWanted);
  }
  copyWeights(first, isWanted);
  setOutputs(first);
  openLines(number);
  openTiles();
  sumLine(panel);
  emitter.keepNests(pass, transposed());
  body.rowExists.clear();
  body.masks.clear();
  opened += int(lines.others.size()) + 1 + (lines.pixels < lines.length);
  while (opened--)
    stack.close();
}

/// The panels of a thread's part. Where that is a part of the outputs, it stands for as much of all
/// lines beside all panels, one panel after the other: few panels are enough for many threads, and
/// each line is of one.
void ProductEmitter::LineTiles::setPart() {
  Value zero = stack.constant(0), one = stack.constant(1), panel = stack.constant(outputs);
  numOutputs = stack.value(nest.extents[size_t(shape.rowLoop)]);
  auto divideUp = [&](Value number, Value by) -> Value {
    Value more = arith::AddIOp::create(b, number, arith::SubIOp::create(b, by, one));
    return arith::DivUIOp::create(b, more, by);
  };
  firstPanel = zero;
  endPanel = divideUp(numOutputs, panel);
  if (shape.rowLoop != 0 || !emitter.function.splitBegin)
    return;
  numLines = one;
  if (!lines.others.empty())
    numLines = arith::MaxSIOp::create(b, stack.value(nest.extents[size_t(lines.others[0])]), one);
  Bounds part = emitter.bounds(nest, shape.rowLoop);
  Value all = arith::MulIOp::create(b, endPanel, numLines);
  Value divisor = arith::MaxSIOp::create(b, numOutputs, one);
  auto lineOf = [&](Size output) -> Value {
    return arith::DivUIOp::create(b, arith::MulIOp::create(b, stack.value(output), all), divisor);
  };
  firstLine = lineOf(part.lower);
  endLine = lineOf(part.upper);
  firstPanel = arith::DivUIOp::create(b, firstLine, numLines);
  endPanel = divideUp(endLine, numLines);
}

/// The loops over lines beside a panel.
void ProductEmitter::LineTiles::openLines(Value panel) {
  for (int loop : lines.others) {
    if (!numLines || loop != lines.others[0]) {
      emitter.openLoop(nest, loop);
      continue;
    }
    Value before = arith::MulIOp::create(b, panel, numLines);
    Value begin = arith::SubIOp::create(b, firstLine, before);
    Value end = arith::SubIOp::create(b, endLine, before);
    begin = arith::MaxSIOp::create(b, begin, stack.constant(0));
    end = arith::MinSIOp::create(b, end, stack.value(nest.extents[size_t(loop)]));
    emitter.setLoop(loop, stack.open(begin, end, stack.constant(1)).getInductionVar());
  }
}

/// The tiles of a line: `pixel` is the first one's, `done` of those that the tile before has.
void ProductEmitter::LineTiles::openTiles() {
  pixel = stack.constant(0);
  done = stack.constant(0);
  if (lines.pixels == lines.length)
    return;
  auto tiles = stack.open(pixel, stack.constant(lines.length), stack.constant(lines.pixels));
  pixel = tiles.getInductionVar();
  if (lines.length % lines.pixels == 0)
    return;
  Value last = stack.constant(lines.length - lines.pixels);
  Value first = arith::MinSIOp::create(b, pixel, last);
  done = arith::SubIOp::create(b, pixel, first);
  pixel = first;
}

/// From one iteration of a sum's loop to the next, in the order of the panel.
Size ProductEmitter::LineTiles::panelStep(size_t position) {
  Size inside = emitter.extentOfAll(nest, llvm::ArrayRef(shape.sums).drop_front(position + 1));
  Size step;
  stack.inPrologue([&] { step = stack.multiply(inside, b.getIndexAttr(outputs * bytes)); });
  return step;
}

Size ProductEmitter::LineTiles::pictureStep(int loop) {
  const ArrayPlace &picture = body.memory[size_t(lines.array)];
  Size step = b.getIndexAttr(0);
  stack.inPrologue([&] {
    for (auto [axis, stride] : llvm::zip(lines.axes, picture.strides))
      if (int64_t factor = axis.factors[size_t(loop)])
        step = stack.add(step, stack.multiply(stride, b.getIndexAttr(factor * bytes)));
  });
  return step;
}

/// Without the sums' loops.
Value ProductEmitter::LineTiles::sizesOf(const CounterSum &sum) {
  Size size = sum.size;
  for (int loop = 0; loop < nest.numParallel; ++loop)
    if (int64_t factor = sum.factors[size_t(loop)]; factor && loop != lines.line)
      size = stack.add(size,
                       stack.multiply(body.loops[size_t(loop)].index[0], b.getIndexAttr(factor)));
  return stack.value(size);
}

/// Copies the weights of the outputs from `first` on: of each k those of all outputs.
void ProductEmitter::LineTiles::copyWeights(Value first, Value isWanted) {
  const size_t numOuter = shape.sums.size() - size_t(shape.numRun);
  const auto run = llvm::ArrayRef(shape.sums).drop_front(numOuter);
  Size rowStep =
      stack.multiply(emitter.strideAlong(nest, shape.left, shape.rowLoop), b.getIndexAttr(bytes));
  Value last = arith::AddIOp::create(b, stack.value(nest.extents[size_t(shape.rowLoop)]),
                                     stack.constant(-1));
  llvm::SmallVector<Value> rows;
  for (int64_t i = 0; i < outputs; ++i) {
    Value row = arith::AddIOp::create(b, first, stack.constant(i));
    row = arith::MinSIOp::create(b, row, last);
    rows.push_back(arith::AddIOp::create(b, weights, times(row, rowStep)));
  }
  Value zero = stack.constant(0), place = room, ahead;
  auto upperOf = [&](Size extent, bool isOutermost) {
    Value end = stack.value(extent);
    return isOutermost ? Value(arith::SelectOp::create(b, isWanted, end, zero)) : end;
  };
  stack.dropAnchor();
  for (size_t position = 0; position < numOuter; ++position) {
    const int loop = shape.sums[position];
    auto counter =
        stack.open(zero, upperOf(nest.extents[size_t(loop)], position == 0), stack.constant(1));
    Size step = stack.multiply(emitter.strideAlong(nest, shape.left, loop), b.getIndexAttr(bytes));
    Value distance = times(counter.getInductionVar(), step);
    ahead = times(stack.constant(kWeightsAhead), step);
    for (Value &row : rows)
      row = arith::AddIOp::create(b, row, distance);
    place = arith::AddIOp::create(b, place, times(counter.getInductionVar(), panelStep(position)));
  }
  Size length = emitter.extentOfAll(nest, run);
  auto blocks = stack.open(zero, upperOf(length, numOuter == 0), stack.constant(shape.lanes));
  Value done = blocks.getInductionVar(), distance = times(done, b.getIndexAttr(bytes));
  for (Value &row : rows)
    row = arith::AddIOp::create(b, row, distance);
  if (ahead) // pieces of rows, far from those of the next term: no processor sees where they go
    for (Value row : rows)
      LLVM::Prefetch::create(b, emitter.pointerTo(arith::AddIOp::create(b, row, ahead)), /*rw=*/0,
                             /*hint=*/3, /*cache=*/1);
  const bool isOneBlock = constantSize(length).value_or(shape.lanes + 1) <= shape.lanes;
  copyBlock(rows, arith::AddIOp::create(b, place, times(done, b.getIndexAttr(outputs * bytes))),
            isOneBlock ? length : stack.subtract(length, done));
  for (size_t i = 0; i < numOuter + 1; ++i)
    stack.close();
  stack.dropAnchor();
}

/// As many k of each row as a vector has lanes, of which `numLeft` exist.
void ProductEmitter::LineTiles::copyBlock(llvm::ArrayRef<Value> rows, Value place, Size numLeft) {
  auto maskType = mlir::VectorType::get({shape.lanes}, b.getI1Type());
  Value mask = vector::CreateMaskOp::create(b, maskType, stack.value(numLeft));
  llvm::SmallVector<Value> squares[kLineVectors];
  for (int v = 0; v < kLineVectors; ++v) {
    for (Value row : rows.slice(size_t(v * shape.lanes), size_t(shape.lanes)))
      squares[v].push_back(emitter.loadAt(row, type, mask));
    emitter.transposeInSquares(squares[v]);
  }
  Value last = stack.value(stack.add(numLeft, b.getIndexAttr(-1)));
  const int64_t most = constantSize(numLeft).value_or(shape.lanes);
  for (int64_t k = most - 1; k >= 0; --k) { // what is beyond the last one goes to its place
    Value number = arith::MinSIOp::create(b, stack.constant(k), last);
    Value to = arith::AddIOp::create(b, place, times(number, b.getIndexAttr(outputs * bytes)));
    for (int v = 0; v < kLineVectors; ++v) {
      Size distance = b.getIndexAttr(v * shape.lanes * bytes);
      LLVM::StoreOp::create(b, squares[v][size_t(k)],
                            emitter.pointerTo(stack.value(stack.add(to, distance))),
                            unsigned(bytes));
    }
  }
}

/// What is wanted of a sum's loop for the line at hand.
ProductEmitter::LineTiles::Sum ProductEmitter::LineTiles::sumOver(size_t position) {
  const int loop = shape.sums[position];
  Size ofPanel = panelStep(position);
  if (shape.backwards[unsigned(position)])
    ofPanel = stack.multiply(ofPanel, b.getIndexAttr(-1));
  Sum sum{stack.constant(0), stack.value(nest.extents[size_t(loop)]), pictureStep(loop), ofPanel};
  for (const auto &[of, condition] : lines.ofSums) {
    if (of != loop)
      continue;
    Value size = sizesOf(condition); // at least 0 with the counter added, or taken away
    if (condition.factors[size_t(loop)] > 0)
      sum.lower =
          arith::MaxSIOp::create(b, sum.lower, arith::SubIOp::create(b, stack.constant(0), size));
    else
      sum.upper =
          arith::MinSIOp::create(b, sum.upper, arith::AddIOp::create(b, size, stack.constant(1)));
  }
  return sum;
}

/// The sums of the line at hand.
void ProductEmitter::LineTiles::sumLine(Value panel) {
  const ArrayPlace &place = body.memory[size_t(lines.array)];
  Size offset = place.origin ? place.origin : Size(b.getIndexAttr(0));
  for (auto [axis, stride] : llvm::zip(lines.axes, place.strides))
    offset = stack.add(offset, stack.multiply(sizesOf(axis), stride));
  Value picture = arith::AddIOp::create(b, emitter.addressOf(place.buffer),
                                        times(stack.value(offset), b.getIndexAttr(bytes)));
  picture = arith::AddIOp::create(b, picture, times(pixel, pictureStep(lines.line)));
  llvm::SmallVector<Sum> loops;
  for (size_t position = 0; position < shape.sums.size(); ++position) {
    const int loop = shape.sums[position];
    if (shape.backwards[unsigned(position)]) {
      Size last = stack.add(nest.extents[size_t(loop)], b.getIndexAttr(-1));
      panel = arith::AddIOp::create(b, panel, times(stack.value(last), panelStep(position)));
    }
    if (loop != lines.tap)
      loops.push_back(sumOver(position));
  }
  Size ahead = stack.multiply(loops[0].ofPicture, b.getIndexAttr(kLinesAhead));
  fetched = stack.value(ahead);
  findBorder();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  sums.assign(size_t(lines.pixels * kLineVectors), zero);
  stack.dropAnchor();
  overSums(loops, picture, panel);
  stack.dropAnchor(); // what follows uses the sums
}

/// Adds the products of all iterations of the loops, of which the innermost one carries where it
/// is.
void ProductEmitter::LineTiles::overSums(llvm::ArrayRef<Sum> loops, Value picture, Value panel) {
  const Sum &sum = loops.front();
  const bool isInnermost = loops.size() == 1;
  auto moved = [&](Value address, Value number, Size step) {
    return arith::AddIOp::create(b, address, times(number, step)).getResult();
  };
  llvm::SmallVector<Value> carried = sums;
  if (isInnermost) {
    carried.push_back(moved(picture, sum.lower, sum.ofPicture));
    carried.push_back(moved(panel, sum.lower, sum.ofPanel));
  }
  auto loop = stack.open(sum.lower, sum.upper, stack.constant(1), carried);
  auto takeSums = [&](mlir::ValueRange values) {
    sums.assign(values.begin(), values.begin() + ptrdiff_t(sums.size()));
  };
  takeSums(loop.getRegionIterArgs());
  if (isInnermost) {
    picture = loop.getRegionIterArg(unsigned(sums.size()));
    panel = loop.getRegionIterArg(unsigned(sums.size()) + 1);
    fetchPixels(arith::AddIOp::create(b, picture, fetched));
    addProducts(picture, panel);
    carried = sums;
    carried.push_back(stack.value(stack.add(picture, sum.ofPicture)));
    carried.push_back(stack.value(stack.add(panel, sum.ofPanel)));
    stack.close(carried);
  } else {
    Value number = loop.getInductionVar();
    overSums(loops.drop_front(), moved(picture, number, sum.ofPicture),
             moved(panel, number, sum.ofPanel));
    stack.close(sums);
  }
  takeSums(loop.getResults());
}

/// Fetches the cache lines that a tile reads of a picture's line, whose first pixel is at `first`.
void ProductEmitter::LineTiles::fetchPixels(Value first) {
  int64_t lowest = 0, highest = 0; // where other pixels and positions are
  auto reach = [&](int loop, int64_t number) {
    const int64_t distance = constantSize(pictureStep(loop)).value_or(0) * (number - 1);
    (distance < 0 ? lowest : highest) += distance;
  };
  reach(lines.line, lines.pixels);
  if (lines.tap >= 0)
    reach(lines.tap, lines.numTaps);
  auto fetch = [&](int64_t byte) {
    Value place = arith::AddIOp::create(b, first, stack.constant(byte));
    LLVM::Prefetch::create(b, emitter.pointerTo(place), /*rw=*/0, /*hint=*/3, /*cache=*/1);
  };
  for (int64_t byte = lowest; byte < highest; byte += kCacheLine)
    fetch(byte);
  fetch(highest);
}

/// Adds the products of all window positions along the line.
void ProductEmitter::LineTiles::addProducts(Value picture, Value panel) {
  const Size ofPixel = pictureStep(lines.line);
  Size ofTap = b.getIndexAttr(0), weightsOfTap = b.getIndexAttr(0);
  if (lines.tap >= 0) {
    ofTap = pictureStep(lines.tap);
    const size_t position = size_t(llvm::find(shape.sums, lines.tap) - shape.sums.begin());
    weightsOfTap = panelStep(position);
    if (shape.backwards[unsigned(position)])
      weightsOfTap = stack.multiply(weightsOfTap, b.getIndexAttr(-1));
  }
  auto at = [&](Value address, int64_t number, Size step, int64_t offset = 0) -> Value {
    Size distance = stack.multiply(step, b.getIndexAttr(number));
    return stack.value(stack.add(address, stack.add(distance, b.getIndexAttr(offset))));
  };
  for (int64_t tap = 0; tap < lines.numTaps; ++tap) {
    // Hidden, or a pixel's scalar would stay in a register for all positions that meet it, and
    // weights of all positions be loaded at once.
    Value line = at(tap ? emitter.hide(picture) : picture, tap, ofTap);
    Value vectors = tap ? emitter.hide(panel) : panel;
    std::array<Value, kLineVectors> right;
    for (int v = 0; v < kLineVectors; ++v)
      right[size_t(v)] =
          emitter.loadAt(at(vectors, tap, weightsOfTap, v * shape.lanes * bytes), type, Value());
    for (int64_t pixel = 0; pixel < lines.pixels; ++pixel) {
      if (areInPicture(pixel, tap) == Is::Never)
        continue;
      Value address = at(line, pixel, ofPixel);
      if (Value is = inPicture.lookup({pixel, tap}))
        address = arith::SelectOp::create(b, is, address, zeroAddress);
      Value scalar =
          LLVM::LoadOp::create(b, shape.element, emitter.pointerTo(address), unsigned(bytes));
      Value left = vector::BroadcastOp::create(b, type, scalar);
      for (int v = 0; v < kLineVectors; ++v) {
        Value &sum = sums[size_t(pixel * kLineVectors + v)];
        sum = emitter.addProduct(left, right[size_t(v)], sum);
      }
    }
  }
}

/// Of a line's pixel.
bool ProductEmitter::LineTiles::isInPicture(int64_t pixel, int64_t tap) const {
  return llvm::all_of(lines.ofLine, [&](const CounterSum &sum) {
    return *constantSize(sum.size) + sum.factors[size_t(lines.line)] * pixel +
               sum.factors[size_t(lines.tap)] * tap >=
           0;
  });
}

/// Of all tiles.
ProductEmitter::LineTiles::Is ProductEmitter::LineTiles::areInPicture(int64_t pixel,
                                                                      int64_t tap) const {
  int64_t count = 0, inside = 0;
  for (int64_t first = 0; first < lines.length; first += lines.pixels, ++count)
    inside += isInPicture(std::min(first, lines.length - lines.pixels) + pixel, tap);
  return inside == count ? Is::Always : inside > 0 ? Is::Sometimes : Is::Never;
}

/// For what some tiles have in the picture, whether the tile at hand has it; others read a zero.
void ProductEmitter::LineTiles::findBorder() {
  for (int64_t tap = 0; tap < lines.numTaps; ++tap)
    for (int64_t number = 0; number < lines.pixels; ++number) {
      if (areInPicture(number, tap) != Is::Sometimes)
        continue;
      if (!zeroAddress) {
        zeroAddress = emitter.addressOf(emitter.onStack(shape.element, bytes));
        stack.inPrologue([&] {
          Value element = arith::ConstantOp::create(b, b.getZeroAttr(shape.element));
          emitter.storeAt(zeroAddress, element);
        });
      }
      Value all;
      for (const CounterSum &sum : lines.ofLine) {
        const int64_t factor = sum.factors[size_t(lines.line)];
        const int64_t before =
            *constantSize(sum.size) + factor * number + sum.factors[size_t(lines.tap)] * tap;
        Value distance = stack.value(
            stack.add(stack.multiply(pixel, b.getIndexAttr(factor)), b.getIndexAttr(before)));
        Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, distance, stack.constant(0));
        all = all ? Value(arith::AndIOp::create(b, all, is)) : is;
      }
      inPicture[{number, tap}] = all;
    }
}

/// The outputs from `first` on are the rows that are set up.
void ProductEmitter::LineTiles::setOutputs(Value first) {
  Value last = arith::AddIOp::create(b, numOutputs, stack.constant(-1));
  llvm::SmallVector<Value> numbers, exist;
  for (int64_t i = 0; i < outputs; ++i) {
    Value number = arith::AddIOp::create(b, first, stack.constant(i));
    exist.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::sle, number, last));
    numbers.push_back(arith::MinSIOp::create(b, number, last));
  }
  emitter.setRows(numbers);
  body.rowExists.assign(exist.begin(), exist.end());
}

/// The sums by output, as vectors of pixels, which are set up as columns.
llvm::SmallVector<Value> ProductEmitter::LineTiles::transposed() {
  const int64_t lanes = shape.lanes;
  body.lanes = int(lanes);
  body.vectors = int(llvm::divideCeil(lines.pixels, lanes));
  LoopVariable &line = body.loops[size_t(lines.line)];
  line = {};
  line.level = stack.depth();
  line.isVector = true;
  line.index = {pixel};
  const bool isMasked = lines.pixels % lanes != 0 || lines.length % lines.pixels != 0;
  emitter.setMasks(stack.constant(0), stack.constant(lines.pixels), isMasked);
  if (lines.length % lines.pixels != 0) { // what is done already may have overwritten operands
    llvm::SmallVector<Value, 8> wanted = body.masks;
    emitter.setMasks(stack.constant(0), done, /*masked=*/true);
    for (auto [mask, before] : llvm::zip(body.masks, wanted))
      mask = arith::XOrIOp::create(b, mask, before);
  }
  llvm::SmallVector<Value> results(size_t(outputs) * size_t(body.vectors));
  for (int v = 0; v < kLineVectors; ++v)
    for (int part = 0; part < body.vectors; ++part) {
      llvm::SmallVector<Value> squares;
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t pixel = std::min(part * lanes + i, lines.pixels - 1);
        squares.push_back(sums[size_t(pixel * kLineVectors + v)]);
      }
      emitter.transposeInSquares(squares);
      for (auto [lane, square] : llvm::enumerate(squares))
        results[(size_t(v * lanes) + lane) * size_t(body.vectors) + size_t(part)] = square;
    }
  return results;
}

} // namespace graphc
