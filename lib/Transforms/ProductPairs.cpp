//===- Transforms/ProductPairs.cpp - products of bfloat16, two k at a time -===//
//
// Where the processor multiplies bfloat16 (AVX512-BF16) faster than float32, before and after:
//
//   x and y are converted when they are copied          pairs of them are copied as they are, and
//   sum = fma(x[k], y[k], sum)                          sum = vdpbf16ps(sum, x pair, y pair)
//
// A pair is a word of 32 bits, elements 2 p and 2 p + 1 of a sum; the last one of an odd number has
// a zero beside it. Panels hold one word of each column for each p, and rows of the left operand
// are read as words where they lie. To the tiles a word is an element as float32 is.
//
// The instruction adds two products after each other, that of 2 p + 1 first, and rounds as fma
// does; but operands that are subnormal are zero to it, and sums that would be. So the least
// magnitude of the operands is looked for: while panels are copied, and in a pass over the rows.
// All that can come of a sum is a multiple of the product of what the last bits of the least
// elements count: where that is a normal number, the instruction's results are those of fma, bit
// for bit. Otherwise tiles of few rows take pairs apart and use fma, in the same order.
// docs/design/17-products.md.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Support/CopiedOperands.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Bytes of bfloat16, and of a pair.
static constexpr int64_t kHalfBytes = 2, kWordBytes = 4;
/// Lines of the right operand's pairs that are copied at a time.
static constexpr int64_t kCopiedPairs = 16;
/// Vectors of a line whose magnitudes are looked at in one go.
static constexpr int kVectorsAtOnce = 4;
/// Words of a column that are transposed in registers at a time.
static constexpr int kPairsAtOnce = 4;

/// Makes the shape one of pairs, if it is a product of two matrices of bfloat16 in which
/// neighbouring terms or neighbouring results stand together.
void ProductEmitter::setPairs() {
  if (!target.bf16Pairs || !uses(Optimization::Pairs) || shape.isWindow || shape.pictureLoop >= 0 ||
      !shape.element.isF32() || function.blockPanels.lookup(pass.nests[0]) || shape.left < 0 ||
      shape.right < 0 || isOfBlock(nest.inputs[size_t(shape.left)], shape.rowLoop))
    return;
  int sum = shape.sums[0];
  for (auto [operand, factor, loop] :
       {std::tuple(shape.left, shape.leftFactor, shape.rowLoop),
        std::tuple(shape.right, shape.rightFactor, shape.columnLoop)}) {
    auto widened = factor.getDefiningOp<arith::ExtFOp>();
    if (!widened || !widened.getIn().getType().isBF16() ||
        !mlir::isa<mlir::BlockArgument>(widened.getIn()) ||
        (!isDense(nest, operand, sum) && !isDense(nest, operand, loop)))
      return;
  }
  shape.group = 2;
  shape.isLeftPlain = isDense(nest, shape.left, sum);
  if (auto length = constantSize(shape.length)) {
    shape.length = b.getIndexAttr(llvm::divideCeil(*length, 2));
    shape.room = b.getIndexAttr(groupsWithZeros(*constantSize(shape.length)));
  } else {
    stack->inPrologue([&] {
      Value more = stack->value(stack->add(shape.length, b.getIndexAttr(1)));
      Value pairs = arith::ShRUIOp::create(b, more, stack->constant(1));
      shape.length = pairs;
      shape.room = roomOfPairs(pairs);
    });
  }
  if (target.tileRegisters && uses(Optimization::TileRegisters))
    setTileRegisters();
}

/// What groupsWithZeros says.
Value ProductEmitter::roomOfPairs(Value pairs) {
  Value most = arith::AddIOp::create(b, pairs, stack->constant(kGroupsAtOnce - 1));
  Value filled = arith::AndIOp::create(b, most, stack->constant(-kGroupsAtOnce));
  Value isLess =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, pairs, stack->constant(kGroupsAtOnce));
  return arith::SelectOp::create(b, isLess, pairs, filled);
}

/// Operands of products of pairs where they lie.
void ProductEmitter::findPairs() {
  memory.leftSource = productAddress(shape.left);
  memory.rightSource = productAddress(shape.right);
}

//===--- the least magnitude ------------------------------------------------===//

static mlir::VectorType magnitudesType(mlir::OpBuilder &b) {
  return mlir::VectorType::get({kCacheLine / kHalfBytes}, b.getI16Type());
}

