//===- ShortAxis.cpp - values that a short axis shares --------------------===//
//
// What bodies pull one another with has a size, which costs most, and three coordinates:
//
//   w[i, j]    = (...) ^ -1.5
//   f[i, j, c] = w[i, j] * (x[j, c] - x[i, c])   ->   y[i, c] = sum(j) (...) ^ -1.5 * (x[j, c] -
//   x[i, c]) y[i, c]    = sum(j) f[i, j, c]
//
// To write w into f would compute it three times, and to keep it takes memory for all pairs. But
// where no operand runs along both i and j, the pass to loops takes vectors along i, writes the
// loop over c out, and computes once what does not depend on c (lib/Transforms/ShortRows.cpp).
//
//===----------------------------------------------------------------------===//
#include <bit>

#include "Kernels/FusionState.h"

namespace graphc {

/// Longer axes are for loops.
constexpr int64_t kMostRows = 4;

/// For each load of an array in memory, if the waiting ones were written into the nest, the loops
/// that it depends on.
std::vector<uint64_t> Fusion::loopsOfLoads(const Nest &nest) const {
  const Emission &e = record_.emission;
  auto fullRank = [&](int32_t array) { return int32_t(e.arrays[size_t(array)].shape.size()); };
  auto properRank = [&](int32_t array) { return rankOf(array); };
  std::vector<uint64_t> result, depends = dependences(nest, fullRank);
  for (size_t id = 0; id < nest.body.size(); ++id) {
    const ScalarNode &n = nest.body[id];
    if (n.op != ScalarOp::Load)
      continue;
    int32_t waiting = arrays_[size_t(resolve(n.loadArray()))].waiting;
    if (waiting < 0) {
      result.push_back(depends[id]);
      continue;
    }
    std::vector<uint64_t> axes; // those of the producer's loops
    for (int32_t axis = 0; axis < fullRank(n.loadArray()); ++axis)
      if (!(arrays_[size_t(n.loadArray())].unitAxes >> axis & 1))
        axes.push_back(depends[size_t(nest.indices[n.loadFirstIndex() + uint32_t(axis)])]);
    const Nest &producer = waiting_[size_t(waiting)].nest;
    std::vector<uint64_t> inside = dependences(producer, properRank);
    for (size_t inner = 0; inner < producer.body.size(); ++inner) {
      if (producer.body[inner].op != ScalarOp::Load)
        continue;
      uint64_t loops = 0;
      for (size_t axis = 0; axis < axes.size(); ++axis)
        loops |= inside[inner] >> axis & 1 ? axes[axis] : 0;
      result.push_back(loops);
    }
  }
  return result;
}

bool Fusion::isSharedByRows(const Nest &nest, uint64_t loops) const {
  const FusionArray &array = arrays_[size_t(nest.result)];
  if (!uses(Optimization::ShortAxes) || nest.combine != Combine::None ||
      array.alias != nest.result || array.clients != 1 || array.wanted || nest.extents.size() > 63)
    return false;
  const Step &step = record_.emission.steps[size_t(array.client)];
  const Nest &sum = step.nest;
  if (step.kind != Step::Kind::Loops || sum.combine == Combine::None || isArg(sum.combine))
    return false;

  // The sum's last two parallel loops.
  int32_t columns = -1, rows = -1;
  for (int32_t d = 0; d < sum.numParallel; ++d)
    if (!isUnit(sum.extents[size_t(d)]))
      columns = rows, rows = d;
  if (columns < 0)
    return false;
  const SizeNode &extent = sizes_.nodes()[size_t(sum.extents[size_t(rows)])];
  if (extent.op != SizeOp::Constant || extent.value > kMostRows)
    return false;

  // As loops of the map, whose axes they are.
  const uint64_t units = unitLoops(nest);
  uint64_t rowsHere = 0, columnsHere = 0, summedHere = 0;
  int loads = 0;
  for (const ScalarNode &n : sum.body) {
    if (n.op != ScalarOp::Load || resolve(n.loadArray()) != nest.result)
      continue;
    if (++loads > 1 || n.loadArray() != nest.result)
      return false;
    for (int32_t axis = 0; axis < nest.numParallel; ++axis) {
      const ScalarNode &index = sum.body[size_t(sum.indices[n.loadFirstIndex() + uint32_t(axis)])];
      const uint64_t here = uint64_t(1) << axis;
      if (units & here)
        continue;
      if (index.op != ScalarOp::Index)
        return false;
      const int32_t loop = int32_t(index.payload);
      (loop == rows      ? rowsHere
       : loop == columns ? columnsHere
                         : summedHere) |=
          loop >= sum.numParallel || loop == rows || loop == columns ? here : 0;
    }
  }
  const uint64_t all = (uint64_t(1) << nest.extents.size()) - 1;
  if (std::popcount(rowsHere) != 1 || (loops | units | rowsHere) != all)
    return false;
  bool hasColumns = false;
  for (uint64_t each : loopsOfLoads(nest)) {
    if ((each & columnsHere) && (each & summedHere))
      return false;
    hasColumns |= (each & columnsHere) != 0;
  }
  return hasColumns;
}

} // namespace graphc
