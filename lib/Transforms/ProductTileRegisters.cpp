//===- Transforms/ProductTileRegisters.cpp - products of bfloat16 with AMX -===//
//
// Where the processor has AMX, whose registers are tiles of 16 rows of 16 words, before and after:
//
//   for tiles of 14 rows {                   for tiles of up to 32 rows {
//     sums:14*2 = for pairs of k {             the two or one rows of registers are set up
//       two vectors of words of a panel        for 16 pairs of k {
//       14 words of rows, broadcast              two registers of a panel, two of rows
//       28 vdpbf16ps                             four tdpbf16ps
//     }                                        }
//     what follows them; stores                the sums are stored to the stack
//   }                                          for four rows of them { what follows them; stores }
//                                            }
//
// Panels and rows are the words that ProductPairs.cpp tells of; where pairs are not a multiple of
// 16, both are copied with zeros behind them. All panels are whole: columns behind the last one are
// computed, and not stored.
//
// An instruction sums the products of elements 2 p of 16 pairs in the order of p, and apart those
// of 2 p + 1, each rounded as fma does; it adds both sums, and what comes of it to the sum that
// there is. Here, too, subnormal numbers are zeros, and tiles of few rows that do without the
// instruction take over where there may be some, in the same order. So they do for fewer than 16
// pairs. Intel's Software Developer's Manual, volume 2, TDPBF16PS.
//
// A thread's registers are set up by its first tile, again for tiles of another height, and left
// released. A process has to ask Linux for their use before (Runtime/CpuIdentity.cpp).
// docs/design/41-tile-registers.md.
//
//===----------------------------------------------------------------------===//
#include "Support/CopiedOperands.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
namespace LLVM = mlir::LLVM;
using mlir::Value;

/// Of a register: rows, and bytes of a row, which are as many words as rows.
static constexpr int64_t kTileRows = 16, kTileBytes = 64, kWordBytes = 4;
/// Rows of a tile, which are two registers.
static constexpr int64_t kRows = 2 * kTileRows;
/// Rows that are stored at a time.
static constexpr int kStoredRows = 4;
/// Words of a row that are transposed in registers at a time.
static constexpr int kPairsAtOnce = 4;

/// Registers: sums by rows and columns, then what is multiplied.
static constexpr int kSums = 0, kLeft = 4, kRight = 6;
/// The memory of LDTILECFG: the number of a format, at 16 the bytes of each register's rows, in two
/// bytes each, at 48 the numbers of rows.
static constexpr int64_t kConfigurationBytes = 64, kWidthsAt = 16, kHeightsAt = 48;

/// A number each of whose parts of `bits` is `value`, by part of `parts`.
static int64_t inParts(std::initializer_list<int> parts, int bits, int64_t value) {
  int64_t number = 0;
  for (int part : parts)
    number |= value << (part * bits);
  return number;
}

void ProductEmitter::setTileRegisters() {
  shape.inTileRegisters = true;
  shape.length = shape.room;
  shape.rows = {int(kRows)};
  shape.middleRows = 0;
  shape.hasTallTiles = false;
}

/// Memory of the stack, set up as far as it is the same for all tiles.
void ProductEmitter::placeTileRegisters() {
  memory.tileSums = addressOf(onStack(shape.element, kRows * shape.vectors * kTileBytes));
  memory.tileConfiguration = addressOf(onStack(b.getI64Type(), kConfigurationBytes));
  for (int64_t at = 0; at < kConfigurationBytes; at += 8) {
    const bool isWidth = at == kWidthsAt || at == kWidthsAt + 8;
    int64_t number = isWidth ? inParts({0, 1, 2, 3}, 16, kTileBytes) : at == 0;
    Value place = stack->value(stack->add(memory.tileConfiguration, b.getIndexAttr(at)));
    storeAt(place, arith::ConstantOp::create(b, b.getI64IntegerAttr(number)));
  }
}

/// An instruction on registers, which are numbers, and memory.
void ProductEmitter::tileInstruction(llvm::StringRef name, mlir::ValueRange operands) {
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86." + name), operands);
}

void ProductEmitter::releaseTileRegisters() { tileInstruction("tilerelease", {}); }

