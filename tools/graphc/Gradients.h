//===- Gradients.h - what --grad adds to a graph ------------------*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "graphc/Import.h"

namespace graphc {

/// COST:WRT,... with neither empty.
CLI::Validator gradientForm();

/// One output more for each WRT of each "COST:WRT,...": the derivative of an output (its name or
/// number), named "(dCOST/dWRT)". WRT: the name of an input or of a constant. Errors, which begin
/// with --grad: KeyError for names that are not there, TypeError for a cost that is no number and
/// for one WRT given twice, DisconnectedInput, and those of grad.
absl::Status addGradients(GraphModule &module, const std::vector<std::string> &given);

} // namespace graphc
