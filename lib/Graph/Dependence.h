//===- Graph/Dependence.h - what depends on what ----------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "graphc/FrozenGraph.h"
#include "graphc/OpDef.h"

namespace graphc::detail {

struct InnerTraits;

/// Which inputs' elements each output of a graph depends on (F-261), as ranges of inputs, equal
/// ones once: a graph of N inputs and N outputs takes time and memory by N where a table has N^2
/// entries.
class Dependence {
public:
  /// Inputs from the first number on, before the second one.
  using Range = std::pair<int32_t, int32_t>;
  /// In ascending order, with gaps between.
  using Ranges = std::vector<Range>;
  /// Which of the inputs, or of the outputs.
  using Choice = absl::InlinedVector<bool, 8>;

  /// In one pass over the nodes; what the author of an OpFromGraph says goes before it (F-252).
  Dependence(const FrozenGraph &graph, const InnerTraits &traits);
  /// Of an op of one node, as OpDef::connection has it.
  Dependence(const OpDef &def, int numInputs, int numOutputs);

  int numOutputs() const { return int(whichOf_.size()); }
  /// What an output depends on is one of `distinct`.
  int which(int output) const { return whichOf_[size_t(output)]; }
  const std::vector<Ranges> &distinct() const { return distinct_; }
  bool has(int input, int output) const;

  /// The outputs that depend on one of the inputs that are given at least.
  Choice outputsOf(absl::FunctionRef<bool(int)> isGiven) const;
  /// The inputs that one of the outputs that are given at least depends on.
  Choice inputsOf(absl::FunctionRef<bool(int)> isGiven) const;

private:
  void setOutputs(const std::vector<std::shared_ptr<const Ranges>> &outputs);

  int numInputs_;
  std::vector<int32_t> whichOf_; // by output
  std::vector<Ranges> distinct_;
};

} // namespace graphc::detail

namespace graphc {

/// Of any op, for a node of so many inputs and outputs.
detail::Dependence dependenceOf(const Op &op, int numInputs, int numOutputs);
/// Dependence::outputsOf and inputsOf of a node's op (F-261, F-273).
detail::Dependence::Choice dependentOutputs(const Apply &node,
                                            absl::FunctionRef<bool(int)> isGiven);
detail::Dependence::Choice neededInputs(const Apply &node, absl::FunctionRef<bool(int)> isGiven);

} // namespace graphc
