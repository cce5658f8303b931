//===- Graph/Nodes.cpp - counting and destroying --------------------------===//
#include "Graph/Nodes.h"

#include <new>

#include "absl/container/inlined_vector.h"

namespace graphc::detail {

//===--- counts -----------------------------------------------------------===//

void retain(ApplyNode *node) {
  if (node)
    node->count.fetch_add(1, std::memory_order_relaxed);
}

void retain(VariableNode *node) {
  if (node->owner)
    retain(node->owner);
  else if (!node->immortal)
    asLeaf(node)->count.fetch_add(1, std::memory_order_relaxed);
}

/// Whether that was the last one.
static bool drop(std::atomic<uint32_t> &count) {
  if (count.fetch_sub(1, std::memory_order_release) != 1)
    return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

/// Frees the group's memory; its inputs have been released.
static void deallocate(ApplyNode *node) {
  for (uint32_t i = 0; i < node->numOutputs; ++i) {
    if (node->adoptedOutputs)
      delete asLeaf(node->output(i));
    else
      node->output(i)->~VariableNode();
  }
  node->~ApplyNode();
  ::operator delete(node);
}

/// Destroys a group that has no count left, and what only it kept alive. The groups to destroy are
/// a list threaded through themselves, so that this needs neither stack nor heap however long the
/// chain is.
static void destroy(ApplyNode *first) {
  first->nextDying = nullptr;
  for (ApplyNode *list = first; list;) {
    ApplyNode *node = list;
    list = node->nextDying;
    for (uint32_t i = 0; i < node->numInputs; ++i) {
      VariableNode *input = node->input(i);
      if (ApplyNode *owner = input->owner) {
        if (drop(owner->count)) {
          owner->nextDying = list;
          list = owner;
        }
      } else if (!input->immortal && drop(asLeaf(input)->count)) {
        delete asLeaf(input);
      }
    }
    deallocate(node);
  }
}

void release(ApplyNode *node) {
  if (node && drop(node->count))
    destroy(node);
}

void release(VariableNode *node) {
  if (node->owner)
    release(node->owner);
  else if (!node->immortal && drop(asLeaf(node)->count))
    delete asLeaf(node);
}

//===--- making -----------------------------------------------------------===//

ApplyNode *allocateApply(const Op &op, uint32_t numInputs, uint32_t numOutputs, bool adopted,
                         Place place) {
  size_t size = sizeof(ApplyNode) + numInputs * sizeof(VariableNode *) +
                numOutputs * (adopted ? sizeof(VariableNode *) : sizeof(VariableNode));
  auto *node = new (::operator new(size)) ApplyNode(op, place);
  node->numInputs = numInputs;
  node->numOutputs = numOutputs;
  node->adoptedOutputs = adopted;
  return node;
}

/// Marks a leaf as used; a leaf that many nodes use is written once.
static void markUsed(VariableNode *node) {
  if (!node->owner && !node->immortal && !asLeaf(node)->used.load(std::memory_order_relaxed))
    asLeaf(node)->used.store(true, std::memory_order_relaxed);
}

static void fillInputs(ApplyNode *node, absl::Span<VariableNode *const> inputs) {
  for (uint32_t i = 0; i < node->numInputs; ++i) {
    retain(inputs[i]);
    node->inputs()[i] = inputs[i];
    markUsed(inputs[i]);
  }
}

LeafNode *makeLeaf(Type type, std::string_view name, Place place) {
  auto *leaf = new LeafNode(std::move(type), place);
  if (!name.empty())
    extrasOf(leaf->extras).name = name;
  return leaf;
}

ApplyNode *makeApply(const Op &op, absl::Span<VariableNode *const> inputs,
                     absl::Span<const Type> outputTypes, Place place) {
  ApplyNode *node = allocateApply(op, uint32_t(inputs.size()), uint32_t(outputTypes.size()),
                                  /*adopted=*/false, place);
  node->count.store(1, std::memory_order_relaxed);
  fillInputs(node, inputs);
  for (uint32_t i = 0; i < node->numOutputs; ++i) {
    auto *output = new (node->outputBlock() + i) VariableNode(outputTypes[i]);
    output->owner = node;
    output->index = i;
  }
  return node;
}

ApplyNode *makeApplyAdopting(const Op &op, absl::Span<VariableNode *const> inputs,
                             absl::Span<VariableNode *const> outputs, Place place) {
  ApplyNode *node = allocateApply(op, uint32_t(inputs.size()), uint32_t(outputs.size()),
                                  /*adopted=*/true, place);
  uint32_t count = 1;
  fillInputs(node, inputs);
  for (uint32_t i = 0; i < node->numOutputs; ++i) {
    VariableNode *output = outputs[i];
    node->outputPointers()[i] = output;
    count += asLeaf(output)->count.load(std::memory_order_relaxed);
    output->owner = node;
    output->index = i;
  }
  node->count.store(count, std::memory_order_release);
  return node;
}

ApplyNode *cloneApply(ApplyNode *node, absl::Span<VariableNode *const> inputs) {
  absl::InlinedVector<Type, 4> types;
  for (uint32_t i = 0; i < node->numOutputs; ++i)
    types.push_back(node->output(i)->type);
  ApplyNode *made = makeApply(node->op, inputs, types, node->place);
  copyExtras(*node, *made);
  return made;
}

void setInput(ApplyNode *node, uint32_t i, VariableNode *input) {
  retain(input);
  markUsed(input);
  release(std::exchange(node->inputs()[i], input));
}

Extras &extrasOf(std::unique_ptr<Extras> &extras) {
  if (!extras)
    extras = std::make_unique<Extras>();
  return *extras;
}

void copyExtras(const VariableNode &from, VariableNode &to) {
  if (from.extras)
    to.extras = std::make_unique<Extras>(*from.extras);
}

void copyExtras(const ApplyNode &from, ApplyNode &to) {
  if (from.extras)
    to.extras = std::make_unique<Extras>(*from.extras);
  for (uint32_t i = 0; i < to.numOutputs; ++i)
    copyExtras(*from.output(i), *to.output(i));
}

} // namespace graphc::detail
