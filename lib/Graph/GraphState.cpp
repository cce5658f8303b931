//===- Graph/GraphState.cpp - tables of a FunctionGraph -------------------===//
#include "Graph/GraphState.h"

#include <algorithm>
#include <utility>

#include "Support/Work.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/OpDef.h"

namespace graphc::detail {

GraphState::~GraphState() {
  for (Var &var : vars)
    if (var.node && !var.node->owner) {
      if (asLeaf(var.node)->graph == this) {
        asLeaf(var.node)->graph = nullptr;
        var.node->slot = kNoSlot;
      }
      release(var.node);
    }
  for (VariableNode *output : outputs)
    release(output);
  // First all marks, then all counts: a node may die with the count of a later one.
  for (Node &node : nodes)
    if (node.node)
      node.node->graph = nullptr;
  for (Node &node : nodes)
    release(node.node);
}

//===--- members ----------------------------------------------------------===//

uint32_t GraphState::slotOf(const VariableNode *v) const {
  if (v->owner)
    return v->owner->graph == this ? v->slot : kNoSlot;
  if (asLeaf(v)->graph == this)
    return v->slot;
  if (!v->constant || sharedConstants_.empty())
    return kNoSlot;
  auto at = sharedConstants_.find(v);
  return at == sharedConstants_.end() ? kNoSlot : at->second;
}

uint32_t GraphState::addVar(VariableNode *v) {
  if (freeVars_.empty()) {
    vars.emplace_back();
    freeVars_.push_back(uint32_t(vars.size() - 1));
  }
  uint32_t slot = freeVars_.back();
  freeVars_.pop_back();
  vars[slot] = Var();
  vars[slot].node = v;
  return slot;
}

void GraphState::addLeaf(VariableNode *v, bool own) {
  uint32_t slot = addVar(v);
  retain(v);
  if (own) {
    v->slot = slot;
    asLeaf(v)->graph = this;
  } else {
    sharedConstants_[v] = slot;
  }
}

void GraphState::removeLeaf(VariableNode *v) {
  uint32_t slot = slotOf(v);
  if (asLeaf(v)->graph == this) {
    asLeaf(v)->graph = nullptr;
    v->slot = kNoSlot;
  } else {
    sharedConstants_.erase(v);
  }
  vars[slot] = Var();
  freeVars_.push_back(slot);
  release(v);
}

void GraphState::insertInput(size_t at, VariableNode *v) {
  ++interfaceChanges;
  addLeaf(v, /*own=*/true);
  vars[v->slot].input = true;
  inputs.insert(inputs.begin() + ptrdiff_t(at), v);
}

void GraphState::dropInput(size_t at) {
  ++interfaceChanges;
  VariableNode *v = inputs[at];
  inputs.erase(inputs.begin() + ptrdiff_t(at));
  removeLeaf(v);
}

void GraphState::insertOutput(size_t at, VariableNode *v) {
  ++interfaceChanges;
  if (slotOf(v) == kNoSlot)
    addLeaf(v, /*own=*/false);
  retain(v);
  uint32_t use = allocateUses(1);
  outputs.insert(outputs.begin() + ptrdiff_t(at), v);
  outputUses.insert(outputUses.begin() + ptrdiff_t(at), use);
  uses[use] = {kNoSlot, uint32_t(at)};
  if (at + 1 != outputs.size())
    numberOutputs();
  link(use, slotOf(v));
}

void GraphState::dropOutputs(const std::vector<bool> &keep) {
  ++interfaceChanges;
  size_t kept = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (keep[i]) {
      outputs[kept] = outputs[i];
      outputUses[kept++] = outputUses[i];
      continue;
    }
    unlink(outputUses[i], slotOf(outputs[i]));
    freeUses_[1].push_back(outputUses[i]);
    release(outputs[i]);
  }
  outputs.resize(kept);
  outputUses.resize(kept);
  numberOutputs();
}

void GraphState::numberOutputs() {
  for (size_t i = 0; i < outputs.size(); ++i)
    uses[outputUses[i]].index = uint32_t(i);
}

