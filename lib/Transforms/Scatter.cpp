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

struct KernelEmitter::ScatterShape {
  int loop; ///< %p
  Value start, position, term;
};

namespace {

/// The loops that each value of a nest's body depends on, a bit each.
class Dependences {
public:
  explicit Dependences(const KernelNest &nest) {
    linalg::GenericOp op = nest.op;
    llvm::SmallVector<mlir::AffineMap> maps = op.getIndexingMapsArray();
    for (auto [i, argument] : llvm::enumerate(nest.body()->getArguments()))
      for (int loop = 0; loop < nest.numLoops(); ++loop)
        if (i >= nest.inputs.size() || maps[i].isFunctionOfDim(unsigned(loop)))
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

/// The loop that an index counts; -1 if the value is none.
int loopOf(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? int(index.getDim()) : -1;
}

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
  int loop(bool isLeft) { return loopOf(isLeft ? equal.getLhs() : equal.getRhs()); }
  Value other(bool isLeft) { return isLeft ? equal.getRhs() : equal.getLhs(); }
};

/// What is asked of the term's number where there is a term, that it is greater than 0.
llvm::DenseSet<Value> areTerms(const KernelNest &nest) {
  llvm::DenseSet<Value> result;
  for (mlir::Operation &op : nest.body()->without_terminator())
    if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op))
      if (compare.getPredicate() == arith::CmpIPredicate::sgt &&
          loopOf(compare.getLhs()) == nest.numParallel &&
          mlir::matchPattern(compare.getRhs(), mlir::m_Zero()))
        result.insert(compare.getResult());
  return result;
}

} // namespace

std::optional<KernelEmitter::ScatterShape> KernelEmitter::scatterShape(const Pass &pass) const {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (!uses(Optimization::Scatters) || !nest.isReduction() ||
      nest.numLoops() != nest.numParallel + 1 || nest.numLoops() > 63 || nest.neutral.size() != 1 ||
      nest.neutral[0].getType() != kernel.arrays[size_t(nest.result)].element)
    return std::nullopt;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
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
      return ScatterShape{loop, first.select.getTrueValue(), position, value};
  }
  return std::nullopt;
}

/// Whether the pass is a scatter, which is then made.
bool KernelEmitter::emitIfScatter(const Pass &pass) {
  std::optional<ScatterShape> shape = scatterShape(pass);
  if (shape)
    emitScatter(pass, *shape);
  return shape.has_value();
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
static int outputForSums(const KernelModel &kernel, const Pass &pass) {
  int sums = kernel.nests[size_t(pass.nests[0])].result, reader = -1;
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

void KernelEmitter::emitScatter(const Pass &pass, const ScatterShape &shape) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  llvm::SmallVector<Pass, 2> passes = {{Pass::Kind::Points, pass.outer, {pass.nests[0]}}};
  if (pass.nests.size() > 1) {
    passes.push_back({Pass::Kind::Stream, pass.outer, {}});
    passes[1].nests.assign(pass.nests.begin() + 1, pass.nests.end());
  }
  if (int output = outputForSums(kernel, pass); output >= 0 && !inMemory[size_t(nest.result)]) {
    body->memory[size_t(nest.result)] = body->memory[size_t(output)];
    inMemory[size_t(nest.result)] = true;
  }
  placeArrays(passes, pass.outer);
  if (int(body->loops.size()) < nest.numLoops())
    body->loops.resize(size_t(nest.numLoops()));
  body->rows = body->vectors = body->minorRows = 1;
  body->masks.clear();
  body->rowExists.clear();

  auto emitOne = [&](Value value) {
    return body->emit(nest, value, /*asVectors=*/body->lanes > 1)[0][0];
  };
  LoopVariable &term = body->loops[size_t(nest.numParallel)];
  term = {};
  overElements(nest, pass.outer, [&] {
    Value start = emitOne(shape.start), neutral = body->neutral(nest, body->lanes)[0];
    body->store(nest, body->join(nest, neutral, start)[0]);
  });
  stack->dropAnchor();

  body->lanes = 1;
  for (int loop = pass.outer; loop < shape.loop; ++loop)
    openLoop(nest, loop);
  auto terms =
      stack->open(stack->constant(1), stack->value(nest.extents.back()), stack->constant(1));
  term.level = stack->depth();
  term.index = {terms.getInductionVar()};
  body->always = areTerms(nest);
  Value at = emitOne(shape.position);
  if (!at.getType().isIndex())
    at = arith::IndexCastOp::create(b, b.getIndexType(), at);
  Bounds range = bounds(nest, shape.loop);
  using P = arith::CmpIPredicate;
  Value isInside =
      arith::AndIOp::create(b, arith::CmpIOp::create(b, P::sge, at, stack->value(range.lower)),
                            arith::CmpIOp::create(b, P::slt, at, stack->value(range.upper)));
  Value next = arith::AddIOp::create(b, at, stack->constant(1));
  Value end = arith::SelectOp::create(b, isInside, next, at);
  auto once = stack->open(at, end, stack->constant(1));
  LoopVariable &variable = body->loops[size_t(shape.loop)];
  variable = {};
  variable.level = stack->depth();
  variable.index = {once.getInductionVar()};
  overElements(nest, shape.loop + 1, [&] { body->joinStored(nest, emitOne(shape.term)); });
  body->always.clear();
  for (int opened = pass.outer; opened < shape.loop + 2; ++opened)
    stack->close();
  stack->dropAnchor();
  body->lanes = 1;
  if (passes.size() > 1)
    emitPass(passes[1]);
}

} // namespace graphc
