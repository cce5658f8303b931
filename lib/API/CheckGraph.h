//===- CheckGraph.h - what `function` refuses ---------------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Function.h"

namespace graphc {

// For messages: "'x'", or "a variable without a name"; "input 1 ('x')".
std::string quoted(const Variable &v);
std::string numbered(size_t i, const Variable &v);

/// F-152 to F-167: inputs are distinct, no constants, used; outputs are valid and depend on
/// nothing else. `place` is the call of `function`; `mayBeUnused` has a flag per input.
absl::Status checkGraph(const GraphModule &module, const std::vector<bool> &mayBeUnused,
                        OnUnusedInput onUnused, Place place);

/// F-169: a result is found by the name that its output was given, else by its Variable's, which
/// only the first of several has. ValueError for a name given twice.
absl::StatusOr<std::vector<std::string>> outputNames(const Variables &outputs,
                                                     std::vector<std::string> given, Place place);

} // namespace graphc
