#include "graphc/Tensor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "Runtime/ThreadBlocks.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

// A Tensor that was never made answers as an empty vector.
TEST(Tensor, Undefined) {
  Tensor none;
  EXPECT_EQ(none.dtype(), DType::Float64);
  EXPECT_EQ(none.rank(), 1);
  EXPECT_EQ(none.shape()[0], 0);
  EXPECT_EQ(none.strides()[0], 1);
  EXPECT_EQ(none.numElements(), 0);
  EXPECT_EQ(none.numBytes(), 0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_TRUE(none.isContiguous());
}

TEST(Tensor, ItemOfAnotherSizeIsWarnedAbout) {
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  EXPECT_EQ(Tensor({1.0, 2.0}).item<double>(), 0);
  EXPECT_EQ(Tensor().item<int>(), 0);
  EXPECT_EQ(Tensor({{3.0}}).item<int>(), 3);
  setLogSink({});
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "Tensor::item: there are 2 elements instead of 1");
  EXPECT_EQ(warnings[1], "Tensor::item of an undefined Tensor");
}

template <class T, size_t M>
concept TakesExtents = requires(float *p, const int64_t (&extents)[M]) { T(p, extents); };
static_assert(TakesExtents<View<float, 2>, 2>);
static_assert(!TakesExtents<View<float, 2>, 1> && !TakesExtents<View<float, 2>, 3>);

/// 0, 1, 2... in `shape`.
Tensor counting(const std::vector<int64_t> &shape, DType dtype = DType::Int64) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::fromSpan(absl::MakeConstSpan(values), shape)->cast(dtype);
}

#define EXPECT_ERROR(expression, kind, text)                                                       \
  do {                                                                                             \
    auto result = (expression);                                                                    \
    ASSERT_FALSE(result.ok());                                                                     \
    EXPECT_EQ(errorKind(result.status()), kind) << result.status();                                \
    EXPECT_EQ(result.status().message(), text);                                                    \
  } while (false)

TEST(Tensor, NumbersBecomeScalars) {
  EXPECT_EQ(Tensor(3).dtype(), DType::Int64);
  EXPECT_EQ(Tensor(3).rank(), 0);
  EXPECT_EQ(Tensor(3).item<int>(), 3);
  EXPECT_EQ(Tensor(int8_t(-3)).item<int>(), -3);
  EXPECT_EQ(Tensor(2.5f).dtype(), DType::Float32);
  EXPECT_EQ(Tensor(2.5).dtype(), DType::Float64);
  EXPECT_EQ(Tensor(7u).dtype(), DType::Int64);
  EXPECT_EQ(Tensor(uint64_t(7)).dtype(), DType::Int64);
  Tensor big(uint64_t(1) << 63); // F-030: not a negative int64
  EXPECT_EQ(big.dtype(), DType::UInt64);
  EXPECT_EQ(big.str(), "9223372036854775808");
  EXPECT_FALSE((std::is_constructible_v<Tensor, bool>));
}

TEST(Tensor, BracesBecomeTensors) {
  Tensor vector({1.0, 2.0});
  EXPECT_EQ(vector.shape(), absl::MakeConstSpan({int64_t(2)}));
  EXPECT_EQ(vector.dtype(), DType::Float64);
  Tensor matrix({{1, 2, 300}, {4, 5, 6}}, DType::Float32);
  EXPECT_EQ(matrix.str(), "[[  1.   2. 300.]\n [  4.   5.   6.]]");
  EXPECT_EQ(matrix.dtype(), DType::Float32);
  Tensor cube({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}, {{9, 10}, {11, 12}}}, DType::UInt8);
  EXPECT_EQ(cube.rank(), 3);
  EXPECT_EQ(cube.shape()[0], 3);
  EXPECT_TRUE(cube.identical(
      *Tensor({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, DType::UInt8).reshape({3, 2, 2})));
  EXPECT_FALSE(Tensor({{1, 2}, {3}}).defined());
  EXPECT_FALSE(Tensor({{{1, 2}, {3}}, {{1, 2}, {3, 4}}}).defined());
  EXPECT_FALSE(Tensor({{{1, 2}, {2, 3}}, {{3, 4}}}).defined());
}

