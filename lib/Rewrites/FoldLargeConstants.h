//===- FoldLargeConstants.h - what depends on no input ------------*- C++ -*-===//
//
//   exp(constant) + x   ->   constant' + x
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Import.h"

namespace graphc {

/// Values of the outputs of a graph without inputs.
using EvaluateGraph = std::function<absl::StatusOr<std::vector<Tensor>>(const GraphModule &)>;

/// F-303, for what constantFolding leaves because its results are large, such as weights that a
/// network computes: all of it becomes constants, as one graph, by `evaluateAll`. If that fails, it
/// is left alone, so that its error occurs when the function is called.
absl::Status foldLargeConstants(FunctionGraph &graph, const EvaluateGraph &evaluateAll);

} // namespace graphc