void GraphState::addNodes(absl::Span<ApplyNode *const> order, bool ownConstants,
                          Announcer *announcer) {
  for (ApplyNode *node : order) {
    if (freeNodes_.empty()) {
      nodes.emplace_back();
      freeNodes_.push_back(uint32_t(nodes.size() - 1));
    }
    uint32_t slot = freeNodes_.back();
    freeNodes_.pop_back();
    uint32_t firstUse = allocateUses(node->numInputs);
    retain(node);
    nodes[slot] = {node, firstUse};
    node->slot = slot;
    node->graph = this;
    ++numNodes;
    for (uint32_t i = 0; i < node->numOutputs; ++i)
      node->output(i)->slot = addVar(node->output(i));
    for (uint32_t i = 0; i < node->numInputs; ++i) {
      if (slotOf(node->input(i)) == kNoSlot)
        addLeaf(node->input(i), ownConstants);
      uses[firstUse + i] = {slot, i};
      link(firstUse + i, slotOf(node->input(i)));
    }
    if (announcer)
      announcer->imported(node);
  }
}

//===--- uses -------------------------------------------------------------===//

uint32_t GraphState::allocateUses(uint32_t count) {
  if (auto at = freeUses_.find(count); at != freeUses_.end() && !at->second.empty()) {
    uint32_t first = at->second.back();
    at->second.pop_back();
    return first;
  }
  uses.resize(uses.size() + count);
  return uint32_t(uses.size() - count);
}

void GraphState::link(uint32_t use, uint32_t varSlot) {
  isSorted_ = false;
  Var &var = vars[varSlot];
  uses[use].previous = var.lastUse;
  uses[use].next = kNoSlot;
  (var.lastUse == kNoSlot ? var.firstUse : uses[var.lastUse].next) = use;
  var.lastUse = use;
}

void GraphState::unlink(uint32_t use, uint32_t varSlot) {
  isSorted_ = false;
  Var &var = vars[varSlot];
  auto [user, index, previous, next] = uses[use];
  (previous == kNoSlot ? var.firstUse : uses[previous].next) = next;
  (next == kNoSlot ? var.lastUse : uses[next].previous) = previous;
}

//===--- changes ----------------------------------------------------------===//

Client GraphState::clientOf(const Use &use) const {
  return use.user == kNoSlot ? Client::output(int(use.index))
                             : Client{Apply::fromNode(nodes[use.user].node), int(use.index)};
}

uint32_t GraphState::useOf(const Client &client) const {
  return client.isOutput() ? outputUses[size_t(client.index)]
                           : nodes[client.node.node()->slot].firstUse + uint32_t(client.index);
}

void GraphState::redirect(uint32_t use, VariableNode *fresh, absl::Span<ApplyNode *const> imports,
                          Announcer *announcer) {
  auto [user, index, previous, next] = uses[use];
  VariableNode *old = valueOf(uses[use]);
  if (user == kNoSlot) {
    retain(fresh);
    release(std::exchange(outputs[index], fresh));
  } else {
    setInput(nodes[user].node, index, fresh);
  }
  addNodes(imports, /*ownConstants=*/false, announcer);
  if (slotOf(fresh) == kNoSlot)
    addLeaf(fresh, /*own=*/false);
  unlink(use, slotOf(old));
  link(use, slotOf(fresh));
  prune(old, announcer);
  if (announcer)
    announcer->changed(use, old, fresh);
}

bool GraphState::isUnused(ApplyNode *node) const {
  for (uint32_t i = 0; i < node->numOutputs; ++i)
    if (vars[node->output(i)->slot].firstUse != kNoSlot)
      return false;
  return true;
}

