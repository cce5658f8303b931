//===- Ops/RowsOfEnd.h - who reads last rows alone ----------------*- C++ -*-===//
//
// Of an array of which nothing but `all[-1]`, `all[-k:]` and the like is read, the last rows are
// enough, and a gradient that arrives there is zero in front of them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

#include "IndexSpec.h"
#include "graphc/Variable.h"

namespace graphc {

/// The index of a subtensor or incSubtensor, whose first entry counts from the end where the length
/// is known; nothing where that is neither a position nor a slice with a number as its step.
std::optional<IndexSpec> indexFromEnd(const Apply &node);

/// How many rows, the last ones, such an entry reads, however many there are.
std::optional<int64_t> rowsOfEnd(const IndexEntry &entry);

/// What there is of a gradient that is zero but for its last rows.
struct GradientOfEnd {
  int64_t count; ///< so many rows
  Variable rows; ///< along the first axis: fewer where the gradient has fewer
};

/// Nothing of other gradients: it goes by how they were made.
std::optional<GradientOfEnd> gradientOfEnd(const Variable &gradient);

} // namespace graphc
