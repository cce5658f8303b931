//===- Ops/CallOp.h - ops that stand for graphs -----------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>

#include "Graph/InnerGraph.h"
#include "absl/status/statusor.h"

namespace graphc::detail {

/// The op of an OpFromGraph: `name` is for people. Its derivatives are those of its graph, which
/// lib/Gradient knows how to take: it has no rules for them.
absl::StatusOr<Op> callOp(std::shared_ptr<const InnerGraph> inner, std::string name);

/// The op that computes the graph for each slice of its first `numSlices` operands: one more loop
/// around what depends on them (Emitter::mapped), so that no op has a rule of its own for it.
absl::StatusOr<Op> vectorizedOp(std::shared_ptr<const InnerGraph> inner);
/// What such an op has, one slice upon the other, where a slice is of this type.
Type withAxis(const Type &slice, int64_t extent);

} // namespace graphc::detail
