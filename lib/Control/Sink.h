//===- Control/Sink.h - branches that run only when taken -------*- C++ -*-===//
#pragma once

#include "graphc/FunctionGraph.h"

namespace graphc {

/// F-330, F-331: nodes that only one branch of ifElses over one condition needs move into that
/// branch, and the ifElses become an op with two bodies (Control.h). What a later ifElse needs in
/// the same case is computed there again. It is the last change of a graph before it is run or
/// emitted: such an op has no derivatives and no text. What is compiled has its bodies of loops
/// changed when they are; what is evaluated wants it done in them now (`inLoops`). The graph is a
/// body itself, with `level` - 1 around it, or none (0): tooManyLevels where they become too many.
absl::Status sinkBranches(FunctionGraph &graph, bool inLoops = false, int level = 0);

} // namespace graphc
