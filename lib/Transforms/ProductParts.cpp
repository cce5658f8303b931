//===- Transforms/ProductParts.cpp - vectors of panels from parts of lines -===//
//
// A panel that windows fill (ProductWindows.cpp) line by line gets up to twice as many vectors as
// it has, all of which but a few lanes are left out: lines of 28 pixels fill 7 panels in 14 parts,
// each of two masked vectors, and a store that crosses a cache line takes two. Here a vector of
// the panel is put together in registers, of its parts of all lines, and stored once:
//
//   for lines that the panel touches {      before: by parts of lines
//     for k { masked loads of the line's vectors, at any place of the panel masked stores }
//   }
//   for k {                                 after: by vectors of the panel
//     for its vectors { a masked load of each line's part, with the lanes where it belongs; store }
//   }
//
// Lane 0 of a part is where the line's pixel would be that the vector's first column stands for,
// in front of the line for all but the first part. Two lines are enough if they are as long as a
// vector. Where that is not known, or lines are so short that there are many, a loop goes over
// groups of them.
//
// The first tile of rows fills whole panels on its way, and fetches what it will load some k later:
//
//   for channels, lines of the window {     before: without the fetches
//     fetch the parts of a line some channels ahead
//     for its positions { load the parts, put them together, store them; multiply and add }
//   }
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

namespace graphc {

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Lines of whose parts a vector is put together at a time, at most: their masks are to stay in
/// registers.
static constexpr int64_t kLinesAtOnce = 4;
/// Vectors of so many bytes have masked loads: those of AVX.
static constexpr int kMaskedBytes = 32;
/// Lines of so many are long.
static constexpr int64_t kManyVectors = 8;
/// So many k ahead parts are fetched, some 500 cycles; so many bytes of a part, at most.
static constexpr int64_t kFetchAhead = 32, kMostFetched = 4 * kCacheLine;

/// How many lines' parts vectors are put together of at a time.
LineParts ProductEmitter::linePartsOf() const {
  LineParts parts;
  int inner = nest.numParallel - 1;
  Size length = nest.extents[size_t(inner)];
  if (shape.columnLoop == inner)
    return parts;
  auto number = constantSize(length);
  if (!number || *number <= 0)
    return {2, /*mayBeMore=*/true};
  // Vectors begin at multiples of their lanes: at the latest so many pixels before a line's end.
  int64_t rest = std::gcd(*number, int64_t(shape.lanes));
  int64_t lines = llvm::divideCeil(*number - rest + shape.lanes, *number);
  parts.atOnce = int(std::min(lines, kLinesAtOnce));
  parts.mayBeMore = lines > parts.atOnce;
  return parts;
}

/// Not where masked loads are no single instructions, as those of halves without mask registers;
/// nor, without these, for strided lines of many vectors: few panels touch a second one, and each
/// part takes two loads (3 channels of 224x224, stride 2: 1.07 to 1.16 of the time).
bool ProductEmitter::mayJoinLineParts() const {
  if (!uses(Optimization::LineParts) || target.vectorBytes < kMaskedBytes || numSumsAroundLines())
    return false;
  if (target.maskRegisters)
    return true;
  const int inner = nest.numParallel - 1;
  if (!shape.isRightPlain)
    return false;
  mlir::AffineMap map = mapOf(nest, shape.right);
  if (affineFactors(map.getResults().back(), map.getNumDims())[size_t(inner)] == 1)
    return true;
  auto length = constantSize(nest.extents[size_t(inner)]);
  return length && *length < kManyVectors * shape.lanes;
}

/// Whether the first tile of `numRows` rows fills whole panels; null: never. There must be such a
/// tile, and no more lines for each vector than are set up at once.
Value ProductEmitter::fillsByTiles() {
  auto isInCondition = [&](int loop) { return body->isInCondition(nest, loop); };
  LineParts lines = linePartsOf();
  Size length = nest.extents[size_t(nest.numParallel - 1)];
  if (!shape.isWindow || shape.rows.size() < 2 || !mayJoinLineParts() ||
      (lines.mayBeMore && constantSize(length)) || llvm::any_of(shape.sums, isInCondition))
    return nullptr;
  Value fills =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, numRows, stack->constant(shape.rows[0]));
  if (!lines.mayBeMore)
    return fills;
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, stack->value(length),
                                       stack->constant(shape.lanes));
  return arith::AndIOp::create(b, fills, isLong);
}

void ProductEmitter::clearLineParts() {
  body->masks.clear();
  body->masksAreOfRows = false;
  body->rows = 1;
  body->vectors = shape.vectors;
}

