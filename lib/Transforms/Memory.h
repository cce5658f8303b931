//===- Transforms/Memory.h - arrays in memory -------------------*- C++ -*-===//
#pragma once

#include "Transforms/LoopStack.h"

namespace graphc {

/// Where an array is: rank-1 memory of elements (i8 for Bool) and, for each axis, the distance of
/// neighbours in elements.
struct ArrayPlace {
  mlir::Value buffer; ///< memref<?xT>; null if the array is in registers only
  llvm::SmallVector<Size, 6> strides;
  /// What is added to addresses, if not null: `buffer` holds a part that begins at another element,
  /// known in a loop of that level.
  Size origin;
  int originLevel = 0;
};

/// One load or store of a nest: the array and how its indices come about.
struct MemoryAccess {
  int array = -1;
  const void *identity = nullptr;            ///< tells accesses apart
  mlir::AffineMap map;                       ///< of the nest's loops; or else
  llvm::SmallVector<mlir::Value, 6> indices; ///< values of the body
  mlir::Value condition, otherwise;          ///< of a masked load
};

/// A Bool is i1 in registers and a byte in memory; other values are the same in both. Scalars and
/// vectors.
mlir::Value toMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
mlir::Value fromMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value loaded, mlir::Type element);

/// Stores the first `count` lanes of vectors, none if that is negative, all if it is more than
/// they have: whole vectors, or a half of one, a quarter and so on. For processors without mask
/// registers, some of which take 20 cycles and more for a masked store.
void storeFirstLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                     llvm::ArrayRef<mlir::Value> places, llvm::ArrayRef<mlir::Value> vectors,
                     mlir::Value count);

/// The constant factors of the loops in an affine expression, and then its constant part.
llvm::SmallVector<int64_t, 8> affineFactors(mlir::AffineExpr expr, unsigned numLoops);

} // namespace graphc
