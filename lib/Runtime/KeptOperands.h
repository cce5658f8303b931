//===- KeptOperands.h - constants as products read them -----------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <list>

#include "Runtime/ArrayMemory.h"
#include "Support/CopiedOperands.h"
#include "Support/Fork.h"

namespace graphc {

/// Copies of constants that products would make at each call (Support/CopiedOperands.h). They live
/// as long as this. Thread-safe: threads that want one at once may each make it, and have one.
class KeptOperands {
public:
  /// The copy of `bytes` bytes, which are rows of `rowBytes` in memory; made when it is asked for
  /// first. Null where it is not worth it, or there is no memory: the product then reads, or
  /// copies, the constant.
  const void *get(const void *constant, int64_t bytes, int64_t rowBytes, const KeptForm &form);

private:
  struct Copy {
    const void *constant;
    int64_t rowBytes;
    KeptForm form;
    int64_t head = 0; ///< bytes in front of what get() gives
    ArrayMemory memory;

    const void *data() const { return memory.data() + head; }
    /// Copies the constant's `bytes`; false where there is no memory.
    bool fill(int64_t bytes);
  };
  /// With the mutex locked.
  const Copy *find(const void *constant, int64_t rowBytes, const KeptForm &form) const;

  ShortMutex mutex_;       // not held while weights are copied: a fork waits for it
  std::list<Copy> copies_; ///< few, and ArrayMemory does not move
};

} // namespace graphc
