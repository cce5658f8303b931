//===- Graph/InnerGraph.h - the graph that an op stands for -----*- C++ -*-===//
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "Graph/Dependence.h"
#include "Graph/FlatGraphs.h"
#include "Support/Fork.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FrozenGraph.h"
#include "graphc/OpDef.h"

namespace graphc::detail {

/// Whether the graph takes the place of each application when a function is compiled.
enum class Inlining : uint8_t { No, Yes, Automatic };

/// A derivative that the author of an OpFromGraph gave, frozen (F-257): an entry for each input
/// (pullback) or output (pushforward); none where the whole rule is the default one.
struct FrozenRule {
  enum class Kind : uint8_t { Default, Graph, Null, Disconnected };
  struct Entry {
    Kind kind = Kind::Default;
    std::string reason = {};
    /// Of `graph`.
    int32_t output = -1;
    friend bool operator==(const Entry &, const Entry &) = default;
  };
  std::vector<Entry> entries = {};
  /// From inputs, outputs and gradients (pullback), or inputs and tangents (pushforward); then what
  /// `reads` says. Null where no entry is of kind Graph.
  std::shared_ptr<const InnerGraph> graph = {};
  /// F-259: inputs of the op, by number: shared variables that the author's callables read, which
  /// are captured by the op.
  std::vector<int32_t> reads = {};
  friend bool operator==(const FrozenRule &, const FrozenRule &) = default;
};

/// What is told of an OpFromGraph besides its graph. Takes part in equality (F-263).
struct InnerTraits {
  Inlining inlining = Inlining::No;
  FrozenRule pullback = {}, pushforward = {};
  /// As OpDef::connection; empty: derived from the graph.
  std::vector<std::vector<bool>> connection = {};
  /// As OpDef::destroyMap.
  std::vector<int> destroyMap = {};
  /// So many last inputs were captured: rules do not know of them.
  int numCaptured = 0;
  /// Of a graph for a slice, which `vectorize` gives: so many first inputs are slices, of operands
  /// that have one axis more in front. Nothing else is told of it.
  int numSlices = 0;
  friend bool operator==(const InnerTraits &, const InnerTraits &) = default;
};

/// What an OpFromGraph computes. Equal ones are one record (F-263), so that a nest of any depth is
/// compared by one pointer. Thread-safe.
class InnerGraph {
public:
  /// The record for `graph`, whose last inputs stand for `captured`, shared variables.
  static std::shared_ptr<const InnerGraph> intern(FrozenGraph graph, Variables captured,
                                                  InnerTraits traits = {});

  const FrozenGraph &graph() const { return graph_; }
  /// F-231: what each application reads besides its operands.
  const Variables &captured() const { return captured_; }
  const InnerTraits &traits() const { return traits_; }
  int numExplicit() const { return graph_.numInputs() - traits_.numCaptured; }
  /// Which inputs each output depends on.
  const Dependence &dependence() const { return dependence_; }
  uint64_t hash() const { return hash_; }
  /// Applications of OpFromGraphs, and the nodes in them, each as often as it stands there; at most
  /// kMostNodes + 1.
  int64_t numNodes() const { return numNodes_; }
  /// How many graphs are vectorized within each other here, this one included.
  int numLevels() const { return numLevels_; }
  /// Emissions have a bit for each; each takes an axis of its own.
  static constexpr int kMostLevels = 31;
  /// A file of a few lines may name more than any memory holds.
  static constexpr int64_t kMostNodes = int64_t(1) << 22;

  /// The same without any OpFromGraph in it, for inputs of these types (all equal to or narrower
  /// than its own). Those that were asked for lately are kept. Errors: those of the ops' type
  /// rules.
  FlatGraphs::Flat flat(absl::Span<const Type> types) const;
  ~InnerGraph() { FlatGraphs::ofProcess().forget(this); }

  /// What layers above made of it, to be made once; lives as long as the record.
  template <class T> std::shared_ptr<const T> memo(std::string_view key) const {
    return std::static_pointer_cast<const T>(find(key));
  }
  /// Of two for one key the first stays, and is returned.
  template <class T>
  std::shared_ptr<const T> setMemo(std::string_view key, std::shared_ptr<const T> value) const {
    return std::static_pointer_cast<const T>(keep(key, std::move(value)));
  }

private:
  InnerGraph(FrozenGraph graph, Variables captured, InnerTraits traits);
  std::shared_ptr<const void> find(std::string_view key) const;
  std::shared_ptr<const void> keep(std::string_view key, std::shared_ptr<const void> value) const;

  const FrozenGraph graph_;
  const Variables captured_;
  const InnerTraits traits_;
  const Dependence dependence_;
  const uint64_t hash_;
  const int64_t numNodes_;
  const int numLevels_;
  mutable ShortMutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const void>, std::less<>> memos_;
};

/// The graph that an op stands for (Ops/CallOp.h); null of any other op.
inline const std::shared_ptr<const InnerGraph> &recordOf(const OpDef &def) {
  return def.inner ? def.inner : def.vectorized;
}

/// That the graph would have more than kMostNodes nodes.
absl::Status tooLarge();

/// What the graph of a call computes for operands of these types, the results that `used` tells
/// alone: calls within it stay.
absl::StatusOr<FunctionGraph> graphOfCall(const InnerGraph &inner, absl::Span<const Type> types,
                                          absl::Span<const bool> used);

} // namespace graphc::detail

namespace graphc {

/// Puts `fresh` in the place of what a node computes; false to end.
using ReplaceCall = std::function<absl::StatusOr<bool>(const Replacements &fresh)>;

/// Which applications to replace, by their ops; `times` is how often such an application stands in
/// the function, with all that are replaced in their places.
using ChooseCall = std::function<bool(const detail::InnerGraph &inner, int64_t times)>;
/// F-239: those that are compiled in the place of their applications.
bool isInlined(const detail::InnerGraph &inner, int64_t times);

/// F-239: the nodes of its inner graph in the place of each OpFromGraph that is chosen, nested
/// ones, too. Each node is made anew for the types of its operands, which may be narrower than the
/// inner graph's. Errors: those of type rules and of `replace`; the graph is sound then, and some
/// are left.
absl::Status inlineCalls(FunctionGraph &graph, const ChooseCall &choose,
                         const ReplaceCall &replace);
/// The same for all, whatever they say.
absl::Status inlineAllCalls(FunctionGraph &graph);

} // namespace graphc
