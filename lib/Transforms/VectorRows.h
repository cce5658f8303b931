//===- Transforms/VectorRows.h - rows of a few numbers ----------*- C++ -*-===//
//
// Several arrays side by side in memory: a row has a number of each, and is a vector. Lanes of long
// vectors that go to places, or come from them, one by one, take all arrays along (ScatterRows.cpp,
// GatherRows.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Transforms/LoopStack.h"

namespace graphc {

struct VectorRows {
  mlir::Value memory;
  mlir::Value fit;       ///< whether there is room for them, and they pay
  mlir::VectorType type; ///< of a row: a power of two of numbers

  int64_t width() const { return type.getDimSize(0); }
  /// Where the row of a place begins.
  mlir::Value at(LoopStack &stack, mlir::Value place) const;
  mlir::Value load(LoopStack &stack, mlir::Value place) const;
  void store(LoopStack &stack, mlir::Value place, mlir::Value row) const;
};

/// A row of these numbers; 0 where there are fewer.
mlir::Value rowOfNumbers(mlir::ImplicitLocOpBuilder &b, const VectorRows &rows,
                         llvm::ArrayRef<mlir::Value> numbers);
/// The rows of vectors, of at least as many lanes as a row has numbers, that have a number of each
/// row in a lane; 0 where there are fewer vectors.
llvm::SmallVector<mlir::Value, 8> rowsOfVectors(mlir::ImplicitLocOpBuilder &b,
                                                const VectorRows &rows,
                                                llvm::ArrayRef<mlir::Value> vectors);
/// The other way round: vectors with a lane for each row. A power of two of rows.
llvm::SmallVector<mlir::Value, 8> vectorsOfRows(mlir::ImplicitLocOpBuilder &b,
                                                llvm::ArrayRef<mlir::Value> rows);

} // namespace graphc
