//===- Transforms/VectorRows.cpp ------------------------------------------===//
#include "Transforms/VectorRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace vector = mlir::vector;
using mlir::Value;

using Values = llvm::SmallVector<Value, 8>;

static int64_t lengthOf(Value value) {
  return mlir::cast<mlir::VectorType>(value.getType()).getDimSize(0);
}

/// Blocks of as many lanes as there are vectors, transposed: lanes that are 1, 2, ... apart change
/// places.
static void transposeBlocks(mlir::ImplicitLocOpBuilder &b, Values &vectors) {
  const auto width = int64_t(vectors.size());
  const int64_t lanes = lengthOf(vectors[0]);
  for (int64_t apart = 1; apart < width; apart *= 2)
    for (int64_t i = 0; i < width; ++i) {
      if (i & apart)
        continue;
      Value one = vectors[size_t(i)], other = vectors[size_t(i + apart)];
      for (int64_t half : {int64_t(0), apart}) {
        llvm::SmallVector<int64_t> from;
        for (int64_t lane = 0; lane < lanes; ++lane)
          from.push_back(lane & apart ? lanes + (lane - apart) + half : lane + half);
        vectors[size_t(i + half)] = vector::ShuffleOp::create(b, one, other, from);
      }
    }
}

Value VectorRows::at(LoopStack &stack, Value place) const {
  return stack.value(stack.multiply(place, stack.builder().getIndexAttr(width())));
}

Value VectorRows::load(LoopStack &stack, Value place) const {
  return vector::LoadOp::create(stack.builder(), type, memory, at(stack, place));
}

void VectorRows::store(LoopStack &stack, Value place, Value row) const {
  vector::StoreOp::create(stack.builder(), row, memory, at(stack, place));
}

Value rowOfNumbers(mlir::ImplicitLocOpBuilder &b, const VectorRows &rows,
                   llvm::ArrayRef<Value> numbers) {
  mlir::VectorType type = rows.type;
  Value row = mlir::arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [lane, number] : llvm::enumerate(numbers))
    row = vector::InsertOp::create(b, number, row, int64_t(lane));
  return row;
}

Values rowsOfVectors(mlir::ImplicitLocOpBuilder &b, const VectorRows &rows,
                     llvm::ArrayRef<Value> vectors) {
  const int64_t width = rows.width(), lanes = lengthOf(vectors[0]);
  Values blocks(vectors);
  if (size_t count = size_t(width); blocks.size() < count) {
    auto type = mlir::cast<mlir::VectorType>(vectors[0].getType());
    blocks.resize(count, mlir::arith::ConstantOp::create(b, b.getZeroAttr(type)));
  }
  transposeBlocks(b, blocks);
  Values result;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    llvm::SmallVector<int64_t> from;
    for (int64_t k = 0; k < width; ++k)
      from.push_back(lane / width * width + k);
    Value block = blocks[size_t(lane % width)];
    result.push_back(vector::ShuffleOp::create(b, block, block, from));
  }
  return result;
}

Values vectorsOfRows(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<Value> rows) {
  const auto width = size_t(lengthOf(rows[0]));
  Values vectors;
  for (size_t first = 0; first < width; ++first) {
    Values parts; // rows that become blocks of one vector, and then ever longer parts of it
    for (size_t row = first; row < rows.size(); row += width)
      parts.push_back(rows[row]);
    while (parts.size() > 1) {
      llvm::SmallVector<int64_t> both;
      for (int64_t lane = 0; lane < 2 * lengthOf(parts[0]); ++lane)
        both.push_back(lane);
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = vector::ShuffleOp::create(b, parts[2 * i], parts[2 * i + 1], both);
      parts.resize(parts.size() / 2);
    }
    vectors.push_back(parts[0]);
  }
  transposeBlocks(b, vectors);
  return vectors;
}

} // namespace graphc
