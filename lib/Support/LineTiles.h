//===- LineTiles.h - windows' products by lines of pixels --------*- C++ -*-===//
//
// Where fusion leaves a border to the sums that read it (Kernels/LeaveBorders.cpp), the loops stage
// leaves out what these would multiply with it (Transforms/LineTiles.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// Pixels of a tile, whose sums with two vectors of outputs are in registers: so many at most, and
/// not fewer where a line has more than one tile.
inline constexpr int64_t kMostTilePixels = 14, kLeastTilePixels = 8;
inline constexpr int64_t kLeastLinePixels = 5, kMostLinePixels = 64;
/// The pixels of all tiles of a line; the last one begins within the one before where these are
/// more than the line has.
constexpr int64_t pixelsOfTiles(int64_t line, int64_t tile) {
  return (line + tile - 1) / tile * tile;
}
/// Of a tile, so that no more than must be are done twice.
constexpr int64_t tilePixels(int64_t line) {
  if (line <= kMostTilePixels)
    return line;
  int64_t best = kMostTilePixels;
  for (int64_t tile = best; tile >= kLeastTilePixels; --tile)
    if (pixelsOfTiles(line, tile) < pixelsOfTiles(line, best))
      best = tile;
  return best;
}
/// Whether lines are of so many pixels that tiles of them gain what they do twice.
constexpr bool areLinesWorthTiles(int64_t line) {
  return line >= kLeastLinePixels && line <= kMostLinePixels &&
         (pixelsOfTiles(line, tilePixels(line)) - line) * 20 <= line;
}

/// Vectors of outputs of a panel, and bytes of one.
inline constexpr int kLineVectors = 2;
inline constexpr int64_t kLineVectorBytes = 64;
/// Window positions along a line are written out: so many at most, in lines of one tile and of
/// several, where some pixels have some positions in some tiles alone.
inline constexpr int64_t kMostLineTaps = 11, kMostTapsOfTiles = 7;
/// Shorter sums do not pay for what follows them, 32 outputs at once.
inline constexpr int64_t kLeastLineTerms = 128;

/// A sum of products with windows, as fusion and ops know it.
struct WindowSums {
  int64_t line;    ///< pixels
  int64_t taps;    ///< window positions along it
  int64_t terms;   ///< of a sum
  int64_t outputs; ///< in a group
  int64_t elementBytes;
};
/// Whether they are made line by line. What outputs leave free of the last panel is done in vain.
constexpr bool areDoneByLines(const WindowSums &sums) {
  const int64_t panel = kLineVectors * kLineVectorBytes / sums.elementBytes;
  const int64_t unused = (sums.outputs + panel - 1) / panel * panel - sums.outputs;
  const bool isOneTile = sums.line <= kMostTilePixels;
  return areLinesWorthTiles(sums.line) && sums.taps >= 1 &&
         sums.taps <= (isOneTile ? kMostLineTaps : kMostTapsOfTiles) &&
         sums.terms >= kLeastLineTerms && sums.outputs >= panel && unused * 16 <= sums.outputs;
}

} // namespace graphc
