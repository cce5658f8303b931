//===- Rewrites/ModeRewrites.h - which rewrites a mode runs -----*- C++ -*-===//
#pragma once

#include <string_view>

#include "Support/Optimizations.h"
#include "graphc/Mode.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// The names of modes.
inline constexpr std::string_view kModes[] = {"fast_run", "strict",   "fast_math",  "fast_compile",
                                              "debug",    "nanguard", "interpreter"};

/// What a mode selects of the built-in rewrites, and what these may change in results.
Query modeQuery(const Mode &mode);
Effects modeEffects(const Mode &mode);
/// Those whose names the mode does not exclude.
Optimizations modeOptimizations(const Mode &mode);

/// KeyError for a name or tag that no built-in rewrite has, nor, where it is excluded, an
/// optimization; with one that it may have meant.
absl::Status checkRewriteNames(const Query &query);

} // namespace graphc
