//===- Transforms/Products.h - what a product is made as -------*- C++ -*-===//
//
// What ProductEmitter's files share.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Support/RowTiles.h"
#include "Transforms/LoopEmitter.h"
#include "llvm/ADT/SmallBitVector.h"

#include <limits>

namespace graphc {

/// Rows that are addressed from one pointer: 0, s, 2s, 3s, 4s, 5s and 6s are a pointer and one of
/// three registers, scaled.
inline constexpr int kRowsOfPointer = 7;

/// Tiles fetch what comes next in front of so many terms at least, or put them into a buffer.
inline constexpr int64_t kTermsAtOnce = 16;

/// So few columns behind the last whole vector are done as dot products: one for each row where
/// there are so many terms; several, where there are twice as many, or no others; where rows stand
/// together, so many rows and terms for each.
inline constexpr int kLastColumns = 4;
inline constexpr int64_t kDotTerms = 16;
/// Rows of a block that has sums of last columns beside a transposed left operand, at most.
inline constexpr int64_t kRowsOfSums = 256;

/// Bytes of the stack for sums of a matrix and a vector, and for the last columns.
inline constexpr int64_t kSumBytes = 16 << 10;
static_assert(kLastColumns * kRowsOfSums * int64_t(sizeof(double)) <= kSumBytes);

/// What was found to be best by measuring, on processors with mask registers (Zen 4 and 5;
/// Intel's by an Emerald Rapids, whose L2 cache is twice as large) and those with AVX2 (Zen 3,
/// whose L2 cache and tiles are half as large and less). docs/design/17-products.md has the
/// figures.
struct ProductTuning {
  int64_t copiedLines; ///< of the right operand that are copied at a time, in all panels
  int64_t leastPanels; ///< that are copied at a time, a piece of each line, however long they are
  bool fetchesCopied;  ///< whether copies fetch what they will read (ProductPacking.cpp)
  int64_t farBytes;    ///< panels of a larger right operand are copied line by line before tiles
  int64_t fetchedRowsBytes;    ///< tiles fetch the next one's rows if all rows have more bytes
  int64_t mostFetched;         ///< and those of a tile at most so many
  bool fetchesRowsOfWindows;   ///< also in products of windows
  int64_t fetchedResultsBytes; ///< tiles fetch results that have so many bytes (ProductFetches.cpp)
  bool resultsIntoL1;          ///< the nearest cache, to write them; else into the L2 cache
  bool fetchesPanels;          ///< whether tiles fetch the next panel (ProductFetches.cpp)
  bool copiesStraddling;       ///< whether panels are copied for cache lines' sake (choosePanels)
  bool copiesForFewRows;       ///< whether far operands are copied for less than two tiles of rows
  bool tilesOfRows; ///< whether rows that stand together are copied tile by tile (ProductShape)
  bool copiesFetchedRows; ///< whether other rows that stand together are copied as they are read
  bool buffersRows;       ///< whether rows that collide are put into a buffer (ProductRows.cpp)
  bool joinsLeftRows;     ///< whether one or two left rows are done with a whole tile's
};

inline constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

inline ProductTuning tuningOf(const LoopTarget &target) {
  if (target.maskRegisters)
    return {.copiedLines = 32,
            .leastPanels = 1,
            .fetchesCopied = false,
            .farBytes = kNoLimit,
            .fetchedRowsBytes = target.l2Bytes / 2,
            .mostFetched = kNoLimit,
            .fetchesRowsOfWindows = false,
            .fetchedResultsBytes = 2 * target.l2Bytes,
            .resultsIntoL1 = !target.isIntel,
            .fetchesPanels = false,
            .copiesStraddling = false,
            .copiesForFewRows = true,
            .tilesOfRows = target.isIntel,
            .copiesFetchedRows = !target.isIntel,
            .buffersRows = !target.isIntel,
            .joinsLeftRows = false};
  return {.copiedLines = 8,
          .leastPanels = 4,
          .fetchesCopied = true,
          .farBytes = 8 * target.l2Bytes,
          .fetchedRowsBytes = 2 * target.l2Bytes,
          .mostFetched = target.l2Bytes / 8,
          .fetchesRowsOfWindows = true,
          .fetchedResultsBytes = 0,
          .resultsIntoL1 = true,
          .fetchesPanels = true,
          .copiesStraddling = true,
          .copiesForFewRows = false,
          .tilesOfRows = true,
          .copiesFetchedRows = false,
          .buffersRows = false,
          .joinsLeftRows = true};
}

struct ProductShape {
  int rowLoop;
  int columnLoop;                 ///< the first of the columns', which are the last parallel loops
  int pictureLoop = -1;           ///< columns count this one, too, before the others; -1: none
  llvm::SmallVector<int> sums;    ///< the loops that k counts, the outermost one first
  llvm::SmallBitVector backwards; ///< by position in `sums`: k counts that loop from its end
  /// So many of the last sums are steps through the left operand as of one loop. If that is not all
  /// of them, rows are copied, so many elements at a time.
  int numRun = 0;
  /// Columns or sums are several loops, or the right factor is more than an operand: all panels are
  /// copied, by ProductWindows.cpp.
  bool isWindow = false;
  int left, right; ///< operands of the nest; -1: the factor is none
  mlir::Value leftFactor, rightFactor;
  bool isLeftPlain, isRightPlain; ///< the factor is the operand's element, and not a cast of it
  bool isLeftTransposed = false;  ///< rows of the left operand stand together
  /// Copies of such rows are those of one tile after the other, and within, of one k after the
  /// other, so that a tile reads whole cache lines. Otherwise of one k after the other.
  bool inTiles = false;
  mlir::Type element; ///< of the factors and the sums
  /// k that one element of panels and rows has: 2 where these are pairs (ProductPairs.cpp).
  int group = 1;
  bool inTileRegisters = false; ///< pairs are multiplied there (ProductTileRegisters.cpp)
  int lanes, vectors;
  llvm::SmallVector<int, 2> rows; ///< of tiles, and of those of the rows that are left
  int middleRows = 0;             ///< of a tile for rows that are left, if it has all; 0: none
  int narrowRows;                 ///< of tiles of one vector
  bool hasTallTiles = false;      ///< those are of `rows`, too
  bool isOneTile = false;         ///< all rows are; no part has some of them
  Size length, numColumns;        ///< extents of all `sums` together, in groups, and of all columns
  Size room;                      ///< of a panel, for so many k, in groups

