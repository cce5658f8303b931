//===- LeaveBorders.cpp - borders that sums leave out ----------------------===//
//
// A convolution of a small picture with a border of zeros, for processors with mask registers:
//
//   for (c, y, x)       p[c, y, x] = inside ? picture[c, y - 1, x - 1] : 0
//   for (o, y, x)       sums[o, y, x] = sum over c, i, j of weights[o, c, i, j] p[c, y + i, x + j]
//
// What makes p is written into the sum, whose loops do not do what its condition leaves out
// (Transforms/LineTiles.cpp):
//
//   for (o, y, x)       sums[o, y, x] = sum over c, i, j of weights[o, c, i, j]
//                                       (inside ? picture[c, y + i - 1, x + j - 1] : 0)
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"
#include "Support/LineTiles.h"

namespace graphc {
namespace {

/// The only loop that an index follows, one by one; -1: none, or several, or otherwise.
int32_t onlyLoop(const std::optional<Affine> &index) {
  int32_t found = -1;
  for (size_t loop = 0; index && loop < index->factors.size(); ++loop) {
    if (index->factors[loop] == 0)
      continue;
    if (found >= 0 || index->factors[loop] != 1)
      return -1;
    found = int32_t(loop);
  }
  return found;
}

/// Whether the condition says of counters that they are at least, or less than, some number each.
bool isBorder(const Nest &nest, int32_t condition,
              const std::vector<std::optional<Affine>> &affine) {
  const ScalarNode &node = nest.body[size_t(condition)];
  if (node.op == ScalarOp::And)
    return isBorder(nest, node.args[0], affine) && isBorder(nest, node.args[1], affine);
  if (node.op != ScalarOp::Ge && node.op != ScalarOp::Lt)
    return false;
  const ScalarNode &bound = nest.body[size_t(node.args[1])];
  return onlyLoop(affine[size_t(node.args[0])]) >= 0 &&
         (bound.op == ScalarOp::Constant || bound.op == ScalarOp::Size);
}

/// Whether the map copies what it loads, along loops of its own each, and puts zeros around it; the
/// last loop is that of the last axis.
bool putsZerosAround(const Nest &map, absl::FunctionRef<int32_t(int32_t array)> rankOf,
                     const std::vector<std::optional<Affine>> &affine) {
  const ScalarNode &copied = map.body[size_t(map.root)];
  if (copied.op != ScalarOp::Load || copied.args[0] < 0)
    return false;
  const ScalarNode &border = map.body[size_t(copied.args[1])];
  if (border.op != ScalarOp::Constant || border.payload != 0 ||
      !isBorder(map, copied.args[0], affine))
    return false;
  const int32_t rank = rankOf(copied.loadArray());
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int32_t loop = onlyLoop(affine[size_t(map.indices[copied.loadFirstIndex() + axis])]);
    if (loop < 0 || (loop == map.numParallel - 1) != (axis == rank - 1))
      return false;
  }
  return true;
}

} // namespace

/// Whether a sum of products with windows of `padded` leaves out the border that `pad` puts around
/// what it copies.
bool Fusion::canReadUnpadded(const Nest &sum, int32_t padded, const FusedNest &pad) const {
  const ScalarNode &product = sum.body[size_t(sum.root)];
  auto valueOf = [&](int32_t size) { return sizes_.constantValue(size); };
  if (!record_.options.leavesBordersOut() || sum.combine != Combine::Sum ||
      product.op != ScalarOp::Mul ||
      (product.dtype != DType::Float32 && product.dtype != DType::Float64))
    return false;
  int32_t window = product.args[0], weights = product.args[1];
  auto reads = [&](int32_t node) {
    const ScalarNode &load = sum.body[size_t(node)];
    return load.op == ScalarOp::Load && resolve(load.loadArray()) == padded;
  };
  if (!reads(window))
    std::swap(window, weights);
  const ScalarNode &read = sum.body[size_t(window)], &weight = sum.body[size_t(weights)];
  if (!reads(window) || read.args[0] >= 0 || weight.op != ScalarOp::Load || weight.args[0] >= 0)
    return false;
  if (!putsZerosAround(
          pad.nest, [&](int32_t array) { return rankOf(array); }, affineNodes(pad.nest, valueOf)))
    return false;

  auto rank = [&](int32_t array) {
    return int32_t(record_.emission.arrays[size_t(array)].shape.size());
  };
  const std::vector<uint64_t> depends = dependences(sum, rank);
  const uint64_t units = unitLoops(sum);
  auto follows = [&](int32_t node, int32_t loop) { return depends[size_t(node)] >> loop & 1; };
  auto extentOf = [&](int32_t loop) { return valueOf(sum.extents[size_t(loop)]).value_or(0); };
  int32_t line = sum.numParallel - 1;
  while (line > 0 && (units >> line & 1))
    --line;
  if (line < 0 || follows(weights, line))
    return false;
  // The line, and its window positions, are of the last axis alone.
  WindowSums sizes{.line = extentOf(line),
                   .taps = 1,
                   .terms = 1,
                   .outputs = 0,
                   .elementBytes = byteSize(product.dtype)};
  const int32_t lastAxis = rank(read.loadArray()) - 1;
  for (int32_t axis = 0; axis <= lastAxis; ++axis)
    if (follows(sum.indices[read.loadFirstIndex() + size_t(axis)], line) != (axis == lastAxis))
      return false;
  const int32_t along = sum.indices[read.loadFirstIndex() + size_t(lastAxis)];
  for (int32_t loop = sum.numParallel; loop < int32_t(sum.extents.size()); ++loop) {
    sizes.terms *= extentOf(loop);
    if (follows(along, loop))
      sizes.taps *= extentOf(loop);
  }
  for (int32_t loop = 0; loop < line; ++loop)
    if (follows(weights, loop) && !follows(window, loop))
      sizes.outputs = std::max(sizes.outputs, extentOf(loop));
  return areDoneByLines(sizes);
}

} // namespace graphc
