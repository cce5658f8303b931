//===- Transforms/LoopEmitter.h - what all strategies for loops use -*- C++ -*-===//
#pragma once

#include "Transforms/LoopFunction.h"
#include "Transforms/PassPlan.h"
#include "Transforms/VectorRows.h"

namespace graphc {

/// From this bodyCost on, a map's body is made once. Behind a product, code for a whole tile of it
/// would take longer to compile than smaller tiles, of one kind, cost when they run.
inline constexpr int kLongBody = 20;

inline constexpr int64_t kCacheLine = 64; ///< bytes

/// Where an operand's element is, by the nest's loops.
inline mlir::AffineMap mapOf(const KernelNest &nest, int operand) {
  return nest.maps[size_t(operand)];
}

/// Puts loops into a function. Strategies are made of it: KernelEmitter, and ProductEmitter for one
/// product of matrices.
class LoopEmitter {
protected:
  explicit LoopEmitter(LoopFunction &function);

  bool uses(Optimization one) const { return target.optimizations.has(one); }
  void placeArrays(llvm::ArrayRef<Pass> passes, int outer);

  int lanesOf() const;
  /// About how many instructions a body has: one for simple ops, some twenty for functions.
  int bodyCost(const KernelNest &nest) const;
  int numAccumulators(const Pass &pass) const;
  static int evenBlocks(Size extent, int most);

  //===--- loops ----------------------------------------------------------===//
  Bounds bounds(const KernelNest &nest, int loop) const;
  void openLoop(const KernelNest &nest, int loop);
  /// Opens the parallel loops inside the pass's but these and those from `columnLoop` on.
  /// Returns how many.
  int openOtherLoops(const Pass &pass, int columnLoop, int rowLoop, int pictureLoop = -1);
  void setLoop(int loop, mlir::Value index);
  mlir::Value floorToMultiple(mlir::Value number, int64_t powerOfTwo);
  void keepBlock(const KernelNest &nest, llvm::ArrayRef<mlir::Value> values);
  void keepNests(const Pass &pass, llvm::ArrayRef<mlir::Value> results);

  //===--- addresses ------------------------------------------------------===//
  Size strideAlong(const KernelNest &nest, int operand, int loop);
  bool isDense(const KernelNest &nest, int operand, int loop);
  llvm::SmallVector<Size> extentsOf(const KernelNest &nest, llvm::ArrayRef<int> loops);
  Size extentOfAll(const KernelNest &nest, llvm::ArrayRef<int> loops);
  /// Memory of the stack, made where the function begins.
  mlir::Value onStack(mlir::Type element, int64_t bytes);
  /// Room on the stack for a row of each place, with a number of each of `count` arrays, and one
  /// that nobody reads at mostRows(); it pays where there are at least `perRow` terms for each.
  /// Nothing where rows would be longer than vectors, nor with vectors of 16 bytes, whose rows
  /// would be pairs.
  std::optional<VectorRows> rowsOnStack(mlir::Type element, size_t count, Size places, Size terms,
                                        int64_t perRow);
  static int64_t mostRows(mlir::VectorType row);
  mlir::Value addressOf(mlir::Value buffer);
  mlir::Value bytesOf(Size elements, mlir::Type element);
  mlir::Value pointerTo(mlir::Value address);
  /// The length of a row, and of a gap behind it where rows would be in one set of the L1 cache.
  mlir::Value withRowGap(mlir::Value length, int64_t bytes);
  bool isOfBlock(int array, int rowLoop) const;

  //===--- Counters.cpp ---------------------------------------------------===//
  /// Counters of loops, each times a factor, and a size.
  struct CounterSum {
    llvm::SmallVector<int64_t, 6> factors; ///< by loop
    Size size;

    /// The only one; -1 if there is none, nothing if there are several.
    std::optional<int> counter() const;
  };
  CounterSum addCounters(const CounterSum &x, const CounterSum &y, int64_t times);
  std::optional<CounterSum> asCounterSum(const KernelNest &nest, mlir::Value value);
  bool readConditions(const KernelNest &nest, mlir::Value condition,
                      llvm::SmallVectorImpl<CounterSum> &sums);

  //===--- Dots.cpp -------------------------------------------------------===//
  struct DotShape {
    int vectorLoop, columnLoop, rowLoop; ///< a reduction, the last parallel one, another one
    int rows;
  };
  std::optional<DotShape> dotShape(const Pass &pass) const;

  LoopFunction &function;
  const KernelModel &kernel;
  const LoopTarget &target;
  mlir::ImplicitLocOpBuilder &b;
  LoopStack *const stack;
  BodyEmitter *const body;
  std::vector<bool> &inMemory;
};

} // namespace graphc
