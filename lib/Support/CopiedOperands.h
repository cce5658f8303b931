//===- CopiedOperands.h - operands of products, copied -----------*- C++ -*-===//
//
// A product reads some rows of its left operand side by side. Where these are large, or in the same
// sets of a cache, they are copied before, with a gap between them. Of its right operand it reads
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
};

/// To and from bytes, as Support/Bytes.h says.
template <class Bytes, class Form> void transferKeptForm(Bytes &bytes, Form &form) {
  bytes.value(form.input);
  bytes.value(form.columns);
  bytes.value(form.elementBytes);
  bytes.value(form.isTransposed);
}

//===--- rows ---------------------------------------------------------------===//

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
