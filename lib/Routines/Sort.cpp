//===- Sort.cpp - rows in order -----------------------------------------------===//
//
// Elements become unsigned keys with their positions. Short rows are sorted by comparing, where
// equal keys are in the order of their positions; long ones digit by digit from the lowest (LSD
// radix sort), which is stable and passes over digits that all keys share.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "Routines/Routines.h"
#include "Routines/SortKey.h"
#include "Runtime/ThreadPool.h"

namespace graphc {
namespace {

template <class Key, class Position> struct Item {
  Key key;
  Position position;
  friend bool operator<(const Item &a, const Item &b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  }
};

/// From here on radix sort is faster.
constexpr size_t kLongRow = 256;

/// `items` by their keys, which stand in the order of their positions; `other` is as long.
template <class I> void radixSort(std::vector<I> &items, std::vector<I> &other) {
  using Key = decltype(I::key);
  constexpr size_t kDigits = sizeof(Key);
  std::array<std::array<size_t, 256>, kDigits> counts = {};
  for (const I &item : items)
    for (size_t d = 0; d < kDigits; ++d)
      ++counts[d][item.key >> (8 * d) & 255];
  for (size_t d = 0; d < kDigits; ++d) {
    auto &count = counts[d];
    if (std::find(count.begin(), count.end(), items.size()) != count.end())
      continue;
    size_t next = 0;
    for (size_t &c : count)
      next += std::exchange(c, next);
    for (const I &item : items)
      other[count[item.key >> (8 * d) & 255]++] = item;
    std::swap(items, other);
  }
}

template <class I> void sortItems(std::vector<I> &items, std::vector<I> &other) {
  if (items.size() < kLongRow)
    std::sort(items.begin(), items.end());
  else
    radixSort(items, other);
}

enum class Wanted { Elements, Positions, FirstPositions };

/// One row after the other, with memory that they share.
template <class T, class I> class RowSorter {
public:
  RowSorter(size_t n, bool isDescending)
      : items_(n), other_(n < kLongRow ? 0 : n), isDescending_(isDescending) {}

  /// The first `count` items are sorted then.
  const std::vector<I> &sort(const Stored<T> *row, size_t count) {
    for (size_t i = 0; i < items_.size(); ++i) {
      SortKey<T> key = sortKey<T>(row[i]);
      items_[i] = {isDescending_ ? SortKey<T>(~key) : key, decltype(I::position)(i)};
    }
    // A heap of `count` items is cheaper than the whole order where they are few.
    if (count < items_.size() / 8)
      std::partial_sort(items_.begin(), items_.begin() + int64_t(count), items_.end());
    else
      sortItems(items_, other_);
    return items_;
  }

private:
  std::vector<I> items_, other_;
  bool isDescending_;
};

template <class T, class I, Wanted kWanted> void sortRows(const RoutineCall &call) {
  const Tensor &x = call.inputs[0];
  Tensor &result = call.outputs[0];
  const int64_t rows = x.shape()[0], n = x.shape()[1], count = result.shape()[1];
  const auto *from = static_cast<const Stored<T> *>(x.data());
  ThreadPool::shared().parallelFor(0, rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)),
                                   call.threads, [&](int64_t begin, int64_t end, int) {
                                     RowSorter<T, I> sorter{size_t(n), call.parameters[0] != 0};
                                     for (int64_t r = begin; r < end; ++r) {
                                       const Stored<T> *row = from + r * n;
                                       const std::vector<I> &items =
                                           sorter.sort(row, size_t(count));
                                       for (int64_t k = 0; k < count; ++k)
                                         if constexpr (kWanted == Wanted::Elements)
                                           static_cast<Stored<T> *>(result.data())[r * count + k] =
                                               row[items[size_t(k)].position];
                                         else
                                           static_cast<int64_t *>(result.data())[r * count + k] =
                                               int64_t(items[size_t(k)].position);
                                     }
                                   });
}

template <Wanted kWanted> absl::Status sortRoutine(const RoutineCall &call) {
  const Tensor &x = call.inputs[0];
  if (call.outputs[0].numElements() == 0)
    return absl::OkStatus();
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (x.shape()[1] <= int64_t(UINT32_MAX))
      sortRows<T, Item<SortKey<T>, uint32_t>, kWanted>(call);
    else
      sortRows<T, Item<SortKey<T>, uint64_t>, kWanted>(call);
  });
  return absl::OkStatus();
}

absl::Status argsortRows(const RoutineCall &call) {
  const Tensor &x = call.inputs[0];
  const int64_t m = x.shape()[1];
  absl::Span<int64_t> order = call.outputs[0].mutableFlat<int64_t>();
  std::iota(order.begin(), order.end(), 0);
  dispatch(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto *from = static_cast<const Stored<T> *>(x.data());
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      for (int64_t k = 0; k < m; ++k)
        if (SortKey<T> ka = sortKey<T>(from[a * m + k]), kb = sortKey<T>(from[b * m + k]); ka != kb)
          return ka < kb;
      return a < b;
    });
  });
  return absl::OkStatus();
}

} // namespace

const Routine kSort = {"sort", sortRoutine<Wanted::Elements>};
const Routine kArgsort = {"argsort", sortRoutine<Wanted::Positions>};
const Routine kArgtopk = {"argtopk", sortRoutine<Wanted::FirstPositions>};
const Routine kArgsortRows = {"argsortRows", argsortRows};

} // namespace graphc