/// What is least before any magnitude has been seen.
Value ProductEmitter::greatestMagnitudes() {
  return arith::ConstantOp::create(
      b, mlir::DenseElementsAttr::get(magnitudesType(b), llvm::APInt::getAllOnes(16)));
}

/// The lesser one of `least` and the magnitudes of a vector of words, lane by lane.
Value ProductEmitter::lesserMagnitudes(Value words, Value least) {
  mlir::VectorType type = magnitudesType(b);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(
        b, mlir::DenseElementsAttr::get(type, llvm::APInt(16, uint64_t(value))));
  };
  Value bits = vector::BitCastOp::create(b, type, words);
  bits = arith::AndIOp::create(b, bits, number(kBf16Magnitude));
  bits = arith::SubIOp::create(b, bits, number(1)); // a zero is the greatest
  return arith::MinUIOp::create(b, bits, least);
}

/// The exponent of the least magnitude, as it is stored; 512 if all are zeros.
Value ProductEmitter::leastExponent(Value magnitude) {
  if (mlir::isa<mlir::VectorType>(magnitude.getType()))
    magnitude = vector::ReductionOp::create(b, vector::CombiningKind::MINUI, magnitude);
  Value number = arith::IndexCastUIOp::create(b, b.getIndexType(), magnitude);
  number = arith::AddIOp::create(b, number, stack->constant(1));
  return arith::ShRUIOp::create(b, number, stack->constant(7));
}

/// The exponent of the least magnitude among the thread's rows of the left operand.
Value ProductEmitter::leastOfRows() {
  Value zero = stack->constant(0), one = stack->constant(1);
  Value rows =
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, threadPart.upper, threadPart.lower), zero);
  Value terms = stack->value(nest.extents[size_t(shape.sums[0])]);
  Value rowStep = halvesOf(memory.leftRowStride), sumStep = halvesOf(memory.leftSumStride);
  Value first = arith::AddIOp::create(b, memory.leftSource,
                                      arith::MulIOp::create(b, threadPart.lower, rowStep));
  Value count = shape.isLeftPlain ? terms : rows, step = shape.isLeftPlain ? rowStep : sumStep;
  stack->dropAnchor();
  auto lines = stack->open(zero, shape.isLeftPlain ? rows : terms, one, greatestMagnitudes());
  Value line =
      arith::AddIOp::create(b, first, arith::MulIOp::create(b, lines.getInductionVar(), step));
  const int64_t halves = kCacheLine / kHalfBytes;
  Value least = lines.getRegionIterArgs().front();
  Value whole = floorToMultiple(count, kVectorsAtOnce * halves);
  for (bool isRest : {false, true}) {
    int numVectors = isRest ? 1 : kVectorsAtOnce;
    auto loop = stack->open(isRest ? whole : zero, isRest ? count : whole,
                            stack->constant(numVectors * halves), least);
    least = loop.getRegionIterArgs().front();
    Value at = loop.getInductionVar(), address = arith::AddIOp::create(b, line, halvesOf(at));
    for (int v = 0; v < numVectors; ++v) {
      Value place = stack->value(stack->add(address, b.getIndexAttr(v * kCacheLine)));
      Value bits = isRest ? wordsAt(place, arith::SubIOp::create(b, count, at), int(halves / 2))
                          : loadAt(place, magnitudesType(b), nullptr);
      least = lesserMagnitudes(bits, least);
    }
    stack->close(least);
    least = loop.getResult(0);
  }
  stack->close(least);
  stack->dropAnchor();
  return leastExponent(lines.getResult(0));
}

/// Whether products of pairs are made at once, being exactly those of fma, beside the panels that
/// were copied, whose magnitudes are `least`, or those that are kept.
Value ProductEmitter::arePairsExact() {
  Value rightExponent = leastExponent(copies.leastRight);
  if (memory.keptPanels) {
    Value are = isKept(memory.keptPanels);
    Value head = arith::SubIOp::create(b, memory.keptPanels, stack->constant(kKeptHeadBytes));
    Value other = addressOf(onStack(b.getI16Type(), kCacheLine)); // something that may be read
    head = arith::SelectOp::create(b, are, head, other);
    Value kept = leastExponent(loadAt(head, b.getI16Type(), nullptr));
    rightExponent = arith::SelectOp::create(b, are, kept, rightExponent);
  }
  auto isAtLeast = [&](Value number, int64_t bound) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, number, stack->constant(bound));
  };
  Value both = arith::AndIOp::create(b, isAtLeast(leftExponent, 1), isAtLeast(rightExponent, 1));
  // 2^(x - 127 - 7) times 2^(y - 127 - 7) is at least 2^-126.
  Value sum = arith::AddIOp::create(b, leftExponent, rightExponent);
  both = arith::AndIOp::create(b, both, isAtLeast(sum, 2 * (127 + 7) - 126));
  if (shape.inTileRegisters) // sums of fewer have no zeros behind them
    both = arith::AndIOp::create(b, both, isAtLeast(stack->value(shape.length), kGroupsAtOnce));
  return both;
}

