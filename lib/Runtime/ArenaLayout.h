//===- ArenaLayout.h - places in an arena -------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

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
  using Holes = std::map<int64_t, int64_t>;            // size by offset
  using Sizes = std::set<std::pair<int64_t, int64_t>>; // (size, offset)
  void addHole(int64_t offset, int64_t bytes);
  /// The hole behind it.
  Holes::iterator removeHole(Holes::iterator hole);

  Holes holes_;
  Sizes bySize_;
  /// Of holes that are gone, for those that come: they come and go with every step of a program.
  std::vector<std::pair<Holes::node_type, Sizes::node_type>> spare_;
  int64_t end_ = 0;
};

} // namespace graphc
