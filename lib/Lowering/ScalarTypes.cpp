//===- Lowering/ScalarTypes.cpp - dtypes as MLIR types --------------------===//
#include "Lowering/ScalarTypes.h"

namespace graphc {

mlir::Type scalarType(mlir::MLIRContext *context, DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return mlir::Float16Type::get(context);
  case DType::BFloat16:
    return mlir::BFloat16Type::get(context);
  case DType::Float32:
    return mlir::Float32Type::get(context);
  case DType::Float64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, bitWidth(dtype));
  }
}

mlir::Type memoryType(mlir::Type scalar) {
  return scalar.isInteger(1) ? mlir::IntegerType::get(scalar.getContext(), 8) : scalar;
}

int64_t memoryBytes(mlir::Type scalar) {
  return scalar.isIndex() ? 8 : (scalar.getIntOrFloatBitWidth() + 7) / 8;
}

} // namespace graphc
