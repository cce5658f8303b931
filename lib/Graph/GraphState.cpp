//===- Graph/GraphState.cpp - tables of a FunctionGraph -------------------===//
#include "Graph/GraphState.h"

#include <algorithm>
#include <limits>

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

void GraphState::addInput(VariableNode *v) {
  addLeaf(v, /*own=*/true);
  vars[v->slot].input = true;
  inputs.push_back(v);
}

void GraphState::addOutput(VariableNode *v) {
  if (slotOf(v) == kNoSlot)
    addLeaf(v, /*own=*/false);
  retain(v);
  uint32_t use = allocateUses(1);
  uses[use] = {kNoSlot, uint32_t(outputs.size())};
  outputs.push_back(v);
  outputUses.push_back(use);
  link(use, slotOf(v));
}

void GraphState::addNodes(absl::Span<ApplyNode *const> order, bool ownConstants) {
  for (ApplyNode *node : order) {
    if (freeNodes_.empty()) {
      nodes.emplace_back();
      freeNodes_.push_back(uint32_t(nodes.size() - 1));
    }
    uint32_t slot = freeNodes_.back();
    freeNodes_.pop_back();
    uint32_t firstUse = allocateUses(node->numInputs);
    retain(node);
    nodes[slot] = {node, firstUse, 0};
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
  Var &var = vars[varSlot];
  uses[use].previous = var.lastUse;
  uses[use].next = kNoSlot;
  (var.lastUse == kNoSlot ? var.firstUse : uses[var.lastUse].next) = use;
  var.lastUse = use;
}

void GraphState::unlink(uint32_t use, uint32_t varSlot) {
  Var &var = vars[varSlot];
  auto [user, index, previous, next] = uses[use];
  (previous == kNoSlot ? var.firstUse : uses[previous].next) = next;
  (next == kNoSlot ? var.lastUse : uses[next].previous) = previous;
}

//===--- changes ----------------------------------------------------------===//

void GraphState::redirect(uint32_t use, VariableNode *fresh) {
  VariableNode *old = valueOf(uses[use]);
  if (slotOf(fresh) == kNoSlot)
    addLeaf(fresh, /*own=*/false);
  unlink(use, slotOf(old));
  link(use, slotOf(fresh));
  auto [user, index, previous, next] = uses[use];
  if (user == kNoSlot) {
    retain(fresh);
    release(std::exchange(outputs[index], fresh));
  } else {
    setInput(nodes[user].node, index, fresh);
  }
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
  freeNodes_.push_back(node->slot);
  record = Node();
  node->graph = nullptr;
  --numNodes;
}

void GraphState::prune(VariableNode *v) {
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
      removeNode(candidate->owner, unused);
      removed.push_back(candidate->owner);
    }
  }
  for (ApplyNode *node : removed)
    release(node);
}

//===--- order ------------------------------------------------------------===//

std::vector<ApplyNode *> GraphState::toposort(ApplyNode **cyclic) const {
  enum Mark : uint8_t { New, Open, Done };
  std::vector<Mark> marks(nodes.size(), New);
  struct Frame {
    ApplyNode *node;
    uint32_t next;
  };
  std::vector<Frame> stack;
  std::vector<ApplyNode *> order;
  order.reserve(numNodes);
  auto visit = [&](VariableNode *v) {
    if (!v->owner)
      return;
    Mark &mark = marks[v->owner->slot];
    if (mark == New) {
      mark = Open;
      stack.push_back({v->owner, 0});
    } else if (mark == Open && cyclic) {
      *cyclic = v->owner;
    }
  };
  for (VariableNode *output : outputs) {
    visit(output);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next < top.node->numInputs) {
        visit(top.node->input(top.next++));
      } else {
        marks[top.node->slot] = Done;
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

void GraphState::relabel() {
  uint64_t label = 0;
  for (ApplyNode *node : toposort())
    nodes[node->slot].label = label += uint64_t(1) << 32;
}

void GraphState::label(absl::Span<ApplyNode *const> order, uint64_t before, uint64_t limit) {
  uint64_t low = 0;
  for (ApplyNode *node : order)
    for (uint32_t i = 0; i < node->numInputs; ++i)
      low = std::max(low, labelOf(node->input(i)));
  if (before > low)
    limit = before;
  uint64_t gap = limit == kNoLimit ? (order.size() + 1) << 32 : limit - std::min(low, limit);
  uint64_t step = gap / (order.size() + 1);
  if (step == 0)
    return relabel();
  for (ApplyNode *node : order)
    nodes[node->slot].label = low += step;
}

} // namespace graphc::detail
