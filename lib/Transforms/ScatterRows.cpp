//===- Transforms/ScatterRows.cpp - sums at one place as one vector -------===//
//
// Several scatters to the same places (Scatter.cpp):
//
//   before                                   after
//
//   for %k: at %p = at[%k]:                  for %k step lanes: for each lane, at %p:
//     a[%p] += v[%k]                           rows[%p, 0 to 3] += (v[%k], w[%k], u[%k], 0)
//     b[%p] += w[%k]                         for %p:
//     c[%p] += u[%k]                           a[%p], b[%p], c[%p] = rows[%p, 0 to 2]
//
// A core stores once a cycle, or twice: stores are what a loop over terms waits for, and then for
// sums that have just been stored. With one store a term, computing terms one by one would be what
// takes long, so they are computed as vectors. Each sum is joined in the same order as before.
//
// `rows` lies on the stack. Where places are too many for it, or more than terms, all is as before:
// of each loop that is left out the bounds are equal.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace graphc {

namespace arith = mlir::arith;
namespace vector = mlir::vector;
using mlir::Value;

/// Rows are filled and read once, which takes as long as so many terms each.
static constexpr int64_t kTermsForRow = 2;

std::optional<VectorRows> KernelEmitter::scatterRows(const Pass &pass,
                                                     llvm::ArrayRef<ScatterShape> shapes) {
  const KernelNest &nest = *shapes[0].nest;
  const int loop = shapes[0].loop;
  if (!uses(Optimization::ScatterRows) || shapes.size() < 2 || loop != pass.outer ||
      loop != nest.numParallel - 1)
    return std::nullopt;
  mlir::Type element = kernel.arrays[size_t(nest.result)].element;
  for (const ScatterShape &shape : shapes)
    if (kernel.arrays[size_t(shape.nest->result)].element != element ||
        !mlir::isa<arith::AddFOp>(shape.nest->join))
      return std::nullopt;
  return rowsOnStack(element, shapes.size(), nest.extents[size_t(loop)], nest.extents.back(),
                     kTermsForRow);
}

/// A vector of terms, or of places.
int KernelEmitter::lanesOfTerms(const VectorRows &rows) const {
  return int(target.vectorBytes / memoryBytes(rows.type.getElementType()));
}

/// What sums begin with, where rows fit.
void KernelEmitter::startRows(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  Bounds range = bounds(*shapes[0].nest, shapes[0].loop);
  Value lower = stack->value(range.lower), upper = stack->value(range.upper);
  rows.store(*stack, stack->constant(mostRows(rows.type)),
             rowOfNumbers(b, rows, {})); // the one that nobody reads
  auto places =
      stack->open(lower, arith::SelectOp::create(b, rows.fit, upper, lower), stack->constant(1));
  body->lanes = 1;
  setLoop(shapes[0].loop, places.getInductionVar());
  llvm::SmallVector<Value, 4> starts;
  for (const ScatterShape &shape : shapes)
    starts.push_back(startOf(shape));
  rows.store(*stack, places.getInductionVar(), rowOfNumbers(b, rows, starts));
  stack->close();
  stack->dropAnchor();
}

/// Joins a term of each sum to those of a row.
void KernelEmitter::joinRow(const VectorRows &rows, Value place, Value terms) {
  rows.store(*stack, place, arith::AddFOp::create(b, rows.load(*stack, place), terms));
}

/// Terms are computed as vectors, as many as make whole ones; returns where they end. Those of
/// places that are another thread's go to a row that nobody reads.
Value KernelEmitter::joinWholeVectors(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes,
                                      Value begin, Value end) {
  const KernelNest &nest = *shapes[0].nest;
  const int lanes = lanesOfTerms(rows);
  Value main =
      arith::AddIOp::create(b, begin, floorToMultiple(arith::SubIOp::create(b, end, begin), lanes));
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
  places =
      arith::SelectOp::create(b, isInside, places, asVector(stack->constant(mostRows(rows.type))));
  llvm::SmallVector<Value, 8> values;
  for (const ScatterShape &shape : shapes)
    values.push_back(emitOne(*shape.nest, shape.term));
  for (auto [lane, row] : llvm::enumerate(rowsOfVectors(b, rows, values))) {
    Value place = vector::ExtractOp::create(b, places, int64_t(lane));
    if (!place.getType().isIndex())
      place = arith::IndexCastOp::create(b, b.getIndexType(), place);
    joinRow(rows, place, row);
  }
  body->always.clear();
  stack->close();
  stack->dropAnchor();
  body->lanes = 1;
  return main;
}

/// Sums go to where they are read: as vectors, which those who read them find at once.
void KernelEmitter::spreadRows(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes) {
  const ScatterShape &first = shapes[0];
  Bounds range = bounds(*first.nest, first.loop);
  Value lower = stack->value(range.lower),
        upper = arith::SelectOp::create(b, rows.fit, stack->value(range.upper), lower);
  const int lanes = lanesOfTerms(rows);
  Value main = arith::AddIOp::create(
      b, lower, floorToMultiple(arith::SubIOp::create(b, upper, lower), lanes));
  auto spread = [&](Value begin, Value end, int step) {
    auto places = stack->open(begin, end, stack->constant(step));
    Value place = places.getInductionVar();
    body->lanes = step;
    setLoop(first.loop, place);
    body->loops[size_t(first.loop)].isVector = step > 1;
    llvm::SmallVector<Value, 8> loaded, sums;
    for (int64_t lane = 0; lane < step; ++lane)
      loaded.push_back(rows.load(*stack, stack->value(stack->add(place, b.getIndexAttr(lane)))));
    if (step > 1)
      sums = vectorsOfRows(b, loaded);
    else
      for (size_t lane = 0; lane < shapes.size(); ++lane)
        sums.push_back(vector::ExtractOp::create(b, loaded[0], int64_t(lane)));
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