//===--- words --------------------------------------------------------------===//

Value ProductEmitter::halvesOf(Size elements) {
  return stack->value(stack->multiply(elements, b.getIndexAttr(kHalfBytes)));
}

static Value countMask(mlir::ImplicitLocOpBuilder &b, Value count, int64_t lanes) {
  return vector::CreateMaskOp::create(b, mlir::VectorType::get({lanes}, b.getI1Type()), count);
}

/// Words of elements that stand together, of which there are `count` more; zeros behind them.
Value ProductEmitter::wordsAt(Value address, Value count, int words) {
  auto halves = mlir::VectorType::get({2 * int64_t(words)}, b.getI16Type());
  Value loaded = loadAt(address, halves, countMask(b, count, 2 * words));
  return vector::BitCastOp::create(b, mlir::VectorType::get({int64_t(words)}, b.getI32Type()),
                                   loaded);
}

void ProductEmitter::storeVector(Value address, Value words) {
  int64_t bytes = memoryBytes(mlir::getElementTypeOrSelf(words.getType()));
  LLVM::StoreOp::create(b, words, pointerTo(address), unsigned(bytes));
}

/// Words of two lines `step` bytes apart; of the first `lines` of them, and zeros.
Value ProductEmitter::wordsOfLines(Value address, Value step, int lines, Value mask) {
  int64_t lanes = mlir::cast<mlir::VectorType>(mask.getType()).getNumElements();
  auto words = mlir::VectorType::get({lanes}, b.getI32Type());
  if (lines == 0)
    return arith::ConstantOp::create(b, b.getZeroAttr(words));
  return wordsOfLines(address, step, mask, lines == 1 ? Value() : mask);
}

/// The same of the lanes that `low` has of the first line, and `high` of the second; null: none.
Value ProductEmitter::wordsOfLines(Value address, Value step, Value lowMask, Value highMask) {
  int64_t lanes = mlir::cast<mlir::VectorType>(lowMask.getType()).getNumElements();
  auto halves = mlir::VectorType::get({lanes}, b.getI16Type());
  auto words = mlir::VectorType::get({lanes}, b.getI32Type());
  Value low = arith::ExtUIOp::create(b, words, loadAt(address, halves, lowMask));
  if (!highMask)
    return low;
  Value second = arith::AddIOp::create(b, address, step);
  Value high = arith::ExtUIOp::create(b, words, loadAt(second, halves, highMask));
  Value shift =
      arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(words, llvm::APInt(32, 16)));
  return arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, shift));
}

/// Calls make(pair, address of its first element, its elements, least) for each pair of
/// [lower, upper) of lines that are `step` bytes apart; it gives the next `least`. The last one is
/// the result. Pairs behind the last one (of tile registers) have no elements.
Value ProductEmitter::overPairsOfLines(Value address, Value step, Value lower, Value upper,
                                       Value least,
                                       llvm::function_ref<Value(Value, Value, int, Value)> make) {
  Value one = stack->constant(1), terms = stack->value(nest.extents[size_t(shape.sums[0])]);
  for (int elements : {2, 1, 0}) {
    if (elements == 0 && !shape.inTileRegisters)
      continue;
    // Pairs of at least so many elements are those before (terms + 2 - elements) / 2.
    Value end = upper;
    if (elements == 2 || (elements == 1 && shape.inTileRegisters)) {
      Value more = arith::AddIOp::create(b, terms, stack->constant(2 - elements));
      end = arith::MinSIOp::create(b, upper, arith::ShRUIOp::create(b, more, one));
    }
    auto pairs = stack->open(lower, end, one, least);
    Value pair = pairs.getInductionVar(), term = arith::ShLIOp::create(b, pair, one);
    Value place = arith::AddIOp::create(b, address, arith::MulIOp::create(b, term, step));
    stack->close(make(pair, place, elements, pairs.getRegionIterArgs().front()));
    least = pairs.getResult(0);
    lower = arith::MaxSIOp::create(b, lower, end);
  }
  return least;
}

//===--- copies -------------------------------------------------------------===//

