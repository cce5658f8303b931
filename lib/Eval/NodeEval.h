//===- Eval/NodeEval.h - a node, made ready to be evaluated ---*- C++ -*-===//
#pragma once

#include "Eval/Evaluate.h"

namespace graphc {

/// What a node emits, for values of its inputs. Runs do not change it.
class NodeEval {
public:
  /// `isNeeded`: of its outputs; all where the list is empty. `inputs` are for messages alone.
  static absl::StatusOr<NodeEval> create(const Apply &node, absl::Span<const Tensor> inputs,
                                         const std::vector<bool> &isNeeded);

  /// As `evaluate` of a node.
  TensorsOr run(absl::Span<const Tensor> inputs, EvaluationBudget *budget, int64_t *flops) const;

private:
  explicit NodeEval(const Apply &node) : node_(node) {}

  Apply node_;
  Emission emission_;
  std::vector<size_t> read_; ///< the inputs that are no constants
  Arrays operands_;          ///< of these
  Arrays results_;           ///< of the outputs that are needed
  std::vector<size_t> made_; ///< which these are
  std::vector<bool> areComplex_;
};

} // namespace graphc
