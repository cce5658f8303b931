//===- Graph/GraphChanges.cpp - changing the edges of a FunctionGraph -----===//
//
// A change is checked, made, told to the Features and, if one of them fails, unmade: first the
// structure, then those who had heard of it hear of the reverse.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Graph/GraphState.h"
#include "Graph/NewNodes.h"
#include "Graph/Walk.h"
#include "Support/Log.h"
#include "Support/Text.h"
#include "Support/Work.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::Announcer;
using detail::ApplyNode;
using detail::GraphState;
using detail::kNoSlot;
using detail::NodeOrder;
using detail::VariableNode;

namespace {

/// Some uses of one Variable become uses of another. The uses stay the same numbers all along:
/// their users are members before and after.
class Change {
public:
  Change(GraphState &state, VariableNode *old, VariableNode *fresh, std::string_view reason)
      : state_(state), newNodes_(state), old_(Variable::fromNode(old)),
        fresh_(Variable::fromNode(fresh)), reason_(reason) {}

  /// Everything that may be wrong whatever the uses are.
  absl::Status check();
  /// Of that, what may be wrong with what `fresh` needs, also where it was used before.
  absl::Status checkNewNodes();
  /// Which of the uses' nodes `fresh` is computed from: an edge from it to them closes a cycle.
  absl::flat_hash_set<ApplyNode *> upstream(const std::vector<uint32_t> &uses);
  /// After check, or where nothing can be wrong. Afterwards all is done, or, after an error of a
  /// Feature, as before.
  absl::Status make(FunctionGraph &graph, const std::vector<uint32_t> &uses,
                    Announcer::OnError onError = Announcer::OnError::Stop);
  /// What `fresh` needs becomes known: for changes that are not checked.
  void findNewNodes();
  absl::Status fail(ErrorKind kind, const std::string &what) const;

private:
  void apply(const std::vector<uint32_t> &uses, Announcer *announcer);

