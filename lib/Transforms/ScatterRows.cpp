//===- Transforms/ScatterRows.cpp - sums at one place as one vector -------===//
//
// Several scatters to the same places (Scatter.cpp):
//
//   before                                   after
//
//   for %k: at %p = at[%k]:                  for %k: at %p = at[%k]:
//     a[%p] += v[%k]                           rows[%p, 0 to 3] += (v[%k], w[%k], u[%k], 0)
//     b[%p] += w[%k]                         for %p:
//     c[%p] += u[%k]                           a[%p], b[%p], c[%p] = rows[%p, 0 to 2]
//
// A core stores once a cycle, or twice: stores are what a loop over terms waits for, and then for
// sums that have just been stored. Each sum is joined in the same order as before. `rows` lies on
// the stack. Where places are too many for it, or more than terms, all is as before: of each loop
// that is left out the bounds are equal.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Of all rows, on the stack: half of an L1 cache, in which terms lie, too.
static constexpr int64_t kMostBytes = 16 << 10;
/// Rows are filled and read once, which takes as long as so many terms each.
static constexpr int64_t kTermsForRow = 2;

std::optional<KernelEmitter::ScatterRows>
KernelEmitter::scatterRows(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes) {
  const KernelNest &nest = *shapes[0].nest;
  const int loop = shapes[0].loop;
  if (!uses(Optimization::ScatterRows) || shapes.size() < 2 || loop != pass.outer ||
      loop != nest.numParallel - 1)
    return std::nullopt;
  mlir::Type element = kernel.arrays[size_t(nest.result)].element;
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  for (const ScatterShape &shape : shapes)
    if (kernel.arrays[size_t(shape.nest->result)].element != element ||
        !mlir::isa<arith::AddFOp>(shape.nest->join))
      return std::nullopt;
  const auto width = int64_t(llvm::PowerOf2Ceil(shapes.size()));
  const int64_t rowBytes = width * memoryBytes(element);
  if (rowBytes > target.vectorBytes) // terms of as many places are computed at a time
    return std::nullopt;
  ScatterRows rows;
  rows.type = mlir::VectorType::get({width}, element);
  rows.memory = onStack(element, kMostBytes);
  auto atMost = [&](Value number, Value limit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, number, limit);
  };
  Value places = stack->value(nest.extents[size_t(loop)]);
  rows.fit = arith::AndIOp::create(
      b, atMost(places, stack->constant(kMostBytes / rowBytes - 1)),
      atMost(stack->value(stack->multiply(places, b.getIndexAttr(kTermsForRow))),
             stack->value(nest.extents.back())));
  return rows;
}

/// Where the row of a place begins.
Value KernelEmitter::rowAt(const ScatterRows &rows, Value place) {
  return stack->value(stack->multiply(place, b.getIndexAttr(rows.type.getDimSize(0))));
}

/// A vector of terms, or of places.
int KernelEmitter::lanesOfTerms(const ScatterRows &rows) const {
  return int(target.vectorBytes / memoryBytes(rows.type.getElementType()));
}

/// One number of each sum, and 0 behind them.
Value KernelEmitter::rowOf(const ScatterRows &rows, llvm::ArrayRef<Value> numbers) {
  Value row = arith::ConstantOp::create(b, b.getZeroAttr(rows.type));
  for (auto [lane, number] : llvm::enumerate(numbers))
    row = vector::InsertOp::create(b, number, row, int64_t(lane));
  return row;
}

void KernelEmitter::startRows(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  Bounds range = bounds(*shapes[0].nest, shapes[0].loop);
  Value lower = stack->value(range.lower), upper = stack->value(range.upper);
  auto places = stack->open(lower, arith::SelectOp::create(b, rows.fit, upper, lower),
                            stack->constant(1));
  body->lanes = 1;
  setLoop(shapes[0].loop, places.getInductionVar());
  llvm::SmallVector<Value, 3> starts;
  for (const ScatterShape &shape : shapes)
    starts.push_back(startOf(shape));
  vector::StoreOp::create(b, rowOf(rows, starts), rows.memory,
                          rowAt(rows, places.getInductionVar()));
  stack->close();
  stack->dropAnchor();
}

/// Joins a term of each sum to those of a row.
void KernelEmitter::joinRow(const ScatterRows &rows, Value at, Value terms) {
  Value sums = vector::LoadOp::create(b, rows.type, rows.memory, at);
  vector::StoreOp::create(b, Value(arith::AddFOp::create(b, sums, terms)), rows.memory, at);
}

/// Blocks of as many lanes as there are vectors, transposed: lanes that are 1, 2, ... apart change
/// places.
static void transposeBlocks(mlir::ImplicitLocOpBuilder &b,
                            llvm::SmallVectorImpl<Value> &vectors) {
  const auto width = int64_t(vectors.size());
  const int64_t lanes = mlir::cast<mlir::VectorType>(vectors[0].getType()).getDimSize(0);
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

/// The rows of vectors that have a number of each row in a lane.
llvm::SmallVector<Value> KernelEmitter::rowsOf(const ScatterRows &rows,
                                               llvm::SmallVector<Value, 8> sums) {
  const int64_t width = rows.type.getDimSize(0), lanes = body->lanes;
  auto type = mlir::cast<mlir::VectorType>(sums[0].getType());
  sums.resize(size_t(width), arith::ConstantOp::create(b, b.getZeroAttr(type)));
  transposeBlocks(b, sums);
  llvm::SmallVector<Value> result;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    llvm::SmallVector<int64_t> from;
    for (int64_t k = 0; k < width; ++k)
      from.push_back(lane / width * width + k);
    Value block = sums[size_t(lane % width)];
    result.push_back(vector::ShuffleOp::create(b, block, block, from));
  }
  return result;
}

