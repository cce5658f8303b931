//===- Transforms/Counters.cpp - indices and conditions of nests ----------===//
//
// What bodies compute of their loops' counters, read as sums.
//
//===----------------------------------------------------------------------===//
#include "Transforms/LoopEmitter.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

std::optional<int> LoopEmitter::CounterSum::counter() const {
  int found = -1;
  for (auto [loop, factor] : llvm::enumerate(factors)) {
    if (factor == 0)
      continue;
    if (found >= 0)
      return std::nullopt;
    found = int(loop);
  }
  return found;
}

LoopEmitter::CounterSum LoopEmitter::addCounters(const CounterSum &x, const CounterSum &y,
                                                 int64_t times) {
  CounterSum sum = x;
  for (auto [factor, other] : llvm::zip(sum.factors, y.factors))
    factor += times * other;
  stack->inPrologue(
      [&] { sum.size = stack->add(x.size, stack->multiply(y.size, b.getIndexAttr(times))); });
  return sum;
}

/// Nothing if the value is something else.
std::optional<LoopEmitter::CounterSum> LoopEmitter::asCounterSum(const KernelNest &nest,
                                                                 Value value) {
  CounterSum sum{llvm::SmallVector<int64_t, 6>(size_t(nest.numLoops()), 0), b.getIndexAttr(0)};
  if (auto number = mlir::getConstantIntValue(value)) {
    sum.size = b.getIndexAttr(*number);
    return sum;
  }
  if (llvm::is_contained(kernel.sizeArguments, value)) {
    sum.size = value;
    return sum;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != nest.body())
    return std::nullopt;
  if (auto counter = mlir::dyn_cast<mlir::linalg::IndexOp>(op)) {
    sum.factors[size_t(counter.getDim())] = 1;
    return sum;
  }
  if (mlir::isa<arith::IndexCastOp>(op))
    return asCounterSum(nest, op->getOperand(0));
  if (!mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto x = asCounterSum(nest, op->getOperand(0)), y = asCounterSum(nest, op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  if (!mlir::isa<arith::MulIOp>(op))
    return addCounters(*x, *y, mlir::isa<arith::SubIOp>(op) ? -1 : 1);
  auto numberOf = [](const CounterSum &of) {
    return of.counter() == -1 ? constantSize(of.size) : std::nullopt;
  };
  if (auto times = numberOf(*y))
    return addCounters(sum, *x, *times);
  if (auto times = numberOf(*x))
    return addCounters(sum, *y, *times);
  return std::nullopt;
}

/// Adds what must be at least 0 where the condition holds; false if that is not all it says.
bool LoopEmitter::readConditions(const KernelNest &nest, Value condition,
                                 llvm::SmallVectorImpl<CounterSum> &sums) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return readConditions(nest, both.getLhs(), sums) && readConditions(nest, both.getRhs(), sums);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  using P = arith::CmpIPredicate;
  if (!compare || (compare.getPredicate() != P::sge && compare.getPredicate() != P::slt))
    return false;
  auto x = asCounterSum(nest, compare.getLhs()), y = asCounterSum(nest, compare.getRhs());
  if (!x || !y)
    return false;
  const bool isLower = compare.getPredicate() == P::sge; // x - y >= 0, or y - x - 1 >= 0
  CounterSum sum = isLower ? addCounters(*x, *y, -1) : addCounters(*y, *x, -1);
  if (!isLower)
    stack->inPrologue([&] { sum.size = stack->add(sum.size, b.getIndexAttr(-1)); });
  sums.push_back(std::move(sum));
  return true;
}

} // namespace graphc
