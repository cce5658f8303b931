//===- Transforms/Columns.cpp - reductions over an outer axis -------------===//
//
// A long reduction whose loads are contiguous along a parallel loop and are used once (sum over
// axis 0; a vector times a matrix is in ProductVectors.cpp). A register block would walk down a
// narrow strip, one cache line group of each row: 3 times slower than memory allows, because each
// row is on another page. So rows are read whole, and the accumulators of all columns are in a
// scratch row, which stays in the L1 or L2 cache:
//
//   for %j: scratch[j] = neutral
//   for %k step 4:
//     for %j step 2 * lanes: scratch[j] = join(scratch[j], 4 rows joined in order)
//   for %j: what follows at the element (casts, ...), stores
//
// Sums of float32 in float64 (F-012) have a second scratch row, of float32: of 16 rows, the first
// four go there, the next eight are added to it, and the last four with it to the row of float64.
//
// As many rows at a time as make the scratch row's traffic half of theirs: 4, or 8 of long bodies
// that are joined in float64. More rows are more places at which memory is read, each on another
// page, where prefetchers lose count: of 4096 x 4096, 16 rows take 1.2 times as long on Zen 5. With
// fewer, the scratch row's traffic shows.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Vectors of a row in each trip.
static constexpr int kVectors = 2;
/// Rows at a time of float32 that are joined in float64, and those that are joined before.
static constexpr int kRows = 4, kPartialRows = 16;
/// Longer bodies are not made three times.
static constexpr int kShortBody = 8;
/// Shorter reductions are done before a scratch row pays.
static constexpr int64_t kLongReduction = 64;

bool KernelEmitter::isColumnReduction(const Pass &pass) const {
  const KernelNest &first = kernel.nests[size_t(pass.nests[0])];
  if (!uses(Optimization::Columns) || !first.isReduction() || first.neutral.size() != 1 ||
      first.numLoops() != first.numParallel + 1)
    return false;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
      return false;
  auto extent = constantSize(first.extents.back());
  return !extent || *extent > kLongReduction;
}

/// Rows whose loads are twice the traffic of their sums, by the widest array that is read; up to
/// the 16 terms of F-012.
static int rowsAtATime(const KernelModel &kernel, const KernelNest &nest) {
  unsigned sum = nest.neutral[0].getType().getIntOrFloatBitWidth(), widest = 8;
  for (int array : nest.inputs)
    if (array >= 0)
      widest = std::max(widest, kernel.arrays[size_t(array)].element.getIntOrFloatBitWidth());
  return int(std::clamp(4 * sum / widest, 4u, 16u));
}

/// Runs `make` on all vectors of the loop, `vectors` at a time, and those that are left one by one,
/// masked.
void KernelEmitter::overColumns(const KernelNest &nest, int loop,
                                llvm::function_ref<void(Value index)> make, int vectors) {
  Bounds range = bounds(nest, loop);
  int64_t lanes = body->lanes;
  Value lower = stack->value(range.lower), upper = stack->value(range.upper);
  Value count = arith::SubIOp::create(b, upper, lower);
  Value main = arith::AddIOp::create(b, lower, floorToMultiple(count, vectors * lanes));
  for (bool masked : {false, true}) {
    body->vectors = masked ? 1 : vectors;
    auto columns = stack->open(masked ? main : lower, masked ? upper : main,
                               stack->constant(body->vectors * lanes));
    LoopVariable &variable = body->loops[size_t(loop)];
    variable = {};
    variable.level = stack->depth();
    variable.isVector = true;
    variable.index = {columns.getInductionVar()};
    body->masks.clear();
    if (masked) {
      Value left = arith::SubIOp::create(b, upper, columns.getInductionVar());
      body->masks.push_back(
          vector::CreateMaskOp::create(b, mlir::VectorType::get({lanes}, b.getI1Type()), left));
    }
    make(columns.getInductionVar());
    stack->close();
  }
  body->vectors = 1;
  body->masks.clear();
}

