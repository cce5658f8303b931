//===- Ops/Windows.h - what convolution and pooling share ------------*- C++ -*-===//
#pragma once

#include "Rules.h"

namespace graphc {

/// A list attribute of `count` numbers; the empty list stands for `otherwise` everywhere.
IntList perAxis(const Attributes &attributes, std::string_view name, int count, int64_t otherwise);
/// The greatest width, stride or dilation: far beyond any array, and exact in a double, as which
/// such numbers stand in bodies.
inline constexpr int64_t kMaxWidth = int64_t(1) << 40;
/// ValueError unless the attribute is empty or has `count` numbers, each from `least` to kMaxWidth.
absl::Status checkPerAxis(const Attributes &attributes, std::string_view name, int count,
                          int64_t least);
/// Positions of a window that covers `window` of `extent` elements, every `stride`.
Extent windowCount(Extent extent, Extent window, int64_t stride);
/// x with `fill` in front of and behind its last front.size() axes, in one nest; x itself where
/// nothing is added.
Array padTrailing(Emitter &e, Array x, const Extents &front, const Extents &back, double fill);

} // namespace graphc
