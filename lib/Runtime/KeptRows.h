//===- KeptRows.h - constants as products read them ---------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <list>
#include <mutex>

#include "Runtime/ArrayMemory.h"

namespace graphc {

/// Copies of constants whose rows products would copy at each call (Support/CopiedRows.h). They
/// live as long as this. Thread-safe.
class KeptRows {
public:
  /// The copy of `bytes` bytes in rows of `rowBytes`; made when it is asked for first. Null where
  /// they are not worth it, or there is no memory: the product then reads, or copies, the constant.
  const void *get(const void *constant, int64_t bytes, int64_t rowBytes);

private:
  struct Copy {
    const void *constant;
    int64_t rowBytes;
    ArrayMemory memory;
  };
  std::mutex mutex_;
  std::list<Copy> copies_; ///< few, and ArrayMemory does not move
};

} // namespace graphc
