//===- Transforms/Dots.cpp - several dot products at a time ---------------===//
//
// Reductions whose loads are contiguous along the reduction, and are used by several results: A
// B^T, a layer whose weights are stored by output. One dot product after the other loads two
// vectors for each multiply-add. A block of `rows` x 4 results, each with a vector of partial sums,
// loads rows + 4 vectors for rows * 4 of them, as Blocks.cpp does, and nothing has to be packed:
//
//   for the other parallel loops:
//     scf.for %j step 4 { scf.for %i step rows {
//       %sums:rows*4 = scf.for %k step lanes iter_args { rows + 4 vectors; fma ... }  and masked
//       the lanes of a row's four sums joined to one vector of four results
//       what follows at the same element; stores
//     } }
//
// The row loop is inside: the four operands of the columns stay in the L1 cache while the rows'
// pass by, and weights are read from memory once.
//
//===----------------------------------------------------------------------===//
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

static constexpr int kColumns = 4;

/// Nothing if the pass is no such reduction.
std::optional<LoopEmitter::DotShape> LoopEmitter::dotShape(const Pass &pass) const {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (!uses(Optimization::Dots) || !nest.isReduction() || nest.neutral.size() != 1 ||
      nest.partialTerm || kernel.hasChecks || lanesOf() == 1 || nest.numParallel - pass.outer < 2)
    return std::nullopt;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
      return std::nullopt;
  auto atLeast = [&](int loop, int64_t count) {
    auto extent = constantSize(nest.extents[size_t(loop)]);
    return !extent || *extent >= count;
  };
  DotShape shape{nest.numLoops() - 1, nest.numParallel - 1, -1, 0};
  for (int loop = nest.numParallel; loop < nest.numLoops(); ++loop)
    if (body->memoryCost(nest, loop) < body->memoryCost(nest, shape.vectorLoop))
      shape.vectorLoop = loop;
  for (int loop = pass.outer; loop < shape.columnLoop; ++loop)
    if (atLeast(loop, 2) && body->reusedVectors(nest, shape.vectorLoop, loop))
      shape.rowLoop = loop;
  // Gathers cost more than what is saved.
  if (shape.rowLoop < 0 || !body->reusedVectors(nest, shape.vectorLoop, shape.columnLoop) ||
      !atLeast(shape.columnLoop, kColumns) || !atLeast(shape.vectorLoop, lanesOf()) ||
      body->memoryCost(nest, shape.vectorLoop) > 10)
    return std::nullopt;
  shape.rows = evenBlocks(nest.extents[size_t(shape.rowLoop)],
                          std::max(1, numAccumulators(pass) / kColumns));
  return shape;
}

/// The vectors of partial sums of the block that is set up, by row and column.
llvm::SmallVector<Value> KernelEmitter::sumDots(const KernelNest &nest, const DotShape &shape,
                                                int lanes) {
  JoinPlan plan = body->planJoin(nest, /*partial=*/false);
  llvm::SmallVector<Value> sums(size_t(body->rows), body->neutral(nest, lanes)[0]);
  llvm::SmallVector<mlir::scf::ForOp> open;
  auto openCarrying = [&](Value lower, Value upper, int64_t step, int number, bool isVector) {
    auto loop = stack->open(lower, upper, stack->constant(step), sums);
    sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    LoopVariable &variable = body->loops[size_t(number)];
    variable = {};
    variable.level = stack->depth();
    variable.isVector = isVector;
    variable.index = {loop.getInductionVar()};
    open.push_back(loop);
  };
  auto close = [&] {
    stack->close(sums);
    mlir::scf::ForOp loop = open.pop_back_val();
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  };
  for (int loop = nest.numParallel; loop < nest.numLoops(); ++loop)
    if (loop != shape.vectorLoop) {
      Bounds range = bounds(nest, loop);
      openCarrying(stack->value(range.lower), stack->value(range.upper), 1, loop, false);
    }
  Value zero = stack->constant(0);
  Value upper = stack->value(bounds(nest, shape.vectorLoop).upper);
  Value main = floorToMultiple(upper, lanes);
  for (bool masked : {false, true}) {
    openCarrying(masked ? main : zero, masked ? upper : main, lanes, shape.vectorLoop, true);
    Value mask;
    if (masked) {
      Value left = arith::SubIOp::create(b, upper, main);
      mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({lanes}, b.getI1Type()), left);
      body->masks = {mask};
    }
    auto values = body->emit(nest, plan.targets, /*asVectors=*/true);
    for (size_t i = 0; i < sums.size(); ++i) {
      llvm::SmallVector<Value, 2> terms;
      for (auto &each : values)
        terms.push_back(each[i]);
      Value joined = body->join(nest, plan, sums[i], terms)[0];
      sums[i] = mask ? Value(arith::SelectOp::create(b, mask, joined, sums[i])) : joined;
    }
    close();
  }
  body->masks.clear();
  while (!open.empty())
    close();
  stack->dropAnchor(); // what follows uses the sums
  return sums;
}

