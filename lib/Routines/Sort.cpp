//===- Sort.cpp - rows in order -----------------------------------------------===//
//
// Elements become unsigned keys: alone where elements are wanted, since they can be made of their
// keys again, with their positions where these are. Short rows are sorted by comparing, where equal
// keys are in the order of their positions; long ones digit by digit from the lowest (LSD radix
// sort), which is stable and passes over digits that all keys share. Digits have 8 bits, or 11
// where the row is long enough that a pass less pays for larger tables. The first pass makes the
// keys, the last one puts results where they belong, so that memory is written once a pass.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <array>
#include <memory>
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

/// The numbers 0 to n by the keys of their items, `make` of a number: `keep` is given each place
/// and its item. Passes but the last one write to `memory` or `other`, as long as they are many.
template <size_t kBits, class I>
void radixSort(size_t n, I *memory, I *other, auto make, auto keep) {
  using Key = decltype(keyOf(*memory));
  constexpr size_t kDigits = (8 * sizeof(Key) + kBits - 1) / kBits, kValues = size_t(1) << kBits;
  auto digitOf = [](const I &item, size_t d) { return keyOf(item) >> (kBits * d) & (kValues - 1); };
  std::vector<std::array<uint32_t, kValues>> counts(kDigits);
  for (size_t i = 0; i < n; ++i)
    for (size_t d = 0; d < kDigits; ++d)
      ++counts[d][digitOf(make(i), d)];
  std::vector<size_t> digits; // those that not all share
  for (size_t d = 0; d < kDigits; ++d)
    if (std::find(counts[d].begin(), counts[d].end(), n) == counts[d].end())
      digits.push_back(d);
  if (digits.empty())
    for (size_t i = 0; i < n; ++i)
      keep(i, make(i));
  // The last but one writes to `memory`, the one before it to `other`, and so on.
  if (digits.size() % 2)
    std::swap(memory, other);
  for (size_t d : digits) {
    auto &count = counts[d];
    uint32_t next = 0;
    for (uint32_t &c : count)
      next += std::exchange(c, next);
    auto pass = [&](auto from, auto to) {
      for (size_t i = 0; i < n; ++i) {
        I item = from(i);
        to(count[digitOf(item, d)]++, item);
      }
    };
    auto load = [&](size_t i) { return other[i]; };
    auto store = [&](size_t place, const I &item) { memory[place] = item; };
    const bool isFirst = d == digits.front(), isLast = d == digits.back();
    if (isFirst && isLast)
      pass(make, keep);
    else if (isFirst)
      pass(make, store);
    else if (isLast)
      pass(load, keep);
    else
      pass(load, store);
    std::swap(memory, other);
  }
}

enum class Wanted { Elements, Positions, FirstPositions };

/// One row after the other, with memory that they share.
template <class T, class I> class RowSorter {
public:
  RowSorter(size_t n, bool isDescending)
      : n_(n), flip_(SortKey<T>(isDescending ? -1 : 0)),
        memory_(std::make_unique_for_overwrite<I[]>(n)) {}

  /// `keep` is given each place below `count` and the item that belongs there. `other` has room for
  /// a row, too; null: there is none.
  void sort(const Stored<T> *row, size_t count, I *other, auto keep) {
    auto make = [&](size_t i) -> I {
      auto key = SortKey<T>(sortKey<T>(row[i]) ^ flip_);
      if constexpr (std::is_same_v<I, SortKey<T>>)
        return key;
      else
        return {key, decltype(I::position)(i)};
    };
    // A heap of `count` items is cheaper than the whole order where they are few.
    const bool areFew = count < n_ / 8;
    if (areFew || n_ < kLongRow || n_ > UINT32_MAX) {
      I *items = memory_.get();
      for (size_t i = 0; i < n_; ++i)
        items[i] = make(i);
      if (areFew)
        std::partial_sort(items, items + count, items + n_);
      else
        std::sort(items, items + n_);
      for (size_t k = 0; k < count; ++k)
        keep(k, items[k]);
      return;
    }
    if (!other && !other_)
      other_ = std::make_unique_for_overwrite<I[]>(n_);
    I *second = other ? other : other_.get();
    auto keepFirst = [&](size_t place, const I &item) {
      if (place < count)
        keep(place, item);
    };
    if (sizeof(SortKey<T>) < 4 || n_ < kLongDigitsRow)
      radixSort<8>(n_, memory_.get(), second, make, keepFirst);
    else
      radixSort<11>(n_, memory_.get(), second, make, keepFirst);
  }

private:
  const size_t n_;
  const SortKey<T> flip_;
  std::unique_ptr<I[]> memory_, other_;
};

/// Those of a sorted row's elements whose key others have, too, are put in the order of `row`.
template <class T>
void restoreShared(const Stored<T> *row, bool isDescending, absl::Span<Stored<T>> sorted) {
  if constexpr (!std::is_integral_v<T>) {
    const auto flip = SortKey<T>(isDescending ? -1 : 0);
    auto keyOfElement = [&](Stored<T> x) { return SortKey<T>(sortKey<T>(x) ^ flip); };
    for (SortKey<T> shared : sharedKeys<T>()) {
      auto equal = std::ranges::equal_range(sorted, SortKey<T>(shared ^ flip), {}, keyOfElement);
      auto to = equal.begin();
      for (size_t i = 0; to != equal.end(); ++i)
        if (sortKey<T>(row[i]) == shared)
          *to++ = row[i];
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
          if constexpr (kWanted == Wanted::Elements) {
            const auto flip = SortKey<T>(isDescending ? -1 : 0);
            auto *to = static_cast<Stored<T> *>(result.data()) + r * count;
            // A whole row of results has room for keys.
            sorter.sort(row, size_t(count), count == n ? reinterpret_cast<I *>(to) : nullptr,
                        [&](size_t k, I key) { to[k] = elementOfKey<T>(I(key ^ flip)); });
            restoreShared<T>(row, isDescending, {to, size_t(count)});
          } else {
            auto *to = static_cast<int64_t *>(result.data()) + r * count;
            sorter.sort(row, size_t(count), nullptr,
                        [&](size_t k, const I &item) { to[k] = int64_t(item.position); });
          }
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
