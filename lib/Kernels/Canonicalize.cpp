//===- Canonicalize.cpp - numbers in the order of use ---------------------===//
#include "Kernels/Canonicalize.h"

#include <algorithm>
#include <unordered_map>

#include "Emit/NestCost.h"
#include "Kernels/NestLoops.h"
#include "Support/LineTiles.h"

namespace graphc {
namespace {

/// What the kernel computes, in few words.
std::string nameOf(const KernelDraft &draft) {
  constexpr size_t kMaxWords = 4;
  std::vector<std::string_view> words;
  bool more = false;
  auto add = [&](std::string_view word) {
    if (std::find(words.begin(), words.end(), word) != words.end())
      return;
    if (words.size() < kMaxWords)
      words.push_back(word);
    else
      more = true;
  };
  for (const Nest &nest : draft.nests) {
    std::vector<bool> isValue = valueNodes(nest);
    for (size_t id = 0; id < nest.body.size(); ++id)
      if (isValue[id] && nest.body[id].op > ScalarOp::Load)
        add(scalarOpName(nest.body[id].op));
    if (nest.combine != Combine::None)
      add(combineName(nest.combine));
  }
  if (words.empty())
    return "copy";
  std::string name;
  for (std::string_view word : words) {
    if (!name.empty())
      name += '_';
    name += word;
  }
  return more ? name + "_etc" : name;
}

} // namespace

/// Whether all is a sum of products over one loop, which may have many terms.
static bool hasLongSums(const KernelDraft &draft, const SizeTable &sizes) {
  const Nest &nest = draft.nests[0];
  if (draft.nests.size() > 1 || nest.combine != Combine::Sum || nest.numParallel < 2 ||
      int32_t(nest.extents.size()) != nest.numParallel + 1 ||
      nest.body[size_t(nest.root)].op != ScalarOp::Mul)
    return false;
  const SizeNode &terms = sizes.nodes()[size_t(nest.extents.back())];
  return terms.op != SizeOp::Constant || terms.value > kShortSum;
}

/// The sizes that tiles of lines are made for (Support/LineTiles.h): where a sum of products with
/// windows has the border as a condition, the extent of its lines, and what the condition compares
/// their pixels with.
static std::vector<int32_t> sizesOfLines(const KernelDraft &draft, const SizeTable &sizes) {
  std::vector<int32_t> known;
  for (const Nest &nest : draft.nests) {
    const ScalarNode &root = nest.body[size_t(nest.root)];
    if (nest.combine != Combine::Sum || root.op != ScalarOp::Mul || nest.numParallel == 0)
      continue;
    const std::vector<uint64_t> depends = dependences(
        nest, [&](int32_t array) { return int32_t(draft.arrays[size_t(array)].shape.size()); });
    const int32_t line = nest.numParallel - 1;
    std::vector<int32_t> conditions;
    for (int32_t factor : {root.args[0], root.args[1]})
      if (const ScalarNode &load = nest.body[size_t(factor)];
          load.op == ScalarOp::Load && load.args[0] >= 0)
        conditions.push_back(load.args[0]);
    const int32_t extent = nest.extents[size_t(line)];
    if (conditions.empty() || !areLinesWorthTiles(sizes.constantValue(extent).value_or(0)))
      continue;
    known.push_back(extent);
    while (!conditions.empty()) {
      const int32_t id = conditions.back();
      const ScalarNode &node = nest.body[size_t(id)];
      conditions.pop_back();
      if (node.op == ScalarOp::Size)
        known.push_back(int32_t(node.payload));
      if (!(depends[size_t(id)] >> line & 1))
        continue;
      for (int32_t argument : node.args)
        if (argument >= 0)
          conditions.push_back(argument);
    }
  }
  return known;
}

CanonicalKernel canonicalize(KernelDraft draft, SizeTable &sizes, BodyBuilder &builder) {
  collapseDimensions(draft, sizes, builder);

  CanonicalKernel result;
  Kernel &kernel = result.kernel;
  kernel.name = nameOf(draft);
  kernel.numShared = draft.numShared;

  // Arrays: inputs in the order in which they are loaded, outputs and locals in that of nests.
  std::vector<int32_t> order, number(draft.arrays.size(), -1);
  auto visit = [&](int32_t array, Kernel::Role role) {
    if (draft.arrays[array].role != role || number[array] >= 0)
      return;
    number[array] = int32_t(order.size());
    order.push_back(array);
  };
  for (const Nest &nest : draft.nests)
    for (const ScalarNode &n : nest.body)
      if (n.op == ScalarOp::Load)
        visit(n.loadArray(), Kernel::Role::Input);
  for (Kernel::Role role : {Kernel::Role::Output, Kernel::Role::Local})
    for (const Nest &nest : draft.nests)
      visit(nest.result, role);

  const std::vector<int32_t> ofLines = sizesOfLines(draft, sizes);
  std::unordered_map<int32_t, int32_t> sizeNumbers;
  auto size = [&](int32_t id) {
    auto [it, isNew] = sizeNumbers.try_emplace(id, int32_t(kernel.sizes.size()));
    if (isNew) {
      const SizeNode &n = sizes.nodes()[id];
      if (n.op == SizeOp::Constant && n.value >= 0 &&
          (n.value <= kMaxBakedSize || std::ranges::find(ofLines, id) != ofLines.end())) {
        kernel.sizes.push_back({true, n.value});
      } else {
        kernel.sizes.push_back({false, kernel.numSizeArguments++});
        result.sizes.push_back(id);
      }
    }
    return it->second;
  };
  for (const Nest &nest : draft.nests) {
    Nest &out = kernel.nests.emplace_back(nest);
    out.result = number[nest.result];
    for (int32_t &e : out.extents)
      e = size(e);
    for (ScalarNode &n : out.body) {
      if (n.op == ScalarOp::Size)
        n.payload = uint64_t(size(int32_t(n.payload)));
      if (n.op == ScalarOp::Load)
        n.payload = uint64_t(number[n.loadArray()]) << 32 | n.loadFirstIndex();
    }
    // Fields that say nothing here must not make equal kernels differ.
    if (!hasAccumulator(out.combine))
      out.accumulator = DType::Float32;
  }
  for (int32_t array : order) {
    const KernelDraft::Array &a = draft.arrays[array];
    Kernel::ArrayDecl &decl = kernel.arrays.emplace_back();
    decl.role = a.role;
    decl.dtype = a.dtype;
    for (int32_t s : a.shape)
      decl.shape.push_back(size(s));
    result.arrays.push_back(a.id);
  }
  for (const KernelDraft::Check &check : draft.checks) {
    kernel.checks.push_back({check.nest, check.condition});
    result.failures.push_back(check.failure);
  }
  kernel.splitExtent = splitExtentOf(kernel);
  kernel.hasLongSums = hasLongSums(draft, sizes);
  return result;
}

} // namespace graphc
