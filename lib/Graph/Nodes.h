//===- Graph/Nodes.h - the counted records behind the handles ---*- C++ -*-===//
//
// An Apply and its outputs are one ownership group with one count, in the ApplyNode. Usually they
// are also one block of memory:
//
//   ApplyNode | VariableNode x numOutputs | VariableNode * x numInputs
//
// Outputs that existed before their Apply (Apply::create) stay where they are; then the middle
// part is pointers to them. A Variable without owner is a LeafNode with its own count. The group
// holds a count of each input's group, so counts follow the DAG and never form a cycle.
//
// A FunctionGraph writes `graph` and `slot`: where in its tables the node stands.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphc/Tensor.h"
#include "graphc/Type.h"
#include "graphc/Variable.h"

namespace graphc::detail {

/// The tables of a FunctionGraph.
struct GraphState;
/// The value of a shared variable (lib/API).
class Container;

/// What few nodes have.
struct Extras {
  std::string name;
  std::shared_ptr<void> tag;
  /// Of an Apply that rewriting made of several: all their places. The first is its own.
  std::shared_ptr<const std::vector<Place>> origins;
};

inline constexpr uint32_t kNoSlot = ~uint32_t(0);

struct VariableNode {
  /// Null for a LeafNode that no Apply has taken as its output.
  ApplyNode *owner = nullptr;
  Type type;
  std::unique_ptr<Extras> extras;
  uint32_t slot = kNoSlot;
  uint32_t index : 29 = 0;
  /// Allocated as a LeafNode, whether or not it has an owner by now.
  uint32_t leaf : 1 = 0;
  uint32_t constant : 1 = 0;
  /// Lives as long as the process and is not counted.
  uint32_t immortal : 1 = 0;

  explicit VariableNode(Type type) : type(std::move(type)) {}
};

struct LeafNode : VariableNode {
  std::atomic<uint32_t> count = 1;
  /// Set when an Apply takes it as input, never cleared: an output that nothing ever used cannot
  /// close a cycle.
  std::atomic<bool> used = false;
  Place place;
  /// Of a constant.
  Tensor data;
  /// Of a constant that an op made of a C++ number: that number, to be wrapped anew where other
  /// operands take the place of those that it stands among.
  std::variant<std::monostate, int64_t, uint64_t, double> literal;
  /// Of a shared variable and its copies (F-226).
  std::shared_ptr<Container> container;
  GraphState *graph = nullptr;

  LeafNode(Type type, Place place) : VariableNode(std::move(type)), place(place) { leaf = 1; }
};

struct ApplyNode {
  std::atomic<uint32_t> count = 0;
  uint32_t numInputs = 0;
  uint32_t numOutputs : 31 = 0;
  /// The outputs are LeafNodes elsewhere.
  uint32_t adoptedOutputs : 1 = 0;
  uint32_t slot = kNoSlot;
  union {
    GraphState *graph = nullptr;
    /// While the group is being destroyed: the next one to destroy.
    ApplyNode *nextDying;
  };
  Op op;
  Place place;
  std::unique_ptr<Extras> extras;

  const VariableNode *output(uint32_t i) const { return const_cast<ApplyNode *>(this)->output(i); }
  VariableNode *output(uint32_t i) {
    return adoptedOutputs ? outputPointers()[i] : outputBlock() + i;
  }
  VariableNode **inputs() {
    char *end = outputMemory() + numOutputs * outputSize();
    return reinterpret_cast<VariableNode **>(end);
  }
  VariableNode *input(uint32_t i) { return inputs()[i]; }

  VariableNode *outputBlock() { return reinterpret_cast<VariableNode *>(outputMemory()); }
  VariableNode **outputPointers() { return reinterpret_cast<VariableNode **>(outputMemory()); }

private:
  friend ApplyNode *allocateApply(const Op &, uint32_t, uint32_t, bool, Place);
  ApplyNode(const Op &op, Place place) : op(op), place(place) {}
  char *outputMemory() { return reinterpret_cast<char *>(this + 1); }
  size_t outputSize() const {
    return adoptedOutputs ? sizeof(VariableNode *) : sizeof(VariableNode);
  }
};

static_assert(sizeof(ApplyNode) % alignof(VariableNode) == 0);
static_assert(sizeof(VariableNode) % alignof(VariableNode *) == 0);

inline LeafNode *asLeaf(VariableNode *node) { return static_cast<LeafNode *>(node); }
inline const LeafNode *asLeaf(const VariableNode *node) {
  return static_cast<const LeafNode *>(node);
}

/// A Variable without owner, counted once for the caller.
LeafNode *makeLeaf(Type type, std::string_view name, Place place);

/// An Apply with fresh outputs of these types, counted once for the caller. Retains the inputs.
ApplyNode *makeApply(const Op &op, absl::Span<VariableNode *const> inputs,
                     absl::Span<const Type> outputTypes, Place place);
/// The same with outputs that are LeafNodes so far; their counts join the group's.
ApplyNode *makeApplyAdopting(const Op &op, absl::Span<VariableNode *const> inputs,
                             absl::Span<VariableNode *const> outputs, Place place);

/// The same op, output types, place, tags and names over other inputs, counted once for the caller.
ApplyNode *cloneApply(ApplyNode *node, absl::Span<VariableNode *const> inputs);

/// Puts `input` (retained) in the place of input i (released).
void setInput(ApplyNode *node, uint32_t i, VariableNode *input);

Extras &extrasOf(std::unique_ptr<Extras> &extras);
/// Names and tags of an Apply and its outputs (F-059).
void copyExtras(const ApplyNode &from, ApplyNode &to);
void copyExtras(const VariableNode &from, VariableNode &to);

/// Equal nodes that become one are any number; of their places this many are kept.
inline constexpr size_t kMaxOrigins = 64;

/// The user's places that a node comes from, the first of which is its own. Nodes share lists.
inline void setOrigins(ApplyNode &node, const std::shared_ptr<const std::vector<Place>> &places) {
  if (places->empty())
    return;
  node.place = (*places)[0];
  if (places->size() > 1)
    extrasOf(node.extras).origins = places;
}

} // namespace graphc::detail
