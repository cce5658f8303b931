//===- Graph/Module.h - a module whose graph was changed --------*- C++ -*-===//
#pragma once

#include "graphc/FunctionGraph.h"
#include "graphc/Import.h"

namespace graphc {

/// The module with `graph`, which was made of a copy of its own, in the place of that. It has no
/// globals: their constants have been cloned, or folded.
inline GraphModule withGraph(const GraphModule &module, const FunctionGraph &graph) {
  return {module.name, graph.inputs(), graph.outputs(), module.outputNames};
}

} // namespace graphc
