//===- Graph/DestroyHandler.cpp - when memory may be overwritten ----------===//
//
// What is known of a destroyer: the roots that it destroys and the readers that must come before
// it. An event marks the destroyers of which that may have changed; validate looks at those alone.
// Whether readers can come first is asked of the graph's labels, which are an order by data. Each
// edge reader -> destroyer is put into that order, one after the other, as new edges of data are;
// where this fails there is a cycle.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Graph/GraphState.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"
#include "graphc/OpDef.h"
#include "graphc/Print.h"

namespace graphc {

using detail::ApplyNode;
using detail::GraphState;
using detail::kNoSlot;
using detail::VariableNode;

namespace {

/// Input whose memory output `index` of `node` shows; -1 for none.
int viewed(const ApplyNode *node, uint32_t index) {
  const std::vector<int> &map = node->op.def().viewMap;
  return index < map.size() ? map[index] : -1;
}

VariableNode *rootOf(VariableNode *v) {
  while (v->owner) {
    int input = viewed(v->owner, v->index);
    if (input < 0)
      break;
    v = v->owner->input(uint32_t(input));
  }
  return v;
}

/// The inputs that `node` overwrites.
std::vector<uint32_t> destroyedInputs(const ApplyNode *node) {
  std::vector<uint32_t> inputs;
  for (int input : node->op.def().destroyMap)
    if (input >= 0)
      inputs.push_back(uint32_t(input));
  return inputs;
}

std::string described(VariableNode *v) { return str(Variable::fromNode(v)); }

} // namespace

struct DestroyHandler::Tables {
  struct Destroyer {
    Apply keepsNode;
    /// The roots it destroys, as of the last look.
    std::vector<VariableNode *> roots;
  };
  GraphState *state = nullptr;
  absl::flat_hash_map<ApplyNode *, Destroyer> destroyers;
  /// In the order in which they came: what iterates, so that nothing depends on addresses.
  std::vector<ApplyNode *> order;
  absl::flat_hash_map<VariableNode *, std::vector<ApplyNode *>> byRoot;
  /// Readers that must come before a destroyer; destroyers that must come after a reader.
  GraphState::NodeLists before;
  GraphState::NodeLists after;
  /// To be looked at; to be put into the graph's order.
  absl::flat_hash_set<ApplyNode *> dirty;
  absl::flat_hash_set<ApplyNode *> unplaced;
  std::vector<Variable> protectedVariables;
  uint64_t relabelings = 0;

  template <class Visit> void eachUse(VariableNode *v, Visit visit) const {
    uint32_t slot = state ? state->slotOf(v) : kNoSlot;
    if (slot == kNoSlot)
      return;
    for (uint32_t i = state->vars[slot].firstUse; i != kNoSlot; i = state->uses[i].next)
      if (uint32_t user = state->uses[i].user; user != kNoSlot)
        visit(state->nodes[user].node, state->uses[i].index);
  }
  /// `from` and everything that shows its memory.
  std::vector<VariableNode *> impact(VariableNode *from) const {
    std::vector<VariableNode *> all = {from};
    absl::flat_hash_set<VariableNode *> seen;
    for (size_t i = 0; i < all.size(); ++i)
      eachUse(all[i], [&](ApplyNode *node, uint32_t index) {
        for (uint32_t k = 0; k < node->numOutputs; ++k)
          if (viewed(node, k) == int(index) && seen.insert(node->output(k)).second)
            all.push_back(node->output(k));
      });
    return all;
  }

