//===- Ops/StaticShapes.h - static shapes from emissions ----------*- C++ -*-===//
//
// An op says once what shape its results have: in its emission. A type rule that needs static
// extents runs the emission on symbolic operands and reads them off (F-024).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Rules.h"

namespace graphc {

/// Arrays of the emitter for the variables: constants with their data, small integer vectors that
/// are computed from shapes and constants by their few nodes, others as operands. The same
/// Variable gives the same Array.
Arrays emitOperands(Emitter &e, absl::Span<const Variable> variables);

} // namespace graphc
