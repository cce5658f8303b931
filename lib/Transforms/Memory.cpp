//===- Transforms/Memory.cpp - arrays in memory ---------------------------===//
#include "Transforms/Memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace graphc {

namespace arith = mlir::arith;
using mlir::Value;

Value toMemory(mlir::ImplicitLocOpBuilder &b, Value value) {
  if (!mlir::getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
  mlir::Type byte = b.getI8Type();
  return arith::ExtUIOp::create(b, vector ? mlir::Type(vector.clone(byte)) : byte, value);
}

Value fromMemory(mlir::ImplicitLocOpBuilder &b, Value loaded, mlir::Type element) {
  if (!element.isInteger(1))
    return loaded;
  mlir::TypedAttr zero = b.getIntegerAttr(b.getI8Type(), 0);
  if (auto type = mlir::dyn_cast<mlir::VectorType>(loaded.getType()))
    zero = mlir::DenseElementsAttr::get(type, mlir::Attribute(zero));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded,
                               arith::ConstantOp::create(b, zero));
}

llvm::SmallVector<int64_t, 8> affineFactors(mlir::AffineExpr expr, unsigned numLoops) {
  llvm::SmallVector<int64_t, 8> factors;
  [[maybe_unused]] bool isAffine =
      mlir::succeeded(mlir::getFlattenedAffineExpr(expr, numLoops, /*numSymbols=*/0, &factors));
  assert(isAffine && factors.size() == numLoops + 1 && "indices are sums of multiples of loops");
  return factors;
}

} // namespace graphc