/// Copies panels of the columns [first, upper); the result is the least magnitudes.
Value ProductEmitter::packPairPanels(Value first, Value upper) {
  const bool isTransposed = !isDense(nest, shape.right, shape.columnLoop);
  int64_t width = shape.width();
  Value length = stack->value(shape.length), zero = stack->constant(0);
  Value columnStep = halvesOf(strideAlong(nest, shape.right, shape.columnLoop));
  Value sumStep = halvesOf(strideAlong(nest, shape.right, shape.sums[0]));
  auto wordsBytes = [&](Value words) {
    return arith::MulIOp::create(b, words, stack->constant(kWordBytes)).getResult();
  };
  // A few lines at a time in all panels, so that memory is read by long runs.
  Value atOnce = isTransposed ? Value(arith::MaxSIOp::create(b, length, stack->constant(1)))
                              : stack->constant(kCopiedPairs);
  stack->dropAnchor();
  auto blocks = stack->open(zero, length, atOnce, greatestMagnitudes());
  Value begin = blocks.getInductionVar();
  Value end = arith::MinSIOp::create(b, arith::AddIOp::create(b, begin, atOnce), length);
  auto panels =
      stack->open(first, upper, stack->constant(width), blocks.getRegionIterArgs().front());
  Value column = panels.getInductionVar(), least = panels.getRegionIterArgs().front();
  Value distance =
      arith::MulIOp::create(b, arith::SubIOp::create(b, column, first), stack->value(shape.room));
  Value start = arith::AddIOp::create(b, memory.packedAddress, wordsBytes(distance));
  auto placeOf = [&](Value pair, int64_t vector) {
    Value words = arith::MulIOp::create(b, pair, stack->constant(width));
    words = arith::AddIOp::create(b, words, stack->constant(vector * shape.lanes));
    return arith::AddIOp::create(b, start, wordsBytes(words)).getResult();
  };
  llvm::SmallVector<Value> columns = {column};
  for (int v = 1; v < shape.vectors; ++v)
    columns.push_back(arith::AddIOp::create(b, column, stack->constant(int64_t(v) * shape.lanes)));
  if (isTransposed) {
    for (auto [v, vector] : llvm::enumerate(columns))
      least = packPairsTransposed(vector, upper, columnStep, least,
                                  [&](Value pair) { return placeOf(pair, int64_t(v)); });
  } else {
    auto masks = llvm::map_to_vector(columns, [&](Value vector) {
      return countMask(b, arith::SubIOp::create(b, upper, vector), shape.lanes);
    });
    Value source = arith::AddIOp::create(b, memory.rightSource, halvesOf(column));
    least = overPairsOfLines(
        source, sumStep, begin, end, least, [&](Value pair, Value place, int elements, Value seen) {
          for (auto [v, mask] : llvm::enumerate(masks)) {
            Value at = arith::AddIOp::create(
                b, place, stack->constant(int64_t(v) * shape.lanes * kHalfBytes));
            Value words = wordsOfLines(at, sumStep, elements, mask);
            seen = lesserMagnitudes(words, seen);
            storeVector(placeOf(pair, int64_t(v)), words);
          }
          return seen;
        });
  }
  stack->close(least);
  stack->close(panels.getResult(0));
  stack->dropAnchor();
  return blocks.getResult(0);
}

/// A vector's columns from `column` on, whose elements stand together. Columns from `upper` on
/// repeat the last one; what is computed of them is not stored. Behind the last pair there may be
/// up to three vectors more, in room for that, or where the next panel will be.
Value ProductEmitter::packPairsTransposed(Value column, Value upper, Value columnStep, Value least,
                                          llvm::function_ref<Value(Value)> placeOf) {
  Value terms = stack->value(nest.extents[size_t(shape.sums[0])]);
  Value last = arith::AddIOp::create(b, upper, stack->constant(-1));
  llvm::SmallVector<Value, 16> starts;
  for (int lane = 0; lane < shape.lanes; ++lane) {
    Value index = arith::AddIOp::create(b, column, stack->constant(lane));
    index = arith::MinSIOp::create(b, index, last);
    starts.push_back(
        arith::AddIOp::create(b, memory.rightSource, arith::MulIOp::create(b, index, columnStep)));
  }
  auto pairs = stack->open(stack->constant(0), stack->value(shape.length),
                           stack->constant(kPairsAtOnce), least);
  least = pairs.getRegionIterArgs().front();
  Value pair = pairs.getInductionVar(), term = arith::ShLIOp::create(b, pair, stack->constant(1));
  Value count = arith::SubIOp::create(b, terms, term), distance = halvesOf(term);
  llvm::SmallVector<Value, 16> lines;
  for (Value start : starts)
    lines.push_back(wordsAt(arith::AddIOp::create(b, start, distance), count, kPairsAtOnce));
  for (auto [i, words] : llvm::enumerate(transposeSquares(lines, kPairsAtOnce))) {
    least = lesserMagnitudes(words, least);
    storeVector(placeOf(arith::AddIOp::create(b, pair, stack->constant(int64_t(i)))), words);
  }
  stack->close(least);
  return pairs.getResult(0);
}

