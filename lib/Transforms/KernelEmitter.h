//===- Transforms/KernelEmitter.h - loops of one kernel ---------*- C++ -*-===//
//
// Holds what the strategies share. Each strategy is a file:
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
//   Products.cpp products of matrices, with Product*.cpp
//   LineTiles.cpp products of windows, line by line
//   RowBlocks.cpp products with rows between them
// and KernelEmitter.cpp makes the function, the loops around passes and the choice.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Support/CopiedOperands.h"
#include "Transforms/BodyEmitter.h"
#include "Transforms/PassPlan.h"
#include "Transforms/Pieces.h"

namespace graphc {

/// From this bodyCost on, a map's body is made once. Behind a product, code for a whole tile of it
/// would take longer to compile than smaller tiles, of one kind, cost when they run.
constexpr int kLongBody = 20;

class KernelEmitter {
public:
  KernelEmitter(const KernelModel &kernel, const LoopTarget &target);

  /// Makes the function of loops, in front of the kernel's linalg function.
  mlir::func::FuncOp emit();

private:
  struct Bounds {
    Size lower, upper;
  };

  bool uses(Optimization one) const { return target.optimizations.has(one); }
  void makeFunction(mlir::func::FuncOp fn);
  ArrayPlace view(mlir::Value argument, llvm::ArrayRef<Size> shape, mlir::Type element,
                  int dropped);
  void addScratch(int array, int outer);
  /// A scratch row of elements, as memory of rank 1.
  ArrayPlace addScratch(mlir::Type element, Size extent);
  mlir::Value addScratchArgument(mlir::Type element, llvm::ArrayRef<Size> shape);
  /// The address of a copy of the input `array` in that form, which has rows in memory of as many
  /// elements as the product of the extents; 0 where none is kept. The scratch buffer that is added
  /// next is not there where it is.
  mlir::Value addKept(int array, KeptForm form, mlir::Type element, llvm::ArrayRef<Size> extents);
  /// The last scratch buffer is used only where the product of the extents is greater than `limit`.
  void limitScratch(int64_t limit, llvm::ArrayRef<Size> extents);
  mlir::DenseI64ArrayAttr productOfSizes(int64_t factor, llvm::ArrayRef<Size> extents);
  void placeArrays(llvm::ArrayRef<Pass> passes, int outer);
  int lanesOf() const;
  /// About how many instructions a body has: one for simple ops, some twenty for functions.
  int bodyCost(const KernelNest &nest) const;
  Bounds bounds(const KernelNest &nest, int loop) const;
  /// Opens the loops [first, last) of the nests, runs passes inside, closes them.
  void emitRows(llvm::ArrayRef<int> nests, int first, int last);
  void emitPass(const Pass &pass);
  void openLoop(const KernelNest &nest, int loop);
  /// Opens the parallel loops inside the pass's but these and those from `columnLoop` on.
  /// Returns how many.
  int openOtherLoops(const Pass &pass, int columnLoop, int rowLoop, int pictureLoop = -1);
  mlir::Value floorToMultiple(mlir::Value number, int64_t powerOfTwo);

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
  void keepBlock(const KernelNest &nest, llvm::ArrayRef<mlir::Value> values);
  int numAccumulators(const Pass &pass) const;
  static int evenBlocks(Size extent, int most);
  llvm::SmallVector<mlir::Value, 8> blockIndices(const Bounds &range, mlir::Value first, int count,
                                                 mlir::Value last);

  //===--- ShortRows.cpp --------------------------------------------------===//
  bool prefersPoints(const Pass &pass, int vectorLoop, int rows) const;
  std::optional<BlockShape> shortRows(const Pass &pass) const;

  //===--- Dots.cpp -------------------------------------------------------===//
  struct DotShape {
    int vectorLoop, columnLoop, rowLoop; ///< a reduction, the last parallel one, another one
    int rows;
  };
  std::optional<DotShape> dotShape(const Pass &pass) const;
  void emitDots(const Pass &pass, const DotShape &shape);
  llvm::SmallVector<mlir::Value> sumDots(const KernelNest &nest, const DotShape &shape, int lanes);

