//===- RowTiles.h - which products copy rows tile by tile --------*- C++ -*-===//
//
// Fusion turns fewer products (Kernels/TurnProducts.cpp) where the loops stage copies rows that
// stand together (a transposed operand) in tiles (Transforms/ProductPacking.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// Whether a processor's products copy rows so. With mask registers it was not measured.
constexpr bool copiesRowTiles(bool maskRegisters) { return !maskRegisters; }

/// They do if rows are so many bytes times columns (float32: 2^22 products). Below,
/// copies take what tiles gain by them.
inline constexpr int64_t kCopiedTilesWork = 16 << 20;

} // namespace graphc
