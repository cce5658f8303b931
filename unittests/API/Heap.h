//===- API/Heap.h - the test program's heap -----------------------*- C++ -*-===//
#pragma once

#include <atomic>
#include <cstdint>

namespace graphc::test {

/// What all threads asked for since the program began, and how often they looked at a clock; false
/// where a sanitizer has the heap, and nothing is counted.
extern std::atomic<int64_t> heapAllocations, heapBytes, clockReads;
bool isHeapCounted();

/// While it lives, the allocation `number` (from 0, of all threads) fails: malloc gives null and
/// operator new throws. So do all after it where it is `Failing::AllFrom`.
enum class Failing { One, AllFrom };
class FailingHeap {
public:
  FailingHeap(int64_t number, Failing failing);
  ~FailingHeap();
  FailingHeap(const FailingHeap &) = delete;
  FailingHeap &operator=(const FailingHeap &) = delete;
  /// Whether an allocation has failed.
  bool hasFailed() const;
};

} // namespace graphc::test
