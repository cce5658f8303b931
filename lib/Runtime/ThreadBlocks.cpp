//===- Runtime/ThreadBlocks.cpp -------------------------------------------===//
#include "Runtime/ThreadBlocks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace graphc {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsWatched = true;
#elif defined(__has_feature)
constexpr bool kIsWatched = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||
                            __has_feature(memory_sanitizer);
#else
constexpr bool kIsWatched = false;
#endif

constexpr size_t kLeast = 129, kMost = size_t(64) << 10;

bool isKept(size_t size) { return size >= kLeast && size <= kMost && !kIsWatched; }

/// Blocks of one size, the last one first.
struct Shelf {
  static constexpr int kMostBlocks = 32;
  size_t size = 0; ///< 0: of none yet
  uint64_t lastUse = 0;
  int count = 0;
  std::array<void *, kMostBlocks> blocks = {};

  bool isFull() const { return count == std::min(kMostBlocks, int(kMost / size)); }
  void clear() {
    while (count > 0)
      std::free(blocks[size_t(--count)]);
  }
};

struct ThreadBlocks {
  static constexpr uint64_t kSeldom = 1024;
  std::array<Shelf, 16> shelves = {};
  uint64_t uses = 0;
  bool hasEnded = false; ///< the thread keeps nothing any more

  Shelf *find(size_t size) {
    for (Shelf &shelf : shelves)
      if (shelf.size == size) {
        shelf.lastUse = ++uses;
        return &shelf;
      }
    return nullptr;
  }
  /// In place of the one that nobody has used longest; null where all are used often: more sizes
  /// than there are shelves would clear one another's.
  Shelf *make(size_t size) {
    Shelf &shelf = *std::ranges::min_element(shelves, {}, &Shelf::lastUse);
    if (shelf.size && ++uses - shelf.lastUse < kSeldom)
      return nullptr;
    shelf.clear();
    shelf.size = size;
    shelf.lastUse = ++uses;
    return &shelf;
  }
};

// Without a destructor: arrays of other thread_local variables may go after it.
thread_local ThreadBlocks ofThread;
struct ThreadEnd {
  ~ThreadEnd() {
    ofThread.hasEnded = true;
    for (Shelf &shelf : ofThread.shelves)
      shelf.clear();
  }
};

} // namespace

bool keepsBlocks() { return !kIsWatched; }

void *takeBlock(size_t size) {
  if (isKept(size))
    if (Shelf *shelf = ofThread.find(size); shelf && shelf->count > 0)
      return shelf->blocks[size_t(--shelf->count)];
  return std::malloc(size);
}

void giveBlock(void *block, size_t size) {
  ThreadBlocks &own = ofThread;
  if (!block || !isKept(size) || own.hasEnded)
    return std::free(block);
  Shelf *shelf = own.find(size);
  if (!shelf) {
    static thread_local const ThreadEnd end;
    shelf = own.make(size);
  }
  if (!shelf || shelf->isFull())
    return std::free(block);
  shelf->blocks[size_t(shelf->count++)] = block;
}

} // namespace graphc
