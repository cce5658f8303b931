//===- LowerGraph.h - from a graph to its kernels -----------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Callees.h"
#include "Kernels/CompilerInterface.h"
#include "Kernels/Fuse.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// Applies the rules of the mode to a function's own graph. Large constants are computed by
/// compiled code, once.
absl::Status rewriteGraph(FunctionGraph &graph, const CompileOptions &options);

/// The graphs that a graph calls, as these options rewrite them.
Callees calleesOf(const CompileOptions &options, bool keepGraphs);

/// Fused loop nests, and the program that calls them, of a rewritten graph. `level`: the bodies
/// that it stands in, itself included.
absl::StatusOr<KernelGraph> kernelsOf(FunctionGraph graph, const CompileOptions &options,
                                      const std::vector<std::string> &outputNames, Callees &callees,
                                      int level = 0);

} // namespace graphc