  /// Columns of a panel.
  int64_t width() const { return int64_t(vectors) * lanes; }
};

/// What whole tiles fetch while they run: in front of every `numTerms` terms of their sums so many
/// lines. Line i in front of term k is at `address` + k `termStep` + i `lineStep`, and `tileStep`
/// for each tile between the one at hand and that of `firstRow`. Of tiles that fetch nothing there
/// are 0 lines in front of all terms. No address: they never do; nor numTerms: nothing is done in
/// front of some terms.
struct LinesAhead {
  mlir::Value address, firstRow, tileStep, termStep, lineStep, numLines, numTerms;
};

/// What the tiles beside a panel of columns read. All steps are in bytes.
struct ProductPanel {
  mlir::Value address,
      step;                ///< of the right operand: the panel's first element, and from k to k + 1
  mlir::Value leftAddress; ///< of the left operand's element in row `firstRow`, k = 0
  mlir::Value firstRow;
  Size rowStep, sumStep; ///< of the left operand
  mlir::Value tileStep;  ///< that comes on top of each tile's rows (ProductShape::inTiles), or null
  mlir::Value ahead; ///< how far in front of what a tile reads of it is fetched; null: not at all
  /// Where tiles put what they read of the left operand, if `copies`: element (k, row - firstRow)
  /// at k steps behind that of row - firstRow. Null: nowhere. If not `copies` it is memory of the
  /// kernel's own, and a step is 0: stores without any lane take thousands of cycles where there is
  /// no memory.
  mlir::Value copied, copiedStep, copies;
  /// Of windows: the first tile of rows ends here, and puts the right operand into the panel on the
  /// way; firstRow: it does not. Null: never.
  mlir::Value endOfFilling;
  bool fills = false;  ///< that tile is being made
  bool splits = false; ///< tiles take pairs apart
  mlir::Value length;  ///< of its sums
  /// Whether these go on from what is stored, and where a vector of zeros is if not. Null: never.
  mlir::Value continues, zeros;
  mlir::Value firstColumn, endColumn; ///< of the panel, and of the last one
  /// Of matrices: the tile whose first row is `fillingRow` reads the right operand at `source`,
  /// and puts it into the panel on its way. Null: none does.
  mlir::Value fillingRow, source, sourceStep;
  /// Whether the others fetch the next panel, not the next tile's rows; null: never. There are
  /// `numFetching` of them, which take turns: `numLines` each in front of every `numTerms` terms.
  mlir::Value fetchesPanel, numFetching, numLines, numTerms;
  mlir::Value hasNext; ///< whether another whole panel is behind this one
  LinesAhead fetched;
  /// Whether whole tiles put their rows into `buffer`, kTermsAtOnce terms at a time, and read them
  /// there (ProductRows.cpp). Null: never.
  mlir::Value buffers, buffer;
};

/// Parts of lines that vectors of panels are put together of.
struct LineParts {
  int atOnce = 1;         ///< lines for each vector
  bool mayBeMore = false; ///< there may be more of them than that
};

/// The parts that are set up.
struct PanelParts {
  /// By vector: the lanes of all its parts; not of strided ones.
  llvm::SmallVector<mlir::Value> together;
  std::optional<int64_t> numElements; ///< as stridedElements says
  /// By strided part: for each lane the number of an element in what is loaded, and the lanes that
  /// stay those of the parts before.
  llvm::SmallVector<mlir::Value> places, before;
};

/// Memory that a product reads its operands from. Strides are in elements, steps in bytes.
struct ProductMemory {
  ArrayPlace packed, copied; ///< room for panels of the right operand, rows of the left one
  mlir::Value packedAddress, copiedAddress;
  mlir::Value keptPanels, keptRows; ///< copies that the runtime has, or 0; null: never
  mlir::Value blockPanels;          ///< copies that all blocks of rows share, or 0; null: no blocks
  int64_t numPanels = 0, mostRows = 0; ///< that are copied at once
  bool mustPack = false;               ///< panels must be copied: tiles cannot read the operand
  bool mayCopyLeft = false;
  Size leftRowStride, leftSumStride;
  /// At the present iteration of the other loops.
  mlir::Value leftAddress, rightAddress, firstKeptRow;
  mlir::Value columnStep, sumStep; ///< of the right operand where it lies
  /// Of pairs: the operands where they lie. Of columns whose elements stand together, too.
  mlir::Value leftSource, rightSource;
  mlir::Value tileConfiguration, tileSums; ///< of tile registers: memory of the stack
};

/// k in [first, end), of `room` that panels of copies have place for.
struct SumRange {
  mlir::Value first, end, room;
};

/// What is copied in this call.
struct ProductCopies {
  mlir::Value packs;               ///< whether all panels are
  mlir::Value panels, firstPacked; ///< where panels are, from which column on
  mlir::Value fills;               ///< whether the first tile of rows does it; null: never
  mlir::Value leastRight;          ///< of pairs: the least magnitudes of panels that are copied
  mlir::Value rows, rowsNow;       ///< whether rows are read from a copy, which is made now
  mlir::Value areMany;             ///< rows are more than two L2 caches, and done in blocks
  mlir::Value areFar;              ///< rows are more than ProductTuning::fetchedRowsBytes
  mlir::Value areBlocks;           ///< rows, or parts of them, are copied for each block of columns
  mlir::Value sums;                ///< k at a time, at least one; null: always all
  SumRange now;                    ///< those that are done
  mlir::Value isFetched;           ///< rows are large, but not copied; null: never
  mlir::Value blockRows, rowStride; ///< rows at a time, and from one to the next, or of each k
};

/// The few columns behind the last whole vector.
struct ProductLast {
  bool may = false; ///< there may be some that are done in a way of their own
  int most = 0;     ///< of them
  bool mayBeOne = false;
  int columns = 1; ///< side by side where there are several; 1: there are not
  int64_t mostOnStack = 0;
  mlir::Value onStack, inScratch; ///< room for copies
  mlir::Value count, first, address, isOne;
  ProductPanel panel;
};

/// Rows [lower, upper), columns [begin, end).
struct ProductPart {
  mlir::Value lower, upper, begin, end;
};

/// A matrix times a vector. All steps are in bytes.
struct VectorProduct {
  mlir::Type element;
  int lanes = 0;
  bool isDots =
      false; ///< the elements of a sum stand together, and not those that several results need
  mlir::Value length;                                     ///< of the sums
  mlir::Value matrix = {}, resultStep = {}, sumStep = {}; ///< the first element, and from there on
  mlir::Value vector = {}, vectorStep = {};
  /// Of dot products: so many vectors, of a power of two, side by side: `lanes / columns` k of each
  /// in turn, the last of them filled up with zeros.
  int columns = 1;
};

} // namespace graphc
