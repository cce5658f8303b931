//===- Group.cpp - which nests share a kernel -----------------------------===//
//
//   m[i]    = max over j of x[i, j]          one loop over i around all four:
//   e[i, j] = exp(x[i, j] - m[i])            m and s are registers, e is a row of scratch
//   s[i]    = sum over j of e[i, j]
//   y[i, j] = e[i, j] / s[i]
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/Canonicalize.h"
#include "Kernels/FusionState.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"

namespace graphc {
namespace {

uint64_t hashOf(const Nest &nest) {
  uint64_t hash =
      absl::HashOf(nest.extents, nest.numParallel, int(nest.combine), nest.root, nest.indices);
  for (const ScalarNode &n : nest.body)
    hash = absl::HashOf(hash, int(n.op), int(n.dtype), n.args[0], n.args[1], n.args[2], n.payload);
  return hash;
}

/// Whether they compute the same, dtypes of results apart. Bodies are in an order that depends only
/// on what they say.
bool computeTheSame(const Nest &a, const Nest &b) {
  return a.extents == b.extents && a.numParallel == b.numParallel && a.combine == b.combine &&
         (!hasAccumulator(a.combine) || a.accumulator == b.accumulator) && a.root == b.root &&
         a.indices == b.indices && a.body == b.body;
}

bool lookAtTheSame(absl::Span<const FusedNest::Check> a, absl::Span<const FusedNest::Check> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const FusedNest::Check &x, const FusedNest::Check &y) {
                      return x.condition == y.condition;
                    });
}

} // namespace

/// The first group that may use the sizes of a nest, and of the arrays that it loads: behind those
/// that compute elements of which they are made.
int32_t Fusion::groupBehindSizes(const Nest &nest) const {
  absl::Span<const SizeNode> sizes = sizes_.nodes();
  std::vector<int32_t> pending(nest.extents.begin(), nest.extents.end());
  for (const ScalarNode &n : nest.body)
    if (n.op == ScalarOp::Size) {
      pending.push_back(int32_t(n.payload));
    } else if (n.op == ScalarOp::Load) {
      const Numbers &shape = record_.emission.arrays[n.loadArray()].shape;
      pending.insert(pending.end(), shape.begin(), shape.end());
    }
  int32_t behind = 0;
  absl::flat_hash_set<int32_t> seen;
  while (!pending.empty()) {
    int32_t id = pending.back();
    pending.pop_back();
    if (id < 0 || sizes[size_t(id)].op == SizeOp::Constant || sizes[size_t(id)].op == SizeOp::Dim ||
        !seen.insert(id).second)
      continue;
    const SizeNode &n = sizes[size_t(id)];
    if (n.op == SizeOp::Element) {
      behind = std::max(behind, arrays_[arrays_[resolve(n.a)].base].group + 1);
      pending.push_back(n.b);
    } else {
      pending.insert(pending.end(), {n.a, n.b, n.c});
    }
  }
  return behind;
}

/// The first group that a nest may join, which is not in front of `behindSizes`: its operands are
/// made there, or before.
int32_t Fusion::earliestGroup(const Nest &nest, int32_t behindSizes) const {
  int32_t earliest = behindSizes;
  for (const ScalarNode &n : nest.body) {
    if (n.op != ScalarOp::Load)
      continue;
    const int32_t base = arrays_[n.loadArray()].base, maker = arrays_[base].group;
    if (maker >= 0)
      earliest = std::max(earliest, base == n.loadArray() ? maker : maker + 1);
  }
  return earliest;
}