/// The other way round, from the row of `place` on.
llvm::SmallVector<Value, 8> KernelEmitter::sumsOfRows(const ScatterRows &rows, Value place) {
  const int64_t width = rows.type.getDimSize(0), lanes = body->lanes;
  Value at = rowAt(rows, place);
  llvm::SmallVector<Value, 8> sums;
  for (int64_t i = 0; i < width; ++i) {
    Value all;
    for (int64_t lane = i, filled = 0; lane < lanes; lane += width, filled += width) {
      Value row = vector::LoadOp::create(
          b, rows.type, rows.memory,
          stack->value(stack->add(at, b.getIndexAttr(lane * width))));
      if (!filled) {
        all = row;
        continue;
      }
      llvm::SmallVector<int64_t> from; // both are as long as what is filled, to begin with
      for (int64_t k = 0; k < filled + width; ++k)
        from.push_back(k);
      if (filled > width) { // shuffles want vectors of one length
        llvm::SmallVector<int64_t> longer;
        for (int64_t k = 0; k < filled; ++k)
          longer.push_back(k % width);
        row = vector::ShuffleOp::create(b, row, row, longer);
      }
      all = vector::ShuffleOp::create(b, all, row, from);
    }
    sums.push_back(all);
  }
  transposeBlocks(b, sums);
  return sums;
}

/// Terms are computed as vectors, as many as make whole ones; returns where they end. Those of
/// places that are another thread's go to a row that nobody reads.
Value KernelEmitter::joinWholeVectors(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes,
                                      Value begin, Value end) {
  const KernelNest &nest = *shapes[0].nest;
  const int lanes = lanesOfTerms(rows);
  Value main = arith::AddIOp::create(
      b, begin, floorToMultiple(arith::SubIOp::create(b, end, begin), lanes));
  body->lanes = lanes;
  auto terms = stack->open(begin, main, stack->constant(lanes));
  setLoop(nest.numParallel, terms.getInductionVar());
  body->loops[size_t(nest.numParallel)].isVector = true;
  for (const ScatterShape &shape : shapes)
    addAreTerms(*shape.nest);
  Value places = emitOne(nest, shapes[0].position);
  auto numbers = mlir::cast<mlir::VectorType>(places.getType());
  auto asVector = [&](Value number) -> Value {
    if (!numbers.getElementType().isIndex())
      number = arith::IndexCastOp::create(b, numbers.getElementType(), number);
    return vector::BroadcastOp::create(b, numbers, number);
  };
  Bounds range = bounds(nest, shapes[0].loop);
  auto compare = [&](arith::CmpIPredicate predicate, Size limit) -> Value {
    return arith::CmpIOp::create(b, predicate, places, asVector(stack->value(limit)));
  };
  Value isInside = arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, range.lower),
                                         compare(arith::CmpIPredicate::slt, range.upper));
  Value spare = stack->constant(kMostBytes / memoryBytes(rows.type.getElementType()) /
                                    rows.type.getDimSize(0) -
                                1);
  places = arith::SelectOp::create(b, isInside, places, asVector(spare));
  llvm::SmallVector<Value, 8> values;
  for (const ScatterShape &shape : shapes)
    values.push_back(emitOne(*shape.nest, shape.term));
  for (auto [lane, row] : llvm::enumerate(rowsOf(rows, values))) {
    Value place = vector::ExtractOp::create(b, places, int64_t(lane));
    if (!place.getType().isIndex())
      place = arith::IndexCastOp::create(b, b.getIndexType(), place);
    joinRow(rows, rowAt(rows, place), row);
  }
  body->always.clear();
  stack->close();
  stack->dropAnchor();
  body->lanes = 1;
  return main;
}

/// Sums go to where they are read: as vectors, which those who read them find at once.
void KernelEmitter::spreadRows(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  const ScatterShape &first = shapes[0];
  Bounds range = bounds(*first.nest, first.loop);
  Value lower = stack->value(range.lower),
        upper = arith::SelectOp::create(b, rows.fit, stack->value(range.upper), lower);
  const int lanes = lanesOfTerms(rows);
  Value main = arith::AddIOp::create(
      b, lower, floorToMultiple(arith::SubIOp::create(b, upper, lower), lanes));
  auto spread = [&](Value begin, Value end, int step) {
    auto places = stack->open(begin, end, stack->constant(step));
    body->lanes = step;
    setLoop(first.loop, places.getInductionVar());
    body->loops[size_t(first.loop)].isVector = step > 1;
    llvm::SmallVector<Value, 8> sums;
    if (step > 1) {
      sums = sumsOfRows(rows, places.getInductionVar());
    } else {
      Value row = vector::LoadOp::create(b, rows.type, rows.memory,
                                         rowAt(rows, places.getInductionVar()));
      for (size_t lane = 0; lane < shapes.size(); ++lane)
        sums.push_back(vector::ExtractOp::create(b, row, int64_t(lane)));
    }
    for (auto [lane, shape] : llvm::enumerate(shapes))
      body->store(*shape.nest, sums[lane]);
    stack->close();
    stack->dropAnchor();
    body->lanes = 1;
  };
  spread(lower, main, lanes);
  spread(main, upper, 1);
}

} // namespace graphc
