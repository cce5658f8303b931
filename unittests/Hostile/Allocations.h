//===- Allocations.h - what a call asks of malloc --------------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc::test {

/// What this thread asked for since the last reset, in all: bytes, and how often.
struct Allocations {
  int64_t bytes = 0;
  int64_t calls = 0;
};
void resetAllocations();
Allocations allocations();
/// False where a sanitizer has the allocator: nothing is counted then.
bool areAllocationsCounted();

} // namespace graphc::test