TEST(Tensor, MemoryIsAlignedAndSharedByCopies) {
  for (int64_t size : {0, 1, 7, 64, 1000, 100000}) {
    Tensor tensor = *Tensor::allocate(DType::Float32, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    Tensor zeros = *Tensor::zeros(DType::Int8, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(zeros.data()) % 64, 0u);
    for (int8_t element : zeros.flat<int8_t>())
      ASSERT_EQ(element, 0);
  }
  Tensor a({1, 2, 3});
  Tensor b = a, c = a.copy();
  a.mutableFlat<double>()[0] = 9;
  EXPECT_EQ(b.flat<double>()[0], 9);
  EXPECT_EQ(c.flat<double>()[0], 1);
  EXPECT_EQ(a.numBytes(), 24);
}

// Memory that was given back serves again, on whatever thread, and nobody shares it.
TEST(Tensor, MemoryIsUsedAgain) {
  auto filled = [](int64_t count, double value) {
    return *Tensor::full(DType::Float64, {count}, value);
  };
  auto isFilled = [](const Tensor &tensor, double value) {
    return std::ranges::all_of(tensor.flat<double>(), [&](double x) { return x == value; });
  };
  // One block with what tells of them, and blocks of their own.
  for (int64_t count : {int64_t(1), int64_t(200), int64_t(4000), int64_t(4096), int64_t(4097),
                        int64_t(7000), int64_t(100000)}) {
    const void *used = nullptr;
    for (int i = 0; i < 3; ++i) {
      Tensor tensor = filled(count, 7);
      const bool isKept = count > 1 && count < 100000; // numbers may be elsewhere
      EXPECT_TRUE(i == 0 || tensor.data() == used || !isKept || !keepsBlocks()) << count;
      used = tensor.data();
    }
    EXPECT_TRUE(isFilled(*Tensor::zeros(DType::Float64, {count}), 0)) << count;
  }
  // More of them than any list keeps, which come and go in another order than they were made.
  std::vector<std::pair<Tensor, double>> live;
  uint32_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525u + 1013904223u;
    live.emplace_back(filled(150 + (state >> 8) % 6 * 40, i), i);
    if (live.size() < 30)
      continue;
    std::swap(live[(state >> 16) % live.size()], live.back());
    ASSERT_TRUE(isFilled(live.back().first, live.back().second)) << i;
    live.pop_back();
  }
  // Those of a thread that is gone, and those of another that go on this one.
  std::vector<Tensor> made;
  std::thread([&] {
    live.clear();
    for (int i = 0; i < 20; ++i)
      made.push_back(filled(300, i));
    static thread_local Tensor last;
    last = filled(300, -1); // goes after what the thread keeps, or before
  }).join();
  for (int i = 0; i < 20; ++i) {
    Tensor other = filled(300, -2);
    EXPECT_TRUE(isFilled(made[size_t(i)], i));
    made[size_t(i)] = Tensor();
  }
}

TEST(Tensor, FullAndFromSpan) {
  Tensor full = *Tensor::full(DType::Int16, {2, 3, 5}, Tensor(-7.9));
  for (int16_t element : full.flat<int16_t>())
    EXPECT_EQ(element, -7);
  EXPECT_EQ(full.flat<int16_t>().size(), 30u);
  EXPECT_EQ(Tensor::full(DType::Int16, {0, 3}, Tensor(1))->numElements(), 0);
  EXPECT_ERROR(Tensor::full(DType::Int8, {2}, Tensor({1, 2})), ErrorKind::ValueError,
               "full: the value must be a tensor of one element");
  EXPECT_ERROR(Tensor::full(DType::Float64, {2}, Tensor(std::complex<double>(1, 2))),
               ErrorKind::TypeError,
               "full: a value of complex128 does not become one of float64: take its real part");
  float values[] = {1, 2, 3, 4};
  Tensor matrix = *Tensor::fromSpan(absl::MakeConstSpan(values), {2, 2});
  EXPECT_TRUE(matrix.identical(Tensor({{1, 2}, {3, 4}}, DType::Float32)));
  EXPECT_ERROR(Tensor::fromSpan(absl::MakeConstSpan(values), {3}), ErrorKind::ValueError,
               "4 values for a tensor of shape (3,), which has 3 elements");
}

