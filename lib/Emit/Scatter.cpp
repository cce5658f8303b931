//===- Scatter.cpp ----------------------------------------------------------===//
#include "Emit/Scatter.h"

#include <algorithm>

namespace graphc {
namespace {

/// Loops on which each node depends, a bit each.
std::vector<uint64_t> dependences(const Nest &nest, absl::Span<const int32_t> numIndices) {
  std::vector<uint64_t> loops(nest.body.size(), 0);
  for (size_t id = 0; id < nest.body.size(); ++id) {
    const ScalarNode &n = nest.body[id];
    if (n.op == ScalarOp::Index)
      loops[id] = uint64_t(1) << n.payload;
    for (int32_t arg : n.args)
      if (arg >= 0)
        loops[id] |= loops[size_t(arg)];
    for (int32_t axis = 0; axis < numIndices[id]; ++axis)
      loops[id] |= loops[size_t(nest.indices[n.loadFirstIndex() + uint32_t(axis)])];
  }
  return loops;
}

/// By node: how many indices a load has. They stand one load after the other.
std::vector<int32_t> numIndicesOf(const Nest &nest) {
  std::vector<int32_t> counts(nest.body.size(), 0);
  for (size_t id = 0; id < nest.body.size(); ++id) {
    if (nest.body[id].op != ScalarOp::Load)
      continue;
    uint32_t first = nest.body[id].loadFirstIndex(), end = uint32_t(nest.indices.size());
    for (const ScalarNode &other : nest.body)
      if (other.op == ScalarOp::Load && other.loadFirstIndex() > first)
        end = std::min(end, other.loadFirstIndex());
    counts[id] = int32_t(end - first);
  }
  return counts;
}

} // namespace

Array scatter(Emitter &e, Array x, Array terms, Array positions, int axis) {
  DType dtype = e.dtype(x);
  auto body = [&](Indices i, Indices r) {
    Scalar isTerm = r[0] > 0.0, k = r[0] - 1.0;
    Scalars at(i.begin(), i.end());
    at[size_t(axis)] = k;
    Scalar zero = e.literal(dtype, 0);
    Scalar position = e.loadIf(isTerm, positions, {k}, e.index(0));
    Scalar term = e.loadIf(isTerm, terms, at, zero);
    return select(equalTo(r[0], 0.0), e.load(x, i),
                  select(equalTo(i[size_t(axis)], position), term, zero));
  };
  return e.reduce(isBool(dtype) ? Combine::Or : Combine::Sum, e.shape(x), {e.dim(positions, 0) + 1},
                  body, {.result = dtype, .accumulator = dtype});
}

std::optional<Scatter> scatterOf(const Nest &nest) {
  const std::vector<ScalarNode> &body = nest.body;
  const ScalarNode &root = body[size_t(nest.root)];
  bool isSum = nest.combine == Combine::Sum && nest.accumulator == root.dtype;
  bool isOr = nest.combine == Combine::Or && isBool(root.dtype);
  if ((!isSum && !isOr) || root.op != ScalarOp::Select ||
      int32_t(nest.extents.size()) != nest.numParallel + 1 || nest.extents.size() > 63)
    return std::nullopt;
  auto isZero = [&](int32_t id) {
    return body[size_t(id)].op == ScalarOp::Constant && body[size_t(id)].payload == 0;
  };
  // The other side of a comparison with a counter; -1 if it is none.
  auto comparedWith = [&](int32_t id, int side, int32_t &loop) {
    const ScalarNode &n = body[size_t(id)];
    if (n.op != ScalarOp::Eq || body[size_t(n.args[side])].op != ScalarOp::Index)
      return -1;
    loop = int32_t(body[size_t(n.args[side])].payload);
    return n.args[1 - side];
  };
  Scatter scatter{-1, nest.numParallel, root.args[1], -1, -1};
  bool isFirst = false;
  for (int side : {0, 1}) {
    int32_t loop = -1, other = comparedWith(root.args[0], side, loop);
    isFirst |= other >= 0 && isZero(other) && loop == scatter.reduction;
  }
  const ScalarNode &choice = body[size_t(root.args[2])];
  if (!isFirst || choice.op != ScalarOp::Select || !isZero(choice.args[2]))
    return std::nullopt;
  scatter.value = choice.args[1];
  std::vector<uint64_t> loops = dependences(nest, numIndicesOf(nest));
  if (loops[size_t(scatter.start)] >> scatter.reduction & 1)
    return std::nullopt;
  for (int side : {0, 1}) {
    scatter.position = comparedWith(choice.args[0], side, scatter.loop);
    if (scatter.position < 0 || scatter.loop == scatter.reduction)
      continue;
    uint64_t here = uint64_t(1) << scatter.loop;
    uint64_t behind = (uint64_t(1) << nest.numParallel) - here; // from this one on
    if (!(loops[size_t(scatter.position)] & behind) && !(loops[size_t(scatter.value)] & here))
      return scatter;
  }
  return std::nullopt;
}

Numbers workExtents(const Nest &nest) {
  Numbers extents = nest.extents;
  if (std::optional<Scatter> scatter = scatterOf(nest))
    extents.erase(extents.begin() + scatter->loop);
  return extents;
}

} // namespace graphc