/// Whether an equal nest has memory: the mean of a row that its variance computes again. If so, its
/// array stands for this nest's from now on. Where the first one's checks hold, so do this one's.
bool Fusion::isPlacedAlready(const FusedNest &fused, uint64_t hash) {
  int32_t array = fused.nest.result;
  // What is wanted as an array has a name outside that would have to follow.
  if (arrays_[array].wanted)
    return false;
  const std::vector<ArrayInfo> &infos = record_.emission.arrays;
  auto [begin, end] = placed_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    int32_t other = it->second;
    for (const FusedNest &placed : groups_[arrays_[other].group].nests)
      if (placed.nest.result == other && infos[other].dtype == infos[array].dtype &&
          computeTheSame(placed.nest, fused.nest) && lookAtTheSame(placed.checks, fused.checks)) {
        arrays_[array].alias = other;
        return true;
      }
  }
  return false;
}

int32_t Fusion::sameIndices(const Nest &nest, const ScalarNode &load, int32_t most) const {
  int32_t rank = rankOf(load.loadArray()), same = 0;
  for (; same < most && same < rank; ++same) {
    const ScalarNode &i = nest.body[nest.indices[load.loadFirstIndex() + same]];
    if (i.op != ScalarOp::Index || int32_t(i.payload) != same)
      break;
  }
  return same;
}

/// How many outermost loops a nest may share with others: those outside of the one whose
/// neighbours a copy of a turned product reads, since squares (Transforms/Squares.cpp) want blocks
/// of it. The gradient of a 1x1 layer with stride 2 reads such a copy (512 channels of 28x28: with
/// a channel at a time, gathered, a fifth of the time; a twentieth in a kernel of its own).
int32_t Fusion::loopsAroundSquares(const Nest &nest) const {
  const ScalarNode &root = nest.body[size_t(nest.root)];
  if (!arrays_[nest.result].isHandedOn || nest.combine != Combine::None ||
      root.op != ScalarOp::Load || !uses(Optimization::Squares))
    return nest.numParallel;
  const int32_t rank = rankOf(root.loadArray());
  if (rank == 0)
    return nest.numParallel;
  const ScalarNode &last = nest.body[nest.indices[root.loadFirstIndex() + rank - 1]];
  const bool isTurned = last.op == ScalarOp::Index && int32_t(last.payload) < nest.numParallel - 1;
  return isTurned ? int32_t(last.payload) : nest.numParallel;
}

/// How many outermost loops `nest` could share with a group, if its loads of the group's arrays
/// stay within one iteration of them; -1 if it cannot join.
int32_t Fusion::sharedLoops(const FusionGroup &group, int32_t number,
                            const FusedNest &fused) const {
  const Nest &nest = fused.nest;
  if (group.otherStep >= 0 || int(group.nests.size()) >= kMaxNests ||
      group.ops + fused.ops > kMaxOps || readTooMany(fused.reads, group.reads))
    return -1;
  if (group.numShared == 0)
    return nest.numParallel == 0 && !group.contraction ? 0 : -1;
  const Nest &first = group.nests[0].nest;
  int32_t shared = 0;
  while (shared < group.numShared && shared < nest.numParallel &&
         first.extents[shared] == nest.extents[shared])
    ++shared;
  bool reads = false;
  for (const ScalarNode &n : nest.body) {
    if (n.op != ScalarOp::Load || arrays_[n.loadArray()].group != number)
      continue;
    reads = true;
    shared = sameIndices(nest, n, shared);
  }
  for (const FusedNest &copy : group.nests)
    shared = std::min(shared, loopsAroundSquares(copy.nest));
  if (shared == 0)
    return -1;
  if (group.contraction)
    return isEpilogue(group, number, nest) ? group.numShared : -1;
  // Without values to hand on, only what has just the same loops gains anything.
  if (!reads && (shared < group.numShared || shared < nest.numParallel))
    return -1;
  return shared;
}

/// Whether the map is the epilogue of the group's contraction, whose register blocks must not be
/// cut up: it has the same loops, and of the group's arrays loads its own element.
bool Fusion::isEpilogue(const FusionGroup &group, int32_t number, const Nest &map) const {
  const Nest &last = group.nests.back().nest;
  if (map.combine != Combine::None || map.numParallel != last.numParallel ||
      !std::equal(map.extents.begin(), map.extents.begin() + map.numParallel, last.extents.begin()))
    return false;
  return std::ranges::none_of(map.body, [&](const ScalarNode &n) {
    return n.op == ScalarOp::Load && arrays_[n.loadArray()].group == number &&
           sameIndices(map, n, map.numParallel) < map.numParallel;
  });
}

