//===- Transforms/Blocks.cpp - reductions inside blocks of parallel loops -===//
//
// For reductions whose loads are contiguous along a parallel loop: products of matrices,
// convolutions and pooling over contiguous pixels, sums over outer axes. A block of `rows` x
// `vectors` results is held in registers while the reduction's loops run:
//
//   for the other parallel loops:
//     scf.for %j = 0 to %main step vectors * lanes {        (and once more, masked, for what is
//     left)
//       scf.for %i = 0 to %m step rows {
//         %sums:rows*vectors = scf.for %k ... iter_args {   loads: `vectors` vectors, `rows`
//         scalars
//           fma ...
//         }
//         what follows at the same element (bias, relu, casts); stores
//
// Cost. A load of a vector serves all rows if it does not depend on the row loop, a load of a
// scalar serves all vectors; a block of 6 x 4 does 24 fused multiply-adds for 10 loads, which keeps
// two multipliers busy with two loads a cycle, and its 24 accumulators + 4 vectors + 1 scalar fit
// the 32 registers (with 16: 4 x 2 + 2 + 1). The row loop is inside the column loop: a panel of the
// vectors' operand (K x 64 floats) stays in the L2 cache while the other operand passes by. Without
// a loop that vectors are independent of (pooling, short sums), a block is 1 x 4; long sums are in
// Columns.cpp.
//
// The last columns are a panel of their own, with masks. Where masks cost nothing, products have
// only such panels: half the code, which takes milliseconds to compile.
//
// The last rows: rows beyond the end repeat the last one and are not stored, which costs nothing in
// the loops inside.
//
// Reduction loops on which a mask depends run outside the others, so that masks are made once for
// all channels.
//
// Windows. The last reduction loops are written out where their extents are known and small: the
// weights of a depthwise convolution are then loaded once, in front of the loops over pixels. There
// no vector serves several rows; lines of the result, one vector of each, are the rows, so that
// there are several sums at a time. Lines beyond the last one repeat it, also where it is stored
// (what a nest loads of it is loaded before).
//
//===----------------------------------------------------------------------===//
#include "Transforms/BlockShape.h"
#include "Transforms/ProductEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// float32 terms that are joined before they are extended: F-012.
static constexpr int64_t kPartialTerms = 16;

/// Iterations of a window that are written out; and with all results of a block.
static constexpr int64_t kMostTaps = 32;
static constexpr int64_t kMostCopies = 128;
/// Lines of a window's block.
static constexpr int kLines = 4;
static constexpr int kMostLines = 7;

void KernelEmitter::emitPoints(const Pass &pass) {
  if (emitIfScatter(pass))
    return;
  // In loops over blocks, a masked store is more than the last one of a row.
  body->storesPieces = !target.maskRegisters;
  bool isDone = ProductEmitter(function, pass).emitIfProduct() ||
                ProductEmitter(function, pass).emitIfVectorProduct();
  if (std::optional<BlockShape> shape = isDone ? std::nullopt : shortRows(pass)) {
    emitBlocks(pass, *shape);
    isDone = true;
  }
  if (!isDone && prefersBlocks(pass)) {
    emitBlocks(pass, blockShape(pass));
    isDone = true;
  }
  if (std::optional<DotShape> shape = isDone ? std::nullopt : dotShape(pass)) {
    emitDots(pass, *shape);
    isDone = true;
  }
  body->storesPieces = false;
  if (!isDone)
    emitRows(pass.nests, pass.outer, kernel.nests[size_t(pass.nests[0])].numParallel);
}

/// Compares what memory costs with vectors along the last parallel loop, and along the best of each
/// reduction's.
bool KernelEmitter::prefersBlocks(const Pass &pass) const {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  int last = first.numParallel - 1;
  int lanes = lanesOf();
  if (!uses(Optimization::Blocks) || last < pass.outer || lanes == 1)
    return false;
  // Short loops waste lanes.
  auto waste = [&](const KernelNest &nest, int loop) {
    auto extent = constantSize(nest.extents[size_t(loop)]);
    return extent && *extent < lanes ? double(lanes) / double(std::max<int64_t>(*extent, 1)) : 1.0;
  };
  double blocks = 0, rows = 0;
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    blocks += (1 + body->memoryCost(nest, last)) * waste(nest, last);
    double best = nest.isReduction() ? INFINITY : 0;
    for (int loop = nest.numParallel; loop < nest.numLoops(); ++loop)
      best = std::min(best, (1 + body->memoryCost(nest, loop)) * waste(nest, loop));
    rows += best;
  }
  return blocks <= rows;
}

