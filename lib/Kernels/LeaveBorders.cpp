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
#include "Kernels/FusionState.h"
#include "Support/LineTiles.h"

namespace graphc {
namespace {

/// Whether a loop counts along the last axis of what is loaded, and along no other.
bool followsLastAxis(const Nest &nest, const ScalarNode &load, int32_t rank,
                     const std::vector<uint64_t> &depends, int32_t loop) {
  for (int32_t axis = 0; axis < rank; ++axis) {
    const int32_t index = nest.indices[load.loadFirstIndex() + size_t(axis)];
    if ((depends[size_t(index)] >> loop & 1) != (axis == rank - 1))
      return false;
  }
  return true;
}

} // namespace

/// Whether a sum of products with windows of `padded` leaves out the border that `pad` puts around
/// what it copies.
bool Fusion::leavesBorderOut(const Nest &sum, int32_t padded, const FusedNest &pad) const {
  const ScalarNode &product = sum.body[size_t(sum.root)];
  const ScalarNode &copied = pad.nest.body[size_t(pad.nest.root)];
  if (!record_.options.leavesBordersOut() || sum.combine != Combine::Sum ||
      product.op != ScalarOp::Mul || !isFloat(product.dtype) || copied.op != ScalarOp::Load ||
      copied.args[0] < 0)
    return false;
  const ScalarNode &border = pad.nest.body[size_t(copied.args[1])];
  if (border.op != ScalarOp::Constant || border.payload != 0)
    return false;
  int32_t window = product.args[0], weights = product.args[1];
  auto reads = [&](int32_t node) {
    const ScalarNode &load = sum.body[size_t(node)];
    return load.op == ScalarOp::Load && load.args[0] < 0 && resolve(load.loadArray()) == padded;
  };
  if (!reads(window))
    std::swap(window, weights);
  if (!reads(window) || sum.body[size_t(weights)].op != ScalarOp::Load)
    return false;
  auto rank = [&](int32_t array) {
    return int32_t(record_.emission.arrays[size_t(array)].shape.size());
  };
  const std::vector<uint64_t> depends = dependences(sum, rank);
  const uint64_t units = unitLoops(sum);
  auto follows = [&](int32_t node, int32_t loop) { return depends[size_t(node)] >> loop & 1; };
  auto extentOf = [&](int32_t loop) {
    return sizes_.constantValue(sum.extents[size_t(loop)]).value_or(0);
  };
  int32_t line = sum.numParallel - 1;
  while (line > 0 && (units >> line & 1))
    --line;
  const ScalarNode &read = sum.body[size_t(window)];
  if (line < 0 || !followsLastAxis(sum, read, rank(read.loadArray()), depends, line) ||
      follows(weights, line) || !areLinesWorthTiles(extentOf(line)))
    return false;
  auto rankOfFused = [&](int32_t array) { return rankOf(array); };
  if (!followsLastAxis(pad.nest, copied, rankOf(copied.loadArray()),
                       dependences(pad.nest, rankOfFused), pad.nest.numParallel - 1))
    return false;
  for (int32_t loop = 0; loop < line; ++loop)
    if (follows(weights, loop) && !follows(window, loop) && extentOf(loop) >= kLeastLineOutputs)
      return true;
  return false;
}

} // namespace graphc
