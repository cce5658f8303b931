//===- Transforms/ProductVectors.cpp - products with a vector -------------===//
//
// A matrix times a vector takes as long as reading the matrix, so it is read the way it lies in
// memory, by long runs: caches fetch ahead along a few lines at a time. Tiles (ProductTiles.cpp)
// walk down a narrow strip instead, and stop at each row for memory: 2 to 6 times slower.
//
// Results that stand together in the matrix: 4 of its lines at a time, each times one number of the
// vector. The sums are on the stack, a block of results at a time, and make one trip to registers
// for 4 lines:
//
//   for %k step 4 { for %r step 4 * lanes {          and what is left of both
//     sums[%r] += vector[%k] * matrix[%k, %r] + ... + vector[%k + 3] * matrix[%k + 3, %r]
//   } }
//
// Sums whose elements stand together: 4 dot products at a time, with vectors along k.
//
//   for %r step 4 { for %k step lanes { 4 vectors of partial sums }, the lanes of each joined }
//
// Both end with a loop over the block's results that makes what follows.
//
// The order of a sum is that of k in the first way, as it is in tiles; in the second that of every
// `lanes`-th k. Which way is taken depends on types and whole extents alone.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace vector = mlir::vector;
using mlir::Value;

/// Lines of the matrix for each trip of the sums: many more are too many for caches to fetch ahead.
static constexpr int kLines = 4;
/// Vectors of results beside them.
static constexpr int kVectors = 4;
/// Dot products at a time; the same where vectors have several columns.
static constexpr int kDots = 4, kGroupedDots = 8;
/// Shorter sums stay in registers (Blocks.cpp, Dots.cpp).
static constexpr int64_t kLeastLength = 16;

/// Lines times numbers: `count` sums, in the order of k.
void ProductEmitter::sumLines(const VectorProduct &p, Value count) {
  int64_t bytes = memoryBytes(p.element);
  auto type = mlir::VectorType::get({p.lanes}, p.element);
  Value zero = stack->constant(0), lanes = stack->constant(p.lanes);
  stack->dropAnchor();
  auto clearing = stack->open(zero, count, lanes);
  vector::StoreOp::create(b, body->neutral(nest, p.lanes)[0], sumsOnStack,
                          clearing.getInductionVar());
  stack->close();
  Value main = floorToMultiple(p.length, kLines);
  Value whole = floorToMultiple(count, int64_t(kVectors) * p.lanes);
  for (int lines : {kLines, 1}) {
    stack->dropAnchor();
    bool isLast = lines == 1;
    auto group =
        stack->open(isLast ? main : zero, isLast ? p.length : main, stack->constant(lines));
    llvm::SmallVector<Value> numbers, starts;
    Value k = group.getInductionVar();
    Value at = arith::AddIOp::create(b, p.vector, arith::MulIOp::create(b, k, p.vectorStep));
    Value start = arith::AddIOp::create(b, p.matrix, arith::MulIOp::create(b, k, p.sumStep));
    for (int i = 0; i < lines; ++i) {
      if (i) {
        at = arith::AddIOp::create(b, at, p.vectorStep);
        start = arith::AddIOp::create(b, start, p.sumStep);
      }
      numbers.push_back(vector::BroadcastOp::create(b, type, loadAt(at, p.element, nullptr)));
      starts.push_back(start);
    }
    for (int vectors : {kVectors, 1}) {
      if (vectors > 1 && isLast)
        continue;
      bool isWhole = vectors > 1;
      stack->dropAnchor();
      auto results = stack->open(isWhole || isLast ? zero : whole, isWhole ? whole : count,
                                 stack->constant(vectors * p.lanes));
      Value first = results.getInductionVar(), mask;
      if (!isWhole)
        mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({p.lanes}, b.getI1Type()),
                                            arith::SubIOp::create(b, count, first).getResult());
      Value distance = arith::MulIOp::create(b, first, stack->constant(bytes));
      llvm::SmallVector<Value> places, joined;
      for (int v = 0; v < vectors; ++v) {
        places.push_back(stack->value(stack->add(first, b.getIndexAttr(v * p.lanes))));
        joined.push_back(vector::LoadOp::create(b, type, sumsOnStack, places.back()));
      }
      for (int i = 0; i < lines; ++i) {
        Value line = arith::AddIOp::create(b, starts[size_t(i)], distance);
        for (int v = 0; v < vectors; ++v) {
          Value at = stack->value(stack->add(line, b.getIndexAttr(v * p.lanes * bytes)));
          joined[size_t(v)] =
              addProduct(numbers[size_t(i)], loadAt(at, type, mask), joined[size_t(v)]);
        }
      }
      for (int v = 0; v < vectors; ++v)
        vector::StoreOp::create(b, joined[size_t(v)], sumsOnStack, places[size_t(v)]);
      stack->close();
    }
    stack->close();
  }
  stack->dropAnchor();
}

