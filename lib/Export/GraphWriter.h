//===- Export/GraphWriter.h - nodes of graphs as ONNX nodes ---------*- C++ -*-===//
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Control/Control.h"
#include "Export/ExportRules.h"
#include "Graph/InnerGraph.h"
#include "absl/container/flat_hash_map.h"

namespace graphc {

/// Writes graphs node by node: what one node becomes is the rules' (ExportRules.h), or follows from
/// its op's graphs. A complex Variable is two values, its parts.
class GraphWriter {
public:
  explicit GraphWriter(OnnxWriter &writer) : writer_(writer) {}

  OnnxWriter &onnx() { return writer_; }
  void bind(const Variable &v, Values values) {
    values_.insert_or_assign(v.node(), std::move(values));
    alive_.push_back(v);
  }
  void add(const Apply &node);
  /// Of a Variable that was bound or added, or a constant.
  Values valuesOf(const Variable &v);
  /// The one of a real Variable.
  Value valueOf(const Variable &v) { return valuesOf(v)[0]; }
  /// Adds what `ends` need beyond `leaves`, which are bound.
  std::vector<Values> between(const Variables &leaves, const Variables &ends);
  /// What a frozen graph gives whose inputs are bound.
  std::vector<Values> graph(const FrozenGraph &graph);

  /// The first mistake in a graph's leaves.
  const absl::Status &status() const { return status_; }
  /// Values of graphs within that a user named, which nothing else is called.
  const std::vector<std::pair<Value, std::string>> &named() const { return named_; }
  /// By op and reason, how often.
  const std::map<std::pair<std::string, std::string>, int> &refused() const { return refused_; }

private:
  /// The first value alone, or all.
  using Results = std::vector<Values>;
  bool fold(const Apply &node);
  Results made(const Apply &node);
  Results byParts(const Apply &node);
  Values joined(const Apply &node);
  Values byRule(const Apply &node);
  Values composed(const Apply &node, const ExportRule &rule);
  Values onElements(const Apply &node, const ExportRule &rule);
  void addCall(const Apply &node, const detail::InnerGraph &inner);
  /// What the parts of a composition could not say is what their node cannot.
  void addParts(const std::vector<Apply> &parts);
  void bindResults(const Apply &node, const Results &results);
  void keepNames(const Apply &node);

  OnnxWriter &writer_;
  absl::flat_hash_map<const detail::VariableNode *, Values> values_;
  /// A Variable's record must not be another one's while it is a key.
  Variables alive_;
  std::vector<std::pair<Value, std::string>> named_;
  std::map<std::pair<std::string, std::string>, int> refused_;
  absl::Status status_;
  int compositions_ = 0; // that are being written
};

/// The results of ops with bodies (Control.h), and of graphs that are computed for each slice.
std::vector<Values> writeBranch(GraphWriter &g, const Apply &node, const Control &control);
std::vector<Values> writeLoop(GraphWriter &g, const Apply &node, const Control &control);
std::vector<Values> writeSlices(GraphWriter &g, const Apply &node, const detail::InnerGraph &inner);

} // namespace graphc
