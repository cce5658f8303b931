//===- Runtime/Npy.h - reading and writing of NPY streams -------*- C++ -*-===//
//
// The format: numpy.org, NEP 1 and numpy.lib.format. Magic string, version, length of the header,
// the header (a Python dict in text), the elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "graphc/Tensor.h"

namespace graphc {

/// Bytes that come in order and whose number is known: a file, a member of an archive, memory.
/// The number may be a claim; then a read fails where the bytes really end.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  int64_t remaining() const { return remaining_; }
  int64_t position() const { return position_; }
  /// Io where fewer than `count` are left or the reading fails.
  absl::Status read(void *out, int64_t count);

protected:
  explicit ByteSource(int64_t size) : remaining_(size) {}
  virtual absl::Status readSome(void *out, int64_t count) = 0;

private:
  int64_t remaining_;
  int64_t position_ = 0;
};

/// What an NPY header says.
struct NpyHeader {
  DType dtype = DType::Float64;
  bool swapBytes = false;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// The dict of an NPY header. Errors tell the byte within `text`.
absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view text);

/// One array and nothing after it.
absl::StatusOr<Tensor> readNpy(ByteSource &source);

/// Everything before the elements, row-major; its length is a multiple of 64. bfloat16:
/// NotSupported.
absl::StatusOr<std::string> npyPrefix(const Tensor &tensor);

} // namespace graphc