/// Pictures of a batch are padded and convolved one after the other, so that they stay in the
/// caches: of 8 pictures of 128 channels of 56x56, padding was a sixth of the time. Small ones are
/// columns of one product (Transforms/ProductPictures.cpp).
bool Fusion::joinsPictures(const FusionGroup &group, const FusedNest &fused) const {
  if (!uses(Optimization::Pictures) || group.otherStep >= 0 || group.nests.size() != 1 ||
      group.contraction || group.nests[0].nest.combine != Combine::None)
    return false;
  const int32_t picture = group.nests[0].nest.result;
  if (arrays_[picture].wanted || arrays_[picture].clients > 0 || arrays_[picture].lastReader >= 0)
    return false; // of more than this nest
  const Nest &nest = fused.nest;
  const std::vector<uint64_t> depends = dependences(nest, [&](int32_t a) { return rankOf(a); });
  bool isWindow = false;
  for (size_t id = 0; id < nest.body.size(); ++id) {
    const ScalarNode &n = nest.body[id];
    if (n.op != ScalarOp::Load || n.loadArray() != picture)
      continue;
    bool isSmall = true;
    for (int32_t loop = 1; loop < nest.numParallel; ++loop)
      if (depends[id] >> loop & 1) {
        const SizeNode &extent = sizes_.nodes()[nest.extents[loop]];
        isSmall &= extent.op == SizeOp::Constant && extent.value <= kMaxBakedSize;
      }
    if (isSmall)
      return false;
    for (int32_t axis = 1; axis < rankOf(picture); ++axis)
      isWindow |= nest.body[nest.indices[n.loadFirstIndex() + axis]].op != ScalarOp::Index;
  }
  return isWindow;
}

void Fusion::place(FusedNest fused) {
  uint64_t hash = hashOf(fused.nest);
  if (isPlacedAlready(fused, hash))
    return;
  placed_.emplace(hash, fused.nest.result);
  auto rank = [&](int32_t array) { return rankOf(array); };
  bool contraction = isContraction(fused.nest, rank);
  const int32_t behindSizes = groupBehindSizes(fused.nest),
                earliest = earliestGroup(fused.nest, behindSizes);
  // Groups in which it would find its operands.
  std::vector<int32_t> candidates, makers;
  for (const ScalarNode &n : fused.nest.body) {
    if (n.op != ScalarOp::Load)
      continue;
    const FusionArray &a = arrays_[n.loadArray()];
    int32_t producer = arrays_[a.base].group;
    if (producer >= 0) {
      candidates.push_back(producer);
      makers.push_back(producer);
    }
    if (a.lastReader >= 0)
      candidates.push_back(a.lastReader);
  }
  std::vector<int32_t> productKey = smallProductKey(fused.nest);
  if (auto other = smallProducts_.find(productKey); other != smallProducts_.end())
    candidates.push_back(other->second);
  int32_t chosen = -1, shared = fused.nest.numParallel;
  if (uses(Optimization::Fusion)) {
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (int32_t candidate : candidates) {
      const FusionGroup &group = groups_[candidate];
      if (candidate < earliest || group.isInPlace)
        continue;
      int32_t s = !contraction                             ? sharedLoops(group, candidate, fused)
                  : joinsScatters(group, candidate, fused) ? group.numShared
                  : joinsPictures(group, fused)            ? sharedLoops(group, candidate, fused)
                                                           : -1;
      if (s >= 0) {
        chosen = candidate;
        shared = s;
        break;
      }
    }
    for (size_t k = 0; k < candidates.size() && chosen < 0 && !contraction; ++k) {
      const int32_t candidate = candidates[k];
      if (candidate < behindSizes || candidate >= earliest || groups_[candidate].isInPlace ||
          !uses(Optimization::Schedule))
        continue;
      const int32_t s = sharedLoops(groups_[candidate], candidate, fused);
      if (s < 0)
        continue;
      std::vector<int32_t> small = smallOnesBehind(candidate, makers);
      if (small.empty())
        continue;
      putInFront(candidate, small);
      productKey = smallProductKey(fused.nest); // of which one number is a group's
      chosen = candidate + int32_t(small.size());
      shared = s;
    }
  }
  if (chosen < 0) {
    chosen = int32_t(groups_.size());
    groups_.emplace_back();
  }
  if (!productKey.empty())
    smallProducts_[productKey] = chosen;
  FusionGroup &group = groups_[chosen];
  group.numShared = shared;
  group.ops += fused.ops;
  group.contraction |= contraction;
  for (const ScalarNode &n : fused.nest.body)
    if (n.op == ScalarOp::Load)
      arrays_[n.loadArray()].lastReader = std::max(arrays_[n.loadArray()].lastReader, chosen);
  for (int32_t array : fused.reads)
    insert(group.reads, array);
  arrays_[fused.nest.result].group = chosen;
  group.nests.push_back(std::move(fused));
}

