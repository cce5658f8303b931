//===- CheckGraph.h - what `function` refuses ---------------------*- C++ -*-===//
#pragma once

#include "absl/status/status.h"
#include "graphc/Function.h"

namespace graphc {

/// F-152 to F-167: inputs are distinct, no constants, used; outputs are valid and depend on
/// nothing else. `place` is the call of `function`.
absl::Status checkGraph(const GraphModule &module, OnUnusedInput onUnused, Place place);

} // namespace graphc
