//===- ArenaLayout.cpp ----------------------------------------------------===//
#include "Runtime/ArenaLayout.h"

namespace graphc {

int64_t ArenaLayout::rounded(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void ArenaLayout::addHole(int64_t offset, int64_t bytes) {
  if (spare_.empty()) {
    holes_.emplace(offset, bytes);
    bySize_.emplace(bytes, offset);
    return;
  }
  auto [hole, size] = std::move(spare_.back());
  spare_.pop_back();
  hole.key() = offset;
  hole.mapped() = bytes;
  size.value() = {bytes, offset};
  holes_.insert(std::move(hole));
  bySize_.insert(std::move(size));
}

ArenaLayout::Holes::iterator ArenaLayout::removeHole(Holes::iterator hole) {
  auto next = std::next(hole);
  Sizes::node_type size = bySize_.extract({hole->second, hole->first});
  spare_.emplace_back(holes_.extract(hole), std::move(size));
  return next;
}

int64_t ArenaLayout::allocate(int64_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0)
    return 0;
  if (auto it = bySize_.lower_bound({bytes, 0}); it != bySize_.end()) {
    auto [size, offset] = *it;
    removeHole(holes_.find(offset));
    if (size > bytes)
      addHole(offset + bytes, size - bytes);
    return offset;
  }
  // A hole at the end is made larger.
  int64_t offset = end_;
  if (!holes_.empty()) {
    auto last = std::prev(holes_.end());
    if (last->first + last->second == end_) {
      offset = last->first;
      removeHole(last);
    }
  }
  end_ = offset + bytes;
  return offset;
}

void ArenaLayout::release(int64_t offset, int64_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0)
    return;
  auto next = holes_.lower_bound(offset);
  if (next != holes_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = removeHole(next);
  }
  if (next != holes_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      removeHole(previous);
    }
  }
  addHole(offset, bytes);
}

} // namespace graphc
