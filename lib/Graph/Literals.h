//===- Graph/Literals.h - dtypes of C++ numbers among operands --*- C++ -*-===//
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/OpDef.h"
#include "graphc/Tensor.h"

namespace graphc {

/// The constant that stands for `value`, a 0-d int64, uint64 or float64, next to operands of these
/// dtypes (none: wrapped alone), F-029 to F-031. TypeError for a float where the op takes sizes;
/// ValueError for an integer over 2^63-1 there.
absl::StatusOr<Tensor> wrapLiteral(const Tensor &value, absl::Span<const DType> operands,
                                   Literals rule);

} // namespace graphc
