//===- Traversal.cpp ------------------------------------------------------===//
#include "graphc/Traversal.h"

#include "Graph/Nodes.h"
#include "absl/container/flat_hash_set.h"

namespace graphc {
namespace {

using detail::ApplyNode;
using detail::VariableNode;

/// Visits what `outputs` depend on: `leaf(v)` for each variable at which the walk ends, once, and
/// `node(apply)` for each Apply, once, after everything that it depends on.
template <class Leaf, class Node>
void walk(absl::Span<const Variable> blockers, absl::Span<const Variable> outputs, Leaf &&leaf,
          Node &&node) {
  absl::flat_hash_set<const VariableNode *> ends, seenLeaves;
  absl::flat_hash_set<const ApplyNode *> seen;
  for (const Variable &v : blockers)
    ends.insert(v.node());
  struct Frame {
    ApplyNode *apply;
    uint32_t next; // input to visit
  };
  std::vector<Frame> stack;
  auto visit = [&](VariableNode *v) {
    if (!v->owner || ends.contains(v)) {
      if (seenLeaves.insert(v).second)
        leaf(v);
    } else if (seen.insert(v->owner).second) {
      stack.push_back({v->owner, 0});
    }
  };
  for (const Variable &output : outputs) {
    visit(output.node());
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.apply->numInputs) {
        visit(top.apply->input(top.next++)); // may move the stack
        continue;
      }
      node(top.apply);
      stack.pop_back();
    }
  }
}

} // namespace

std::vector<Apply> ioToposort(absl::Span<const Variable> inputs,
                              absl::Span<const Variable> outputs) {
  std::vector<Apply> order;
  walk(
      inputs, outputs, [](VariableNode *) {},
      [&](ApplyNode *node) { order.push_back(Apply::fromNode(node)); });
  return order;
}

Variables graphInputs(absl::Span<const Variable> outputs, absl::Span<const Variable> blockers) {
  Variables found;
  walk(
      blockers, outputs, [&](VariableNode *v) { found.push_back(Variable::fromNode(v)); },
      [](ApplyNode *) {});
  return found;
}

} // namespace graphc
