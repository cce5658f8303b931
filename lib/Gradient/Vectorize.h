//===- Gradient/Vectorize.h - derivatives of vectorized graphs --*- C++ -*-===//
#pragma once

#include "CallDerivatives.h"
#include "Graph/InnerGraph.h"

namespace graphc {

/// The pullback and the pushforward of an op that `vectorize` gives. There are no masks: what is
/// masked out within a slice is masked there.
absl::StatusOr<PulledBack> pullVectorized(const detail::InnerGraph &inner, Inputs in, Outputs out,
                                          Gradients g);
absl::StatusOr<PushedForward> pushVectorized(const detail::InnerGraph &inner, Inputs in,
                                             Tangents t);

} // namespace graphc
