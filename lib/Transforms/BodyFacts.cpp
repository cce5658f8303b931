//===- Transforms/BodyFacts.cpp - what a body's values depend on ----------===//
#include "Lowering/ScalarCall.h"
#include "Transforms/BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace linalg = mlir::linalg;
namespace scf = mlir::scf;
namespace tensor = mlir::tensor;
using mlir::Value;

/// The factor of a loop in a sum, a difference or a multiple, from its factors in the operands;
/// none where it is no number, or too large for one.
static std::optional<int64_t> linearFactor(mlir::Operation &op, llvm::ArrayRef<int64_t> factors) {
  int64_t result;
  bool overflows = false;
  if (mlir::isa<arith::AddIOp>(op)) {
    overflows = llvm::AddOverflow(factors[0], factors[1], result);
  } else if (mlir::isa<arith::SubIOp>(op)) {
    overflows = llvm::SubOverflow(factors[0], factors[1], result);
  } else if (mlir::isa<arith::IndexCastOp>(op)) {
    result = factors[0];
  } else if (mlir::isa<arith::MulIOp>(op)) {
    auto left = mlir::getConstantIntValue(op.getOperand(0));
    auto right = mlir::getConstantIntValue(op.getOperand(1));
    if (!left && !right)
      return std::nullopt;
    overflows = right ? llvm::MulOverflow(factors[0], *right, result)
                      : llvm::MulOverflow(factors[1], *left, result);
  } else {
    return std::nullopt;
  }
  return overflows ? std::nullopt : std::optional(result);
}

BodyEmitter::Facts BodyEmitter::factsOf(Value value) const {
  auto known = facts.find(value);
  if (known != facts.end())
    return known->second;
  Facts outside; // an argument of the function, or a constant outside of the body
  outside.small = value.getType().isIndex();
  return outside;
}

MemoryAccess BodyEmitter::operandAccess(const KernelNest &nest, int operand) const {
  MemoryAccess access;
  access.array = nest.inputs[size_t(operand)];
  access.identity = nest.body()->getArgument(unsigned(operand)).getAsOpaquePointer();
  access.map = nest.maps[size_t(operand)];
  return access;
}

MemoryAccess BodyEmitter::extractAccess(tensor::ExtractOp op) {
  MemoryAccess access;
  access.identity = op.getOperation();
  access.indices.assign(op.getIndices().begin(), op.getIndices().end());
  return access;
}

MemoryAccess BodyEmitter::guardedAccess(scf::IfOp op) const {
  auto load = mlir::cast<tensor::ExtractOp>(op.thenBlock()->front());
  MemoryAccess access = extractAccess(load);
  access.array = kernel.arrayOf.lookup(load.getTensor());
  if (always.contains(op.getCondition()))
    return access;
  access.condition = op.getCondition();
  access.otherwise = op.elseYield().getOperand(0);
  return access;
}

/// Whether a load may run even if an inner loop has no iterations: each axis is a loop as long as
/// it, or a constant within a constant extent.
bool BodyEmitter::isHoistable(const KernelNest &nest, const MemoryAccess &access) const {
  if (!access.map)
    return false;
  const KernelArray &array = kernel.arrays[size_t(access.array)];
  for (auto [axis, expr] : llvm::enumerate(access.map.getResults())) {
    if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(expr)) {
      if (nest.extents[loop.getPosition()] != array.shape[axis])
        return false;
      continue;
    }
    auto number = mlir::dyn_cast<mlir::AffineConstantExpr>(expr);
    auto extent = constantSize(array.shape[axis]);
    if (!number || !extent || number.getValue() >= *extent)
      return false;
  }
  return true;
}

BodyEmitter::Facts BodyEmitter::factsOfAccess(const MemoryAccess &access) const {
  Facts result;
  auto include = [&](const Facts &other) {
    result.level = std::max(result.level, other.level);
    result.onRows |= other.onRows;
    result.onVector |= other.onVector;
  };
  if (access.map) {
    for (unsigned d = 0; d < access.map.getNumDims(); ++d)
      if (access.map.isFunctionOfDim(d)) {
        const LoopVariable &loop = loops[d];
        Facts of;
        of.level = loop.level;
        of.onRows = loop.rowSet;
        of.onVector = loop.isVector;
        include(of);
      }
  }
  for (Value index : access.indices)
    include(factsOf(index));
  if (access.condition) {
    include(factsOf(access.condition));
    include(factsOf(access.otherwise));
  }
  result.linear = !result.onVector;
  return result;
}

