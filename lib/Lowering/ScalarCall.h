//===- Lowering/ScalarCall.h - scalar operations as calls -------*- C++ -*-===//
//
// The linalg stage spells scalar operations that arith and math do not have, or have with another
// meaning (division by zero, NaN, saturation), as calls of private functions without a body:
//   %y = func.call @graphc.sigmoid.f32(%x) : (f32) -> f32
//   %i = func.call @graphc.cast.f32.ui8(%x) : (f32) -> i8
// The name says the operation (scalarOpName) and the dtype of its operands; a cast says both
// dtypes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>

#include "graphc/Emit.h"
#include "llvm/ADT/StringRef.h"

namespace graphc {

struct ScalarCall {
  ScalarOp op;
  DType operand; ///< of the operands; of the values chosen between for Select
  DType result;  ///< differs from `operand` for casts, comparisons and classifications only
};

/// "graphc.sigmoid.f32", "graphc.cast.f32.ui8".
std::string scalarCallName(const ScalarCall &call);
/// The reverse; empty for a name that says no scalar operation.
std::optional<ScalarCall> parseScalarCall(llvm::StringRef name);

/// Joins of (value, position) pairs: (value, position, value, position) -> (value, position).
/// "graphc.argmax.f32", "graphc.argmin.ui8".
std::string argCallName(bool isMax, DType dtype);
struct ArgCall {
  bool isMax;
  DType dtype;
};
std::optional<ArgCall> parseArgCall(llvm::StringRef name);

/// Reports a condition that must hold: (i1, i32 number of the check) -> ().
inline constexpr llvm::StringLiteral kCheckCall = "graphc.check";

} // namespace graphc
