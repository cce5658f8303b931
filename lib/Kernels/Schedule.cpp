//===- Schedule.cpp - the order in which kernels run ----------------------===//
//
// Groups are in the order in which the graph names them: the gradients of a thousand calls, and
// then the kernels that add them up. What they add up would all be alive at once, and leave the
// cache before it is read. So a kernel that is the last to read more than it makes runs right
// behind what it waits for (test/Stages/schedule.mlir):
//
//   p1 = x a, p2 = x b, p3 = x c, p4 = x d        p1 = x a, p2 = x b
//   s = p1 + p2                              ->   s = p1 + p2
//   t = s + p3 + p4                               p3 = x c, p4 = x d
//                                                 t = s + p3 + p4
//
// Four products are alive at once before, three arrays after. (What runs in front of a kernel so
// that a nest can share it is decided before, in SmallFirst.cpp.)
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <numeric>
#include <utility>

#include "Kernels/FusionState.h"

namespace graphc {
namespace {

/// Stands for extents that calls bring.
constexpr double kTypicalExtent = 64;

/// The groups that read an array: the last one, and how late the others run.
struct Readers {
  int32_t last = -1, slotOfOthers = -1;
};

} // namespace

/// The numbers of the groups. Kernels that may fail keep their place, as does everything where
/// sizes are read from arrays: an error must be the first one, and a size must be there.
std::vector<int32_t> Fusion::schedule() const {
  std::vector<int32_t> order(groups_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!record_.options.optimizations.has(Optimization::Schedule))
    return order;
  for (size_t id = 0; id < sizeWanted_.size(); ++id)
    if (sizeWanted_[id] && sizes_.nodes()[id].op == SizeOp::Element)
      return order;

  std::vector<bool> isOutput(arrays_.size(), false);
  for (int32_t output : record_.outputs)
    isOutput[arrays_[resolve(output)].base] = true;
  auto bytesOf = [&](int32_t array) {
    const ArrayInfo &info = record_.emission.arrays[array];
    double bytes = byteSize(info.dtype);
    for (int32_t size : info.shape) {
      const SizeNode &n = sizes_.nodes()[size];
      bytes *= n.op == SizeOp::Constant ? double(n.value) : kTypicalExtent;
    }
    return bytes;
  };
  auto readsOf = [&](const FusionGroup &group) {
    ArraySet bases;
    for (int32_t array : group.reads)
      bases.push_back(arrays_[array].base);
    if (group.otherStep >= 0) // of thousands of inputs, maybe
      for (int32_t input : record_.emission.steps[size_t(group.otherStep)].inputs)
        bases.push_back(arrays_[resolve(input)].base);
    std::ranges::sort(bases);
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    return bases;
  };

  std::vector<Readers> readers(arrays_.size());
  for (int32_t g = 0; g < int32_t(groups_.size()); ++g)
    for (int32_t base : readsOf(groups_[g]))
      readers[base].last = g;

  // A moved group has the slot of the one that it runs behind.
  std::vector<int32_t> slots = order;
  for (int32_t g = 0; g < int32_t(groups_.size()); ++g) {
    const FusionGroup &group = groups_[g];
    ArraySet reads = readsOf(group);
    int32_t slot = -1;
    for (int32_t base : reads)
      if (int32_t producer = arrays_[base].group; producer >= 0 && producer != g)
        slot = std::max(slot, slots[producer]);
    bool mayMove = group.otherStep < 0 && slot >= 0;
    double made = 0, freed = 0;
    for (const FusedNest &fused : group.nests) {
      mayMove &= fused.checks.empty();
      if (usedOutside_[fused.nest.result] && !isOutput[fused.nest.result])
        made += bytesOf(fused.nest.result);
    }
    for (int32_t base : reads)
      if (arrays_[base].group >= 0 && arrays_[base].group != g && !isOutput[base] &&
          readers[base].last == g && readers[base].slotOfOthers <= slot)
        freed += bytesOf(base);
    if (mayMove && made < freed)
      slots[g] = slot;
    for (int32_t base : reads)
      readers[base].slotOfOthers = std::max(readers[base].slotOfOthers, slots[g]);
  }
  std::ranges::sort(order, {}, [&](int32_t g) { return std::pair(slots[g], g); });
  return order;
}

} // namespace graphc