BodyEmitter::Facts BodyEmitter::factsOfOp(mlir::Operation &op) const {
  if (op.getNumResults() == 1 && given.contains(op.getResult(0))) {
    Facts result;
    result.level = stack.depth();
    result.onVector = true;
    result.linear = false;
    return result;
  }
  if (auto index = mlir::dyn_cast<linalg::IndexOp>(op)) {
    const LoopVariable &loop = loops[index.getDim()];
    Facts result;
    result.level = loop.level;
    result.onRows = loop.rowSet;
    result.onVector = loop.isVector;
    result.factor = loop.isVector;
    result.small = true;
    return result;
  }
  Facts result;
  if (auto constant = mlir::dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
      result.small = number.getValue().getSignificantBits() <= 40;
    return result;
  }
  if (auto load = mlir::dyn_cast<tensor::ExtractOp>(op)) {
    MemoryAccess access = extractAccess(load);
    access.array = kernel.arrayOf.lookup(load.getTensor());
    result = factsOfAccess(access);
    result.level = stack.depth();
    return result;
  }
  if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) {
    result = factsOfAccess(guardedAccess(branch));
    result.level = stack.depth();
    return result;
  }
  result.small = true;
  llvm::SmallVector<int64_t, 3> factors;
  bool linear = true;
  for (Value operand : op.getOperands()) {
    Facts of = factsOf(operand);
    factors.push_back(of.factor);
    linear &= of.linear;
    result.level = std::max(result.level, of.level);
    result.onRows |= of.onRows;
    result.onVector |= of.onVector;
    result.small &= of.small;
  }
  if (!result.onVector)
    result.linear = true;
  else if (auto factor = linear ? linearFactor(op, factors) : std::nullopt)
    result.factor = *factor;
  else
    result.linear = false;
  if (!mlir::isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(op))
    result.small = false;
  // Narrower arithmetic wraps where the base's would too, but not its lanes'.
  if (result.onVector && !op.getResult(0).getType().isIndex() &&
      !op.getResult(0).getType().isInteger(64))
    result.linear = false;
  if (result.onVector && result.linear && !result.small)
    result.linear = false;
  if (result.onVector && !result.linear)
    result.divisor = mlir::isa<arith::IndexCastOp>(op) ? factsOf(op.getOperand(0)).divisor
                                                       : divisorOf(op, /*wantsRest=*/false);
  return result;
}

void BodyEmitter::findFacts(const KernelNest &nest) {
  facts.clear();
  for (int i = 0; i < int(nest.inputs.size()); ++i) {
    if (nest.inputs[size_t(i)] < 0)
      continue;
    Facts of;
    auto kept = registers.find(nest.inputs[size_t(i)]);
    if (kept != registers.end() && nest.isIdentity(i)) {
      of.level = kept->second.level;
      of.onRows = kept->second.onRows;
      of.onVector = kept->second.onVector;
      of.linear = !of.onVector;
    } else {
      MemoryAccess access = operandAccess(nest, i);
      of = factsOfAccess(access);
      bool isInput = kernel.arrays[size_t(access.array)].role == KernelArray::Role::Input;
      if (!isInput || !isHoistable(nest, access))
        of.level = stack.depth();
    }
    facts[nest.body()->getArgument(unsigned(i))] = of;
  }
  for (mlir::Operation &op : nest.body()->without_terminator())
    for (Value result : op.getResults())
      facts[result] = factsOfOp(op);
}

llvm::DenseSet<Value> BodyEmitter::varyingFloats(const KernelNest &nest) {
  findFacts(nest);
  llvm::DenseSet<Value> result;
  for (mlir::Operation &op : nest.body()->without_terminator())
    if (op.getNumResults() == 1 && mlir::isa<mlir::FloatType>(op.getResult(0).getType()) &&
        !mlir::isa<tensor::ExtractOp, scf::IfOp>(op) && factsOf(op.getResult(0)).onVector)
      result.insert(op.getResult(0));
  return result;
}

