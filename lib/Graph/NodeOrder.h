//===- Graph/NodeOrder.h - a list that knows what comes first ---*- C++ -*-===//
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace graphc::detail {

/// A list of numbers with labels that grow along it: which of two comes first is one comparison.
/// Insertion takes amortized O(log n) new labels, also where all go to one place: where labels are
/// exhausted, those of the smallest range around are spread that is thinly enough settled, ranges
/// being the thinner the larger they are (after Bender, Cole, Demaine, Farach-Colton and Zito, Two
/// simplified algorithms for maintaining order in a list, 2002). That changes no order.
class NodeOrder {
public:
  static constexpr uint32_t kStart = ~uint32_t(0);
  /// Larger than every label; 0 is smaller.
  static constexpr uint64_t kEnd = uint64_t(1) << 62;

  /// 0 for what is not in the list.
  uint64_t label(uint32_t number) const {
    return number < entries_.size() ? entries_[number].label : 0;
  }
  /// Numbers that are not in the list, in their order, directly behind `at`, or first.
  void insertAfter(uint32_t at, absl::Span<const uint32_t> numbers);
  void remove(uint32_t number);
  /// What stands directly before, or kStart.
  uint32_t before(uint32_t number) const { return entries_[number].previous; }

private:
  struct Entry {
    uint64_t label = 0;
    uint32_t previous = kStart, next = kStart;
  };
  uint64_t labelAt(uint32_t at) const { return at == kStart ? 0 : entries_[at].label; }
  uint32_t nextOf(uint32_t at) const { return at == kStart ? first_ : entries_[at].next; }
  uint64_t labelBehind(uint32_t at) const {
    uint32_t next = nextOf(at);
    return next == kStart ? kEnd : entries_[next].label;
  }
  void makeRoom(uint32_t at, uint64_t count);

  std::vector<Entry> entries_;
  uint32_t first_ = kStart;
};

} // namespace graphc::detail
