//===- Runtime/ArrayMemory.h - where arrays lie -------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "graphc/Embedding.h"

namespace graphc {

/// Bytes of the program's Allocator, or of the C library, at a multiple of 64. They go back to
/// where they came from.
class ArrayMemory {
public:
  static constexpr size_t kAlignment = 64;

  ArrayMemory() = default;
  ArrayMemory(const ArrayMemory &) = delete;
  ArrayMemory &operator=(const ArrayMemory &) = delete;
  ~ArrayMemory() { reset(); }

  /// In place of what was there, which is lost. False where there is no memory.
  bool allocate(int64_t bytes, bool zeroed = false);
  void reset();
  /// How often this thread has been given memory, of any array.
  static int64_t allocationsOfThread();
  static void countAllocation();
  /// Whether the program has an Allocator of its own.
  static bool isOfProgram();
  char *data() const { return data_; }
  int64_t size() const { return size_; }

private:
  void *block_ = nullptr; ///< what is given back
  char *data_ = nullptr;
  int64_t size_ = 0;
  std::shared_ptr<Allocator> from_; ///< null for the C library
};

/// What messages of such memory end with.
inline constexpr char kMemoryRemedy[] =
    "; parts of a batch need less, and Function::free gives back what functions keep for their "
    "next calls";

} // namespace graphc
