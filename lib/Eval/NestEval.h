//===- Eval/NestEval.h - one loop nest ----------------------------------*- C++ -*-===//
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "graphc/Emit.h"

namespace graphc {

/// What a nest reads besides its own record.
struct NestInputs {
  /// Values of all sizes that the nest uses, by number.
  absl::Span<const int64_t> sizes;
  /// Row-major data of all arrays that it loads, by number.
  absl::Span<const Tensor> arrays;
  /// Conditions on every iteration.
  std::vector<const ElementCheck *> checks;
};

/// Runs the nest and writes `result`, which is row-major. On a failed check the status is its
/// error and `failed` points to it.
absl::Status runNest(const Nest &nest, const NestInputs &inputs, Tensor &result,
                     const ElementCheck *&failed);

} // namespace graphc
