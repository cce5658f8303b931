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
  if (rowBytes > target.vectorBytes)
    return std::nullopt;
  ScatterRows rows;
  rows.type = mlir::VectorType::get({width}, element);
  rows.memory = onStack(element, kMostBytes);
  auto atMost = [&](Value number, Value limit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, number, limit);
  };
  Value places = stack->value(nest.extents[size_t(loop)]);
  rows.fit = arith::AndIOp::create(
      b, atMost(places, stack->constant(kMostBytes / rowBytes)),
      atMost(stack->value(stack->multiply(places, b.getIndexAttr(kTermsForRow))),
             stack->value(nest.extents.back())));
  return rows;
}

/// Where the row of a place begins.
Value KernelEmitter::rowAt(const ScatterRows &rows, Value place) {
  return stack->value(stack->multiply(place, b.getIndexAttr(rows.type.getDimSize(0))));
}

/// For all places, if rows fit.
void KernelEmitter::overRows(const ScatterRows &rows, const ScatterShape &shape,
                             llvm::function_ref<void(Value place)> make) {
  Bounds range = bounds(*shape.nest, shape.loop);
  Value lower = stack->value(range.lower), upper = stack->value(range.upper);
  auto places = stack->open(lower, arith::SelectOp::create(b, rows.fit, upper, lower),
                            stack->constant(1));
  body->lanes = 1;
  setLoop(shape.loop, places.getInductionVar());
  make(places.getInductionVar());
  stack->close();
  stack->dropAnchor();
}

/// One number of each sum, and 0 behind them.
Value KernelEmitter::rowOf(const ScatterRows &rows, llvm::ArrayRef<Value> numbers) {
  Value row = arith::ConstantOp::create(b, b.getZeroAttr(rows.type));
  for (auto [lane, number] : llvm::enumerate(numbers))
    row = vector::InsertOp::create(b, number, row, int64_t(lane));
  return row;
}

void KernelEmitter::startRows(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  overRows(rows, shapes[0], [&](Value place) {
    llvm::SmallVector<Value, 3> starts;
    for (const ScatterShape &shape : shapes)
      starts.push_back(startOf(shape));
    vector::StoreOp::create(b, rowOf(rows, starts), rows.memory, rowAt(rows, place));
  });
}

/// Joins a term of each sum to those at a place.
void KernelEmitter::joinRow(const ScatterRows &rows, Value place, llvm::ArrayRef<Value> terms) {
  Value at = rowAt(rows, place);
  Value sums = vector::LoadOp::create(b, rows.type, rows.memory, at);
  Value joined = arith::AddFOp::create(b, sums, rowOf(rows, terms));
  vector::StoreOp::create(b, joined, rows.memory, at);
}

/// Sums go to where they are read.
void KernelEmitter::spreadRows(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  overRows(rows, shapes[0], [&](Value place) {
    Value row = vector::LoadOp::create(b, rows.type, rows.memory, rowAt(rows, place));
    for (auto [lane, shape] : llvm::enumerate(shapes)) {
      Value sum = vector::ExtractOp::create(b, row, int64_t(lane));
      body->store(*shape.nest, sum);
    }
  });
}

} // namespace graphc
