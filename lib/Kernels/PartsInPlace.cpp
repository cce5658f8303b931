//===- PartsInPlace.cpp - concatenations that nobody copies ---------------===//
//
// What joins arrays along an outer axis, in front of which extents are 1, has each of them in one
// piece. Kernels that compute such arrays write them where they belong
// (test/Stages/parts-in-place.mlir):
//
//   %2: f32[a, n] = arena                    %2: f32[a + b, n] = arena
//   %3: f32[b, n] = arena                    %3: f32[a, n] = memory of %2 from 0
//   %4: f32[a + b, n] = arena          ->    %4: f32[b, n] = memory of %2 from a n
//   kernel @dot (%0) -> (%2)                 kernel @dot (%0) -> (%3)
//   kernel @dot (%1) -> (%3)                 kernel @dot (%1) -> (%4)
//   kernel @join (%2, %3) -> (%4)
//
// docs/design/39-parts-in-place.md says when.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"

namespace graphc {
namespace {

/// Arrays within arrays: programs are built by recursion over them.
constexpr int32_t kMostNested = 16;

} // namespace

/// What the nest joins, one behind the other, if that is all it does and each stands in one piece
/// of the result: a load for each, under masks, the other one where they do not hold.
std::optional<std::vector<Fusion::Join>> Fusion::joinedArrays(const Nest &nest) {
  const std::vector<ArrayInfo> &infos = record_.emission.arrays;
  auto node = [&](int32_t id) -> const ScalarNode & { return nest.body[size_t(id)]; };
  auto isIndex = [&](int32_t id, int32_t loop) {
    return node(id).op == ScalarOp::Index && int32_t(node(id).payload) == loop;
  };
  auto sizeOf = [&](int32_t id) -> std::optional<int32_t> {
    if (node(id).op == ScalarOp::Size)
      return sizes_.canonical(int32_t(node(id).payload));
    if (node(id).op == ScalarOp::Constant && node(id).dtype == DType::Int64)
      return sizes_.constant(int64_t(node(id).payload));
    return std::nullopt;
  };
  const int32_t rank = nest.numParallel;
  std::vector<int32_t> loads;
  int32_t rest = nest.root;
  for (; node(rest).op == ScalarOp::Load && node(rest).args[0] >= 0; rest = node(rest).args[1]) {
    if (int32_t(infos[size_t(node(rest).loadArray())].shape.size()) != rank)
      return std::nullopt;
    loads.push_back(rest);
  }
  if (nest.combine != Combine::None || loads.size() < 2 || node(rest).op != ScalarOp::Constant)
    return std::nullopt;
  auto indexOf = [&](int32_t load, int32_t d) {
    return nest.indices[size_t(node(load).loadFirstIndex()) + size_t(d)];
  };
  int32_t axis = 0;
  while (axis < rank && isIndex(indexOf(loads.back(), axis), axis))
    ++axis;
  if (axis == rank)
    return std::nullopt;
  for (int32_t d = 0; d < axis; ++d)
    if (!isUnit(nest.extents[size_t(d)]))
      return std::nullopt;

  // i - start
  auto startOf = [&](int32_t id) -> std::optional<int32_t> {
    if (isIndex(id, axis))
      return sizes_.constant(0);
    const ScalarNode &n = node(id);
    return n.op == ScalarOp::Sub && isIndex(n.args[0], axis) ? sizeOf(n.args[1]) : std::nullopt;
  };
  auto isZero = [&](int32_t id) {
    std::optional<int32_t> size = sizeOf(id);
    return size && isConstant(*size, 0);
  };
  std::vector<Join> joined;
  int32_t end = sizes_.constant(0);
  for (int32_t load : loads) {
    const int32_t array = node(load).loadArray(), begin = end;
    const Numbers &shape = infos[size_t(array)].shape;
    if (startOf(indexOf(load, axis)) != begin ||
        infos[size_t(array)].dtype != infos[size_t(nest.result)].dtype)
      return std::nullopt;
    for (int32_t d = 0; d < rank; ++d)
      if (d != axis &&
          (!isIndex(indexOf(load, d), d) ||
           sizes_.canonical(shape[size_t(d)]) != sizes_.canonical(nest.extents[size_t(d)])))
        return std::nullopt;
    end =
        sizes_.canonical(sizes_.binary(SizeOp::Add, begin, sizes_.canonical(shape[size_t(axis)])));
    // The mask is no narrower than the array, and for all but the last one no wider.
    bool isBounded = load == loads.back();
    std::vector<int32_t> conditions = {node(load).args[0]};
    while (!conditions.empty()) {
      const ScalarNode &n = node(conditions.back());
      conditions.pop_back();
      if (n.op == ScalarOp::And)
        conditions.insert(conditions.end(), {n.args[0], n.args[1]});
      else if (n.op == ScalarOp::Lt && isIndex(n.args[0], axis) && sizeOf(n.args[1]) == end)
        isBounded = true;
      else if (n.op != ScalarOp::Ge || startOf(n.args[0]) != begin || !isZero(n.args[1]))
        return std::nullopt;
    }
    if (!isBounded)
      return std::nullopt;
    joined.push_back({resolve(array), begin});
  }
  if (end != sizes_.canonical(nest.extents[size_t(axis)]))
    return std::nullopt;
  for (Join &join : joined)
    for (int32_t d = axis + 1; d < rank; ++d)
      join.begin = sizes_.binary(SizeOp::Mul, join.begin, nest.extents[size_t(d)]);
  return joined;
}

/// Puts an array that is there in the place of all of its parts: blocks that grow, each time by
/// what a convolution makes of all before it, join as many arrays each time. Whether there was one.
bool Fusion::gatherParts(std::vector<Join> &joined) const {
  for (size_t k = 0; k < joined.size(); ++k) {
    const int32_t whole = arrays_[size_t(joined[k].array)].whole;
    if (whole < 0)
      continue;
    const auto &parts = parts_.at(whole);
    auto isPart = [](const std::pair<int32_t, int32_t> &part, const Join &join) {
      return part.first == join.array;
    };
    auto begin = joined.begin() + ptrdiff_t(k);
    if (parts.size() > joined.size() - k || !std::equal(parts.begin(), parts.end(), begin, isPart))
      continue;
    joined[k].array = whole;
    joined.erase(begin + 1, begin + ptrdiff_t(parts.size()));
    return true;
  }
  return false;
}

/// Whether it is known before the first step: all parts' memory is one array's, which is there when
/// the first part is written.
bool Fusion::isKnownFirst(int32_t size) const {
  std::vector<int32_t> pending = {size};
  std::vector<bool> seen(sizes_.nodes().size(), false);
  while (!pending.empty()) {
    const int32_t id = pending.back();
    pending.pop_back();
    if (id < 0 || seen[size_t(id)])
      continue;
    seen[size_t(id)] = true;
    const SizeNode &n = sizes_.nodes()[size_t(id)];
    if (n.op == SizeOp::Element)
      return false;
    if (n.op != SizeOp::Constant && n.op != SizeOp::Dim)
      pending.insert(pending.end(), {n.a, n.b, n.c});
  }
  return true;
}

/// Whether a kernel computes it, and nobody needs it as an array of its own.
bool Fusion::mayBePart(int32_t array) const {
  const FusionArray &a = arrays_[size_t(array)];
  return a.whole < 0 && !a.wanted && a.base == array && a.nested < kMostNested &&
         (a.waiting >= 0 || (a.group >= 0 && groups_[size_t(a.group)].otherStep < 0));
}

/// Whether the map looks at what a kernel computes element by element, so that it may become the
/// end of that kernel.
bool Fusion::endsKernel(const Nest &nest) const {
  return std::ranges::any_of(nest.body, [&](const ScalarNode &n) {
    if (n.op != ScalarOp::Load || n.args[0] >= 0)
      return false;
    const FusionArray &a = arrays_[size_t(n.loadArray())];
    return a.base == n.loadArray() && a.group >= 0 && groups_[size_t(a.group)].otherStep < 0 &&
           !groups_[size_t(a.group)].isInPlace && rankOf(n.loadArray()) == nest.numParallel &&
           sameIndices(nest, n, nest.numParallel) == nest.numParallel;
  });
}

bool Fusion::isReadByProduct(int32_t array) const {
  const FusionArray &a = arrays_[size_t(array)];
  if (a.clients != 1)
    return false;
  const Step &client = record_.emission.steps[size_t(a.client)];
  return client.kind == Step::Kind::Loops && isProduct(client.nest);
}

/// Makes what the nest joins parts of its result, if that pays: where a kernel writes each of them
/// anyway, or some of them and the result is in memory whatever happens. Other maps would be
/// written into the kernel that joins, which reads nothing but their operands.
bool Fusion::placeParts(const Nest &nest) {
  if (!uses(Optimization::PartsInPlace) || isCallee_)
    return false;
  std::optional<std::vector<Join>> joined = joinedArrays(nest);
  if (!joined)
    return false;
  while (gatherParts(*joined))
    ;
  size_t written = 0;
  ArraySet distinct;
  for (const Join &join : *joined) {
    if (!mayBePart(join.array) || !isKnownFirst(join.begin))
      return false;
    insert(distinct, join.array);
    const int32_t waiting = arrays_[size_t(join.array)].waiting;
    written += waiting < 0 || endsKernel(waiting_[size_t(waiting)].nest);
  }
  const int32_t result = nest.result;
  const bool hasMemory = arrays_[size_t(result)].wanted || isReadByProduct(result);
  if (distinct.size() < joined->size() || written < (hasMemory ? 1 : joined->size()) ||
      !std::ranges::all_of(nest.extents, [&](int32_t size) { return isKnownFirst(size); }))
    return false;
  for (const Join &join : *joined) {
    arrays_[size_t(join.array)].wanted = true;
    if (arrays_[size_t(join.array)].waiting >= 0)
      materialize(join.array);
    FusionArray &part = arrays_[size_t(join.array)], &whole = arrays_[size_t(result)];
    part.whole = result;
    whole.nested = std::max(whole.nested, part.nested + 1);
    parts_[result].emplace_back(join.array, join.begin);
  }
  return true;
}

/// A group of its own, behind those of the parts, for which there is no kernel.
void Fusion::placeJoin(FusedNest fused) {
  arrays_[size_t(fused.nest.result)].group = int32_t(groups_.size());
  FusionGroup &group = groups_.emplace_back();
  group.isInPlace = true;
  group.numShared = fused.nest.numParallel;
  group.reads = fused.reads;
  group.nests.push_back(std::move(fused));
}

} // namespace graphc
