//===- graphc/FunctionGraph.h - a graph that may be changed -----*- C++ -*-===//
//
// What `function` compiles: a graph with declared inputs and outputs, who uses what, and the only
// way to change a graph. A change is checked in full before anything is touched.
//
// Not thread-safe: one thread at a time uses a FunctionGraph and the Variables in it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Feature.h"
#include "graphc/Traversal.h"
#include "graphc/Variable.h"

namespace graphc {

namespace detail {
struct GraphState;
class Journal;
enum class Callback : uint8_t;
} // namespace detail

struct FunctionGraphOptions {
  /// Attached in this order when the graph stands (F-076).
  Features features = {};
  /// Copy the graph first; the user's is never touched. Without, the user's own nodes become
  /// members, each of one FunctionGraph at a time, until that is destroyed; then they are what the
  /// graph's changes have made of them.
  bool clone = true;
  /// Number of an output -> number of the input that it updates.
  std::map<int, int> updateMapping = {};
  std::string name = {};
};

struct CloneOptions {
  /// Check the source first, and the copy.
  bool checkIntegrity = true;
  /// The copy gets a clone of each Feature, in their order.
  bool attachFeatures = true;
};

struct GraphClone;
class FrozenGraph;

/// A state of a FunctionGraph to which `revert` can go back. While one is open the graph notes its
/// changes; destroying it closes it and keeps the changes.
class Checkpoint {
public:
  Checkpoint(Checkpoint &&) noexcept;
  Checkpoint &operator=(Checkpoint &&) noexcept;
  ~Checkpoint();

private:
  friend class FunctionGraph;
  Checkpoint(std::shared_ptr<detail::Journal> journal, uint64_t serial);
  std::shared_ptr<detail::Journal> journal_;
  uint64_t serial_ = 0;
};

/// One that was moved from is as after disown().
class FunctionGraph {
public:
  /// Errors: what an Invalid input or output carries; TypeError for a constant among the inputs
  /// or a Variable of Null type; ValueError for an input listed twice, for one with an owner
  /// when not cloning (cloning cuts it), for nodes of another FunctionGraph and for an update
  /// mapping out of range; MissingInput for a Variable without owner that is no input, naming it
  /// and its use; those of attachFeature. After an error the user's graph is as before.
  static absl::StatusOr<FunctionGraph> create(const Variables &inputs, const Variables &outputs,
                                              FunctionGraphOptions options = {});
  /// Its inputs are explicitGraphInputs(outputs) (F-072). ValueError without outputs.
  static absl::StatusOr<FunctionGraph> createFromOutputs(const Variables &outputs,
                                                         FunctionGraphOptions options = {});
  FunctionGraph(FunctionGraph &&) noexcept;
  FunctionGraph &operator=(FunctionGraph &&) noexcept;
  /// Its Variables live on as long as there are handles. Features are not told; disown() does.
  ~FunctionGraph();

  //===--- reading --------------------------------------------------------===//
  int numInputs() const;
  int numOutputs() const;
  /// An Invalid Variable (IndexError) where there is no such input or output.
  Variable input(int i) const;
  Variable output(int i) const;
  Variables inputs() const;
  Variables outputs() const;
  const std::string &name() const;
  const std::map<int, int> &updateMapping() const;

  /// The members, in an order that depends on the graph's history alone.
  std::vector<Apply> applyNodes() const;
  /// Inputs (also unused ones), constants that are used, all outputs of member nodes.
  Variables variables() const;
  size_t numNodes() const;
  bool contains(const Variable &v) const;
  bool contains(const Apply &node) const;

  /// F-081: the uses of `v`, oldest first. KeyError if it is no member.
  absl::StatusOr<Clients> clients(const Variable &v) const;
  /// Number of its uses, counted up to `limit`; 0 if it is no member. Constant time.
  size_t numClients(const Variable &v, size_t limit = 2) const;

  /// F-114: every node once, producers before consumers, what `orderings` demands before its
  /// node; depth-first from the outputs in their order, inputs left to right. Linear time.
  /// Errors: those of orderings; Cycle, naming a node on it.
  absl::StatusOr<std::vector<Apply>> toposort() const;
  /// F-112: what all Features demand; lists for one node are joined in the order of the Features.
  /// Errors: those of Features; Inconsistency while Features are told of a change, since some do
  /// not know it yet, and in `orderings` itself. ioToposort gives the order of the data.
  absl::StatusOr<Orderings> orderings() const;

