//===- Import/LastState.h - what a loop leaves ----------------------*- C++ -*-===//
#pragma once

#include "Import/OnnxNode.h"
#include "graphc/Ops.h"

namespace graphc {

/// The value of a state after the loop, in which it may have no step.
inline Variable lastOf(OnnxNode &n, const Variable &all, const Variable &initial) {
  Variable last = subtensor(n.at(all), {Slice(-1, kEnd)});
  return subtensor(n.at(concatenate({expandDims(n.at(initial), Axis(0)), last})), {-1});
}

} // namespace graphc
