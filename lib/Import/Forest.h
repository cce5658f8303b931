//===- Import/Forest.h - trees of decisions as arrays ----------------*- C++ -*-===//
//
// All trees of an ensemble lie in arrays, node after node. A walk goes from the roots of all trees
// down at once, for all rows: each level is a few gathers, so that a graph grows with the depth of
// the trees and not with their number.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// Where a row goes at a node, by its feature x and the node's split s: a bit for each case. `Yes`
/// where it is set.
enum Outcome : int64_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

class Forest {
public:
  struct Node {
    double split = 0;
    int64_t feature = 0;
    int64_t outcomes = 0; ///< of Outcome
    // A node, or leaf k as ~k.
    int64_t yes = 0, no = 0;
  };

  std::vector<Node> nodes;
  std::vector<int64_t> roots; // nodes, or leaves
  int64_t numLeaves = 0;

  /// Keeps an error where nodes are on a cycle, and finds out how deep the trees are. Roots and
  /// what nodes lead to are nodes and leaves that there are.
  void check(OnnxNode &n);
  /// The leaf that each row of x (rows, features) comes to in each tree: int64 (rows, trees).
  /// An error is kept where a node asks for a feature that rows have not.
  Variable leavesOf(OnnxNode &n, const Variable &x) const;

private:
  int64_t depth_ = 0;
};

/// The outcomes of ONNX's modes: "BRANCH_LEQ" and so on; an error is kept for others.
int64_t outcomesOf(OnnxNode &n, std::string_view mode, bool missingIsYes);

} // namespace graphc