void KernelEmitter::emitDots(const Pass &pass, const DotShape &shape) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  placeArrays(pass, pass.outer);
  int opened = 2 + openOtherLoops(pass, shape.columnLoop, shape.rowLoop);
  auto lastOf = [&](const Bounds &range) {
    return stack->value(stack->add(range.upper, b.getIndexAttr(-1)));
  };
  Bounds range = bounds(nest, shape.columnLoop);
  Value last = lastOf(range);
  auto columns =
      stack->open(stack->value(range.lower), stack->value(range.upper), stack->constant(kColumns));
  body->rowExists.clear();
  llvm::SmallVector<Value, 8> columnIndices =
      blockIndices(range, columns.getInductionVar(), kColumns, last);
  Value mask;
  if (!body->rowExists.empty()) {
    Value left = arith::SubIOp::create(b, stack->value(range.upper), columns.getInductionVar());
    mask = vector::CreateMaskOp::create(b, mlir::VectorType::get({kColumns}, b.getI1Type()), left);
    body->rowExists.clear();
  }
  int columnLevel = stack->depth();
  range = bounds(nest, shape.rowLoop);
  last = lastOf(range);
  auto rows = stack->open(stack->value(range.lower), stack->value(range.upper),
                          stack->constant(shape.rows));
  llvm::SmallVector<Value, 8> rowIndices =
      blockIndices(range, rows.getInductionVar(), shape.rows, last);

  // Pairs of rows and columns as the block's rows; vectors along the reduction.
  LoopVariable &row = body->loops[size_t(shape.rowLoop)];
  LoopVariable &column = body->loops[size_t(shape.columnLoop)];
  row = {stack->depth(), kMajorRows, false, {}};
  column = {columnLevel, kMinorRows, false, {}};
  for (Value rowIndex : rowIndices)
    for (Value columnIndex : columnIndices) {
      row.index.push_back(rowIndex);
      column.index.push_back(columnIndex);
    }
  body->lanes = lanesOf();
  body->vectors = 1;
  body->minorRows = kColumns;
  body->rows = shape.rows * kColumns;
  body->masks.clear();
  llvm::SmallVector<Value> sums = sumDots(nest, shape, body->lanes);
  llvm::SmallVector<Value, 8> results;
  for (int i = 0; i < shape.rows; ++i)
    results.push_back(
        body->joinLanesOfEach(nest, mlir::ValueRange(sums).slice(size_t(i * kColumns), kColumns)));

  // From here on a column is a lane.
  row.index = rowIndices;
  column = {columnLevel, kNoRows, true, {columns.getInductionVar()}};
  body->lanes = kColumns;
  body->minorRows = 1;
  body->rows = shape.rows;
  if (mask)
    body->masks.push_back(mask);
  keepNests(pass, results);
  body->masks.clear();
  body->rowExists.clear();
  while (opened--)
    stack->close();
}

} // namespace graphc
