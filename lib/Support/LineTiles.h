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
/// Fewer outputs are no two vectors.
inline constexpr int64_t kLeastLineOutputs = 32;

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

} // namespace graphc
