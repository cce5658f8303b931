//===- CheckGraph.h - what `function` refuses ---------------------*- C++ -*-===//
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Function.h"

namespace graphc {

// For messages: "'x'", or "a variable without a name"; "input 1 ('x')".
std::string quoted(const Variable &v);
std::string numbered(size_t i, const Variable &v);

/// "they are 'a', 'b'"; "none has a name" where all are empty.
std::string listedNames(absl::Span<const std::string> names);

/// F-198: TypeError for an op that overwrites an operand, unless `acceptInplace`; then
/// Inconsistency where the graph cannot be run in an order that makes it right, or what is
/// overwritten is not among the inputs of these numbers and of no other use.
absl::Status checkInplace(const GraphModule &module, const std::set<int> &mutableInputs,
                          bool acceptInplace, Place place);

/// F-152 to F-167: inputs are distinct, no constants, used; outputs are valid and depend on
/// nothing else. `place` is the call of `function`; `mayBeUnused` has a flag per input.
absl::Status checkGraph(const GraphModule &module, const std::vector<bool> &mayBeUnused,
                        OnUnusedInput onUnused, Place place);

/// F-169: a result is found by the name that its output was given, else by its Variable's, which
/// only the first of several has. ValueError for a name given twice.
absl::StatusOr<std::vector<std::string>> outputNames(const Variables &outputs,
                                                     std::vector<std::string> given, Place place);

} // namespace graphc
