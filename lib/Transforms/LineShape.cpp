//===- Transforms/LineShape.cpp - which windows are done line by line -----===//
#include "Transforms/LineTiles.h"

namespace graphc {

using mlir::Value;

/// Nothing if the product is none that is done so.
std::optional<ProductEmitter::LineShape> ProductEmitter::lineShape() {
  const mlir::Type element = shape.element;
  if (!uses(Optimization::LineTiles) || !target.maskRegisters || target.vectorRegisters != 32 ||
      !target.math.fma || !shape.isWindow || shape.left < 0 || shape.numRun == 0 ||
      !mlir::isa<mlir::BlockArgument>(shape.leftFactor) || !(element.isF32() || element.isF64()) ||
      int64_t(shape.lanes) * memoryBytes(element) != kLineVectorBytes ||
      constantSize(strideAlong(nest, shape.left, shape.rowLoop)) == 1)
    return std::nullopt;
  // Threads share out lines, not outputs: where other passes follow, these read what a part has
  // made of its outputs.
  if (kernel.nests.size() != pass.nests.size())
    return std::nullopt;
  // Weights of an output that do not stand together, as those of other layouts and slices, are
  // copied as they are elsewhere.
  const Size step = strideAlong(nest, shape.left, shape.sums.back());
  if (constantSize(step) != (shape.backwards[unsigned(shape.sums.size()) - 1] ? -1 : 1))
    return std::nullopt;
  int cost = 0;
  for (int number : llvm::ArrayRef(pass.nests).drop_front())
    cost += bodyCost(kernel.nests[size_t(number)]);
  auto branch = shape.rightFactor.getDefiningOp<mlir::scf::IfOp>();
  if (!branch || cost >= kLongBody)
    return std::nullopt;
  auto load = mlir::dyn_cast<mlir::tensor::ExtractOp>(branch.thenBlock()->front());
  auto border = branch.elseYield().getOperand(0);
  if (!load || branch.thenYield().getOperand(0) != load.getResult() ||
      !mlir::matchPattern(border, mlir::m_AnyZeroFloat()))
    return std::nullopt;
  LineShape lines;
  lines.line = nest.numParallel - 1;
  auto picture = kernel.arrayOf.find(load.getTensor());
  if (picture == kernel.arrayOf.end() || !inMemory[size_t(picture->second)])
    return std::nullopt;
  lines.array = picture->second;
  lines.length = constantSize(nest.extents[size_t(lines.line)]).value_or(0);
  if (!areLinesWorthTiles(lines.length))
    return std::nullopt;
  lines.pixels = tilePixels(lines.length);
  for (Value index : load.getIndices()) {
    auto sum = asCounterSum(nest, index);
    if (!sum || sum->factors[size_t(shape.rowLoop)] != 0)
      return std::nullopt;
    lines.axes.push_back(*std::move(sum));
  }
  for (int loop = pass.outer; loop < lines.line; ++loop)
    if (loop != shape.rowLoop && !mapOf(nest, shape.left).isFunctionOfDim(unsigned(loop)))
      lines.others.push_back(loop);
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
    if (parallel == lines.line) {
      if (!constantSize(sum.size) || (lines.tap >= 0 && lines.tap != reduced))
        return std::nullopt;
      lines.tap = reduced;
      lines.ofLine.push_back(std::move(sum));
    } else if (std::abs(sum.factors[size_t(reduced)]) == 1 &&
               llvm::is_contained(lines.others, parallel)) {
      lines.ofSums.push_back({reduced, std::move(sum)});
    } else {
      return std::nullopt;
    }
  }
  for (const CounterSum &axis : llvm::ArrayRef(lines.axes).drop_back())
    if (axis.factors[size_t(lines.line)] || (lines.tap >= 0 && axis.factors[size_t(lines.tap)]))
      return std::nullopt;
  if (lines.tap >= 0)
    lines.numTaps = constantSize(nest.extents[size_t(lines.tap)]).value_or(0);
  if (lines.numTaps < 1 || lines.numTaps > kMostLineTaps ||
      int(shape.sums.size()) == (lines.tap >= 0) ||
      llvm::any_of(lines.ofSums, [&](const auto &one) { return one.first == lines.tap; }))
    return std::nullopt;
  return lines;
}

/// Whether the runtime may keep the weights as the panels that are copied otherwise, where they are
/// a constant: rows of an input, one after the other, all of which are read.
bool ProductEmitter::mayKeepLines() const {
  const KernelArray &array = kernel.arrays[size_t(nest.inputs[size_t(shape.left)])];
  mlir::AffineMap map = mapOf(nest, shape.left);
  if (!uses(Optimization::KeptPanels) || array.role != KernelArray::Role::Input ||
      shape.numRun != int(shape.sums.size()) || array.rank() != shape.numRun + 1 ||
      map.getResult(0) != mlir::getAffineDimExpr(unsigned(shape.rowLoop), b.getContext()))
    return false;
  return llvm::all_of(llvm::enumerate(shape.sums), [&](auto sum) {
    return array.shape[sum.index() + 1] == nest.extents[size_t(sum.value())];
  });
}

} // namespace graphc