/// The sums of `count` rows from `first` on go to the stack.
void ProductEmitter::multiplyTile(Value first, Value count) {
  mlir::OpBuilder::InsertionGuard guard(b);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI8IntegerAttr(int8_t(value)));
  };
  auto inBits = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, predicate, x, y);
  };
  auto inBranch = [&](Value condition, llvm::function_ref<void()> make) {
    auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard here(b);
    b.setInsertionPointToStart(branch.thenBlock());
    make();
  };
  const int64_t width = shape.vectors * kTileBytes;
  Value half = stack->constant(kTileRows), one = stack->constant(1);

  // The heights: a register has one row at least.
  Value upper = arith::MinSIOp::create(b, count, half);
  Value lower = arith::MaxSIOp::create(b, arith::SubIOp::create(b, count, half), one);
  Value heights = arith::OrIOp::create(
      b, times(upper, stack->constant(inParts({kSums, kSums + 1, kLeft}, 8, 1))),
      times(lower, stack->constant(inParts({kSums + 2, kSums + 3, kLeft + 1}, 8, 1))));
  heights = inBits(arith::OrIOp::create(
      b, heights, stack->constant(inParts({kRight, kRight + 1}, 8, kTileRows))));
  Value place = stack->value(stack->add(memory.tileConfiguration, b.getIndexAttr(kHeightsAt)));
  Value before = loadAt(place, b.getI64Type(), nullptr);
  inBranch(compare(arith::CmpIPredicate::ne, before, heights), [&] {
    storeAt(place, heights);
    tileInstruction("ldtilecfg", pointerTo(memory.tileConfiguration));
  });

  Value rowStep = stack->value(panel.rowStep), rowStride = inBits(rowStep);
  Value panelStride = inBits(stack->constant(width));
  std::array<Value, 2> rows;
  rows[0] =
      plus(panel.leftAddress, times(arith::SubIOp::create(b, first, panel.firstRow), rowStep));
  rows[1] = plus(rows[0], times(rowStep, half));
  Value hasRows = compare(arith::CmpIPredicate::sgt, count, half), hasColumns;
  if (shape.vectors > 1)
    hasColumns = compare(arith::CmpIPredicate::sgt,
                         arith::SubIOp::create(b, panel.endColumn, panel.firstColumn), half);
  auto registerOf = [](int row, int column) { return kSums + 2 * row + column; };
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < shape.vectors; ++column)
      tileInstruction("tilezero", number(registerOf(row, column)));
  auto multiply = [&](int row, int column) {
    tileInstruction("tdpbf16ps", {number(registerOf(row, column)), number(kLeft + row),
                                  number(kRight + column)});
  };
  auto load = [&](int to, Value from, Value stride) {
    tileInstruction("tileloadd64", {number(to), pointerTo(from), stride});
  };
  auto pairs = stack->open(stack->constant(0), stack->value(shape.length), half);
  Value word = pairs.getInductionVar();
  Value distance = times(word, stack->constant(kWordBytes));
  Value right = plus(panel.address, times(word, stack->constant(width)));
  load(kLeft, plus(rows[0], distance), rowStride);
  load(kRight, right, panelStride);
  multiply(0, 0);
  inBranch(hasRows, [&] {
    load(kLeft + 1, plus(rows[1], distance), rowStride);
    multiply(1, 0);
  });
  if (hasColumns)
    inBranch(hasColumns, [&] {
      load(kRight + 1, plus(right, stack->constant(kTileBytes)), panelStride);
      multiply(0, 1);
      inBranch(hasRows, [&] { multiply(1, 1); });
    });
  stack->close();
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < shape.vectors; ++column) {
      int64_t at = row * kTileRows * width + column * kTileBytes;
      Value to = stack->value(stack->add(memory.tileSums, b.getIndexAttr(at)));
      tileInstruction("tilestored64",
                      {number(registerOf(row, column)), pointerTo(to), panelStride});
    }
}

/// The block of rows beside one panel, and what follows.
void ProductEmitter::emitTileRegisters() {
  stack->dropAnchor();
  auto tiles = stack->open(firstRow, endRow, stack->constant(kRows));
  Value first = tiles.getInductionVar();
  Value count =
      arith::MinSIOp::create(b, arith::SubIOp::create(b, endRow, first), stack->constant(kRows));
  multiplyTile(first, count);
  stack->dropAnchor();
  auto groups = stack->open(stack->constant(0), count, stack->constant(kStoredRows));
  Value last = arith::AddIOp::create(b, count, stack->constant(-1));
  llvm::SmallVector<Value> numbers = rowsFrom(groups.getInductionVar(), kStoredRows, last);
  setRows(llvm::map_to_vector(
      numbers, [&](Value number) -> Value { return arith::AddIOp::create(b, first, number); }));
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  llvm::SmallVector<Value> sums;
  for (Value number : numbers) {
    Value place = arith::MulIOp::create(b, number, stack->constant(shape.vectors * kTileBytes));
    place = arith::AddIOp::create(b, memory.tileSums, place);
    for (int v = 0; v < shape.vectors; ++v)
      sums.push_back(
          loadAt(stack->value(stack->add(place, b.getIndexAttr(v * kTileBytes))), type, nullptr));
  }
  keepNests(pass, sums);
  stack->close();
  stack->close();
}

