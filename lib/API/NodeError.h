//===- NodeError.h - what a node that failed was given -----------*- C++ -*-===//
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/Import.h"
#include "graphc/Tensor.h"

namespace graphc {

/// F-218: the error of a call of `module` with these arguments, with what errorDetails tells, and
/// with the index that compiled code could not name. As it is where the node cannot be found: the
/// graph is evaluated, within bounds, unless it has ops of the program's own, which might not like
/// to be called once more.
absl::Status explainCall(const absl::Status &error, const GraphModule &module,
                         absl::Span<const Tensor> arguments);

} // namespace graphc
