//===- SmallFirst.cpp - small arrays before large ones --------------------===//
//
// Nests share a kernel with an earlier one that reads the same array (Group.cpp), but not if they
// wait for what a kernel behind that one makes. Graphs name what they need when they need it: the
// tables of a hierarchical model, and what is taken of each, in turn. Where all that a nest would
// wait for has few steps, it runs in front (test/Stages/small-first.mlir):
//
//   a = f(x)              85 numbers        a = f(x)
//   p = a[i]             919                b = g(y)
//   b = g(y)              85          ->    p = a[i], q = b[i], r = p + q      one kernel
//   q = b[i], r = p + q  919
//
// What is made earlier is alive for longer, but small.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"

namespace graphc {

/// Nests of up to so many steps are small: a microsecond, and 32 KB of what each makes.
static constexpr int64_t kFewSteps = 4096;
/// At most so many kernels run in front of another one for a nest's sake, and past so many others.
static constexpr size_t kMostMoved = 8;
static constexpr int32_t kMostPassed = 64;

/// Whether the nest has few steps, and cannot fail.
static bool isSmall(const FusedNest &fused, absl::Span<const SizeNode> sizes) {
  int64_t steps = 1;
  for (int32_t extent : fused.nest.extents) {
    const SizeNode &n = sizes[size_t(extent)];
    if (n.op != SizeOp::Constant || n.value > kFewSteps)
      return false;
    steps *= n.value;
    if (steps > kFewSteps)
      return false;
  }
  return fused.checks.empty();
}

/// The groups behind `group` that must run in front of it if it is to read what `makers` make, in
/// order; none if `group` is one of the makers, they are not all small, or too many, or wait for
/// sizes.
std::vector<int32_t> Fusion::smallOnesBehind(int32_t group, std::vector<int32_t> makers) const {
  std::vector<int32_t> found;
  while (!makers.empty()) {
    const int32_t maker = makers.back();
    makers.pop_back();
    if (maker < group || std::ranges::find(found, maker) != found.end())
      continue;
    const FusionGroup &made = groups_[size_t(maker)];
    if (maker == group || maker > group + kMostPassed || found.size() == kMostMoved ||
        made.otherStep >= 0 || made.isInPlace ||
        !std::ranges::all_of(made.nests, [&](const FusedNest &nest) {
          return isSmall(nest, sizes_.nodes()) && groupBehindSizes(nest.nest) <= group;
        }))
      return {};
    found.push_back(maker);
    for (int32_t array : made.reads)
      if (int32_t before = arrays_[arrays_[array].base].group; before != maker)
        makers.push_back(before);
  }
  std::ranges::sort(found);
  return found;
}

/// Gives `moved`, which are behind `group`, the numbers from that of `group` on, and those between
/// them the ones that follow.
void Fusion::putInFront(int32_t group, absl::Span<const int32_t> moved) {
  const int32_t last = moved.back();
  std::vector<int32_t> order(moved.begin(), moved.end());
  for (int32_t g = group; g < last; ++g)
    if (!std::ranges::binary_search(moved, g))
      order.push_back(g);
  std::vector<FusionGroup> groups;
  std::vector<int32_t> numbers(order.size());
  for (int32_t g : order) {
    numbers[size_t(g - group)] = group + int32_t(groups.size());
    groups.push_back(std::move(groups_[size_t(g)]));
  }
  std::ranges::move(groups, groups_.begin() + group);

  for (int32_t g = group; g <= last; ++g) {
    const FusionGroup &made = groups_[size_t(g)];
    for (const FusedNest &fused : made.nests)
      arrays_[fused.nest.result].group = g;
    if (made.otherStep >= 0)
      for (int32_t output : record_.emission.steps[size_t(made.otherStep)].outputs)
        arrays_[output].group = g;
    for (int32_t array : made.reads)
      if (int32_t &reader = arrays_[array].lastReader; reader >= group && reader <= last)
        reader = -1;
  }
  for (int32_t g = group; g <= last; ++g)
    for (int32_t array : groups_[size_t(g)].reads)
      arrays_[array].lastReader = std::max(arrays_[array].lastReader, g);

  auto renumbered = [&](int32_t g) {
    return g >= group && g <= last ? numbers[size_t(g - group)] : g;
  };
  std::map<std::vector<int32_t>, int32_t> products;
  for (std::pair<std::vector<int32_t>, int32_t> each : smallProducts_) {
    each.first[0] = renumbered(each.first[0]);
    products[std::move(each.first)] = renumbered(each.second);
  }
  smallProducts_ = std::move(products);
}

} // namespace graphc
