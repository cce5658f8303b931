//===- Gradient/CallDerivatives.h - of OpFromGraphs -------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "Pushforward.h"
#include "absl/status/statusor.h"
#include "graphc/OpDef.h"

namespace graphc {

/// Whether the author of an OpFromGraph gave gradients (F-245).
bool isOverridden(const Op &op);

/// What a pullback gives, with the masks (Masks.h) of what it gives, and where in the graph what is
/// Null arose (Backward::originOfNull); empty where an override says so.
struct PulledBack {
  Variables terms;
  std::vector<std::optional<Variable>> masks;
  std::vector<std::string> nullWithin;
};

/// F-262: the pullback of an application of an OpFromGraph: the one of its graph, as an
/// OpFromGraph that is made once for each set of outputs that have gradients; or its overrides.
/// `mask` is that of the only output.
absl::StatusOr<PulledBack> pullCall(const Apply &node, const Variables &gradients,
                                    const std::optional<Variable> &mask);
/// The pushforward in the same way.
absl::StatusOr<PushedForward> pushCall(const Apply &node, const Variables &tangents);

} // namespace graphc
