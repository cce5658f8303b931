//===- KeptRows.cpp --------------------------------------------------------===//
#include "Runtime/KeptRows.h"

#include <cstring>

#include "Support/CopiedRows.h"

namespace graphc {

const void *KeptRows::get(const void *constant, int64_t bytes, int64_t rowBytes) {
  if (rowBytes <= 0 || bytes % rowBytes != 0 || bytes < leastCopiedBytes(rowBytes))
    return nullptr;
  std::lock_guard lock(mutex_);
  for (const Copy &copy : copies_)
    if (copy.constant == constant && copy.rowBytes == rowBytes)
      return copy.memory.data();
  Copy &made = copies_.emplace_back();
  int64_t stride = copiedStride(rowBytes);
  if (!made.memory.allocate(bytes / rowBytes * stride)) {
    copies_.pop_back();
    return nullptr;
  }
  made.constant = constant;
  made.rowBytes = rowBytes;
  const auto *from = static_cast<const char *>(constant);
  char *to = made.memory.data();
  for (const char *end = from + bytes; from < end; from += rowBytes, to += stride)
    std::memcpy(to, from, size_t(rowBytes));
  return made.memory.data();
}

} // namespace graphc
