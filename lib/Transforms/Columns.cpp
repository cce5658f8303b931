//===- Transforms/Columns.cpp - reductions over an outer axis -------------===//
//
// A long reduction whose loads are contiguous along a parallel loop and are used once (sum over
// axis 0; a vector times a matrix is in ProductVectors.cpp). A register block would walk down a
// narrow strip, one cache line group of each row: 3 times slower than memory allows, because each
// row is on another page. So rows are read whole, and the accumulators of all columns are in a
// scratch row, which stays in the L1 or L2 cache:
//
//   for %j: scratch[j] = neutral
//   for %k step 16:
//     for %j step lanes: scratch[j] = join(scratch[j], 16 rows joined in pairs)
//   for %j: what follows at the element (casts, ...), stores
//
// 16 rows for each trip to the scratch row make its traffic an eighth of the rows' even where it is
// float64; 8 rows are 3 % and 4 rows 10 % slower. They are also as many float32 terms as F-012 lets
// meet before float64.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

static constexpr int kRows = 16;
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

/// Runs `make` on all vectors of the loop, the last one masked.
void KernelEmitter::overColumns(const KernelNest &nest, int loop,
                                llvm::function_ref<void(Value index)> make) {
  Bounds range = bounds(nest, loop);
  int64_t lanes = body->lanes;
  Value lower = stack->value(range.lower), upper = stack->value(range.upper);
  Value count = arith::SubIOp::create(b, upper, lower);
  Value main = arith::AddIOp::create(b, lower, floorToMultiple(count, lanes));
  for (bool masked : {false, true}) {
    auto columns =
        stack->open(masked ? main : lower, masked ? upper : main, stack->constant(lanes));
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
  body->masks.clear();
}

void KernelEmitter::emitColumns(const Pass &pass, int vectorLoop, int lanes) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  placeArrays(pass, pass.outer);
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  mlir::Type element = nest.neutral[0].getType();
  Size extent = nest.extents[size_t(vectorLoop)];
  Value scratch = addScratch(element, extent).buffer;
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
  auto read = [&](Value index) -> Value {
    auto inMemory = mlir::VectorType::get({lanes}, memoryType(element));
    Value loaded;
    if (body->masks.empty())
      loaded = vector::LoadOp::create(b, inMemory, scratch, index);
    else
      loaded = vector::MaskedLoadOp::create(b, inMemory, scratch, index, body->masks[0],
                                            toMemory(b, body->neutral(nest, lanes)[0]));
    return fromMemory(b, loaded, element);
  };
  auto write = [&](Value index, Value value) {
    value = toMemory(b, value);
    if (body->masks.empty())
      vector::StoreOp::create(b, value, scratch, index);
    else
      vector::MaskedStoreOp::create(b, scratch, index, body->masks[0], value);
  };

  overColumns(nest, vectorLoop, [&](Value index) { write(index, body->neutral(nest, lanes)[0]); });
  stack->dropAnchor();

  int reduction = nest.numParallel;
  Bounds range = bounds(nest, reduction);
  Value upper = stack->value(range.upper);
  Value main = floorToMultiple(upper, kRows);
  bool partial = bool(nest.partialTerm);
  llvm::SmallVector<Value, 2> target = {partial ? nest.partialTerm : nest.terms[0]};
  for (int rows : {kRows, 1}) {
    auto loop = stack->open(rows == 1 ? main : stack->constant(0), rows == 1 ? upper : main,
                            stack->constant(rows));
    LoopVariable &variable = body->loops[size_t(reduction)];
    variable = {};
    variable.level = stack->depth();
    variable.rowSet = kMajorRows;
    for (int row = 0; row < rows; ++row)
      variable.index.push_back(
          row ? Value(arith::AddIOp::create(b, loop.getInductionVar(), stack->constant(row)))
              : loop.getInductionVar());
    body->rows = rows;
    overColumns(nest, vectorLoop, [&](Value index) {
      llvm::SmallVector<Value, 8> terms = body->emit(nest, target, /*asVectors=*/true)[0];
      for (int width = rows / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
          terms[size_t(i)] = body->join(nest, terms[size_t(i)], terms[size_t(i + width)])[0];
      Value joined = partial ? Value(arith::ExtFOp::create(b, type, terms[0])) : terms[0];
      write(index, body->join(nest, read(index), joined)[0]);
    });
    stack->close();
  }
  stack->dropAnchor();

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
    keep(nest, read(index));
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
