//===- Transforms/Memory.cpp - arrays in memory ---------------------------===//
#include "Transforms/Memory.h"

namespace graphc {

llvm::SmallVector<int64_t, 8> affineFactors(mlir::AffineExpr expr, unsigned numLoops) {
  llvm::SmallVector<int64_t, 8> factors;
  [[maybe_unused]] bool isAffine =
      mlir::succeeded(mlir::getFlattenedAffineExpr(expr, numLoops, /*numSymbols=*/0, &factors));
  assert(isAffine && factors.size() == numLoops + 1 && "indices are sums of multiples of loops");
  return factors;
}

} // namespace graphc
