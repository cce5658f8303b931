//===- Graph/Branches.h - what is needed only where it is chosen -*- C++ -*-===//
#pragma once

#include <deque>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "graphc/Variable.h"

namespace graphc {

/// A branch of ifElses of one condition, within branches of others.
struct Branch {
  /// Null: the graph itself.
  const Branch *outer;
  Variable condition;
  /// Of an ifElse: 1 where the condition is not 0, else 2.
  int operand;
  int depth;
};

/// For each node the innermost branch that all its uses are in: nobody needs it where the
/// conditions lead elsewhere (F-330).
class Branches {
public:
  Branches() = default;
  /// `order`: nodes, producers first. `always`: what is needed in any case.
  Branches(absl::Span<const Apply> order, absl::Span<const Variable> always);

  /// Null for what is needed in any case, and for what is no result of these nodes.
  const Branch *of(const Apply &node) const;
  const Branch *of(const Variable &v) const { return of(v.owner()); }
  /// The same of the outermost ifElse alone.
  const Branch *outermostOf(const Apply &node) const;
  /// The branch of an ifElse that stands in `around`; `around` itself where that is within such a
  /// branch already, and where branches stand in each other kMostDepth deep.
  const Branch *into(const Branch *around, const Apply &ifElse, int operand);
  static bool isDeepest(const Branch *branch) { return branch && branch->depth == kMostDepth; }

private:
  /// So that a ladder of a million costs no more for each.
  static constexpr int kMostDepth = 64;

  std::deque<Branch> all_;
  std::map<std::tuple<const Branch *, const detail::VariableNode *, int>, const Branch *> known_;
  absl::flat_hash_map<const detail::ApplyNode *, const Branch *> ofNodes_;
};

bool isIfElse(const Apply &node);

} // namespace graphc
