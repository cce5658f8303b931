//===- CheckGraph.h - what `function` refuses ---------------------*- C++ -*-===//
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graphc/Function.h"

namespace graphc {

// For messages: "'x'", or "a variable without a name"; "input 1 ('x')"; and a line to end with,
// "'x': f64, made at a.cpp:5:3", or nothing where the place is not known.
std::string quoted(const Variable &v);
std::string numbered(size_t i, const Variable &v);
std::string madeAt(const Variable &v);

/// "they are 'a', 'b'"; "none has a name" where all are empty.
std::string listedNames(absl::Span<const std::string> names);

/// What a graph alone does not tell of its inputs.
struct InputFacts {
  std::vector<bool> mayBeUnused;
  std::set<int> areMutable;
};
/// F-152 to F-167: inputs are distinct, no constants, used; outputs are valid and depend on
/// nothing else. F-198: ops that overwrite an operand are refused (TypeError) or accepted, as the
/// options say; Inconsistency where no order of nodes makes such a graph right, or what is
/// overwritten is used otherwise. `place` is the call of `function`.
absl::Status checkGraph(const GraphModule &module, const InputFacts &facts,
                        const FunctionOptions &options, Place place);

/// F-169: a result is found by the name that its output was given, else by its Variable's, which
/// only the first of several has. ValueError for a name given twice.
absl::StatusOr<std::vector<std::string>> outputNames(const Variables &outputs,
                                                     std::vector<std::string> given, Place place);

} // namespace graphc