  GraphState &state_;
  detail::NewNodes newNodes_;
  Variable old_;
  Variable fresh_;
  std::string_view reason_;
};

absl::Status Change::fail(ErrorKind kind, const std::string &what) const {
  std::string text = "cannot replace " + detail::describe(old_.node()) + " by " +
                     detail::describe(fresh_.node()) + ": " + what;
  if (!reason_.empty())
    text += " (" + std::string(reason_) + ")";
  return makeError(kind, text, fresh_.place());
}

void Change::findNewNodes() {
  VariableNode *roots[] = {fresh_.node()};
  detail::walk(roots, newNodes_);
}

absl::Status Change::check() {
  if (!fresh_.ok())
    return fresh_.status();
  if (!old_.type().isSuperOf(fresh_.type()))
    return fail(ErrorKind::TypeError, "the type of the replacement, " + fresh_.type().str() +
                                          ", is neither " + old_.type().str() +
                                          " nor a narrower one");
  return checkNewNodes();
}

absl::Status Change::checkNewNodes() {
  findNewNodes();
  VariableNode *roots[] = {fresh_.node()};
  absl::Status status = newNodes_.status.ok()
                            ? detail::checkLeaves(state_, newNodes_.order, roots, "the replacement")
                            : newNodes_.status;
  if (status.ok())
    return status;
  return fail(errorKind(status), std::string(status.message()));
}

absl::flat_hash_set<ApplyNode *> Change::upstream(const std::vector<uint32_t> &uses) {
  absl::flat_hash_set<ApplyNode *> users, found, seen;
  uint64_t lowest = NodeOrder::kEnd;
  for (uint32_t use : uses)
    if (uint32_t user = state_.uses[use].user; user != kNoSlot) {
      users.insert(state_.nodes[user].node);
      lowest = std::min(lowest, state_.labelOf(state_.nodes[user].node));
    }
  std::vector<ApplyNode *> pending = newNodes_.frontier;
  while (!pending.empty()) {
    ApplyNode *node = pending.back();
    pending.pop_back();
    // What has a lower label than every user is computed from none.
    ++detail::workDone;
    if (state_.labelOf(node) < lowest || !seen.insert(node).second)
      continue;
    if (users.contains(node))
      found.insert(node);
    for (uint32_t i = 0; i < node->numInputs; ++i)
      if (ApplyNode *producer = node->input(i)->owner)
        pending.push_back(producer);
  }
  return found;
}

void Change::apply(const std::vector<uint32_t> &uses, Announcer *announcer) {
  std::vector<ApplyNode *> users;
  for (uint32_t use : uses)
    if (uint32_t user = state_.uses[use].user; user != kNoSlot)
      users.push_back(state_.nodes[user].node);
  absl::Span<ApplyNode *const> nodes = newNodes_.order;
  for (uint32_t use : uses) {
    state_.redirect(use, fresh_.node(), nodes, announcer);
    nodes = {};
  }
  state_.place(newNodes_.order);
  state_.order(fresh_.node(), users);
}

absl::Status Change::make(FunctionGraph &graph, const std::vector<uint32_t> &uses,
                          Announcer::OnError onError) {
  Announcer announcer(graph, state_, reason_, onError);
  apply(uses, &announcer);
  absl::Status status = announcer.deliver();
  if (!status.ok() && onError == Announcer::OnError::Stop) {
    Change back(state_, fresh_.node(), old_.node(), {});
    back.findNewNodes();
    back.apply({uses.rbegin(), uses.rend()}, nullptr);
    return announcer.takeBack();
  }
  if (state_.journal->active())
    for (uint32_t use : uses)
      state_.journal->note(state_.clientOf(state_.uses[use]), old_, reason_);
  return status;
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
    return makeError(ErrorKind::IndexError,
                     owner + " has " + counted(count, client.isOutput() ? "output" : "input") +
                         "; there is no number " + std::to_string(client.index));
  return state.useOf(client);
}

absl::Status FunctionGraph::changeInput(const Client &client, const Variable &fresh,
                                        std::string_view reason) {
  if (absl::Status status = state().mayChange(); !status.ok())
    return status;
  absl::StatusOr<uint32_t> use = findUse(state(), client);
  if (!use.ok())
    return use.status();
  VariableNode *old = state().valueOf(state().uses[*use]);
  if (old == fresh.node())
    return absl::OkStatus();
  Change change(state(), old, fresh.node(), reason);
  if (absl::Status status = change.check(); !status.ok())
    return status;
  if (!change.upstream({*use}).empty())
    return change.fail(ErrorKind::Cycle, "it is computed from " + client.node.op().str() +
                                             ", which would then use it");
  return change.make(*this, {*use});
}

absl::Status FunctionGraph::replace(const Variable &old, const Variable &fresh,
                                    std::string_view reason) {
  if (absl::Status status = state().mayChange(); !status.ok())
    return status;
  uint32_t slot = state().slotOf(old.node());
  if (slot == kNoSlot || old == fresh)
    return absl::OkStatus();
  Variable converted = fresh;
  if (Variable narrowed = filterVariable(old.type(), fresh); narrowed.ok())
    converted = narrowed;
  Change change(state(), old.node(), converted.node(), reason);
  if (absl::Status status = change.check(); !status.ok())
    return status;
  std::vector<uint32_t> uses;
  for (uint32_t i = state().vars[slot].firstUse; i != kNoSlot; i = state().uses[i].next)
    uses.push_back(i);
  // F-093: what `fresh` is computed from keeps using `old`.
  absl::flat_hash_set<ApplyNode *> kept = change.upstream(uses);
  std::erase_if(uses, [&](uint32_t i) {
    uint32_t user = state().uses[i].user;
    return user != kNoSlot && kept.contains(state().nodes[user].node);
  });
  return uses.empty() ? absl::OkStatus() : change.make(*this, uses);
}

absl::Status FunctionGraph::replaceAll(const Replacements &replacements, std::string_view reason) {
  for (const auto &[old, fresh] : replacements)
    if (absl::Status status = replace(old, fresh, reason); !status.ok())
      return status;
  return absl::OkStatus();
}

//===--- checkpoints ------------------------------------------------------===//

Checkpoint::Checkpoint(std::shared_ptr<detail::Journal> journal, uint64_t serial)
    : journal_(std::move(journal)), serial_(serial) {}
Checkpoint::Checkpoint(Checkpoint &&) noexcept = default;
Checkpoint &Checkpoint::operator=(Checkpoint &&other) noexcept {
  std::swap(journal_, other.journal_);
  std::swap(serial_, other.serial_);
  return *this;
}
Checkpoint::~Checkpoint() {
  if (journal_)
    journal_->close(serial_);
}

Checkpoint FunctionGraph::checkpoint() {
  if (!state().mayChange().ok())
    return {nullptr, 0};
  return {state_->journal, state_->journal->open()};
}

absl::Status FunctionGraph::changeBack(const Client &client, const Variable &former,
                                       std::string_view reason) {
  absl::StatusOr<uint32_t> use = findUse(state(), client);
  if (!use.ok())
    return use.status();
  Change change(state(), state().valueOf(state().uses[*use]), former.node(), reason);
  // Its type and the order were right, but by now it may belong to another graph.
  if (absl::Status status = change.checkNewNodes(); !status.ok())
    return status;
  return change.make(*this, {*use}, Announcer::OnError::Detach);
}

absl::Status FunctionGraph::revert(Checkpoint checkpoint) {
  if (absl::Status status = state().mayChange(); !status.ok())
    return status;
  detail::Journal &journal = *state().journal;
  if (checkpoint.journal_ != state().journal || !journal.isYoungest(checkpoint.serial_))
    return makeError(ErrorKind::ValueError,
                     "only the youngest open checkpoint of a FunctionGraph can be reverted to");
  std::vector<detail::Journal::Entry> entries = journal.takeSinceYoungest();
  absl::Status first;
  // Undoing is not noted: what an older checkpoint sees is as it was.
  state().journal = std::make_shared<detail::Journal>();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    absl::Status status = changeBack(entry->client, entry->old, "revert: " + entry->reason);
    if (first.ok())
      first = status;
  }
  state().journal = checkpoint.journal_;
  // What was removed for good is back by right.
  absl::erase_if(state().banned, [&](const auto &entry) { return state().contains(entry.first); });
  return first;
}

