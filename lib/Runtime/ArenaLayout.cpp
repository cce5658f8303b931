//===- ArenaLayout.cpp ----------------------------------------------------===//
#include "Runtime/ArenaLayout.h"

namespace graphc {

int64_t ArenaLayout::rounded(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void ArenaLayout::addHole(int64_t offset, int64_t bytes) {
  holes_[offset] = bytes;
  bySize_.insert({bytes, offset});
}

int64_t ArenaLayout::allocate(int64_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0)
    return 0;
  if (auto it = bySize_.lower_bound({bytes, 0}); it != bySize_.end()) {
    auto [size, offset] = *it;
    bySize_.erase(it);
    holes_.erase(offset);
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
      bySize_.erase({last->second, last->first});
      holes_.erase(last);
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
    bySize_.erase({next->second, next->first});
    next = holes_.erase(next);
  }
  if (next != holes_.begin()) {
    auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      bytes += previous->second;
      bySize_.erase({previous->second, previous->first});
      holes_.erase(previous);
    }
  }
  addHole(offset, bytes);
}

} // namespace graphc