/// Marks, from the targets and the checks up, in which form each value is needed.
void BodyEmitter::findNeeds(const KernelNest &nest, llvm::ArrayRef<Value> targets) {
  auto need = [&](Value value, bool base) {
    auto known = facts.find(value);
    if (known == facts.end())
      return;
    // What is the same in all lanes has one form.
    (base && known->second.onVector ? known->second.base : known->second.natural) = true;
  };
  auto needIndices = [&](const MemoryAccess &access) {
    for (Value index : access.indices)
      need(index, factsOf(index).linear || quotientOf(access));
  };
  for (Value target : targets)
    need(target, false);
  for (mlir::Operation &op : llvm::reverse(nest.body()->without_terminator())) {
    if (auto call = mlir::dyn_cast<func::CallOp>(op); call && call.getCallee() == kCheckCall) {
      need(call.getOperand(0), false);
      continue;
    }
    if (op.getNumResults() != 1 || given.contains(op.getResult(0)))
      continue;
    Facts of = facts[op.getResult(0)];
    if (of.base)
      for (Value operand : op.getOperands())
        need(operand, true);
    if (!of.natural)
      continue;
    if (auto load = mlir::dyn_cast<tensor::ExtractOp>(op)) {
      MemoryAccess access = extractAccess(load);
      access.array = kernel.arrayOf.lookup(load.getTensor());
      needIndices(access);
    } else if (auto branch = mlir::dyn_cast<scf::IfOp>(op)) {
      MemoryAccess access = guardedAccess(branch);
      needIndices(access);
      if (access.condition) {
        need(access.condition, false);
        need(access.otherwise, false);
      }
    } else if (of.onVector && of.linear) {
      for (Value operand : op.getOperands())
        need(operand, true); // made from the base
      facts[op.getResult(0)].base = true;
    } else if (auto compare = mlir::dyn_cast<arith::CmpIOp>(op);
               compare && isLaneComparison(compare)) {
      need(compare.getLhs(), true);
      need(compare.getRhs(), true);
    } else if (!divisorOf(op, /*wantsRest=*/true)) {
      for (Value operand : op.getOperands())
        need(operand, false);
    }
  }
}

bool BodyEmitter::isLaneComparison(arith::CmpIOp op) const {
  using P = arith::CmpIPredicate;
  bool isUnsigned = op.getPredicate() == P::ult || op.getPredicate() == P::ule ||
                    op.getPredicate() == P::ugt || op.getPredicate() == P::uge;
  mlir::Type type = op.getLhs().getType();
  Facts l = factsOf(op.getLhs()), r = factsOf(op.getRhs());
  int64_t factor = l.factor - r.factor;
  return lanes > 1 && !isUnsigned && (type.isIndex() || type.isInteger(64)) && l.linear &&
         r.linear && l.small && r.small && (factor == 1 || factor == -1);
}

double BodyEmitter::memoryCost(const KernelNest &nest, int loop) const {
  // Cost of an access whose indices move by these factors along the loop.
  auto costOf = [&](int array, llvm::ArrayRef<std::optional<int64_t>> factors) {
    llvm::ArrayRef<Size> shape = kernel.arrays[size_t(array)].shape;
    std::optional<int64_t> step = 0, stride = 1; // in memory, as far as they are known
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (factors[axis] != 0)
        step = step && factors[axis] && stride ? std::optional(*step + *factors[axis] * *stride)
                                               : std::nullopt;
      auto extent = constantSize(shape[axis]);
      stride = stride && extent ? std::optional(*stride * *extent) : std::nullopt;
    }
    if (step == 0)
      return 0.0;
    return step ? costOfStride(*step) : kGatherCost;
  };
  double cost = 0;
  for (int i = 0; i < int(nest.inputs.size()); ++i) {
    int array = nest.inputs[size_t(i)];
    if (array < 0 || registers.contains(array))
      continue;
    llvm::SmallVector<std::optional<int64_t>, 6> factors;
    for (mlir::AffineExpr expr : operandAccess(nest, i).map.getResults())
      factors.push_back(affineFactors(expr, unsigned(nest.numLoops()))[size_t(loop)]);
    cost += costOf(array, factors);
  }
  nest.body()->walk([&](tensor::ExtractOp load) {
    llvm::SmallVector<std::optional<int64_t>, 6> factors;
    for (Value index : load.getIndices())
      factors.push_back(indexFactor(nest, index, loop));
    cost += costOf(kernel.arrayOf.lookup(load.getTensor()), factors);
  });
  return cost;
}

