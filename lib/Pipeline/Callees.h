//===- Callees.h - the OpFromGraphs of a graph, compiled by themselves ----===//
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "KeptCallees.h"
#include "Kernels/EmitGraph.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

namespace detail {
class InnerGraph;
} // namespace detail

/// Rewrites and fuses the graphs that a graph calls, each once for each list of operand types and
/// set of needed results; in one process once for all functions that are compiled in one mode, as
/// long as they are kept (KeptCallees).
class Callees {
public:
  using Rewrite = std::function<absl::Status(FunctionGraph &)>;
  /// `mode` tells what `rewrite` does, and its `fusion`: the same for the same. `keepGraphs`
  /// is for people who want to see them (withRewritten).
  Callees(Rewrite rewrite, std::string mode, bool nameNodes, FusionOptions fusion, bool keepGraphs)
      : rewrite_(std::move(rewrite)), mode_(std::move(mode)), nameNodes_(nameNodes),
        fusion_(fusion), keepGraphs_(keepGraphs) {}

  /// Makes those that `graph` calls, and those that they call. Errors: those of `rewrite` and of
  /// emission.
  absl::Status make(const FunctionGraph &graph);
  /// Of a node for which it was made.
  std::shared_ptr<const Callee> find(const Apply &node, const UsedOutputs &used) const;
  /// A copy of `graph`, for which they were made, that calls the graphs after rewriting: for the
  /// types of their operands and the results that are needed.
  absl::StatusOr<FunctionGraph> withRewritten(const FunctionGraph &graph) const;

private:
  /// One graph for types of operands and needed results; few for each graph.
  struct Made {
    std::vector<Type> types;
    UsedOutputs used;
    std::shared_ptr<const Callee> callee; // null: it is computed in its caller
    std::optional<Op> rewritten = {};     // of keepGraphs
  };
  const Made *lookUp(const Apply &node, const UsedOutputs &used) const;
  KeptCallees::Key keyOf(const Made &made) const;

  Rewrite rewrite_;
  std::string mode_;
  bool nameNodes_;
  FusionOptions fusion_;
  bool keepGraphs_;
  absl::flat_hash_map<const detail::InnerGraph *, std::vector<Made>> made_;
};

} // namespace graphc
