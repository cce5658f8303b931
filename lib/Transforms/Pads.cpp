//===- Transforms/Pads.cpp - arrays with a border of one number -----------===//
//
// A map that copies an array and puts a number where a condition on its counters does not hold, as
// convolutions have it in front, one picture at a time in scratch memory:
//
//   for %c { for %y, %x { t[%y, %x] = 0 <= %y - 1 < h and 0 <= %x - 1 < w ? x[%c, %y - 1, %x - 1]
//                                                                          : 0 } ... }
//
// Scratch is the same memory in each iteration, and nothing else is written there: the border is
// made once, and of each picture its lines are copied, without masks.
//
//   fill t
//   for %c { for %y = 1 to h + 1 { t[%y, 1 to w + 1] = x[%c, %y - 1, 0 to w] } ... }
//
// A result has such lines, too, where it is all that a pass makes: each line is border, copy and
// border, or border alone. What is copied is never written before: the result may be in the memory
// of x.
//
//   for %c, %y {
//     if 1 <= %y < h + 1 { t[%c, %y, 0 to 1] = 0; t[%c, %y, 1 to w + 1] = ...; ... = 0 }
//     else { t[%c, %y, all] = 0 }
//   }
//
// The last vector of a line ends where the line does, and begins within the one before; two halves
// of a vector do shorter lines in the same way.
//
// With mask registers, too: float32 pictures of 7 to 224 pixels' side, which the kernel knows up to
// 16, take 0.31 to 0.51 of the time of a loop with a mask for each vector, 0.40 to 0.53 where they
// come from memory (EPYC 9005).
//
//===----------------------------------------------------------------------===//
#include "Transforms/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// So many vectors of a line are copied without a loop.
static constexpr int64_t kFewVectors = 4;

struct KernelEmitter::PadShape {
  int array;                          ///< that is copied
  llvm::SmallVector<CounterSum> axes; ///< its indices: a counter and a size each
  mlir::TypedAttr border;
  llvm::SmallVector<Size> lower, upper; ///< by loop: the iterations that copy
  bool isScratch;                       ///< the border is made once, in front of all loops
};

/// Narrows the shape's bounds to where the condition holds; false if that is not all it says.
bool KernelEmitter::readBounds(const KernelNest &nest, Value condition, PadShape &shape) {
  llvm::SmallVector<CounterSum> sums;
  if (!readConditions(nest, condition, sums))
    return false;
  for (const CounterSum &sum : sums) {
    const std::optional<int> loop = sum.counter();
    if (!loop || *loop < 0 || std::abs(sum.factors[size_t(*loop)]) != 1)
      return false;
    const bool isLower = sum.factors[size_t(*loop)] > 0;
    Size &bound = (isLower ? shape.lower : shape.upper)[size_t(*loop)];
    stack->inPrologue([&] {
      Size other = isLower ? stack->subtract(b.getIndexAttr(0), sum.size)
                           : stack->add(sum.size, b.getIndexAttr(1));
      auto known = constantSize(bound), number = constantSize(other);
      if (known && number)
        bound = b.getIndexAttr(isLower ? std::max(*known, *number) : std::min(*known, *number));
      else if (isLower)
        bound = arith::MaxSIOp::create(b, stack->value(bound), stack->value(other)).getResult();
      else
        bound = arith::MinSIOp::create(b, stack->value(bound), stack->value(other)).getResult();
    });
  }
  return true;
}

/// Nothing if the pass is something else.
std::optional<KernelEmitter::PadShape> KernelEmitter::padShape(const Pass &pass) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (!uses(Optimization::Pads) || pass.nests.size() > 1 || nest.isReduction() ||
      kernel.hasChecks || lanesOf() == 1 || !inMemory[size_t(nest.result)] ||
      body->memory[size_t(nest.result)].origin)
    return std::nullopt;
  // Scratch memory of an iteration, or lines of a result.
  const bool isScratch = kernel.arrays[size_t(nest.result)].role == KernelArray::Role::Local;
  if (isScratch ? pass.outer == 0 : pass.outer > 0 || nest.numLoops() < 2)
    return std::nullopt;
  auto branch = nest.terms[0].getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  auto load = mlir::cast<mlir::tensor::ExtractOp>(branch.thenBlock()->front());
  auto border = branch.elseYield().getOperand(0).getDefiningOp<arith::ConstantOp>();
  PadShape shape{kernel.arrayOf.lookup(load.getTensor()), {}, {}, {}, {}, isScratch};
  if (!border || kernel.arrays[size_t(shape.array)].role != KernelArray::Role::Input)
    return std::nullopt;
  shape.border = border.getValue();
  for (Value index : load.getIndices()) {
    auto sum = asCounterSum(nest, index);
    std::optional<int> counter = sum ? sum->counter() : std::nullopt;
    if (!counter || (*counter >= 0 && sum->factors[size_t(*counter)] != 1))
      return std::nullopt;
    shape.axes.push_back(*sum);
  }
  int last = nest.numLoops() - 1;
  if (shape.axes.empty() || shape.axes.back().counter() != last ||
      llvm::count_if(shape.axes, [&](const CounterSum &axis) { return axis.counter() == last; }) !=
          1)
    return std::nullopt;
  shape.lower.assign(size_t(nest.numLoops()), b.getIndexAttr(0));
  shape.upper.assign(nest.extents.begin(), nest.extents.end());
  if (!readBounds(nest, branch.getCondition(), shape))
    return std::nullopt;
  for (int loop = 0; loop < pass.outer; ++loop)
    if (constantSize(shape.lower[size_t(loop)]) != 0 ||
        shape.upper[size_t(loop)] != nest.extents[size_t(loop)])
      return std::nullopt;
  return shape;
}