  //===--- Scatter.cpp ----------------------------------------------------===//
  struct ScatterShape;
  bool emitIfScatter(const Pass &pass);
  std::optional<ScatterShape> scatterShape(const Pass &pass, const KernelNest &nest) const;
  llvm::SmallVector<ScatterShape, 3> scatterShapes(const Pass &pass) const;
  void overElements(const KernelNest &nest, int first, llvm::function_ref<void()> make);
  void emitScatters(const Pass &pass, llvm::ArrayRef<ScatterShape> shapes);

  //===--- Products.cpp ---------------------------------------------------===//
  struct ProductShape;
  struct ProductPanel;
  struct LinesAhead;
  struct ProductMemory;
  struct SumRange;
  struct ProductCopies;
  struct ProductLast;
  struct ProductPart;
  struct LineParts;
  struct PanelParts;
  bool emitIfProduct(const Pass &pass);
  struct Product;
  void emitProduct(const Pass &pass, const ProductShape &shape);
  mlir::scf::ForOp mayBeOutlined(mlir::scf::ForOp loop);
  ProductPart partOfThread(const Pass &pass, const ProductShape &shape);
  void copyPanels(const KernelNest &nest, const ProductShape &shape, const ProductMemory &memory,
                  mlir::Value first, mlir::Value end, ProductCopies &copies);
  void setFetching(const ProductShape &shape, const ProductMemory &memory,
                   const ProductCopies &copies, mlir::Value first, mlir::Value end,
                   mlir::Value hasWhole, ProductPanel &panel);

  //===--- ProductShape.cpp -----------------------------------------------===//
  void setLeftRows(const KernelNest &nest, ProductShape &shape, int most) const;
  std::optional<ProductShape> productShape(const Pass &pass) const;
  bool findFactors(const Pass &pass, ProductShape &shape) const;
  bool mayKeepRows(const KernelNest &nest, const ProductShape &shape) const;
  std::optional<KeptForm> keptPanels(const KernelNest &nest, const ProductShape &shape) const;
  static int operandOf(const KernelNest &nest, mlir::Value factor);
  bool findProductLoops(const Pass &pass, ProductShape &shape) const;
  bool mayJoinColumns(const Pass &pass, int first) const;

  //===--- ProductMemory.cpp ----------------------------------------------===//
  bool mustPack(const KernelNest &nest, const ProductShape &shape);
  void placeRight(const KernelNest &nest, const ProductShape &shape, ProductMemory &memory);
  void placeLeft(const KernelNest &nest, ProductShape &shape, ProductMemory &memory);
  void findOperands(const KernelNest &nest, const ProductShape &shape, ProductMemory &memory);
  mlir::Value fillsMatrixByTiles(const ProductShape &shape, const ProductMemory &memory,
                                 const ProductCopies &copies, mlir::Value numRows);
  mlir::Value choosePanels(const ProductShape &shape, const ProductMemory &memory,
                           mlir::Value numRows);
  mlir::Value readsRowsAgain(const ProductCopies &copies);
  mlir::Value columnsAtOnce(const ProductShape &shape, const ProductMemory &memory,
                            const ProductCopies &copies);
  void chooseRows(const Pass &pass, const ProductShape &shape, const ProductMemory &memory,
                  const ProductLast &last, ProductCopies &copies);
  void setLeft(const ProductShape &shape, const ProductMemory &memory, const ProductCopies &copies,
               mlir::Value firstRow, ProductPanel &panel);
  void setRight(const ProductShape &shape, const ProductMemory &memory, const ProductCopies &copies,
                mlir::Value start, mlir::Value column, ProductPanel &panel);
  mlir::Value isKept(mlir::Value copy);
  mlir::Value addressOf(mlir::Value buffer);
  mlir::Value bytesOf(Size elements, mlir::Type element);
  llvm::SmallVector<Size> extentsOf(const KernelNest &nest, llvm::ArrayRef<int> loops);
  Size strideAlong(const KernelNest &nest, int operand, int loop);
  Size extentOfAll(const KernelNest &nest, llvm::ArrayRef<int> loops);
  mlir::Value productAddress(const KernelNest &nest, const ProductShape &shape, int operand);
  mlir::Value leftAddressOf(const ProductShape &shape, const ProductPanel &panel, mlir::Value row);
  Size bytesInPlace(const ProductShape &shape, Size elements);
  /// The length of a row, and of a gap behind it where rows would be in one set of the L1 cache.
  mlir::Value withRowGap(mlir::Value length, int64_t bytes);

