//===- Rewrites/ModeRewrites.h - which rewrites a mode runs -----*- C++ -*-===//
#pragma once

#include "Support/Optimizations.h"
#include "graphc/Mode.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// What a mode selects of the built-in rewrites, and what these may change in results.
Query modeQuery(const Mode &mode);
Effects modeEffects(const Mode &mode);
/// Those whose names the mode does not exclude.
Optimizations modeOptimizations(const Mode &mode);

/// KeyError for a name or tag that no built-in rewrite has, nor, where it is excluded, an
/// optimization; with one that it may have meant.
absl::Status checkRewriteNames(const Query &query);

} // namespace graphc
