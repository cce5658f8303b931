//===- Gradient/Connection.h - what depends on what -------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Graph/InnerGraph.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "graphc/OpDef.h"

namespace graphc {

/// A part of a graph in the order in which it may run, and which of its Variables depend on the
/// ones that differentiation is with respect to.
class Connection {
public:
  /// `order` has the nodes that `of` are computed from, producers first.
  Connection(absl::Span<const Apply> order, absl::Span<const Variable> of);
  bool depends(const Variable &v) const { return dependent_.contains(v.node()); }

private:
  absl::flat_hash_set<const detail::VariableNode *> dependent_;
};

/// Where the ways from Variables end, none of which leads to a cost: for all of them by one walk.
class Endings {
public:
  /// `order` as for Connection. `hasGradient` tells of what nothing reads whether something arrives
  /// there.
  Endings(absl::Span<const Apply> order, absl::FunctionRef<bool(const Variable &)> hasGradient);
  /// Why nothing flows from the cost to `v`, in lines for a message.
  std::string why(const Variable &v) const;

private:
  static constexpr size_t kMostListed = 4;
  /// The first nodes, one more than messages list: numbers in `order_`, the last one first.
  using First = absl::InlinedVector<int32_t, kMostListed + 1>;
  static void merge(First &into, const First &more);

  absl::Span<const Apply> order_;
  /// Of each Variable that a node reads.
  absl::flat_hash_map<const detail::VariableNode *, First> ends_;
};

} // namespace graphc