  //===--- ProductTiles.cpp -----------------------------------------------===//
  struct Tile;
  void keepNests(const Pass &pass, llvm::ArrayRef<mlir::Value> results);
  mlir::Value loadAt(mlir::Value address, mlir::Type type, mlir::Value mask);
  mlir::Value pointerTo(mlir::Value address);
  void storeAt(mlir::Value address, mlir::Value element);
  mlir::Value hide(mlir::Value number);
  mlir::Value addProduct(mlir::Value x, mlir::Value y, mlir::Value sum);
  void fillPanelOfMatrix(const ProductShape &shape, const ProductPanel &panel, mlir::Value k,
                         mlir::Value from, llvm::ArrayRef<mlir::Value> right);
  llvm::SmallVector<mlir::Value> sumTile(const KernelNest &nest, const ProductShape &shape,
                                         const ProductPanel &panel, bool isWhole);
  llvm::SmallVector<mlir::Value> rowsFrom(mlir::Value first, int rows, mlir::Value last);
  void setRows(const ProductShape &shape, llvm::ArrayRef<mlir::Value> numbers);
  void emitTiles(const Pass &pass, const ProductShape &shape, const ProductPanel &panel, int rows,
                 mlir::Value lower, mlir::Value upper, bool isWhole);
  mlir::Value rowsOfWholeTiles(const ProductShape &shape, mlir::Value count);
  void emitRowsOfPanel(const Pass &pass, const ProductShape &shape, const ProductPanel &panel,
                       mlir::Value lower, mlir::Value upper);

  //===--- LineTiles.cpp --------------------------------------------------===//
  struct LineShape;
  struct LineTiles;
  std::optional<LineShape> lineShape(const Pass &pass, const ProductShape &product);
  bool mayKeepLines(const KernelNest &nest, const ProductShape &product) const;
  bool emitIfLineTiles(const Pass &pass, const ProductShape &product);

  //===--- ProductRows.cpp ------------------------------------------------===//
  mlir::Value collide(mlir::Value step);
  bool mayBuffer(const ProductShape &shape, const ProductMemory &memory) const;
  void chooseBuffer(const ProductShape &shape, const ProductMemory &memory,
                    const ProductCopies &copies, ProductPanel &panel);
  void bufferRows(const ProductShape &shape, const ProductPanel &panel, mlir::Value now,
                  mlir::Value start, mlir::Value first,
                  llvm::MutableArrayRef<mlir::Value> pointers);

  //===--- ProductFetches.cpp ---------------------------------------------===//
  void setPanelFetching(const ProductShape &shape, const ProductCopies &copies, mlir::Value numRows,
                        ProductPanel &panel);
  mlir::Value fetchesRows(const ProductShape &shape, const ProductCopies &copies,
                          mlir::Value isFirst);
  void setFetched(const ProductShape &shape, mlir::Value fetchesRows, ProductPanel &panel);
  void fetchAhead(const ProductShape &shape, const LinesAhead &ahead, mlir::Value firstRow,
                  mlir::Value k);
  void fetchLines(const ProductShape &shape, int array, mlir::Value place, Size rowStride,
                  mlir::Value ahead, bool toWrite);
  void fetchResults(const Pass &pass, const ProductShape &shape, const ProductPanel &panel);