KernelEmitter::BlockShape KernelEmitter::blockShape(const Pass &pass) const {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  BlockShape shape{first.numParallel - 1, -1, 1, 4, lanesOf()};
  // The row loop is the one along which most vectors can be used again.
  int most = 0;
  for (int loop = pass.outer; loop < shape.vectorLoop; ++loop) {
    int reused = 0;
    for (int number : pass.nests)
      if (kernel.nests[size_t(number)].isReduction())
        reused += body->reusedVectors(kernel.nests[size_t(number)], shape.vectorLoop, loop);
    if (reused > most) {
      most = reused;
      shape.rowLoop = loop;
    }
  }
  int accumulators = numAccumulators(pass);
  shape.vectors = target.vectorRegisters == 32 ? 4 : 2;
  if (auto extent = constantSize(first.extents[size_t(shape.vectorLoop)])) {
    // Even panels.
    int64_t count = llvm::divideCeil(std::max<int64_t>(*extent, 1), shape.lanes);
    int64_t panels = llvm::divideCeil(count, shape.vectors);
    shape.vectors = int(llvm::divideCeil(count, panels));
  }
  int lineLoop = shape.vectorLoop - 1;
  if (shape.rowLoop < 0 && lineLoop >= pass.outer && first.isReduction() &&
      numTaps(first, sumLoops(first)).second > 1) {
    shape.isWindow = true;
    shape.rowLoop = lineLoop;
    shape.vectors = 1;
    shape.rows = kLines;
    if (auto extent = constantSize(first.extents[size_t(lineLoop)]))
      for (int rows = 1, least = INT_MAX; rows <= kMostLines; ++rows)
        if (int sum = int(llvm::alignTo(std::clamp<int64_t>(*extent, 1, 1 << 16), rows));
            sum <= least) {
          least = sum;
          shape.rows = rows;
        }
    return shape;
  }
  if (shape.rowLoop < 0)
    return shape;
  shape.rows =
      evenBlocks(first.extents[size_t(shape.rowLoop)], std::max(1, accumulators / shape.vectors));
  return shape;
}

/// A reduction's loops: those on which a mask depends are outside.
llvm::SmallVector<int> KernelEmitter::sumLoops(const KernelNest &nest) const {
  llvm::SmallVector<int> loops, plainLoops;
  for (int loop = nest.numParallel; loop < nest.numLoops(); ++loop)
    (body->isInCondition(nest, loop) ? loops : plainLoops).push_back(loop);
  loops.append(plainLoops);
  return loops;
}

/// How many of the last loops are written out, and how many iterations they have together.
std::pair<size_t, int64_t> KernelEmitter::numTaps(const KernelNest &nest,
                                                  llvm::ArrayRef<int> loops) const {
  std::pair<size_t, int64_t> taps = {0, 1};
  bool readsRegisters =
      llvm::any_of(nest.inputs, [&](int array) { return body->registers.contains(array); });
  if (nest.partialTerm || nest.neutral.size() != 1 || readsRegisters)
    return taps;
  for (int loop : llvm::reverse(loops)) {
    auto extent = constantSize(nest.extents[size_t(loop)]);
    if (!extent || *extent < 1 || *extent * taps.second > kMostTaps ||
        body->isInCondition(nest, loop))
      break;
    taps = {taps.first + 1, *extent * taps.second};
  }
  return taps;
}

