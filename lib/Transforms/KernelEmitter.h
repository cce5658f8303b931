//===- Transforms/KernelEmitter.h - loops of one kernel ---------*- C++ -*-===//
//
// Each strategy is a file:
//   Streams.cpp  maps and reductions that run along one another
//   Strips.cpp   long bodies of maps, in pieces
//   Squares.cpp  transposed operands of maps
//   Pads.cpp     arrays with a border of one number
//   Columns.cpp  reductions over a long outer axis
//   Blocks.cpp   reductions inside blocks of parallel loops: products, windows, sums over outer
//   axes
//   ShortRows.cpp  blocks whose rows are a short last axis
//   Dots.cpp     reductions along an axis in which loads are contiguous
//   NextRows.cpp rows of the next iterations, fetched
//   Scatter.cpp  sums whose terms each belong to one place
//   ScatterRows.cpp  several of them at the same places, as vectors
//   GatherRows.cpp   tables that are read at the same places, side by side
//   RowBlocks.cpp products with rows between them
// and KernelEmitter.cpp makes the loops around passes and the choice. Products of matrices are
// ProductEmitter.h's, and LoopEmitter.h has what all use.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Transforms/LoopEmitter.h"
#include "Transforms/Pieces.h"

namespace graphc {

class KernelEmitter : LoopEmitter {
public:
  explicit KernelEmitter(LoopFunction &function) : LoopEmitter(function) {}

  /// Makes the loops of all nests, and ends the function.
  void emit();

private:
  /// Opens the loops [first, last) of the nests, runs passes inside, closes them.
  void emitRows(llvm::ArrayRef<int> nests, int first, int last);
  void emitPass(const Pass &pass);

  //===--- Streams.cpp ----------------------------------------------------===//
  struct StreamReduction;
  struct Stream;
  void emitStream(const Pass &pass);
  void emitPoint(const Pass &pass);
  int streamLoop(const Pass &pass) const;
  void streamInnerLoop(Stream &stream);
  void streamBlock(Stream &stream, mlir::Value index, int unroll, mlir::Value mask);
  void streamBody(Stream &stream, mlir::Value index, int unroll, mlir::Value mask);
  void keepResult(const KernelNest &nest, mlir::Value scalar);
  void keepVectors(int array, llvm::ArrayRef<mlir::Value> values);

  //===--- Strips.cpp -----------------------------------------------------===//
  std::vector<Piece> piecesOf(const Pass &pass, int vectorLoop);
  void emitStrips(const Pass &pass, int vectorLoop, llvm::ArrayRef<Piece> pieces, mlir::Value lower,
                  mlir::Value upper, bool hasTail);

  //===--- Squares.cpp ----------------------------------------------------===//
  mlir::Value emitSquares(const Pass &pass, int vectorLoop, int crossed, mlir::Value index,
                          mlir::Value begin, mlir::Value end, mlir::Value mask);

  //===--- Pads.cpp -------------------------------------------------------===//
  struct PadShape;
  bool emitIfPad(const Pass &pass);
  std::optional<PadShape> padShape(const Pass &pass);
  bool readBounds(const KernelNest &nest, mlir::Value condition, PadShape &shape);
  void fillScratch(const Pass &pass, mlir::TypedAttr element);
  void forLine(Size count, bool mayBeHalf, llvm::function_ref<void(mlir::Value, int64_t)> each);
  void copyLine(mlir::Value buffer, mlir::Value result, mlir::Value from, mlir::Value to,
                Size count);
  void fillLine(mlir::TypedAttr element, mlir::Value result, mlir::Value to, Size count);

  //===--- Columns.cpp ----------------------------------------------------===//
  bool isColumnReduction(const Pass &pass) const;
  void emitColumns(const Pass &pass, int vectorLoop, int lanes);
  void overColumns(const KernelNest &nest, int loop,
                   llvm::function_ref<void(mlir::Value index)> make, int vectors = 1);

  //===--- NextRows.cpp ---------------------------------------------------===//
  /// Arrays of which a pass asks for rows of the next iterations of `loop`.
  struct NextRows {
    llvm::SmallVector<int> arrays;  ///< one iteration later
    llvm::SmallVector<int> windows; ///< several rows of these, a few iterations later
    int loop = -1;
  };
  std::vector<NextRows> rowsToFetch(llvm::ArrayRef<Pass> passes, int loop) const;
  void fetchNextRows(const KernelNest &nest, int vectorLoop);