  //===--- ProductPacking.cpp ---------------------------------------------===//
  void setColumns(const KernelNest &nest, const ProductShape &shape, mlir::Value first,
                  mlir::Value upper, bool masked);
  void setMasks(mlir::Value first, mlir::Value upper, bool masked);
  void packPanel(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                 mlir::Value offset, mlir::Value lower, mlir::Value upper);
  void fetchCopied(const KernelNest &nest, int operand, Size ahead);
  void packPanelTransposed(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                           mlir::Value offset, mlir::Value first, mlir::Value last,
                           const SumRange &sums);
  void packLeftInTiles(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                       mlir::Value first, mlir::Value end);
  bool copyShortRun(const ProductShape &shape, mlir::Value buffer, mlir::Value address,
                    mlir::Value place, Size length);
  void packLeft(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                mlir::Value first, mlir::Value end, mlir::Value stride, const SumRange &sums);
  void packPanels(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                  mlir::Value first, mlir::Value lower, mlir::Value upper, const SumRange &sums);
  llvm::SmallVector<mlir::Value> transposeSquares(llvm::ArrayRef<mlir::Value> lines, int side);
  void transposeInSquares(llvm::MutableArrayRef<mlir::Value> squares);

  //===--- ProductWindows.cpp ---------------------------------------------===//
  int numSumsAroundLines(const KernelNest &nest, const ProductShape &shape) const;
  void openSumOfWindow(const KernelNest &nest, const ProductShape &shape, int position,
                       mlir::Value &place);
  int openSumsOfWindow(const KernelNest &nest, const ProductShape &shape, int first,
                       mlir::Value &place);
  void packWindow(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                  mlir::Value offset, mlir::Value first, mlir::Value end);

  //===--- ProductParts.cpp -----------------------------------------------===//
  LineParts linePartsOf(const KernelNest &nest, const ProductShape &shape) const;
  bool mayJoinLineParts(const KernelNest &nest, const ProductShape &shape) const;
  mlir::Value fillsByTiles(const KernelNest &nest, const ProductShape &shape, mlir::Value numRows);
  llvm::SmallVector<mlir::Value> joinLineParts(const KernelNest &nest, const ProductShape &shape,
                                               const PanelParts &parts);
  void clearLineParts(const ProductShape &shape);
  void fetchLineParts(const KernelNest &nest, const ProductShape &shape);
  PanelParts setLineParts(const KernelNest &nest, const ProductShape &shape, int linesAtOnce,
                          mlir::Value number, mlir::Value first, mlir::Value end, bool isLong);
  void packLineParts(const KernelNest &nest, const ProductShape &shape, mlir::Value buffer,
                     mlir::Value offset, mlir::Value first, mlir::Value end);

  //===--- ProductStrides.cpp ---------------------------------------------===//
  std::optional<int64_t> stridedElements(const KernelNest &nest, const ProductShape &shape,
                                         bool isLong) const;
  mlir::Value addStridedPart(const KernelNest &nest, const ProductShape &shape, PanelParts &parts,
                             mlir::Value begin, mlir::Value before);
  llvm::SmallVector<mlir::Value> joinStridedParts(const KernelNest &nest, const ProductShape &shape,
                                                  const PanelParts &parts);

  //===--- ProductPictures.cpp --------------------------------------------===//
  bool joinsPictures(const KernelNest &nest, const ProductShape &shape) const;
  static std::optional<int64_t> numPixels(const KernelNest &nest, const ProductShape &shape);
  void setColumnsOfThread(const KernelNest &nest, const ProductShape &shape, ProductPart &part);
  void setPixel(const KernelNest &nest, const ProductShape &shape, mlir::Value column);
  void keepPictures(const Pass &pass, const ProductShape &shape, mlir::Value first, mlir::Value end,
                    llvm::ArrayRef<mlir::Value> results);

