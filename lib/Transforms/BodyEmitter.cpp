//===- Transforms/BodyEmitter.cpp - bodies of nests on vectors ------------===//
#include "Transforms/BodyEmitter.h"

#include "Lowering/KernelAttr.h"
#include "Lowering/ScalarCall.h"
#include "Lowering/ScalarExpansion.h"
#include "Lowering/ScalarTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace graphc {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace linalg = mlir::linalg;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
namespace vector = mlir::vector;
using mlir::Value;
using mlir::ValueRange;

/// What a remembered value is, beside what it belongs to.
enum class Form : uint64_t { Natural, Base, Broadcast, Counter };

LoopStack::Key key(const void *of, Form form, int row = 0, int vector = 0) {
  return {of, uint64_t(form) << 32 | uint64_t(row) << 16 | uint64_t(vector)};
}
LoopStack::Key key(Value of, Form form, int row = 0, int vector = 0) {
  return key(of.getAsOpaquePointer(), form, row, vector);
}

bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

} // namespace

mlir::VectorType BodyEmitter::vectorOf(mlir::Type element) const {
  return mlir::VectorType::get({lanes}, element);
}

Value BodyEmitter::laneNumbers(mlir::Type element) {
  mlir::VectorType type = vectorOf(element);
  return stack.at(0, key(type.getAsOpaquePointer(), Form::Counter), [&]() -> Value {
    llvm::SmallVector<mlir::Attribute, 16> numbers;
    for (int i = 0; i < lanes; ++i)
      numbers.push_back(mlir::IntegerAttr::get(element, i));
    return arith::ConstantOp::create(stack.builder(), mlir::DenseElementsAttr::get(type, numbers));
  });
}

Value BodyEmitter::broadcast(Value scalar, int level, LoopStack::Key key) {
  key.second |= uint64_t(lanes) << 48; // a kernel may have vectors of several lengths
  return stack.at(level, key, [&]() -> Value {
    mlir::VectorType type = vectorOf(scalar.getType());
    if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
      return arith::ConstantOp::create(
          stack.builder(),
          mlir::DenseElementsAttr::get(type, mlir::Attribute(constant.getValue())));
    mlir::ImplicitLocOpBuilder &b = stack.builder();
    mlir::OpBuilder::InsertionGuard guard(b);
    // Beside its load it is one instruction, whatever branches come between them.
    if (auto load = scalar.getDefiningOp<mlir::memref::LoadOp>();
        load && load->getBlock() == b.getInsertionBlock())
      b.setInsertionPointAfter(load);
    return vector::BroadcastOp::create(b, type, scalar);
  });
}

int BodyEmitter::rowOf(unsigned onRows, int row) const {
  return (onRows & kMajorRows ? row - row % minorRows : 0) +
         (onRows & kMinorRows ? row % minorRows : 0);
}

llvm::SmallVector<int, 8> BodyEmitter::rowsOf(unsigned onRows) const {
  llvm::SmallVector<int, 8> result;
  for (int row = 0; row < rows; ++row)
    if (rowOf(onRows, row) == row)
      result.push_back(row);
  return result;
}

Value BodyEmitter::get(Value value, int row, int vector) {
  auto known = facts.find(value);
  if (known == facts.end())
    return value;
  const Facts &of = known->second;
  auto missing = []() -> Value { llvm_unreachable("operands are made before their users"); };
  return stack.at(of.level,
                  key(value, Form::Natural, rowOf(of.onRows, row), of.onVector ? vector : 0),
                  missing);
}

Value BodyEmitter::getBase(Value value, int row) {
  auto known = facts.find(value);
  if (known == facts.end() || !known->second.onVector)
    return get(value, row, 0);
  auto missing = []() -> Value { llvm_unreachable("operands are made before their users"); };
  return stack.at(known->second.level, key(value, Form::Base, rowOf(known->second.onRows, row)),
                  missing);
}

Value BodyEmitter::getVector(Value value, int row, int vector) {
  Value made = get(value, row, vector);
  if (lanes == 1 || mlir::isa<mlir::VectorType>(made.getType()))
    return made;
  Facts of = factsOf(value);
  return broadcast(made, of.level, key(value, Form::Broadcast, rowOf(of.onRows, row)));
}

