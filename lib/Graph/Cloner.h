//===- Graph/Cloner.h - copies of graphs ------------------------*- C++ -*-===//
#pragma once

#include <vector>

#include "Graph/Nodes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace graphc::detail {

/// A fresh Variable without owner: same type, name, tag and place; a constant shares its data.
LeafNode *cloneLeaf(const VariableNode *v);

/// Copies the graph above some outputs, each node once.
class Cloner {
public:
  enum class Leaves { Reuse, Copy };
  explicit Cloner(Leaves leaves) : leaves_(leaves) {}
  ~Cloner();
  Cloner(const Cloner &) = delete;

  /// `old` shall become `fresh` (retained), also where `old` has an owner.
  void map(VariableNode *old, VariableNode *fresh);
  void copy(absl::Span<VariableNode *const> outputs);

  /// The copy of something that `copy` met or `map` was told of; null for others.
  VariableNode *find(VariableNode *old) const;
  ApplyNode *find(ApplyNode *old) const;
  /// The Applies made, producers before consumers; they live as long as this or who takes counts.
  absl::Span<ApplyNode *const> nodes() const { return made_; }

  // Of walk():
  bool isLeaf(VariableNode *v) const { return mapsOwned_ && variables_.contains(v); }
  void leaf(VariableNode *v, ApplyNode *user, uint32_t i);
  bool enter(ApplyNode *node) { return nodes_.try_emplace(node, nullptr).second; }
  void leave(ApplyNode *node);

private:
  Leaves leaves_;
  bool mapsOwned_ = false;
  /// Values are retained.
  absl::flat_hash_map<VariableNode *, VariableNode *> variables_;
  absl::flat_hash_map<ApplyNode *, ApplyNode *> nodes_;
  std::vector<ApplyNode *> made_;
};

} // namespace graphc::detail
