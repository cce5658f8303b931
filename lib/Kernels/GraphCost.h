//===- GraphCost.h - what a graph computes and moves ---------------*- C++ -*-===//
#pragma once

#include "absl/status/statusor.h"
#include "graphc/Import.h"

namespace graphc {

/// What one call of a graph costs as it is written, before anything is folded or fused.
struct GraphCost {
  /// Operations on floats, counted as in Emit/NestCost.h. A product of matrices has 2 n m k.
  double flops = 0;
  /// What the nodes read and write: each array that a node reads or writes once.
  double bytes = 0;
  /// Extents that are not static (or follow from values) were taken as 1.
  bool openExtents = false;
};

/// Errors are those of emitting the graph. Thread-safe.
absl::StatusOr<GraphCost> graphCost(const GraphModule &module);

} // namespace graphc
