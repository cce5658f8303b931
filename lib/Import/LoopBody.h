//===- Import/LoopBody.h - what a Loop does in a step ---------------*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// A body, read once for states of these types: it has the number of the step and the condition
/// before its states, and gives the condition, states and further results.
class LoopBody {
public:
  LoopBody(OnnxNode &n, const std::vector<Type> &states);

  /// Whether no step changes the condition, or any makes it true.
  bool goesOnAlways(OnnxNode &n) const;
  /// What it gives for these inputs; an Invalid Variable first where they do not fit.
  Variables at(const Variables &inputs) const;
  /// State k of the next step.
  const Variable &next(size_t k) const { return outputs_[1 + k]; }
  Type typeOf(size_t k) const { return inputs_[2 + k].type(); }
  /// The axes of state k along which its extent is not the same in all steps, as far as can be
  /// seen before the loop runs.
  const std::vector<int> &changes(size_t k) const { return changes_[k]; }
  /// What reading it has cost, in nodes.
  int64_t cost() const { return cost_; }

private:
  friend LoopBody bodyOf(OnnxNode &n, const Variables &initial);

  Variables inputs_, outputs_;
  std::vector<std::vector<int>> changes_;
  int64_t cost_ = 0;
};

/// The body for states that begin so: extents that may change are open.
LoopBody bodyOf(OnnxNode &n, const Variables &initial);

/// A Loop of tensors.
struct LoopParts {
  OnnxNode &n;
  LoopBody body;
  Variables initial;
  Variable condition;
  std::optional<Variable> count; // not below 0

  size_t numStates() const { return initial.size(); }
  bool givesAllSteps() const { return n.numOutputs() > numStates(); }
  bool isGrowing(size_t k) const { return !body.changes(k).empty(); }
  bool grows() const;
};

/// The step's number counts up as a state, since an array of numbers would need memory for as many
/// steps as there may be.
Variable nextNumber(OnnxNode &n, const Variable &number);
/// The outputs of a step that gets `now`, the states and the step's number. States of the loop's
/// own stand behind the model's, which messages call by the numbers that they have there.
Variables stepOf(const LoopParts &loop, const Variables &now, const Variable &condition);

} // namespace graphc