/// Copies rows [first, end) of the left operand as packLeft does, in words, of which there are
/// `stride` from one row to the next, or to the next pair of each row. Whole vectors are stored,
/// the last one of a line also behind it, where the next line will be, or in room that there is.
void ProductEmitter::packPairRows(Value first, Value end) {
  Value zero = stack->constant(0), one = stack->constant(1), lanes = stack->constant(shape.lanes);
  Value length = stack->value(shape.length);
  Value terms = stack->value(nest.extents[size_t(shape.sums[0])]);
  auto placeOf = [&](Value line, Value word) {
    Value words = arith::AddIOp::create(b, arith::MulIOp::create(b, line, copies.rowStride), word);
    return arith::AddIOp::create(b, memory.copiedAddress,
                                 arith::MulIOp::create(b, words, stack->constant(kWordBytes)))
        .getResult();
  };
  stack->dropAnchor();
  if (shape.isLeftPlain) {
    Value rowStep = halvesOf(memory.leftRowStride);
    auto rows = stack->open(first, end, one);
    Value row = rows.getInductionVar();
    Value line =
        arith::AddIOp::create(b, memory.leftSource, arith::MulIOp::create(b, row, rowStep));
    Value number = arith::SubIOp::create(b, row, first);
    auto words = stack->open(zero, length, lanes);
    Value word = words.getInductionVar(), term = arith::ShLIOp::create(b, word, one);
    storeVector(placeOf(number, word), wordsAt(arith::AddIOp::create(b, line, halvesOf(term)),
                                               arith::SubIOp::create(b, terms, term), shape.lanes));
    stack->close();
    stack->close();
  } else if (shape.inTileRegisters) {
    packPairsAcross(first, end);
  } else {
    Value sumStep = halvesOf(memory.leftSumStride);
    Value upper = arith::SelectOp::create(
        b, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end), length, zero);
    overPairsOfLines(memory.leftSource, sumStep, zero, upper, zero,
                     [&](Value pair, Value place, int elements, Value carried) {
                       auto rows = stack->open(first, end, lanes);
                       Value row = rows.getInductionVar();
                       Value mask = countMask(b, arith::SubIOp::create(b, end, row), shape.lanes);
                       Value at = arith::AddIOp::create(b, place, halvesOf(row));
                       storeVector(placeOf(pair, arith::SubIOp::create(b, row, first)),
                                   wordsOfLines(at, sumStep, elements, mask));
                       stack->close();
                       return carried;
                     });
  }
  stack->dropAnchor();
}

//===--- products -----------------------------------------------------------===//

/// sum plus the products of two vectors of pairs.
Value ProductEmitter::addPairs(Value x, Value y, Value sum) {
  auto pairs = mlir::VectorType::get(
      {2 * mlir::cast<mlir::VectorType>(x.getType()).getNumElements()}, b.getBF16Type());
  return LLVM::CallIntrinsicOp::create(b, sum.getType(),
                                       b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                                       mlir::ValueRange{sum, vector::BitCastOp::create(b, pairs, x),
                                                        vector::BitCastOp::create(b, pairs, y)})
      .getResult(0);
}

/// The elements of pairs as float32, in the order in which their products are added.
std::array<Value, 2> ProductEmitter::splitPairs(Value words) {
  auto type = mlir::cast<mlir::VectorType>(words.getType());
  auto number = [&](uint64_t value) {
    return arith::ConstantOp::create(b, mlir::DenseElementsAttr::get(type, llvm::APInt(32, value)));
  };
  auto floats = mlir::VectorType::get(type.getShape(), b.getF32Type());
  Value high = arith::AndIOp::create(b, words, number(0xffff0000));
  Value low = arith::ShLIOp::create(b, words, number(16));
  return {vector::BitCastOp::create(b, floats, high), vector::BitCastOp::create(b, floats, low)};
}

} // namespace graphc