/// The values of `targets` for each row of the block, iteration of the loops that are written out,
/// and vector: the iterations are minor rows.
std::vector<llvm::SmallVector<Value, 8>> KernelEmitter::emitTaps(const KernelNest &nest,
                                                                 llvm::ArrayRef<Value> targets,
                                                                 llvm::ArrayRef<int> loops,
                                                                 int64_t numTaps) {
  int rows = body->rows;
  llvm::SmallVector<LoopVariable, 8> saved = body->loops;
  body->minorRows = int(numTaps);
  body->rows = rows * body->minorRows;
  for (LoopVariable &loop : body->loops)
    if (loop.rowSet == kMajorRows) {
      llvm::SmallVector<Value, 8> index;
      for (Value each : loop.index)
        index.append(size_t(numTaps), each);
      loop.index = index;
    }
  int64_t inside = numTaps;
  for (int loop : loops) {
    int64_t extent = *constantSize(nest.extents[size_t(loop)]);
    inside /= extent;
    LoopVariable &variable = body->loops[size_t(loop)];
    variable = {};
    variable.rowSet = kMinorRows;
    for (int row = 0; row < body->rows; ++row)
      variable.index.push_back(stack->constant(row % numTaps / inside % extent));
  }
  auto values = body->emit(nest, targets, /*asVectors=*/true);
  body->loops = saved;
  body->rows = rows;
  body->minorRows = 1;
  return values;
}

/// Whether a reduction may run in the loops of another one: the same loops, none of them written
/// out.
bool KernelEmitter::mayShareLoops(const KernelNest &first, const KernelNest &nest) const {
  llvm::SmallVector<int> loops = sumLoops(first);
  auto isPlain = [&](const KernelNest &each) {
    return each.isReduction() && !each.partialTerm && numTaps(each, loops).second == 1;
  };
  return isPlain(first) && isPlain(nest) && sumLoops(nest) == loops &&
         llvm::all_of(loops, [&](int loop) {
           return first.extents[size_t(loop)] == nest.extents[size_t(loop)];
         });
}

/// How many of the nests, from the first one on, run in the same loops: their accumulators fit the
/// registers, and none of them reads what another one makes. Three products with one vector wait
/// for their sums together instead of one after the other.
size_t KernelEmitter::numSharingLoops(const Pass &pass, llvm::ArrayRef<int> nests) const {
  const KernelNest &first = kernel.nests[size_t(nests[0])];
  const int block = body->rows * body->vectors;
  int accumulators = block * int(first.neutral.size());
  llvm::SmallVector<int> results = {first.result};
  size_t count = 1;
  for (; count < nests.size(); ++count) {
    const KernelNest &nest = kernel.nests[size_t(nests[count])];
    accumulators += block * int(nest.neutral.size());
    if (accumulators > numAccumulators(pass) || !mayShareLoops(first, nest) ||
        llvm::any_of(nest.inputs, [&](int array) { return llvm::is_contained(results, array); }))
      break;
    results.push_back(nest.result);
  }
  return count;
}

