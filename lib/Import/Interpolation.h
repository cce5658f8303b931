//===- Import/Interpolation.h - weights of neighbours ---------------*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// Weights of the two neighbours of a point `f` (f64, 0 to 1) behind the first one.
Variables linearWeights(OnnxNode &n, const Variable &f);
/// Keys' cubic with parameter a: weights of the four neighbours of a point `f` behind the second.
Variables cubicWeights(OnnxNode &n, const Variable &f, double a);

} // namespace graphc
