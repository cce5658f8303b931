//===- Graph/GraphInterface.cpp - adding and removing inputs and outputs --===//
//
// What is removed is what nothing needs once some outputs are gone, so removing an input or a node
// is removing the outputs that are computed from it.
//
//===----------------------------------------------------------------------===//
#include "Graph/GraphState.h"
#include "Graph/NewNodes.h"
#include "Graph/Walk.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

using detail::Announcer;
using detail::ApplyNode;
using detail::asLeaf;
using detail::GraphState;
using detail::kNoSlot;
using detail::VariableNode;

absl::Status detail::checkIndex(int i, size_t count, std::string_view what) {
  if (i >= 0 && size_t(i) < count)
    return absl::OkStatus();
  return makeError(ErrorKind::IndexError, "the FunctionGraph has " + std::to_string(count) + " " +
                                              std::string(what) + "; there is no number " +
                                              std::to_string(i));
}

namespace {

/// Some outputs go, and perhaps an input.
class Removal {
public:
  Removal(GraphState &state, std::vector<bool> keep) : state_(state), keep_(std::move(keep)) {}

  absl::Status make(FunctionGraph &graph, std::string_view reason, int input = -1);

private:
  void renumberUpdates(int input);
  void unmake(int input);

  GraphState &state_;
  std::vector<bool> keep_;
  std::vector<std::pair<size_t, Variable>> gone_;
  Variable input_;
  std::map<int, int> updates_;
};

void Removal::renumberUpdates(int input) {
  std::vector<int> position(keep_.size(), -1);
  int next = 0;
  for (size_t i = 0; i < keep_.size(); ++i)
    if (keep_[i])
      position[i] = next++;
  std::map<int, int> fresh;
  for (auto [output, updated] : updates_)
    if (position[size_t(output)] >= 0 && updated != input)
      fresh[position[size_t(output)]] = input >= 0 && updated > input ? updated - 1 : updated;
  state_.updateMapping = std::move(fresh);
}

void Removal::unmake(int input) {
  if (input >= 0)
    state_.insertInput(size_t(input), input_.node());
  std::vector<VariableNode *> roots;
  for (const auto &[i, v] : gone_)
    roots.push_back(v.node());
  detail::NewNodes newNodes(state_);
  detail::walk(roots, newNodes);
  state_.addNodes(newNodes.order, /*ownConstants=*/false);
  for (const auto &[i, v] : gone_)
    state_.insertOutput(i, v.node());
  state_.place(newNodes.order);
  state_.updateMapping = updates_;
}

absl::Status Removal::make(FunctionGraph &graph, std::string_view reason, int input) {
  for (size_t i = 0; i < keep_.size(); ++i)
    if (!keep_[i])
      gone_.emplace_back(i, Variable::fromNode(state_.outputs[i]));
  if (input >= 0)
    input_ = Variable::fromNode(state_.inputs[size_t(input)]);
  updates_ = state_.updateMapping;

  Announcer announcer(graph, state_, reason, Announcer::OnError::Stop);
  state_.dropOutputs(keep_);
  for (const auto &[i, v] : gone_)
    state_.prune(v.node(), &announcer);
  if (input >= 0)
    state_.dropInput(size_t(input));
  renumberUpdates(input);
  if (announcer.deliver().ok())
    return absl::OkStatus();
  unmake(input);
  return announcer.takeBack();
}

/// Which outputs are not computed from `roots`.
std::vector<bool> independentOutputs(const GraphState &state, std::vector<VariableNode *> roots) {
  absl::flat_hash_set<const VariableNode *> dependent(roots.begin(), roots.end());
  std::vector<bool> keep(state.outputs.size(), true);
  while (!roots.empty()) {
    uint32_t slot = state.slotOf(roots.back());
    roots.pop_back();
    for (uint32_t i = state.vars[slot].firstUse; i != kNoSlot; i = state.uses[i].next) {
      const GraphState::Use &use = state.uses[i];
      if (use.user == kNoSlot) {
        keep[use.index] = false;
        continue;
      }
      ApplyNode *node = state.nodes[use.user].node;
      for (uint32_t k = 0; k < node->numOutputs; ++k)
        if (dependent.insert(node->output(k)).second)
          roots.push_back(node->output(k));
    }
  }
  return keep;
}

} // namespace

