//===- Graph/NodeOrder.cpp ------------------------------------------------===//
#include "Graph/NodeOrder.h"

#include <algorithm>

#include "Support/Work.h"

namespace graphc::detail {

/// Distance of labels where nothing is in the way.
static constexpr uint64_t kStep = uint64_t(1) << 32;

void NodeOrder::insertAfter(uint32_t at, absl::Span<const uint32_t> numbers) {
  if (numbers.empty())
    return;
  uint64_t parts = numbers.size() + 1;
  if ((labelBehind(at) - labelAt(at)) / parts == 0)
    makeRoom(at, numbers.size());
  uint64_t label = labelAt(at);
  uint64_t step = std::min((labelBehind(at) - label) / parts, kStep);
  uint32_t next = nextOf(at);
  for (uint32_t number : numbers) {
    if (entries_.size() <= number)
      entries_.resize(std::max<size_t>(number + 1, 2 * entries_.size()));
    entries_[number] = {label += step, at, kStart};
    (at == kStart ? first_ : entries_[at].next) = number;
    at = number;
  }
  entries_[at].next = next;
  if (next != kStart)
    entries_[next].previous = at;
  workDone += numbers.size();
}

void NodeOrder::remove(uint32_t number) {
  uint32_t previous = entries_[number].previous, next = entries_[number].next;
  (previous == kStart ? first_ : entries_[previous].next) = next;
  if (next != kStart)
    entries_[next].previous = previous;
  entries_[number] = Entry();
}

/// Spreads labels so that `count` more fit behind `at`.
void NodeOrder::makeRoom(uint32_t at, uint64_t count) {
  // A range of 2^i labels may hold (2 / 1.3)^i entries.
  constexpr double kGrowth = 2 / 1.3;
  double most = 1;
  uint64_t settled = at != kStart, low = 0, size = 1;
  uint32_t first = at, behind = nextOf(at); // of the entries in the range, and behind them
  for (;;) {
    size *= 2;
    most *= kGrowth;
    low = labelAt(at) & ~(size - 1);
    for (uint32_t left; first != kStart && (left = entries_[first].previous) != kStart &&
                        entries_[left].label >= low;
         ++settled)
      first = left;
    for (; behind != kStart && entries_[behind].label < low + size; ++settled)
      behind = entries_[behind].next;
    if (size == kEnd || double(settled + count) <= most)
      break;
  }
  workDone += settled;
  uint64_t step = size / (settled + count + 1), label = low;
  if (at == kStart) {
    label += step * count;
    first = first_;
  }
  for (uint32_t each = first; each != behind; each = entries_[each].next) {
    entries_[each].label = label += step;
    if (each == at)
      label += step * count;
  }
}

} // namespace graphc::detail
