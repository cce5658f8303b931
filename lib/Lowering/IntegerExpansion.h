//===- Lowering/IntegerExpansion.h - integer operations as arithmetic -----*- C++ -*-===//
#pragma once

#include "graphc/Emit.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graphc {

/// IntDiv, Mod, Pow, Shl, Shr, Sgn, Abs of integers (scalars or vectors); null for another
/// operation. Division rounds to minus infinity, by zero it and the remainder are 0, and INT_MIN /
/// -1 wraps. Counts of shifts beyond the width, or negative, give 0 (-1 for right shifts of
/// negative values). Powers wrap; those with negative exponents are the truncated quotient, 0 for
/// base 0.
mlir::Value expandInteger(mlir::ImplicitLocOpBuilder &b, ScalarOp op, bool isSigned,
                          mlir::ValueRange operands);

/// A constant of the value's type: a scalar or all lanes.
mlir::Value constantLike(mlir::ImplicitLocOpBuilder &b, mlir::Value like, int64_t value);
mlir::Value floatConstantLike(mlir::ImplicitLocOpBuilder &b, mlir::Value like, double value);

} // namespace graphc
