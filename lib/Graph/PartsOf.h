//===- Graph/PartsOf.h - complex nodes as nodes on real numbers -*- C++ -*-===//
#pragma once

#include <vector>

#include "graphc/OpDef.h"

namespace graphc {

/// Whether the node has complex operands or results, and its op a parts rule for them.
bool worksByParts(const Apply &node);

/// Stands for the parts of an operand in what a parts rule builds: inputs of the parts' type, or
/// constants. A real operand stands for itself.
Parts partsOfOperand(const Variable &v);

/// The parts of the results, by the op's rule: in the dtypes of the results' parts, and none of a
/// real result has an `im`. An Invalid Variable for what cannot be.
std::vector<Parts> partsOf(const Apply &node, absl::Span<const Parts> in);

/// The types of the results of an op on these operands of which some are complex: by the type rule
/// on operands of the parts' dtype. TypeError where the op takes none.
absl::StatusOr<std::vector<Type>> complexTypes(const Op &op, absl::Span<const Variable> inputs);

} // namespace graphc