TEST(Tensor, BadShapesAreRefused) {
  EXPECT_ERROR(Tensor::allocate(DType::Int8, {2, -1}), ErrorKind::ValueError,
               "negative extent in shape (2, -1)");
  EXPECT_ERROR(Tensor::allocate(DType::Int8, std::vector<int64_t>(33, 1)), ErrorKind::ValueError,
               "rank 33 is above the maximum of 32");
  EXPECT_ERROR(Tensor::allocate(DType::Float64, {int64_t(1) << 60}), ErrorKind::ValueError,
               "shape (1152921504606846976,) is too large");
  EXPECT_ERROR(Tensor::allocate(DType::Int8, {INT64_MAX, INT64_MAX}), ErrorKind::ValueError,
               "shape (9223372036854775807, 9223372036854775807) is too large");
  EXPECT_ERROR(Tensor::allocate(DType::Int8, {int64_t(1) << 59, 12}), ErrorKind::ValueError,
               "shape (576460752303423488, 12) is too large");
  // An extent of 0 does not hide that the others overflow.
  EXPECT_ERROR(Tensor::allocate(DType::Int8, {0, INT64_MAX, 4}), ErrorKind::ValueError,
               "shape (0, 9223372036854775807, 4) is too large");
  // Sanitizers' malloc ends the program instead of giving null.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  absl::Status none = Tensor::allocate(DType::Int8, {int64_t(1) << 61}).status();
  EXPECT_EQ(errorKind(none), ErrorKind::OutOfMemory) << none;
#endif
}

// An axis of 0 counts as one of 1.
TEST(Tensor, StridesOfEmptyArrays) {
  Tensor empty = *Tensor::allocate(DType::Float32, {2, 0, 3});
  EXPECT_EQ(empty.numElements(), 0);
  const int64_t strides[] = {3, 3, 1};
  EXPECT_EQ(empty.strides(), absl::MakeConstSpan(strides));
  EXPECT_TRUE(empty.isContiguous());
}

TEST(Tensor, RankUpTo32) {
  std::vector<int64_t> shape(32, 1);
  shape[3] = shape[17] = shape[31] = 2;
  Tensor tensor = counting(shape);
  std::vector<int> reversed(32);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  Tensor transposed = *tensor.transpose(reversed);
  EXPECT_EQ(transposed.rank(), 32);
  EXPECT_EQ(transposed.shape()[0], 2);
  // Element (i, j, k) moved to (k, j, i).
  EXPECT_TRUE(
      transposed.reshape({8})->identical(Tensor({0, 4, 2, 6, 1, 5, 3, 7}).cast(DType::Int64)));
  std::vector<int64_t> twos(20, 2);
  Tensor many = counting(twos, DType::Int32);
  EXPECT_TRUE(
      many.transpose({1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18})
          ->transpose({1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16, 19, 18})
          ->copy()
          .identical(many));
}

TEST(Tensor, BorrowsWithAnyStrides) {
  int32_t memory[] = {0, 1, 2, 3, 4, 5, 6, 7};
  Tensor every = *Tensor::borrow(DType::Int32, memory, {2, 2}, {4, 2});
  EXPECT_EQ(every.str(), "[[0 2]\n [4 6]]");
  EXPECT_FALSE(every.isContiguous());
  EXPECT_TRUE(every.flat<int32_t>().empty());
  Tensor backwards = *Tensor::borrow(DType::Int32, memory + 7, {8}, {-1});
  EXPECT_EQ(backwards.str(), "[7 6 5 4 3 2 1 0]");
  Tensor repeated = *Tensor::borrow(DType::Int32, memory, {3, 2}, {0, 1});
  EXPECT_EQ(repeated.str(), "[[0 1]\n [0 1]\n [0 1]]");
  EXPECT_TRUE(repeated.copy().isContiguous());
  Tensor rowMajor = *Tensor::borrow(DType::Int32, memory, {2, 4});
  EXPECT_TRUE(rowMajor.isContiguous());
  EXPECT_EQ(rowMajor.data(), memory);
  rowMajor.mutableFlat<int32_t>()[5] = 50;
  EXPECT_EQ(memory[5], 50);
  // Strides of extents of 1 do not matter.
  EXPECT_TRUE(Tensor::borrow(DType::Int32, memory, {1, 8, 1}, {99, 1, -5})->isContiguous());
}

