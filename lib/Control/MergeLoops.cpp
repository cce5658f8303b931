//===- MergeLoops.cpp - loops over the same operands are one ---------------===//
//
// A gradient's forward loop gives, beside the states, what products and functions of a step have
// given (LoopDerivatives.cpp); the loop that it is the gradient of gives the states alone. Where
// two loops have the same operands and the same steps, one does the work of both.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Control/LoopEdit.h"
#include "Control/LoopRewrites.h"
#include "Graph/Branches.h"
#include "Graph/MergeKeys.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"

namespace graphc {

using detail::ApplyNode;
using detail::VariableNode;

namespace {

/// The loop of a node that may be merged.
const Control *mergeable(const Apply &node) {
  const Control *control = controlOf(node.op());
  return control && control->loop && !control->loop->isRewritten && !control->loop->hasRows()
             ? control
             : nullptr;
}

/// Whether both do the same steps: what they give beside the states may differ, and whether they
/// keep all values of a state or the last one.
bool doTheSameSteps(const Control &a, const Control &b) {
  const Loop &x = *a.loop, &y = *b.loop;
  if (x.sequences != y.sequences || x.states != y.states || x.hasSteps != y.hasSteps ||
      x.hasUntil != y.hasUntil || x.goesBackwards != y.goesBackwards ||
      x.stacksBackwards != y.stacksBackwards || x.truncation != y.truncation)
    return false;
  auto deciding = [](const Control &of) {
    Variables outputs = of.bodies[0].outputs();
    auto further = outputs.begin() + ptrdiff_t(of.loop->states.size());
    outputs.erase(further, further + of.loop->numMapped);
    return outputs;
  };
  const Variables inputs = a.bodies[0].inputs(), others = b.bodies[0].inputs();
  return std::ranges::equal(inputs, others, {}, &Variable::type, &Variable::type) &&
         equalComputations(deciding(a), deciding(b), inputs, others);
}

/// The last value of a state, if `made` is all of its values where the loop kept the last one; else
/// `made` itself.
Variable asKept(const Variable &made, bool keptLast, bool keepsLast, const Variable &initial,
                bool hasAxis) {
  if (!keptLast || keepsLast)
    return made;
  if (made.type().extent(0) > 0)
    return made[-1];
  Variable first = hasAxis ? Variable(initial[{Slice(-1, kEnd)}]) : expandDims(initial, Axis(0));
  return concatenate({first, made[{Slice(-1, kEnd)}]}, 0)[-1];
}

/// One Variable for each of several that compute the same.
class Representatives {
public:
  explicit Representatives(const Variables &outputs) {
    for (const Apply &node : ioToposort({}, outputs)) {
      auto [at, isNew] = nodes_.insert(node.node());
      for (int k = 0; !isNew && k < node.numOutputs(); ++k)
        known_.emplace(node.output(k).node(), (*at)->output(uint32_t(k)));
    }
  }
  Representatives(const Representatives &) = delete; // its tables refer to it
  Representatives &operator=(const Representatives &) = delete;

