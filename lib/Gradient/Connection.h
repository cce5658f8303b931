//===- Gradient/Connection.h - what depends on what -------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Graph/InnerGraph.h"
#include "absl/container/flat_hash_set.h"
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

/// Why nothing flows from `cost` to `v`: the ways between them and the ops at which they end, in
/// lines for a message.
std::string whyDisconnected(absl::Span<const Apply> order, const Variable &v);

} // namespace graphc
