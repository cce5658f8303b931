//===- Rewrite/VectorizedGraphs.h - graphs within vectorized ops -*- C++ -*-===//
#pragma once

#include "Graph/InnerGraph.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// What such an op computes for a slice, with OpFromGraphs in their places: what it calls is not
/// called.
absl::StatusOr<FunctionGraph> graphOfSlice(const detail::InnerGraph &record);

/// Rewrites the graphs within what `vectorize` gave, each once, by the rules by which `graph` was
/// rewritten; nests from within.
absl::Status rewriteVectorized(FunctionGraph &graph, const GraphRewriter &rules,
                               const RewriteOptions &options, RewriteReport &report);

} // namespace graphc