/// An array that only one nest of its own group reads, once and where it was computed, needs no
/// nest: several steps had loaded it, which have become one.
void Fusion::mergeLocals(FusionGroup &group) {
  for (size_t k = group.nests.size(); k-- > 0;) {
    FusedNest &producer = group.nests[k];
    int32_t array = producer.nest.result;
    if (producer.nest.combine != Combine::None || !producer.checks.empty() || usedOutside_[array])
      continue;
    int32_t reader = -1;
    bool one = true;
    for (size_t r = k + 1; r < group.nests.size() && one; ++r) {
      const Nest &nest = group.nests[r].nest;
      for (const ScalarNode &n : nest.body) {
        if (n.op != ScalarOp::Load || n.loadArray() != array)
          continue;
        one = reader < 0 && n.args[0] < 0 && nest.extents == producer.nest.extents;
        for (int32_t axis = 0, rank = rankOf(array); axis < rank && one; ++axis) {
          const ScalarNode &i = nest.body[nest.indices[n.loadFirstIndex() + axis]];
          one = i.op == ScalarOp::Index && int32_t(i.payload) == axis;
        }
        reader = int32_t(r);
        if (!one)
          break;
      }
    }
    if (!one || reader < 0)
      continue;
    FusedNest &consumer = group.nests[reader];
    arrays_[array].waiting = int32_t(waiting_.size());
    waiting_.push_back(std::move(producer));
    FusedNest merged;
    merged.nest = consumer.nest;
    Nest &out = merged.nest;
    builder_.start(out.extents);
    auto index = [&](int32_t loop) { return builder_.index(loop); };
    builder_.copy(consumer.nest.body, map_, index, [&](const ScalarNode &n, int32_t) {
      indices_.clear();
      for (int32_t axis = 0, rank = rankOf(n.loadArray()); axis < rank; ++axis)
        indices_.push_back(map_[consumer.nest.indices[n.loadFirstIndex() + axis]]);
      return n.loadArray() == array
                 ? substitute(waiting_.back(), indices_, -1, -1)
                 : builder_.load(n.dtype, n.loadArray(), indices_, n.args[0], n.args[1]);
    });
    out.root = map_[consumer.nest.root];
    std::vector<int32_t *> roots = {&out.root};
    merged.checks = consumer.checks;
    for (FusedNest::Check &check : merged.checks) {
      check.condition = map_[check.condition];
      roots.push_back(&check.condition);
    }
    builder_.finish(roots, out.body, out.indices);
    measure(merged);
    consumer = std::move(merged);
    waiting_.pop_back();
    arrays_[array].waiting = -1;
    group.nests.erase(group.nests.begin() + int64_t(k));
  }
}

} // namespace graphc