/// Dot products: `count` sums of each vector, with vectors along k. Those of several vectors, which
/// stand side by side, are the sums of a row, one row behind the other.
void ProductEmitter::sumDotProducts(const VectorProduct &p, Value count) {
  int64_t bytes = memoryBytes(p.element);
  const int group = p.lanes / p.columns, dots = p.columns > 1 ? kGroupedDots : kDots;
  auto type = mlir::VectorType::get({p.lanes}, p.element);
  auto groupType = mlir::VectorType::get({group}, p.element);
  llvm::SmallVector<int64_t> repeated;
  for (int lane = 0; lane < p.lanes; ++lane)
    repeated.push_back(lane % group);
  Value last = arith::AddIOp::create(b, count, stack->constant(-1));
  Value main = floorToMultiple(p.length, group);
  stack->dropAnchor();
  auto results = stack->open(stack->constant(0), count, stack->constant(dots));
  llvm::SmallVector<Value> starts;
  for (int i = 0; i < dots; ++i) {
    Value index = arith::AddIOp::create(b, results.getInductionVar(), stack->constant(i));
    index = arith::MinSIOp::create(b, index, last);
    starts.push_back(
        arith::AddIOp::create(b, p.matrix, arith::MulIOp::create(b, index, p.resultStep)));
  }
  llvm::SmallVector<Value> joined(size_t(dots), body->neutral(nest, p.lanes)[0]);
  for (bool masked : {false, true}) {
    auto loop = stack->open(masked ? main : stack->constant(0), masked ? p.length : main,
                            stack->constant(group), joined);
    joined.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    Value mask;
    if (masked) {
      Value left = arith::SubIOp::create(b, p.length, loop.getInductionVar());
      mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({group}, b.getI1Type()), left);
    }
    Value distance = arith::MulIOp::create(b, loop.getInductionVar(), stack->constant(bytes));
    Value place = arith::MulIOp::create(b, distance, stack->constant(p.columns));
    Value numbers =
        loadAt(arith::AddIOp::create(b, p.vector, place), type, p.columns > 1 ? Value() : mask);
    for (int i = 0; i < dots; ++i) {
      Value line = loadAt(arith::AddIOp::create(b, starts[size_t(i)], distance), groupType, mask);
      if (p.columns > 1)
        line = vector::ShuffleOp::create(b, line, line, repeated);
      joined[size_t(i)] = addProduct(numbers, line, joined[size_t(i)]);
    }
    stack->close(joined);
    joined.assign(loop.getResults().begin(), loop.getResults().end());
  }
  stack->dropAnchor();
  // As many rows as fill a vector with their sums.
  const int together = p.columns > 1 ? group : dots;
  Value first = arith::MulIOp::create(b, results.getInductionVar(), stack->constant(p.columns));
  for (int i = 0; i < dots; i += together) {
    mlir::ValueRange ofVector = llvm::ArrayRef(joined).slice(size_t(i), size_t(together));
    vector::StoreOp::create(b, body->joinLanesOfEach(nest, ofVector, p.columns), sumsOnStack,
                            stack->value(stack->add(first, b.getIndexAttr(i * p.columns))));
  }
  stack->close();
  stack->dropAnchor();
}

/// The product's results [lower, upper), block after block; `keep` makes what becomes of a block's.
/// Returns the loop over blocks.
mlir::scf::ForOp
ProductEmitter::emitVectorProduct(const VectorProduct &product, Value lower, Value upper,
                                  llvm::function_ref<void(Value first, Value end)> keep) {
  int64_t most =
      mlir::cast<mlir::MemRefType>(sumsOnStack.getType()).getDimSize(0) / product.columns;
  stack->dropAnchor();
  auto blocks = stack->open(lower, upper, stack->constant(most));
  Value first = blocks.getInductionVar();
  Value end = arith::AddIOp::create(b, first, stack->constant(most));
  end = arith::MinSIOp::create(b, end, upper);
  Value count = arith::SubIOp::create(b, end, first);
  VectorProduct block = product;
  block.matrix =
      arith::AddIOp::create(b, product.matrix, arith::MulIOp::create(b, first, product.resultStep));
  if (product.isDots)
    sumDotProducts(block, count);
  else
    sumLines(block, count);
  keep(first, end);
  stack->close();
  stack->dropAnchor();
  return blocks;
}

