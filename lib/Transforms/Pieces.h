//===- Transforms/Pieces.h - where a long body is cut -------------*- C++ -*-===//
#pragma once

#include "Transforms/KernelModel.h"

namespace graphc {

/// A part of the bodies of maps that run along one another, in their order.
struct Piece {
  struct Part {
    int nest;
    llvm::SmallVector<mlir::Value, 4> targets; ///< what it computes for later pieces
    bool ends = false;                         ///< it computes the nest's result, too
  };
  llvm::SmallVector<Part, 2> parts;
  /// What it reads of earlier pieces: values of bodies. A nest's result is its term.
  llvm::SmallVector<mlir::Value, 4> reads;
};

/// About how many instructions an op of a body is.
int instructionsOf(mlir::Operation &op);

/// The pieces of the maps `nests`, one if it is better not to cut. `computed` are the values that
/// may be handed on: floats that differ from iteration to iteration. What `isInMemory` need not be
/// handed on.
std::vector<Piece> cutBodies(const KernelModel &kernel, llvm::ArrayRef<int> nests,
                             const llvm::DenseSet<mlir::Value> &computed,
                             llvm::function_ref<bool(int array)> isInMemory);

} // namespace graphc
