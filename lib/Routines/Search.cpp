//===- Search.cpp - positions by value ----------------------------------------===//
#include <algorithm>

#include "Routines/Routines.h"
#include "Routines/SortKey.h"
#include "Runtime/ThreadPool.h"

namespace graphc {
namespace {

absl::Status searchSorted(const RoutineCall &call) {
  const bool isRight = call.parameters[0];
  const Tensor &sorted = call.inputs[0], &values = call.inputs[1];
  absl::Span<int64_t> result = call.outputs[0].mutableFlat<int64_t>();
  dispatch(sorted.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto *begin = static_cast<const Stored<T> *>(sorted.data());
    const auto *end = begin + sorted.numElements();
    const auto *wanted = static_cast<const Stored<T> *>(values.data());
    ThreadPool::shared().parallelFor(
        0, values.numElements(), 1024, call.threads, [&](int64_t first, int64_t last, int) {
          for (int64_t i = first; i < last; ++i) {
            SortKey<T> key = sortKey<T>(wanted[i]);
            const auto *at = std::partition_point(begin, end, [&](Stored<T> element) {
              SortKey<T> own = sortKey<T>(element);
              return isRight ? own <= key : own < key;
            });
            result[size_t(i)] = at - begin;
          }
        });
  });
  return absl::OkStatus();
}

absl::Status nonzero(const RoutineCall &call) {
  const Tensor &x = call.inputs[0];
  absl::Span<int64_t> result = call.outputs[0].mutableFlat<int64_t>();
  const size_t rank = x.shape().size(), count = size_t(call.outputs[0].shape()[1]);
  size_t found = 0;
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto *from = static_cast<const Stored<T> *>(x.data());
    for (int64_t i = 0; i < x.numElements() && found < count; ++i) {
      if (loadElement<T>(from[i]) == 0)
        continue;
      for (size_t axis = rank, left = size_t(i); axis-- > 0; left /= size_t(x.shape()[axis]))
        result[axis * count + found] = int64_t(left % size_t(x.shape()[axis]));
      ++found;
    }
  });
  return absl::OkStatus();
}

absl::Status lastWriters(const RoutineCall &call) {
  absl::Span<const int64_t> positions = call.inputs[0].flat<int64_t>();
  absl::Span<int64_t> writers = call.outputs[0].mutableFlat<int64_t>();
  std::fill(writers.begin(), writers.end(), -1);
  for (size_t k = 0; k < positions.size(); ++k)
    writers[size_t(positions[k])] = int64_t(k);
  return absl::OkStatus();
}

} // namespace

const Routine kSearchSorted = {"searchSorted", searchSorted};
const Routine kNonzero = {"nonzero", nonzero};
const Routine kLastWriters = {"lastWriters", lastWriters};

} // namespace graphc
