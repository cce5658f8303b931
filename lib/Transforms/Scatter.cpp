//===- Scatter.cpp - sums whose terms each belong to one place ------------===//
//
//   y[i, p, j] = sum over k of (k == 0 ? x[i, p, j] : p == at[i, k - 1] ? v[i, k - 1, j] : 0)
//
// (lib/Emit/Scatter.h). As it stands every term is looked at for every p. Here each is added where
// it belongs:
//
//   for %i, %p, %j step lanes: y = join(neutral, x)
//   for %i, %k from 1 on:
//     %at = ...
//     scf.for %p = %at to (%at is in range ? %at + 1 : %at):
//       for %j step lanes: y[%i, %p, %j] = join(y[%i, %p, %j], v[%i, %k - 1, %j])
//   what follows at the elements, as streams over the parallel loops
//
// Several that add to the same places are one such loop: each place is looked up once.
//
// Sums that one output is computed from element by element lie in its memory. Without loops behind
// %p a term is a scalar. A part of the outermost loop (threads) that is %p's own takes the terms in
// its range. Terms are joined in the order of %k whatever the part, so that results do not depend
// on the number of threads.
//
//===----------------------------------------------------------------------===//
#include "Lowering/LowerToLinalg.h"
#include "Lowering/ScalarCall.h"
#include "Transforms/KernelEmitter.h"
#include "mlir/IR/Matchers.h"

namespace graphc {

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
using mlir::Value;

namespace {

/// The loops that each value of a nest's body depends on, a bit each.
class Dependences {
public:
  explicit Dependences(const KernelNest &nest) {
    for (auto [i, argument] : llvm::enumerate(nest.body()->getArguments()))
      for (int loop = 0; loop < nest.numLoops(); ++loop)
        if (i >= nest.inputs.size() || nest.maps[i].isFunctionOfDim(unsigned(loop)))
          loops[argument] |= uint64_t(1) << loop;
    for (mlir::Operation &inner : nest.body()->without_terminator()) {
      uint64_t all = 0;
      inner.walk([&](mlir::Operation *each) {
        for (Value operand : each->getOperands())
          all |= loops.lookup(operand);
      });
      if (auto index = mlir::dyn_cast<linalg::IndexOp>(inner))
        all = uint64_t(1) << index.getDim();
      for (Value result : inner.getResults())
        loops[result] = all;
    }
  }
  uint64_t of(Value value) const { return loops.lookup(value); }

private:
  llvm::DenseMap<Value, uint64_t> loops;
};

/// A choice by whether a counter is equal to something else.
struct Choice {
  arith::SelectOp select;
  arith::CmpIOp equal;

  explicit Choice(Value value) : select(value.getDefiningOp<arith::SelectOp>()) {
    if (select)
      equal = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (equal && equal.getPredicate() != arith::CmpIPredicate::eq)
      equal = nullptr;
  }
  int loop(bool isLeft) { return countedLoop(isLeft ? equal.getLhs() : equal.getRhs()); }
  Value other(bool isLeft) { return isLeft ? equal.getRhs() : equal.getLhs(); }
};

} // namespace

std::optional<KernelEmitter::ScatterShape>
KernelEmitter::scatterShape(const Pass &pass, const KernelNest &nest) const {
  if (!uses(Optimization::Scatters) || !nest.isReduction() ||
      nest.numLoops() != nest.numParallel + 1 || nest.numLoops() > 63 || nest.neutral.size() != 1 ||
      nest.neutral[0].getType() != kernel.arrays[size_t(nest.result)].element)
    return std::nullopt;
  Choice first(nest.terms[0]);
  Choice term(first.equal ? first.select.getFalseValue() : Value(nest.terms[0]));
  if (!first.equal || !term.equal)
    return std::nullopt;
  bool isFirst = false;
  for (bool isLeft : {true, false})
    isFirst |= first.loop(isLeft) == nest.numParallel &&
               mlir::matchPattern(first.other(isLeft), mlir::m_Zero());
  auto otherwise = term.select.getFalseValue().getDefiningOp<arith::ConstantOp>();
  if (!isFirst || !otherwise || otherwise.getValue() != nest.neutral[0])
    return std::nullopt;
  for (mlir::Operation &op : *nest.body())
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op); call && call.getCallee() == kCheckCall)
      return std::nullopt;
  Dependences loops(nest);
  if (loops.of(first.select.getTrueValue()) >> nest.numParallel & 1)
    return std::nullopt;
  for (bool isLeft : {true, false}) {
    Value position = term.other(isLeft), value = term.select.getTrueValue();
    int loop = term.loop(isLeft);
    if (loop < pass.outer || loop >= nest.numParallel)
      continue;
    uint64_t here = uint64_t(1) << loop, behind = (uint64_t(1) << nest.numParallel) - here;
    if (!(loops.of(position) & behind) && !(loops.of(value) & here))
      return ScatterShape{&nest, loop, first.select.getTrueValue(), position, value};
  }
  return std::nullopt;
}

