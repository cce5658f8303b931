//===- Runtime/Taps.h - what steps of loops read ------------------*- C++ -*-===//
//
// Taps are the elements of a sequence, or the values of a state, that a step of a loop gets,
// relative to its own number; there is one at least. The element of the least tap below 0 is the
// first one in step 0.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphc {

/// How many values before the first step the state's taps need.
inline int historyOf(const std::vector<int> &taps) { return -*std::ranges::min_element(taps); }
/// Whether the initial value of a state with these taps has an axis for its history.
inline bool hasHistoryAxis(const std::vector<int> &taps) { return taps != std::vector<int>{-1}; }
/// Where the element of tap 0 stands in step 0.
inline int64_t leadOf(const std::vector<int> &taps) {
  return -std::min(0, *std::ranges::min_element(taps));
}
/// Elements that a sequence must have beyond the number of steps.
inline int64_t marginOf(const std::vector<int> &taps) {
  return std::max(0, *std::ranges::max_element(taps)) + leadOf(taps);
}

} // namespace graphc
