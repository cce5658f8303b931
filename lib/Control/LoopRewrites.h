//===- Control/LoopRewrites.h - loops that do less ----------------*- C++ -*-===//
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// Whether some stand in it, beside those of graphs that it calls.
bool hasLoops(const FunctionGraph &graph);

/// Puts better loops in the place of the graph's, with the same results but for rounding (row 91 of
/// the rewrites in docs/Semantics.md): what is the same in all steps is computed before them, and
/// so is what depends on elements of sequences alone, of all at once, where it costs something;
/// sums of outer products are one product after the loop; results that nobody uses, with the states
/// that only they need, are not computed. `rewriteBody` simplifies a body, with the loops
/// within, when it is known what it has to give.
absl::Status rewriteLoops(FunctionGraph &graph,
                          const std::function<absl::Status(FunctionGraph &)> &rewriteBody);

/// Where no time is taken for more: loops over the same operands are one, keep no rows that nobody
/// reads (F-325), and do not compute what nobody needs.
absl::Status shortenLoops(FunctionGraph &graph);

/// Puts one loop in the place of those that do the same steps over the same operands.
absl::Status mergeLoops(FunctionGraph &graph);

} // namespace graphc
