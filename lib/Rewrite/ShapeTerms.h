//===- Rewrite/ShapeTerms.h - extents as formulas of Variables --*- C++ -*-===//
//
// Numbers for integer expressions of extents and elements of a graph's Variables, equal numbers for
// equal expressions, and the Variables that compute them. Their nodes are made when asked for. What
// is made of a Variable that leaves the graph is forgotten at once, at a cost that making it paid.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <vector>

#include "Emit/SizeTable.h"
#include "Graph/Nodes.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

class ShapeTerms {
public:
  int32_t constant(int64_t value) { return table_.constant(value); }
  int32_t binary(SizeOp op, int32_t a, int32_t b) { return table_.binary(op, a, b); }
  int32_t select(int32_t condition, int32_t a, int32_t b) { return table_.select(condition, a, b); }
  int32_t extent(detail::VariableNode *v, int axis) { return table_.dim(leaf(v), axis); }
  /// Element of an integer array, by its row-major position.
  int32_t element(detail::VariableNode *v, int32_t position) {
    return table_.element(leaf(v), position);
  }
  std::optional<int64_t> constantValue(int32_t term) const { return table_.constantValue(term); }

  /// An int64 scalar, for a term of which nothing has been forgotten. The same for the same term.
  Variable build(int32_t term);

  /// What is made of `v`. Its terms are never met again: if it comes back it gets new ones.
  void forget(detail::VariableNode *v);
  /// What is made of `node`, if it is one that `build` made, whose inputs have been changed.
  void forgetMade(detail::ApplyNode *node);

private:
  struct Leaf {
    detail::VariableNode *variable;
    std::vector<int32_t> users; // terms that are built
  };
  struct Built {
    Variable variable;
    /// Which it needs.
    std::vector<detail::ApplyNode *> nodes;
    std::vector<int32_t> users;
  };
  int32_t leaf(detail::VariableNode *v);
  std::vector<int32_t> operandsOf(int32_t term) const;
  void make(int32_t term);
  Variable formula(const SizeNode &node);
  Variable elementOf(const SizeNode &node);
  void forgetBuilt(std::vector<int32_t> terms);
  const Variable &at(int32_t term) const { return built_.at(term).variable; }

  SizeTable table_;
  std::vector<Leaf> leaves_;
  absl::flat_hash_map<detail::VariableNode *, int32_t> numbers_;
  absl::flat_hash_map<int32_t, Built> built_;
  absl::flat_hash_map<detail::ApplyNode *, int32_t> makers_;
};

} // namespace graphc
