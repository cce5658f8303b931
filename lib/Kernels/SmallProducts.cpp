//===- SmallProducts.cpp - matrices times vectors of one kernel ------------===//
//
// The gradient of a gated unit ends a step with three products, of vectors that one kernel has
// made, and adds them up. Each alone waits for its sums and is a call; in one kernel their sums are
// made side by side (lib/Transforms/Blocks.cpp), and what adds them up is in it, too. Large
// matrices have kernels of their own: there memory is waited for, and they are read by long runs.
//
//===----------------------------------------------------------------------===//
#include "Kernels/FusionState.h"

namespace graphc {

/// Elements of a matrix, at most: a quarter of an L2 cache.
static constexpr int64_t kMostElements = int64_t(1) << 16;

/// What products that may share a kernel have in common: the group that made their vectors, and
/// their extents. Empty: the nest is no such product.
std::vector<int32_t> Fusion::smallProductKey(const Nest &nest) const {
  const size_t numLoops = nest.extents.size();
  if (nest.combine != Combine::Sum || nest.numParallel != 1 || numLoops != 2)
    return {};
  int64_t elements = 1;
  for (int32_t extent : nest.extents) {
    const SizeNode &size = sizes_.nodes()[size_t(extent)];
    if (size.op != SizeOp::Constant || size.value > kMostElements)
      return {};
    elements *= size.value;
  }
  constexpr uint64_t kResults = 1, kTerms = 2;
  std::vector<uint64_t> depends = dependences(nest, [&](int32_t array) { return rankOf(array); });
  int32_t maker = -1;
  int numMatrices = 0, numVectors = 0;
  for (size_t id = 0; id < nest.body.size(); ++id) {
    if (nest.body[id].op != ScalarOp::Load)
      continue;
    numMatrices += depends[id] == (kResults | kTerms);
    numVectors += depends[id] == kTerms;
    if (depends[id] == kTerms)
      maker = arrays_[arrays_[nest.body[id].loadArray()].base].group;
  }
  if (elements > kMostElements || numMatrices != 1 || numVectors != 1 || maker < 0)
    return {};
  return {maker, nest.extents[0], nest.extents[1]};
}

} // namespace graphc
