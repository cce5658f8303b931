//===- Import/KnownValues.h - what follows from constants -----------*- C++ -*-===//
#pragma once

#include <optional>

#include "Eval/Evaluate.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Variable.h"

namespace graphc {

/// Values of Variables that depend on no input. Of a graph that grows each node is looked at once,
/// however often it is asked about, and what was computed stays known.
class KnownValues {
public:
  /// What computing them may cost is subtracted from the budget.
  explicit KnownValues(EvaluationBudget &budget) : budget_(budget) {}
  /// Whether v depends on no input. Of an Invalid Variable: no.
  bool isConstant(const Variable &v);
  /// MissingInput where v depends on an input; else the errors of evaluating it, NotSupported
  /// where it costs more than is left of the budget.
  absl::StatusOr<Tensor> compute(const Variable &v);
  /// Nothing where that is an error.
  std::optional<Tensor> find(const Variable &v);

private:
  absl::StatusOr<Tensor> evaluateFromKnown(const Variable &v);
  void keep(const NodeRun &run);

  EvaluationBudget &budget_;
  struct Entry {
    Variable kept; // so that its node is no other's later
    bool isConstant;
  };
  /// By Variable's node where it has no owner, else by the owner's: of operators with many outputs
  /// the inputs are looked at once.
  absl::flat_hash_map<const void *, Entry> entries_;
  struct Value {
    Variable kept;
    absl::StatusOr<Tensor> tensor;
  };
  /// Of what has an owner and was computed, by Variable's node.
  absl::flat_hash_map<const void *, Value> values_;
};

} // namespace graphc
