//===- API/Overrides.h - overridden derivatives, frozen ---------*- C++ -*-===//
#pragma once

#include "Graph/InnerGraph.h"
#include "graphc/OpFromGraph.h"

namespace graphc {

/// The graph of `outputs`, copied, with shared variables that are no inputs as its last ones;
/// `strict` refuses those. The error names a Variable that is missing.
struct CapturingGraph {
  FrozenGraph graph;
  Variables captured;
};
absl::StatusOr<CapturingGraph> freezeCapturing(const Variables &inputs, const Variables &outputs,
                                               bool strict);

/// What the overrides say of an op with these inputs and outputs: their callables run, once.
/// ValueError, TypeError and MissingInput as OpFromGraph has them.
absl::StatusOr<detail::FrozenRule> freezePullback(const OpFromGraphOptions &options,
                                                  detail::Inlining inlining,
                                                  const Variables &inputs,
                                                  const Variables &outputs);
absl::StatusOr<detail::FrozenRule> freezePushforward(const OpFromGraphOptions &options,
                                                     detail::Inlining inlining,
                                                     const Variables &inputs,
                                                     const Variables &outputs);

} // namespace graphc
