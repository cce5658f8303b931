//===- NoMemory.cpp -------------------------------------------------------===//
#include "Support/NoMemory.h"

namespace graphc {

const absl::Status &noMemoryAtAll() {
  // Never destroyed: copies of a Status need no memory.
  static const auto &status =
      *new absl::Status(makeError(ErrorKind::OutOfMemory, "no memory, nor any to say what for"));
  return status;
}

/// When the library is loaded: later there may be none for it.
[[gnu::constructor]] static void prepare() { (void)noMemoryAtAll(); }

} // namespace graphc
