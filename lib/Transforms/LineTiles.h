//===- Transforms/LineTiles.h - windows, line by line -----------*- C++ -*-===//
#pragma once

#include "Lowering/ScalarTypes.h"
#include "Support/LineTiles.h"
#include "Transforms/ProductEmitter.h"

namespace graphc {

/// A product of windows that is made line by line (LineShape.cpp).
struct ProductEmitter::LineShape {
  int array = -1; ///< the picture
  int line = -1;  ///< the loop of a line's pixels
  int tap = -1;   ///< that of window positions along it; -1: none is left out for any pixel
  int64_t length = 0, pixels = 0; ///< of a line, of a tile
  int64_t numTaps = 1;
  /// Loops that the window follows and the weights do not, but the line's.
  llvm::SmallVector<int> others;
  llvm::SmallVector<CounterSum> axes; ///< the picture's indices
  /// What must be at least 0 for a pixel and a window position to be in the picture: along the
  /// line, and otherwise, of a sum's loop each.
  llvm::SmallVector<CounterSum> ofLine;
  llvm::SmallVector<std::pair<int, CounterSum>> ofSums;
};

/// The tiles of one product while they are made. All steps and addresses are in bytes.
struct ProductEmitter::LineTiles {
  LineTiles(ProductEmitter &emitter, const LineShape &lines)
      : emitter(emitter), b(emitter.b), stack(*emitter.stack), body(*emitter.body),
        pass(emitter.pass), nest(emitter.nest), shape(emitter.shape), lines(lines),
        bytes(memoryBytes(shape.element)), outputs(kLineVectors * shape.lanes),
        type(mlir::VectorType::get({shape.lanes}, shape.element)) {}
  void emit();

private:
  /// A loop of the sums as steps through picture and panel.
  struct Sum {
    mlir::Value lower, upper;
    Size ofPicture, ofPanel;
  };

  Size panelStep(size_t position);
  Size pictureStep(int loop);
  mlir::Value times(mlir::Value number, Size step) {
    return stack.value(stack.multiply(number, step));
  }
  mlir::Value sizesOf(const CounterSum &sum);
  void copyWeights(mlir::Value first, mlir::Value isWanted);
  void copyBlock(llvm::ArrayRef<mlir::Value> rows, mlir::Value place, Size numLeft);
  void sumLine(mlir::Value panel);
  Sum sumOver(size_t position);
  void findBorder();
  void overSums(llvm::ArrayRef<Sum> loops, mlir::Value picture, mlir::Value panel);
  void fetchPixels(mlir::Value first);
  void addProducts(mlir::Value picture, mlir::Value panel);
  /// Whether a tile's pixel has a window position in the picture.
  enum class Is { Never, Sometimes, Always };
  bool isInPicture(int64_t pixel, int64_t tap) const;
  Is areInPicture(int64_t pixel, int64_t tap) const;
  void setPart();
  void openLines(mlir::Value panel);
  void openTiles();
  llvm::SmallVector<mlir::Value> transposed();
  void setOutputs(mlir::Value first);

  ProductEmitter &emitter;
  mlir::ImplicitLocOpBuilder &b;
  LoopStack &stack;
  BodyEmitter &body;
  const Pass &pass;
  const KernelNest &nest;
  const ProductShape &shape;
  const LineShape &lines;
  const int64_t bytes, outputs; ///< of an element; of a panel
  const mlir::VectorType type;
  mlir::Value weights, room; ///< where they lie, and for a copy of a panel
  mlir::Value numOutputs, firstPanel, endPanel;
  /// Of a part of the outputs: numbers of lines beside all panels, and how many a panel has.
  mlir::Value firstLine, endLine, numLines;
  mlir::Value pixel, done; ///< of the tile at hand: the first one, and how many there are already
  mlir::Value zeroAddress;
  llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value> inPicture;
  mlir::Value fetched;                 ///< how far ahead lines are fetched
  llvm::SmallVector<mlir::Value> sums; ///< by pixel and vector
};

} // namespace graphc