void GraphState::removeNode(ApplyNode *node, std::vector<VariableNode *> &unused) {
  Node &record = nodes[node->slot];
  for (uint32_t i = 0; i < node->numInputs; ++i) {
    unlink(record.firstUse + i, slotOf(node->input(i)));
    unused.push_back(node->input(i));
  }
  freeUses_[node->numInputs].push_back(record.firstUse);
  for (uint32_t i = 0; i < node->numOutputs; ++i) {
    vars[node->output(i)->slot] = Var();
    freeVars_.push_back(node->output(i)->slot);
  }
  list_.remove(node->slot);
  freeNodes_.push_back(node->slot);
  record = Node();
  node->graph = nullptr;
  --numNodes;
}

void GraphState::prune(VariableNode *v, Announcer *announcer) {
  // Consumers first. Removed nodes are released at the end: until then the list may name their
  // inputs.
  std::vector<VariableNode *> unused = {v};
  std::vector<ApplyNode *> removed;
  for (size_t i = 0; i < unused.size(); ++i) {
    VariableNode *candidate = unused[i];
    uint32_t slot = slotOf(candidate);
    if (slot == kNoSlot || vars[slot].firstUse != kNoSlot || vars[slot].input)
      continue;
    if (!candidate->owner) {
      removeLeaf(candidate);
    } else if (isUnused(candidate->owner)) {
      ApplyNode *node = candidate->owner;
      removeNode(node, unused);
      removed.push_back(node);
      if (announcer)
        announcer->pruned(node);
    }
  }
  for (ApplyNode *node : removed)
    release(node);
}

//===--- order ------------------------------------------------------------===//