/// Sets up parts of lines as rows of the block: for each vector of the panel those of the lines
/// `number`, `number` + 1, … behind the one that it begins in. `isLong`: lines are as long as a
/// vector where their length is not known.
PanelParts ProductEmitter::setLineParts(int linesAtOnce, Value number, Value first, Value end,
                                        bool isLong) {
  int inner = nest.numParallel - 1;
  bool hasLines = shape.columnLoop < inner;
  auto type = mlir::VectorType::get({shape.lanes}, b.getI1Type());
  for (LoopVariable &loop :
       llvm::MutableArrayRef(body->loops)
           .slice(size_t(shape.columnLoop), size_t(inner - shape.columnLoop + 1))) {
    loop = {};
    loop.level = stack->depth();
    loop.rowSet = kMajorRows;
  }
  if (shape.pictureLoop >= 0) {
    setLoop(shape.pictureLoop, nullptr);
    body->loops[size_t(shape.pictureLoop)].rowSet = kMajorRows;
    body->loops[size_t(shape.pictureLoop)].index.clear();
  }
  body->loops[size_t(inner)].isVector = true;
  body->rows = shape.vectors * linesAtOnce;
  body->minorRows = body->vectors = 1;
  body->masks.clear();
  body->masksAreOfRows = true;
  Value length, lastLine;
  if (hasLines) {
    length = stack->value(nest.extents[size_t(inner)]);
    Value last = arith::AddIOp::create(b, end, stack->constant(-1));
    lastLine = arith::DivUIOp::create(b, last, length);
  }
  PanelParts parts;
  parts.numElements = stridedElements(isLong);
  for (int v = 0; v < shape.vectors; ++v) {
    Value column = first;
    if (v)
      column = arith::AddIOp::create(b, first, stack->constant(int64_t(v) * shape.lanes));
    Value left = arith::SubIOp::create(b, end, column);
    if (!hasLines) {
      body->loops[size_t(inner)].index.push_back(column);
      parts.together.push_back(vector::CreateMaskOp::create(b, type, left));
      body->masks.push_back(parts.together.back());
      continue;
    }
    // Lanes [begin, next) are the line's.
    Value line = arith::DivUIOp::create(b, column, length);
    Value begin = arith::SubIOp::create(b, arith::MulIOp::create(b, line, length), column);
    begin = arith::AddIOp::create(b, begin, arith::MulIOp::create(b, number, length));
    line = arith::AddIOp::create(b, line, number);
    Value before = vector::CreateMaskOp::create(b, type, begin), none = before;
    for (int part = 0; part < linesAtOnce; ++part) {
      Value next = arith::AddIOp::create(b, begin, length), pixel;
      if (parts.numElements) {
        pixel = addStridedPart(parts, begin, before);
      } else {
        Value upper = arith::MaxSIOp::create(b, arith::MinSIOp::create(b, next, left), begin);
        Value until = vector::CreateMaskOp::create(b, type, upper);
        body->masks.push_back(arith::XOrIOp::create(b, until, before));
        if (part + 1 == linesAtOnce)
          parts.together.push_back(arith::XOrIOp::create(b, until, none));
        pixel = arith::SubIOp::create(b, stack->constant(0), begin);
      }
      before = vector::CreateMaskOp::create(b, type, next);
      body->loops[size_t(inner)].index.push_back(pixel);
      // Behind the last line its own memory, of which no lane is wanted.
      Value rest = arith::MinSIOp::create(b, line, lastLine);
      for (int loop = inner - 1; loop > shape.columnLoop; --loop) {
        Value outer = stack->value(nest.extents[size_t(loop)]);
        body->loops[size_t(loop)].index.push_back(arith::RemUIOp::create(b, rest, outer));
        rest = arith::DivUIOp::create(b, rest, outer);
      }
      if (shape.pictureLoop >= 0) {
        Value outer = stack->value(nest.extents[size_t(shape.columnLoop)]);
        body->loops[size_t(shape.pictureLoop)].index.push_back(
            arith::DivUIOp::create(b, rest, outer));
        rest = arith::RemUIOp::create(b, rest, outer);
      }
      body->loops[size_t(shape.columnLoop)].index.push_back(rest);
      line = arith::AddIOp::create(b, line, stack->constant(1));
      begin = next;
    }
  }
  return parts;
}

/// The panel's vectors at the present k, of the parts that are set up.
llvm::SmallVector<Value> ProductEmitter::joinLineParts(const PanelParts &parts) {
  if (parts.numElements)
    return joinStridedParts(parts);
  llvm::SmallVector<Value, 8> loaded = body->emit(nest, shape.rightFactor, /*asVectors=*/true)[0];
  size_t lines = loaded.size() / size_t(shape.vectors);
  llvm::SmallVector<Value> vectors;
  for (auto [i, part] : llvm::enumerate(loaded)) {
    if (i % lines == 0) {
      vectors.push_back(part);
      continue;
    }
    // A plain load leaves the other lanes as they are.
    Value mask = body->masks[i], &whole = vectors.back();
    auto load = part.getDefiningOp<vector::MaskedLoadOp>();
    if (load && load.getMask() == mask) {
      load.getPassThruMutable().assign(whole);
      whole = part;
    } else {
      whole = arith::SelectOp::create(b, mask, part, whole);
    }
  }
  return vectors;
}

