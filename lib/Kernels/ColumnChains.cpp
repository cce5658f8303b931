//===- ColumnChains.cpp - nests that share columns --------------*- C++ -*-===//
//
//   m[j]    = max over i of x[i, j]
//   e[i, j] = exp(x[i, j] - m[j])
//   s[j]    = sum over i of e[i, j]
//   y[i, j] = e[i, j] / s[j]
//
// Softmax over axis 0, and whatever else looks at columns of matrices one by one. The outermost
// loops of these nests differ, so that they have no iteration in common in the order in which
// memory lies; but each column is by itself, and so is a block of columns:
//
//   before: four kernels, each of which runs over the whole matrix
//   after:  one kernel with `shared 0`, which Transforms/ColumnBlocks.cpp runs block by block
//
// A nest that reads what a group makes joins it where that saves reading something else again: rows
// that a reduction of the group has loaded, or that the group makes.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Emit/Scatter.h"
#include "Kernels/FusionState.h"

namespace graphc {
namespace {

/// Columns that are known to be fewer are no block, and threads had nothing to share.
constexpr int64_t kFewestColumns = 64;

} // namespace

/// Whether what the nest loads of these arrays is of its own column.
bool Fusion::staysInColumn(const Nest &nest, absl::FunctionRef<bool(int32_t array)> isOne) const {
  for (const ScalarNode &n : nest.body) {
    if (n.op != ScalarOp::Load || !isOne(n.loadArray()))
      continue;
    int32_t rank = rankOf(n.loadArray());
    if (rank == 0)
      return false;
    const ScalarNode &last = nest.body[size_t(nest.indices[size_t(n.loadFirstIndex() + rank - 1)])];
    if (last.op != ScalarOp::Index || int32_t(last.payload) != nest.numParallel - 1)
      return false;
  }
  return true;
}

bool Fusion::joinsColumns(const FusionGroup &group, int32_t number, const FusedNest &fused) const {
  if (!uses(Optimization::ColumnBlocks) || group.otherStep >= 0 || group.contraction ||
      int(group.nests.size()) >= kMaxNests || group.ops + fused.ops > kMaxOps ||
      readTooMany(fused.reads, group.reads))
    return false;
  auto columnsOf = [](const FusedNest &f) {
    return f.nest.numParallel ? f.nest.extents[size_t(f.nest.numParallel) - 1] : -1;
  };
  const int32_t columns = columnsOf(fused);
  auto isInColumns = [&](const FusedNest &f) {
    return columnsOf(f) == columns && f.checks.empty() && !scatterOf(f.nest) &&
           staysInColumn(f.nest,
                         [&](int32_t array) { return arrays_[size_t(array)].group == number; });
  };
  if (columns < 0 || !isInColumns(fused) || !std::ranges::all_of(group.nests, isInColumns))
    return false;
  if (std::ranges::none_of(fused.reads,
                           [&](int32_t array) { return arrays_[size_t(array)].group == number; }))
    return false;
  const SizeNode &extent = sizes_.nodes()[size_t(columns)];
  if (extent.op == SizeOp::Constant && extent.value < kFewestColumns)
    return false;

  auto isByColumns = [&](const FusedNest &f, int32_t array) {
    return staysInColumn(f.nest, [&](int32_t loaded) { return loaded == array; });
  };

  // What the group has seen row by row: read by its reductions, or made by its larger maps.
  int32_t fewest = fused.nest.numParallel;
  for (const FusedNest &other : group.nests)
    fewest = std::min(fewest, other.nest.numParallel);
  ArraySet rows;
  bool reduces = false;
  for (const FusedNest &other : group.nests) {
    if (other.nest.numParallel > fewest)
      insert(rows, other.nest.result);
    if (other.nest.combine == Combine::None || other.nest.numParallel > fewest)
      continue;
    reduces = true;
    for (int32_t array : other.reads)
      if (rankOf(array) > fewest && isByColumns(other, array))
        insert(rows, array);
  }
  return reduces && std::ranges::any_of(fused.reads, [&](int32_t array) {
           return std::ranges::find(rows, array) != rows.end() && isByColumns(fused, array);
         });
}

/// Scratch memory would be as large as the rows, and for each thread. So such an array is an output
/// of the kernel that nobody else reads, unless it lies where a later map of the group stores a
/// result of the same elements (Transforms/ColumnBlocks.cpp), and nobody reads it after that.
bool Fusion::needsMemory(const FusionGroup &group, size_t k) const {
  const Nest &made = group.nests[k].nest;
  int32_t fewest = made.numParallel;
  for (const FusedNest &other : group.nests)
    fewest = std::min(fewest, other.nest.numParallel);
  if (group.numShared > 0 || group.nests.size() < 2 || made.numParallel == fewest)
    return false;
  const std::vector<ArrayInfo> &infos = record_.emission.arrays;
  size_t last = k;
  for (size_t j = k + 1; j < group.nests.size(); ++j)
    if (std::ranges::find(group.nests[j].reads, made.result) != group.nests[j].reads.end())
      last = j;
  const Nest &reader = group.nests[last].nest;
  if (last == k || reader.combine != Combine::None || !usedOutside_[reader.result] ||
      infos[reader.result].dtype != infos[made.result].dtype || reader.extents != made.extents)
    return true;
  // One array to an output: the one that is read last.
  for (size_t j = k + 1; j < last; ++j)
    if (group.nests[j].nest.extents == made.extents &&
        std::ranges::find(group.nests[last].reads, group.nests[j].nest.result) !=
            group.nests[last].reads.end())
      return true;
  return !std::ranges::all_of(reader.body, [&](const ScalarNode &n) {
    return n.op != ScalarOp::Load || n.loadArray() != made.result ||
           (n.args[0] < 0 && sameIndices(reader, n, made.numParallel) == made.numParallel);
  });
}

} // namespace graphc
