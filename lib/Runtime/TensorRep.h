//===- Runtime/TensorRep.h - what a Tensor holds -----------------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>

#include "Runtime/ArrayMemory.h"
#include "absl/container/inlined_vector.h"
#include "graphc/Tensor.h"

namespace graphc {

/// An axis of 0 counts as one of 1.
inline void putRowMajorStrides(absl::Span<const int64_t> shape, int64_t *strides) {
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1);
  }
}

struct Tensor::Rep {
  DType dtype;
  bool contiguous = false;
  bool ownsMemory = false; ///< `block`, or what is behind this
  /// Whoever wants to write makes a copy. Other handles may be looked at while one is frozen.
  std::atomic<bool> isFrozen = false;
  /// Of a frozen one: its contentHash() once somebody has asked; 0 before.
  std::atomic<uint64_t> hash = 0;
  int64_t numElements = 0;
  void *data = nullptr;
  /// The shape, then the strides.
  absl::InlinedVector<int64_t, 8> dims;
  /// Keeps borrowed memory, or another Rep's, alive.
  std::shared_ptr<void> owner;
  ArrayMemory block;

  Rep(DType dtype, absl::Span<const int64_t> shape, absl::Span<const int64_t> strides)
      : dtype(dtype), dims(shape.size() + strides.size()) {
    std::copy(shape.begin(), shape.end(), dims.begin());
    std::copy(strides.begin(), strides.end(), dims.begin() + int64_t(shape.size()));
    numElements = 1;
    for (int64_t extent : shape)
      numElements *= extent;
    contiguous = isRowMajor();
  }
  /// Row-major.
  Rep(DType dtype, absl::Span<const int64_t> shape)
      : dtype(dtype), contiguous(true), numElements(1), dims(2 * shape.size()) {
    std::copy(shape.begin(), shape.end(), dims.begin());
    putRowMajorStrides(shape, dims.data() + shape.size());
    for (int64_t extent : shape)
      numElements *= extent;
  }
  Rep(const Rep &) = delete;

  size_t rank() const { return dims.size() / 2; }
  absl::Span<const int64_t> shape() const { return {dims.data(), rank()}; }
  absl::Span<const int64_t> strides() const { return {dims.data() + rank(), rank()}; }

  /// Null for an undefined one.
  static const Rep *of(const Tensor &tensor) { return tensor.rep_.get(); }
  /// Makes `tensor` a row-major one of so many bytes, at a multiple of 64, with a shape that was
  /// checked. False where there is no memory.
  static bool allocate(Tensor &tensor, DType dtype, absl::Span<const int64_t> shape, int64_t bytes,
                       bool zeroed = false);

private:
  bool isRowMajor() const {
    if (numElements == 0)
      return true;
    int64_t expected = 1;
    for (size_t axis = rank(); axis-- > 0;) {
      if (shape()[axis] != 1 && strides()[axis] != expected)
        return false;
      expected *= shape()[axis];
    }
    return true;
  }
};

} // namespace graphc