TEST(Tensor, BorrowRefusesWhatItCannotLookAt) {
  alignas(8) char bytes[32] = {};
  EXPECT_ERROR(Tensor::borrow(DType::Int8, nullptr, {2}), ErrorKind::ValueError,
               "null data for a tensor of shape (2,)");
  EXPECT_TRUE(Tensor::borrow(DType::Int8, nullptr, {2, 0}).ok());
  EXPECT_ERROR(Tensor::borrow(DType::Float64, bytes + 4, {2}), ErrorKind::ValueError,
               "data of dtype float64 must lie at a multiple of 8 bytes");
  EXPECT_ERROR(Tensor::borrow(DType::Int8, bytes, {2, 2}, {1}), ErrorKind::ValueError,
               "1 strides for a tensor of rank 2");
  EXPECT_ERROR(Tensor::borrow(DType::Int8, bytes, {3, 3}, {INT64_MAX, INT64_MAX}),
               ErrorKind::ValueError,
               "strides (9223372036854775807, 9223372036854775807) reach too far");
  EXPECT_ERROR(Tensor::borrow(DType::Int8, bytes, {3}, {INT64_MIN}), ErrorKind::ValueError,
               "strides (-9223372036854775808,) reach too far");
}

TEST(Tensor, OwnersLiveAsLongAsViews) {
  auto owner = std::make_shared<std::vector<float>>(6, 1.5f);
  std::weak_ptr<std::vector<float>> watch = owner;
  Tensor view;
  {
    Tensor borrowed = *Tensor::borrow(DType::Float32, owner->data(), {2, 3}, {}, owner);
    owner.reset();
    view = *borrowed.slice(1, 2, 2, -2)->transpose({1, 0});
  }
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(view.str(), "[[1.5 1.5]\n [1.5 1.5]]");
  view = Tensor();
  EXPECT_TRUE(watch.expired());
  // Memory of a Tensor's own, too, outlives it in its views.
  Tensor kept = *counting({1000}).slice(0, 999, 1, 1);
  EXPECT_EQ(kept.item<int>(), 999);
}

