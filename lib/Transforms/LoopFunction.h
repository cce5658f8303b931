//===- Transforms/LoopFunction.h - the function of a kernel's loops -*- C++ -*-===//
#pragma once

#include "Support/CopiedOperands.h"
#include "Transforms/BodyEmitter.h"

namespace graphc {

/// Iterations of a loop.
struct Bounds {
  Size lower, upper;
};

/// The function that a kernel becomes (LinalgToLoops.h), while emitters put loops into it.
class LoopFunction {
public:
  /// Makes the function, without loops, in front of the kernel's linalg function.
  LoopFunction(const KernelModel &kernel, const LoopTarget &target);
  LoopFunction(const LoopFunction &) = delete;
  /// Ends the function. To be called last.
  void finish();

  /// An argument's memory as rank-1 elements, with the distances of neighbours along each axis.
  /// `dropped` leading axes are not in memory: each iteration of the outer loops uses the same
  /// place.
  ArrayPlace view(mlir::Value argument, llvm::ArrayRef<Size> shape, mlir::Type element,
                  int dropped);
  void addScratch(int array, int outer);
  /// A scratch row of elements, as memory of rank 1.
  ArrayPlace addScratch(mlir::Type element, Size extent);
  /// An argument for scratch memory of the shape, behind the others.
  mlir::Value addScratchArgument(mlir::Type element, llvm::ArrayRef<Size> shape);
  /// The address of a copy of the input `array` in that form, which has rows in memory of as many
  /// elements as the product of the extents; 0 where none is kept. The scratch buffer that is added
  /// next is not there where it is.
  mlir::Value addKept(int array, KeptForm form, mlir::Type element, llvm::ArrayRef<Size> extents);
  /// The last scratch buffer is used only where the product of the extents is greater than `limit`.
  void limitScratch(int64_t limit, llvm::ArrayRef<Size> extents);

  const KernelModel &kernel;
  const LoopTarget &target;
  mlir::ImplicitLocOpBuilder b;
  mlir::func::FuncOp fn;
  LoopStack stack;
  BodyEmitter body;
  std::vector<bool> inMemory; ///< by array
  mlir::Value splitBegin, splitEnd;
  /// A loop that is cut in blocks (RowBlocks.cpp), and the one that is open; -1: none is.
  int blockLoop = -1;
  Bounds block;
  /// By nest, the address of panels that all blocks of rows read, or 0.
  llvm::DenseMap<int, mlir::Value> blockPanels;

private:
  mlir::func::FuncOp makeFunction();
  mlir::DenseI64ArrayAttr productOfSizes(int64_t factor, llvm::ArrayRef<Size> extents);
  void setAttributes();

  int numScratch = 0;
  llvm::SmallVector<mlir::Attribute> scratchSizes, scratchLimits;
  llvm::SmallVector<KeptForm> keptForms; ///< by scratch buffer: see kKeptAttr
};

} // namespace graphc
