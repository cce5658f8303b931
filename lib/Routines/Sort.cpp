//===- Sort.cpp - rows in order -----------------------------------------------===//
//
// Elements become unsigned keys: alone where elements are wanted, since they can be made of their
// keys again, with their positions where these are. Short rows are sorted by comparing, where equal
// keys are in the order of their positions; long ones digit by digit from the lowest (LSD radix
// sort), which is stable and passes over digits that all keys share. Digits have 8 bits, or 11
// where the row is long enough that a pass less pays for larger tables.
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

/// From here on radix sort is faster, and from there on by longer digits.
constexpr size_t kLongRow = 256, kLongDigitsRow = 1 << 14;

template <class Key> Key keyOf(Key key) { return key; }
template <class Key, class Position> Key keyOf(const Item<Key, Position> &item) { return item.key; }

/// `items` by their keys, which stand in the order of their positions; `other` is as long.
template <size_t kBits, class I> void radixSort(std::vector<I> &items, std::vector<I> &other) {
  using Key = decltype(keyOf(items[0]));
  constexpr size_t kDigits = (8 * sizeof(Key) + kBits - 1) / kBits, kValues = size_t(1) << kBits;
  auto digitOf = [](const I &item, size_t d) { return keyOf(item) >> (kBits * d) & (kValues - 1); };
  std::vector<std::array<size_t, kValues>> counts(kDigits);
  for (const I &item : items)
    for (size_t d = 0; d < kDigits; ++d)
      ++counts[d][digitOf(item, d)];
  for (size_t d = 0; d < kDigits; ++d) {
    auto &count = counts[d];
    if (std::find(count.begin(), count.end(), items.size()) != count.end())
      continue;
    size_t next = 0;
    for (size_t &c : count)
      next += std::exchange(c, next);
    for (const I &item : items)
      other[count[digitOf(item, d)]++] = item;
    std::swap(items, other);
  }
}

template <class I> void sortItems(std::vector<I> &items, std::vector<I> &other) {
  if (items.size() < kLongRow)
    std::sort(items.begin(), items.end());
  else if (sizeof(keyOf(items[0])) < 4 || items.size() < kLongDigitsRow)
    radixSort<8>(items, other);
  else
    radixSort<11>(items, other);
}

enum class Wanted { Elements, Positions, FirstPositions };

/// One row after the other, with memory that they share.
template <class T, class I> class RowSorter {
public:
  RowSorter(size_t n, bool isDescending)
      : items_(n), other_(n < kLongRow ? 0 : n), isDescending_(isDescending) {}

  /// The first `count` items are sorted then.
  const std::vector<I> &sort(const Stored<T> *row, size_t count) {
    const auto flip = SortKey<T>(isDescending_ ? -1 : 0);
    for (size_t i = 0; i < items_.size(); ++i) {
      auto key = SortKey<T>(sortKey<T>(row[i]) ^ flip);
      if constexpr (std::is_same_v<I, SortKey<T>>)
        items_[i] = key;
      else
        items_[i] = {key, decltype(I::position)(i)};
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

/// The elements of sorted keys. Those whose key others have, too, are in the row's order.
template <class T>
void writeElements(const std::vector<SortKey<T>> &keys, absl::Span<const Stored<T>> row,
                   bool isDescending, absl::Span<Stored<T>> result) {
  const auto flip = SortKey<T>(isDescending ? -1 : 0);
  for (size_t k = 0; k < result.size(); ++k)
    result[k] = elementOfKey<T>(SortKey<T>(keys[k] ^ flip));
  if constexpr (!std::is_integral_v<T>)
    for (SortKey<T> shared : sharedKeys<T>()) {
      auto [first, end] = std::equal_range(keys.begin(), keys.begin() + int64_t(result.size()),
                                           SortKey<T>(shared ^ flip));
      auto *to = result.data() + (first - keys.begin());
      auto left = end - first;
      for (size_t i = 0; left > 0; ++i)
        if (sortKey<T>(row[i]) == shared) {
          *to++ = row[i];
          --left;
        }
    }
}

template <class T, class I, Wanted kWanted> void sortRows(const RoutineCall &call) {
  const Tensor &x = call.inputs[0];
  Tensor &result = call.outputs[0];
  const int64_t rows = x.shape()[0], n = x.shape()[1], count = result.shape()[1];
  const auto *from = static_cast<const Stored<T> *>(x.data());
  ThreadPool::shared().parallelFor(
      0, rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(n, 1)), call.threads,
      [&](int64_t begin, int64_t end, int) {
        const bool isDescending = call.parameters[0] != 0;
        RowSorter<T, I> sorter{size_t(n), isDescending};
        for (int64_t r = begin; r < end; ++r) {
          const Stored<T> *row = from + r * n;
          const std::vector<I> &items = sorter.sort(row, size_t(count));
          if constexpr (kWanted == Wanted::Elements)
            writeElements<T>(items, {row, size_t(n)}, isDescending,
                             {static_cast<Stored<T> *>(result.data()) + r * count, size_t(count)});
          else
            for (int64_t k = 0; k < count; ++k)
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
    if constexpr (kWanted == Wanted::Elements)
      sortRows<T, SortKey<T>, kWanted>(call);
    else if (x.shape()[1] <= int64_t(UINT32_MAX))
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