std::vector<ApplyNode *> GraphState::toposort(ApplyNode **cyclic, const NodeLists &before) const {
  if (before.empty() && isSorted_)
    return sorted_;
  enum Mark : uint8_t { New, Open, Done };
  std::vector<Mark> marks(nodes.size(), New);
  struct Frame {
    ApplyNode *node;
    uint32_t next;
    absl::Span<ApplyNode *const> more;
  };
  std::vector<Frame> stack;
  std::vector<ApplyNode *> order;
  order.reserve(numNodes);
  bool isCyclic = false;
  auto visit = [&](ApplyNode *node) {
    if (!node)
      return;
    Mark &mark = marks[node->slot];
    if (mark == New) {
      mark = Open;
      stack.push_back({node, 0, {}});
      if (!before.empty())
        if (auto at = before.find(node); at != before.end())
          stack.back().more = at->second;
    } else if (mark == Open) {
      isCyclic = true;
      if (cyclic)
        *cyclic = node;
    }
  };
  for (VariableNode *output : outputs) {
    visit(output->owner);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.node->numInputs) {
        visit(top.node->input(top.next++)->owner);
      } else if (size_t i = top.next - top.node->numInputs; i < top.more.size()) {
        ++top.next;
        visit(top.more[i]);
      } else {
        marks[top.node->slot] = Done;
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  if (before.empty() && !isCyclic) {
    sorted_ = order;
    isSorted_ = true;
  }
  return order;
}

void GraphState::place(absl::Span<ApplyNode *const> order) {
  uint32_t last = NodeOrder::kStart;
  uint64_t low = 0;
  std::vector<uint32_t> slots;
  for (ApplyNode *node : order) {
    slots.push_back(node->slot);
    for (uint32_t i = 0; i < node->numInputs; ++i)
      if (uint64_t label = labelOf(node->input(i)); label > low) {
        low = label;
        last = node->input(i)->owner->slot;
      }
  }
  list_.insertAfter(last, slots);
}

namespace {

/// Nodes that data reach from some within bounds of labels, found edge by edge.
class Reach {
public:
  Reach(const GraphState &state, uint64_t low, uint64_t high)
      : state_(state), low_(low), high_(high) {}

  void visit(ApplyNode *node) {
    ++workDone;
    if (!node)
      return;
    uint64_t label = state_.labelOf(node);
    if (label >= low_ && label <= high_ && seen_.insert(node).second)
      found.push_back(node);
  }
  bool done() const { return next_ == found.size(); }
  /// Looks at one edge to a consumer; all consumers have been where it is done.
  void stepDown() {
    ApplyNode *node = found[next_];
    if (use_ != kNoSlot) {
      const GraphState::Use &use = state_.uses[use_];
      if (use.user != kNoSlot)
        visit(state_.nodes[use.user].node);
      use_ = use.next;
    } else if (edge_ < node->numOutputs) {
      use_ = state_.vars[node->output(edge_++)->slot].firstUse;
    } else {
      endNode();
    }
  }
  /// Of one edge from a producer, likewise.
  void stepUp() {
    ApplyNode *node = found[next_];
    if (edge_ < node->numInputs)
      visit(node->input(edge_++)->owner);
    else
      endNode();
  }
  bool contains(ApplyNode *node) const { return seen_.contains(node); }

  std::vector<ApplyNode *> found;

private:
  void endNode() {
    ++next_;
    edge_ = 0;
  }

  const GraphState &state_;
  uint64_t low_, high_;
  absl::flat_hash_set<ApplyNode *> seen_;
  size_t next_ = 0;
  uint32_t edge_ = 0, use_ = kNoSlot;
};

} // namespace

void GraphState::moveNodes(uint32_t at, std::vector<ApplyNode *> &found) {
  std::sort(found.begin(), found.end(),
            [&](const ApplyNode *a, const ApplyNode *b) { return labelOf(a) < labelOf(b); });
  std::vector<uint32_t> slots;
  for (ApplyNode *node : found) {
    slots.push_back(node->slot);
    list_.remove(node->slot);
  }
  list_.insertAfter(at, slots);
}

void GraphState::order(VariableNode *v, absl::Span<ApplyNode *const> users) {
  ApplyNode *lowest = nullptr;
  for (ApplyNode *user : users)
    if (!lowest || labelOf(user) < labelOf(lowest))
      lowest = user;
  if (!lowest || labelOf(v) < labelOf(lowest))
    return;
  Reach above(*this, labelOf(lowest), NodeOrder::kEnd), below(*this, 0, labelOf(v));
  above.visit(v->owner);
  for (ApplyNode *user : users)
    below.visit(user);
  // What overwrites memory stays behind the readers: DestroyHandler puts it there.
  auto mayRise = [&, checked = size_t(0)]() mutable {
    while (checked < above.found.size() && above.found[checked]->op.def().destroyMap.empty())
      ++checked;
    return checked == above.found.size();
  };
  bool rises = mayRise();
  while (!below.done() && !(rises && above.done())) {
    below.stepDown();
    if (rises) {
      above.stepUp();
      rises = mayRise();
    }
  }
  if (rises && above.done()) {
    moveNodes(list_.before(lowest->slot), above.found);
    return;
  }
  if (below.contains(v->owner))
    return;
  moveNodes(v->owner->slot, below.found);
  if (moved)
    moved->insert(moved->end(), below.found.begin(), below.found.end());
}

bool GraphState::moveBehind(ApplyNode *first, absl::Span<ApplyNode *const> start,
                            const NodeLists &after) {
  uint64_t low = labelOf(first);
  std::vector<ApplyNode *> found;
  absl::flat_hash_set<ApplyNode *> seen;
  auto visit = [&](ApplyNode *node) {
    ++workDone;
    if (labelOf(node) <= low && seen.insert(node).second)
      found.push_back(node);
  };
  for (ApplyNode *node : start)
    visit(node);
  for (size_t i = 0; i < found.size(); ++i) {
    ApplyNode *node = found[i];
    if (node == first)
      return false;
    for (uint32_t k = 0; k < node->numOutputs; ++k)
      for (uint32_t use = vars[node->output(k)->slot].firstUse; use != kNoSlot;
           use = uses[use].next)
        if (uses[use].user != kNoSlot)
          visit(nodes[uses[use].user].node);
    // Of the other edges those count that the list respects so far.
    if (auto at = after.find(node); at != after.end())
      for (ApplyNode *next : at->second)
        if (labelOf(next) > labelOf(node))
          visit(next);
  }
  moveNodes(first->slot, found);
  return true;
}

} // namespace graphc::detail
