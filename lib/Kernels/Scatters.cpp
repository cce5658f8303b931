//===- Scatters.cpp - sums to the same places share a kernel --------------===//
//
// Derivatives of several parameters of one group: each takes its terms to the groups' places.
//
//   a[p] = sum over k of (p == at[k] ? v[k] : 0)
//   b[p] = sum over k of (p == at[k] ? w[k] : 0)
//
// As one kernel they are one loop over k (lib/Transforms/Scatter.cpp), in which the place is looked
// up once. What is computed from the sums of either, element by element, follows in the same
// kernel.
//
//===----------------------------------------------------------------------===//
#include "Emit/Scatter.h"
#include "Kernels/FusionState.h"

namespace graphc {

/// Whether values of two bodies are computed alike from the same arrays. `found` is, by value of
/// the first one, what it was found to be like, since a body is no tree.
bool Fusion::isSameValue(const Nest &nest, int32_t value, const Nest &other, int32_t same,
                         std::vector<int32_t> &found) const {
  if (value < 0 || same < 0)
    return value == same;
  if (found[size_t(value)] == same)
    return true;
  const ScalarNode &n = nest.body[size_t(value)], &m = other.body[size_t(same)];
  if (n.op != m.op || n.dtype != m.dtype)
    return false;
  for (int k = 0; k < 3; ++k)
    if (!isSameValue(nest, n.args[k], other, m.args[k], found))
      return false;
  bool isLoad = n.op == ScalarOp::Load;
  bool isSame = isLoad ? n.loadArray() == m.loadArray() : n.payload == m.payload;
  for (int32_t axis = 0, rank = isSame && isLoad ? rankOf(n.loadArray()) : 0; axis < rank; ++axis)
    isSame &= isSameValue(nest, nest.indices[n.loadFirstIndex() + uint32_t(axis)], other,
                          other.indices[m.loadFirstIndex() + uint32_t(axis)], found);
  if (isSame)
    found[size_t(value)] = same;
  return isSame;
}

bool Fusion::joinsScatters(const FusionGroup &group, int32_t number, const FusedNest &fused) const {
  const std::optional<Scatter> scatter = scatterOf(fused.nest);
  if (!uses(Optimization::JoinScatters) || !scatter || !fused.checks.empty() ||
      group.otherStep >= 0 || group.nests.empty() || int(group.nests.size()) >= kMaxNests ||
      group.ops + fused.ops > kMaxOps || readTooMany(fused.reads, group.reads))
    return false;
  const Nest &first = group.nests[0].nest;
  const std::optional<Scatter> before = scatterOf(first);
  if (!before || before->loop != scatter->loop || first.extents != fused.nest.extents ||
      first.numParallel != fused.nest.numParallel || group.numShared != first.numParallel)
    return false;
  for (const ScalarNode &n : fused.nest.body)
    if (n.op == ScalarOp::Load &&
        arrays_[size_t(arrays_[size_t(n.loadArray())].base)].group == number)
      return false;
  std::vector<int32_t> found(first.body.size(), -1);
  return isSameValue(first, before->position, fused.nest, scatter->position, found);
}

} // namespace graphc
