//===- EmitGraph.h - the emission of a whole graph ----------------*- C++ -*-===//
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "Kernels/Callee.h"
#include "Kernels/Fuse.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "graphc/FunctionGraph.h"

namespace graphc {

/// By output of a node: whether anything in the graph needs it.
using UsedOutputs = absl::InlinedVector<bool, 8>;
UsedOutputs usedOutputs(const FunctionGraph &graph, const Apply &node);

/// The compiled graph of an application of an OpFromGraph of which the results that `used` tells
/// are needed; null where its nodes are to be emitted in its place.
using FindCallee =
    std::function<std::shared_ptr<const Callee>(const Apply &node, const UsedOutputs &used)>;

/// Records what all nodes of the graph compute, in one Emitter, in toposort order. The record's
/// `describe` refers to the graph's nodes and keeps them alive. MethodNotDefined (at the node's
/// place) for an op that cannot be emitted; Internal for a mistake in an op's emission.
/// `options` become the record's; ops may look at what they say of the processor.
/// With `nameNodes` the record can name every node. Without `findCallee` all OpFromGraphs are
/// emitted in the places of their applications.
absl::StatusOr<GraphRecord> emitGraph(const FunctionGraph &graph, bool nameNodes = false,
                                      const FindCallee &findCallee = {},
                                      const FusionOptions &options = {});

} // namespace graphc
