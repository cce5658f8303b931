//===- Runtime/StridedLoop.h - walks over strided arrays --------*- C++ -*-===//
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "graphc/Tensor.h"

namespace graphc {

/// Walks N arrays of one shape together, in row-major order. Axes are collapsed before the walk
/// (extents of 1 dropped, neighbours merged where every array permits), so that the inner
/// loops are as long as they can be. Strides and offsets count elements.
template <int N> class StridedLoop {
public:
  using Offsets = std::array<int64_t, N>;

  StridedLoop(absl::Span<const int64_t> shape,
              const std::array<absl::Span<const int64_t>, N> &strides) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      empty_ |= shape[axis] == 0;
      if (shape[axis] == 1)
        continue;
      Axis next{shape[axis], {}};
      for (int i = 0; i < N; ++i)
        next.strides[i] = strides[i][axis];
      if (rank_ && mergeable(axes_[rank_ - 1], next)) {
        axes_[rank_ - 1].extent *= next.extent;
        axes_[rank_ - 1].strides = next.strides;
      } else {
        axes_[rank_++] = next;
      }
    }
  }

  /// Calls `f(offsets, count, strides)` for each innermost row: `count` elements of array i
  /// start at offsets[i] and are strides[i] apart. `f` returns whether to go on; so does this.
  template <class F> bool run(F &&f) const {
    if (empty_)
      return true;
    Offsets offsets = {};
    if (rank_ == 0)
      return f(offsets, int64_t(1), Offsets{});
    const Axis &inner = axes_[rank_ - 1];
    int64_t index[Tensor::kMaxRank] = {};
    while (true) {
      if (!f(offsets, inner.extent, inner.strides))
        return false;
      int axis = rank_ - 2;
      for (; axis >= 0; --axis) {
        if (++index[axis] < axes_[axis].extent) {
          advance(offsets, axes_[axis], 1);
          break;
        }
        advance(offsets, axes_[axis], 1 - axes_[axis].extent);
        index[axis] = 0;
      }
      if (axis < 0)
        return true;
    }
  }

private:
  struct Axis {
    int64_t extent;
    Offsets strides;
  };

  static bool mergeable(const Axis &outer, const Axis &inner) {
    for (int i = 0; i < N; ++i)
      if (outer.strides[i] != inner.strides[i] * inner.extent)
        return false;
    return true;
  }
  static void advance(Offsets &offsets, const Axis &axis, int64_t steps) {
    for (int i = 0; i < N; ++i)
      offsets[i] += axis.strides[i] * steps;
  }

  std::array<Axis, Tensor::kMaxRank> axes_;
  int rank_ = 0;
  bool empty_ = false;
};

} // namespace graphc