/// The scatters of the pass; none if its sums are not all scatters to the same places, or one reads
/// what the pass makes.
llvm::SmallVector<KernelEmitter::ScatterShape, 3>
KernelEmitter::scatterShapes(const Pass &pass) const {
  llvm::SmallVector<ScatterShape, 3> shapes;
  llvm::SmallDenseSet<int> made;
  for (int number : pass.nests)
    made.insert(kernel.nests[size_t(number)].result);
  for (int number : pass.nests) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    if (!nest.isReduction()) {
      if (shapes.empty())
        return {};
      continue;
    }
    std::optional<ScatterShape> shape = scatterShape(pass, nest);
    bool reads = llvm::any_of(nest.inputs, [&](int array) { return made.contains(array); });
    nest.body()->walk([&](mlir::tensor::ExtractOp load) {
      reads |= made.contains(kernel.arrayOf.lookup(load.getTensor()));
    });
    if (!shape || reads ||
        (!shapes.empty() && (shape->loop != shapes[0].loop ||
                             !isSame(*shapes[0].nest, shapes[0].position, nest, shape->position))))
      return {};
    shapes.push_back(*shape);
  }
  return shapes;
}

/// Whether the pass is of scatters, which are then made.
bool KernelEmitter::emitIfScatter(const Pass &pass) {
  llvm::SmallVector<ScatterShape, 3> shapes = scatterShapes(pass);
  if (!shapes.empty())
    emitScatters(pass, shapes);
  return !shapes.empty();
}

/// Opens the parallel loops from `first` on, runs `make` for each vector along the last one, or
/// for each element where there are no vectors or no such loops, and closes them.
void KernelEmitter::overElements(const KernelNest &nest, int first,
                                 llvm::function_ref<void()> make) {
  const int last = nest.numParallel - 1;
  const bool hasVectors = first <= last && lanesOf() > 1;
  body->lanes = hasVectors ? lanesOf() : 1;
  int end = hasVectors ? last : nest.numParallel;
  for (int loop = first; loop < end; ++loop)
    openLoop(nest, loop);
  if (hasVectors)
    overColumns(nest, last, [&](Value) { make(); });
  else
    make();
  for (int loop = first; loop < end; ++loop)
    stack->close();
}

/// The output of the only nest that reads the sums, where it reads and stores one element at a time
/// and both have one type: its memory does for them, too, and no thread needs scratch of their size
/// (reusableInputs in lib/Kernels/Kernel.cpp keeps it apart from inputs). Otherwise -1.
static int outputForSums(const KernelModel &kernel, const Pass &pass, int sums) {
  int reader = -1;
  for (int number = 0; number < int(kernel.nests.size()); ++number) {
    const KernelNest &nest = kernel.nests[size_t(number)];
    bool reads = false;
    for (auto [operand, array] : llvm::enumerate(nest.inputs)) {
      if (array != sums)
        continue;
      reads = true;
      if (!nest.isIdentity(int(operand)))
        return -1;
    }
    nest.body()->walk([&](mlir::tensor::ExtractOp load) {
      if (kernel.arrayOf.lookup(load.getTensor()) == sums)
        reader = int(kernel.nests.size()); // at some index
    });
    if (reads && reader >= 0)
      return -1;
    reader = reads ? number : reader;
  }
  if (reader < 0 || !llvm::is_contained(pass.nests, reader))
    return -1;
  int result = kernel.nests[size_t(reader)].result;
  const KernelArray &array = kernel.arrays[size_t(result)];
  bool fits = array.role == KernelArray::Role::Output &&
              array.element == kernel.arrays[size_t(sums)].element;
  return fits ? result : -1;
}

