//===- Runtime/HugePages.cpp ----------------------------------------------===//
#include "Runtime/HugePages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace graphc {

void preferHugePages([[maybe_unused]] void *memory, [[maybe_unused]] size_t bytes) {
#if defined(MADV_HUGEPAGE)
  // Below that, whether one whole page lies in it is chance, and the call costs more than it saves.
  constexpr size_t kWorthAsking = size_t(4) << 20;
  constexpr uintptr_t kPage = 4096; // what addresses for madvise are multiples of, at least
  if (bytes < kWorthAsking)
    return;
  auto begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) & ~(kPage - 1);
  auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~(kPage - 1);
  // A wish: where it is refused, the memory is as good as it was.
  madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

} // namespace graphc
