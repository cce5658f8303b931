#include "graphc/DType.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "Runtime/NarrowFloat.h"
#include "TestData.h"

namespace graphc {
namespace {

std::vector<DType> allDTypes() {
  std::vector<DType> all;
  for (int i = 0; i < kNumDTypes; ++i)
    all.push_back(DType(i));
  return all;
}

TEST(DType, NamesSizesAndKinds) {
  for (DType dtype : allDTypes()) {
    EXPECT_EQ(parseDType(dtypeName(dtype)), dtype);
    EXPECT_EQ(parseDType(dtypeShortName(dtype)), dtype);
    EXPECT_EQ(isBool(dtype) + isSignedInt(dtype) + isUnsignedInt(dtype) + isFloat(dtype) +
                  isComplex(dtype),
              1);
    EXPECT_EQ(isInteger(dtype), isSignedInt(dtype) || isUnsignedInt(dtype));
    EXPECT_EQ(bitWidth(dtype), isBool(dtype) ? 1 : 8 * byteSize(dtype));
    if (isComplex(dtype))
      continue;
    // The host type is what the dtype says it is.
    dispatch(dtype, [&](auto zero) {
      using T = decltype(zero);
      EXPECT_EQ(DTypeOf<T>::value, dtype);
      EXPECT_EQ(int64_t(sizeof(T)), byteSize(dtype));
    });
  }
  EXPECT_EQ(dtypeName(DType::UInt16), "uint16");
  EXPECT_EQ(dtypeShortName(DType::Bool), "i1");
  EXPECT_EQ(dtypeShortName(DType::UInt16), "ui16");
  EXPECT_EQ(dtypeShortName(DType::BFloat16), "bf16");
  EXPECT_EQ(dtypeShortName(DType::Complex64), "complex<f32>");
  EXPECT_EQ(parseDType("complex32"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
  EXPECT_TRUE(isSignedInt(DType::Int64));
  EXPECT_TRUE(isUnsignedInt(DType::UInt8));
  EXPECT_TRUE(isFloat(DType::BFloat16));
}

// F-004, F-006, F-007, F-008
TEST(DType, PromotesAsNumPyInAnyOrder) {
  std::istringstream file(readTestFile("numpy_promote.txt"));
  std::mt19937 random(6);
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    std::istringstream words(line);
    std::vector<DType> dtypes;
    for (std::string word; words >> word;)
      dtypes.push_back(*parseDType(word));
    DType expected = dtypes.back();
    dtypes.pop_back();
    for (int order = 0; order < 6; ++order) {
      EXPECT_EQ(promote(dtypes), expected) << line;
      std::shuffle(dtypes.begin(), dtypes.end(), random);
    }
    if (dtypes.size() == 2) {
      EXPECT_EQ(promote(dtypes[0], dtypes[1]), expected) << line;
      EXPECT_EQ(promote(dtypes[1], dtypes[0]), expected) << line;
    }
  }
  EXPECT_EQ(cases, 12 * 12 + 600);
}

// bfloat16 is not NumPy's: it takes float16's row, and the two halves meet in float32.
TEST(DType, BFloat16PromotesAsFloat16) {
  for (DType dtype : allDTypes()) {
    if (dtype == DType::Float16 || dtype == DType::BFloat16)
      continue;
    DType withHalf = promote(dtype, DType::Float16);
    DType expected = withHalf == DType::Float16 ? DType::BFloat16 : withHalf;
    EXPECT_EQ(promote(dtype, DType::BFloat16), expected) << dtypeName(dtype);
    EXPECT_EQ(promote(DType::BFloat16, dtype), expected) << dtypeName(dtype);
  }
  EXPECT_EQ(promote(DType::BFloat16, DType::BFloat16), DType::BFloat16);
  EXPECT_EQ(promote(DType::BFloat16, DType::Float16), DType::Float32);
  EXPECT_EQ(promote({DType::Float16, DType::Int8, DType::BFloat16}), DType::Float32);
  EXPECT_EQ(promote({DType::UInt8, DType::BFloat16, DType::Int8}), DType::BFloat16);
}

// F-009
TEST(DType, PromotesToFloat) {
  for (DType dtype : {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16})
    EXPECT_EQ(promoteToFloat(dtype), DType::Float32);
  for (DType dtype : {DType::Int32, DType::UInt32, DType::Int64, DType::UInt64})
    EXPECT_EQ(promoteToFloat(dtype), DType::Float64);
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
    EXPECT_EQ(promoteToFloat(dtype), dtype);
}

// F-040
TEST(DType, SafeCastsAreThosePromotingIntoTheTarget) {
  for (DType dtype : allDTypes()) {
    EXPECT_TRUE(canCastSafely(DType::Bool, dtype));
    EXPECT_TRUE(canCastSafely(dtype, dtype));
  }
  EXPECT_TRUE(canCastSafely(DType::Int8, DType::Float32));
  EXPECT_TRUE(canCastSafely(DType::Int32, DType::Float64));
  EXPECT_TRUE(canCastSafely(DType::Float16, DType::Float32));
  EXPECT_FALSE(canCastSafely(DType::Int32, DType::Float32));
  EXPECT_FALSE(canCastSafely(DType::Float64, DType::Float32));
  EXPECT_FALSE(canCastSafely(DType::UInt8, DType::Int8));
  EXPECT_FALSE(canCastSafely(DType::Int8, DType::UInt64));
  EXPECT_FALSE(canCastSafely(DType::Int8, DType::Bool));
  EXPECT_FALSE(canCastSafely(DType::Float16, DType::BFloat16));
  EXPECT_FALSE(canCastSafely(DType::BFloat16, DType::Float16));
}

/// The value of a 16-bit pattern by IEEE 754's formula, in double: exact.
double valueOf(uint16_t bits, int exponentBits, int fractionBits) {
  int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << fractionBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - fractionBits);
  return sign * std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits);
}

struct Format {
  int exponentBits, fractionBits;
  float (*widen)(uint16_t);
  uint16_t (*fromFloat)(float);
  uint16_t (*fromDouble)(double);
};

const Format kFormats[] = {
    {5, 10,
     [](uint16_t bits) {
       Half half;
       half.bits = bits;
       return float(half);
     },
     [](float x) { return Half(x).bits; }, [](double x) { return narrowFloat<HalfFormat>(x); }},
    {8, 7,
     [](uint16_t bits) {
       BFloat16 half;
       half.bits = bits;
       return float(half);
     },
     [](float x) { return BFloat16(x).bits; },
     [](double x) { return narrowFloat<BFloat16Format>(x); }},
};

TEST(Halves, EveryPatternWidensToItsValueAndComesBack) {
  for (const Format &format : kFormats)
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      double expected = valueOf(uint16_t(bits), format.exponentBits, format.fractionBits);
      float wide = format.widen(uint16_t(bits));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(wide)) << bits;
        ASSERT_TRUE(std::isnan(format.widen(format.fromFloat(wide)))) << bits;
        ASSERT_TRUE(std::isnan(format.widen(format.fromDouble(double(wide))))) << bits;
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint64_t>(double(wide)), std::bit_cast<uint64_t>(expected)) << bits;
      ASSERT_EQ(format.fromFloat(wide), bits);
      ASSERT_EQ(format.fromDouble(expected), bits);
    }
}

