//===- Lowering/ScalarTypes.h - dtypes as MLIR types ------------*- C++ -*-===//
#pragma once

#include "graphc/DType.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc {

/// The type of a scalar of this dtype in generated code. Integers are signless: their sign is in
/// the ops. A Bool is i1 (and one byte in memory).
mlir::Type scalarType(mlir::MLIRContext *context, DType dtype);

/// The type of a Bool's element in memory is i8; of the others the scalar's.
mlir::Type memoryType(mlir::Type scalar);

/// Bytes of one element in memory.
int64_t memoryBytes(mlir::Type scalar);

} // namespace graphc
