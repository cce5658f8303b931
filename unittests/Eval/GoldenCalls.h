//===- GoldenCalls.h - golden lines as graphs --------------------------------===//
#pragma once

#include <optional>

#include "GoldenVectors.h"
#include "graphc/Variable.h"

namespace graphc {

/// The graph of a line on these inputs; empty if its op is not there yet.
std::optional<Variables> callGolden(const GoldenLine &line, const Variables &inputs);

/// The built-in op whose bounds hold for the line's family; null if there is none.
const OpDef *goldenOp(const std::string &family);

} // namespace graphc
