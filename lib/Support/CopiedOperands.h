//===- CopiedOperands.h - operands of products, copied -----------*- C++ -*-===//
//
// A product reads some rows of its left operand side by side. Where these are in the same set of a
// cache, they are copied before, with a gap between them. Of its right operand it reads
// panels of columns, which are copied so that what one k needs stands together. Both are done by
// the product itself (lib/Transforms/Products.cpp), or, if the operand is a constant, once and for
// all (lib/Runtime/KeptOperands.cpp), in the same form.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// The form in which the runtime keeps an operand of a kernel that is a constant.
struct KeptForm {
  int32_t input = -1;        ///< of the kernel; -1: none is kept
  int32_t columns = 0;       ///< of a panel; 0: the operand is kept in rows
  int32_t elementBytes = 0;  ///< of panels; 2: bfloat16
  bool isTransposed = false; ///< of panels: a column of the operand is a row in memory
  /// The kernel's next buffer is room for a copy at each call, which is not wanted where one is
  /// kept. Otherwise the operand is read in place then.
  bool hasRoom = true;
};

/// To and from bytes, as Support/Bytes.h says.
template <class Bytes, class Form> void transferKeptForm(Bytes &bytes, Form &form) {
  bytes.value(form.input);
  bytes.value(form.columns);
  bytes.value(form.elementBytes);
  bytes.value(form.isTransposed);
  bytes.value(form.hasRoom);
}

//===--- rows ---------------------------------------------------------------===//

/// Rows so many bytes apart, or a multiple of that, are in one set of the L1 cache, which cannot
/// hold those of a tile that has more of them than the cache has ways (8 and more).
inline constexpr int64_t kSetBytes = 4096;
inline constexpr int kCacheWays = 8;
/// They are copied if they have so many bytes.
inline constexpr int64_t kCopiedBytes = 32 << 10;
/// Bytes between rows whose length is a multiple of kRoundBytes, so that neighbours fall into
/// different sets.
inline constexpr int64_t kRowGap = 64, kRoundBytes = 512;

/// Whether the rows of an operand of so many bytes are copied.
constexpr bool copiesRows(int64_t bytes, int64_t rowBytes) {
  return rowBytes % kSetBytes == 0 && bytes >= kCopiedBytes;
}
/// Bytes from one copied row to the next.
constexpr int64_t copiedStride(int64_t rowBytes) {
  return rowBytes + (rowBytes % kRoundBytes == 0 ? kRowGap : 0);
}

//===--- panels -------------------------------------------------------------===//

/// The least size of a constant whose panels are kept: a smaller one is in the L1 cache as it is.
inline constexpr int64_t kKeptPanelBytes = 32 << 10;

/// Elements of panels that have fewer bytes stand in groups: as many k as there is room for in so
/// many bytes, of each column, side by side; zeros behind the last one.
inline constexpr int64_t kGroupBytes = 4;
constexpr int64_t panelGroup(int64_t elementBytes) {
  return elementBytes < kGroupBytes ? kGroupBytes / elementBytes : 1;
}
/// A tile register takes so many groups at a time: from there on panels have a multiple of it, with
/// groups of zeros at their end.
inline constexpr int64_t kGroupsAtOnce = 16;
constexpr int64_t groupsWithZeros(int64_t groups) {
  return groups < kGroupsAtOnce ? groups
                                : (groups + kGroupsAtOnce - 1) / kGroupsAtOnce * kGroupsAtOnce;
}

/// In front of kept panels of bfloat16 are so many bytes, which begin with the least of the
/// elements' magnitudes: their bits without the sign, less one, so that zeros are the greatest.
inline constexpr int64_t kKeptHeadBytes = 64;
inline constexpr uint16_t kBf16Magnitude = 0x7fff;

} // namespace graphc