/// A copy of an op of arith or math on the operands, which are all vectors if `asVector`.
Value BodyEmitter::clone(mlir::Operation &op, ValueRange operands, bool asVector) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  mlir::Type resultElement = op.getResult(0).getType();
  mlir::Type operandElement =
      op.getNumOperands() ? op.getOperand(op.getNumOperands() - 1).getType() : mlir::Type();
  if (auto maximum = mlir::dyn_cast<arith::MaximumFOp>(op); maximum && !isHalf(resultElement))
    return expandFloatExtremum(b, true, operands[0], operands[1], target.math);
  if (auto minimum = mlir::dyn_cast<arith::MinimumFOp>(op); minimum && !isHalf(resultElement))
    return expandFloatExtremum(b, false, operands[0], operands[1], target.math);

  bool isConversion = mlir::isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
                                arith::SelectOp, arith::ConstantOp, arith::BitcastOp>(op);
  bool inFloat32 = !isConversion && operandElement && isHalf(operandElement);
  mlir::IRMapping mapping;
  llvm::SmallVector<Value, 3> wide;
  for (auto [old, now] : llvm::zip(op.getOperands(), operands)) {
    Value operand = now;
    if (inFloat32) {
      mlir::Type type = b.getF32Type();
      operand = arith::ExtFOp::create(b, asVector ? mlir::Type(vectorOf(type)) : type, now);
    }
    wide.push_back(operand);
  }
  if (inFloat32 && mlir::isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
    Value joined =
        expandFloatExtremum(b, mlir::isa<arith::MaximumFOp>(op), wide[0], wide[1], target.math);
    return arith::TruncFOp::create(b, operands[0].getType(), joined);
  }
  mlir::Operation *copy = op.clone(mapping);
  copy->setOperands(wide);
  mlir::Type element = inFloat32 && isHalf(resultElement) ? b.getF32Type() : resultElement;
  copy->getResult(0).setType(asVector ? mlir::Type(vectorOf(element)) : element);
  b.insert(copy);
  Value result = copy->getResult(0);
  if (element != resultElement)
    result = arith::TruncFOp::create(
        b, asVector ? mlir::Type(vectorOf(resultElement)) : resultElement, result);
  return result;
}

/// A comparison of index arithmetic that differs from lane to lane by one: lane numbers against one
/// scalar.
Value BodyEmitter::compareLanes(mlir::Operation &op, int row, int vector) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  auto compare = mlir::cast<arith::CmpIOp>(op);
  Facts l = factsOf(compare.getLhs()), r = factsOf(compare.getRhs());
  int64_t factor = l.factor - r.factor;
  auto toIndex = [&](Value value) -> Value {
    return value.getType().isIndex() ? value
                                     : arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  Value left = toIndex(getBase(compare.getLhs(), row));
  Value right = toIndex(getBase(compare.getRhs(), row));
  // left + factor * (lane + vector * lanes) against right
  Value bound =
      factor > 0 ? arith::SubIOp::create(b, right, left) : arith::SubIOp::create(b, left, right);
  if (vector)
    bound = arith::SubIOp::create(b, bound, stack.constant(int64_t(vector) * lanes));
  bound = arith::MaxSIOp::create(b, bound, stack.constant(-1));
  bound = arith::MinSIOp::create(b, bound, stack.constant(lanes));
  bound = arith::IndexCastOp::create(b, b.getI32Type(), bound);
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  if (factor < 0)
    predicate = predicate == P::slt   ? P::sgt
                : predicate == P::sle ? P::sge
                : predicate == P::sgt ? P::slt
                : predicate == P::sge ? P::sle
                                      : predicate;
  return arith::CmpIOp::create(b, predicate, laneNumbers(b.getI32Type()),
                               vector::BroadcastOp::create(b, vectorOf(b.getI32Type()), bound));
}

/// The scalar of the block's first lane.
Value BodyEmitter::emitBase(mlir::Operation &op, int row) {
  if (auto index = mlir::dyn_cast<linalg::IndexOp>(op))
    return loops[index.getDim()].index[loops[index.getDim()].rowSet ? size_t(row) : 0];
  llvm::SmallVector<Value, 2> operands;
  for (Value operand : op.getOperands())
    operands.push_back(getBase(operand, row));
  if (auto call = mlir::dyn_cast<func::CallOp>(op)) // a quotient
    return expandScalar(stack.builder(), *parseScalarCall(call.getCallee()), operands, target.math);
  return clone(op, operands, /*asVector=*/false);
}