/// Fetches what the parts that are set up load some k later: those of another channel are as far
/// away as the picture is large, which no processor fetches by itself. Where several sums are
/// nested, the last one is not open yet: its positions are neighbours.
void ProductEmitter::fetchLineParts() {
  if (!uses(Optimization::FetchParts) || shape.right < 0)
    return;
  // k's outermost loop is the one whose steps are far.
  int64_t inside = 1;
  for (int loop : llvm::ArrayRef(shape.sums).drop_front())
    inside *= constantSize(nest.extents[size_t(loop)]).value_or(kFetchAhead);
  int64_t steps = llvm::divideCeil(kFetchAhead, std::max<int64_t>(inside, 1));
  auto number = constantSize(nest.extents[size_t(shape.sums[0])]);
  if (number && *number <= steps)
    return;
  int64_t window = 1;
  if (shape.sums.size() > 1) {
    window = constantSize(nest.extents[size_t(shape.sums.back())]).value_or(1);
    setLoop(shape.sums.back(), stack->constant(0));
  }
  int inner = nest.numParallel - 1;
  int array = nest.inputs[size_t(shape.right)];
  mlir::Type element = kernel.arrays[size_t(array)].element;
  int64_t bytes = memoryBytes(element);
  Size ahead = stack->multiply(strideAlong(nest, shape.right, shape.sums[0]),
                               b.getIndexAttr(shape.backwards[0] ? -steps : steps));
  // A part and its neighbours at the last sum's positions, to the last byte.
  int64_t last = 0;
  for (auto [loop, count] : {std::pair(inner, shape.lanes), {shape.sums.back(), window}})
    last += (count - 1) * bytes *
            std::abs(constantSize(strideAlong(nest, shape.right, loop)).value_or(1));
  last = std::clamp<int64_t>(last, 1, kMostFetched);
  Value start = addressOf(body->memory[size_t(array)].buffer);
  for (Value place : body->placesOfOperand(nest, shape.right)) {
    Value from = stack->value(stack->add(place, ahead));
    Value address = arith::AddIOp::create(b, start, stack->value(bytesOf(from, element)));
    auto fetch = [&](int64_t byte) {
      Value at = stack->value(stack->add(address, b.getIndexAttr(byte)));
      LLVM::Prefetch::create(b, pointerTo(at), /*rw=*/0, /*hint=*/3, /*cache=*/1);
    };
    for (int64_t byte = 0; byte < last; byte += kCacheLine)
      fetch(byte);
    fetch(last);
  }
}

/// Fills the panel at `offset` of the buffer with the columns [first, end), at least one, a vector
/// at a time.
void ProductEmitter::packLineParts(Value buffer, Value offset, Value first, Value end) {
  int inner = nest.numParallel - 1;
  LineParts lines = linePartsOf();
  stack->dropAnchor();
  Value number = stack->constant(0);
  if (lines.mayBeMore) {
    Value length = stack->value(nest.extents[size_t(inner)]);
    Value most = arith::AddIOp::create(
        b, arith::DivUIOp::create(b, stack->constant(shape.lanes - 1), length), stack->constant(2));
    number = stack->open(stack->constant(0), most, stack->constant(lines.atOnce)).getInductionVar();
  }
  PanelParts parts = setLineParts(lines.atOnce, number, first, end, /*isLong=*/false);
  Value place = offset;
  int opened = openSumsOfWindow(0, place);
  llvm::SmallVector<Value> vectors = joinLineParts(parts);
  for (int v = 0; v < shape.vectors; ++v) {
    Value at = place;
    if (v)
      at = arith::AddIOp::create(b, place, stack->constant(int64_t(v) * shape.lanes));
    Value whole = vectors[size_t(v)];
    if (lines.mayBeMore && target.maskRegisters) {
      vector::MaskedStoreOp::create(b, buffer, at, parts.together[size_t(v)], whole);
      continue;
    }
    if (lines.mayBeMore) { // a masked store takes longer than a load, and nobody else has the panel
      auto type = mlir::cast<mlir::VectorType>(whole.getType());
      Value before = vector::LoadOp::create(b, type, buffer, at);
      whole = arith::SelectOp::create(b, parts.together[size_t(v)], whole, before);
    }
    vector::StoreOp::create(b, whole, buffer, at);
  }
  while (opened--)
    stack->close();
  if (lines.mayBeMore)
    stack->close();
  stack->dropAnchor();
  clearLineParts();
}

} // namespace graphc
