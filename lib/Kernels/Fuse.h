//===- Fuse.h - from an emission to kernels -----------------------*- C++ -*-===//
//
// Two levels, in one pass over the steps of an emission.
//
// 1. Substitution. A nest without reduction ("map") is not computed where it stands: it waits, and
//    is written into the nests that load it, in place of the load. It gets memory only if it is
//    wanted as an array (an output, a view, a host call's operand), if computing it again would
//    cost more than reading it, or if the body would become too large.
// 2. Groups. Nests that get memory are put together in kernels whose outermost loops they share,
//    so that what they hand on stays in registers or in one row: softmax is one kernel, so is a
//    matrix product with its bias and activation, so are several outputs over the same loops.
//    Products with rows between them, as in attention, are joined at the end (JoinProducts.cpp).
//
// Groups are numbered as they are opened; a nest joins a group only if all that it loads comes from
// groups up to that one. So there are no cycles to look for, and the time is linear. Groups run in
// that order, but for those that Schedule.cpp moves.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "Kernels/KernelGraph.h"
#include "Support/Optimizations.h"
#include "absl/status/statusor.h"
#include "graphc/Emit.h"

namespace graphc {

/// What fusion starts from.
struct GraphRecord {
  Emission emission;
  /// Arrays of the emission.
  std::vector<int32_t> inputs, outputs;
  std::vector<std::string> inputNames, outputNames;
  /// Type of each input; the arrays of complex ones are those of their pairs.
  std::vector<Type> inputTypes;
  /// By output; may be shorter.
  std::vector<bool> complexOutputs;
  /// Describes node `node` (as given to Emitter::beginNode) for messages; shapes are size numbers
  /// of the emission. Called for nodes that can fail only.
  std::function<Program::Node(int32_t node)> describe;
  /// Of node `node`, for Program::facts; empty where nobody asks.
  std::function<Program::Facts::Node(int32_t node)> nameNode = {};
  /// Without Fusion every nest gets memory and a kernel of its own.
  Optimizations optimizations = {};
};

absl::StatusOr<KernelGraph> fuse(GraphRecord record);

} // namespace graphc
