//===- RunError.h - what a failed call says -----------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Runtime/Program.h"
#include "absl/status/status.h"

namespace graphc {

/// A part of a message: text, and then the value of a size unless `size` is kNoSize.
struct MessagePiece {
  static constexpr int32_t kNoSize = -1;
  /// The index that is out of range, as indexText says it, follows instead.
  static constexpr int32_t kIndex = -2;
  std::string text;
  int32_t size = kNoSize;
};
/// What a failed check says, with the place, before its sizes are known. A shape that does not fit
/// has a negative extent, or is too large.
std::vector<MessagePiece> messageOf(const Program &program, const Program::SizeCheck &check,
                                    bool isNegative = false);
std::vector<MessagePiece> messageOf(const Program &program, const Program::Failure &failure);

/// The error of a check that fails for `values`.
absl::Status sizeError(const Program &program, const Program::SizeCheck &check,
                       const std::vector<SizeValue> &values);
absl::Status failureError(const Program &program, const Program::Failure &failure,
                          const std::vector<SizeValue> &values);
/// That of a kernel which returned `result`, with the index that it failed at where it can be read.
absl::Status kernelError(const Program &program, const Program::Step &step, int32_t result,
                         void *const *buffers, const std::vector<SizeValue> &values);
/// The first element that is no index of an axis of that extent: "index 7"; else "an index".
std::string indexText(const void *indices, DType dtype, int64_t count, int64_t extent);
/// Element `index` of an integer or Bool array, as a size.
SizeValue readInteger(DType dtype, const void *data, int64_t index);

} // namespace graphc
