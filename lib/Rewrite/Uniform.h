//===- Rewrite/Uniform.h - constants of one value ---------------*- C++ -*-===//
#pragma once

#include <optional>

#include "Graph/Nodes.h"

namespace graphc {

/// The value that all elements of `v` have, if it is a constant, perhaps broadcast, reshaped or
/// transposed, of few distinct elements to look at. None for an empty one and where float64
/// cannot hold the value.
std::optional<double> uniformValue(const detail::VariableNode *v);

/// False: `uniformValue` is none. Quick.
bool mayBeUniform(const detail::VariableNode *v);

} // namespace graphc
