//===- API/Overrides.h - overridden derivatives, frozen ---------*- C++ -*-===//
#pragma once

#include "Graph/InnerGraph.h"
#include "graphc/OpFromGraph.h"

namespace graphc {

/// The graph of `outputs`, copied, with shared variables that are no inputs, and those of `more`,
/// as its last ones; `strict` refuses the former. The error names a Variable that is missing.
struct CapturingGraph {
  FrozenGraph graph;
  Variables captured;
};
absl::StatusOr<CapturingGraph> freezeCapturing(const Variables &inputs, const Variables &outputs,
                                               bool strict, const Variables &more = {});

/// A rule but for `reads`, and the shared variables that it reads.
struct ReadingRule {
  detail::FrozenRule rule;
  Variables reads;
};
/// What the overrides say of an op with these inputs and outputs, made at `loc`: their callables
/// run, once.
/// ValueError, TypeError and MissingInput as OpFromGraph has them.
absl::StatusOr<ReadingRule> freezePullback(const OpFromGraphOptions &options,
                                           detail::Inlining inlining, std::source_location loc,
                                           const Variables &inputs, const Variables &outputs);
absl::StatusOr<ReadingRule> freezePushforward(const OpFromGraphOptions &options,
                                              detail::Inlining inlining, std::source_location loc,
                                              const Variables &inputs, const Variables &outputs);

} // namespace graphc