/// The sums of the tile whose rows and columns are set up, of pairs that are taken apart, in the
/// order of the instruction.
llvm::SmallVector<Value> ProductEmitter::sumSplitTile() {
  const int rows = body->rows, vectors = body->vectors;
  auto type = mlir::VectorType::get({shape.lanes}, shape.element);
  auto words = mlir::VectorType::get({shape.lanes}, b.getI32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value rowStep = stack->value(panel.rowStep), length = stack->value(shape.length);
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  llvm::SmallVector<Value> starts;
  for (Value row : body->loops[size_t(shape.rowLoop)].index)
    starts.push_back(
        plus(panel.leftAddress, times(arith::SubIOp::create(b, row, panel.firstRow), rowStep)));
  const auto numSums = size_t(rows) * size_t(vectors);
  auto blocks = stack->open(stack->constant(0), length, stack->constant(kGroupsAtOnce),
                            llvm::SmallVector<Value>(numSums, zero));
  Value begin = blocks.getInductionVar();
  Value end = arith::MinSIOp::create(b, plus(begin, stack->constant(kGroupsAtOnce)), length);
  auto pairs =
      stack->open(begin, end, stack->constant(1), llvm::SmallVector<Value>(2 * numSums, zero));
  Value pair = pairs.getInductionVar();
  // By row, vector and element of a pair.
  llvm::SmallVector<Value> parts(pairs.getRegionIterArgs());
  Value right = plus(panel.address, times(pair, panel.step));
  llvm::SmallVector<std::array<Value, 2>> columns;
  for (int v = 0; v < vectors; ++v)
    columns.push_back(
        splitPairs(loadAt(plus(right, stack->constant(v * kTileBytes)), words, nullptr)));
  for (int i = 0; i < rows; ++i) {
    Value place = plus(starts[size_t(i)], times(pair, stack->constant(kWordBytes)));
    // Pairs are read where they lie, which may be in between two words.
    Value word = LLVM::LoadOp::create(b, b.getI32Type(), pointerTo(place), kWordBytes / 2);
    std::array<Value, 2> factors = splitPairs(vector::BroadcastOp::create(b, words, word));
    for (int v = 0; v < vectors; ++v)
      for (size_t element = 0; element < 2; ++element) {
        Value &sum = parts[2 * (size_t(i) * size_t(vectors) + size_t(v)) + element];
        sum = addProduct(factors[element], columns[size_t(v)][element], sum);
      }
  }
  stack->close(parts);
  llvm::SmallVector<Value> sums;
  for (size_t i = 0; i < numSums; ++i) {
    Value both = arith::AddFOp::create(b, pairs.getResult(unsigned(2 * i)),
                                       pairs.getResult(unsigned(2 * i + 1)));
    sums.push_back(arith::AddFOp::create(b, blocks.getRegionIterArgs()[i], both));
  }
  stack->close(sums);
  stack->dropAnchor(); // what follows uses the sums
  return llvm::SmallVector<Value>(blocks.getResults());
}

/// Copies rows [first, end) of a left operand whose rows stand together, row after row.
void ProductEmitter::packPairsAcross(Value first, Value end) {
  auto plus = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, x, y); };
  auto maskOf = [&](Value count) -> Value {
    return vector::CreateMaskOp::create(b, mlir::VectorType::get({shape.lanes}, b.getI1Type()),
                                        count);
  };
  Value zero = stack->constant(0), one = stack->constant(1);
  Value terms = stack->value(nest.extents[size_t(shape.sums[0])]);
  Value sumStep = halvesOf(memory.leftSumStride);
  auto rows = stack->open(first, end, stack->constant(shape.lanes));
  Value row = rows.getInductionVar();
  Value count = arith::SubIOp::create(b, end, row);
  Value source = plus(memory.leftSource, halvesOf(row));
  // From the last ones to the first: of fewer than kPairsAtOnce, zeros are stored behind the row,
  // where others then put the next one.
  Value length = stack->value(shape.length);
  Value last =
      arith::AndIOp::create(b, plus(length, stack->constant(-1)), stack->constant(-kPairsAtOnce));
  auto pairs = stack->open(zero, length, stack->constant(kPairsAtOnce));
  Value pair = arith::SubIOp::create(b, last, pairs.getInductionVar());
  llvm::SmallVector<Value, kPairsAtOnce> squares;
  for (int i = 0; i < kPairsAtOnce; ++i) {
    Value term = arith::ShLIOp::create(b, plus(pair, stack->constant(i)), one);
    auto lanesAt = [&](Value place) {
      Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place, terms);
      return maskOf(arith::SelectOp::create(b, isOne, count, zero));
    };
    squares.push_back(wordsOfLines(plus(source, times(term, sumStep)), sumStep, lanesAt(term),
                                   lanesAt(plus(term, one))));
  }
  transposeInSquares(squares);
  Value to = plus(times(arith::SubIOp::create(b, row, first), copies.rowStride), pair);
  for (int lane = 0; lane < shape.lanes; ++lane) {
    int64_t begin = lane / kPairsAtOnce * kPairsAtOnce;
    auto lanes = llvm::to_vector(llvm::seq<int64_t>(begin, begin + kPairsAtOnce));
    Value square = squares[size_t(lane % kPairsAtOnce)];
    Value words = vector::ShuffleOp::create(b, square, square, lanes);
    Value place = plus(to, times(copies.rowStride, stack->constant(lane)));
    storeVector(plus(memory.copiedAddress, times(place, stack->constant(kWordBytes))), words);
  }
  stack->close();
  stack->close();
}

} // namespace graphc
