//===- Import/KnownValues.h - what follows from constants -----------*- C++ -*-===//
#pragma once

#include <optional>

#include "Eval/Evaluate.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/Variable.h"

namespace graphc {

/// Values of Variables that depend on no input. Of a graph that grows each node is looked at once,
/// however often it is asked about.
class KnownValues {
public:
  /// What computing them may cost is subtracted from the budget.
  explicit KnownValues(EvaluationBudget &budget) : budget_(budget) {}
  /// Nothing where v depends on an input, cannot be computed, or costs more than is left.
  std::optional<Tensor> find(const Variable &v);

private:
  bool isConstant(const Variable &v);

  EvaluationBudget &budget_;
  struct Entry {
    Variable kept; // so that its node is no other's later
    bool isConstant;
  };
  absl::flat_hash_map<void *, Entry> entries_; // by Variable's node
};

} // namespace graphc
