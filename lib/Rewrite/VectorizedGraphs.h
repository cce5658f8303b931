//===- Rewrite/VectorizedGraphs.h - graphs within vectorized ops -*- C++ -*-===//
#pragma once

#include "graphc/Rewrite.h"

namespace graphc {

/// Rewrites the graphs within what `vectorize` gave, each once, by the rules by which `graph` was
/// rewritten; nests from within.
absl::Status rewriteVectorized(FunctionGraph &graph, const GraphRewriter &rules,
                               const RewriteOptions &options, RewriteReport &report);

} // namespace graphc
