//===- Fuse.h - from an emission to kernels -----------------------*- C++ -*-===//
//
// Two levels, in one pass over the steps of an emission. A softmax, before and after:
//   for (i, j) e[i, j] = exp(x[i, j] - m[i])     for (i) {
//   for (i, j) s[i] += e[i, j]               ->    for (j) { e[j] = exp(x[i, j] - m); s += e[j] }
//   for (i, j) y[i, j] = e[i, j] / s[i]            for (j) y[i, j] = e[j] / s }
// 1. Substitution. A nest without reduction ("map") waits, and is written into the nests that load
//    it, in place of the load. It gets memory only if it is wanted as an array (an output, a view,
//    a host call's operand), if computing it again would cost more than reading it, or if the body
//    would become too large.
// 2. Groups. Nests that get memory are put together in kernels whose outermost loops they share, so
//    that what they hand on stays in registers or in one row: a matrix product with its bias and
//    activation is one kernel, and several outputs over the same loops. Products with rows between
//    them, as in attention, are joined at the end (JoinProducts.cpp), and Schedule.cpp moves some.
//
// Groups are numbered as they are opened; a nest joins one only if all that it loads comes from
// groups up to that one, or from small ones that can be renumbered (SmallFirst.cpp): there are no
// cycles to look for, and the time is linear.
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

/// What fusion may do, and knows of the processor.
struct FusionOptions {
  /// Without Fusion every nest gets memory and a kernel of its own.
  Optimizations optimizations = {};
  /// Of two ways of computing the same, ops may choose another one (Emitter::State), and fewer
  /// products are turned without (Support/RowTiles.h).
  bool hasMaskRegisters = false;

  /// Whether sums may leave out the border that a map puts around what they read
  /// (LeaveBorders.cpp).
  bool leavesBordersOut() const {
    using enum Optimization;
    auto uses = [&](Optimization one) { return optimizations.has(one); };
    return hasMaskRegisters && uses(Fusion) && uses(Products) && uses(Windows) && uses(LineTiles);
  }
};

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
  FusionOptions options = {};
};

absl::StatusOr<KernelGraph> fuse(GraphRecord record);

} // namespace graphc
