//===- Graph/Cloner.cpp - copies of graphs --------------------------------===//
#include "Graph/Cloner.h"

#include "Graph/Walk.h"
#include "absl/container/inlined_vector.h"

namespace graphc::detail {

LeafNode *cloneLeaf(const VariableNode *v) {
  auto *made = new LeafNode(v->type, v->owner ? v->owner->place : asLeaf(v)->place);
  copyExtras(*v, *made);
  if (v->constant) {
    made->constant = 1;
    made->data = asLeaf(v)->data;
    made->literal = asLeaf(v)->literal;
  }
  if (v->leaf)
    made->container = asLeaf(v)->container;
  return made;
}

Cloner::~Cloner() {
  for (const auto &[old, fresh] : variables_)
    release(fresh);
  for (ApplyNode *node : made_)
    release(node);
}

void Cloner::map(VariableNode *old, VariableNode *fresh) {
  if (!variables_.try_emplace(old, fresh).second)
    return;
  retain(fresh);
  mapsOwned_ |= old->owner != nullptr;
}

void Cloner::copy(absl::Span<VariableNode *const> outputs) { walk(outputs, *this); }

VariableNode *Cloner::find(VariableNode *old) const {
  if (!old->owner || mapsOwned_)
    if (auto at = variables_.find(old); at != variables_.end())
      return at->second;
  ApplyNode *owner = old->owner ? find(old->owner) : nullptr;
  return owner ? owner->output(old->index) : nullptr;
}

ApplyNode *Cloner::find(ApplyNode *old) const {
  auto at = nodes_.find(old);
  return at == nodes_.end() ? nullptr : at->second;
}

void Cloner::leaf(VariableNode *v, ApplyNode *, uint32_t) {
  auto [at, isNew] = variables_.try_emplace(v, nullptr);
  if (!isNew)
    return;
  if (leaves_ == Leaves::Copy) {
    at->second = cloneLeaf(v);
  } else {
    retain(v);
    at->second = v;
  }
}

void Cloner::leave(ApplyNode *node) {
  absl::InlinedVector<VariableNode *, 8> inputs;
  for (uint32_t i = 0; i < node->numInputs; ++i)
    inputs.push_back(find(node->input(i)));
  made_.push_back(cloneApply(node, inputs));
  nodes_[node] = made_.back();
}

} // namespace graphc::detail
