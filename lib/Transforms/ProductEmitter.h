//===- Transforms/ProductEmitter.h - loops of one product -------*- C++ -*-===//
//
// A product of two matrices, which windows of a picture may be (docs/design/17-products.md,
// 18-convolutions.md). Products.cpp says what its loops are, and what is in which file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Transforms/Products.h"

namespace graphc {

/// Makes the loops of a pass that is a product, as emit() says step by step. Steps leave what they
/// find in the members: where operands are (`memory`), what is copied (`copies`), what the tiles
/// beside a panel read (`panel`).
class ProductEmitter : LoopEmitter {
public:
  ProductEmitter(LoopFunction &function, const Pass &pass)
      : LoopEmitter(function), pass(pass), nest(kernel.nests[size_t(pass.nests[0])]) {}

  /// Make the loops, unless the pass is no product of matrices, or of a matrix and a vector, or one
  /// that is better off otherwise.
  bool emitIfProduct();
  bool emitIfVectorProduct();

  /// Whether the pass is a product of matrices, which then has that shape.
  bool findShape();
  ProductShape shape;

  void copyBlockPanels(); ///< RowBlocks.cpp

private:
  //===--- Products.cpp ---------------------------------------------------===//
  /// Of the columns: whole panels without masks, since a load with one is two instructions on many
  /// processors, and what is left, a vector at a time. Where pairs are taken apart, all columns are
  /// done otherwise.
  enum class Columns { Whole, Rest, Split };

  void emit();
  void place();
  void openColumns();
  void openSums();
  void openRows();
  void setPanel();
  void emitPanels(Columns which);
  void readRowsInPlaceOrCopied();
  void emitLastColumns();
  mlir::scf::ForOp mayBeOutlined(mlir::scf::ForOp loop);
  ProductPart partOfThread();
  void copyPanels();
  void setFetching(mlir::Value hasWhole);

  //===--- ProductShape.cpp -----------------------------------------------===//
  void setLeftRows(int most);
  bool findFactors();
  bool mayKeepRows() const;
  std::optional<KeptForm> keptPanels() const;
  int operandOf(mlir::Value factor) const;
  bool findProductLoops();
  bool mayJoinColumns(int first) const;

  //===--- ProductMemory.cpp ----------------------------------------------===//
  bool mustPack();
  bool areColumnsTransposed();
  void findSquares();
  void placeRight();
  void placeLeft();
  void findOperands();
  mlir::Value fillsMatrixByTiles();
  mlir::Value choosePanels();
  mlir::Value readsRowsAgain();
  mlir::Value columnsAtOnce();
  void chooseRows();
  void setLeft();
  void setRight(mlir::Value start, mlir::Value column, ProductPanel &to);
  mlir::Value isKept(mlir::Value copy);
  mlir::Value productAddress(int operand);
  mlir::Value leftAddressOf(mlir::Value row);
  Size bytesInPlace(Size elements);

  //===--- ProductTiles.cpp -----------------------------------------------===//
  struct Tile;
  mlir::Value loadAt(mlir::Value address, mlir::Type type, mlir::Value mask);
  void storeAt(mlir::Value address, mlir::Value element);
  mlir::Value hide(mlir::Value number);
  mlir::Value addProduct(mlir::Value x, mlir::Value y, mlir::Value sum);
  void fillPanelOfMatrix(mlir::Value k, mlir::Value from, llvm::ArrayRef<mlir::Value> right);
  llvm::SmallVector<mlir::Value> sumTile(bool isWhole);
  llvm::SmallVector<mlir::Value> rowsFrom(mlir::Value first, int rows, mlir::Value last);
  void setRows(llvm::ArrayRef<mlir::Value> numbers);
  void emitTiles(int rows, mlir::Value lower, mlir::Value upper, bool isWhole);
  mlir::Value rowsOfWholeTiles(mlir::Value count);
  void emitRowsOfPanel();

  //===--- LineShape.cpp, LineTiles.cpp -----------------------------------===//
  struct LineShape;
  struct LineTiles;
  std::optional<LineShape> lineShape();
  bool mayKeepLines() const;
  bool emitIfLineTiles();

