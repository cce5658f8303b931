//===- Collapse.cpp - adjacent dimensions that are one --------------------===//
//
//   y[i, j] = x[i, j] + 1   in n x m   becomes   y[k] = x[k] + 1   in n * m
//
// Loops d and d + 1 may become one if every array that has the one counter as an index has the
// other as its next index and is as long there as the loop; likewise axes of arrays. So what
// stands or falls together is found first: pairs of adjacent loops (of each nest) and pairs of
// adjacent axes (of each array), joined where a load or a result runs through both.
//
//===----------------------------------------------------------------------===//
#include <numeric>

#include "Kernels/Canonicalize.h"

namespace graphc {
namespace {

class Pairs {
public:
  Pairs(const KernelDraft &draft) {
    int32_t next = 0;
    for (const KernelDraft::Array &a : draft.arrays) {
      firstOfArray_.push_back(next);
      next += std::max<int32_t>(int32_t(a.shape.size()) - 1, 0);
    }
    for (const Nest &nest : draft.nests) {
      firstOfNest_.push_back(next);
      next += std::max<int32_t>(int32_t(nest.extents.size()) - 1, 0);
    }
    parent_.resize(next);
    std::iota(parent_.begin(), parent_.end(), 0);
    broken_.assign(next, false);
  }
  int32_t axes(int32_t array, int32_t axis) const { return firstOfArray_[array] + axis; }
  int32_t loops(int32_t nest, int32_t loop) const { return firstOfNest_[nest] + loop; }
  void join(int32_t a, int32_t b) {
    a = find(a), b = find(b);
    parent_[a] = b;
    broken_[b] = broken_[a] || broken_[b];
  }
  void breakUp(int32_t pair) { broken_[find(pair)] = true; }
  bool whole(int32_t pair) { return !broken_[find(pair)]; }

private:
  int32_t find(int32_t id) {
    while (parent_[id] != id)
      id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  std::vector<int32_t> firstOfArray_, firstOfNest_, parent_;
  std::vector<bool> broken_;
};

int32_t counterOf(const Nest &nest, int32_t node) {
  const ScalarNode &n = nest.body[node];
  return n.op == ScalarOp::Index ? int32_t(n.payload) : -1;
}

/// Indices of a load against loops.
void relate(const KernelDraft &draft, int32_t k, int32_t array, absl::Span<const int32_t> counters,
            Pairs &pairs) {
  const Nest &nest = draft.nests[k];
  const Numbers &shape = draft.arrays[array].shape;
  int32_t rank = int32_t(shape.size()), numLoops = int32_t(nest.extents.size());
  auto followed = [&](int32_t axis) { // by the next counter, as far as the loop goes
    return axis + 1 < rank && counters[axis] >= 0 && counters[axis + 1] == counters[axis] + 1 &&
           shape[axis + 1] == nest.extents[counters[axis + 1]];
  };
  for (int32_t axis = 0; axis < rank; ++axis) {
    int32_t loop = counters[axis];
    if (axis + 1 < rank) {
      if (followed(axis))
        pairs.join(pairs.axes(array, axis), pairs.loops(k, loop));
      else
        pairs.breakUp(pairs.axes(array, axis));
    }
    if (loop < 0)
      continue;
    if (loop + 1 < numLoops && !followed(axis))
      pairs.breakUp(pairs.loops(k, loop));
    if (loop > 0 && !(axis > 0 && counters[axis - 1] == loop - 1 && followed(axis - 1)))
      pairs.breakUp(pairs.loops(k, loop - 1));
  }
}

Pairs findPairs(const KernelDraft &draft) {
  Pairs pairs(draft);
  Numbers counters;
  for (int32_t k = 0; k < int32_t(draft.nests.size()); ++k) {
    const Nest &nest = draft.nests[k];
    int32_t numLoops = int32_t(nest.extents.size());
    for (int32_t d = 0; d + 1 < numLoops; ++d) {
      if (d + 1 == nest.numParallel || d + 1 == draft.numShared)
        pairs.breakUp(pairs.loops(k, d));
      else if (d + 1 < draft.numShared)
        pairs.join(pairs.loops(k, d), pairs.loops(0, d));
    }
    auto uses = [&](int32_t node) { // a counter in arithmetic
      if (int32_t loop = counterOf(nest, node); loop >= 0) {
        if (loop > 0)
          pairs.breakUp(pairs.loops(k, loop - 1));
        if (loop + 1 < numLoops)
          pairs.breakUp(pairs.loops(k, loop));
      }
    };
    uses(nest.root);
    for (const ScalarNode &n : nest.body) {
      for (int32_t arg : n.args)
        if (arg >= 0)
          uses(arg);
      if (n.op != ScalarOp::Load)
        continue;
      counters.clear();
      for (size_t axis = 0; axis < draft.arrays[n.loadArray()].shape.size(); ++axis)
        counters.push_back(counterOf(nest, nest.indices[n.loadFirstIndex() + axis]));
      relate(draft, k, n.loadArray(), counters, pairs);
    }
    counters.resize(nest.numParallel);
    std::iota(counters.begin(), counters.end(), 0);
    relate(draft, k, nest.result, counters, pairs);
  }
  return pairs;
}

} // namespace

void collapseDimensions(KernelDraft &draft, SizeTable &sizes, BodyBuilder &builder) {
  Pairs pairs = findPairs(draft);
  bool any = false;
  for (int32_t k = 0; k < int32_t(draft.nests.size()); ++k)
    for (int32_t d = 0; d + 1 < int32_t(draft.nests[k].extents.size()); ++d)
      any |= pairs.whole(pairs.loops(k, d));
  if (!any)
    return;

  std::vector<std::vector<bool>> dropped(draft.arrays.size()); // axes that join the one before
  for (int32_t a = 0; a < int32_t(draft.arrays.size()); ++a) {
    Numbers &shape = draft.arrays[a].shape, collapsed;
    for (int32_t axis = 0; axis < int32_t(shape.size()); ++axis) {
      bool joins = axis > 0 && pairs.whole(pairs.axes(a, axis - 1));
      dropped[a].push_back(joins);
      if (joins)
        collapsed.back() = sizes.binary(SizeOp::Mul, collapsed.back(), shape[axis]);
      else
        collapsed.push_back(shape[axis]);
    }
    shape = std::move(collapsed);
  }

  int32_t numShared = 0;
  std::vector<int32_t> newLoop, map, indices;
  for (int32_t k = 0; k < int32_t(draft.nests.size()); ++k) {
    Nest &nest = draft.nests[k];
    Nest out;
    newLoop.clear();
    for (int32_t d = 0; d < int32_t(nest.extents.size()); ++d) {
      if (d > 0 && pairs.whole(pairs.loops(k, d - 1))) {
        out.extents.back() = sizes.binary(SizeOp::Mul, out.extents.back(), nest.extents[d]);
      } else {
        out.extents.push_back(nest.extents[d]);
        out.numParallel += d < nest.numParallel;
        numShared += k == 0 && d < draft.numShared;
      }
      newLoop.push_back(int32_t(out.extents.size()) - 1);
    }
    out.combine = nest.combine;
    out.accumulator = nest.accumulator;
    out.result = nest.result;
    builder.start(out.extents);
    auto index = [&](int32_t loop) { return builder.index(newLoop[loop]); };
    builder.copy(nest.body, map, index, [&](const ScalarNode &n, int32_t) {
      indices.clear();
      for (size_t axis = 0; axis < dropped[n.loadArray()].size(); ++axis)
        if (!dropped[n.loadArray()][axis])
          indices.push_back(map[nest.indices[n.loadFirstIndex() + axis]]);
      return builder.load(n.dtype, n.loadArray(), indices, n.args[0], n.args[1]);
    });
    std::vector<int32_t *> roots = {&out.root};
    out.root = map[nest.root];
    for (KernelDraft::Check &check : draft.checks)
      if (check.nest == k) {
        check.condition = map[check.condition];
        roots.push_back(&check.condition);
      }
    builder.finish(roots, out.body, out.indices);
    nest = std::move(out);
  }
  draft.numShared = numShared;
}

} // namespace graphc
