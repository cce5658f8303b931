//===- Import/Unrolling.h - loops whose steps are known --------------*- C++ -*-===//
#pragma once

#include "Import/ShapeTerms.h"

namespace graphc {

/// Whether a Loop works on sequences or optional values, which are no values of loops.
bool mustUnroll(OnnxNode &n, const OnnxValues &states);
/// Its outputs, of a copy of the body for each step. Errors where the steps are not constant.
OnnxValues unrolledLoop(OnnxNode &n, OnnxValues states);

} // namespace graphc
