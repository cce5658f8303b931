//===- Runtime/ArrayMemory.cpp --------------------------------------------===//
#include "Runtime/ArrayMemory.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "Runtime/HugePages.h"
#include "Runtime/ThreadBlocks.h"
#include "Support/LentObject.h"
#include "Support/ThreadLocal.h"

namespace graphc {

static LentObject<Allocator> &allocators() {
  static auto &lent = *new LentObject<Allocator>; // never destroyed: memory goes back to the end
  return lent;
}

void setAllocator(std::shared_ptr<Allocator> allocator) { allocators().set(std::move(allocator)); }

bool ArrayMemory::isOfProgram() { return allocators().isThere(); }

GRAPHC_NEAR static constinit thread_local int64_t numAllocations = 0;
int64_t ArrayMemory::allocationsOfThread() { return numAllocations; }
void ArrayMemory::countAllocation() { ++numAllocations; }

bool ArrayMemory::allocate(int64_t bytes, bool zeroed) {
  reset();
  if (bytes == 0)
    return true;
  if (std::shared_ptr<Allocator> own = allocators().get()) {
    block_ = own->allocate(size_t(bytes), kAlignment);
    if (!block_)
      return false;
    countAllocation();
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
  block_ = zeroed ? std::calloc(size, 1) : takeBlock(size);
  if (!block_)
    return false;
  countAllocation();
  preferHugePages(block_, size);
  auto address = reinterpret_cast<uintptr_t>(block_);
  data_ = reinterpret_cast<char *>((address + kAlignment - 1) & ~uintptr_t(kAlignment - 1));
  size_ = bytes;
  return true;
}

void ArrayMemory::reset() {
  if (from_)
    from_->deallocate(block_, size_t(size_));
  else
    giveBlock(block_, size_t(size_) + kAlignment);
  block_ = nullptr;
  data_ = nullptr;
  size_ = 0;
  from_.reset();
}

} // namespace graphc