  //===--- ProductSums.cpp ------------------------------------------------===//
  bool mayCutSums(const Pass &pass, const ProductShape &shape, const ProductMemory &memory) const;
  SumRange allSums(const ProductShape &shape);
  mlir::Value chooseSums(const ProductShape &shape, const ProductMemory &memory,
                         const ProductLast &last, const ProductCopies &copies,
                         mlir::Value rowBytes);
  mlir::Value zerosOnStack(const ProductShape &shape);
  llvm::SmallVector<mlir::Value> firstSums(const KernelNest &nest, const ProductShape &shape,
                                           const ProductPanel &panel, bool isWhole);

  //===--- ProductVectors.cpp ---------------------------------------------===//
  struct VectorProduct;
  bool emitIfVectorProduct(const Pass &pass);
  VectorProduct vectorProduct(const KernelNest &nest, const ProductShape &shape, int matrix,
                              int loop, int other, int sums, bool isDots);
  mlir::Value onStack(mlir::Type element, int64_t bytes);
  void sumLines(const KernelNest &nest, const VectorProduct &product, mlir::Value count,
                mlir::Value sums);
  void sumDotProducts(const KernelNest &nest, const VectorProduct &product, mlir::Value count,
                      mlir::Value sums);
  mlir::scf::ForOp
  emitVectorProduct(const KernelNest &nest, const VectorProduct &product, mlir::Value lower,
                    mlir::Value upper, mlir::Value sums,
                    llvm::function_ref<void(mlir::Value first, mlir::Value end)> keep);
  void keepSums(const Pass &pass, mlir::Value sums, mlir::Value first, mlir::Value end, int lanes,
                llvm::function_ref<void(mlir::Value index, mlir::Value end, bool masked)> setLoops);
  void setLoop(int loop, mlir::Value index);
  bool isDense(const KernelNest &nest, int operand, int loop);

  //===--- ProductLines.cpp -----------------------------------------------===//
  std::pair<mlir::Value, mlir::Value> findOneLine(const KernelNest &nest,
                                                  const ProductShape &shape);
  void emitOneLine(const Pass &pass, const ProductShape &shape, mlir::Value sums,
                   std::pair<mlir::Value, mlir::Value> isOne,
                   std::pair<mlir::Value, mlir::Value> rows,
                   std::pair<mlir::Value, mlir::Value> columns);

  //===--- ProductColumns.cpp ---------------------------------------------===//
  void placeLastColumns(const KernelNest &nest, const ProductShape &shape,
                        const ProductMemory &memory, ProductLast &last);
  void findLastColumns(const KernelNest &nest, const ProductShape &shape,
                       const ProductMemory &memory, const ProductCopies &copies, mlir::Value end,
                       mlir::Value rest, mlir::Value whole, ProductLast &last);
  void packLastColumns(const ProductShape &shape, const ProductLast &last, mlir::Value copied);
  void emitLastColumns(const Pass &pass, const ProductShape &shape, const ProductPanel &panel,
                       const ProductLast &last, mlir::Value sums, mlir::Value lower,
                       mlir::Value upper);
  void emitLastColumnsOfRows(const Pass &pass, const ProductShape &shape, const ProductPanel &panel,
                             mlir::Value buffer, mlir::Value first, mlir::Value count,
                             mlir::Value lower, mlir::Value upper);