absl::Status FunctionGraph::validate() {
  if (absl::Status status = state().mayChange("validate"); !status.ok())
    return status;
  for (const auto &[pointer, node] : state().banned)
    if (state().contains(pointer))
      return makeError(ErrorKind::Inconsistency,
                       "a node " + node.op().str() +
                           " is back in the FunctionGraph, after a rewrite had removed it for good",
                       node.place());
  return executeCallbacks(&Feature::onValidate);
}

absl::StatusOr<Checkpoint> FunctionGraph::replaceAllValidate(const Replacements &replacements,
                                                             std::string_view reason) {
  if (absl::Status status = state().mayChange(); !status.ok())
    return status;
  Checkpoint start = checkpoint();
  absl::Status status = replaceAll(replacements, reason);
  if (status.ok())
    status = validate();
  if (status.ok())
    return start;
  if (absl::Status reverted = revert(std::move(start)); !reverted.ok())
    return makeError(errorKind(status),
                     std::string(status.message()) + "\n" + std::string(reverted.message()));
  return status;
}

absl::StatusOr<Checkpoint> FunctionGraph::replaceAllValidateRemove(const Replacements &replacements,
                                                                   const std::vector<Apply> &remove,
                                                                   std::string_view reason,
                                                                   bool warn) {
  absl::StatusOr<Checkpoint> start = replaceAllValidate(replacements, reason);
  if (!start.ok())
    return start;
  for (const Apply &node : remove)
    if (contains(node)) {
      absl::Status status =
          makeError(ErrorKind::ReplacementDidNotRemove,
                    (reason.empty() ? std::string("a replacement") : std::string(reason)) +
                        " was to remove a node " + node.op().str() + ", which is still used",
                    node.place());
      if (warn)
        logWarning(std::string(status.message()));
      if (absl::Status reverted = revert(*std::move(start)); !reverted.ok())
        return makeError(errorKind(status),
                         std::string(status.message()) + "\n" + std::string(reverted.message()));
      return status;
    }
  for (const Apply &node : remove)
    if (node)
      state().banned.emplace(node.node(), node);
  return start;
}

} // namespace graphc
