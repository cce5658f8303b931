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
// sums that have just been stored. Each sum is joined in the same order as before. `rows` is scratch
// memory of each thread, so it must be known to be small, and places must be fewer than terms.
//
//===----------------------------------------------------------------------===//
#include "Transforms/KernelEmitter.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Of all rows: half of an L1 cache, in which terms and sums lie, too.
static constexpr int64_t kMostBytes = 16 << 10;

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
  const int64_t width = int64_t(llvm::PowerOf2Ceil(shapes.size()));
  const int64_t rowBytes = width * element.getIntOrFloatBitWidth() / 8;
  auto places = constantSize(nest.extents[size_t(loop)]), terms = constantSize(nest.extents.back());
  if (rowBytes > target.vectorBytes || !places || *places * rowBytes > kMostBytes || !terms ||
      *terms < 2 * *places)
    return std::nullopt;
  ScatterRows rows;
  rows.type = mlir::VectorType::get(width, element);
  rows.memory = function.addScratch(element, b.getIndexAttr(*places * width)).buffer;
  return rows;
}

/// Where the row of a place begins.
Value KernelEmitter::rowAt(const ScatterRows &rows, Value place) {
  return stack->value(stack->multiply(place, b.getIndexAttr(rows.type.getDimSize(0))));
}

/// One number of each sum as a vector; what is behind them is `behind`.
Value KernelEmitter::rowOf(const ScatterRows &rows, llvm::ArrayRef<Value> numbers, Value behind) {
  llvm::SmallVector<Value, 8> all(numbers);
  all.resize(size_t(rows.type.getDimSize(0)), behind);
  return vector::FromElementsOp::create(b, rows.type, all);
}

void KernelEmitter::storeRow(const ScatterRows &rows, Value place, Value row) {
  vector::StoreOp::create(b, row, rows.memory, rowAt(rows, place));
}

/// Joins a term of each sum to those at a place.
void KernelEmitter::joinRow(const ScatterRows &rows, Value place, llvm::ArrayRef<Value> terms) {
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(rows.type.getElementType()));
  Value sums = vector::LoadOp::create(b, rows.type, rows.memory, rowAt(rows, place));
  storeRow(rows, place, arith::AddFOp::create(b, sums, rowOf(rows, terms, zero)));
}

/// Sums go to where they are read.
void KernelEmitter::spreadRows(const ScatterRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  const int loop = shapes[0].loop;
  body->lanes = 1;
  openLoop(*shapes[0].nest, loop);
  Value row = vector::LoadOp::create(b, rows.type, rows.memory,
                                     rowAt(rows, body->loops[size_t(loop)].index[0]));
  for (auto [lane, shape] : llvm::enumerate(shapes)) {
    Value sum = vector::ExtractOp::create(b, row, int64_t(lane));
    body->store(*shape.nest, sum);
  }
  stack->close();
  stack->dropAnchor();
}

} // namespace graphc