  //===--- ProductRows.cpp ------------------------------------------------===//
  mlir::Value collide(mlir::Value step);
  bool mayBuffer() const;
  void chooseBuffer();
  void bufferRows(mlir::Value now, mlir::Value start, mlir::Value first,
                  llvm::MutableArrayRef<mlir::Value> pointers);

  //===--- ProductFetches.cpp ---------------------------------------------===//
  void setPanelFetching();
  mlir::Value fetchesRows(mlir::Value isFirst);
  void setFetched(mlir::Value fetchesRows);
  void fetchAhead(mlir::Value row, mlir::Value k);
  void fetchLines(int array, mlir::Value place, Size rowStride, mlir::Value ahead, bool toWrite);
  void fetchResults();

  //===--- ProductPacking.cpp ---------------------------------------------===//
  void setColumns(mlir::Value first, mlir::Value upper, bool masked);
  void setMasks(mlir::Value first, mlir::Value upper, bool masked);
  void packPanel(mlir::Value buffer, mlir::Value offset, mlir::Value lower, mlir::Value upper);
  void fetchCopied(int operand, Size ahead);
  void packSquares(mlir::Value buffer, mlir::Value offset, mlir::Value column, mlir::Value end,
                   int side);
  void packPanelTransposed(mlir::Value buffer, mlir::Value offset, mlir::Value first,
                           mlir::Value last);
  void packLeftInTiles(mlir::Value first, mlir::Value end);
  bool copyShortRun(mlir::Value address, mlir::Value place, Size length);
  void packLeft(mlir::Value first, mlir::Value end);
  void packPanels(mlir::Value buffer, mlir::Value first, mlir::Value lower, mlir::Value upper);
  mlir::Value joinLines(llvm::SmallVector<mlir::Value> lines);
  llvm::SmallVector<mlir::Value> transposeSquares(llvm::ArrayRef<mlir::Value> lines, int side);
  void transposeInSquares(llvm::MutableArrayRef<mlir::Value> squares);

  //===--- ProductWindows.cpp ---------------------------------------------===//
  int numSumsAroundLines() const;
  void openSumOfWindow(int position, mlir::Value &place);
  int openSumsOfWindow(int first, mlir::Value &place);
  void packWindow(mlir::Value buffer, mlir::Value offset, mlir::Value first, mlir::Value end);

  //===--- ProductParts.cpp -----------------------------------------------===//
  LineParts linePartsOf() const;
  bool mayJoinLineParts() const;
  mlir::Value fillsByTiles();
  llvm::SmallVector<mlir::Value> joinLineParts(const PanelParts &parts);
  void clearLineParts();
  void fetchLineParts();
  PanelParts setLineParts(int linesAtOnce, mlir::Value number, mlir::Value first, mlir::Value end,
                          bool isLong);
  void packLineParts(mlir::Value buffer, mlir::Value offset, mlir::Value first, mlir::Value end);

  //===--- ProductStrides.cpp ---------------------------------------------===//
  std::optional<int64_t> stridedElements(bool isLong) const;
  mlir::Value addStridedPart(PanelParts &parts, mlir::Value begin, mlir::Value before);
  llvm::SmallVector<mlir::Value> joinStridedParts(const PanelParts &parts);

  //===--- ProductPictures.cpp --------------------------------------------===//
  bool joinsPictures() const;
  std::optional<int64_t> numPixels() const;
  void setColumnsOfThread(ProductPart &part);
  void setPixel(mlir::Value column);
  void keepPictures(mlir::Value first, mlir::Value end, llvm::ArrayRef<mlir::Value> results);

  //===--- ProductSums.cpp ------------------------------------------------===//
  bool mayCutSums() const;
  SumRange allSums();
  mlir::Value chooseSums(mlir::Value rowBytes);
  mlir::Value zerosOnStack();
  llvm::SmallVector<mlir::Value> firstSums(bool isWhole);