/// What becomes of the results [first, end), whose sums are given, `lanes` at a time. `setLoops`
/// sets up the loops for those from an index on.
void ProductEmitter::keepSums(
    Value first, Value end, int lanes,
    llvm::function_ref<void(Value index, Value end, bool masked)> setLoops) {
  mlir::Type element = mlir::cast<mlir::MemRefType>(sumsOnStack.getType()).getElementType();
  body->lanes = lanes;
  body->rows = body->vectors = 1;
  body->rowExists.clear();
  // Where masks cost nothing, all results have one: half of the code.
  bool isOneLoop = lanes == 1 || target.maskRegisters;
  Value main = first;
  if (!isOneLoop) {
    Value count = arith::SubIOp::create(b, end, first);
    main = arith::AddIOp::create(b, first, floorToMultiple(count, lanes));
  }
  for (bool masked : {false, true}) {
    if (!masked && isOneLoop)
      continue;
    stack->dropAnchor();
    auto results = stack->open(masked ? main : first, masked ? end : main, stack->constant(lanes));
    Value index = results.getInductionVar(), at = arith::SubIOp::create(b, index, first), sum;
    setLoops(index, end, masked && lanes > 1);
    if (lanes > 1)
      sum = vector::LoadOp::create(b, mlir::VectorType::get({lanes}, element), sumsOnStack, at);
    else
      sum = memref::LoadOp::create(b, sumsOnStack, at);
    keepNests(pass, sum);
    stack->close();
  }
  stack->dropAnchor();
  body->masks.clear();
}

/// The product of operands `matrix` and `other`, whose results `loop` counts.
VectorProduct ProductEmitter::vectorProduct(int matrix, int loop, int other, int sums,
                                            bool isDots) {
  auto step = [&](int operand, int along) {
    Size bytes = b.getIndexAttr(memoryBytes(shape.element));
    return stack->value(stack->multiply(strideAlong(nest, operand, along), bytes));
  };
  VectorProduct product{shape.element, shape.lanes, isDots, stack->value(shape.length)};
  product.matrix = productAddress(matrix);
  product.resultStep = step(matrix, loop);
  product.sumStep = step(matrix, sums);
  product.vector = productAddress(other);
  product.vectorStep = step(other, sums);
  return product;
}

/// A product of one operand with only one row or column of the other: the loop that counts its
/// results is the last one that counts more than one.
bool ProductEmitter::emitIfVectorProduct() {
  if (!uses(Optimization::Vectors) || !findFactors() || nest.numLoops() - nest.numParallel != 1 ||
      nest.numParallel == pass.outer || lanesOf() == 1)
    return false;
  auto extentOf = [&](int loop) {
    return constantSize(nest.extents[size_t(loop)]).value_or(int64_t(1) << 40);
  };
  int sums = nest.numParallel, loop = nest.numParallel - 1;
  while (loop > pass.outer && extentOf(loop) == 1)
    --loop;
  int matrix = operandOf(shape.leftFactor), other = operandOf(shape.rightFactor);
  auto follows = [&](int operand, int along) {
    return mapOf(nest, operand).isFunctionOfDim(unsigned(along));
  };
  if (matrix < 0 || other < 0 || !mlir::isa<mlir::BlockArgument>(shape.leftFactor) ||
      !mlir::isa<mlir::BlockArgument>(shape.rightFactor))
    return false;
  if (!follows(matrix, loop))
    std::swap(matrix, other);
  if (!follows(matrix, loop) || follows(other, loop) || !follows(matrix, sums) ||
      !follows(other, sums) || extentOf(loop) * 2 < lanesOf() || extentOf(sums) < kLeastLength)
    return false;
  // Other rows that meet the same matrix make a product of matrices.
  for (int each = pass.outer; each < loop; ++each)
    if (extentOf(each) != 1 && follows(other, each) && !follows(matrix, each))
      return false;
  // A window's steps are those of its results.
  for (mlir::AffineExpr axis : mapOf(nest, matrix).getResults())
    if (axis.isFunctionOfDim(unsigned(loop)) && axis.isFunctionOfDim(unsigned(sums)))
      return false;
  bool isDots = !isDense(nest, matrix, loop);
  if (isDots && (!isDense(nest, matrix, sums) || !isDense(nest, other, sums)))
    return false;

  placeArrays(pass, pass.outer);
  int opened = openOtherLoops(pass, loop, /*rowLoop=*/-1);
  for (int each = loop + 1; each < nest.numParallel; ++each)
    setLoop(each, stack->constant(0));
  shape.lanes = lanesOf();
  shape.rowLoop = -1;
  shape.columnLoop = loop;
  shape.length = nest.extents[size_t(sums)];
  Bounds range = bounds(nest, loop);
  sumsOnStack = onStack(shape.element, kSumBytes);
  auto keep = [&](Value first, Value end) {
    keepSums(first, end, shape.lanes, [&](Value index, Value last, bool masked) {
      setLoop(loop, index);
      body->loops[size_t(loop)].isVector = true;
      setMasks(index, last, masked);
    });
  };
  emitVectorProduct(vectorProduct(matrix, loop, other, sums, isDots), stack->value(range.lower),
                    stack->value(range.upper), keep);
  while (opened--)
    stack->close();
  return true;
}

} // namespace graphc
