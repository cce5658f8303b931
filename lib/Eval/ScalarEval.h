//===- Eval/ScalarEval.h - the meaning of scalar operations -----------*- C++ -*-===//
//
// The oracle that compiled code is measured against. Functions are computed in a wider format and
// rounded once: float32 and halves in double, float64 in x87's 80 bits where `long double` has
// them. Operations that IEEE 754 defines exactly are done in the format itself.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "graphc/Emit.h"

namespace graphc {

/// One element on its own: floats of any width as double (which holds them exactly), integers
/// sign- or zero-extended, bools as 0 or 1.
union Lane {
  double f;
  int64_t i;
  uint64_t u;
};

/// An element in memory, and back.
Lane readLane(DType dtype, const void *data, int64_t index);
void writeLane(DType dtype, void *data, int64_t index, Lane value);
/// The value of a Constant's payload.
Lane laneOfBits(DType dtype, uint64_t bits);

/// F-046.
Lane castLane(DType from, DType to, Lane value);

/// Applies an operation to `out.size()` lanes. `operand` is the dtype of the first value operand,
/// `result` that of the node. Not for leaves.
void evaluateLanes(ScalarOp op, DType operand, DType result, const Lane *a, const Lane *b,
                   const Lane *c, absl::Span<Lane> out);

/// The rounding of a wide value to a float dtype.
double roundTo(DType dtype, long double value);
/// An integer wrapped to a dtype.
Lane wrapTo(DType dtype, uint64_t bits);

} // namespace graphc
