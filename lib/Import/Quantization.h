//===- Import/Quantization.h - integers that stand for real numbers -*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"

namespace graphc {

/// graphc::quantize (graphc/Neural.h) to integers of 8 and 16 bits, which are all that ONNX has; an
/// error is kept for others.
Variable quantizedTo(OnnxNode &n, const Variable &x, const Variable &scale, const Variable &zero,
                     int axis = 1);

} // namespace graphc
