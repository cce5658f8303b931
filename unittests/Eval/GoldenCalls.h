//===- GoldenCalls.h - golden lines as graphs --------------------------------===//
#pragma once

#include <optional>

#include "GoldenVectors.h"
#include "graphc/Variable.h"

namespace graphc {

enum class GoldenExtents { Static, Dynamic };

/// Inputs of a line: with their exact shapes, or with every extent unknown that is not 1 (an
/// extent of 1 must be known to broadcast; `broadcast: false` says that none is).
Variables goldenInputs(const GoldenLine &line, GoldenExtents extents);

/// The graph of a line on these inputs; empty if its op is not there yet.
std::optional<Variables> callGolden(const GoldenLine &line, const Variables &inputs);

/// The built-in op whose bounds hold for the line's family; null if there is none.
const OpDef *goldenOp(const std::string &family);

} // namespace graphc