/// Fills the scratch memory of the pass's result, in front of all loops.
void KernelEmitter::fillScratch(const Pass &pass, mlir::TypedAttr element) {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  Value buffer = body->memory[size_t(nest.result)].buffer;
  int64_t lanes = lanesOf();
  stack->at(0, {buffer.getAsOpaquePointer(), 0}, [&]() -> Value {
    Size extent = extentOfAll(nest, llvm::to_vector(llvm::seq<int>(pass.outer, nest.numLoops())));
    Value end = stack->value(extent), main = floorToMultiple(end, lanes);
    Value scalar = arith::ConstantOp::create(b, element);
    Value filled =
        vector::BroadcastOp::create(b, mlir::VectorType::get({lanes}, element.getType()), scalar);
    for (bool isRest : {false, true}) {
      auto loop = scf::ForOp::create(b, isRest ? main : stack->constant(0), isRest ? end : main,
                                     stack->constant(isRest ? 1 : lanes));
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value index = loop.getInductionVar();
      if (isRest)
        memref::StoreOp::create(b, toMemory(b, scalar), buffer, index);
      else
        vector::StoreOp::create(b, toMemory(b, filled), buffer, index);
    }
    return end;
  });
}

/// Does `count` neighbours a vector, or an element, at a time: calls `each` with the number of the
/// first one, and how many it is to do. `mayBeHalf`: lines shorter than a vector are worth two
/// halves of one.
void KernelEmitter::forLine(Size count, bool mayBeHalf,
                            llvm::function_ref<void(Value, int64_t)> each) {
  int64_t lanes = lanesOf();
  auto number = constantSize(count);
  if (number && *number < 1)
    return;
  if (number && *number <= kFewVectors * lanes) {
    int64_t width = std::min(lanes, int64_t(llvm::bit_floor(uint64_t(*number))));
    for (int64_t at = 0; at < *number; at += width)
      each(stack->constant(std::min(at, *number - width)), width);
    return;
  }
  Value length = stack->value(count), zero = stack->constant(0);
  Value lastVector = arith::SubIOp::create(b, length, stack->constant(lanes));
  stack->dropAnchor();
  each(stack->open(zero, lastVector, stack->constant(lanes)).getInductionVar(), lanes);
  stack->close();
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, lastVector, zero);
  auto branch = scf::IfOp::create(b, isLong, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  each(lastVector, lanes);
  b.setInsertionPointToStart(branch.elseBlock());
  if (mayBeHalf && lanes > 2) {
    Value lastHalf = arith::SubIOp::create(b, length, stack->constant(lanes / 2));
    Value areHalves = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, lastHalf, zero);
    auto halves = scf::IfOp::create(b, areHalves, /*withElseRegion=*/true);
    b.setInsertionPointToStart(halves.thenBlock());
    each(zero, lanes / 2);
    each(lastHalf, lanes / 2);
    b.setInsertionPointToStart(halves.elseBlock());
  }
  auto rest = scf::ForOp::create(b, zero, length, stack->constant(1));
  b.setInsertionPointToStart(rest.getBody());
  each(rest.getInductionVar(), 1);
}

/// Copies `count` neighbours.
void KernelEmitter::copyLine(Value buffer, Value result, Value from, Value to, Size count) {
  mlir::Type element = mlir::cast<mlir::MemRefType>(buffer.getType()).getElementType();
  forLine(count, /*mayBeHalf=*/true, [&](Value offset, int64_t width) {
    Value source = arith::AddIOp::create(b, from, offset);
    Value target = arith::AddIOp::create(b, to, offset);
    if (width == 1)
      memref::StoreOp::create(b, Value(memref::LoadOp::create(b, buffer, source)), result, target);
    else
      vector::StoreOp::create(
          b,
          Value(vector::LoadOp::create(b, mlir::VectorType::get({width}, element), buffer, source)),
          result, target);
  });
}