TEST(Tensor, SlicesTransposesReshapes) {
  Tensor t = counting({3, 4});
  EXPECT_EQ(t.slice(0, 1, 2, 1)->str(), "[[ 4  5  6  7]\n [ 8  9 10 11]]");
  EXPECT_EQ(t.slice(-1, 3, 2, -2)->str(), "[[ 3  1]\n [ 7  5]\n [11  9]]");
  EXPECT_EQ(t.slice(1, 2, 3, 0)->str(), "[[ 2  2  2]\n [ 6  6  6]\n [10 10 10]]");
  EXPECT_EQ(t.slice(0, 99, 0, 1)->str(), "[]");
  EXPECT_EQ(t.slice(0, 2, 1, INT64_MAX)->str(), "[[ 8  9 10 11]]");
  EXPECT_EQ(t.transpose({-1, 0})->str(), "[[ 0  4  8]\n [ 1  5  9]\n [ 2  6 10]\n [ 3  7 11]]");
  EXPECT_EQ(t.reshape({2, 6})->data(), t.data());
  Tensor transposed = *t.transpose({1, 0});
  Tensor reshaped = *transposed.reshape({2, 6});
  EXPECT_NE(reshaped.data(), transposed.data());
  EXPECT_EQ(reshaped.str(), "[[ 0  4  8  1  5  9]\n [ 2  6 10  3  7 11]]");
  EXPECT_EQ(counting({1}).reshape({})->rank(), 0);
  EXPECT_EQ(counting({0, 5}).reshape({7, 0, 2})->numElements(), 0);

  EXPECT_ERROR(t.slice(2, 0, 1, 1), ErrorKind::AxisError,
               "slice: axis 2 is out of range for rank 2");
  EXPECT_ERROR(t.slice(0, 1, 3, 1), ErrorKind::IndexError,
               "slice: 3 elements from 1 in steps of 1 leave the extent 3 of axis 0");
  EXPECT_ERROR(t.slice(0, -1, 1, 1), ErrorKind::IndexError,
               "slice: 1 elements from -1 in steps of 1 leave the extent 3 of axis 0");
  EXPECT_ERROR(t.slice(0, -1, 2, 2), ErrorKind::IndexError,
               "slice: 2 elements from -1 in steps of 2 leave the extent 3 of axis 0");
  EXPECT_ERROR(t.slice(0, 1, 3, -1), ErrorKind::IndexError,
               "slice: 3 elements from 1 in steps of -1 leave the extent 3 of axis 0");
  EXPECT_ERROR(
      t.slice(0, 1, INT64_MAX, 2), ErrorKind::IndexError,
      "slice: 9223372036854775807 elements from 1 in steps of 2 leave the extent 3 of axis 0");
  EXPECT_ERROR(t.slice(0, 0, -1, 1), ErrorKind::ValueError, "slice: negative count -1");
  EXPECT_ERROR(t.slice(0, 0, INT64_MAX, 0), ErrorKind::ValueError,
               "slice: shape (9223372036854775807, 4) is too large");
  EXPECT_ERROR(t.transpose({0}), ErrorKind::ValueError, "transpose: 1 axes for a tensor of rank 2");
  EXPECT_ERROR(t.transpose({0, -2}), ErrorKind::ValueError, "transpose: axis 0 is there twice");
  EXPECT_ERROR(t.transpose({0, 2}), ErrorKind::AxisError,
               "transpose: axis 2 is out of range for rank 2");
  EXPECT_ERROR(t.reshape({5, 2}), ErrorKind::ValueError,
               "reshape: shape (5, 2) does not have the 12 elements of shape (3, 4)");
  EXPECT_ERROR(t.reshape({-1, 2}), ErrorKind::ValueError,
               "reshape: negative extent in shape (-1, 2)");
  EXPECT_ERROR(Tensor().reshape({1}), ErrorKind::ValueError, "reshape: undefined tensor");
}

TEST(Tensor, WindowsReadAndWrite) {
  Tensor t = counting({2, 3}, DType::Float32);
  View<float, 2> window = t.view<float, 2>();
  window(1, 2) = 50;
  EXPECT_EQ(t.str(), "[[ 0.  1.  2.]\n [ 3.  4. 50.]]");
  Tensor transposed = *t.transpose({1, 0});
  EXPECT_EQ((std::as_const(transposed).view<float, 2>()(2, 1)), 50);
  EXPECT_EQ((t.view<float, 1>().data), nullptr);
  EXPECT_EQ((t.view<double, 2>().data), nullptr);
  Tensor scalar(2.0);
  EXPECT_EQ((scalar.view<double, 0>()()), 2.0);
  double memory[6] = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ((View<double, 2>(memory, {2, 3})(1, 1)), 4);
}

TEST(Tensor, OverlapIsOfMemory) {
  Tensor t = counting({4, 4});
  EXPECT_TRUE(t.overlaps(t));
  EXPECT_TRUE(t.overlaps(*t.slice(0, 3, 1, 1)));
  EXPECT_FALSE(t.slice(0, 0, 2, 1)->overlaps(*t.slice(0, 2, 2, 1)));
  EXPECT_FALSE(t.slice(0, 1, 2, -1)->overlaps(*t.slice(0, 3, 2, -1)));
  EXPECT_FALSE(t.overlaps(t.copy()));
  EXPECT_FALSE(t.overlaps(*t.slice(0, 0, 0, 1)));
  EXPECT_FALSE(t.overlaps(Tensor()));
}

