//===- Transforms/Streams.cpp - maps and reductions along one another -----===//
//
// All nests of the pass run over the same loops. The innermost one is the vector loop: for maps the
// last axis, where results are contiguous; for reductions the one whose loads are contiguous.
//
//   scf.for %i = %lower to %main step (unroll * lanes) { unroll vectors }
//   scf.for %i = %main to %upper step lanes { one vector, masked }
//
// Unrolling. Maps: none. Processors that run out of order have several vectors in hand at a time
// anyway, as many as instructions fit their window. Reductions: 8 accumulators for small bodies, 4
// and 2 for larger ones; fewer leave the adders' latency bare. They are joined in pairs at the end,
// then the lanes by halves.
//
// Long bodies of maps are made once, for whole vectors and the last one; loads and stores branch to
// their masked form. To compile such a body takes milliseconds, and the branches are always
// predicted; masked loads and stores in all iterations take a seventh longer.
//
// Transposed operands. Where a map loads neighbours along another loop than the vector loop, that
// loop is cut in blocks, whose iterations run inside the vector loop:
//
//   for %block = %lower to %upper step 16 { for %j { for %i in the block { one vector } } }
//
// So the cache lines that one vector touches serve the next iterations, before they are forgotten.
// Whole squares are transposed in registers (Squares.cpp).
//
// Sums of float32 in float64 (F-012): 16 vectors are added in float32, each lane at most 16 terms
// with the pairwise join, and then extended: two conversions and two adds for 16 vectors, so that
// the sum costs what a float32 sum does. Fewer than 16 that are left are added one by one, but made
// two at a time: short rows have no others.
//
//===----------------------------------------------------------------------===//
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;
using mlir::ValueRange;

/// Vectors that are joined in float32 before they are extended.
static constexpr int kPartialVectors = 16;
/// Up to this cost, as many bodies are written out as a vector has lanes.
static constexpr int kSquareBody = 8;
/// Intel's processors gather 16 lanes sooner than they read a square's 16 lines from behind the L2
/// cache (512x512 and more: 0.65 to 0.83 of the time; 1.3 of it at 256x256).
static constexpr int kSquareLanesOfIntel = 8;
/// Iterations that share the cache lines of a transposed operand: a line's float32.
static constexpr int kCrossedBlock = 16;

struct KernelEmitter::StreamReduction {
  const KernelNest *nest;
  bool partial; ///< joined in float32 first
  llvm::SmallVector<llvm::SmallVector<Value, 2>, 8>
      sets; ///< accumulators, by vector of the unrolled loop
  llvm::SmallVector<llvm::SmallVector<Value, 2>, 8> parts; ///< float32 ones, while in a block
};

struct KernelEmitter::Stream {
  const Pass *pass;
  int vectorLoop;
  int unroll = 1;
  llvm::SmallVector<StreamReduction, 2> reductions;
  int crossed = -1;        ///< the loop that is cut in blocks, if there is one
  bool isLong = false;     ///< maps only, and kLongBody
  bool hasSquares = false; ///< of transposed operands
  bool inOneSet = false;   ///< all vectors are joined with the first accumulators, one by one
  Value blockBegin, blockEnd;

  /// The accumulators as a loop carries them; set them from its values.
  llvm::SmallVector<Value> carried(bool parts, size_t sets) const {
    llvm::SmallVector<Value> result;
    for (const StreamReduction &reduction : reductions)
      for (auto &set : llvm::ArrayRef(parts && reduction.partial ? reduction.parts : reduction.sets)
                           .take_front(sets))
        result.append(set.begin(), set.end());
    return result;
  }
  void assign(bool parts, size_t sets, ValueRange values) {
    size_t next = 0;
    for (StreamReduction &reduction : reductions)
      for (auto &set :
           llvm::MutableArrayRef(parts && reduction.partial ? reduction.parts : reduction.sets)
               .take_front(sets))
        for (Value &value : set)
          value = values[next++];
  }
};

