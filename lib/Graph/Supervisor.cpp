//===- Graph/Supervisor.cpp - what a function may not overwrite -----------===//
//
// Between validations it notes which outputs and destroyers have changed. Where none of them
// touches protected memory all is well; otherwise it looks at everything, and says what is wrong.
//
//===----------------------------------------------------------------------===//
#include "Graph/GraphState.h"
#include "Support/Work.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Print.h"

namespace graphc {

using detail::VariableNode;

struct Supervisor::Tables {
  /// Of the outputs, when all was well. Only compared, never followed.
  std::vector<VariableNode *> roots;
  /// How many outputs show the memory of a root.
  absl::flat_hash_map<VariableNode *, int> sharers;
  /// Of the graph; 0 where nothing is known.
  uint64_t interface = 0;
  std::set<int> changedOutputs;
  std::vector<Apply> newDestroyers;

  static VariableNode *rootOf(const Variable &v) { return DestroyHandler::root(v).node(); }
  void learn(FunctionGraph &graph, uint64_t now);
};

Supervisor::Supervisor(Options options)
    : options_(std::move(options)), tables_(std::make_unique<Tables>()) {}
Supervisor::~Supervisor() = default;

absl::Status Supervisor::onAttach(FunctionGraph &graph) {
  tables_ = std::make_unique<Tables>();
  return graph.attachFeature(std::make_shared<DestroyHandler>());
}

absl::Status Supervisor::onDetach(FunctionGraph &) {
  tables_ = std::make_unique<Tables>();
  return absl::OkStatus();
}

/// The inputs that `node` overwrites.
static std::vector<Variable> destroyedBy(const Apply &node) {
  std::vector<Variable> inputs;
  for (int input : node.op().def().destroyMap)
    if (input >= 0)
      inputs.push_back(node.input(input));
  return inputs;
}

absl::Status Supervisor::onImport(FunctionGraph &, const Apply &node, std::string_view) {
  if (!destroyedBy(node).empty())
    tables_->newDestroyers.push_back(node);
  return absl::OkStatus();
}

absl::Status Supervisor::onChangeInput(FunctionGraph &graph, const Client &client, const Variable &,
                                       const Variable &, std::string_view) {
  if (client.isOutput()) {
    tables_->changedOutputs.insert(client.index);
    return absl::OkStatus();
  }
  for (int input : client.node.op().def().viewMap)
    if (input == client.index)
      tables_->interface = 0; // other roots below
  return onImport(graph, client.node, {});
}

void Supervisor::Tables::learn(FunctionGraph &graph, uint64_t now) {
  *this = Tables();
  for (const Variable &output : graph.outputs()) {
    roots.push_back(rootOf(output));
    ++sharers[roots.back()];
  }
  detail::workDone += roots.size();
  interface = now;
}

/// Whether what has changed leaves all well for sure.
bool Supervisor::isUntouched(FunctionGraph &graph, const DestroyHandler &handler) {
  Tables &t = *tables_;
  if (t.interface != graph.state().interfaceChanges)
    return false;
  auto isProtected = [&](const Variable &root) {
    // An input whose number may be among the mutable ones: rare enough to look.
    return (!root.hasOwner() && !root.isConstant()) || t.sharers.contains(root.node());
  };
  bool untouched = true;
  for (int i : t.changedOutputs)
    if (auto at = t.sharers.find(t.roots[size_t(i)]); --at->second == 0)
      t.sharers.erase(at);
  for (int i : t.changedOutputs) {
    Variable output = graph.output(i), root = DestroyHandler::root(output);
    untouched &= root.isConstant() || !isProtected(root);
    untouched &= handler.destroyers(graph, output).empty();
    t.roots[size_t(i)] = root.node();
    ++t.sharers[root.node()];
    ++detail::workDone;
  }
  for (const Apply &node : t.newDestroyers) {
    ++detail::workDone;
    if (graph.contains(node))
      for (const Variable &v : destroyedBy(node))
        untouched &= !isProtected(DestroyHandler::root(v));
  }
  if (untouched) {
    t.changedOutputs.clear();
    t.newDestroyers.clear();
  }
  return untouched;
}

static absl::Status destroyed(const Variable &v, const Apply &by, std::string_view role) {
  return makeError(ErrorKind::Inconsistency,
                   std::string(role) + ", " + str(v) + ", is overwritten by " + by.op().str(),
                   by.place());
}

absl::Status Supervisor::check(FunctionGraph &graph, const DestroyHandler &handler) const {
  absl::flat_hash_map<Variable, int> roots;
  for (int i = 0; i < graph.numInputs(); ++i) {
    Variable v = graph.input(i);
    std::string role = "input " + std::to_string(i);
    if (!options_.mutableInputs.contains(i))
      for (const Apply &node : handler.destroyers(graph, v))
        return destroyed(v, node, role + ", which is not mutable");
    roots.emplace(v, -1);
  }
  for (int i = 0; i < graph.numOutputs(); ++i) {
    Variable v = graph.output(i);
    std::string role = "output " + std::to_string(i);
    for (const Apply &node : handler.destroyers(graph, v))
      return destroyed(v, node, role);
    Variable root = DestroyHandler::root(v);
    if (root.isConstant())
      continue;
    auto [at, isNew] = roots.emplace(root, i);
    if (!isNew && !options_.borrowedOutputs.contains(i))
      return makeError(
          ErrorKind::Inconsistency,
          role + ", " + str(v) + ", shares memory with " +
              (at->second < 0 ? "the input " + str(root) : "output " + std::to_string(at->second)) +
              " and is not borrowed",
          v.place());
  }
  return absl::OkStatus();
}

absl::Status Supervisor::onValidate(FunctionGraph &graph) {
  const auto *handler = graph.find<DestroyHandler>();
  if (!handler)
    return makeError(ErrorKind::Inconsistency,
                     "the Supervisor needs the DestroyHandler, which has been removed");
  if (isUntouched(graph, *handler))
    return absl::OkStatus();
  absl::Status status = check(graph, *handler);
  if (status.ok())
    tables_->learn(graph, graph.state().interfaceChanges);
  return status;
}

} // namespace graphc
