//===- graphc/Feature.h - who listens to a FunctionGraph --------*- C++ -*-===//
//
// A Feature is told of each change of the graph it is attached to, may refuse a graph, and may
// demand an order between nodes. See docs/FunctionGraph.md, which writes one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc {

class FunctionGraph;
namespace detail {
class Listeners;
} // namespace detail

/// One use of a Variable: input `index` of `node`, or, where `node` is null, output `index` of the
/// FunctionGraph.
struct Client {
  Apply node = {};
  int index = 0;

  static Client output(int index) { return {Apply(), index}; }
  bool isOutput() const { return !node; }
  friend bool operator==(const Client &, const Client &) = default;
};
using Clients = std::vector<Client>;

/// For each node named, nodes that must run before it, whatever data say.
using Orderings = std::vector<std::pair<Apply, std::vector<Apply>>>;

/// Callbacks of one FunctionGraph. All features hear of an event, in the order in which they were
/// attached, before the next event (F-090). They hear of a change when it has been made in full, so
/// a callback reads a whole graph; what other Features know of it may be older.
///
/// A callback of this class does not change the graph, nor validate it, nor disown or destroy it:
/// the calls that do return Inconsistency, and `checkpoint` gives one that cannot be reverted to.
/// It notes what to do, for afterwards. Features may be attached and removed in callbacks: each
/// hears of the changes between, and of no part of another one.
///
/// An error of onImport, onPrune or onChangeInput undoes the change that is being told: the graph
/// is as before, and whoever had heard of a step, the failing Feature included, hears of its
/// reverse (onPrune for onImport, onImport for onPrune, onChangeInput with old and fresh
/// exchanged), newest first; errors of those detach the Feature. The first error is what the
/// caller of the change gets (F-110).
///
/// Not thread-safe; as FunctionGraph. A FunctionGraph may move between callbacks: keep no pointer
/// to it.
class Feature : public std::enable_shared_from_this<Feature> {
public:
  virtual ~Feature();
  Feature() = default;
  Feature(const Feature &) = delete;
  Feature &operator=(const Feature &) = delete;

  /// In messages and listings.
  virtual std::string_view name() const = 0;
  /// Names of what it offers that a graph must have once only; attaching a second Feature that
  /// offers one of them is refused (F-104).
  virtual std::vector<std::string> provides() const { return {}; }

  /// It is about to be attached to a graph whose nodes stand already (see Bookkeeper). AlreadyThere
  /// cancels silently; other errors are returned to who attaches; either way it is not attached.
  virtual absl::Status onAttach(FunctionGraph &graph);
  /// It has been removed. An error is returned to who removes.
  virtual absl::Status onDetach(FunctionGraph &graph);
  /// `node` has become a member; producers are told before consumers.
  virtual absl::Status onImport(FunctionGraph &graph, const Apply &node, std::string_view reason);
  /// `node` has left; consumers are told before producers. Its inputs can still be read.
  virtual absl::Status onPrune(FunctionGraph &graph, const Apply &node, std::string_view reason);
  /// `client` uses `fresh` now, and no longer `old`; the imports and prunes of that have been told.
  virtual absl::Status onChangeInput(FunctionGraph &graph, const Client &client,
                                     const Variable &old, const Variable &fresh,
                                     std::string_view reason);
  /// An error if the graph may not stay as it is.
  virtual absl::Status onValidate(FunctionGraph &graph);
  /// What must run before what. Not asked while a change is told.
  virtual absl::StatusOr<Orderings> orderings(FunctionGraph &graph);

  /// What a copy of the graph gets: itself (`return itself();`) if it keeps nothing about a graph,
  /// otherwise a fresh one with the same settings, and then it can be attached to one graph at a
  /// time (F-111).
  virtual std::shared_ptr<Feature> clone() = 0;

protected:
  /// Null unless a shared_ptr holds it.
  std::shared_ptr<Feature> itself() { return weak_from_this().lock(); }

private:
  friend class FunctionGraph;
  friend class detail::Listeners;
  /// Graphs that it is attached to.
  std::atomic<int> graphs_ = 0;
};

using Features = std::vector<std::shared_ptr<Feature>>;

/// F-077: hears onImport of every node that stands, producers first, when it is attached, and
/// onPrune of every node it has heard of, consumers first, when it is removed; both with the reason
/// "attach" or "detach". Consumers and producers by data.
class Bookkeeper : public Feature {
public:
  absl::Status onAttach(FunctionGraph &graph) override;
  absl::Status onDetach(FunctionGraph &graph) override;
};

} // namespace graphc
