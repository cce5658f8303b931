//===- GraphCost.cpp ---------------------------------------------------------===//
#include "Kernels/GraphCost.h"

#include <algorithm>

#include "Emit/NestCost.h"
#include "Emit/Scatter.h"
#include "Kernels/EmitGraph.h"

namespace graphc {
namespace {

class CostOf {
public:
  explicit CostOf(const Emission &emission) : emission_(emission) { solveSizes(); }
  GraphCost run();

private:
  void solveSizes();
  double elements(const Numbers &extents);
  double arrayBytes(int32_t array);

  const Emission &emission_;
  std::vector<SizeValue> sizes_;
  std::vector<bool> isOpen_;
  GraphCost cost_;
};

void CostOf::solveSizes() {
  auto known = [&](int32_t id) { return std::optional(sizes_[id]); };
  for (const SizeNode &node : emission_.sizes) {
    bool isLeaf = node.op == SizeOp::Dim || node.op == SizeOp::Element;
    bool follows = node.op != SizeOp::Constant && !isLeaf;
    auto isOpen = [&](int32_t id) { return follows && id >= 0 && isOpen_[id]; };
    isOpen_.push_back(isLeaf || isOpen(node.a) || isOpen(node.b) || isOpen(node.c));
    sizes_.push_back(sizeValue(node, known).value_or(1));
  }
}

double CostOf::elements(const Numbers &extents) {
  double product = 1;
  for (int32_t id : extents) {
    product *= double(std::max<SizeValue>(0, sizes_[id]));
    cost_.openExtents |= isOpen_[id];
  }
  return product;
}

double CostOf::arrayBytes(int32_t array) {
  const ArrayInfo &info = emission_.arrays[array];
  return elements(info.shape) * byteSize(info.dtype);
}

GraphCost CostOf::run() {
  for (const Step &step : emission_.steps) {
    if (step.kind == Step::Kind::View)
      continue;
    if (step.kind == Step::Kind::Loops)
      cost_.flops += elements(workExtents(step.nest)) * double(flopsOf(step.nest));
    for (int32_t array : step.inputs)
      cost_.bytes += arrayBytes(array);
    for (int32_t array : step.outputs)
      cost_.bytes += arrayBytes(array);
  }
  return cost_;
}

} // namespace

absl::StatusOr<GraphCost> graphCost(const GraphModule &module) {
  auto graph = FunctionGraph::create(module.inputs, module.outputs);
  if (!graph.ok())
    return graph.status();
  auto record = emitGraph(*graph);
  if (!record.ok())
    return record.status();
  return CostOf(record->emission).run();
}

} // namespace graphc