/// A scalar that later passes of this iteration of the outer loops may use.
void KernelEmitter::keepResult(const KernelNest &nest, Value scalar) {
  RegisterArray kept;
  kept.level = stack->depth();
  kept.values = {scalar};
  body->registers[nest.result] = std::move(kept);
  if (inMemory[size_t(nest.result)])
    body->store(nest, scalar);
}

/// The vectors of an iteration of the vector loop, for later nests.
void KernelEmitter::keepVectors(int array, llvm::ArrayRef<Value> values) {
  RegisterArray kept;
  kept.level = stack->depth();
  kept.onVector = true;
  kept.values.assign(values.begin(), values.end());
  body->registers[array] = std::move(kept);
}

/// No loops of its own: straight-line code.
void KernelEmitter::emitPoint(const Pass &pass) {
  body->lanes = body->rows = body->vectors = 1;
  body->masks.clear();
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    auto values = body->emit(nest, nest.terms, /*asVectors=*/false);
    if (!nest.isReduction()) {
      keepResult(nest, values[0][0]);
      continue;
    }
    llvm::SmallVector<Value, 2> terms;
    for (auto &each : values)
      terms.push_back(each[0]);
    keepResult(nest, body->join(nest, body->neutral(nest, 1), terms).back());
  }
}

int KernelEmitter::streamLoop(const Pass &pass) const {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  int last = first.numLoops() - 1;
  bool hasMap =
      llvm::any_of(pass.nests, [&](int nest) { return !kernel.nests[size_t(nest)].isReduction(); });
  if (hasMap)
    return last;
  int best = last;
  double bestCost = 0;
  for (int loop = last; loop >= pass.outer; --loop) {
    double cost = 0;
    for (int nest : pass.nests)
      cost += body->memoryCost(kernel.nests[size_t(nest)], loop);
    if (loop == last || cost < bestCost) {
      best = loop;
      bestCost = cost;
    }
  }
  return best;
}

/// One block of the vector loop from `index`: `unroll` vectors, or one with a mask.
void KernelEmitter::streamBody(Stream &stream, Value index, int unroll, Value mask) {
  LoopVariable &variable = body->loops[size_t(stream.vectorLoop)];
  variable = {};
  variable.level = stack->depth();
  variable.isVector = true;
  variable.index = {index};
  body->rows = 1;
  body->vectors = unroll;
  body->masks.clear();
  if (mask)
    body->masks.push_back(mask);
  BodyEmitter::CommonLoads common(*body);
  auto *next = stream.reductions.begin();
  for (int number : stream.pass->nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    fetchNextRows(nest, stream.vectorLoop);
    if (!nest.isReduction()) {
      auto values = body->emit(nest, nest.terms, /*asVectors=*/true);
      keepVectors(nest.result, values[0]);
      if (inMemory[size_t(nest.result)])
        body->store(nest, values[0]);
      continue;
    }
    StreamReduction &reduction = *next++;
    JoinPlan plan = body->planJoin(nest, reduction.partial);
    auto values = body->emit(nest, plan.targets, true);
    auto &sets = reduction.partial ? reduction.parts : reduction.sets;
    for (int u = 0; u < unroll; ++u) {
      llvm::SmallVector<Value, 2> terms;
      for (auto &each : values)
        terms.push_back(each[size_t(u)]);
      auto &set = sets[stream.inOneSet ? 0 : size_t(u)];
      llvm::SmallVector<Value, 2> joined = body->join(nest, plan, set, terms);
      for (auto [value, old] : llvm::zip(joined, set))
        old = mask ? Value(arith::SelectOp::create(b, mask, value, old)) : value;
    }
  }
}

