//===- Graph/DestroyHandler.cpp - when memory may be overwritten ----------===//
//
// What is known of a destroyer: the roots that it destroys and the readers that must come before
// it. An event adds and removes readers; where it moves memory, to other roots or destroyers, the
// destroyers of that are marked, and validate finds out anew about those. Whether readers can come
// first is asked of the graph's labels, which are an order by data. Each edge reader -> destroyer
// is put into that order, one after the other, as new edges of data are; where this fails there is
// a cycle.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <map>
#include <utility>

#include "Graph/GraphState.h"
#include "Support/Work.h"
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

/// Whether an output of `node` shows the memory of this input.
bool isViewOf(const ApplyNode *node, uint32_t input) {
  const std::vector<int> &map = node->op.def().viewMap;
  return std::find(map.begin(), map.end(), int(input)) != map.end();
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
  /// In the order in which they came; those that have left are null until half of them have.
  struct Readers {
    struct Reader {
      size_t position = 0;
      uint32_t uses = 0;
    };
    std::vector<ApplyNode *> list;
    absl::flat_hash_map<ApplyNode *, Reader> known;
  };
  struct Destroyer {
    Apply keepsNode;
    uint64_t number = 0;
    /// The roots it destroys, as of the last look.
    std::vector<VariableNode *> roots = {};
    Readers readers = {};
  };
  GraphState *state = nullptr;
  absl::flat_hash_map<ApplyNode *, Destroyer> destroyers;
  /// In the order in which they came: what iterates, so that nothing depends on addresses.
  std::map<uint64_t, ApplyNode *> order;
  uint64_t numCame = 0;
  absl::flat_hash_map<VariableNode *, std::vector<ApplyNode *>> byRoot;
  /// Destroyers that must come after a reader.
  GraphState::NodeLists after;
  /// To be looked at.
  absl::flat_hash_set<ApplyNode *> dirty;
  /// To be put into the graph's order: readers and their destroyers, and nodes that changes of data
  /// have moved there. Either may have left.
  std::vector<std::pair<ApplyNode *, ApplyNode *>> unplaced;
  std::vector<ApplyNode *> moved;
  std::vector<Variable> protectedVariables;

  template <class Visit> void eachUse(VariableNode *v, Visit visit) const {
    uint32_t slot = state ? state->slotOf(v) : kNoSlot;
    if (slot == kNoSlot)
      return;
    for (uint32_t i = state->vars[slot].firstUse; i != kNoSlot; i = state->uses[i].next)
      if (uint32_t user = state->uses[i].user; ++detail::workDone, user != kNoSlot)
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

  /// All but what is protected.
  void forgetGraph() {
    std::vector<Variable> kept = std::move(protectedVariables);
    *this = Tables();
    protectedVariables = std::move(kept);
  }
  void addReader(ApplyNode *reader, ApplyNode *destroyer);
  void removeReader(ApplyNode *reader, ApplyNode *destroyer);
  void forget(ApplyNode *node);
  void touch(VariableNode *v);
  void useCame(ApplyNode *node, uint32_t input, VariableNode *value);
  void useLeft(ApplyNode *node, VariableNode *value);
  /// Looks at all that is dirty.
  absl::Status refresh();
  absl::Status look(ApplyNode *node);
  absl::Status lookAtRoot(ApplyNode *node, uint32_t destroyed, VariableNode *root);
  absl::Status place(ApplyNode *reader, ApplyNode *destroyer);
};

DestroyHandler::DestroyHandler() : tables_(std::make_unique<Tables>()) {}
DestroyHandler::~DestroyHandler() = default;

void DestroyHandler::protect(const Variable &v) { tables_->protectedVariables.push_back(v); }

Variable DestroyHandler::root(const Variable &v) { return Variable::fromNode(rootOf(v.node())); }

std::vector<Apply> DestroyHandler::destroyers(FunctionGraph &graph, const Variable &v) const {
  std::vector<Apply> found;
  if (!checkAttached(graph).ok() || !graph.contains(v))
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
  tables_->forgetGraph();
  tables_->state = graph.state_.get();
  tables_->state->moved = &tables_->moved;
  for (const Apply &node : graph.applyNodes())
    if (absl::Status status = onImport(graph, node, "attach"); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status DestroyHandler::onDetach(FunctionGraph &graph) {
  if (tables_->state == graph.state_.get())
    tables_->state->moved = nullptr;
  tables_->forgetGraph();
  return absl::OkStatus();
}

template <class Map> static void removeFrom(Map &map, typename Map::key_type key, ApplyNode *node) {
  auto entry = map.find(key);
  if (entry == map.end())
    return;
  std::erase(entry->second, node);
  if (entry->second.empty())
    map.erase(entry);
}

void DestroyHandler::Tables::addReader(ApplyNode *reader, ApplyNode *destroyer) {
  Readers &readers = destroyers.at(destroyer).readers;
  auto [at, isNew] = readers.known.try_emplace(reader);
  ++at->second.uses;
  if (!isNew)
    return;
  at->second.position = readers.list.size();
  readers.list.push_back(reader);
  after[reader].push_back(destroyer);
  unplaced.emplace_back(reader, destroyer);
}

void DestroyHandler::Tables::removeReader(ApplyNode *reader, ApplyNode *destroyer) {
  Readers &readers = destroyers.at(destroyer).readers;
  auto at = readers.known.find(reader);
  if (at == readers.known.end() || --at->second.uses > 0)
    return;
  readers.list[at->second.position] = nullptr;
  readers.known.erase(at);
  removeFrom(after, reader, destroyer);
  if (2 * readers.known.size() >= readers.list.size())
    return;
  std::erase(readers.list, nullptr);
  for (size_t i = 0; i < readers.list.size(); ++i)
    readers.known.at(readers.list[i]).position = i;
}

/// Removes what is known of a destroyer.
void DestroyHandler::Tables::forget(ApplyNode *node) {
  auto at = destroyers.find(node);
  if (at == destroyers.end())
    return;
  for (VariableNode *root : std::exchange(at->second.roots, {}))
    removeFrom(byRoot, root, node);
  for (const auto &[reader, uses] : std::exchange(at->second.readers, {}).known)
    removeFrom(after, reader, node);
}

/// The destroyers of what shows the memory of `v`'s root must be looked at.
void DestroyHandler::Tables::touch(VariableNode *v) {
  if (auto at = byRoot.find(rootOf(v)); at != byRoot.end())
    dirty.insert(at->second.begin(), at->second.end());
}

/// Input `input` of `node` is `value` now.
void DestroyHandler::Tables::useCame(ApplyNode *node, uint32_t input, VariableNode *value) {
  ++detail::workDone;
  auto at = byRoot.find(rootOf(value));
  if (at == byRoot.end())
    return;
  // What is protected may be a view.
  bool protects = !protectedVariables.empty() && isViewOf(node, input);
  for (ApplyNode *destroyer : at->second)
    if (node == destroyer || protects)
      dirty.insert(destroyer);
    else
      addReader(node, destroyer);
}

/// An input of `node` was `value`.
void DestroyHandler::Tables::useLeft(ApplyNode *node, VariableNode *value) {
  ++detail::workDone;
  if (auto at = byRoot.find(rootOf(value)); at != byRoot.end())
    for (ApplyNode *destroyer : at->second)
      removeReader(node, destroyer);
}

absl::Status DestroyHandler::onImport(FunctionGraph &, const Apply &apply, std::string_view) {
  Tables &t = *tables_;
  ApplyNode *node = apply.node();
  if (!destroyedInputs(node).empty()) {
    t.destroyers[node] = {apply, t.numCame};
    t.order.emplace(t.numCame++, node);
    t.dirty.insert(node);
  }
  if (!t.order.empty())
    for (uint32_t i = 0; i < node->numInputs; ++i)
      t.useCame(node, i, node->input(i));
  return absl::OkStatus();
}

absl::Status DestroyHandler::onPrune(FunctionGraph &, const Apply &apply, std::string_view) {
  Tables &t = *tables_;
  if (t.order.empty())
    return absl::OkStatus();
  ApplyNode *node = apply.node();
  if (auto at = t.destroyers.find(node); at != t.destroyers.end()) {
    for (VariableNode *root : at->second.roots)
      t.touch(root);
    t.forget(node);
    t.dirty.erase(node);
    t.order.erase(at->second.number);
    t.destroyers.erase(at);
  }
  for (uint32_t i = 0; i < node->numInputs; ++i)
    t.useLeft(node, node->input(i));
  return absl::OkStatus();
}

absl::Status DestroyHandler::onChangeInput(FunctionGraph &, const Client &client,
                                           const Variable &old, const Variable &fresh,
                                           std::string_view) {
  Tables &t = *tables_;
  if (t.order.empty() || client.isOutput())
    return absl::OkStatus();
  ApplyNode *node = client.node.node();
  uint32_t input = uint32_t(client.index);
  if (t.destroyers.contains(node))
    t.dirty.insert(node);
  if (isViewOf(node, input)) {
    // What shows memory through `node` has another root than before.
    t.touch(old.node());
    t.touch(fresh.node());
    for (uint32_t k = 0; k < node->numOutputs; ++k)
      if (viewed(node, k) == int(input))
        for (VariableNode *view : t.impact(node->output(k)))
          t.eachUse(view, [&](ApplyNode *user, uint32_t) {
            if (t.destroyers.contains(user))
              t.dirty.insert(user);
          });
  }
  t.useLeft(node, old.node());
  t.useCame(node, input, fresh.node());
  return absl::OkStatus();
}

//===--- validate ---------------------------------------------------------===//

static bool listed(const std::vector<std::pair<int, int>> &pairs, uint32_t a, uint32_t b) {
  return std::find(pairs.begin(), pairs.end(), std::pair(int(a), int(b))) != pairs.end();
}

absl::Status DestroyHandler::Tables::lookAtRoot(ApplyNode *node, uint32_t destroyed,
                                                VariableNode *root) {
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
      if (user != node)
        addReader(user, node);
    });
  return absl::OkStatus();
}

/// F-134 to F-136, and who must come before `node`.
absl::Status DestroyHandler::Tables::look(ApplyNode *node) {
  forget(node);
  std::vector<VariableNode *> &roots = destroyers.at(node).roots;
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
    if (absl::Status status = lookAtRoot(node, inputs[i], roots[i]); !status.ok())
      return status;
  return absl::OkStatus();
}

/// Makes the labels respect the edge, or finds that it closes a cycle.
absl::Status DestroyHandler::Tables::place(ApplyNode *reader, ApplyNode *destroyer) {
  ++detail::workDone;
  if (state->labelOf(reader) < state->labelOf(destroyer) ||
      state->moveBehind(reader, {destroyer}, after))
    return absl::OkStatus();
  return makeError(ErrorKind::Inconsistency,
                   destroyer->op.str() + " overwrites memory that " + reader->op.str() +
                       " reads, which runs after it",
                   destroyer->place);
}

absl::Status DestroyHandler::Tables::refresh() {
  if (dirty.empty())
    return absl::OkStatus();
  std::vector<ApplyNode *> changed(dirty.begin(), dirty.end());
  std::sort(changed.begin(), changed.end(), [&](ApplyNode *a, ApplyNode *b) {
    return destroyers.at(a).number < destroyers.at(b).number;
  });
  // First all that is known of them is dropped: what two of them destroyed may have moved on.
  for (ApplyNode *node : changed)
    forget(node);
  for (ApplyNode *node : changed)
    if (absl::Status status = look(node); !status.ok())
      return status;
  dirty.clear();
  return absl::OkStatus();
}

absl::Status DestroyHandler::checkAttached(const FunctionGraph &graph) const {
  // Not by address alone: another graph may stand where a destroyed one did.
  if (tables_->state == &graph.state() && graph.state().listeners.find(this))
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
  for (auto [reader, destroyer] : t.unplaced)
    if (auto at = t.destroyers.find(destroyer);
        at != t.destroyers.end() && at->second.readers.known.contains(reader))
      if (absl::Status status = t.place(reader, destroyer); !status.ok())
        return status;
  for (ApplyNode *reader : t.moved)
    if (auto at = t.after.find(reader); at != t.after.end())
      for (ApplyNode *destroyer : at->second)
        if (absl::Status status = t.place(reader, destroyer); !status.ok())
          return status;
  t.unplaced.clear();
  t.moved.clear();
  return absl::OkStatus();
}

absl::StatusOr<Orderings> DestroyHandler::orderings(FunctionGraph &graph) {
  if (absl::Status status = checkAttached(graph); !status.ok())
    return status;
  Tables &t = *tables_;
  if (absl::Status status = t.refresh(); !status.ok())
    return status;
  Orderings all;
  for (auto [number, node] : t.order) {
    std::vector<Apply> list;
    for (ApplyNode *reader : t.destroyers.at(node).readers.list)
      if (reader)
        list.push_back(Apply::fromNode(reader));
    if (!list.empty())
      all.emplace_back(Apply::fromNode(node), std::move(list));
  }
  return all;
}

} // namespace graphc
