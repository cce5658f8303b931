//===- Graph/InnerGraph.h - the graph that an op stands for -----*- C++ -*-===//
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "Support/Fork.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FrozenGraph.h"
#include "graphc/OpDef.h"

namespace graphc::detail {

/// What an OpFromGraph computes. Equal ones are one record (F-263), so that a nest of any depth is
/// compared by one pointer. Thread-safe.
class InnerGraph {
public:
  /// The record for `graph`, whose last inputs stand for `captured`, shared variables.
  static std::shared_ptr<const InnerGraph> intern(FrozenGraph graph, Variables captured);

  const FrozenGraph &graph() const { return graph_; }
  /// F-231: what each application reads besides its operands.
  const Variables &captured() const { return captured_; }
  uint64_t hash() const { return hash_; }
  /// Applications of OpFromGraphs, and the nodes in them, each as often as it stands there; at most
  /// kMostNodes + 1.
  int64_t numNodes() const { return numNodes_; }
  /// A file of a few lines may name more than any memory holds.
  static constexpr int64_t kMostNodes = int64_t(1) << 22;

  /// The same without any OpFromGraph in it, for inputs of these types (all equal to or narrower
  /// than its own). Made once for each list of types. Errors: those of the ops' type rules.
  absl::StatusOr<std::shared_ptr<const FrozenGraph>> flat(absl::Span<const Type> types) const;

private:
  InnerGraph(FrozenGraph graph, Variables captured);
  using Flat = absl::StatusOr<std::shared_ptr<const FrozenGraph>>;

  const FrozenGraph graph_;
  const Variables captured_;
  const uint64_t hash_;
  const int64_t numNodes_;
  mutable ShortMutex mutex_;
  mutable absl::flat_hash_map<std::vector<Type>, Flat> flat_;
};

/// What the nodes of a graph compute, recorded within the node that stands for it.
Arrays emitGraph(Emitter &e, const FrozenGraph &graph, const Arrays &in);

/// The op of an OpFromGraph: `name` is for people.
absl::StatusOr<Op> callOp(std::shared_ptr<const InnerGraph> inner, std::string name);

} // namespace graphc::detail

namespace graphc {

/// Puts `fresh` in the place of what a node computes; false to end.
using ReplaceCall = std::function<absl::StatusOr<bool>(const Replacements &fresh)>;

/// F-239: the nodes of its inner graph in the place of each OpFromGraph, nested ones, too. Each
/// node is made anew for the types of its operands, which may be narrower than the inner graph's.
/// Errors: those of type rules and of `replace`; the graph is sound then, and some are left.
absl::Status inlineCalls(FunctionGraph &graph, const ReplaceCall &replace);

} // namespace graphc
