//===- Allocations.cpp -----------------------------------------------------------===//
//
// The program's malloc, in front of the C library's own: operators new of all libraries, protobuf's
// arenas and the arrays of Tensors come here.
//
//===----------------------------------------------------------------------===//
#include "Hostile/Allocations.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAPHC_OTHER_MALLOC 1
#endif
#endif

namespace graphc::test {
namespace {
thread_local Allocations counted;
}

void resetAllocations() { counted = {}; }
Allocations allocations() { return counted; }

#ifdef GRAPHC_OTHER_MALLOC
bool areAllocationsCounted() { return false; }
} // namespace graphc::test
#else
bool areAllocationsCounted() { return true; }

void count(size_t bytes) {
  counted.bytes += int64_t(bytes);
  ++counted.calls;
}

} // namespace graphc::test

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) {
  graphc::test::count(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  graphc::test::count(count * bytes);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  graphc::test::count(bytes);
  return __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  graphc::test::count(bytes);
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **out, size_t alignment, size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out ? 0 : ENOMEM;
}
}
#endif
