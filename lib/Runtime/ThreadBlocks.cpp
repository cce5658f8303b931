//===- Runtime/ThreadBlocks.cpp -------------------------------------------===//
#include "Runtime/ThreadBlocks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "Support/ThreadLocal.h"

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
  static constexpr uint32_t kMostBlocks = 32;
  uint32_t count = 0, most = 0;
  uint64_t lastUse = 0;
  std::array<void *, kMostBlocks> blocks = {};

  void clear() {
    while (count > 0)
      std::free(blocks[--count]);
  }
};

struct ThreadBlocks {
  static constexpr uint64_t kSeldom = 1024;
  static constexpr size_t kShelves = 16;
  std::array<uint32_t, kShelves> sizes = {}; ///< of shelves; 0: of none yet. A cache line
  std::array<Shelf, kShelves> shelves = {};
  uint64_t uses = 0;

  ~ThreadBlocks() {
    for (Shelf &shelf : shelves)
      shelf.clear();
  }
  Shelf *find(size_t size) {
    for (size_t i = 0; i < kShelves; ++i)
      if (sizes[i] == size) {
        shelves[i].lastUse = ++uses;
        return &shelves[i];
      }
    return nullptr;
  }
  /// In place of the one that nobody has used longest; null where all are used often: more sizes
  /// than there are shelves would clear one another's.
  Shelf *make(size_t size) {
    Shelf &shelf = *std::ranges::min_element(shelves, {}, &Shelf::lastUse);
    uint32_t &own = sizes[size_t(&shelf - shelves.data())];
    if (own && ++uses - shelf.lastUse < kSeldom)
      return nullptr;
    shelf.clear();
    own = uint32_t(size);
    shelf.most = std::min(Shelf::kMostBlocks, uint32_t(kMost / size));
    shelf.lastUse = ++uses;
    return &shelf;
  }
};

GRAPHC_NEAR constinit thread_local ThreadBlocks *ofThread = nullptr;
GRAPHC_NEAR constinit thread_local bool hasEnded = false; ///< the thread keeps nothing any more
struct ThreadEnd {
  ~ThreadEnd() { // arrays of other thread_local variables may go after this
    hasEnded = true;
    delete std::exchange(ofThread, nullptr);
  }
};

/// Null where there is no memory for it.
ThreadBlocks *blocksOfThread() {
  if (!ofThread) {
    static thread_local const ThreadEnd end;
    ofThread = new (std::nothrow) ThreadBlocks;
  }
  return ofThread;
}

} // namespace

bool keepsBlocks() { return !kIsWatched; }

void *takeBlock(size_t size) {
  if (isKept(size) && ofThread)
    if (Shelf *shelf = ofThread->find(size); shelf && shelf->count > 0)
      return shelf->blocks[--shelf->count];
  return std::malloc(size);
}

void giveBlock(void *block, size_t size) {
  ThreadBlocks *own = block && isKept(size) && !hasEnded ? blocksOfThread() : nullptr;
  Shelf *shelf = own ? own->find(size) : nullptr;
  if (own && !shelf)
    shelf = own->make(size);
  if (!shelf || shelf->count == shelf->most)
    return std::free(block);
  shelf->blocks[shelf->count++] = block;
}

} // namespace graphc
