//===- CopiedRows.h - which rows of operands are copied ----------*- C++ -*-===//
//
// A product reads some rows of an operand side by side. Where these are large, or in the same sets
// of a cache, they are copied before, with a gap between them: by the product itself
// (lib/Transforms/Products.cpp), or, if the operand is a constant, once and for all
// (lib/Runtime/KeptRows.cpp), in the same form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// An operand of so many bytes has its rows copied.
inline constexpr int64_t kCopiedBytes = 1 << 20;
/// Rows so many bytes apart, or a multiple of that, are in two sets of the L1 cache, which can
/// hardly hold a tile's; twice as far apart they are in one, which cannot. They are copied from a
/// smaller size on.
inline constexpr int64_t kConflictBytes = 2048;
inline constexpr int64_t kCopiedTwoSetBytes = 256 << 10;
inline constexpr int64_t kCopiedOneSetBytes = 32 << 10;
/// Bytes between rows whose length is a multiple of kRoundBytes, so that neighbours fall into
/// different sets.
inline constexpr int64_t kRowGap = 64, kRoundBytes = 512;

/// The least size of an operand whose rows are copied, by the bytes of a row.
constexpr int64_t leastCopiedBytes(int64_t rowBytes) {
  return rowBytes % (2 * kConflictBytes) == 0 ? kCopiedOneSetBytes
         : rowBytes % kConflictBytes == 0     ? kCopiedTwoSetBytes
                                              : kCopiedBytes;
}
/// Bytes from one copied row to the next.
constexpr int64_t copiedStride(int64_t rowBytes) {
  return rowBytes + (rowBytes % kRoundBytes == 0 ? kRowGap : 0);
}

} // namespace graphc