Value BodyEmitter::makeNatural(mlir::Operation &op, int row, int vector) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Facts of = facts[op.getResult(0)];
  bool asVector = of.onVector && lanes > 1;
  if (always.contains(op.getResult(0)) && !asVector)
    return arith::ConstantOp::create(b, b.getBoolAttr(true));
  if (auto load = mlir::dyn_cast<tensor::ExtractOp>(op)) {
    MemoryAccess access = extractAccess(load);
    access.array = kernel.arrayOf.lookup(load.getTensor());
    return this->load(access, of, row, vector);
  }
  if (auto branch = mlir::dyn_cast<scf::IfOp>(op))
    return this->load(guardedAccess(branch), of, row, vector);
  if (auto index = mlir::dyn_cast<linalg::IndexOp>(op); index && !of.onVector) {
    const LoopVariable &loop = loops[index.getDim()];
    return loop.index[loop.rowSet ? size_t(row) : 0];
  }
  if (of.onVector && of.linear) {
    // base + factor * (lane + vector * lanes)
    Value base = getBase(op.getResult(0), row);
    mlir::Type element = base.getType();
    if (int64_t offset = int64_t(vector) * lanes * of.factor)
      base = arith::AddIOp::create(b, base,
                                   arith::ConstantOp::create(b, b.getIntegerAttr(element, offset)));
    if (!asVector)
      return base;
    Value steps = laneNumbers(element);
    if (of.factor != 1)
      steps = arith::MulIOp::create(
          b, steps,
          vector::BroadcastOp::create(
              b, steps.getType(),
              arith::ConstantOp::create(b, b.getIntegerAttr(element, of.factor))));
    return arith::AddIOp::create(b, vector::BroadcastOp::create(b, steps.getType(), base), steps);
  }
  if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op); compare && isLaneComparison(compare))
    return compareLanes(op, row, vector);
  if (int divisor = divisorOf(op, /*wantsRest=*/true))
    return restOfLanes(op.getResult(0).getType(), divisor);
  llvm::SmallVector<Value, 3> operands;
  for (Value operand : op.getOperands())
    operands.push_back(asVector ? getVector(operand, row, vector) : get(operand, row, vector));
  if (auto call = mlir::dyn_cast<func::CallOp>(op))
    return expandScalar(b, *parseScalarCall(call.getCallee()), operands, target.math);
  return clone(op, operands, asVector);
}

/// Whether a condition does not hold somewhere in the block.
Value BodyEmitter::anyFails(Value condition, bool isMasked) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Facts of = factsOf(condition);
  Value failed;
  for (int row : rowsOf(of.onRows))
    for (int v = 0; v < (of.onVector ? vectors : 1); ++v) {
      Value holds = get(condition, row, v);
      if (mlir::isa<mlir::VectorType>(holds.getType())) {
        Value fails = arith::XOrIOp::create(b, holds, allLanes());
        if (Value mask = isMasked ? maskOf(v, row) : Value())
          fails = arith::AndIOp::create(b, fails, mask);
        holds = anyLane(fails);
      } else {
        holds = arith::XOrIOp::create(
            b, holds, arith::ConstantOp::create(b, b.getIntegerAttr(b.getI1Type(), 1)));
      }
      failed = failed ? arith::OrIOp::create(b, failed, holds) : holds;
    }
  return failed;
}

void BodyEmitter::emitCheck(mlir::Operation &op) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  Value condition = op.getOperand(0);
  auto number = mlir::getConstantIntValue(op.getOperand(1));
  // Without mask registers the last vector's mask is made only where some lane fails.
  const bool mayBeBehind = lanesLeft && !target.maskRegisters;
  mlir::OpBuilder::InsertionGuard guard(b);
  auto onlyIf = [&](Value failed) {
    auto branch = scf::IfOp::create(b, failed, /*withElseRegion=*/false);
    branch->setAttr(kSeldomAttr, b.getUnitAttr());
    b.setInsertionPointToStart(branch.thenBlock());
  };
  if (mayBeBehind)
    onlyIf(anyFails(condition, /*isMasked=*/false));
  onlyIf(anyFails(condition, /*isMasked=*/true));
  // Of several checks that fail the first one is told, whichever nest or iteration ran last.
  Value code = arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(number.value_or(0)) + 1));
  Value before = mlir::memref::LoadOp::create(b, status, ValueRange());
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, none);
  Value least = arith::MinSIOp::create(b, before, code);
  Value told = arith::SelectOp::create(b, isFirst, code, least);
  mlir::memref::StoreOp::create(b, told, status, ValueRange());
}

