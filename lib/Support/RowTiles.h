//===- RowTiles.h - which products copy rows tile by tile --------*- C++ -*-===//
//
// Fusion turns fewer products (Kernels/TurnProducts.cpp) where the loops stage copies rows that
// stand together (a transposed operand) in tiles (Transforms/ProductPacking.cpp), which it does
// without mask registers. It does so with AVX-512 on Intel's processors, too, where these products
// are turned as on others: 512x7 with 2048 outputs takes 0.55 of the time by it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// Such rows are copied if they are so many bytes times columns (float32: 2^22 products). Below,
/// copies take what tiles gain by them.
inline constexpr int64_t kCopiedTilesWork = 16 << 20;

} // namespace graphc
