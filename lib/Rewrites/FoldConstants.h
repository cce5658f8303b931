//===- FoldConstants.h - compute what depends on no input ---------*- C++ -*-===//
//
//   exp(constant) + x   ->   constant' + x
//
// F-303. Nodes with constant inputs are evaluated once, while compiling: small ones by the
// evaluator, one by one; what is left of large ones (weights that a network computes) as one
// graph, by a callback that compiles and runs it. A node that fails is left alone, so that its
// error occurs when the function is called.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "graphc/Import.h"

namespace graphc {

struct FoldOptions {
  /// Results with more elements are left to `evaluateAll`.
  int64_t maxElements = 4096;
  /// Values of the outputs of a graph without inputs. Without it large results stay.
  std::function<absl::StatusOr<std::vector<Tensor>>(const GraphModule &)> evaluateAll;
};

/// The same graph with constants in place of what depends on no input. The given one is not
/// changed.
absl::StatusOr<GraphModule> foldConstants(const GraphModule &module, const FoldOptions &options);

} // namespace graphc