/// The body, for all iterations of a block of the crossed loop where there is one.
void KernelEmitter::streamBlock(Stream &stream, Value index, int unroll, Value mask) {
  if (stream.crossed < 0)
    return streamBody(stream, index, unroll, mask);
  Value begin = stream.blockBegin;
  if (stream.hasSquares && (!mask || target.maskRegisters))
    begin = emitSquares(*stream.pass, stream.vectorLoop, stream.crossed, index, begin,
                        stream.blockEnd, mask);
  auto loop = stack->open(begin, stream.blockEnd, stack->constant(1));
  LoopVariable &variable = body->loops[size_t(stream.crossed)];
  variable = {};
  variable.level = stack->depth();
  variable.index = {loop.getInductionVar()};
  streamBody(stream, index, unroll, mask);
  stack->close();
}

void KernelEmitter::streamInnerLoop(Stream &stream) {
  const KernelNest &first = kernel.nests[size_t(stream.pass->nests[0])];
  Bounds range = bounds(first, stream.vectorLoop);
  int64_t lanes = body->lanes, unroll = stream.unroll;
  bool partial = llvm::any_of(stream.reductions, [](auto &each) { return each.partial; });
  int64_t step = unroll * lanes;
  int64_t block = partial ? kPartialVectors * lanes : step;

  auto zero = [&]() -> llvm::SmallVector<Value, 2> {
    mlir::Type type = b.getF32Type();
    if (lanes > 1)
      type = mlir::VectorType::get({lanes}, type);
    mlir::TypedAttr attr = b.getZeroAttr(type);
    return {stack->at(0, {attr.getAsOpaquePointer(), 0},
                      [&] { return arith::ConstantOp::create(b, attr); })};
  };
  auto beginParts = [&](size_t sets) {
    for (StreamReduction &reduction : stream.reductions)
      if (reduction.partial)
        reduction.parts.assign(sets, zero());
  };
  auto endParts = [&] {
    for (StreamReduction &reduction : stream.reductions) {
      if (!reduction.partial)
        continue;
      for (size_t width = reduction.parts.size(); width > 1; width /= 2)
        for (size_t i = 0; i < width / 2; ++i)
          reduction.parts[i] =
              body->join(*reduction.nest, reduction.parts[i], reduction.parts[i + width / 2]);
      Value sum = reduction.parts[0][0];
      mlir::Type wide = reduction.sets[0][0].getType();
      Value extended = arith::ExtFOp::create(b, wide, sum);
      reduction.sets[0] = body->join(*reduction.nest, reduction.sets[0], extended);
    }
  };

  Value lower = stack->value(range.lower), upper = stack->value(range.upper), main = upper;
  auto constantLower = constantSize(range.lower), constantUpper = constantSize(range.upper);
  bool hasMain = true, hasTail = block > 1, hasRest = true;
  if (constantLower && constantUpper) {
    int64_t count = *constantUpper - *constantLower, whole = count / block * block;
    hasMain = whole > 0;
    hasTail = whole < count;
    hasRest = !partial || count % (2 * lanes) != 0; // of a tail, behind pairs of vectors
    main = stack->constant(*constantLower + whole);
  } else if (block > 1) {
    Size count = *constantLower == 0 && constantLower
                     ? Size(upper)
                     : Size(arith::SubIOp::create(b, upper, lower).getResult());
    main = stack->value(stack->add(range.lower, floorToMultiple(stack->value(count), block)));
  }

  if (uses(Optimization::Strips) && stream.isLong && stream.crossed < 0 && lanes > 1 &&
      !kernel.hasChecks)
    if (std::vector<Piece> pieces = piecesOf(*stream.pass, stream.vectorLoop); !pieces.empty())
      return emitStrips(*stream.pass, stream.vectorLoop, pieces, lower, upper, hasTail);
  bool once = hasMain && hasTail && stream.isLong;
  if (once) {
    hasMain = false;
    main = lower;
  }
  size_t sets = size_t(unroll);
  if (hasMain) {
    auto loop = stack->open(lower, main, stack->constant(block), stream.carried(false, sets));
    stream.assign(false, sets, loop.getRegionIterArgs());
    if (!partial) {
      streamBlock(stream, loop.getInductionVar(), int(unroll), Value());
    } else {
      beginParts(sets);
      Value end = arith::AddIOp::create(b, loop.getInductionVar(), stack->constant(block));
      auto inner = stack->open(loop.getInductionVar(), end, stack->constant(step),
                               stream.carried(true, sets));
      stream.assign(true, sets, inner.getRegionIterArgs());
      streamBody(stream, inner.getInductionVar(), int(unroll), Value());
      stack->close(stream.carried(true, sets));
      stream.assign(true, sets, inner.getResults());
      endParts();
    }
    stack->close(stream.carried(false, sets));
    stream.assign(false, sets, loop.getResults());
  }
  if (hasTail) {
    beginParts(1);
    stream.inOneSet = true;
    if (partial && lanes > 1) { // up to 15 vectors: without masks as long as there are two
      Value count = arith::SubIOp::create(b, upper, main);
      Value pairs = arith::AddIOp::create(b, main, floorToMultiple(count, 2 * lanes));
      auto loop = stack->open(main, pairs, stack->constant(2 * lanes), stream.carried(true, 1));
      stream.assign(true, 1, loop.getRegionIterArgs());
      streamBlock(stream, loop.getInductionVar(), 2, Value());
      stack->close(stream.carried(true, 1));
      stream.assign(true, 1, loop.getResults());
      main = pairs;
    }
    if (hasRest) {
      auto loop = stack->open(main, upper, stack->constant(lanes), stream.carried(true, 1));
      stream.assign(true, 1, loop.getRegionIterArgs());
      Value mask;
      if (lanes > 1) {
        Value left = arith::SubIOp::create(b, upper, loop.getInductionVar());
        if (once) {
          body->lanesLeft = left;
          body->isWhole =
              arith::CmpIOp::create(b, arith::CmpIPredicate::sge, left, stack->constant(lanes));
        } else {
          mask =
              vector::CreateMaskOp::create(b, mlir::VectorType::get({lanes}, b.getI1Type()), left);
        }
      }
      streamBlock(stream, loop.getInductionVar(), 1, mask);
      body->lanesLeft = body->isWhole = nullptr;
      stack->close(stream.carried(true, 1));
      stream.assign(true, 1, loop.getResults());
    }
    stream.inOneSet = false;
    endParts();
  }
}

