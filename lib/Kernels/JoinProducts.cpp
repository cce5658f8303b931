//===- JoinProducts.cpp - two products with rows between them -------------===//
//
//   s[i, j] = sum over k of q[i, k] * r[j, k]      a product
//   m[i]    = max over j of s[i, j]                whose rows are looked at one by one,
//   e[i, j] = exp(s[i, j] - m[i])
//   t[i]    = sum over j of e[i, j]
//   p[i, j] = e[i, j] / t[i]
//   y[i, d] = sum over j of p[i, j] * v[j, d]      and are an operand of another product
//
// Attention, that is. As three kernels, s and p are in memory: rows times columns, where operands
// and result are rows times a few. As one kernel, which shares the loop over i, they are scratch
// memory for a block of rows, that passes through all nests (Transforms/RowBlocks.cpp).
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Kernels/FusionState.h"

namespace graphc {
namespace {

/// Fewer rows are no block.
constexpr int64_t kFewestRows = 8;
/// Who reads an array beside the group that computes it: nobody, or not one group alone.
constexpr int32_t kNobody = -1, kOthers = -2;

} // namespace

/// Whether a nest with a loop over rows is a product of matrices: one sum, whose terms are made of
/// loads that follow it and either the rows or the columns. What else counts as a contraction, a
/// convolution or a scatter, is made in other ways, and not by blocks of rows.
bool Fusion::isMatrixProduct(const Nest &nest, int32_t rows) const {
  int32_t columns = nest.numParallel - 1;
  if (nest.combine != Combine::Sum || columns <= rows ||
      int32_t(nest.extents.size()) != nest.numParallel + 1)
    return false;
  std::vector<uint64_t> loops = dependences(nest, [this](int32_t array) { return rankOf(array); });
  for (size_t node = 0; node < nest.body.size(); ++node) {
    if (nest.body[node].op != ScalarOp::Load)
      continue;
    bool byRows = loops[node] >> rows & 1, byColumns = loops[node] >> columns & 1;
    if (byRows == byColumns || !(loops[node] >> nest.numParallel & 1))
      return false;
  }
  return true;
}

/// Whether the nests of the later groups may run inside the first `shared` loops of the first one:
/// they have the same loops there, and what they read of one another is of the same iteration.
bool Fusion::shareLoops(absl::Span<const int32_t> groups, int32_t shared) const {
  const Nest &first = groups_[size_t(groups[0])].nests[0].nest;
  for (int32_t number : groups)
    for (const FusedNest &fused : groups_[size_t(number)].nests) {
      const Nest &nest = fused.nest;
      if (!fused.checks.empty() || nest.numParallel < shared ||
          !std::equal(first.extents.begin(), first.extents.begin() + shared, nest.extents.begin()))
        return false;
      for (const ScalarNode &n : nest.body)
        if (n.op == ScalarOp::Load &&
            std::ranges::find(groups, arrays_[size_t(n.loadArray())].group) != groups.end() &&
            sameIndices(nest, n, shared) < shared)
          return false;
    }
  return true;
}

void Fusion::joinProducts() {
  if (!uses(Optimization::JoinProducts) ||
      std::ranges::count_if(groups_, [](const FusionGroup &g) { return g.contraction; }) < 2)
    return;
  std::vector<int32_t> readers(arrays_.size(), kNobody);
  for (size_t id = 0; id < arrays_.size(); ++id)
    if (arrays_[id].wanted)
      readers[size_t(arrays_[id].base)] = kOthers;
  for (int32_t g = 0; g < int32_t(groups_.size()); ++g)
    for (int32_t array : groups_[size_t(g)].reads) {
      int32_t base = arrays_[size_t(array)].base;
      if (base == array && arrays_[size_t(array)].group == g)
        continue;
      int32_t &reader = readers[size_t(base)];
      reader = base == array && (reader == kNobody || reader == g) ? g : kOthers;
    }
  auto isReadBy = [&](const FusionGroup &group, int32_t reader) {
    return std::ranges::all_of(group.nests, [&](const FusedNest &fused) {
      int32_t by = readers[size_t(fused.nest.result)];
      return by == kNobody || by == reader;
    });
  };
  // The group of the other kind that computes what `g` reads and nobody else; -1 if there is none.
  auto operandOf = [&](int32_t g, bool isProduct) {
    for (int32_t array : groups_[size_t(g)].reads)
      if (int32_t from = arrays_[size_t(array)].group;
          from >= 0 && from != g && groups_[size_t(from)].otherStep < 0 &&
          groups_[size_t(from)].contraction == isProduct && isReadBy(groups_[size_t(from)], g))
        return from;
    return int32_t(-1);
  };
  for (int32_t g = 0; g < int32_t(groups_.size()); ++g) {
    FusionGroup &last = groups_[size_t(g)];
    if (!last.contraction)
      continue;
    int32_t rows = operandOf(g, /*isProduct=*/false);
    int32_t first = rows < 0 ? -1 : operandOf(rows, /*isProduct=*/true);
    if (first < 0)
      continue;
    FusionGroup &scores = groups_[size_t(first)], &between = groups_[size_t(rows)];
    int32_t shared = scores.nests[0].nest.numParallel - 1;
    auto reducesRows = [&](const FusedNest &fused) {
      return fused.nest.combine != Combine::None && fused.nest.numParallel == shared;
    };
    if (shared < 1 || std::ranges::none_of(between.nests, reducesRows) ||
        !isMatrixProduct(scores.nests[0].nest, shared - 1) ||
        !isMatrixProduct(last.nests[0].nest, shared - 1) ||
        scores.nests.size() + between.nests.size() + last.nests.size() > size_t(kMaxNests) ||
        scores.ops + between.ops + last.ops > kMaxOps || !shareLoops({first, rows, g}, shared))
      continue;
    const SizeNode &extent =
        sizes_.nodes()[size_t(scores.nests[0].nest.extents[size_t(shared) - 1])];
    if (extent.op == SizeOp::Constant && extent.value < kFewestRows)
      continue;
    FusionGroup joined;
    for (FusionGroup *part : {&scores, &between, &last}) {
      joined.ops += part->ops;
      for (int32_t array : part->reads)
        insert(joined.reads, array);
      for (FusedNest &fused : part->nests) {
        arrays_[size_t(fused.nest.result)].group = g;
        joined.nests.push_back(std::move(fused));
      }
      *part = FusionGroup();
    }
    joined.contraction = true;
    joined.numShared = shared;
    last = std::move(joined);
  }
}

} // namespace graphc
