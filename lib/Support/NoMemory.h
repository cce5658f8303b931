//===- Support/NoMemory.h - where memory ends ----------------------*- C++ -*-===//
//
// Vectors, maps and strings throw where there is no memory, and nothing else here does. They are
// not asked one by one: what throws is caught where a call can be an error as a whole (a routine's,
// a function's), and all that it held is given back on the way. docs/design/14-embedding.md says
// where.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <new>
#include <stdexcept>

#include "graphc/Status.h"

namespace graphc {

/// OutOfMemory that has been there since the library was loaded.
const absl::Status &noMemoryAtAll();

/// What `explain` makes, or noMemoryAtAll where there is no memory for it.
template <class Explain> absl::Status explained(Explain &&explain) {
  try {
    return explain();
  } catch (const std::bad_alloc &) {
    return noMemoryAtAll();
  }
}

/// What `work` returns, a Status or a StatusOr; where it throws for want of memory, the Status that
/// `explain` makes.
template <class Work, class Explain>
auto unlessNoMemory(Work &&work, Explain &&explain) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return explained(explain);
  } catch (const std::length_error &) { // of more elements than a process can address
    return explained(explain);
  }
}

} // namespace graphc
