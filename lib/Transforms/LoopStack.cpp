//===- Transforms/LoopStack.cpp - open loops and what is hoisted ----------===//
#include "Transforms/LoopStack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

LoopStack::LoopStack(mlir::ImplicitLocOpBuilder &builder) : b(builder) {
  prologueEnd = arith::ConstantIndexOp::create(b, 0);
  levels.emplace_back();
}

mlir::scf::ForOp LoopStack::open(Value lower, Value upper, Value step, mlir::ValueRange carried) {
  if (!levels.back().anchor)
    levels.back().anchor = arith::ConstantIndexOp::create(b, 0);
  auto loop = mlir::scf::ForOp::create(b, lower, upper, step, carried);
  // The builder adds a terminator only where nothing is carried; close() makes it in both cases.
  if (carried.empty())
    loop.getBody()->getTerminator()->erase();
  loops.push_back(loop);
  levels.emplace_back();
  b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

void LoopStack::close(mlir::ValueRange carried) {
  dropAnchor();
  mlir::scf::YieldOp::create(b, carried);
  b.setInsertionPointAfter(loops.pop_back_val());
  levels.pop_back();
}

void LoopStack::dropAnchor() {
  if (levels.back().anchor)
    levels.back().anchor->erase();
  levels.back().anchor = nullptr;
}

void LoopStack::inPrologue(llvm::function_ref<void()> make) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  make();
}

void LoopStack::finish() {
  dropAnchor();
  prologueEnd->erase();
}

Value LoopStack::at(int level, Key key, llvm::function_ref<Value()> make) {
  auto known = levels[size_t(level)].values.find(key);
  if (known != levels[size_t(level)].values.end())
    return known->second;
  Value made;
  if (level == depth()) {
    made = make();
  } else {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(levels[size_t(level)].anchor);
    made = make();
  }
  levels[size_t(level)].values[key] = made;
  return made;
}

Value LoopStack::constant(int64_t value) {
  Value &known = constants[value];
  if (known)
    return known;
  inPrologue([&] { known = arith::ConstantIndexOp::create(b, value); });
  return known;
}

Value LoopStack::value(Size size) {
  if (auto number = constantSize(size))
    return constant(*number);
  return mlir::cast<Value>(size);
}

Size LoopStack::multiply(Size x, Size y) {
  auto cx = constantSize(x), cy = constantSize(y);
  if (cx && cy) // as the processor would do it
    return b.getIndexAttr(int64_t(uint64_t(*cx) * uint64_t(*cy)));
  if ((cx && *cx == 0) || (cy && *cy == 1))
    return x;
  if ((cy && *cy == 0) || (cx && *cx == 1))
    return y;
  return arith::MulIOp::create(b, value(x), value(y)).getResult();
}

Size LoopStack::add(Size x, Size y) {
  auto cx = constantSize(x), cy = constantSize(y);
  if (cx && cy)
    return b.getIndexAttr(int64_t(uint64_t(*cx) + uint64_t(*cy)));
  if (cx && *cx == 0)
    return y;
  if (cy && *cy == 0)
    return x;
  return arith::AddIOp::create(b, value(x), value(y)).getResult();
}

Size LoopStack::subtract(Size x, Size y) {
  auto cx = constantSize(x), cy = constantSize(y);
  if (cx && cy)
    return b.getIndexAttr(int64_t(uint64_t(*cx) - uint64_t(*cy)));
  if (x == y)
    return b.getIndexAttr(0);
  if (cy && *cy == 0)
    return x;
  return arith::SubIOp::create(b, value(x), value(y)).getResult();
}

} // namespace graphc
