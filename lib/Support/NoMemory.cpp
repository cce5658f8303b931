//===- NoMemory.cpp -------------------------------------------------------===//
#include "Support/NoMemory.h"

namespace graphc {

/// Made early, and never destroyed: copies of a Status need no memory.
static const absl::Status *const kNoMemory =
    new absl::Status(makeError(ErrorKind::OutOfMemory, "no memory, nor any to say what for"));

const absl::Status &noMemoryAtAll() { return *kNoMemory; }

} // namespace graphc
