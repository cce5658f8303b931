//===- Graph/GraphChanges.cpp - changing a FunctionGraph ------------------===//
#include <algorithm>

#include "Graph/GraphState.h"
#include "Graph/Import.h"
#include "Graph/Walk.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::ApplyNode;
using detail::GraphState;
using detail::kNoSlot;
using detail::VariableNode;

namespace {

/// One change: some uses of one Variable become uses of another.
class Change {
public:
  Change(GraphState &state, VariableNode *old, VariableNode *fresh, std::string_view reason)
      : state_(state), import_(state), old_(old), fresh_(fresh), reason_(reason) {}

  /// Everything that may be wrong whatever the uses are.
  absl::Status check();
  /// Which of the uses' nodes `fresh` is computed from: an edge from it to them closes a cycle.
  absl::flat_hash_set<ApplyNode *> upstream(const std::vector<uint32_t> &uses);
  /// Cannot fail.
  void apply(const std::vector<uint32_t> &uses);
  absl::Status fail(ErrorKind kind, const std::string &what) const;

private:
  GraphState &state_;
  detail::Import import_;
  VariableNode *old_;
  VariableNode *fresh_;
  std::string_view reason_;
};

absl::Status Change::fail(ErrorKind kind, const std::string &what) const {
  std::string text =
      "cannot replace " + detail::describe(old_) + " by " + detail::describe(fresh_) + ": " + what;
  if (!reason_.empty())
    text += " (" + std::string(reason_) + ")";
  return makeError(kind, text, Variable::fromNode(fresh_).place());
}

absl::Status Change::check() {
  if (fresh_->type.kind() == Type::Kind::Invalid)
    return fresh_->type.status();
  if (!old_->type.isSuperOf(fresh_->type))
    return fail(ErrorKind::TypeError, "the type of the replacement, " + fresh_->type.str() +
                                          ", is neither " + old_->type.str() +
                                          " nor a narrower one");
  VariableNode *roots[] = {fresh_};
  detail::walk(roots, import_);
  absl::Status status = import_.status.ok()
                            ? detail::checkLeaves(state_, import_.order, roots, "the replacement")
                            : import_.status;
  if (status.ok())
    return status;
  return fail(errorKind(status), std::string(status.message().data(), status.message().size()));
}

absl::flat_hash_set<ApplyNode *> Change::upstream(const std::vector<uint32_t> &uses) {
  absl::flat_hash_set<ApplyNode *> users, found, seen;
  uint64_t lowest = GraphState::kNoLimit;
  for (uint32_t use : uses)
    if (uint32_t user = state_.uses[use].user; user != kNoSlot) {
      users.insert(state_.nodes[user].node);
      lowest = std::min(lowest, state_.nodes[user].label);
    }
  std::vector<ApplyNode *> pending = import_.frontier;
  while (!pending.empty()) {
    ApplyNode *node = pending.back();
    pending.pop_back();
    // What has a lower label than every user is computed from none.
    if (state_.nodes[node->slot].label < lowest || !seen.insert(node).second)
      continue;
    if (users.contains(node))
      found.insert(node);
    for (uint32_t i = 0; i < node->numInputs; ++i)
      if (ApplyNode *producer = node->input(i)->owner)
        pending.push_back(producer);
  }
  return found;
}

void Change::apply(const std::vector<uint32_t> &uses) {
  Variable keepsOld = Variable::fromNode(old_);
  uint64_t before = state_.labelOf(old_), limit = GraphState::kNoLimit;
  for (uint32_t use : uses)
    if (uint32_t user = state_.uses[use].user; user != kNoSlot)
      limit = std::min(limit, state_.nodes[user].label);
  state_.addNodes(import_.order, /*ownConstants=*/false);
  for (uint32_t use : uses)
    state_.redirect(use, fresh_);
  state_.prune(old_);
  if (!import_.order.empty())
    state_.label(import_.order, before, limit);
  if (state_.labelOf(fresh_) >= limit)
    state_.relabel();
}

} // namespace

/// The use that `client` names, or what is wrong with it.
static absl::StatusOr<uint32_t> findUse(const GraphState &state, const Client &client) {
  size_t count = state.outputs.size();
  std::string owner = "the FunctionGraph";
  if (!client.isOutput()) {
    owner = client.node.op().str();
    if (!state.contains(client.node.node()))
      return makeError(ErrorKind::KeyError, "a node " + owner + " is not in the FunctionGraph",
                       client.node.place());
    count = client.node.node()->numInputs;
  }
  if (client.index < 0 || size_t(client.index) >= count)
    return makeError(ErrorKind::IndexError, owner + " has " + std::to_string(count) +
                                                (client.isOutput() ? " outputs" : " inputs") +
                                                "; there is no number " +
                                                std::to_string(client.index));
  return client.isOutput()
             ? state.outputUses[size_t(client.index)]
             : state.nodes[client.node.node()->slot].firstUse + uint32_t(client.index);
}

absl::Status FunctionGraph::changeInput(const Client &client, const Variable &fresh,
                                        std::string_view reason) {
  absl::StatusOr<uint32_t> use = findUse(*state_, client);
  if (!use.ok())
    return use.status();
  VariableNode *old = state_->valueOf(state_->uses[*use]);
  if (old == fresh.node())
    return absl::OkStatus();
  Change change(*state_, old, fresh.node(), reason);
  if (absl::Status status = change.check(); !status.ok())
    return status;
  if (!change.upstream({*use}).empty())
    return change.fail(ErrorKind::Cycle, "it is computed from " + client.node.op().str() +
                                             ", which would then use it");
  change.apply({*use});
  return absl::OkStatus();
}

absl::Status FunctionGraph::replace(const Variable &old, const Variable &fresh,
                                    std::string_view reason) {
  uint32_t slot = state_->slotOf(old.node());
  if (slot == kNoSlot || old == fresh)
    return absl::OkStatus();
  // Held: a conversion makes a Variable that nobody else holds.
  Variable converted = fresh;
  if (Variable narrowed = filterVariable(old.type(), fresh); narrowed.ok())
    converted = narrowed;
  Change change(*state_, old.node(), converted.node(), reason);
  if (absl::Status status = change.check(); !status.ok())
    return status;
  std::vector<uint32_t> uses;
  for (uint32_t i = state_->vars[slot].firstUse; i != kNoSlot; i = state_->uses[i].next)
    uses.push_back(i);
  // F-093: what `fresh` is computed from keeps using `old`.
  absl::flat_hash_set<ApplyNode *> kept = change.upstream(uses);
  std::erase_if(uses, [&](uint32_t i) {
    uint32_t user = state_->uses[i].user;
    return user != kNoSlot && kept.contains(state_->nodes[user].node);
  });
  if (!uses.empty())
    change.apply(uses);
  return absl::OkStatus();
}

absl::Status FunctionGraph::replaceAll(const Replacements &replacements, std::string_view reason) {
  for (const auto &[old, fresh] : replacements)
    if (absl::Status status = replace(old, fresh, reason); !status.ok())
      return status;
  return absl::OkStatus();
}

} // namespace graphc
