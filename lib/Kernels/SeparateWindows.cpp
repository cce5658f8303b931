//===- SeparateWindows.cpp - windows, axis by axis ------------------------===//
//
// The greatest of 3 x 3 elements is the greatest of three that are greatest in their columns, which
// neighbouring windows share:
//
//   y[c, i, j] = max(k < 3, l < 3) x[c, 2 i + k, 2 j + l]
//
// becomes
//
//   t[c, i, w] = max(k < 3) x[c, 2 i + k, w]
//   y[c, i, j] = max(l < 3) t[c, i, 2 j + l]
//
// The first has vectors along the row, as it lies in memory, and its row is still in the cache when
// the second reads it (they share the loops up to the row). Nine strided loads for each vector of
// results are six that are contiguous, and three. Windows that overlap in every element gain
// nothing by it: their loads are contiguous as they are. Sums and all else that joins values is
// done so, too; what is joined is a load alone, and the order of a sum is then that of rows of
// columns.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"
#include "Support/MemoryCost.h"

namespace graphc {
namespace {

/// Longer windows are sums of their own.
constexpr int64_t kMostTaps = 32;

} // namespace

/// The reduction loop that is left for a second nest: it counts along the last axis of what is
/// loaded, beside one parallel loop. -1: the nest is better off as it is.
int32_t Fusion::separableLoop(const Nest &nest) const {
  auto numLoops = int32_t(nest.extents.size());
  if (nest.combine == Combine::None || isArg(nest.combine) || numLoops < nest.numParallel + 2)
    return -1;
  const ScalarNode &load = nest.body[size_t(nest.root)];
  if (load.op != ScalarOp::Load || load.args[0] >= 0)
    return -1;
  const auto affine = affineNodes(nest, [&](int32_t size) { return sizes_.constantValue(size); });
  std::vector<Affine> indices;
  for (size_t axis = 0; axis < record_.emission.arrays[size_t(load.loadArray())].shape.size();
       ++axis) {
    const auto &index = affine[size_t(nest.indices[load.loadFirstIndex() + axis])];
    if (!index)
      return -1;
    indices.push_back(*index);
  }
  if (indices.empty())
    return -1;
  int32_t along = -1, columns = -1;
  for (int32_t loop = 0; loop < numLoops; ++loop) {
    auto hasLoop = [&](const Affine &index) { return index.factors[size_t(loop)] != 0; };
    if (!hasLoop(indices.back()))
      continue;
    int32_t &found = loop < nest.numParallel ? columns : along;
    if (found >= 0 || indices.back().factors[size_t(loop)] < 0 ||
        std::ranges::count_if(indices, hasLoop) != 1)
      return -1;
    found = loop;
  }
  if (along < 0 || columns < 0 || isUnit(nest.extents[size_t(columns)]))
    return -1;
  int64_t others = 1, width = 1;
  for (int32_t loop = nest.numParallel; loop < numLoops; ++loop) {
    std::optional<int64_t> extent = sizes_.constantValue(nest.extents[size_t(loop)]);
    if (!extent || *extent < 1 || *extent > kMostTaps)
      return -1;
    (loop == along ? width : others) *= *extent;
  }
  // For each vector of results, with the row that is handed on.
  int64_t stride = indices.back().factors[size_t(columns)];
  double before = double(width * others) * costOfStride(stride);
  double after = double((others + 1) * stride) + double(width) * costOfStride(stride);
  // Without a stride, windows of 3 x 3 took 1.02 (averages) and 0.99 (maxima) of the time so.
  return stride > 1 && others > 1 && width > 1 && after < before ? along : -1;
}

/// The nest without the reduction loop `along`, for all of the last axis; `nest` becomes what joins
/// the elements of its result.
Nest Fusion::separate(Nest &nest, int32_t along) {
  Emission &e = record_.emission;
  const ScalarNode load = nest.body[size_t(nest.root)];
  const ArrayInfo &from = e.arrays[size_t(load.loadArray())];
  size_t lastIndex = load.loadFirstIndex() + from.shape.size() - 1;
  const Affine last = *affineNodes(nest, [&](int32_t size) {
    return sizes_.constantValue(size);
  })[size_t(nest.indices[lastIndex])];
  int32_t columns = 0;
  while (last.factors[size_t(columns)] == 0)
    ++columns;

  Nest inner = nest;
  inner.extents[size_t(columns)] = from.shape.back();
  inner.extents.erase(inner.extents.begin() + along);
  // The last axis is read at a counter of its own, all else as before: what only the loop's counter
  // went into goes with it.
  std::vector<ScalarNode> nodes = std::move(inner.body);
  for (ScalarNode &n : nodes)
    if (n.op == ScalarOp::Index && int32_t(n.payload) > along)
      --n.payload;
  Numbers indices = std::move(inner.indices);
  indices[lastIndex] = int32_t(nodes.size());
  nodes.push_back({ScalarOp::Index, DType::Int64, {-1, -1, -1}, uint64_t(columns)});
  inner.body.clear();
  inner.indices.clear();
  int32_t *root = &inner.root;
  std::vector<int32_t> order, stack;
  orderBody(
      nodes,
      [&](int32_t id) {
        return absl::MakeConstSpan(indices).subspan(nodes[size_t(id)].loadFirstIndex(),
                                                    from.shape.size());
      },
      {&root, 1}, order, stack, inner.body, inner.indices);
  ArrayInfo handed;
  handed.dtype = hasAccumulator(nest.combine) ? nest.accumulator : load.dtype;
  handed.shape.assign(inner.extents.begin(), inner.extents.begin() + inner.numParallel);
  inner.result = int32_t(e.arrays.size());
  e.arrays.push_back(std::move(handed));

  Nest outer;
  outer.extents.assign(nest.extents.begin(), nest.extents.begin() + nest.numParallel);
  outer.extents.push_back(nest.extents[size_t(along)]);
  outer.numParallel = nest.numParallel;
  outer.combine = nest.combine;
  outer.accumulator = nest.accumulator;
  outer.result = nest.result;
  auto add = [&](ScalarOp op, int32_t a, int32_t b, uint64_t payload) {
    outer.body.push_back({op, DType::Int64, {a, b, -1}, payload});
    return int32_t(outer.body.size()) - 1;
  };
  auto scaled = [&](int32_t loop, int64_t factor) {
    int32_t counter = add(ScalarOp::Index, -1, -1, uint64_t(loop));
    return factor == 1
               ? counter
               : add(ScalarOp::Mul, counter, add(ScalarOp::Constant, -1, -1, uint64_t(factor)), 0);
  };
  for (int32_t loop = 0; loop < outer.numParallel; ++loop) {
    int32_t index = scaled(loop, loop == columns ? last.factors[size_t(columns)] : 1);
    if (loop == columns) {
      index = add(ScalarOp::Add, index, scaled(outer.numParallel, last.factors[size_t(along)]), 0);
      if (last.constant != 0)
        index =
            add(ScalarOp::Add, index, add(ScalarOp::Constant, -1, -1, uint64_t(last.constant)), 0);
    }
    outer.indices.push_back(index);
  }
  outer.root = int32_t(outer.body.size());
  outer.body.push_back({ScalarOp::Load,
                        e.arrays[size_t(inner.result)].dtype,
                        {-1, -1, -1},
                        uint64_t(inner.result) << 32});
  nest = std::move(outer);
  return inner;
}

void Fusion::separateWindows() {
  Emission &e = record_.emission;
  auto isWindow = [&](const Step &step) {
    return step.kind == Step::Kind::Loops && separableLoop(step.nest) >= 0;
  };
  if (!uses(Optimization::SeparateWindows) || std::ranges::none_of(e.steps, isWindow))
    return;
  const std::vector<bool> checked = stepsWithChecks();
  std::vector<std::vector<Step>> earlier(e.steps.size());
  for (size_t s = 0; s < e.steps.size(); ++s) {
    Step &step = e.steps[s];
    if (checked[s] || !isWindow(step))
      continue;
    Step first = step;
    first.nest = separate(step.nest, separableLoop(step.nest));
    first.outputs = {first.nest.result};
    step.inputs = {first.nest.result};
    earlier[s].push_back(std::move(first));
  }
  insertSteps(std::move(earlier));
}

} // namespace graphc
