//===- Support/MemoryCost.h - what a vector of a load costs -------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc {

/// Up to this distance in memory, elements of a vector are loaded as whole vectors and picked out
/// of them; farther ones are gathered.
constexpr int64_t kMaxStride = 4;
constexpr double kGatherCost = 20;
/// Of elements that far apart, in loads of whole vectors.
constexpr double costOfStride(int64_t stride) {
  return stride == 1 ? 1 : 1 < stride && stride <= kMaxStride ? double(stride) + 1 : kGatherCost;
}

} // namespace graphc
