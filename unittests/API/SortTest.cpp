//===- SortTest.cpp - the elements of sorted rows ---------------------------===//
//
// Rows of all lengths at which Sort.cpp goes another way, bit by bit against std::stable_sort:
// equal zeros and NaNs keep their bits and their order.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "graphc/Sorting.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

template <class T> class SortedElements : public testing::Test {};
using Types = testing::Types<float, double, int8_t, int16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(SortedElements, Types);

template <class T> bool precedes(T a, T b) {
  return a < b || (a == a && b != b); // NaNs are behind the others
}

template <class T> T anyElement(std::mt19937_64 &random) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  if constexpr (std::is_floating_point_v<T>) {
    switch (random() % 16) {
    case 0:
      return random() % 2 ? T(0) : -T(0);
    case 1: // NaNs of either sign, with bits of their own
      return std::bit_cast<T>(Bits(std::bit_cast<Bits>(T(NAN)) | (random() % 9) |
                                   (Bits(random() % 2) << (8 * sizeof(T) - 1))));
    case 2:
      return random() % 2 ? T(INFINITY) : -T(INFINITY);
    case 3:
      return std::numeric_limits<T>::denorm_min() * T(random() % 3);
    default:
      return T(std::ldexp(double(int64_t(random())), -int(random() % 90)));
    }
  } else {
    return T(random());
  }
}

TYPED_TEST(SortedElements, AreThoseOfAStableSortBitByBit) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  Variable x = tensor(DTypeOf<T>::value, {kDynamic, kDynamic}, "x");
  for (bool descending : {false, true}) {
    absl::StatusOr<Function> f = function({x}, sort(x, {.axis = 1, .descending = descending}));
    ASSERT_TRUE(f.ok()) << f.status();
    for (int64_t n : {1, 7, 255, 256, 3000, 16383, 16384, 50000}) {
      std::vector<T> row(size_t(2 * n));
      for (T &each : row)
        each = anyElement<T>(random);
      absl::StatusOr<Results> results = f->call({*Tensor::fromSpan<T>(row, {2, n})});
      ASSERT_TRUE(results.ok()) << results.status();
      std::vector<T> expected;
      for (int64_t first : {int64_t(0), n}) {
        std::vector<size_t> order(static_cast<size_t>(n));
        std::iota(order.begin(), order.end(), size_t(first));
        std::sort(order.begin(), order.end(), [&](size_t i, size_t k) {
          const T a = descending ? row[k] : row[i], b = descending ? row[i] : row[k];
          return precedes(a, b) || (!precedes(b, a) && i < k);
        });
        for (size_t i : order)
          expected.push_back(row[i]);
      }
      EXPECT_EQ(std::memcmp((*results)[0].data(), expected.data(), row.size() * sizeof(T)), 0)
          << n << (descending ? " descending" : " ascending");
    }
  }
}

/// No digit tells equal elements apart, and one of the highest tells few.
TEST(SortedElements, OfFewValuesKeepTheirOrder) {
  Variable x = tensor(DType::Float32, {kDynamic}, "x");
  absl::StatusOr<Function> f = function({x}, {sort(x), argsort(x)});
  ASSERT_TRUE(f.ok()) << f.status();
  for (int64_t n : {300, 20000})
    for (int64_t numGreater : {0, 1, 100}) {
      std::vector<float> row(size_t(n), 1.0f);
      std::fill_n(row.begin(), numGreater, 0x1p100f);
      Results results = *f->call({*Tensor::fromSpan<float>(row, {n})});
      const auto *elements = static_cast<const float *>(results[0].data());
      const auto *order = static_cast<const int64_t *>(results[1].data());
      for (int64_t k = 0; k < n; ++k) {
        ASSERT_EQ(elements[k], k < n - numGreater ? 1.0f : 0x1p100f) << k << " of " << n;
        ASSERT_EQ(order[k], (k + numGreater) % n) << k << " of " << n;
      }
    }
}

} // namespace
} // namespace graphc
