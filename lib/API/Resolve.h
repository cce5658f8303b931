//===- Resolve.h - from a function's parts to a plain graph -------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "API/Container.h"
#include "graphc/Function.h"

namespace graphc {

/// An input of the graph, and where its values come from and go.
struct Slot {
  Variable variable; // the user's
  std::string name;
  ValueRules rules;
  /// Whether calls may give it. Where they do not, its value is the container's.
  bool takesArgument = true;
  /// F-162, F-163: whether calls may overwrite the argument's array, and results share it.
  bool isMutable = false, isBorrowed = false;
  std::shared_ptr<detail::Container> container;
  /// The shared variable whose container it is: a copy of the function has the same one.
  std::optional<SharedVariable> shared;
  /// Number among the graph's inputs; -1 where nothing reads it.
  int input = -1;
  /// The container's next value: an output of the graph, or the value before the call of a slot.
  int output = -1;
  int source = -1;
  bool isUpdated() const { return output >= 0 || source >= 0; }
};

/// A function without givens, shared variables and updates.
struct Resolved {
  /// Inputs are slots; outputs are the function's, then next values. Names are the function's
  /// outputs' only.
  GraphModule module;
  size_t numOutputs = 0;
  /// The listed inputs in their order, then shared variables.
  std::vector<Slot> slots;
};

/// Errors: those of F-152 to F-167 and F-175 to F-193. `module` has the outputs, their names, and
/// the name; `place` is the call of `function`.
absl::StatusOr<Resolved> resolve(const std::vector<Param> &inputs, GraphModule module,
                                 const FunctionOptions &options, Place place);

} // namespace graphc
