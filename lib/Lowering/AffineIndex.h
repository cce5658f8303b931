//===- Lowering/AffineIndex.h - index expressions as affine maps ----------*- C++ -*-===//
#pragma once

#include <optional>

#include "Kernels/Kernel.h"
#include "mlir/IR/AffineMap.h"

namespace graphc {

/// (d0, ..., dn) -> (d0, ..., d(count-1)).
mlir::AffineMap leadingLoops(unsigned numLoops, unsigned count, mlir::MLIRContext *context);

/// For every node of the nest's body: its value as an affine expression of the loops with constant
/// factors, or null.
std::vector<mlir::AffineExpr> affineExprs(const Kernel &kernel, const Nest &nest,
                                          mlir::MLIRContext *context);

/// The indexing map of an unmasked load, if it has one that linalg takes: a loop alone may stand
/// only for an axis that is exactly as long as the loop, because linalg reads the loops' extents
/// off the operands.
std::optional<mlir::AffineMap> loadMap(const Kernel &kernel, const Nest &nest,
                                       llvm::ArrayRef<mlir::AffineExpr> affine,
                                       const ScalarNode &load, mlir::MLIRContext *context);

} // namespace graphc