  VariableNode *of(VariableNode *v) {
    if (auto at = known_.find(v); at != known_.end())
      return at->second;
    return v->constant ? constants_.insert({Variable::fromNode(v)}).first->v.node() : v;
  }

private:
  struct NodeHash {
    Representatives *self;
    size_t operator()(ApplyNode *node) const {
      return nodeHash(node, [this](VariableNode *v) { return self->of(v); });
    }
  };
  struct SameNode {
    Representatives *self;
    bool operator()(ApplyNode *a, ApplyNode *b) const {
      return sameNode(a, b, [this](VariableNode *v) { return self->of(v); });
    }
  };
  /// Of those that are not their own.
  absl::flat_hash_map<const VariableNode *, VariableNode *> known_;
  absl::flat_hash_set<ConstantKey> constants_;
  absl::flat_hash_set<ApplyNode *, NodeHash, SameNode> nodes_{0, NodeHash{this}, SameNode{this}};
};

/// Puts one loop in the place of two.
absl::Status merge(FunctionGraph &graph, const Apply &first, const Apply &second) {
  const Control &added = *controlOf(second.op());
  absl::StatusOr<LoopEdit> edit = LoopEdit::create(first, *controlOf(first.op()));
  if (!edit.ok())
    return edit.status();
  // A copy, which is of no graph: constants, too, belong to one.
  auto [theirs, outputs] = clone(added.bodies[0].inputs(), added.bodies[0].outputs());
  const Variables mine = edit->body.inputs();
  Replacements inputs;
  for (size_t k = 0; k < mine.size(); ++k)
    inputs.emplace_back(theirs[k], mine[k]);
  const size_t numStates = added.loop->states.size();
  absl::StatusOr<Variables> further = cloneReplace(
      absl::MakeConstSpan(outputs).subspan(numStates, size_t(added.loop->numMapped)), inputs);
  if (!further.ok())
    return further.status();
  std::vector<size_t> positions;
  Variables all = *further;
  for (int number : edit->mapped)
    all.push_back(edit->output(number));
  Representatives representatives(all);
  absl::flat_hash_map<const VariableNode *, Variable> known;
  for (int number : edit->mapped)
    known.try_emplace(representatives.of(edit->output(number).node()), edit->output(number));
  for (const Variable &v : *further) {
    const Variable &chosen = known.try_emplace(representatives.of(v.node()), v).first->second;
    absl::StatusOr<size_t> position = edit->addMapped(chosen);
    if (!position.ok())
      return position.status();
    positions.push_back(*position);
  }
  const std::vector<bool> kept = edit->loop.keepsLast, theirKept = added.loop->keepsLast;
  for (size_t k = 0; k < numStates; ++k)
    edit->loop.keepsLast[k] = kept[k] && theirKept[k];
  absl::StatusOr<Variables> made = edit->finish(first.place(), /*isRewritten=*/false);
  if (!made.ok())
    return made.status();
  auto value = [&](size_t result, const std::vector<bool> &keptLast) {
    const Variable &v = (*made)[result];
    return result >= numStates
               ? v
               : asKept(v, keptLast[result], edit->loop.keepsLast[result], edit->initials[result],
                        hasHistoryAxis(edit->loop.states[result]));
  };
  Replacements fresh;
  for (int k = 0; k < first.numOutputs(); ++k) {
    const Variable old = first.output(k);
    Variable now = value(size_t(k), kept);
    if (!old.name().empty())
      now.setName(old.name());
    fresh.emplace_back(old, now);
  }
  for (int k = 0; k < second.numOutputs(); ++k) {
    const size_t result =
        size_t(k) < numStates ? size_t(k) : numStates + positions[size_t(k) - numStates];
    fresh.emplace_back(second.output(k), value(result, theirKept));
  }
  return graph.replaceAll(fresh, "scan_merge");
}

/// Merges two loops, if there are two that can be.
absl::StatusOr<bool> mergeOnce(FunctionGraph &graph) {
  absl::StatusOr<std::vector<Apply>> order = graph.toposort();
  if (!order.ok())
    return order.status();
  Branches branches;
  if (std::ranges::any_of(*order, isIfElse))
    branches = Branches(*order, graph.outputs());
  // F-330: what a loop in a branch gives beside what the other one does is computed there alone.
  auto givesNoMore = [](const Apply &inBranch, const Apply &always) {
    const Loop &loop = *mergeable(inBranch)->loop, &other = *mergeable(always)->loop;
    for (size_t k = 0; k < loop.states.size(); ++k)
      if (!loop.keepsLast[k] && other.keepsLast[k])
        return false;
    return loop.numMapped == 0;
  };
  auto areTogether = [&](const Apply &a, const Apply &b) {
    const Branch *ofA = branches.of(a), *ofB = branches.of(b);
    return ofA == ofB || (!ofA && givesNoMore(b, a)) || (!ofB && givesNoMore(a, b));
  };
  absl::flat_hash_map<std::vector<const detail::VariableNode *>, std::vector<Apply>> byOperands;
  for (const Apply &node : *order) {
    const Control *control = mergeable(node);
    if (!control)
      continue;
    std::vector<const detail::VariableNode *> operands;
    for (const Variable &input : node.inputs())
      operands.push_back(input.node());
    std::vector<Apply> &others = byOperands[operands];
    for (const Apply &other : others)
      if (doTheSameSteps(*mergeable(other), *control) && areTogether(other, node)) {
        absl::Status s = merge(graph, other, node);
        return s.ok() ? absl::StatusOr<bool>(true) : s;
      }
    others.push_back(node);
  }
  return false;
}

} // namespace

absl::Status mergeLoops(FunctionGraph &graph) {
  for (bool goesOn = true; goesOn;) {
    absl::StatusOr<bool> merged = mergeOnce(graph);
    if (!merged.ok())
      return merged.status();
    goesOn = *merged;
  }
  return absl::OkStatus();
}

} // namespace graphc