// F-034
TEST(Tensor, IdenticalIsOfBitsWithOneNaN) {
  double otherNan = std::bit_cast<double>(0xfff8000000001234);
  Tensor a({0.0, NAN, 1}), b({0.0, otherNan, 1}), c({-0.0, NAN, 1});
  EXPECT_TRUE(a.identical(b));
  EXPECT_EQ(a.contentHash(), b.contentHash());
  EXPECT_FALSE(a.identical(c));
  EXPECT_NE(a.contentHash(), c.contentHash());
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32}) {
    EXPECT_TRUE(a.cast(dtype).identical(b.cast(dtype)));
    EXPECT_EQ(a.cast(dtype).contentHash(), b.cast(dtype).contentHash());
    EXPECT_FALSE(a.cast(dtype).identical(c.cast(dtype)));
    EXPECT_NE(a.cast(dtype).contentHash(), c.cast(dtype).contentHash());
  }
  EXPECT_FALSE(Tensor(1).identical(Tensor(1.0)));
  EXPECT_NE(Tensor(0).contentHash(), Tensor(0.0).contentHash());
  EXPECT_FALSE(Tensor({1}).identical(Tensor(1.0)));
  EXPECT_NE(Tensor({1}).contentHash(), Tensor(1.0).contentHash());
  EXPECT_TRUE(Tensor().identical(Tensor()));
  EXPECT_FALSE(Tensor().identical(a));
  EXPECT_FALSE(a.identical(Tensor()));
}

TEST(Tensor, HashAndIdentityDoNotSeeStrides) {
  Tensor t = counting({30, 40, 2}, DType::Float32);
  Tensor strided = *t.transpose({2, 0, 1});
  Tensor dense = strided.copy();
  EXPECT_TRUE(strided.identical(dense));
  EXPECT_EQ(strided.contentHash(), dense.contentHash());
  dense.mutableFlat<float>()[2399] += 1;
  EXPECT_FALSE(strided.identical(dense));
  EXPECT_NE(strided.contentHash(), dense.contentHash());
  EXPECT_NE(t.contentHash(), t.reshape({40, 30, 2})->contentHash());
}

// A frozen Tensor keeps its hash, and whoever then writes has another one.
TEST(Tensor, HashOfAFrozenOneIsThatOfItsElements) {
  Tensor t = counting({30, 40}, DType::Float32);
  uint64_t before = t.contentHash();
  t.freeze();
  EXPECT_EQ(t.contentHash(), before);
  Tensor other = t;
  other.mutableFlat<float>()[7] += 1;
  EXPECT_EQ(t.contentHash(), before);
  EXPECT_NE(other.contentHash(), before);
}

TEST(Tensor, EqualityIsOfNumbers) {
  EXPECT_TRUE(Tensor(1) == Tensor(1.0));
  EXPECT_TRUE(Tensor({0.0}) == Tensor({-0.0}));
  EXPECT_FALSE(Tensor({NAN}) == Tensor({NAN}));
  EXPECT_FALSE(Tensor({1, 2}) == Tensor({1, 3}));
  EXPECT_FALSE(Tensor({1, 2}) == Tensor({{1, 2}}));
  // As numbers, not as what one dtype makes of the other.
  Tensor big((int64_t(1) << 53) + 1);
  EXPECT_FALSE(big == Tensor(0x1p53));
  EXPECT_FALSE(Tensor(-1) == Tensor(UINT64_MAX));
  EXPECT_FALSE(Tensor(UINT64_MAX) == Tensor(0x1p64));
  EXPECT_TRUE(Tensor(uint64_t(1) << 63) == Tensor(0x1p63));
  EXPECT_TRUE(Tensor(INT64_MIN) == Tensor(-0x1p63));
  EXPECT_FALSE(Tensor(0) == Tensor(INFINITY));
  EXPECT_FALSE(Tensor(3) == Tensor(3.5));
  EXPECT_TRUE(Tensor({1, 0}, DType::Bool) == Tensor({1, 0}, DType::Float16));
  EXPECT_TRUE(Tensor() == Tensor());
  EXPECT_FALSE(Tensor() == Tensor(1));
}

} // namespace
} // namespace graphc
