//===- Transforms/Squares.cpp - transposed operands in registers ----------===//
//
// y[i, j] = g(x[j, i], ...) with vectors along j loads neighbours of x along i. As many lines of x
// as a vector has lanes, a vector of each, are a square; its columns are the vectors that the body
// wants for as many i:
//
//   for %block = %lower to %upper step 16 {           Streams.cpp
//     for %j step lanes {
//       for %i in the block, step lanes {
//         %lines:lanes = vector.load x[j + 0 .. j + lanes - 1, i]
//         %columns:lanes = vector.shuffle ...         lanes * log2(lanes) of them
//         g(%columns), stored, for i + 0 .. i + lanes - 1
//
// A line of the cache is read once and written once, where a gather of each vector reads it 16
// times, by which time it may be forgotten: lines that a power of two divides fall into few sets.
//
// The shuffles are those that processors have without a table: of neighbours within 128 bits, by 1,
// 2, ... elements, then of whole 128 bits.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

using Values = llvm::SmallVector<Value>;

/// Blocks of `size` elements of a and b in turn, from one half of each group of `group` elements.
static Value interleaveHalves(mlir::ImplicitLocOpBuilder &b, Value one, Value other, int lanes,
                              int group, int size, int half) {
  llvm::SmallVector<int64_t> from;
  for (int begin = half * group / 2; begin < lanes; begin += group)
    for (int block = begin; block < begin + group / 2; block += size)
      for (int of : {0, lanes})
        for (int i = 0; i < size; ++i)
          from.push_back(of + block + i);
  return vector::ShuffleOp::create(b, one, other, from);
}

/// Every second group of one vector, then of the other, from the first or the second one on.
static Value everySecond(mlir::ImplicitLocOpBuilder &b, Value one, Value other, int lanes,
                         int group, int first) {
  llvm::SmallVector<int64_t> from;
  for (int of : {0, lanes})
    for (int begin = first * group; begin < lanes; begin += 2 * group)
      for (int i = 0; i < group; ++i)
        from.push_back(of + begin + i);
  return vector::ShuffleOp::create(b, one, other, from);
}

/// Groups as a square of groups: result l has group l of each vector.
static Values transposeGroups(mlir::ImplicitLocOpBuilder &b, const Values &vectors, int lanes,
                              int group) {
  if (vectors.size() == 1)
    return vectors;
  Values halves[2];
  for (int first : {0, 1}) {
    for (size_t i = 0; i < vectors.size(); i += 2)
      halves[first].push_back(everySecond(b, vectors[i], vectors[i + 1], lanes, group, first));
    halves[first] = transposeGroups(b, halves[first], lanes, group);
  }
  Values result;
  for (size_t i = 0; i < halves[0].size(); ++i)
    result.append({halves[0][i], halves[1][i]});
  return result;
}

/// The columns of a square of lines.
static Values transposeSquare(mlir::ImplicitLocOpBuilder &b, const Values &lines) {
  const int lanes = int(lines.size());
  auto type = mlir::cast<mlir::VectorType>(lines[0].getType());
  const int group = std::min<int>(lanes, 128 / int(type.getElementTypeBitWidth()));
  // sets[q][k]: of the q-th `size` lines, the k-th part of each group's columns.
  std::vector<Values> sets;
  for (Value line : lines)
    sets.push_back({line});
  for (int size = 1; size < group; size *= 2) {
    for (size_t q = 0; q < sets.size() / 2; ++q) {
      Values both;
      for (auto [one, other] : llvm::zip(sets[2 * q], sets[2 * q + 1]))
        for (int half : {0, 1})
          both.push_back(interleaveHalves(b, one, other, lanes, group, size, half));
      sets[q] = both;
    }
    sets.resize(sets.size() / 2);
  }
  Values result(lines.size());
  for (int k = 0; k < group; ++k) {
    Values ofColumn;
    for (const Values &set : sets)
      ofColumn.push_back(set[size_t(k)]);
    for (auto [l, column] : llvm::enumerate(transposeGroups(b, ofColumn, lanes, group)))
      result[l * size_t(group) + size_t(k)] = column;
  }
  return result;
}

/// Whether an operand's neighbours are along the rows of the squares, and nothing else is.
bool BodyEmitter::isSquare(const KernelNest &nest, int operand) const {
  int array = nest.inputs[size_t(operand)];
  if (!squares || crossedLoop(nest, operand, squares->vectorLoop) != squares->rowLoop ||
      constantSize(memory[size_t(array)].strides.back()) != 1)
    return false;
  mlir::AffineMap map = operandAccess(nest, operand).map;
  return llvm::none_of(map.getResults().drop_back(), [&](mlir::AffineExpr index) {
    return index.isFunctionOfDim(unsigned(squares->rowLoop));
  });
}

/// The vectors of all rows of such an operand: the columns of a square that is loaded by lines.
llvm::SmallVector<Value> BodyEmitter::loadSquare(const KernelNest &nest, int operand) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  MemoryAccess access = operandAccess(nest, operand);
  mlir::Type element = kernel.arrays[size_t(access.array)].element;
  Value buffer = memory[size_t(access.array)].buffer;
  Address at = address(access, 0, 0);
  Value place = at.base, step = stack.value(at.factor);
  Values lines;
  for (int line = 0; line < lanes; ++line) {
    if (line && squares->lastLine) {
      Value number = arith::MinSIOp::create(b, stack.constant(line), squares->lastLine);
      place = arith::AddIOp::create(b, at.base, arith::MulIOp::create(b, number, step));
    } else if (line) {
      place = arith::AddIOp::create(b, place, step);
    }
    lines.push_back(vector::LoadOp::create(b, vectorOf(memoryType(element)), buffer, place));
  }
  Values columns = transposeSquare(b, lines);
  for (Value &column : columns)
    column = fromMemory(b, column, element);
  return columns;
}

/// Whole squares from `begin` on, of vectors at `index`; returns where they end. With a mask of the
/// first lanes there are so many lines only: the last one stands for the others.
Value KernelEmitter::emitSquares(const Pass &pass, int vectorLoop, int crossed, Value index,
                                 Value begin, Value end, Value mask) {
  Value count = arith::SubIOp::create(b, end, begin);
  Value last = arith::AddIOp::create(b, begin, floorToMultiple(count, body->lanes));
  auto loop = stack->open(begin, last, stack->constant(body->lanes));
  LoopVariable &columns = body->loops[size_t(vectorLoop)];
  columns = {};
  columns.level = stack->depth();
  columns.isVector = true;
  columns.index = {index};
  LoopVariable &rows = body->loops[size_t(crossed)];
  rows = {};
  rows.level = stack->depth();
  rows.rowSet = kMajorRows;
  for (int row = 0; row < body->lanes; ++row)
    rows.index.push_back(
        row ? Value(arith::AddIOp::create(b, loop.getInductionVar(), stack->constant(row)))
            : loop.getInductionVar());
  body->rows = body->lanes;
  body->vectors = 1;
  body->masks.clear();
  body->squares = SquareLoops{vectorLoop, crossed, nullptr};
  if (mask) {
    body->masks.push_back(mask);
    Value numLines = mask.getDefiningOp<vector::CreateMaskOp>().getOperand(0);
    body->squares->lastLine = arith::AddIOp::create(b, numLines, stack->constant(-1));
  }
  emitBlock(pass);
  body->squares.reset();
  body->masks.clear();
  body->rows = 1;
  stack->close();
  return last;
}

} // namespace graphc
