//===- ArenaLayout.h - places in an arena -------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace graphc {

/// Gives out 64-byte aligned ranges of an arena that grows as needed; the smallest hole that fits
/// is taken first. Logarithmic time.
class ArenaLayout {
public:
  int64_t allocate(int64_t bytes);
  void release(int64_t offset, int64_t bytes);
  int64_t size() const { return end_; }
  /// What an array of `bytes` takes.
  static int64_t rounded(int64_t bytes);

private:
  void addHole(int64_t offset, int64_t bytes);
  std::map<int64_t, int64_t> holes_;             // size by offset
  std::set<std::pair<int64_t, int64_t>> bySize_; // (size, offset)
  int64_t end_ = 0;
};

} // namespace graphc