void BodyEmitter::emitOp(mlir::Operation &op) {
  if (auto call = mlir::dyn_cast<func::CallOp>(op); call && call.getCallee() == kCheckCall)
    return emitCheck(op);
  if (op.getNumResults() != 1)
    return;
  Value result = op.getResult(0);
  Facts of = facts[result];
  if (auto known = given.find(result); known != given.end()) {
    stack.at(of.level, key(result, Form::Natural), [&] { return known->second; });
    return;
  }
  if (of.natural && mayJoinBranches(op, of)) {
    mlir::Block *block = stack.builder().getInsertionBlock();
    auto here = stack.builder().getInsertionPoint();
    mlir::Operation *before = here == block->begin() ? nullptr : &*std::prev(here);
    llvm::SmallVector<Value, 8> made;
    for (int row : rowsOf(of.onRows))
      for (int v = 0; v < vectors; ++v)
        made.push_back(makeNatural(op, row, v));
    joinBranches(before, made);
    const Value *next = made.begin();
    for (int row : rowsOf(of.onRows))
      for (int v = 0; v < vectors; ++v)
        stack.at(of.level, key(result, Form::Natural, row, v), [&] { return *next++; });
    return;
  }
  for (int row : rowsOf(of.onRows)) {
    if (of.base)
      stack.at(of.level, key(result, Form::Base, row), [&] { return emitBase(op, row); });
    if (of.natural)
      for (int v = 0; v < (of.onVector ? vectors : 1); ++v)
        stack.at(of.level, key(result, Form::Natural, row, v),
                 [&] { return makeNatural(op, row, v); });
  }
}

void BodyEmitter::emitInput(const KernelNest &nest, int operand) {
  if (nest.inputs[size_t(operand)] < 0)
    return;
  Value argument = nest.body()->getArgument(unsigned(operand));
  Facts of = facts[argument];
  if (!of.natural)
    return;
  auto kept = registers.find(nest.inputs[size_t(operand)]);
  bool inRegister = kept != registers.end() && nest.isIdentity(operand);
  llvm::SmallVector<Value> square;
  if (isSquare(nest, operand))
    square = loadSquare(nest, operand);
  for (int row : rowsOf(of.onRows))
    for (int v = 0; v < (of.onVector ? vectors : 1); ++v)
      stack.at(of.level, key(argument, Form::Natural, row, v), [&] {
        if (inRegister)
          return kept->second.values[size_t(row * (of.onVector ? vectors : 1) + v)];
        if (!square.empty())
          return square[size_t(row)];
        return loadOperand(nest, operand, of, row, v);
      });
}

std::vector<llvm::SmallVector<Value, 8>>
BodyEmitter::emit(const KernelNest &nest, llvm::ArrayRef<Value> targets, bool asVectors) {
  findFacts(nest);
  findNeeds(nest, targets);
  for (int i = 0; i < int(nest.inputs.size()); ++i)
    emitInput(nest, i);
  for (mlir::Operation &op : nest.body()->without_terminator())
    emitOp(op);
  std::vector<llvm::SmallVector<Value, 8>> result;
  for (Value target : targets) {
    auto &instances = result.emplace_back();
    for (int row = 0; row < rows; ++row)
      for (int v = 0; v < vectors; ++v)
        instances.push_back(asVectors ? getVector(target, row, v) : get(target, row, v));
  }
  return result;
}

JoinPlan BodyEmitter::planJoin(const KernelNest &nest, bool partial) const {
  JoinPlan plan;
  plan.partial = partial;
  if (partial)
    plan.targets = {nest.partialTerm};
  else
    plan.targets.assign(nest.terms.begin(), nest.terms.end());
  auto product = plan.targets[0].getDefiningOp<arith::MulFOp>();
  mlir::Type type = plan.targets[0].getType();
  if (target.math.fma && product && mlir::isa<arith::AddFOp>(nest.join) &&
      (type.isF32() || type.isF64())) {
    plan.isProduct = true;
    plan.targets = {product.getLhs(), product.getRhs()};
  }
  return plan;
}

llvm::SmallVector<Value, 2> BodyEmitter::join(const KernelNest &nest, const JoinPlan &plan,
                                              ValueRange accumulators, ValueRange terms) {
  if (plan.isProduct)
    return {mlir::math::FmaOp::create(stack.builder(), terms[0], terms[1], accumulators[0])};
  return join(nest, accumulators, terms);
}

//===--- joins ----------------------------------------------------------------===//