  void forget(ApplyNode *node);
  void touch(VariableNode *v);
  void touchUse(ApplyNode *node, uint32_t input, VariableNode *value);
  /// Looks at all that is dirty.
  absl::Status refresh();
  absl::Status look(ApplyNode *node);
  absl::Status lookAtRoot(ApplyNode *node, uint32_t destroyed, VariableNode *root,
                          absl::flat_hash_set<ApplyNode *> &readers);
  absl::Status place(ApplyNode *reader, ApplyNode *destroyer);
};

DestroyHandler::DestroyHandler() : tables_(std::make_unique<Tables>()) {}
DestroyHandler::~DestroyHandler() = default;

void DestroyHandler::protect(const Variable &v) { tables_->protectedVariables.push_back(v); }

Variable DestroyHandler::root(const Variable &v) { return Variable::fromNode(rootOf(v.node())); }

std::vector<Apply> DestroyHandler::destroyers(FunctionGraph &graph, const Variable &v) const {
  std::vector<Apply> found;
  if (tables_->order.empty() || !graph.contains(v))
    return found;
  absl::flat_hash_set<ApplyNode *> seen;
  for (VariableNode *each : tables_->impact(rootOf(v.node())))
    tables_->eachUse(each, [&](ApplyNode *node, uint32_t index) {
      for (uint32_t input : destroyedInputs(node))
        if (input == index && seen.insert(node).second)
          found.push_back(Apply::fromNode(node));
    });
  return found;
}

bool DestroyHandler::hasDestroyers(FunctionGraph &graph, absl::Span<const Variable> vs) const {
  return std::any_of(vs.begin(), vs.end(),
                     [&](const Variable &v) { return !destroyers(graph, v).empty(); });
}

//===--- events -----------------------------------------------------------===//

absl::Status DestroyHandler::onAttach(FunctionGraph &graph) {
  if (graph.find<DestroyHandler>())
    return makeError(ErrorKind::AlreadyThere, "the FunctionGraph has a DestroyHandler already");
  tables_->state = graph.state_.get();
  for (const Apply &node : graph.applyNodes())
    if (absl::Status status = onImport(graph, node, "attach"); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status DestroyHandler::onDetach(FunctionGraph &) {
  std::vector<Variable> kept = std::move(tables_->protectedVariables);
  tables_ = std::make_unique<Tables>();
  tables_->protectedVariables = std::move(kept);
  return absl::OkStatus();
}

/// Removes what is known of a destroyer.
void DestroyHandler::Tables::forget(ApplyNode *node) {
  auto at = destroyers.find(node);
  if (at == destroyers.end())
    return;
  auto remove = [](auto &map, auto *key, ApplyNode *value) {
    auto entry = map.find(key);
    if (entry == map.end())
      return;
    std::erase(entry->second, value);
    if (entry->second.empty())
      map.erase(entry);
  };
  for (VariableNode *root : at->second.roots)
    remove(byRoot, root, node);
  at->second.roots.clear();
  if (auto readers = before.find(node); readers != before.end()) {
    for (ApplyNode *reader : readers->second)
      remove(after, reader, node);
    before.erase(readers);
  }
}

/// The destroyers of what shows the memory of `v`'s root must be looked at.
void DestroyHandler::Tables::touch(VariableNode *v) {
  if (auto at = byRoot.find(rootOf(v)); at != byRoot.end())
    dirty.insert(at->second.begin(), at->second.end());
}

/// Input `input` of `node` is, or was, `value`.
void DestroyHandler::Tables::touchUse(ApplyNode *node, uint32_t input, VariableNode *value) {
  touch(value);
  // What shows `value` through `node` has another root than before.
  for (uint32_t k = 0; k < node->numOutputs; ++k)
    if (viewed(node, k) == int(input))
      for (VariableNode *view : impact(node->output(k)))
        eachUse(view, [&](ApplyNode *user, uint32_t) {
          if (destroyers.contains(user))
            dirty.insert(user);
        });
}

absl::Status DestroyHandler::onImport(FunctionGraph &, const Apply &apply, std::string_view) {
  ApplyNode *node = apply.node();
  if (!destroyedInputs(node).empty()) {
    tables_->destroyers[node].keepsNode = apply;
    tables_->order.push_back(node);
    tables_->dirty.insert(node);
  }
  if (!tables_->order.empty())
    for (uint32_t i = 0; i < node->numInputs; ++i)
      tables_->touchUse(node, i, node->input(i));
  return absl::OkStatus();
}

absl::Status DestroyHandler::onPrune(FunctionGraph &, const Apply &apply, std::string_view) {
  if (tables_->order.empty())
    return absl::OkStatus();
  ApplyNode *node = apply.node();
  for (uint32_t i = 0; i < node->numInputs; ++i)
    tables_->touch(node->input(i));
  for (uint32_t i = 0; i < node->numOutputs; ++i)
    tables_->touch(node->output(i));
  if (tables_->destroyers.contains(node)) {
    tables_->forget(node);
    tables_->dirty.erase(node);
    tables_->unplaced.erase(node);
    tables_->destroyers.erase(node);
    std::erase(tables_->order, node);
  }
  // No destroyer waits for it any more.
  if (auto at = tables_->after.find(node); at != tables_->after.end()) {
    for (ApplyNode *destroyer : at->second)
      std::erase(tables_->before[destroyer], node);
    tables_->after.erase(at);
  }
  return absl::OkStatus();
}

absl::Status DestroyHandler::onChangeInput(FunctionGraph &, const Client &client,
                                           const Variable &old, const Variable &fresh,
                                           std::string_view) {
  if (tables_->order.empty() || client.isOutput())
    return absl::OkStatus();
  ApplyNode *node = client.node.node();
  if (tables_->destroyers.contains(node))
    tables_->dirty.insert(node);
  tables_->touch(old.node());
  tables_->touchUse(node, uint32_t(client.index), fresh.node());
  return absl::OkStatus();
}

//===--- validate ---------------------------------------------------------===//

static bool listed(const std::vector<std::pair<int, int>> &pairs, uint32_t a, uint32_t b) {
  return std::find(pairs.begin(), pairs.end(), std::pair(int(a), int(b))) != pairs.end();
}

absl::Status DestroyHandler::Tables::lookAtRoot(ApplyNode *node, uint32_t destroyed,
                                                VariableNode *root,
                                                absl::flat_hash_set<ApplyNode *> &readers) {
  auto fail = [&](const std::string &what) {
    return makeError(ErrorKind::Inconsistency, node->op.str() + " overwrites " + what, node->place);
  };
  std::vector<ApplyNode *> &sharers = byRoot[root];
  if (std::find(sharers.begin(), sharers.end(), node) == sharers.end())
    sharers.push_back(node);
  if (sharers.size() > 1)
    return fail("the memory of " + described(root) + ", and so does " +
                (sharers[0] == node ? sharers[1] : sharers[0])->op.str() + ": multiple destroyers");
  if (root->constant)
    return fail("a constant, " + described(root));
  std::vector<VariableNode *> shown = impact(root);
  for (const Variable &v : protectedVariables)
    if (std::find(shown.begin(), shown.end(), v.node()) != shown.end())
      return fail(str(v) + ", which is protected");
  const OpDef &def = node->op.def();
  for (uint32_t i = 0; i < node->numInputs; ++i) {
    if (i == destroyed || rootOf(node->input(i)) != root)
      continue;
    bool same = node->input(i) == node->input(destroyed);
    if (!(same && listed(def.tolerateSame, destroyed, i)) &&
        !listed(def.tolerateAliased, destroyed, i))
      return fail("its input " + std::to_string(destroyed) + ", whose memory it reads as input " +
                  std::to_string(i) + " too");
  }
  for (VariableNode *v : shown)
    eachUse(v, [&](ApplyNode *user, uint32_t) {
      if (user != node && readers.insert(user).second) {
        before[node].push_back(user);
        after[user].push_back(node);
      }
    });
  return absl::OkStatus();
}

/// F-134 to F-136, and who must come before `node`.
absl::Status DestroyHandler::Tables::look(ApplyNode *node) {
  forget(node);
  std::vector<VariableNode *> &roots = destroyers[node].roots;
  absl::flat_hash_set<ApplyNode *> readers;
  for (uint32_t input : destroyedInputs(node)) {
    VariableNode *root = rootOf(node->input(input));
    if (std::find(roots.begin(), roots.end(), root) != roots.end())
      return makeError(ErrorKind::Inconsistency,
                       node->op.str() + " overwrites the memory of " + described(root) +
                           " by two inputs: multiple destroyers",
                       node->place);
    roots.push_back(root);
  }
  std::vector<uint32_t> inputs = destroyedInputs(node);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (absl::Status status = lookAtRoot(node, inputs[i], roots[i], readers); !status.ok())
      return status;
  return absl::OkStatus();
}

/// Makes the labels respect the edge, or finds that it closes a cycle.
absl::Status DestroyHandler::Tables::place(ApplyNode *reader, ApplyNode *destroyer) {
  uint64_t low = state->nodes[reader->slot].label;
  if (low < state->nodes[destroyer->slot].label)
    return absl::OkStatus();
  GraphState::Moved moved = state->moveAbove(low, {destroyer}, after, reader);
  ApplyNode *cyclic = nullptr;
  if (moved == GraphState::Moved::NoRoom) {
    std::vector<ApplyNode *> sorted = state->toposort(&cyclic, before);
    if (!cyclic)
      state->relabel(sorted);
  }
  if (moved == GraphState::Moved::Done || (moved == GraphState::Moved::NoRoom && !cyclic))
    return absl::OkStatus();
  return makeError(ErrorKind::Inconsistency,
                   destroyer->op.str() + " overwrites memory that " + reader->op.str() +
                       " reads, which runs after it",
                   destroyer->place);
}

absl::Status DestroyHandler::Tables::refresh() {
  if (dirty.empty())
    return absl::OkStatus();
  std::vector<ApplyNode *> changed;
  for (ApplyNode *node : order)
    if (dirty.contains(node))
      changed.push_back(node);
  // First all that is known of them is dropped: what two of them destroyed may have moved on.
  for (ApplyNode *node : changed)
    forget(node);
  for (ApplyNode *node : changed) {
    if (absl::Status status = look(node); !status.ok())
      return status;
    unplaced.insert(node);
  }
  dirty.clear();
  return absl::OkStatus();
}

absl::Status DestroyHandler::checkAttached(const FunctionGraph &graph) const {
  if (tables_->state && tables_->state == graph.state_.get())
    return absl::OkStatus();
  return makeError(ErrorKind::Inconsistency, "the DestroyHandler is not attached to this "
                                             "FunctionGraph; attachFeature does that");
}

absl::Status DestroyHandler::onValidate(FunctionGraph &graph) {
  if (absl::Status status = checkAttached(graph); !status.ok())
    return status;
  Tables &t = *tables_;
  if (absl::Status status = t.refresh(); !status.ok())
    return status;
  std::vector<ApplyNode *> nodes;
  for (ApplyNode *node : t.order)
    if (t.relabelings != t.state->relabelings || t.unplaced.contains(node))
      nodes.push_back(node);
  for (ApplyNode *node : nodes)
    if (auto readers = t.before.find(node); readers != t.before.end())
      for (ApplyNode *reader : readers->second)
        if (absl::Status status = t.place(reader, node); !status.ok())
          return status;
  t.relabelings = t.state->relabelings;
  t.unplaced.clear();
  return absl::OkStatus();
}

absl::StatusOr<Orderings> DestroyHandler::orderings(FunctionGraph &graph) {
  if (absl::Status status = checkAttached(graph); !status.ok())
    return status;
  Tables &t = *tables_;
  if (absl::Status status = t.refresh(); !status.ok())
    return status;
  Orderings all;
  for (ApplyNode *node : t.order) {
    auto readers = t.before.find(node);
    if (readers == t.before.end() || readers->second.empty())
      continue;
    std::vector<Apply> list;
    for (ApplyNode *reader : readers->second)
      list.push_back(Apply::fromNode(reader));
    all.emplace_back(Apply::fromNode(node), std::move(list));
  }
  return all;
}

} // namespace graphc
