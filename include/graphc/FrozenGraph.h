//===- graphc/FrozenGraph.h - a graph that never changes --------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// F-123: what FunctionGraph::freeze gives. A value: copies share one record. Two are equal if they
/// do the same by the same nodes: equal types of inputs in their order, equal ops over equal
/// operands, identical constants, equal outputs and updates. Names and places do not count, nor
/// does the order of execution. Thread-safe.
class FrozenGraph {
public:
  int numInputs() const;
  int numOutputs() const;
  size_t numNodes() const;
  Variables inputs() const;
  Variables outputs() const;
  /// All nodes, in the order in which they may run: the one of toposort when the graph was frozen,
  /// with what its Features demanded, of which this one needs none.
  const std::vector<Apply> &order() const;
  uint64_t hash() const;
  /// A graph with the same nodes that may change; without Features.
  absl::StatusOr<FunctionGraph> thaw() const;

  friend bool operator==(const FrozenGraph &a, const FrozenGraph &b);

private:
  friend class FunctionGraph;
  struct Record;
  explicit FrozenGraph(std::shared_ptr<const Record> record) : record_(std::move(record)) {}
  std::shared_ptr<const Record> record_;
};

} // namespace graphc

template <> struct std::hash<graphc::FrozenGraph> {
  size_t operator()(const graphc::FrozenGraph &graph) const { return graph.hash(); }
};