/// Makes `count` neighbours the same number.
void KernelEmitter::fillLine(mlir::TypedAttr element, Value result, Value to, Size count) {
  Value scalar = arith::ConstantOp::create(b, element);
  forLine(count, /*mayBeHalf=*/false, [&](Value offset, int64_t width) {
    Value target = arith::AddIOp::create(b, to, offset);
    if (width == 1)
      return void(memref::StoreOp::create(b, toMemory(b, scalar), result, target));
    auto type = mlir::VectorType::get({width}, element.getType());
    Value filled = vector::BroadcastOp::create(b, type, scalar);
    vector::StoreOp::create(b, toMemory(b, filled), result, target);
  });
}

bool KernelEmitter::emitIfPad(const Pass &pass) {
  std::optional<PadShape> shape = padShape(pass);
  if (!shape)
    return false;
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  const ArrayPlace &source = body->memory[size_t(shape->array)];
  const ArrayPlace &result = body->memory[size_t(nest.result)];
  if (shape->isScratch)
    fillScratch(pass, shape->border);

  // Where the counters' steps lead in both arrays.
  llvm::SmallVector<Size> steps(size_t(nest.numLoops()), b.getIndexAttr(0));
  Size from = b.getIndexAttr(0), line = b.getIndexAttr(0);
  int last = nest.numLoops() - 1;
  Size lower = shape->lower[size_t(last)], upper = shape->upper[size_t(last)], count;
  Size extent = nest.extents[size_t(last)];
  stack->inPrologue([&] {
    for (auto [axis, stride] : llvm::zip(shape->axes, source.strides)) {
      from = stack->add(from, stack->multiply(axis.size, stride));
      if (int loop = *axis.counter(); loop >= 0)
        steps[size_t(loop)] = stack->add(steps[size_t(loop)], stride);
    }
    from = stack->add(from, lower);
    count = stack->subtract(upper, lower);
  });
  for (int loop = 0; loop < pass.outer; ++loop)
    from =
        stack->add(from, stack->multiply(body->loops[size_t(loop)].index[0], steps[size_t(loop)]));
  Value isInside; // null: each line is
  auto mustBe = [&](arith::CmpIPredicate predicate, Value counter, Size bound) {
    Value is = arith::CmpIOp::create(b, predicate, counter, stack->value(bound));
    isInside = isInside ? Value(arith::AndIOp::create(b, isInside, is)) : is;
  };
  for (int loop = pass.outer; loop < last; ++loop) {
    Bounds copied{shape->lower[size_t(loop)], shape->upper[size_t(loop)]};
    Bounds range = shape->isScratch ? copied : bounds(nest, loop);
    auto lines =
        stack->open(stack->value(range.lower), stack->value(range.upper), stack->constant(1));
    Value counter = lines.getInductionVar();
    from = stack->add(from, stack->multiply(counter, steps[size_t(loop)]));
    line = stack->add(line, stack->multiply(counter, result.strides[size_t(loop)]));
    if (!shape->isScratch && constantSize(copied.lower) != 0)
      mustBe(arith::CmpIPredicate::sge, counter, copied.lower);
    if (!shape->isScratch && copied.upper != nest.extents[size_t(loop)])
      mustBe(arith::CmpIPredicate::slt, counter, copied.upper);
  }
  auto fill = [&](Size first, Size end) {
    fillLine(shape->border, result.buffer, stack->value(stack->add(line, first)),
             stack->subtract(end, first));
  };
  auto copy = [&] {
    copyLine(source.buffer, result.buffer, stack->value(from),
             stack->value(stack->add(line, lower)), count);
  };
  if (shape->isScratch) {
    copy();
  } else {
    if (auto number = constantSize(count); !number || *number <= 0)
      mustBe(arith::CmpIPredicate::sgt, stack->value(count), b.getIndexAttr(0));
    auto copyBetweenBorders = [&] {
      fill(b.getIndexAttr(0), lower);
      copy();
      fill(upper, extent);
    };
    if (isInside) {
      auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/true);
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      copyBetweenBorders();
      stack->dropAnchor();
      b.setInsertionPointToStart(branch.elseBlock());
      fill(b.getIndexAttr(0), extent);
      stack->dropAnchor();
    } else {
      copyBetweenBorders();
    }
  }
  for (int loop = pass.outer; loop < last; ++loop)
    stack->close();
  return true;
}

} // namespace graphc