/// Between every two neighbours: below, at and above the middle, in float and in double. The
/// middle goes to the even one; the middle above the largest goes to infinity.
TEST(Halves, RoundsOnceToNearestEven) {
  for (const Format &format : kFormats) {
    uint32_t infinity = ((1u << format.exponentBits) - 1) << format.fractionBits;
    for (uint32_t bits = 0; bits < infinity; ++bits) {
      double low = valueOf(uint16_t(bits), format.exponentBits, format.fractionBits);
      double high = valueOf(uint16_t(bits + 1), format.exponentBits, format.fractionBits);
      if (bits + 1 == infinity) // as if the exponents went on
        high = low + (low - valueOf(uint16_t(bits - 1), format.exponentBits, format.fractionBits));
      double middle = (low + high) / 2;
      auto even = uint16_t(bits + (bits & 1));
      for (uint16_t sign : {uint16_t(0), uint16_t(0x8000)}) {
        double s = sign ? -1 : 1;
        ASSERT_EQ(format.fromDouble(s * middle), sign | even) << bits;
        ASSERT_EQ(format.fromDouble(s * std::nextafter(middle, 0)), sign | bits) << bits;
        ASSERT_EQ(format.fromDouble(s * std::nextafter(middle, INFINITY)), sign | (bits + 1));
        // bfloat16's smallest middle, 2^-134, and all the others are floats.
        auto narrow = float(middle);
        ASSERT_EQ(format.fromFloat(float(s) * narrow), sign | even) << bits;
        ASSERT_EQ(format.fromFloat(float(s) * std::nextafter(narrow, 0.0f)), sign | bits) << bits;
        ASSERT_EQ(format.fromFloat(float(s) * std::nextafter(narrow, INFINITY)), sign | (bits + 1));
      }
    }
    EXPECT_EQ(format.fromDouble(1e300), infinity);
    EXPECT_EQ(format.fromDouble(-INFINITY), infinity | 0x8000);
    EXPECT_EQ(format.fromDouble(-5e-324), 0x8000);
    EXPECT_EQ(format.fromFloat(INFINITY), infinity);
    EXPECT_TRUE(std::isnan(format.widen(format.fromDouble(NAN))));
    EXPECT_TRUE(std::isnan(format.widen(format.fromFloat(NAN))));
    // A NaN whose payload is all in the bits that are dropped stays one.
    EXPECT_TRUE(std::isnan(format.widen(format.fromFloat(std::bit_cast<float>(0x7f800001u)))));
  }
}

} // namespace
} // namespace graphc