  //===--- Blocks.cpp -----------------------------------------------------===//
  struct BlockShape;
  void emitPoints(const Pass &pass);
  bool prefersBlocks(const Pass &pass) const;
  BlockShape blockShape(const Pass &pass) const;
  void emitBlocks(const Pass &pass, const BlockShape &shape);
  void emitPanel(const Pass &pass, const BlockShape &shape, mlir::Value first, mlir::Value upper,
                 bool masked);
  void emitBlock(const Pass &pass);
  llvm::SmallVector<int> sumLoops(const KernelNest &nest) const;
  std::pair<size_t, int64_t> numTaps(const KernelNest &nest, llvm::ArrayRef<int> loops) const;
  std::vector<llvm::SmallVector<mlir::Value, 8>> emitTaps(const KernelNest &nest,
                                                          llvm::ArrayRef<mlir::Value> targets,
                                                          llvm::ArrayRef<int> loops,
                                                          int64_t numTaps);
  bool mayShareLoops(const KernelNest &first, const KernelNest &nest) const;
  size_t numSharingLoops(const Pass &pass, llvm::ArrayRef<int> nests) const;
  void emitBlockReductions(llvm::ArrayRef<int> nests);
  llvm::SmallVector<mlir::Value, 8> blockIndices(const Bounds &range, mlir::Value first, int count,
                                                 mlir::Value last);

  //===--- ShortRows.cpp --------------------------------------------------===//
  bool prefersPoints(const Pass &pass, int vectorLoop, int rows) const;
  std::optional<BlockShape> shortRows(const Pass &pass) const;

  //===--- Dots.cpp -------------------------------------------------------===//
  void emitDots(const Pass &pass, const DotShape &shape);
  llvm::SmallVector<mlir::Value> sumDots(const KernelNest &nest, const DotShape &shape, int lanes);

  //===--- Scatter.cpp ----------------------------------------------------===//
  struct ScatterShape {
    const KernelNest *nest;
    int loop; ///< over places
    mlir::Value start, position, term;
  };
  bool emitIfScatter(const Pass &pass);
  std::optional<ScatterShape> scatterShape(const Pass &pass, const KernelNest &nest) const;
  llvm::SmallVector<ScatterShape, 3> scatterShapes(const Pass &pass) const;
  void overElements(const KernelNest &nest, int first, llvm::function_ref<void()> make);
  void emitScatters(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes);
  void addAreTerms(const KernelNest &nest);
  mlir::Value startOf(const ScatterShape &shape);
  mlir::Value emitOne(const KernelNest &nest, mlir::Value value);
  void emitTerms(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes, mlir::Value begin,
                 mlir::Value end, const VectorRows *rows);

  //===--- ScatterRows.cpp ------------------------------------------------===//
  std::optional<VectorRows> scatterRows(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes);
  int lanesOfTerms(const VectorRows &rows) const;
  void startRows(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes);
  void joinRow(const VectorRows &rows, mlir::Value place, mlir::Value terms);
  mlir::Value joinWholeVectors(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes,
                               mlir::Value begin, mlir::Value end);
  void spreadRows(const VectorRows &rows, llvm::ArrayRef<ScatterShape> shapes);

  //===--- GatherRows.cpp -------------------------------------------------===//
  void placeTables(const Pass &pass, int vectorLoop);
  void fillTables(const TableRows &tables, Size places);

  //===--- RowBlocks.cpp --------------------------------------------------===//
  bool loads(const KernelNest &nest, int array) const;
  bool emitIfRowBlocks(llvm::ArrayRef<int> nests);
  void placeBlock(int array, int rowLoop, int64_t rows);
  llvm::SmallVector<std::pair<int, int>>
  arraysOfBlock(llvm::ArrayRef<int> nests, llvm::ArrayRef<Pass> parts, int rowLoop) const;
  int deadBefore(int number, llvm::ArrayRef<Pass> parts, llvm::ArrayRef<int> placed) const;
  Size blockStride(int array, int rowLoop);
  mlir::Value rowsOfBlock(llvm::ArrayRef<std::pair<int, int>> arrays, int rowLoop, int64_t most,
                          int64_t tile);

  NextRows nextRows; ///< of the pass that is made
};

} // namespace graphc
