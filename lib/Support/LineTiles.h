//===- LineTiles.h - windows' products by lines of pixels --------*- C++ -*-===//
//
// Where fusion leaves a border to the sums that read it (Kernels/LeaveBorders.cpp), the loops stage
// leaves out what these would multiply with it (Transforms/LineTiles.cpp).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc {

/// Pixels of a line, whose sums with two vectors of outputs are in registers.
inline constexpr int64_t kLeastLinePixels = 5, kMostLinePixels = 14;
/// Fewer outputs are no two vectors.
inline constexpr int64_t kLeastLineOutputs = 32;

} // namespace graphc
