//===- EmitGraph.h - the emission of a whole graph ----------------*- C++ -*-===//
#pragma once

#include "Kernels/Fuse.h"
#include "absl/status/statusor.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// Records what all nodes of the graph compute, in one Emitter, in toposort order. The record's
/// `describe` refers to the graph's nodes and keeps them alive. MethodNotDefined (at the node's
/// place) for an op that cannot be emitted; Internal for a mistake in an op's emission.
/// With `nameNodes` the record can name every node.
absl::StatusOr<GraphRecord> emitGraph(const FunctionGraph &graph, bool nameNodes = false);

} // namespace graphc
