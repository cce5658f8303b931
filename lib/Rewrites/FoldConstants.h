//===- FoldConstants.h - compute what depends on no input ---------*- C++ -*-===//
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

/// F-303. Nodes with constant inputs become constants: small results one by one (constantFolding),
/// then what is left, such as weights that a network computes, as one graph by `evaluateAll`.
/// What fails is left alone, so that its error occurs when the function is called.
absl::Status foldConstants(FunctionGraph &graph, const EvaluateGraph &evaluateAll);

} // namespace graphc