int BodyEmitter::crossedLoop(const KernelNest &nest, int vectorLoop) const {
  for (int i = 0; i < int(nest.inputs.size()); ++i)
    if (int loop = crossedLoop(nest, i, vectorLoop); loop >= 0)
      return loop;
  return -1;
}

int BodyEmitter::crossedLoop(const KernelNest &nest, int operand, int vectorLoop) const {
  int array = nest.inputs[size_t(operand)];
  if (array < 0 || registers.contains(array) || kernel.arrays[size_t(array)].rank() < 2)
    return -1;
  mlir::AffineMap map = operandAccess(nest, operand).map;
  if (!map.isFunctionOfDim(unsigned(vectorLoop)))
    return -1;
  llvm::SmallVector<int64_t, 8> steps =
      affineFactors(map.getResults().back(), unsigned(nest.numLoops()));
  if (steps[size_t(vectorLoop)] != 0)
    return -1;
  for (int loop = 0; loop < nest.numLoops(); ++loop)
    if (steps[size_t(loop)] == 1)
      return loop;
  return -1;
}

llvm::SmallVector<bool> BodyEmitter::loadsAlong(const KernelNest &nest, int loop) const {
  llvm::SmallVector<bool> result;
  for (int i = 0; i < int(nest.inputs.size()); ++i)
    if (nest.inputs[size_t(i)] >= 0)
      result.push_back(operandAccess(nest, i).map.isFunctionOfDim(unsigned(loop)));
  nest.body()->walk([&](tensor::ExtractOp load) {
    result.push_back(llvm::any_of(
        load.getIndices(), [&](Value index) { return indexFactor(nest, index, loop) != 0; }));
  });
  return result;
}

int BodyEmitter::reusedVectors(const KernelNest &nest, int vectorLoop, int rowLoop) const {
  int reused = 0;
  for (auto [onVector, onRow] : llvm::zip(loadsAlong(nest, vectorLoop), loadsAlong(nest, rowLoop)))
    reused += onVector && !onRow;
  return reused;
}

bool BodyEmitter::isInCondition(const KernelNest &nest, int loop) const {
  bool found = false;
  nest.body()->walk(
      [&](scf::IfOp branch) { found |= indexFactor(nest, branch.getCondition(), loop) != 0; });
  return found;
}

std::optional<int64_t> BodyEmitter::indexFactor(const KernelNest &nest, Value index,
                                                int loop) const {
  // Values stand before their users: one sweep over the body up to the index.
  llvm::DenseMap<Value, std::optional<int64_t>> factors;
  auto of = [&](Value value) -> std::optional<int64_t> {
    auto known = factors.find(value);
    return known == factors.end() ? std::optional<int64_t>(0) : known->second;
  };
  for (int i = 0; i < int(nest.inputs.size()); ++i)
    if (nest.inputs[size_t(i)] >= 0 && operandAccess(nest, i).map.isFunctionOfDim(unsigned(loop)))
      factors[nest.body()->getArgument(unsigned(i))] = std::nullopt;
  for (mlir::Operation &op : nest.body()->without_terminator()) {
    if (op.getNumResults() != 1)
      continue;
    std::optional<int64_t> factor = 0;
    if (auto counter = mlir::dyn_cast<linalg::IndexOp>(op)) {
      factor = int64_t(counter.getDim()) == loop;
    } else if (mlir::isa<scf::IfOp>(op)) {
      factor = std::nullopt;
    } else {
      llvm::SmallVector<int64_t, 3> operands;
      for (Value operand : op.getOperands())
        if (std::optional<int64_t> each = of(operand))
          operands.push_back(*each);
      if (operands.size() < op.getNumOperands())
        factor = std::nullopt;
      else if (!llvm::all_of(operands, [](int64_t each) { return each == 0; }))
        factor = linearFactor(op, operands);
    }
    factors[op.getResult(0)] = factor;
  }
  return of(index);
}

} // namespace graphc
