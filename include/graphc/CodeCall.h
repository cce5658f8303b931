//===- graphc/CodeCall.h - calls of compiled code ---------------*- C++ -*-===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace graphc::detail {

/// A call that is nothing but a call of code on memory. Thread-safe.
struct CodeCall {
  /// Where it gives another number than 0 the call has failed, and the general way says why.
  int32_t (*code)(void **buffers, const int64_t *sizes) = nullptr;
  const int64_t *sizes = nullptr;
  /// A buffer that it takes: so many bytes behind an argument's memory (inputs by number, then
  /// outputs), behind address 0, or in scratch memory of the thread that calls.
  struct Buffer {
    int64_t base, offset; ///< behind the arguments: kAddress and kScratch
  };
  static constexpr int kAddress = 0, kScratch = 1, kMoreBases = 2;
  std::vector<Buffer> buffers;
  int64_t scratchBytes = 0;

  static constexpr int kMaxBuffers = 128;

  /// The arguments' memory, with room for kMoreBases behind it: row-major arrays with the extents
  /// that it is for. Outputs lie apart from all others, but for inputs that the program may compute
  /// them over. False where it fails, or there is no scratch memory.
  bool run(void **memory, size_t numArguments) const {
    memory[numArguments + kAddress] = nullptr;
    memory[numArguments + kScratch] = scratchBytes > 0 ? scratch() : nullptr;
    if (scratchBytes > 0 && !memory[numArguments + kScratch])
      return false;
    void *taken[kMaxBuffers], **next = taken;
    for (const Buffer &buffer : buffers)
      *next++ =
          reinterpret_cast<void *>(reinterpret_cast<intptr_t>(memory[buffer.base]) + buffer.offset);
    return code(taken, sizes) == 0;
  }

private:
  void *scratch() const;
};

} // namespace graphc::detail