/// The loops of reductions that may share them, with the block's accumulators in registers.
void KernelEmitter::emitBlockReductions(llvm::ArrayRef<int> numbers) {
  const KernelNest &first = kernel.nests[size_t(numbers[0])];
  size_t instances = size_t(body->rows) * size_t(body->vectors);
  bool partial = bool(first.partialTerm);
  llvm::SmallVector<int> loops = sumLoops(first);
  auto [numWritten, taps] = numTaps(first, loops);
  for (; taps * int64_t(instances) > kMostCopies; --numWritten)
    taps /= *constantSize(first.extents[size_t(loops[loops.size() - numWritten])]);
  llvm::SmallVector<int> written(loops.end() - numWritten, loops.end());
  loops.truncate(loops.size() - numWritten);

  using Values = llvm::SmallVector<Value>;
  Values sums; // of one nest after the other
  llvm::SmallVector<JoinPlan> plans;
  for (int number : numbers) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    plans.push_back(body->planJoin(nest, partial));
    auto neutral = body->neutral(nest, body->lanes);
    for (size_t i = 0; i < instances; ++i)
      sums.append(neutral.begin(), neutral.end());
  }
  Values zeros;
  if (partial) {
    auto zero = mlir::cast<mlir::TypedAttr>(
        b.getZeroAttr(mlir::VectorType::get({body->lanes}, b.getF32Type())));
    zeros.assign(instances, stack->at(0, {zero.getAsOpaquePointer(), 0},
                                      [&] { return arith::ConstantOp::create(b, zero); }));
  }
  auto joinTerms = [&](const KernelNest &nest, const JoinPlan &plan,
                       llvm::MutableArrayRef<Value> accumulators) {
    auto values = emitTaps(nest, plan.targets, written, taps);
    size_t vectors = size_t(body->vectors), each = accumulators.size() / instances;
    for (size_t tap = 0; tap < size_t(taps); ++tap)
      for (size_t i = 0; i < instances; ++i) {
        size_t row = i / vectors * size_t(taps) + tap;
        llvm::SmallVector<Value, 2> terms;
        for (auto &value : values)
          terms.push_back(value[row * vectors + i % vectors]);
        auto slot = accumulators.slice(i * each, each);
        llvm::SmallVector<Value, 2> joined = body->join(nest, plan, slot, terms);
        llvm::copy(joined, slot.begin());
      }
  };
  auto innermost = [&](Values &accumulators) {
    auto rest = llvm::MutableArrayRef<Value>(accumulators);
    for (size_t k = 0; k < numbers.size(); ++k) {
      const KernelNest &nest = kernel.nests[size_t(numbers[k])];
      size_t count = instances * (partial ? 1 : nest.neutral.size());
      joinTerms(nest, plans[k], rest.take_front(count));
      rest = rest.drop_front(count);
    }
  };
  // Adds float32 sums of at most kPartialTerms terms to the accumulators.
  auto extend = [&](const Values &parts) {
    for (size_t i = 0; i < instances; ++i) {
      Value wide = arith::ExtFOp::create(b, sums[i].getType(), parts[i]);
      sums[i] = body->join(first, sums[i], wide)[0];
    }
  };

  llvm::SmallVector<mlir::scf::ForOp> open;
  for (size_t k = 0; k < loops.size(); ++k) {
    Bounds range = bounds(first, loops[k]);
    Value lower = stack->value(range.lower), upper = stack->value(range.upper);
    bool isBlocked = partial && k + 1 == loops.size();
    auto loop = stack->open(lower, upper, stack->constant(isBlocked ? kPartialTerms : 1), sums);
    sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    open.push_back(loop);
    if (!isBlocked) {
      setLoop(loops[k], loop.getInductionVar());
      continue;
    }
    Value end = arith::AddIOp::create(b, loop.getInductionVar(), stack->constant(kPartialTerms));
    end = arith::MinSIOp::create(b, end, upper);
    auto inner = stack->open(loop.getInductionVar(), end, stack->constant(1), zeros);
    setLoop(loops[k], inner.getInductionVar());
    Values parts(inner.getRegionIterArgs().begin(), inner.getRegionIterArgs().end());
    innermost(parts);
    stack->close(parts);
    parts.assign(inner.getResults().begin(), inner.getResults().end());
    extend(parts);
  }
  if (!partial)
    innermost(sums);
  for (mlir::scf::ForOp loop : llvm::reverse(open)) {
    stack->close(sums);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }
  // What follows uses the sums: nothing may be hoisted in front of the loops any more.
  stack->dropAnchor();

  size_t next = 0;
  for (int number : numbers) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    Values results;
    for (size_t i = 0; i < instances; ++i) {
      next += nest.neutral.size();
      results.push_back(sums[next - 1]);
    }
    keepBlock(nest, results);
  }
}

/// All nests on the block that is set up.
void KernelEmitter::emitBlock(const Pass &pass) {
  for (llvm::ArrayRef<int> rest = pass.nests; !rest.empty();) {
    const KernelNest &nest = kernel.nests[size_t(rest[0])];
    if (int(body->loops.size()) < nest.numLoops())
      body->loops.resize(size_t(nest.numLoops()));
    size_t count = 1;
    if (nest.isReduction()) {
      count = numSharingLoops(pass, rest);
      emitBlockReductions(rest.take_front(count));
    } else {
      keepBlock(nest, body->emit(nest, nest.terms, /*asVectors=*/true)[0]);
    }
    rest = rest.drop_front(count);
  }
  for (int number : pass.nests)
    body->registers.erase(kernel.nests[size_t(number)].result);
}

/// The iterations of a block: those beyond the last repeat it, and are marked in rowExists.
llvm::SmallVector<Value, 8> KernelEmitter::blockIndices(const Bounds &range, Value first, int count,
                                                        Value last) {
  auto lower = constantSize(range.lower), end = constantSize(range.upper);
  bool isEven = lower && end && (*end - *lower) % count == 0;
  llvm::SmallVector<Value, 8> indices;
  for (int i = 0; i < count; ++i) {
    Value index = first;
    if (i)
      index = arith::AddIOp::create(b, index, stack->constant(i));
    if (i && !isEven) {
      body->rowExists.resize(size_t(count));
      body->rowExists[size_t(i)] = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, index, last);
      index = arith::MinSIOp::create(b, index, last);
    }
    indices.push_back(index);
  }
  return indices;
}

