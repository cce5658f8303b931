//===- Graph/NewNodes.h - what a FunctionGraph must take in -----*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "Graph/GraphState.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

namespace graphc::detail {

/// A visitor of walk(): finds the nodes above some Variables that are no members yet.
struct NewNodes {
  const GraphState &state;
  absl::flat_hash_set<ApplyNode *> seen = {};
  /// Producers before consumers.
  std::vector<ApplyNode *> order = {};
  /// Members whose outputs they use.
  std::vector<ApplyNode *> frontier = {};
  /// ValueError where a node belongs to another FunctionGraph.
  absl::Status status = {};

  explicit NewNodes(const GraphState &state) : state(state) {}

  bool isLeaf(VariableNode *v) const { return v->owner->graph != nullptr; }
  void leaf(VariableNode *v, ApplyNode *user, uint32_t i);
  bool enter(ApplyNode *node) { return seen.insert(node).second; }
  void leave(ApplyNode *node) { order.push_back(node); }
};

/// "x: f64[3]", for messages.
std::string describe(const VariableNode *v);

/// Whether all leaves that `order` and `roots` use are members or constants: MissingInput,
/// TypeError for one of Null type, or what an Invalid one carries. `role` names a root in
/// messages; one that ends in a space is followed by the root's number: "output 0".
absl::Status checkLeaves(const GraphState &state, absl::Span<ApplyNode *const> order,
                         absl::Span<VariableNode *const> roots, std::string_view role);

} // namespace graphc::detail