void KernelEmitter::emitColumns(const Pass &pass, int vectorLoop, int lanes) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  placeArrays(pass, pass.outer);
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  mlir::Type element = nest.neutral[0].getType();
  Size extent = nest.extents[size_t(vectorLoop)];
  Value scratch = function.addScratch(element, extent).buffer;
  int opened = 0;
  for (int loop = pass.outer; loop < nest.numParallel; ++loop)
    if (loop != vectorLoop) {
      openLoop(nest, loop);
      ++opened;
    }

  body->lanes = lanes;
  body->vectors = 1;
  body->rows = 1;
  auto type = mlir::VectorType::get({lanes}, element);
  auto read = [&](Value row, mlir::Type element, Value index) -> Value {
    auto inMemory = mlir::VectorType::get({lanes}, memoryType(element));
    Value loaded;
    if (body->masks.empty()) {
      loaded = vector::LoadOp::create(b, inMemory, row, index);
    } else {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(inMemory));
      loaded = vector::MaskedLoadOp::create(b, inMemory, row, index, body->masks[0], zero);
    }
    return fromMemory(b, loaded, element);
  };
  auto write = [&](Value row, Value index, Value value) {
    value = toMemory(b, value);
    if (body->masks.empty())
      vector::StoreOp::create(b, value, row, index);
    else
      vector::MaskedStoreOp::create(b, row, index, body->masks[0], value);
  };

  overColumns(nest, vectorLoop,
              [&](Value index) { write(scratch, index, body->neutral(nest, lanes)[0]); });
  stack->dropAnchor();

  int reduction = nest.numParallel;
  Bounds range = bounds(nest, reduction);
  Value upper = stack->value(range.upper);
  bool partial = bool(nest.partialTerm);
  llvm::SmallVector<Value, 2> target = {partial ? nest.partialTerm : nest.terms[0]};
  // What rows join to, `rows` of [lower, upper) at a time, goes to `keep`, vector by vector.
  auto addRows = [&](Value lower, Value upper, int rows,
                     llvm::function_ref<void(Value place, Value joined)> keep) {
    auto loop = stack->open(lower, upper, stack->constant(rows));
    LoopVariable &variable = body->loops[size_t(reduction)];
    variable = {};
    variable.level = stack->depth();
    variable.rowSet = kMajorRows;
    for (int row = 0; row < rows; ++row)
      variable.index.push_back(
          row ? Value(arith::AddIOp::create(b, loop.getInductionVar(), stack->constant(row)))
              : loop.getInductionVar());
    body->rows = rows;
    overColumns(
        nest, vectorLoop,
        [&](Value index) {
          llvm::SmallVector<Value, 8> terms = body->emit(nest, target, /*asVectors=*/true)[0];
          const int vectors = body->vectors;
          for (int i = vectors; i < rows * vectors; ++i) {
            Value &sum = terms[size_t(i % vectors)];
            sum = body->join(nest, sum, terms[size_t(i)])[0];
          }
          for (int v = 0; v < vectors; ++v)
            keep(v ? arith::AddIOp::create(b, index, stack->constant(v * lanes)) : index,
                 terms[size_t(v)]);
        },
        rows == 1 ? 1 : kVectors);
    stack->close();
    stack->dropAnchor();
  };
  auto addToSums = [&](Value place, Value joined) {
    if (partial)
      joined = arith::ExtFOp::create(b, type, joined);
    write(scratch, place, body->join(nest, read(scratch, element, place), joined)[0]);
  };
  Value main;
  if (partial && bodyCost(nest) <= kShortBody) {
    mlir::Type narrow = target[0].getType();
    Value partialSums = function.addScratch(narrow, extent).buffer;
    auto joinPartial = [&](Value place, Value joined) {
      return body->join(nest, read(partialSums, narrow, place), joined)[0];
    };
    main = floorToMultiple(upper, kPartialRows);
    Value first =
        stack->open(stack->constant(0), main, stack->constant(kPartialRows)).getInductionVar();
    auto behind = [&](int rows) { return arith::AddIOp::create(b, first, stack->constant(rows)); };
    Value second = behind(kRows), last = behind(kPartialRows - kRows), end = behind(kPartialRows);
    addRows(first, second, kRows,
            [&](Value place, Value joined) { write(partialSums, place, joined); });
    addRows(second, last, kRows, [&](Value place, Value joined) {
      write(partialSums, place, joinPartial(place, joined));
    });
    addRows(last, end, kRows,
            [&](Value place, Value joined) { addToSums(place, joinPartial(place, joined)); });
    stack->close();
    stack->dropAnchor();
  } else {
    const int rowsTogether = rowsAtATime(kernel, nest);
    main = floorToMultiple(upper, rowsTogether);
    addRows(stack->constant(0), main, rowsTogether, addToSums);
  }
  addRows(main, upper, 1, addToSums);

  body->rows = 1;
  overColumns(nest, vectorLoop, [&](Value index) {
    auto keep = [&](const KernelNest &of, Value value) {
      RegisterArray kept;
      kept.level = stack->depth();
      kept.onVector = true;
      kept.values = {value};
      if (inMemory[size_t(of.result)])
        body->store(of, value);
      body->registers[of.result] = std::move(kept);
    };
    keep(nest, read(scratch, element, index));
    for (int number : llvm::ArrayRef(pass.nests).drop_front()) {
      const KernelNest &map = kernel.nests[size_t(number)];
      keep(map, body->emit(map, map.terms, /*asVectors=*/true)[0][0]);
    }
    for (int number : pass.nests)
      body->registers.erase(kernel.nests[size_t(number)].result);
  });
  for (int i = 0; i < opened; ++i)
    stack->close();
}

} // namespace graphc
