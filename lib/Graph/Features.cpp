//===- Graph/Features.cpp - the small Features that come with graphc ------===//
#include "graphc/Features.h"

#include <algorithm>
#include <ostream>

#include "Graph/GraphState.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Print.h"

namespace graphc {

//===--- NodeFinder -------------------------------------------------------===//

struct NodeFinder::Table {
  /// In order; those that have left are null until half of them have.
  struct List {
    std::vector<Apply> nodes;
    size_t left = 0;
  };
  absl::flat_hash_map<Op, List> lists;
  absl::flat_hash_map<Apply, size_t> positions;
};

NodeFinder::NodeFinder() : table_(std::make_unique<Table>()) {}
NodeFinder::~NodeFinder() = default;

std::vector<Apply> NodeFinder::nodes(const Op &op) const {
  std::vector<Apply> found;
  if (auto at = table_->lists.find(op); at != table_->lists.end())
    for (const Apply &node : at->second.nodes)
      if (node)
        found.push_back(node);
  return found;
}

absl::Status NodeFinder::onAttach(FunctionGraph &graph) {
  *table_ = {}; // of a graph that was destroyed nobody told it
  return Bookkeeper::onAttach(graph);
}

absl::Status NodeFinder::onImport(FunctionGraph &, const Apply &node, std::string_view) {
  std::vector<Apply> &nodes = table_->lists[node.op()].nodes;
  table_->positions[node] = nodes.size();
  nodes.push_back(node);
  return absl::OkStatus();
}

absl::Status NodeFinder::onPrune(FunctionGraph &, const Apply &node, std::string_view) {
  auto position = table_->positions.find(node);
  auto at = table_->lists.find(node.op());
  if (position == table_->positions.end() || at == table_->lists.end())
    return absl::OkStatus();
  Table::List &list = at->second;
  list.nodes[position->second] = Apply();
  table_->positions.erase(position);
  if (++list.left == list.nodes.size()) {
    table_->lists.erase(at);
  } else if (2 * list.left > list.nodes.size()) {
    std::erase_if(list.nodes, [](const Apply &each) { return !each; });
    list.left = 0;
    for (size_t i = 0; i < list.nodes.size(); ++i)
      table_->positions[list.nodes[i]] = i;
  }
  return absl::OkStatus();
}

//===--- PrintListener ----------------------------------------------------===//

static std::string because(std::string_view reason) {
  return reason.empty() ? "\n" : " (" + std::string(reason) + ")\n";
}

absl::Status PrintListener::onAttach(FunctionGraph &graph) {
  os_ << "attach: " << graph.numNodes() << " nodes\n";
  return absl::OkStatus();
}
absl::Status PrintListener::onDetach(FunctionGraph &graph) {
  os_ << "detach: " << graph.numNodes() << " nodes\n";
  return absl::OkStatus();
}
absl::Status PrintListener::onImport(FunctionGraph &, const Apply &node, std::string_view reason) {
  os_ << "import: " << node.op().str() << because(reason);
  return absl::OkStatus();
}
absl::Status PrintListener::onPrune(FunctionGraph &, const Apply &node, std::string_view reason) {
  os_ << "prune: " << node.op().str() << because(reason);
  return absl::OkStatus();
}
absl::Status PrintListener::onChangeInput(FunctionGraph &, const Client &client,
                                          const Variable &old, const Variable &fresh,
                                          std::string_view reason) {
  os_ << "change: " << (client.isOutput() ? "output" : "input") << " " << client.index;
  if (!client.isOutput())
    os_ << " of " << client.node.op().str();
  os_ << ": " << str(old) << " -> " << str(fresh) << because(reason);
  return absl::OkStatus();
}
absl::Status PrintListener::onValidate(FunctionGraph &graph) {
  os_ << "validate: " << graph.numNodes() << " nodes\n";
  return absl::OkStatus();
}

//===--- PreserveVariableAttributes ---------------------------------------===//

absl::Status PreserveVariableAttributes::onChangeInput(FunctionGraph &, const Client &,
                                                       const Variable &old, const Variable &fresh,
                                                       std::string_view) {
  // A constant may be the user's, and in other graphs.
  if (!old.name().empty() && !old.isConstant() && !fresh.isConstant() && fresh.name().empty()) {
    Variable named = fresh;
    named.setName(old.name());
  }
  return absl::OkStatus();
}

//===--- History ----------------------------------------------------------===//

struct History::Step {
  Client client;
  Variable old;
  Variable fresh;
  std::string reason;
  /// GraphState::interfaceChanges then.
  uint64_t interfaceChanges;
};

History::History() = default;
History::~History() = default;
size_t History::end() const { return steps_.size(); }

absl::Status History::onChangeInput(FunctionGraph &graph, const Client &client, const Variable &old,
                                    const Variable &fresh, std::string_view reason) {
  if (walking_)
    return absl::OkStatus();
  // The reverse of the last step, told because the change failed, takes it back.
  if (position_ > 0 && position_ == steps_.size()) {
    const Step &last = steps_.back();
    if (last.client == client && last.old == fresh && last.fresh == old &&
        reason == "revert: " + last.reason) {
      steps_.pop_back();
      --position_;
      return absl::OkStatus();
    }
  }
  steps_.resize(position_);
  steps_.push_back({client, old, fresh, std::string(reason), graph.state().interfaceChanges});
  ++position_;
  return absl::OkStatus();
}

absl::Status History::onAttach(FunctionGraph &) {
  steps_.clear(); // what happened meanwhile it does not know
  position_ = 0;
  return absl::OkStatus();
}

static bool uses(const FunctionGraph &graph, const Client &client, const Variable &v) {
  return client.isOutput() ? graph.output(client.index) == v
                           : graph.contains(client.node) && client.node.input(client.index) == v;
}

absl::Status History::goTo(FunctionGraph &graph, size_t state) {
  if (absl::Status status = graph.state().mayChange(); !status.ok())
    return status;
  if (!graph.state().listeners.find(this))
    return makeError(ErrorKind::KeyError, "the History is not attached to this FunctionGraph");
  std::shared_ptr<Feature> kept = itself(); // a callback may remove it
  if (state > steps_.size())
    return makeError(ErrorKind::IndexError, "the history has states 0 to " +
                                                std::to_string(steps_.size()) +
                                                "; there is no number " + std::to_string(state));
  absl::Status status;
  walking_ = true;
  while (position_ != state && status.ok()) {
    bool back = position_ > state;
    const Step step = steps_[back ? position_ - 1 : position_]; // it may be attached anew meanwhile
    if (step.interfaceChanges != graph.state().interfaceChanges) {
      status = makeError(ErrorKind::Inconsistency,
                         "the history ends where inputs or outputs were added or removed");
      break;
    }
    const Variable &target = back ? step.old : step.fresh;
    size_t before = position_;
    position_ = back ? position_ - 1 : position_ + 1;
    status = graph.changeBack(step.client, target, "history: " + step.reason);
    if (steps_.empty()) // a callback has attached it anew
      break;
    // What a Feature says against it comes too late; other errors keep the graph as it is.
    if (!status.ok() && !uses(graph, step.client, target))
      position_ = before;
  }
  walking_ = false;
  return status;
}

absl::Status History::back(FunctionGraph &graph) {
  if (position_ == 0)
    return makeError(ErrorKind::IndexError, "the history is at its start");
  return goTo(graph, position_ - 1);
}

//===--- NoOutputFromInplace ----------------------------------------------===//

absl::Status NoOutputFromInplace::onValidate(FunctionGraph &graph) {
  for (int i : outputs_) {
    if (i < 0 || i >= graph.numOutputs())
      continue;
    Variable v = graph.output(i);
    if (!v.hasOwner())
      continue;
    Apply node = v.owner();
    const std::vector<int> &map = node.op().def().destroyMap;
    if (size_t(v.index()) < map.size() && map[size_t(v.index())] >= 0)
      return makeError(ErrorKind::Inconsistency,
                       "output " + std::to_string(i) + ", " + str(v) + ", is made by " +
                           node.op().str() + " in the memory of an input",
                       node.place());
  }
  return absl::OkStatus();
}

} // namespace graphc