  //===--- changing -------------------------------------------------------===//
  // What has been disowned gives Inconsistency, and so do the callbacks of Feature: they note what
  // to do, and do it afterwards.

  /// Makes `client` use `fresh`. Nodes above `fresh` that are no members become such; nodes whose
  /// outputs nobody uses any more leave. Nothing happens if it is used there already.
  /// F-064, F-089: what becomes a member is `fresh` itself, no copy. From then on it is the
  /// graph's: later changes change it, for all who hold it. This concerns `replace`, `replaceAll`
  /// and `addOutput`, too. Who wants to keep nodes as they are gives a copy of them (clone in
  /// Traversal.h). Constants are shared with the user's graphs, and never changed. What leaves, and
  /// what an error keeps out, belongs to no graph.
  /// Errors, after which nothing has changed: KeyError for a client that is no member; IndexError;
  /// TypeError if the type is neither equal nor narrower; MissingInput; Cycle; ValueError for
  /// nodes of another FunctionGraph; those of Features. `reason` stands in their messages.
  absl::Status changeInput(const Client &client, const Variable &fresh,
                           std::string_view reason = {});
  /// All clients that `old` has at the call use `fresh`, converted to `old`'s type as
  /// filterVariable does, instead. Uses of `old` in what `fresh` brings in stay. Nothing happens
  /// if `old` is no member or is `fresh`. Errors as of changeInput; then nothing has changed.
  /// Linear in the number of clients.
  absl::Status replace(const Variable &old, const Variable &fresh, std::string_view reason = {});
  /// Replaces one after the other; what precedes a failing pair stays replaced (F-096).
  absl::Status replaceAll(const Replacements &replacements, std::string_view reason = {});

  /// `v`, without owner, becomes the last input; nothing happens if it is an input. ValueError
  /// for one with an owner or in another FunctionGraph, TypeError for a constant.
  absl::Status addInput(const Variable &v);
  /// Variables without owner above `v` that are neither members nor constants become inputs.
  absl::Status addMissingInputs(const Variable &v);
  /// `v` becomes the last output. Errors as of changeInput.
  absl::Status addOutput(const Variable &v, std::string_view reason = {});
  /// Output `i` is no output any more; what only it needs leaves; later ones count one less, in
  /// the update mapping too. IndexError.
  absl::Status removeOutput(int i, std::string_view reason = {});
  /// Input `i` leaves, with all nodes and outputs that are computed from it. IndexError.
  absl::Status removeInput(int i, std::string_view reason = {});
  /// `node` leaves, with all nodes and outputs that are computed from it, and what only they
  /// need. Nothing happens if it is no member.
  absl::Status removeNode(const Apply &node, std::string_view reason = {});

  //===--- changes that may be taken back ---------------------------------===//
  /// The changes of edges from here on can be undone. While one is open, inputs and outputs can
  /// be neither added nor removed. To one that was moved from, and to one from a callback of
  /// Feature, `revert` cannot go back.
  Checkpoint checkpoint();
  /// Undoes all changes since the youngest open checkpoint, newest first, with the reason
  /// "revert: " and theirs, and closes it. ValueError for another one (F-125).
  absl::Status revert(Checkpoint checkpoint);
  /// onValidate of all Features; the first error. Also Inconsistency if a node is back that
  /// replaceAllValidateRemove had removed.
  absl::Status validate();
  bool consistent() { return validate().ok(); }
  /// F-128: replaces all, then validates. After any error the graph is as before.
  absl::StatusOr<Checkpoint> replaceAllValidate(const Replacements &replacements,
                                                std::string_view reason = {});
  absl::StatusOr<Checkpoint> replaceValidate(const Variable &old, const Variable &fresh,
                                             std::string_view reason = {}) {
    return replaceAllValidate({{old, fresh}}, reason);
  }
  /// F-130: the same, and none of `remove` may stay: ReplacementDidNotRemove, with a warning
  /// where `warn`. If one of them comes back later, validate fails.
  absl::StatusOr<Checkpoint> replaceAllValidateRemove(const Replacements &replacements,
                                                      const std::vector<Apply> &remove,
                                                      std::string_view reason = {},
                                                      bool warn = true);

