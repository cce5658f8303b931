//===- Transforms/ProductWindows.cpp - panels that windows fill -----------===//
//
// A convolution is a product: rows are outputs, columns are pixels of the result, and k counts
// channels and window positions. The right operand is no matrix in memory: element (k, pixel) is
// wherever the window has it, or padding. A panel of it is gathered just before the tiles use it,
// a line of pixels (those with equal outer coordinates) after the other:
//
//   for lines that the panel touches {
//     for window positions that the padding's condition depends on {       masks are made here
//       for what else k counts {                                           channels
//         vectors of the line's pixels are loaded, and stored at their k and column
//   } } }
//
// Columns are numbered through all lines, so that lines shorter than a vector waste nothing in the
// tiles. Strides and dilation are in the loads' addresses, padding is in their masks: the operand
// itself is not copied, and of the panels only a few exist at a time.
//
//===----------------------------------------------------------------------===//
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// How many of the sums are outside of the lines. Lines of a few columns, as gradients with respect
/// to weights have them, touch each piece of a panel many times: it is to stay in the L1 cache, as
/// what one long sum fills does (64 channels of 56x56, 3x3: from 1.23 to 1.15 of oneDNN's time).
int ProductEmitter::numSumsAroundLines() const {
  int last = int(shape.sums.size()) - 1, inner = nest.numParallel - 1;
  auto line = constantSize(nest.extents[size_t(inner)]);
  bool isShort = shape.columnLoop < inner && line && *line * 2 <= shape.lanes;
  bool isLong = !constantSize(nest.extents[size_t(shape.sums[size_t(last)])]);
  auto isInCondition = [&](int loop) { return body->isInCondition(nest, loop); };
  return isShort && isLong && llvm::none_of(shape.sums, isInCondition) ? last : 0;
}

/// k counts the loop at `position` of the sums, too: opens it. `place` moves along in the panel.
void ProductEmitter::openSumOfWindow(int position, Value &place) {
  int loop = shape.sums[size_t(position)];
  Value extent = stack->value(nest.extents[size_t(loop)]);
  Size inside = extentOfAll(nest, llvm::ArrayRef(shape.sums).drop_front(size_t(position) + 1));
  Size distance;
  stack->inPrologue([&] { distance = stack->multiply(inside, b.getIndexAttr(shape.width())); });
  auto counter = stack->open(stack->constant(0), extent, stack->constant(1));
  Value number = counter.getInductionVar();
  setLoop(loop, number);
  if (shape.backwards[unsigned(position)])
    number =
        arith::SubIOp::create(b, arith::AddIOp::create(b, extent, stack->constant(-1)), number);
  place = stack->value(stack->add(place, stack->multiply(number, distance)));
}

/// The same for all sums from `first` on, those that masks depend on outside of the others. Returns
/// their number.
int ProductEmitter::openSumsOfWindow(int first, Value &place) {
  for (bool isInCondition : {true, false})
    for (int position = first; position < int(shape.sums.size()); ++position)
      if (body->isInCondition(nest, shape.sums[size_t(position)]) == isInCondition)
        openSumOfWindow(position, place);
  return int(shape.sums.size()) - first;
}

/// Fills the panel at `offset` of the buffer with the columns [first, end), at least one.
void ProductEmitter::packWindow(Value buffer, Value offset, Value first, Value end) {
  int inner = nest.numParallel - 1;
  bool hasLines = shape.columnLoop < inner;
  Value start = first, stop = end, place = offset;
  int vectors = shape.vectors, opened = 0;
  stack->dropAnchor();
  int firstInside = numSumsAroundLines();
  for (; opened < firstInside; ++opened)
    openSumOfWindow(opened, place);
  if (hasLines) {
    Size extent = nest.extents[size_t(inner)];
    if (auto number = constantSize(extent))
      vectors = int(std::clamp<int64_t>(llvm::divideCeil(*number, shape.lanes), 1, vectors));
    Value length = stack->value(extent);
    Value last = arith::AddIOp::create(b, end, stack->constant(-1));
    Value endLine =
        arith::AddIOp::create(b, arith::DivUIOp::create(b, last, length), stack->constant(1));
    auto lines = stack->open(arith::DivUIOp::create(b, first, length), endLine, stack->constant(1));
    ++opened;
    Value line = lines.getInductionVar();
    Value begin = arith::MulIOp::create(b, line, length);
    Value next = arith::AddIOp::create(b, begin, length);
    Value from = arith::MaxSIOp::create(b, first, begin);
    stop = arith::SubIOp::create(b, arith::MinSIOp::create(b, end, next), begin);
    start = arith::SubIOp::create(b, from, begin);
    place = arith::AddIOp::create(b, place, arith::SubIOp::create(b, from, first));
    for (int loop = inner - 1; loop > shape.columnLoop; --loop) {
      Value outer = stack->value(nest.extents[size_t(loop)]);
      setLoop(loop, arith::RemUIOp::create(b, line, outer));
      line = arith::DivUIOp::create(b, line, outer);
    }
    setLoop(shape.columnLoop, line);
  }
  setLoop(inner, start);
  body->loops[size_t(inner)].isVector = true;
  body->rows = 1;
  body->vectors = vectors;
  body->masks.clear();
  Value count = arith::SubIOp::create(b, stop, start);
  llvm::SmallVector<Value> counts;
  for (int v = 0; v < vectors; ++v) {
    counts.push_back(
        arith::SubIOp::create(b, count, stack->constant(int64_t(v) * shape.lanes)).getResult());
    body->masks.push_back(vector::CreateMaskOp::create(
        b, mlir::VectorType::get({shape.lanes}, b.getI1Type()), counts.back()));
  }

  opened += openSumsOfWindow(firstInside, place);
  llvm::SmallVector<Value, 8> values = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
  for (int v = 0; v < vectors; ++v) {
    Value at = place;
    if (v)
      at = arith::AddIOp::create(b, place, stack->constant(int64_t(v) * shape.lanes));
    if (target.maskRegisters)
      vector::MaskedStoreOp::create(b, buffer, at, body->masks[size_t(v)], values[size_t(v)]);
    else
      storeFirstLanes(b, buffer, at, values[size_t(v)], counts[size_t(v)]);
  }
  while (opened--)
    stack->close();
  body->masks.clear();
  body->vectors = shape.vectors;
}

} // namespace graphc
