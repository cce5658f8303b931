//===- Runtime/ArrayMemory.cpp --------------------------------------------===//
#include "Runtime/ArrayMemory.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "Runtime/HugePages.h"
#include "Support/LentObject.h"

namespace graphc {

static LentObject<Allocator> &allocators() {
  static auto &lent = *new LentObject<Allocator>; // never destroyed: memory goes back to the end
  return lent;
}

void setAllocator(std::shared_ptr<Allocator> allocator) { allocators().set(std::move(allocator)); }

namespace {

/// Blocks of the C library that arrays of this thread have given back, for its next ones of the
/// same size. The library does so up to 1 KB; larger ones it merges and splits again, which takes
/// as long as a small product. At most 512 KB for each thread.
class ThreadBlocks {
public:
  static bool areFor(size_t size) { return size > 1024 && size <= size_t(64) << 10 && !kIsChecked; }

  void *take(size_t size) {
    for (Block &block : blocks_)
      if (block.size == size) {
        block.size = 0;
        return block.memory;
      }
    return nullptr;
  }
  /// In place of the one that has been there longest.
  void put(void *memory, size_t size) {
    Block &block = blocks_[next_++ % blocks_.size()];
    if (block.size)
      std::free(block.memory);
    block = {memory, size};
  }
  void free() {
    for (Block &block : blocks_)
      if (std::exchange(block.size, 0))
        std::free(block.memory);
  }

private:
  /// A sanitizer watches the library's blocks.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kIsChecked = true;
#elif defined(__has_feature)
  static constexpr bool kIsChecked =
      __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  static constexpr bool kIsChecked = false;
#endif
  struct Block {
    void *memory;
    size_t size; ///< 0 for none
  };
  std::array<Block, 8> blocks_ = {};
  size_t next_ = 0;
};

// What its destructor sees of a thread: arrays may go later, when there is nobody to keep blocks.
thread_local ThreadBlocks blocksOfThread;
thread_local bool hasEnded = false;
struct ThreadEnd {
  ~ThreadEnd() {
    blocksOfThread.free();
    hasEnded = true;
  }
};

} // namespace

static thread_local int64_t numAllocations = 0;
int64_t ArrayMemory::allocationsOfThread() { return numAllocations; }

bool ArrayMemory::allocate(int64_t bytes, bool zeroed) {
  reset();
  if (bytes == 0)
    return true;
  if (std::shared_ptr<Allocator> own = allocators().get()) {
    block_ = own->allocate(size_t(bytes), kAlignment);
    if (!block_)
      return false;
    ++numAllocations;
    from_ = std::move(own);
    data_ = static_cast<char *>(block_);
    size_ = bytes;
    if (zeroed)
      std::memset(data_, 0, size_t(bytes));
    return true;
  }
  // Over-allocating with malloc is faster than aligned_alloc, which passes by glibc's per-thread
  // cache of small blocks.
  size_t size = size_t(bytes) + kAlignment;
  block_ = ThreadBlocks::areFor(size) ? blocksOfThread.take(size) : nullptr;
  if (block_ && zeroed)
    std::memset(block_, 0, size);
  else if (!block_)
    block_ = zeroed ? std::calloc(size, 1) : std::malloc(size);
  if (!block_)
    return false;
  ++numAllocations;
  preferHugePages(block_, size);
  auto address = reinterpret_cast<uintptr_t>(block_);
  data_ = reinterpret_cast<char *>((address + kAlignment - 1) & ~uintptr_t(kAlignment - 1));
  size_ = bytes;
  return true;
}

void ArrayMemory::reset() {
  const size_t size = size_t(size_) + kAlignment;
  if (from_) {
    from_->deallocate(block_, size_t(size_));
  } else if (block_ && ThreadBlocks::areFor(size) && !hasEnded) {
    static thread_local const ThreadEnd end;
    blocksOfThread.put(block_, size);
  } else {
    std::free(block_);
  }
  block_ = nullptr;
  data_ = nullptr;
  size_ = 0;
  from_.reset();
}

} // namespace graphc
