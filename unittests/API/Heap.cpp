//===- Heap.cpp - in place of the C library's malloc ---------------------------===//
//
// For the whole program and its libraries; operator new comes here, too.
//
//===----------------------------------------------------------------------===//
#include "API/Heap.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <ctime>

#ifndef __has_feature // GCC tells by a macro of its own
#define __has_feature(x) 0
#endif

namespace graphc::test {

std::atomic<int64_t> heapAllocations{0}, heapBytes{0}, clockReads{0};

namespace {
constexpr int64_t kNever = INT64_MAX;
std::atomic<int64_t> left{kNever}; // allocations until one fails
std::atomic<bool> failsOn{false}, hasFailedOnce{false};
} // namespace

FailingHeap::FailingHeap(int64_t number, Failing failing) {
  failsOn = failing == Failing::AllFrom;
  hasFailedOnce = false;
  left = number;
}
FailingHeap::~FailingHeap() { left = kNever; }
bool FailingHeap::hasFailed() const { return hasFailedOnce; }

/// Counts an allocation; whether it is to fail.
bool fails(size_t bytes) {
  heapAllocations.fetch_add(1, std::memory_order_relaxed);
  heapBytes.fetch_add(int64_t(bytes), std::memory_order_relaxed);
  if (left.load(std::memory_order_relaxed) == kNever)
    return false;
  int64_t before = left.fetch_sub(1);
  bool now = before == 0 || (before < 0 && failsOn);
  if (now) {
    hasFailedOnce = true;
    errno = ENOMEM;
  }
  return now;
}

} // namespace graphc::test

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
bool graphc::test::isHeapCounted() { return false; }
#else
bool graphc::test::isHeapCounted() { return true; }

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) noexcept {
  return graphc::test::fails(bytes) ? nullptr : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) noexcept {
  return graphc::test::fails(count * bytes) ? nullptr : __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) noexcept {
  return graphc::test::fails(bytes) ? nullptr : __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) noexcept {
  return graphc::test::fails(bytes) ? nullptr : __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) noexcept { return memalign(alignment, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes) noexcept {
  *out = memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}
// std::chrono's clocks come here.
int clock_gettime(clockid_t clock, timespec *time) noexcept {
  graphc::test::clockReads.fetch_add(1, std::memory_order_relaxed);
  return int(syscall(SYS_clock_gettime, clock, time));
}
}
#endif
