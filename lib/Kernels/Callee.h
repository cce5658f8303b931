//===- Callee.h - graphs that are compiled once and called ---------*- C++ -*-===//
//
// An OpFromGraph that is not inlined is fused by itself, once for each list of types: a Callee. An
// emission records an application as one step, which knows the sizes of the callee in terms of its
// own. When the program is built, the callee's steps are put there for each application, over the
// caller's arrays: kernels are shared, memory is planned over the whole program, nothing is copied
// at the boundary, threads work as everywhere, and files and the runner know nothing of calls. It
// costs a microsecond for each application; the kernels, which cost milliseconds, are the same.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Kernels/Fuse.h"
#include "Kernels/KernelGraph.h"
#include "absl/status/statusor.h"

namespace graphc {

struct Callee {
  /// An application within the callee, before a step of its own. Applications stay as they are
  /// until a whole program is built, so that a nest of n levels takes memory for n.
  struct Call {
    size_t before;
    std::shared_ptr<const Callee> callee;
    /// By size of the inner callee: one of this one.
    Numbers sizes;
    /// Arrays of the inner callee that are arrays of this one: its inputs, and what its results
    /// are made of.
    std::vector<std::pair<int32_t, int32_t>> bound;
  };
  /// `program.outputs` may be any arrays, also inputs and constants: they are not copied.
  KernelGraph graph;
  std::vector<Call> calls;
  /// Inputs whose elements some step reads, or that are results; of the others the sizes are
  /// enough, at most.
  Numbers reads;
  /// By output: its elements as sizes, where they are known.
  std::vector<Numbers> elements;
  /// Steps, those of inner callees included.
  int64_t numSteps = 0;
  /// Some step may fail, or call the host: it runs even if nobody needs the results.
  bool hasEffects = false;
};

/// The callee that a recorded graph is; null where it cannot be called, since sizes depend on
/// elements that it computes itself: it is computed in the caller then. The names of its kernels
/// start with `name`.
absl::StatusOr<std::shared_ptr<const Callee>> fuseCallee(GraphRecord record,
                                                         const std::string &name);

/// Records an application in an emission. Requirements on sizes that the callee has become those of
/// its nodes; node k of its program has the number `firstNode` + k.
Arrays recordCall(Emitter &e, const std::shared_ptr<const Callee> &callee, const Arrays &in,
                  int32_t firstNode);
/// A node of the callee's program, in sizes of the emission that `sizes` names.
Program::Node nodeOfCall(const Callee &callee, int32_t node, absl::Span<const int32_t> sizes);

} // namespace graphc
