//===- Lowering/LinalgScalars.h - scalar operations in linalg bodies ------*- C++ -*-===//
#pragma once

#include "Lowering/ScalarCall.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graphc {

/// An op of arith or math that means exactly what the scalar operation does on this dtype, or null
/// where only a call (ScalarCall.h) does. f16 and bf16 ops of arith round once, as Emit.h asks.
mlir::Value buildNativeScalar(mlir::ImplicitLocOpBuilder &b, const ScalarCall &call,
                              mlir::ValueRange operands);

/// A constant from ScalarNode's payload: the bits of the value, zero-extended.
mlir::Value buildConstant(mlir::ImplicitLocOpBuilder &b, DType dtype, uint64_t bits);

/// The element with which a reduction starts.
mlir::TypedAttr neutralElement(mlir::MLIRContext *context, Combine combine, DType dtype);

/// Joins two values of one dtype (not for None, ArgMax, ArgMin). Sums and products may be
/// reassociated: said by the op's flag on floats.
mlir::Value buildCombine(mlir::ImplicitLocOpBuilder &b, Combine combine, DType dtype, mlir::Value a,
                         mlir::Value c);

} // namespace graphc
