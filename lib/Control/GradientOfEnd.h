//===- Control/GradientOfEnd.h - gradients of the last row alone --*- C++ -*-===//
#pragma once

#include <optional>

#include "graphc/Variable.h"

namespace graphc {

/// Of a gradient that is zero but for its last row, as that of `all[-1]` with respect to `all` is,
/// that row with its first axis, which is empty where there is none. Nothing of others: it goes by
/// how the gradient was made.
std::optional<Variable> lastRowAlone(const Variable &gradient);

} // namespace graphc