  //===--- Features -------------------------------------------------------===//
  /// Nothing happens if this very object is attached, or if its onAttach says AlreadyThere.
  /// Allowed in callbacks, too; then it sees the graph as the callback does and does not hear of
  /// the change that is being told. Errors: those of onAttach; Inconsistency where callbacks lead
  /// to each other without end; ValueError for null and for one that is attached to another graph,
  /// unless it keeps nothing about graphs (Feature::clone); AlreadyThere, naming both, if it
  /// provides what another one does; ValueError if it provides the name of a callback (F-105).
  absl::Status attachFeature(std::shared_ptr<Feature> feature);
  /// Nothing happens if it is not attached. The error of its onDetach; it is removed all the same.
  /// Allowed in callbacks, too.
  absl::Status removeFeature(const std::shared_ptr<Feature> &feature);
  const Features &features() const;
  /// The first attached Feature of this class, or null.
  template <class F> F *find() const {
    for (const std::shared_ptr<Feature> &feature : features())
      if (auto *found = dynamic_cast<F *>(feature.get()))
        return found;
    return nullptr;
  }
  /// Seconds spent in callbacks of `feature` so far.
  double secondsIn(const Feature &feature) const;

  /// F-106: calls `callback`, of Feature or of an interface of the user's, on every attached
  /// Feature that has it, in their order, until one fails:
  ///   graph.executeCallbacks(&Feature::onValidate);
  ///   graph.executeCallbacks(&Profiled::report, 3);     // Profiled::report(FunctionGraph &, int)
  template <class I, class... P, class... A>
  absl::Status executeCallbacks(absl::Status (I::*callback)(FunctionGraph &, P...), A &&...args) {
    return notify(
        [&](Feature &feature) {
          auto *implements = dynamic_cast<I *>(&feature);
          return implements ? (implements->*callback)(*this, args...) : absl::OkStatus();
        },
        std::is_same_v<I, Feature>);
  }
  /// F-108: the results of `callback`, which is not given the graph, by Feature.
  template <class R, class I, class... P, class... A>
  std::vector<std::pair<std::shared_ptr<Feature>, R>> collectCallbacks(R (I::*callback)(P...),
                                                                       A &&...args) {
    std::vector<std::pair<std::shared_ptr<Feature>, R>> results;
    for (const std::shared_ptr<Feature> &feature : Features(features()))
      if (auto *implements = dynamic_cast<I *>(feature.get()))
        results.emplace_back(feature, (implements->*callback)(args...));
    return results;
  }

  //===--- the whole ------------------------------------------------------===//
  /// OK if all tables agree with the graph (F-117), otherwise Inconsistency with every difference.
  absl::Status checkIntegrity() const;

  /// A copy with the same order of inputs and outputs, names, tags and update mapping. Every node
  /// and Variable is new; constants share their data. Errors: those of checkIntegrity and of the
  /// copied Features' onAttach.
  absl::StatusOr<FunctionGraph> clone(CloneOptions options = {}) const;
  absl::StatusOr<GraphClone> cloneGetEquiv(CloneOptions options = {}) const;
  /// F-123: a copy that never changes, can be compared and hashed, and keeps the order of toposort
  /// now, what Features demand included. Errors: those of toposort. Linear. See FrozenGraph.h.
  absl::StatusOr<FrozenGraph> freeze() const;

  /// F-121: removes all Features, then lets go of all nodes: they may join another graph. All that
  /// follows finds an empty graph, or Inconsistency. The first error of onDetach. Inconsistency in
  /// any callback.
  absl::Status disown();

private:
  friend class Bookkeeper;
  friend class Checkpoint;
  friend class DestroyHandler;
  friend class FrozenGraph;
  friend class History;
  friend class ShapeFeature;
  friend class Supervisor;
  explicit FunctionGraph(std::unique_ptr<detail::GraphState> state);
  static absl::StatusOr<FunctionGraph> finish(std::unique_ptr<detail::GraphState> state,
                                              const Features &features);
  /// changeInput where the former state is known to be sound.
  absl::Status changeBack(const Client &client, const Variable &former, std::string_view reason);
  /// `ofFeature`: `tell` calls what the graph calls, too, so the rules for that apply.
  absl::Status notify(const std::function<absl::Status(Feature &)> &tell, bool ofFeature) const;
  absl::Status tellAll(detail::Callback callback,
                       const std::function<absl::Status(Feature &)> &tell) const;
  /// An empty one, which may not change, where there is none.
  detail::GraphState &state() const;
  /// Null once it has been disowned or moved from.
  std::unique_ptr<detail::GraphState> state_;
};

/// A copy, and what became of each member.
struct GraphClone {
  FunctionGraph graph;
  std::unordered_map<Variable, Variable> variables;
  std::unordered_map<Apply, Apply> nodes;
};

} // namespace graphc