  //===--- ProductPairs.cpp -----------------------------------------------===//
  void setPairs(const KernelNest &nest, ProductShape &shape);
  void findPairs(const KernelNest &nest, const ProductShape &shape, ProductMemory &memory);
  mlir::Value greatestMagnitudes();
  mlir::Value lesserMagnitudes(mlir::Value words, mlir::Value least);
  mlir::Value leastExponent(mlir::Value magnitude);
  mlir::Value leastOfRows(const KernelNest &nest, const ProductShape &shape,
                          const ProductMemory &memory, mlir::Value lower, mlir::Value upper);
  mlir::Value arePairsExact(const ProductShape &shape, const ProductMemory &memory,
                            mlir::Value leftExponent, mlir::Value least);
  mlir::Value roomOfPairs(mlir::Value pairs);
  mlir::Value halvesOf(Size elements);
  mlir::Value wordsAt(mlir::Value address, mlir::Value count, int words);
  void storeVector(mlir::Value address, mlir::Value words);
  mlir::Value wordsOfLines(mlir::Value address, mlir::Value step, int lines, mlir::Value mask);
  mlir::Value wordsOfLines(mlir::Value address, mlir::Value step, mlir::Value lowMask,
                           mlir::Value highMask);
  mlir::Value overPairsOfLines(
      const KernelNest &nest, const ProductShape &shape, mlir::Value address, mlir::Value step,
      mlir::Value lower, mlir::Value upper, mlir::Value least,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, int, mlir::Value)> make);
  mlir::Value packPairPanels(const KernelNest &nest, const ProductShape &shape,
                             const ProductMemory &memory, mlir::Value first, mlir::Value upper);
  mlir::Value packPairsTransposed(const KernelNest &nest, const ProductShape &shape,
                                  const ProductMemory &memory, mlir::Value column,
                                  mlir::Value upper, mlir::Value columnStep, mlir::Value least,
                                  llvm::function_ref<mlir::Value(mlir::Value)> placeOf);
  void packPairRows(const KernelNest &nest, const ProductShape &shape, const ProductMemory &memory,
                    mlir::Value first, mlir::Value end, mlir::Value stride);
  mlir::Value addPairs(mlir::Value x, mlir::Value y, mlir::Value sum);
  std::array<mlir::Value, 2> splitPairs(mlir::Value words);

  //===--- ProductTileRegisters.cpp ---------------------------------------===//
  void setTileRegisters(ProductShape &shape);
  void placeTileRegisters(const ProductShape &shape, ProductMemory &memory);
  void tileInstruction(llvm::StringRef name, mlir::ValueRange operands);
  void multiplyTile(const ProductShape &shape, const ProductMemory &memory,
                    const ProductPanel &panel, mlir::Value first, mlir::Value count);
  void emitTileRegisters(const Pass &pass, const ProductShape &shape, const ProductMemory &memory,
                         const ProductPanel &panel, mlir::Value lower, mlir::Value upper);
  void releaseTileRegisters();
  void packPairsAcross(const KernelNest &nest, const ProductShape &shape,
                       const ProductMemory &memory, mlir::Value first, mlir::Value end,
                       mlir::Value stride);
  llvm::SmallVector<mlir::Value> sumSplitTile(const ProductShape &shape, const ProductPanel &panel);

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
  bool isOfBlock(int array, int rowLoop) const;
  void copyBlockPanels(const Pass &pass, ProductShape shape);

  const KernelModel &kernel;
  const LoopTarget target;
  mlir::func::FuncOp fn;
  mlir::ImplicitLocOpBuilder b;
  std::optional<LoopStack> stack;
  std::optional<BodyEmitter> body;
  std::vector<bool> inMemory;
  mlir::Value splitBegin, splitEnd;
  /// A loop that is cut in blocks, and the one that is open; -1: none is.
  int blockLoop = -1;
  NextRows nextRows; ///< of the pass that is made
  Bounds block;
  /// By nest, the address of panels that all blocks of rows read, or 0.
  llvm::DenseMap<int, mlir::Value> blockPanels;
  int numScratch = 0;
  llvm::SmallVector<mlir::Attribute> scratchSizes, scratchLimits;
  llvm::SmallVector<KeptForm> keptForms; ///< by scratch buffer: see kKeptAttr
};

} // namespace graphc