llvm::SmallVector<Value, 2> BodyEmitter::join(const KernelNest &nest, ValueRange accumulators,
                                              ValueRange terms, bool inOrder) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  if (auto call = mlir::dyn_cast<func::CallOp>(nest.join)) {
    auto [value, position] = expandArgJoin(b, *parseArgCall(call.getCallee()), accumulators[0],
                                           accumulators[1], terms[0], terms[1], inOrder);
    return {value, position};
  }
  bool isVector = mlir::isa<mlir::VectorType>(accumulators[0].getType());
  if (mlir::isa<arith::MaximumFOp, arith::MinimumFOp>(nest.join) &&
      !isHalf(nest.join->getResult(0).getType()))
    return {expandFloatExtremum(b, mlir::isa<arith::MaximumFOp>(nest.join), accumulators[0],
                                terms[0], target.math)};
  if (isHalf(nest.join->getResult(0).getType())) {
    int width = isVector
                    ? int(mlir::cast<mlir::VectorType>(accumulators[0].getType()).getDimSize(0))
                    : lanes;
    int saved = std::exchange(lanes, width);
    Value joined = clone(*nest.join, {accumulators[0], terms[0]}, isVector);
    lanes = saved;
    return {joined};
  }
  mlir::Operation *copy = nest.join->clone();
  copy->setOperands({accumulators[0], terms[0]});
  copy->getResult(0).setType(accumulators[0].getType());
  b.insert(copy);
  return {copy->getResult(0)};
}

llvm::SmallVector<Value, 2> BodyEmitter::neutral(const KernelNest &nest, int width) {
  llvm::SmallVector<Value, 2> result;
  for (mlir::TypedAttr each : nest.neutral) {
    mlir::TypedAttr attr = each;
    if (width > 1)
      attr = mlir::DenseElementsAttr::get(mlir::VectorType::get({width}, each.getType()),
                                          mlir::Attribute(each));
    result.push_back(stack.at(0, {attr.getAsOpaquePointer(), uint64_t(Form::Broadcast) << 32},
                              [&] { return arith::ConstantOp::create(stack.builder(), attr); }));
  }
  return result;
}

llvm::SmallVector<Value, 2> BodyEmitter::joinLanes(const KernelNest &nest, ValueRange vectors) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  llvm::SmallVector<Value, 2> current(vectors.begin(), vectors.end());
  auto width = mlir::cast<mlir::VectorType>(current[0].getType()).getDimSize(0);
  // Halves are joined until one lane is left. Floats stay in a register of 16 bytes meanwhile: LLVM
  // makes vectors of one lane in general registers, on the way to which a short row would wait.
  for (; width > 1; width /= 2) {
    llvm::SmallVector<Value, 2> low, high;
    for (Value each : current) {
      auto type = mlir::cast<mlir::VectorType>(each.getType());
      int64_t lanes = type.getDimSize(0), kept = width / 2;
      if (type.getElementType().isF32() && current.size() == 1)
        kept = std::max(kept, std::min<int64_t>(lanes, 4));
      auto lower = llvm::to_vector(llvm::seq<int64_t>(0, kept));
      auto upper =
          llvm::map_to_vector(lower, [&](int64_t lane) { return (lane + width / 2) % lanes; });
      low.push_back(kept == lanes ? each : Value(vector::ShuffleOp::create(b, each, each, lower)));
      high.push_back(vector::ShuffleOp::create(b, each, each, upper));
    }
    current = join(nest, low, high, /*inOrder=*/false);
  }
  for (Value &each : current)
    each = vector::ExtractOp::create(b, each, llvm::ArrayRef<int64_t>{0});
  return current;
}

Value BodyEmitter::joinLanesOfEach(const KernelNest &nest, ValueRange vectors, int64_t parts) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  llvm::SmallVector<Value, 8> current(vectors.begin(), vectors.end());
  // Each vector holds `parts` accumulators, in `width` lanes each. Halving the widths makes room
  // for another vector's.
  int64_t width = mlir::cast<mlir::VectorType>(current[0].getType()).getDimSize(0) / parts;
  auto half = [&](Value x, Value y, int64_t numParts, int64_t begin, int64_t count) {
    llvm::SmallVector<int64_t> from;
    for (int64_t part = 0; part < numParts; ++part)
      for (int64_t lane = 0; lane < count; ++lane)
        from.push_back(part * width + begin + lane);
    return Value(vector::ShuffleOp::create(b, x, y, from));
  };
  auto joinHalves = [&](Value x, Value y, int64_t numParts) {
    Value low = half(x, y, numParts, 0, width / 2);
    Value high = half(x, y, numParts, width / 2, width / 2);
    return join(nest, low, high, /*inOrder=*/false)[0];
  };
  for (; current.size() > 1; parts *= 2) {
    for (size_t i = 0; i < current.size() / 2; ++i) {
      Value x = current[2 * i], y = current[2 * i + 1];
      current[i] = width > 1 ? joinHalves(x, y, 2 * parts) : half(x, y, 2 * parts, 0, 1);
    }
    current.truncate(current.size() / 2);
    width = std::max<int64_t>(width / 2, 1);
  }
  for (; width > 1; width /= 2)
    current[0] = joinHalves(current[0], current[0], parts);
  return current[0];
}

} // namespace graphc