void KernelEmitter::emitStream(const Pass &pass) {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  int numLoops = first.numLoops();
  if (int(body->loops.size()) < numLoops)
    body->loops.resize(size_t(numLoops));
  placeArrays(pass, pass.outer);
  if (numLoops == pass.outer)
    return emitPoint(pass);
  if (emitIfPad(pass))
    return;

  Stream stream;
  stream.pass = &pass;
  stream.vectorLoop = streamLoop(pass);
  int lanes = lanesOf();
  if (auto extent = constantSize(first.extents[size_t(stream.vectorLoop)]);
      extent && *extent < lanes && !function.splitBegin)
    lanes = int(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(*extent, 1))));
  body->lanes = lanes;

  int cost = 0;
  for (int nest : pass.nests)
    cost += bodyCost(kernel.nests[size_t(nest)]);
  int numReductions = 0;
  for (int nest : pass.nests)
    numReductions += kernel.nests[size_t(nest)].isReduction();
  bool hasReduction = numReductions > 0;
  if (lanes > 1 && hasReduction)
    stream.unroll = cost < 8 ? 8 : cost < 20 ? 4 : 2;
  if (numReductions > 1) // all accumulators fit the registers
    while (stream.unroll > 1 && stream.unroll * numReductions > numAccumulators(pass))
      stream.unroll /= 2;
  stream.isLong = !hasReduction && cost >= kLongBody;
  // Quotients are no calls, but shifts. With branches, a vector of them took twice as long.
  int numQuotients = 0;
  for (int nest : pass.nests)
    numQuotients += body->numQuotients(kernel.nests[size_t(nest)], stream.vectorLoop);
  if (lanes > 1 && numQuotients && cost - numQuotients * kLongBody < 2 * kLongBody)
    stream.isLong = false;

  if (auto extent = constantSize(first.extents[size_t(stream.vectorLoop)]))
    while (stream.unroll > 1 && stream.unroll * lanes > *extent)
      stream.unroll /= 2;

  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (!nest.isReduction())
      continue;
    StreamReduction reduction{&nest, nest.partialTerm && lanes > 1, {}, {}};
    reduction.sets.assign(size_t(reduction.partial ? 1 : stream.unroll),
                          body->neutral(nest, lanes));
    stream.reductions.push_back(std::move(reduction));
  }

  // Checks tell of the first iteration that fails; their order stays.
  for (int nest : pass.nests)
    if (uses(Optimization::Crossed) && !hasReduction && !kernel.hasChecks && lanes > 1 &&
        stream.crossed < pass.outer)
      stream.crossed = body->crossedLoop(kernel.nests[size_t(nest)], stream.vectorLoop);
  if (stream.crossed < pass.outer) // open already
    stream.crossed = -1;
  const int mostLanes = target.isIntel ? kSquareLanesOfIntel : kCrossedBlock;
  stream.hasSquares = stream.crossed >= 0 && lanes >= 4 && lanes <= mostLanes &&
                      cost <= kSquareBody && uses(Optimization::Squares);

  if (lanes > 1)
    placeTables(pass, stream.vectorLoop);

  // The outer loops carry the accumulators.
  llvm::SmallVector<mlir::scf::ForOp> outer;
  size_t sets = size_t(stream.unroll);
  for (int loop = pass.outer; loop < numLoops; ++loop) {
    if (loop == stream.vectorLoop || loop == stream.crossed)
      continue;
    Bounds range = bounds(first, loop);
    auto op = stack->open(stack->value(range.lower), stack->value(range.upper), stack->constant(1),
                          stream.carried(false, sets));
    stream.assign(false, sets, op.getRegionIterArgs());
    LoopVariable &variable = body->loops[size_t(loop)];
    variable = {};
    variable.level = stack->depth();
    variable.index = {op.getInductionVar()};
    outer.push_back(op);
  }
  if (stream.crossed >= 0) {
    Bounds range = bounds(first, stream.crossed);
    Value upper = stack->value(range.upper), step = stack->constant(kCrossedBlock);
    auto op = stack->open(stack->value(range.lower), upper, step);
    stream.blockBegin = op.getInductionVar();
    stream.blockEnd =
        arith::MinSIOp::create(b, arith::AddIOp::create(b, stream.blockBegin, step), upper);
    outer.push_back(op);
  }
  streamInnerLoop(stream);
  for (mlir::scf::ForOp op : llvm::reverse(outer)) {
    stack->close(stream.carried(false, sets));
    stream.assign(false, sets, op.getResults());
  }

  body->tables.reset();
  // Nothing made inside the loops is in registers any more; the reductions' results are.
  for (int nest : pass.nests)
    body->registers.erase(kernel.nests[size_t(nest)].result);
  for (StreamReduction &reduction : stream.reductions) {
    for (size_t width = reduction.sets.size(); width > 1; width /= 2)
      for (size_t i = 0; i < width / 2; ++i)
        reduction.sets[i] = body->join(*reduction.nest, reduction.sets[i],
                                       reduction.sets[i + width / 2], /*inOrder=*/false);
    llvm::SmallVector<Value, 2> result = reduction.sets[0];
    if (lanes > 1)
      result = body->joinLanes(*reduction.nest, result);
    body->lanes = body->rows = body->vectors = 1;
    body->masks.clear();
    keepResult(*reduction.nest, result.back());
  }
}

} // namespace graphc
