#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include "TestData.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

Tensor tensorOfBytes(DType dtype, const std::string &bytes) {
  Tensor tensor = *Tensor::allocate(dtype, {int64_t(bytes.size()) / byteSize(dtype)});
  std::memcpy(tensor.data(), bytes.data(), bytes.size());
  return tensor;
}

// F-046
TEST(Cast, AsNumPyWithSaturation) {
  std::istringstream file(readTestFile("numpy_cast.txt"));
  int cases = 0;
  for (std::string from, to, before, after; file >> from >> to >> before >> after; ++cases) {
    Tensor source = tensorOfBytes(*parseDType(from), bytesOfHex(before));
    Tensor expected = tensorOfBytes(*parseDType(to), bytesOfHex(after));
    Tensor result = source.cast(expected.dtype());
    EXPECT_TRUE(result.identical(expected)) << from << " to " << to << "\n"
                                            << source << "\n"
                                            << result << "\n"
                                            << expected;
    // The same with a stride, and element by element.
    int64_t n = source.numElements();
    Tensor backwards = *source.slice(0, n - 1, n, -1);
    EXPECT_TRUE(backwards.cast(expected.dtype()).identical(*expected.slice(0, n - 1, n, -1)));
    for (int64_t i = 0; i < n; ++i) {
      Tensor one = *source.slice(0, i, 1, 1);
      dispatch(expected.dtype(), [&](auto zero) {
        using T = decltype(zero);
        T item = one.item<T>();
        EXPECT_TRUE(Tensor::fromSpan(absl::MakeConstSpan(&item, 1), {1})
                        ->identical(*expected.slice(0, i, 1, 1)));
      });
    }
  }
  EXPECT_EQ(cases, 144);
}

/// Rounds an integer's magnitude to `bits` significant bits, to nearest even, in integers.
double roundedInteger(unsigned __int128 magnitude, int bits) {
  int width = 0;
  while (width < 128 && magnitude >> width)
    ++width;
  int shift = width - bits;
  if (shift <= 0)
    return double(uint64_t(magnitude));
  unsigned __int128 kept = magnitude >> shift, rest = magnitude - (kept << shift);
  unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  return std::ldexp(double(uint64_t(kept)), shift);
}

// F-046: the sign of a NaN stays, as NumPy's and ml_dtypes' casts keep it: their bits of
// np.array([nan, -nan], from).astype(to) are these.
TEST(Cast, NansKeepTheirSign) {
  for (DType from : {DType::Float32, DType::Float64}) {
    Tensor nans = Tensor({double(NAN), -double(NAN)}).cast(from);
    auto bits = [&](DType to) {
      Tensor narrow = nans.cast(to);
      const auto *data = static_cast<const uint16_t *>(narrow.data());
      return std::vector<int>(data, data + 2);
    };
    EXPECT_EQ(bits(DType::Float16), (std::vector<int>{0x7e00, 0xfe00}));
    EXPECT_EQ(bits(DType::BFloat16), (std::vector<int>{0x7fc0, 0xffc0}));
  }
  EXPECT_EQ(Half(NAN).bits, 0x7e00);
  EXPECT_EQ(BFloat16(NAN).bits, 0x7fc0);
}

// F-046: one rounding, also where a detour by float or double would make it two.
TEST(Cast, WideIntegersRoundOnceToBFloat16) {
  for (int shift = 0; shift < 56; ++shift)
    for (uint64_t top : {0x81ull, 0x82ull, 0xffull, 0x101ull, 0x103ull, 0x1ffull})
      for (int64_t nudge : {-1, 0, 1}) {
        uint64_t value = (top << shift) / 2 + uint64_t(nudge);
        double expected = roundedInteger(value, 8);
        EXPECT_EQ(Tensor(double(Tensor(uint64_t(value)).cast(DType::BFloat16).item<double>())),
                  Tensor(expected))
            << value;
        if (value >> 63)
          continue;
        auto negative = Tensor(-int64_t(value)).cast(DType::BFloat16).item<double>();
        EXPECT_EQ(negative, -expected) << value;
      }
  uint64_t largest = UINT64_MAX;
  EXPECT_EQ(Tensor(largest).cast(DType::BFloat16).item<double>(), 0x1p64);
  EXPECT_EQ(Tensor(INT64_MIN).cast(DType::BFloat16).item<double>(), -0x1p63);
}

TEST(Cast, BFloat16GoesByWayOfItsExactValue) {
  Tensor values({1.5, -2.75, 300, -1e30, INFINITY, NAN, 0.3}, DType::BFloat16);
  for (int i = 0; i < kNumDTypes; ++i)
    EXPECT_TRUE(values.cast(DType(i)).identical(values.cast(DType::Float64).cast(DType(i))))
        << dtypeName(DType(i));
  // 0.3 between 77 * 2^-8 = 0.30078125 and 76.8: bfloat16 of 0.3 has 8 bits, 154 * 2^-9.
  Tensor wide = values.cast(DType::Float64), bytes = values.cast(DType::Int8);
  EXPECT_EQ(wide.flat<double>()[6], 154.0 / 512);
  EXPECT_EQ(bytes.flat<int8_t>()[2], 127);
}

TEST(Cast, SameDTypeSharesAndStridedSourcesCopy) {
  Tensor matrix({{1, 2, 3}, {4, 5, 6}});
  Tensor same = matrix.cast(DType::Float64);
  EXPECT_EQ(same.data(), matrix.data());
  Tensor transposed = *matrix.transpose({1, 0});
  Tensor ints = transposed.cast(DType::Int16);
  EXPECT_TRUE(ints.isContiguous());
  EXPECT_TRUE(ints.identical(Tensor({{1, 4}, {2, 5}, {3, 6}}, DType::Int16)));
  EXPECT_FALSE(Tensor().cast(DType::Int8).defined());
}

TEST(Cast, BytesOfForeignBoolsCountAsTrue) {
  uint8_t bytes[] = {0, 1, 2, 255};
  Tensor bools = *Tensor::borrow(DType::Bool, bytes, {4});
  Tensor clean({0, 1, 1, 1}, DType::Bool);
  EXPECT_TRUE(bools.cast(DType::Int32).identical(Tensor({0, 1, 1, 1}, DType::Int32)));
  EXPECT_TRUE(bools.identical(clean));
  EXPECT_EQ(bools.contentHash(), clean.contentHash());
  EXPECT_TRUE(bools == clean);
  Tensor copy = bools.copy();
  EXPECT_EQ(copy.flat<bool>()[3], true);
  EXPECT_EQ(static_cast<const uint8_t *>(copy.data())[3], 1);
  EXPECT_EQ(bools.str(), "[False  True  True  True]");
}

TEST(Item, CastsTheOnlyElement) {
  EXPECT_EQ(Tensor(3.9).item<int>(), 3);
  EXPECT_EQ(Tensor({7}, DType::Int32).item<double>(), 7.0);
  EXPECT_EQ(Tensor(-1).item<uint8_t>(), 255);
  EXPECT_EQ(Tensor(NAN).item<bool>(), true);
  EXPECT_EQ(Tensor(1e99).item<int64_t>(), INT64_MAX);
  EXPECT_EQ(Tensor({1, 2}).item<double>(), 0.0); // not one element
  EXPECT_EQ(Tensor().item<double>(), 0.0);
}

} // namespace
} // namespace graphc
