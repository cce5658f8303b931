//===- graphc/FunctionGraph.h - a graph that may be changed -----*- C++ -*-===//
//
// What `function` compiles: a graph with declared inputs and outputs, who uses what, and the only
// way to change a graph. A change is checked in full before anything is touched.
//
// Not thread-safe: one thread at a time uses a FunctionGraph and the Variables in it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Traversal.h"
#include "graphc/Variable.h"

namespace graphc {

namespace detail {
struct GraphState;
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

struct FunctionGraphOptions {
  /// Copy the graph first; the user's is never touched. Without, the user's own nodes become
  /// members, each of one FunctionGraph at a time, until that is destroyed.
  bool clone = true;
  /// Number of an output -> number of the input that it updates.
  std::map<int, int> updateMapping = {};
  std::string name = {};
};

struct GraphClone;

class FunctionGraph {
public:
  /// Errors: what an Invalid input or output carries; TypeError for a constant among the inputs
  /// or a Variable of Null type; ValueError for an input listed twice, for one with an owner
  /// when not cloning (cloning cuts it), for nodes of another FunctionGraph and for an update
  /// mapping out of range; MissingInput for a Variable without owner that is no input, naming it
  /// and its use. After an error the user's graph is as before.
  static absl::StatusOr<FunctionGraph> create(const Variables &inputs, const Variables &outputs,
                                              FunctionGraphOptions options = {});
  /// Its inputs are explicitGraphInputs(outputs) (F-072).
  static absl::StatusOr<FunctionGraph> createFromOutputs(const Variables &outputs,
                                                         FunctionGraphOptions options = {});
  FunctionGraph(FunctionGraph &&) noexcept;
  FunctionGraph &operator=(FunctionGraph &&) noexcept;
  /// Its Variables live on as long as there are handles.
  ~FunctionGraph();

  int numInputs() const;
  int numOutputs() const;
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

  /// F-114: every node once, producers before consumers, depth-first from the outputs in their
  /// order, inputs left to right. Linear time.
  std::vector<Apply> toposort() const;

  /// Makes `client` use `fresh`. Nodes above `fresh` that are no members become such; nodes whose
  /// outputs nobody uses any more leave. Nothing happens if it is used there already.
  /// Errors, after which nothing has changed: KeyError for a client that is no member; IndexError;
  /// TypeError if the type is neither equal nor narrower; MissingInput; Cycle; ValueError for
  /// nodes of another FunctionGraph. `reason` stands in their messages.
  absl::Status changeInput(const Client &client, const Variable &fresh,
                           std::string_view reason = {});
  /// All clients that `old` has at the call use `fresh`, converted to `old`'s type as
  /// filterVariable does, instead. Uses of `old` in what `fresh` brings in stay. Nothing happens
  /// if `old` is no member or is `fresh`. Errors as of changeInput; then nothing has changed.
  absl::Status replace(const Variable &old, const Variable &fresh, std::string_view reason = {});
  /// Replaces one after the other; what precedes a failing pair stays replaced (F-096).
  absl::Status replaceAll(const Replacements &replacements, std::string_view reason = {});

  /// OK if all tables agree with the graph (F-117), otherwise Inconsistency with every difference.
  absl::Status checkIntegrity() const;

  /// A copy with the same order of inputs and outputs, names, tags and update mapping. Every node
  /// and Variable is new; constants share their data.
  FunctionGraph clone() const;
  GraphClone cloneGetEquiv() const;

private:
  explicit FunctionGraph(std::unique_ptr<detail::GraphState> state);
  std::unique_ptr<detail::GraphState> state_;
};

/// A copy, and what became of each member.
struct GraphClone {
  FunctionGraph graph;
  std::unordered_map<Variable, Variable> variables;
  std::unordered_map<Apply, Apply> nodes;
};

} // namespace graphc