/// Vectors from `first` on, `shape.vectors` at a time; masked, they may reach beyond `upper`.
void KernelEmitter::emitPanel(const Pass &pass, const BlockShape &shape, Value first, Value upper,
                              bool masked) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  auto panel = stack->open(first, upper, stack->constant(shape.width()));
  LoopVariable &columns = body->loops[size_t(shape.vectorLoop)];
  columns = {};
  columns.level = stack->depth();
  columns.isVector = true;
  columns.index = {panel.getInductionVar()};
  body->masks.clear();
  if (masked) {
    Value left = arith::SubIOp::create(b, upper, panel.getInductionVar());
    for (int v = 0; v < shape.vectors; ++v) {
      Value rest =
          v ? Value(arith::SubIOp::create(b, left, stack->constant(int64_t(v) * shape.lanes)))
            : left;
      body->masks.push_back(vector::CreateMaskOp::create(
          b, mlir::VectorType::get({shape.lanes}, b.getI1Type()), rest));
    }
  }
  body->rowExists.clear();
  if (shape.rowLoop < 0) {
    emitBlock(pass);
  } else if (shape.isShort) {
    LoopVariable &variable = body->loops[size_t(shape.rowLoop)];
    variable = {};
    variable.rowSet = kMajorRows;
    for (int row = 0; row < shape.rows; ++row)
      variable.index.push_back(stack->constant(row));
    emitBlock(pass);
  } else {
    Bounds range = bounds(nest, shape.rowLoop);
    Value last = stack->value(stack->add(range.upper, b.getIndexAttr(-1)));
    auto rows = stack->open(stack->value(range.lower), stack->value(range.upper),
                            stack->constant(shape.rows));
    LoopVariable &variable = body->loops[size_t(shape.rowLoop)];
    variable = {};
    variable.level = stack->depth();
    variable.rowSet = kMajorRows;
    variable.index = blockIndices(range, rows.getInductionVar(), shape.rows, last);
    if (shape.isWindow) // the last line's results are stored again
      body->rowExists.clear();
    emitBlock(pass);
    stack->close();
  }
  stack->close();
  body->masks.clear();
  body->rowExists.clear();
}

void KernelEmitter::emitBlocks(const Pass &pass, const BlockShape &shape) {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  if (shape.rowLoop < 0 && isColumnReduction(pass))
    return emitColumns(pass, shape.vectorLoop, shape.lanes);
  placeArrays(pass, pass.outer);
  int opened = openOtherLoops(pass, shape.vectorLoop, shape.rowLoop);
  body->lanes = shape.lanes;
  body->rows = shape.rows;
  body->vectors = shape.vectors;
  Bounds range = bounds(first, shape.vectorLoop);
  int64_t step = shape.width();
  Value lower = stack->value(range.lower), upper = stack->value(range.upper), main;
  auto constantLower = constantSize(range.lower), constantUpper = constantSize(range.upper);
  bool hasMain = true, hasRest = true;
  if (constantLower && constantUpper) {
    int64_t count = *constantUpper - *constantLower, whole = count / step * step;
    hasMain = whole > 0;
    hasRest = whole < count;
    main = stack->constant(*constantLower + whole);
  } else {
    Value count = arith::SubIOp::create(b, upper, lower);
    Value rest = arith::RemUIOp::create(b, count, stack->constant(step));
    main = arith::SubIOp::create(b, upper, rest);
  }
  if (hasMain && hasRest && shape.rowLoop >= 0 && first.isReduction() && target.maskRegisters) {
    hasMain = false;
    main = lower;
  }
  if (hasMain)
    emitPanel(pass, shape, lower, main, /*masked=*/false);
  if (hasRest)
    emitPanel(pass, shape, main, upper, /*masked=*/true);
  for (int i = 0; i < opened; ++i)
    stack->close();
}

} // namespace graphc
