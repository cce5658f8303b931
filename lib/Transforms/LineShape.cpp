//===- Transforms/LineShape.cpp - which windows are done line by line -----===//
#include "Transforms/LineTiles.h"

namespace graphc {

using mlir::Value;

/// Window positions along a line are written out: so many at most.
static constexpr int64_t kMostLineTaps = 11;

/// Nothing if the product is none that is done so.
std::optional<ProductEmitter::LineShape> ProductEmitter::lineShape() {
  const ProductShape &product = this->shape;
  const mlir::Type element = product.element;
  if (!uses(Optimization::LineTiles) || !target.maskRegisters || target.vectorRegisters != 32 ||
      !target.math.fma || !product.isWindow || product.left < 0 || product.numRun == 0 ||
      !mlir::isa<mlir::BlockArgument>(product.leftFactor) ||
      !(element.isF32() || element.isF64()) ||
      constantSize(strideAlong(nest, product.left, product.rowLoop)) == 1)
    return std::nullopt;
  int cost = 0;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    cost += bodyCost(kernel.nests[size_t(number)]);
  auto branch = product.rightFactor.getDefiningOp<mlir::scf::IfOp>();
  if (!branch || cost >= kLongBody)
    return std::nullopt;
  auto load = mlir::dyn_cast<mlir::tensor::ExtractOp>(branch.thenBlock()->front());
  auto border = branch.elseYield().getOperand(0);
  if (!load || branch.thenYield().getOperand(0) != load.getResult() ||
      !mlir::matchPattern(border, mlir::m_AnyZeroFloat()))
    return std::nullopt;
  LineShape shape;
  shape.array = kernel.arrayOf.lookup(load.getTensor());
  shape.line = nest.numParallel - 1;
  if (!inMemory[size_t(shape.array)])
    return std::nullopt;
  shape.length = constantSize(nest.extents[size_t(shape.line)]).value_or(0);
  if (!areLinesWorthTiles(shape.length))
    return std::nullopt;
  shape.pixels = tilePixels(shape.length);
  for (Value index : load.getIndices()) {
    auto sum = asCounterSum(nest, index);
    if (!sum || sum->factors[size_t(product.rowLoop)] != 0)
      return std::nullopt;
    shape.axes.push_back(*std::move(sum));
  }
  for (int loop = pass.outer; loop < shape.line; ++loop)
    if (loop != product.rowLoop && !mapOf(nest, product.left).isFunctionOfDim(unsigned(loop)))
      shape.others.push_back(loop);
  llvm::SmallVector<CounterSum> conditions;
  if (!readConditions(nest, branch.getCondition(), conditions))
    return std::nullopt;
  for (CounterSum &sum : conditions) {
    int parallel = -1, reduced = -1, count = 0;
    for (auto [loop, factor] : llvm::enumerate(sum.factors))
      if (factor != 0) {
        (int(loop) < nest.numParallel ? parallel : reduced) = int(loop);
        ++count;
      }
    if (count > 2 || parallel < 0 || reduced < 0)
      return std::nullopt;
    if (parallel == shape.line) {
      if (!constantSize(sum.size) || (shape.tap >= 0 && shape.tap != reduced))
        return std::nullopt;
      shape.tap = reduced;
      shape.ofLine.push_back(std::move(sum));
    } else if (std::abs(sum.factors[size_t(reduced)]) == 1 &&
               llvm::is_contained(shape.others, parallel)) {
      shape.ofSums.push_back({reduced, std::move(sum)});
    } else {
      return std::nullopt;
    }
  }
  for (const CounterSum &axis : llvm::ArrayRef(shape.axes).drop_back())
    if (axis.factors[size_t(shape.line)] || (shape.tap >= 0 && axis.factors[size_t(shape.tap)]))
      return std::nullopt;
  if (shape.tap >= 0)
    shape.numTaps = constantSize(nest.extents[size_t(shape.tap)]).value_or(0);
  if (shape.numTaps < 1 || shape.numTaps > kMostLineTaps ||
      int(product.sums.size()) == (shape.tap >= 0) ||
      llvm::any_of(shape.ofSums, [&](const auto &one) { return one.first == shape.tap; }))
    return std::nullopt;
  return shape;
}

/// Whether the runtime may keep the weights as the panels that are copied otherwise, where they are
/// a constant: rows of an input, one after the other, all of which are read.
bool ProductEmitter::mayKeepLines() const {
  const ProductShape &product = shape;
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(product.left)])];
  mlir::AffineMap map = mapOf(nest, product.left);
  if (!uses(Optimization::KeptPanels) || array.role != KernelArray::Role::Input ||
      product.numRun != int(product.sums.size()) || array.rank() != product.numRun + 1 ||
      map.getResult(0) != mlir::getAffineDimExpr(unsigned(product.rowLoop), b.getContext()))
    return false;
  return llvm::all_of(llvm::enumerate(product.sums), [&](auto sum) {
    return array.shape[sum.index() + 1] == nest.extents[size_t(sum.value())];
  });
}

} // namespace graphc
