//===- Transforms/BodyQuotients.cpp - loads at every n-th lane ------------===//
//
// y[i] = x[i / 2] reads each element for two lanes: the gradient of a strided convolution puts the
// phases of its result side by side so, and pictures are enlarged so. Where vectors begin at a
// multiple of the divisor, lane l has element l / 2 of half a vector, which is loaded as it lies
// and spread by a shuffle; i mod 2 is the same in all vectors. A gather takes some three cycles
// for each lane: the gradient of a 3x3 layer with stride 2, 128 channels of 56x56, went from 1.48
// to 1.22 of oneDNN's time.
//
//===----------------------------------------------------------------------===//
#include "Lowering/ScalarCall.h"
#include "Transforms/BodyEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace graphc {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::Value;

/// Whether a number is a multiple of a power of two, as far as ops around it say so.
static bool isMultiple(Value number, int64_t factor) {
  if (auto constant = mlir::getConstantIntValue(number))
    return *constant % factor == 0;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(number)) {
    auto loop = mlir::dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && loop.getInductionVar() == number && isMultiple(loop.getLowerBound(), factor) &&
           isMultiple(loop.getStep(), factor);
  }
  mlir::Operation *op = number.getDefiningOp();
  auto isOperand = [&](Value operand) { return isMultiple(operand, factor); };
  if (mlir::isa<arith::AddIOp, arith::SubIOp>(op))
    return llvm::all_of(op->getOperands(), isOperand);
  // Of -16, the bits below 16 are none.
  return mlir::isa<arith::AndIOp, arith::MulIOp>(op) && llvm::any_of(op->getOperands(), isOperand);
}

/// The loop whose counter the op divides by a power of two that is half a vector at most, or asks
/// for the rest of; and the divisor.
std::pair<int, int> BodyEmitter::quotientOfCounter(mlir::Operation &op, bool wantsRest) const {
  auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
  auto scalar = call ? parseScalarCall(call.getCallee()) : std::nullopt;
  if (!target.optimizations.has(Optimization::Quotients) || !scalar ||
      scalar->op != (wantsRest ? ScalarOp::Mod : ScalarOp::IntDiv) ||
      scalar->result != DType::Int64)
    return {-1, 0};
  auto divisor = mlir::getConstantIntValue(call.getOperand(1));
  if (!divisor || *divisor < 2 || !llvm::isPowerOf2_64(uint64_t(*divisor)) || *divisor * 2 > lanes)
    return {-1, 0};
  return {countedLoop(call.getOperand(0)), int(*divisor)};
}

/// The divisor, if that loop is the vector loop, and it divides the first lane's counter.
int BodyEmitter::divisorOf(mlir::Operation &op, bool wantsRest) const {
  auto [loop, divisor] = quotientOfCounter(op, wantsRest);
  if (loop < 0 || !loops[size_t(loop)].isVector)
    return 0;
  llvm::ArrayRef<Value> index = loops[size_t(loop)].index; // none while passes are planned
  return !index.empty() && index[0] && isMultiple(index[0], divisor) ? divisor : 0;
}

int BodyEmitter::numQuotients(const KernelNest &nest, int vectorLoop) const {
  int number = 0;
  bool alongVectors = false;
  for (mlir::Operation &op : nest.body()->without_terminator())
    for (bool wantsRest : {false, true}) {
      const int loop = quotientOfCounter(op, wantsRest).first;
      number += loop >= 0;
      alongVectors |= loop == vectorLoop && !wantsRest;
    }
  return alongVectors ? number : 0;
}

/// The divisor of a load whose last index is a quotient, and that moves in no other way.
int BodyEmitter::quotientOf(const MemoryAccess &access) const {
  if (access.indices.empty() || lanes == 1 ||
      access.indices.size() != memory[size_t(access.array)].strides.size() ||
      constantSize(memory[size_t(access.array)].strides.back()) != 1)
    return 0;
  for (Value index : llvm::ArrayRef(access.indices).drop_back())
    if (factsOf(index).onVector)
      return 0;
  return factsOf(access.indices.back()).divisor;
}

