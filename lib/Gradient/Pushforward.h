//===- Gradient/Pushforward.h - forward mode --------------------*- C++ -*-===//
#pragma once

#include "absl/status/statusor.h"
#include "graphc/Variable.h"

namespace graphc {

/// Tangents of `f` by the ops' own rules, given those of `wrt`: tensors, zeroDerivative, or
/// Variables of type Null or Disconnected.
absl::StatusOr<Variables> pushedForward(const Variables &f, const Variables &wrt,
                                        const Variables &tangents);

} // namespace graphc
