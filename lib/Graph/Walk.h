//===- Graph/Walk.h - depth-first traversal without recursion ---*- C++ -*-===//
#pragma once

#include <vector>

#include "Graph/Nodes.h"

namespace graphc::detail {

/// Visits what `roots` are computed from: depth-first, inputs left to right, in memory proportional
/// to the depth. The visitor has
///   bool isLeaf(VariableNode *v)    a Variable with an owner at which to stop all the same
///   void leaf(VariableNode *v, ApplyNode *user, uint32_t i)
///                                   at each use of a leaf; user is null and i counts for roots
///   bool enter(ApplyNode *node)     whether to descend: true the first time
///   void leave(ApplyNode *node)     all its inputs have been left
template <class Visitor> void walk(absl::Span<VariableNode *const> roots, Visitor &visitor) {
  struct Frame {
    ApplyNode *node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  auto visit = [&](VariableNode *v, ApplyNode *user, uint32_t i) {
    if (!v->owner || visitor.isLeaf(v))
      visitor.leaf(v, user, i);
    else if (visitor.enter(v->owner))
      stack.push_back({v->owner, 0});
  };
  for (size_t i = 0; i < roots.size(); ++i) {
    visit(roots[i], nullptr, uint32_t(i));
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.node->numInputs) {
        ApplyNode *node = top.node;
        uint32_t next = top.next++;
        visit(node->input(next), node, next);
      } else {
        visitor.leave(top.node);
        stack.pop_back();
      }
    }
  }
}

inline std::vector<VariableNode *> nodesOf(absl::Span<const Variable> variables) {
  std::vector<VariableNode *> nodes;
  nodes.reserve(variables.size());
  for (const Variable &v : variables)
    nodes.push_back(v.node());
  return nodes;
}

inline Variables variablesOf(absl::Span<VariableNode *const> nodes) {
  Variables variables;
  variables.reserve(nodes.size());
  for (VariableNode *node : nodes)
    variables.push_back(Variable::fromNode(node));
  return variables;
}

} // namespace graphc::detail