/// The rest of each lane's counter.
Value BodyEmitter::restOfLanes(mlir::Type element, int divisor) {
  mlir::VectorType type = vectorOf(element);
  llvm::SmallVector<mlir::Attribute, 16> numbers;
  for (int i = 0; i < lanes; ++i)
    numbers.push_back(mlir::IntegerAttr::get(element, i % divisor));
  return arith::ConstantOp::create(stack.builder(), mlir::DenseElementsAttr::get(type, numbers));
}

/// The elements that lanes of a mask want: those of any lane.
Value BodyEmitter::elementsOfLanes(Value mask, int divisor) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  auto type = mlir::VectorType::get({lanes / divisor}, b.getI1Type());
  if (auto made = mask.getDefiningOp<vector::CreateMaskOp>()) { // of the first ones
    Value up = arith::AddIOp::create(b, made.getOperand(0), stack.constant(divisor - 1));
    Value shift = stack.constant(int64_t(llvm::Log2_64(uint64_t(divisor))));
    return vector::CreateMaskOp::create(b, type, Value(arith::ShRSIOp::create(b, up, shift)));
  }
  Value wanted;
  for (int part = 0; part < divisor; ++part) {
    llvm::SmallVector<int64_t> places;
    for (int i = part; i < lanes; i += divisor)
      places.push_back(i);
    Value ofPart = vector::ShuffleOp::create(b, mask, mask, places);
    wanted = wanted ? Value(arith::OrIOp::create(b, wanted, ofPart)) : ofPart;
  }
  return wanted;
}

/// The same of a condition of the body, of which a part may be the same for all lanes.
Value BodyEmitter::elementsWanted(Value condition, int row, int v, int divisor) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  auto type = mlir::VectorType::get({lanes / divisor}, b.getI1Type());
  if (!factsOf(condition).onVector)
    return vector::BroadcastOp::create(b, type, get(condition, row, v));
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    if (!factsOf(both.getLhs()).onVector || !factsOf(both.getRhs()).onVector)
      return arith::AndIOp::create(b, elementsWanted(both.getLhs(), row, v, divisor),
                                   elementsWanted(both.getRhs(), row, v, divisor));
  return elementsOfLanes(getVector(condition, row, v), divisor);
}

/// Loads at `base` + lane / divisor.
Value BodyEmitter::loadQuotients(const MemoryAccess &access, mlir::VectorType type, Value base,
                                 int row, int v, int divisor, Value otherwise) {
  mlir::ImplicitLocOpBuilder &b = stack.builder();
  int count = lanes / divisor;
  auto part = mlir::VectorType::get({count}, type.getElementType());
  Value mask = maskOf(v, row), wanted;
  if (mask)
    wanted = elementsOfLanes(mask, divisor);
  if (access.condition) {
    Value condition = getVector(access.condition, row, v);
    Value elements = elementsWanted(access.condition, row, v, divisor);
    wanted = wanted ? Value(arith::AndIOp::create(b, wanted, elements)) : elements;
    mask = mask ? Value(arith::AndIOp::create(b, condition, mask)) : condition;
  }
  Value buffer = memory[size_t(access.array)].buffer, loaded;
  if (wanted)
    loaded = vector::MaskedLoadOp::create(b, part, buffer, base, wanted,
                                          Value(arith::ConstantOp::create(b, b.getZeroAttr(part))));
  else
    loaded = vector::LoadOp::create(b, part, buffer, base);
  llvm::SmallVector<int64_t> places;
  for (int i = 0; i < lanes; ++i)
    places.push_back(i / divisor);
  Value spread = vector::ShuffleOp::create(b, loaded, loaded, places);
  return access.condition ? Value(arith::SelectOp::create(b, mask, spread, otherwise)) : spread;
}

} // namespace graphc
