//===- Rewrites/ModeRewrites.h - what each mode is, and rewrites -*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "Support/Optimizations.h"
#include "graphc/Mode.h"
#include "graphc/Rewrite.h"

namespace graphc {

/// Who computes what a function of the mode gives.
enum class RunBy {
  Code,        // a program and its code
  Interpreter, // the evaluator
  Debug,       // code of each node, and the evaluator
  NanGuard,    // code of each node, whose results are looked at
  Monitor,     // the evaluator, with callbacks
};

/// All that a mode's name says.
struct ModeRow {
  std::string_view name;
  RunBy runs;
  /// The tag of the built-in rewrites that it selects, and what these may change in results.
  std::string_view rules;
  Effects effects = kDefaultEffects;
  /// Function::graph is the graph after them.
  bool rewrites = true;
  /// Extents that come often get code of their own.
  bool specialises = false;
  /// Large constants are computed while compiling, and loops rewritten: what takes time.
  bool compilesForSpeed = true;
};

inline constexpr ModeRow kModes[] = {
    {.name = "fast_run", .runs = RunBy::Code, .rules = "fast_run", .specialises = true},
    {.name = "strict",
     .runs = RunBy::Code,
     .rules = "fast_run",
     .effects = kStrictEffects,
     .specialises = true},
    {.name = "fast_math",
     .runs = RunBy::Code,
     .rules = "fast_run",
     .effects = kAllEffects,
     .specialises = true},
    {.name = "fast_compile",
     .runs = RunBy::Code,
     .rules = "fast_compile",
     .compilesForSpeed = false},
    {.name = "debug", .runs = RunBy::Debug, .rules = "fast_run", .rewrites = false},
    {.name = "nanguard", .runs = RunBy::NanGuard, .rules = "fast_run"},
    {.name = "monitor", .runs = RunBy::Monitor, .rules = "fast_run"},
    {.name = "interpreter", .runs = RunBy::Interpreter, .rules = "fast_run", .rewrites = false},
};

/// Null for a name that no mode has.
const ModeRow *findMode(std::string_view name);
/// The same; for a name that checkMode (API/Runner.h) refuses, fast_run's.
const ModeRow &rowOf(const Mode &mode);
/// Of the modes for which `holds`.
std::vector<std::string> modeNames(bool holds(const ModeRow &row));

/// What a mode selects of the built-in rewrites and of its own, and what these may change in
/// results.
Query modeQuery(const Mode &mode);
Effects modeEffects(const Mode &mode);
/// Those whose names the mode does not exclude.
Optimizations modeOptimizations(const Mode &mode);

/// Runs what the mode selects, under `options` but with the mode's effects.
absl::StatusOr<RewriteReport> rewriteAs(const Mode &mode, FunctionGraph &graph,
                                        RewriteOptions options = {});
/// What rewriteAs does for graphs, as a name: the same for the same, in one process.
std::string rewritesKey(const Mode &mode);

/// KeyError for a name or tag that no rewrite of the database has, nor, where it is excluded, an
/// optimization; with one that it may have meant.
absl::Status checkRewriteNames(const Query &query, const RewriteDatabase &database);
/// Of the mode's query. ValueError where a name stands for two rewrites.
absl::Status checkRewritesOf(const Mode &mode);

} // namespace graphc
