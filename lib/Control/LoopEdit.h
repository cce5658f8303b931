//===- Control/LoopEdit.h - a loop that is being changed ----------*- C++ -*-===//
#pragma once

#include <vector>

#include "Control/Control.h"
#include "absl/container/flat_hash_map.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// Whether an op on elements is computed again rather than kept from one loop to the other.
bool isCheap(std::string_view op);

/// The parts of a loop, by their roles. Operands are Variables of the graph that the loop is in,
/// the others of `body`, which may change.
class LoopEdit {
public:
  /// `needed`: which of the node's results somebody uses.
  static absl::StatusOr<LoopEdit> create(const Apply &node, const Control &control);

  Loop loop;
  FunctionGraph body;
  Variables steps; // one, or none
  Variables sequences, initials, constants;
  std::vector<Variables> elements, values; // by sequence, by state: one for each tap
  Variables wholes;                        // the body's inputs for `constants`
  /// By state, by further result: which of the body's outputs it is.
  std::vector<int> next, mapped;
  int until = -1;
  /// Likewise: which of the node's results; -1 for a new one.
  std::vector<int> stateResults, mappedResults;

  Variable output(int number) const { return body.output(number); }
  /// A further result of all values of `v`, one that there is or a new one. Its position among
  /// them.
  absl::StatusOr<size_t> addMapped(const Variable &v);
  /// Takes outputs from the body that are none of `next`, `mapped` and `until`.
  absl::Status removeOutputs();
  /// A new operand that is the same in all steps; the body's input for it.
  absl::StatusOr<Variable> addConstant(const Variable &outside);
  /// A new sequence, of which step t reads what it reads of `like`'s tap `tap`.
  absl::StatusOr<Variable> addSequence(const Variable &all, size_t like);
  /// All elements that the steps read of a sequence with one tap, along the first axis.
  Variable elementsOf(size_t sequence, int tap) const;

  /// The results of the new loop: those of states, then the further ones.
  absl::StatusOr<Variables> finish(Place place, bool isRewritten = true) const;

private:
  explicit LoopEdit(FunctionGraph graph) : body(std::move(graph)) {}
};

} // namespace graphc