absl::Status FunctionGraph::addInput(const Variable &v) {
  if (absl::Status status = state().mayChangeInterface(); !status.ok())
    return status;
  uint32_t slot = state().slotOf(v.node());
  if (slot != kNoSlot && state().vars[slot].input)
    return absl::OkStatus();
  auto fail = [&](ErrorKind kind, const std::string &what) {
    return makeError(kind, detail::describe(v.node()) + " cannot become an input: it " + what,
                     v.place());
  };
  if (!v.ok())
    return v.status();
  if (v.hasOwner())
    return fail(ErrorKind::ValueError, "is computed by " + std::string(v.owner().op().name()));
  if (v.isConstant())
    return fail(ErrorKind::TypeError, "is a constant");
  if (asLeaf(v.node())->graph)
    return fail(ErrorKind::ValueError, "belongs to another FunctionGraph");
  state().insertInput(state().inputs.size(), v.node());
  return absl::OkStatus();
}

absl::Status FunctionGraph::addMissingInputs(const Variable &v) {
  for (const Variable &leaf : explicitGraphInputs({&v, 1}))
    if (!contains(leaf))
      if (absl::Status status = addInput(leaf); !status.ok())
        return status;
  return absl::OkStatus();
}

absl::Status FunctionGraph::addOutput(const Variable &v, std::string_view reason) {
  if (absl::Status status = state().mayChangeInterface(); !status.ok())
    return status;
  if (!v.ok())
    return v.status();
  VariableNode *roots[] = {v.node()};
  detail::NewNodes newNodes(state());
  detail::walk(roots, newNodes);
  absl::Status status = newNodes.status;
  if (status.ok())
    status = detail::checkLeaves(state(), newNodes.order, roots, "the new output");
  if (!status.ok())
    return status;
  Announcer announcer(*this, state(), reason, Announcer::OnError::Stop);
  state().addNodes(newNodes.order, /*ownConstants=*/false, &announcer);
  state().insertOutput(state().outputs.size(), v.node());
  state().place(newNodes.order);
  if (announcer.deliver().ok())
    return absl::OkStatus();
  std::vector<bool> keep(state().outputs.size(), true);
  keep.back() = false;
  state().dropOutputs(keep);
  state().prune(v.node(), nullptr);
  return announcer.takeBack();
}

absl::Status FunctionGraph::removeOutput(int i, std::string_view reason) {
  if (absl::Status status = state().mayChangeInterface(); !status.ok())
    return status;
  if (absl::Status status = detail::checkIndex(i, state().outputs.size(), "outputs"); !status.ok())
    return status;
  std::vector<bool> keep(state().outputs.size(), true);
  keep[size_t(i)] = false;
  return Removal(state(), keep).make(*this, reason);
}

absl::Status FunctionGraph::removeInput(int i, std::string_view reason) {
  if (absl::Status status = state().mayChangeInterface(); !status.ok())
    return status;
  if (absl::Status status = detail::checkIndex(i, state().inputs.size(), "inputs"); !status.ok())
    return status;
  return Removal(state(), independentOutputs(state(), {state().inputs[size_t(i)]}))
      .make(*this, reason, i);
}

absl::Status FunctionGraph::removeNode(const Apply &node, std::string_view reason) {
  if (absl::Status status = state().mayChangeInterface(); !status.ok())
    return status;
  if (!contains(node))
    return absl::OkStatus();
  return Removal(state(), independentOutputs(state(), detail::nodesOf(node.outputs())))
      .make(*this, reason);
}

} // namespace graphc