void KernelEmitter::emitScatters(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes) {
  const KernelNest &nest = *shapes[0].nest;
  Pass sums{Pass::Kind::Points, pass.outer, {}}, maps{Pass::Kind::Stream, pass.outer, {}};
  for (int number : pass.nests)
    (kernel.nests[size_t(number)].isReduction() ? sums : maps).nests.push_back(number);
  llvm::SmallVector<int> taken; // an output has room for one of the sums that it is computed from
  for (const ScatterShape &shape : shapes) {
    int result = shape.nest->result, output = outputForSums(kernel, pass, result);
    if (output < 0 || inMemory[size_t(result)] || llvm::is_contained(taken, output))
      continue;
    taken.push_back(output);
    body->memory[size_t(result)] = body->memory[size_t(output)];
    inMemory[size_t(result)] = true;
  }
  llvm::SmallVector<Pass, 2> passes = {sums};
  if (!maps.nests.empty())
    passes.push_back(maps);
  placeArrays(passes, pass.outer);
  for (const ScatterShape &shape : shapes) // of which a check alone may be left: nobody reads them
    if (size_t result = size_t(shape.nest->result); !inMemory[result]) {
      inMemory[result] = true;
      function.addScratch(int(result), pass.outer);
    }
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  body->rows = body->vectors = body->minorRows = 1;
  body->masks.clear();
  body->rowExists.clear();

  body->loops[size_t(nest.numParallel)] = {};
  overElements(nest, pass.outer, [&] {
    for (const ScatterShape &shape : shapes)
      body->store(*shape.nest, startOf(shape));
  });
  stack->dropAnchor();
  Value begin = stack->constant(1), end = stack->value(nest.extents.back());
  if (std::optional<VectorRows> rows = scatterRows(pass, shapes)) {
    startRows(*rows, shapes);
    Value endOfRows = arith::SelectOp::create(b, rows->fit, end, begin);
    Value rest = joinWholeVectors(*rows, shapes, begin, endOfRows);
    emitTerms(pass, shapes, rest, endOfRows, &*rows);
    spreadRows(*rows, shapes);
    end = arith::SelectOp::create(b, rows->fit, begin, end);
  }
  emitTerms(pass, shapes, begin, end, nullptr);
  if (!maps.nests.empty())
    emitPass(maps);
}

/// Conditions that hold where there is a term: that its number is greater than 0.
void KernelEmitter::addAreTerms(const KernelNest &nest) {
  for (mlir::Operation &op : nest.body()->without_terminator())
    if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op))
      if (compare.getPredicate() == arith::CmpIPredicate::sgt &&
          countedLoop(compare.getLhs()) == nest.numParallel &&
          mlir::matchPattern(compare.getRhs(), mlir::m_Zero()))
        body->always.insert(compare.getResult());
}

/// What sums begin with.
Value KernelEmitter::startOf(const ScatterShape &shape) {
  Value start = emitOne(*shape.nest, shape.start);
  Value neutral = body->neutral(*shape.nest, body->lanes)[0];
  return body->join(*shape.nest, neutral, start)[0];
}

/// A value of a body in the only instance of the block.
Value KernelEmitter::emitOne(const KernelNest &nest, Value value) {
  return body->emit(nest, value, /*asVectors=*/body->lanes > 1)[0][0];
}

/// Joins terms with the sums in memory, or in `rows`, if not null.
void KernelEmitter::emitTerms(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes, Value begin,
                              Value end, const VectorRows *rows) {
  const KernelNest &nest = *shapes[0].nest;
  const int placeLoop = shapes[0].loop;
  body->lanes = 1;
  for (int loop = pass.outer; loop < placeLoop; ++loop)
    openLoop(nest, loop);
  auto terms = stack->open(begin, end, stack->constant(1));
  setLoop(nest.numParallel, terms.getInductionVar());
  for (const ScatterShape &shape : shapes)
    addAreTerms(*shape.nest);
  Value at = emitOne(nest, shapes[0].position);
  if (!at.getType().isIndex())
    at = arith::IndexCastOp::create(b, b.getIndexType(), at);
  Bounds range = bounds(nest, placeLoop);
  using P = arith::CmpIPredicate;
  Value isInside =
      arith::AndIOp::create(b, arith::CmpIOp::create(b, P::sge, at, stack->value(range.lower)),
                            arith::CmpIOp::create(b, P::slt, at, stack->value(range.upper)));
  Value next = arith::AddIOp::create(b, at, stack->constant(1));
  auto once = stack->open(at, arith::SelectOp::create(b, isInside, next, at), stack->constant(1));
  setLoop(placeLoop, once.getInductionVar());
  overElements(nest, placeLoop + 1, [&] {
    // All terms before the first sum: what they share is not loaded again behind a store.
    llvm::SmallVector<Value, 3> values;
    for (const ScatterShape &shape : shapes)
      values.push_back(emitOne(*shape.nest, shape.term));
    if (rows)
      return joinRow(*rows, once.getInductionVar(), rowOfNumbers(b, *rows, values));
    for (auto [shape, value] : llvm::zip_equal(shapes, values))
      body->joinStored(*shape.nest, value);
  });
  body->always.clear();
  for (int opened = pass.outer; opened < placeLoop + 2; ++opened)
    stack->close();
  stack->dropAnchor();
  body->lanes = 1;
}

} // namespace graphc