  //===--- ProductVectors.cpp ---------------------------------------------===//
  VectorProduct vectorProduct(int matrix, int loop, int other, int sums, bool isDots);
  void sumLines(const VectorProduct &product, mlir::Value count);
  void sumDotProducts(const VectorProduct &product, mlir::Value count);
  mlir::scf::ForOp
  emitVectorProduct(const VectorProduct &product, mlir::Value lower, mlir::Value upper,
                    llvm::function_ref<void(mlir::Value first, mlir::Value end)> keep);
  void keepSums(mlir::Value first, mlir::Value end, int lanes,
                llvm::function_ref<void(mlir::Value index, mlir::Value end, bool masked)> setLoops);

  //===--- ProductLines.cpp -----------------------------------------------===//
  std::pair<mlir::Value, mlir::Value> findOneLine();
  void emitOneLine();

  //===--- ProductColumns.cpp ---------------------------------------------===//
  void placeLastColumns();
  void findLastColumns(mlir::Value rest);
  void packWholeLastColumns(mlir::Value end);
  void packLastColumns(mlir::Value copied);
  void emitLastColumnsAsDots();
  void emitLastColumnsOfRows();
  void sumLastColumns(mlir::Value count, int beside);
  void keepLastColumns();

  //===--- ProductPairs.cpp -----------------------------------------------===//
  void setPairs();
  void findPairs();
  mlir::Value greatestMagnitudes();
  mlir::Value lesserMagnitudes(mlir::Value words, mlir::Value least);
  mlir::Value leastExponent(mlir::Value magnitude);
  mlir::Value leastOfRows();
  mlir::Value arePairsExact();
  mlir::Value roomOfPairs(mlir::Value pairs);
  mlir::Value halvesOf(Size elements);
  mlir::Value wordsAt(mlir::Value address, mlir::Value count, int words);
  void storeVector(mlir::Value address, mlir::Value words);
  mlir::Value wordsOfLines(mlir::Value address, mlir::Value step, int lines, mlir::Value mask);
  mlir::Value wordsOfLines(mlir::Value address, mlir::Value step, mlir::Value lowMask,
                           mlir::Value highMask);
  mlir::Value overPairsOfLines(
      mlir::Value address, mlir::Value step, mlir::Value lower, mlir::Value upper,
      mlir::Value least,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, int, mlir::Value)> make);
  mlir::Value packPairPanels(mlir::Value first, mlir::Value upper);
  mlir::Value packPairsTransposed(mlir::Value column, mlir::Value upper, mlir::Value columnStep,
                                  mlir::Value least,
                                  llvm::function_ref<mlir::Value(mlir::Value)> placeOf);
  void packPairRows(mlir::Value first, mlir::Value end);
  mlir::Value addPairs(mlir::Value x, mlir::Value y, mlir::Value sum);
  std::array<mlir::Value, 2> splitPairs(mlir::Value words);

  //===--- ProductTileRegisters.cpp ---------------------------------------===//
  void setTileRegisters();
  void placeTileRegisters();
  void tileInstruction(llvm::StringRef name, mlir::ValueRange operands);
  void multiplyTile(mlir::Value first, mlir::Value count);
  void emitTileRegisters();
  void releaseTileRegisters();
  void packPairsAcross(mlir::Value first, mlir::Value end);
  llvm::SmallVector<mlir::Value> sumSplitTile();

  const Pass pass;
  const KernelNest &nest; ///< the sums; what follows them are the pass's other nests
  ProductMemory memory;
  ProductLast lastColumns;
  ProductCopies copies;
  ProductPanel panel;
  ProductPart threadPart;
  mlir::Value sumsOnStack, zeros;
  std::pair<mlir::Value, mlir::Value> isOneLine; ///< there is one row, one column; null: never
  mlir::Value endOfTiles, numRows, leftExponent, areExact;
  mlir::Value firstColumn, endColumn, endOfWhole; ///< of the block of columns, and of whole panels
  mlir::Value firstRow, endRow;                   ///< of the block of rows
};

} // namespace graphc
