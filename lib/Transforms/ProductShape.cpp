//===- Transforms/ProductShape.cpp - which passes are products -------------===//
#include "Lowering/ScalarTypes.h"
#include "Transforms/Products.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

/// Rows of tiles of one vector.
static constexpr int kNarrowRows = 8;
/// What follows a product, as bodyCost says it: code for a whole tile of it would take longer to
/// compile than smaller tiles, of one kind, cost when they run.
static constexpr int kLongBody = 20;

/// The operand that a factor is, perhaps through conversions; -1 if it is
/// something else.
static int operandOf(const KernelNest &nest, Value factor) {
  while (mlir::Operation *op = factor.getDefiningOp()) {
    if (!mlir::isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(
            op))
      return -1;
    factor = op->getOperand(0);
  }
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(factor);
  if (!argument || argument.getOwner() != nest.body() ||
      argument.getArgNumber() >= nest.inputs.size() || nest.inputs[argument.getArgNumber()] < 0)
    return -1;
  return int(argument.getArgNumber());
}

/// Nothing if the pass is no product, or one that is better off otherwise.
std::optional<KernelEmitter::ProductShape> KernelEmitter::productShape(const Pass &pass) const {
  const KernelNest &nest = kernel.nests[size_t(pass.nests[0])];
  if (!nest.isReduction() || nest.neutral.size() != 1 || nest.partialTerm || kernel.hasChecks ||
      nest.numLoops() != nest.numParallel + 1 || nest.numParallel - pass.outer < 2)
    return std::nullopt;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    if (kernel.nests[size_t(number)].isReduction())
      return std::nullopt;
  ProductShape shape;
  shape.columnLoop = nest.numParallel - 1;
  shape.sumLoop = nest.numParallel;
  mlir::Operation *product = nest.terms[0].getDefiningOp();
  shape.element = nest.terms[0].getType();
  bool isFloat = mlir::isa_and_present<arith::MulFOp>(product) &&
                 mlir::isa<arith::AddFOp>(nest.join) &&
                 (shape.element.isF32() || shape.element.isF64());
  bool isInteger = mlir::isa_and_present<arith::MulIOp>(product) &&
                   mlir::isa<arith::AddIOp>(nest.join) &&
                   (shape.element.isInteger(32) || shape.element.isInteger(64));
  if (!isFloat && !isInteger)
    return std::nullopt;

  llvm::SmallVector<mlir::AffineMap> maps =
      const_cast<KernelNest &>(nest).op.getIndexingMapsArray();
  auto follows = [&](int operand, int loop) {
    return maps[size_t(operand)].isFunctionOfDim(unsigned(loop));
  };
  shape.leftFactor = product->getOperand(0);
  shape.rightFactor = product->getOperand(1);
  shape.left = operandOf(nest, shape.leftFactor);
  shape.right = operandOf(nest, shape.rightFactor);
  if (shape.left < 0 || shape.right < 0)
    return std::nullopt;
  if (follows(shape.left, shape.columnLoop)) {
    std::swap(shape.left, shape.right);
    std::swap(shape.leftFactor, shape.rightFactor);
  }
  if (follows(shape.left, shape.columnLoop) || !follows(shape.right, shape.columnLoop) ||
      !follows(shape.left, shape.sumLoop) || !follows(shape.right, shape.sumLoop))
    return std::nullopt;
  shape.isLeftPlain = mlir::isa<mlir::BlockArgument>(shape.leftFactor);
  shape.isRightPlain = mlir::isa<mlir::BlockArgument>(shape.rightFactor);

  auto extentOf = [&](int loop) {
    return constantSize(nest.extents[size_t(loop)]).value_or(int64_t(1) << 40);
  };
  shape.rowLoop = -1;
  for (int loop = pass.outer; loop < shape.columnLoop; ++loop)
    if (follows(shape.left, loop) && !follows(shape.right, loop) &&
        (shape.rowLoop < 0 || extentOf(loop) >= extentOf(shape.rowLoop)))
      shape.rowLoop = loop;
  shape.lanes = lanesOf();
  if (shape.rowLoop < 0 || shape.lanes == 1 || extentOf(shape.rowLoop) < 4 ||
      extentOf(shape.sumLoop) < 4 || extentOf(shape.columnLoop) * 2 < shape.lanes)
    return std::nullopt;

  shape.vectors = target.vectorRegisters == 32 && target.vectorBytes == 16 ? 4 : 2;
  int64_t numVectors =
      std::min<int64_t>(llvm::divideCeil(extentOf(shape.columnLoop), shape.lanes), 64);
  shape.vectors = int(llvm::divideCeil(numVectors, llvm::divideCeil(numVectors, shape.vectors)));
  int registersEach =
      std::max<int>(1, int(shape.lanes * memoryBytes(shape.element)) / target.vectorBytes);
  // Beside the sums: the vectors of the right operand, a scalar of the left
  // one, and without fused operations a product.
  int available = target.vectorRegisters - shape.vectors * registersEach - 1 - !target.math.fma;
  int most = std::clamp(available / (shape.vectors * registersEach), 1, 2 * kRowsOfPointer);
  shape.rows = {evenBlocks(nest.extents[size_t(shape.rowLoop)], most)};
  shape.narrowRows = evenBlocks(nest.extents[size_t(shape.rowLoop)], kNarrowRows);
  int cost = 0;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    cost += bodyCost(kernel.nests[size_t(number)]);
  if (cost >= kLongBody) {
    shape.rows[0] = std::min(shape.rows[0], most / 2);
    shape.narrowRows = std::min(shape.narrowRows, kNarrowRows / 2);
    return shape;
  }
  shape.isEven = extentOf(shape.rowLoop) % shape.rows[0] == 0;
  if (int64_t extent = extentOf(shape.rowLoop); extent > most || !shape.isEven)
    // Four rows of two vectors are as many sums as the multipliers want at a time.
    shape.rows.push_back(std::min(std::max(most / 2, 1), 4));
  return shape;
}

} // namespace graphc
