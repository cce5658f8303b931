//===- Lowering/ScalarExpansion.h - scalar operations as arithmetic -------*- C++ -*-===//
#pragma once

#include "Lowering/Math/MathBuilder.h"
#include "Lowering/ScalarCall.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graphc {

/// Code for one scalar operation on registers: scalars, or vectors of one length. Bools are i1.
/// Means what Emit.h and the op catalogue say, for all dtypes; null for an operation that the dtype
/// does not have.
mlir::Value expandScalar(mlir::ImplicitLocOpBuilder &b, const ScalarCall &call,
                         mlir::ValueRange operands, const MathTarget &target);

/// Maximum or minimum of floats, those of IEEE 754-2019: NaN if one is, and +0 is greater than -0.
mlir::Value expandFloatExtremum(mlir::ImplicitLocOpBuilder &b, bool isMax, mlir::Value x,
                                mlir::Value y, const MathTarget &target);

/// ArgCall: joins (value, position) pairs: the greater (lesser), NaN before all; `inOrder` says
/// that the second position is after the first, otherwise the lesser position wins ties.
std::pair<mlir::Value, mlir::Value> expandArgJoin(mlir::ImplicitLocOpBuilder &b, ArgCall call,
                                                  mlir::Value x, mlir::Value xPosition,
                                                  mlir::Value y, mlir::Value yPosition,
                                                  bool inOrder);

} // namespace graphc
