//===- InputsTest.cpp - bfloat16 inputs, and what is right of results -------===//
#include "Inputs.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace graphc::bench {
namespace {

// The nearest of three candidates, by exact fractions in Python: the stream's numbers are
// -0.70357656..., 0.09590160..., 0.72707939..., -0.41780138..., 0.70911490..., -0.60246098...
TEST(Inputs, BFloat16AreRoundedToTheNearest) {
  Tensor x = makeInput(DType::BFloat16, {2, 3}, -1.0, 1.0, 6);
  std::vector<float> values;
  for (BFloat16 value : x.flat<BFloat16>())
    values.push_back(float(value));
  EXPECT_EQ(values, (std::vector<float>{-0.703125f, 0.095703125f, 0.7265625f, -0.41796875f,
                                        0.7109375f, -0.6015625f}));
}

/// The product of the case gemm_bf16_256x256x256, in double precision.
const std::vector<double> &exactProduct() {
  static const auto *const kProduct = [] {
    constexpr size_t kN = 256;
    auto input = [](uint64_t seed) {
      std::vector<double> values;
      Tensor x = makeInput(DType::BFloat16, {int64_t(kN), int64_t(kN)}, -1.0, 1.0, seed);
      for (BFloat16 value : x.flat<BFloat16>())
        values.push_back(double(float(value)));
      return values;
    };
    std::vector<double> a = input(6), b = input(7);
    auto *c = new std::vector<double>(kN * kN);
    for (size_t i = 0; i < kN; ++i)
      for (size_t k = 0; k < kN; ++k)
        for (size_t j = 0; j < kN; ++j)
          (*c)[i * kN + j] += a[i * kN + k] * b[k * kN + j];
    return c;
  }();
  return *kProduct;
}

template <class Round> bool isRight(Round round, double slack = 1) {
  Tensor c = *Tensor::zeros(DType::BFloat16, {256, 256});
  for (size_t i = 0; i < exactProduct().size(); ++i)
    c.mutableFlat<BFloat16>()[i] = round(exactProduct()[i], i);
  return checkSums("gemm_bf16_256x256x256", "test", c, slack).ok();
}

BFloat16 nearest(double value, size_t) { return BFloat16(float(value)); }

TEST(CheckSums, TakesBFloat16ThatAreRoundedOnce) { EXPECT_TRUE(isRight(nearest)); }

TEST(CheckSums, RefusesBFloat16ThatAreNot) {
  // The upper half of a float32.
  auto truncated = [](double value, size_t) {
    BFloat16 half;
    half.bits = uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16);
    return half;
  };
  EXPECT_FALSE(isRight(truncated));
  EXPECT_TRUE(isRight(truncated, 50)); // off by some 0.7 * 2^-8 each, all of them towards 0
  // As one term of 256 left out would be, and a block of 16 rows where another belongs.
  EXPECT_FALSE(isRight([](double value, size_t i) { return nearest(value * 0.998, i); }));
  EXPECT_FALSE(isRight([](double, size_t i) { return nearest(exactProduct()[i ^ 0x1000], i); }));
  EXPECT_FALSE(isRight([](double value, size_t i) {
    return i == 77 ? BFloat16(std::numeric_limits<float>::quiet_NaN()) : nearest(value, i);
  }));
  // The greatest one, alone.
  EXPECT_FALSE(isRight([](double value, size_t i) {
    return nearest(std::abs(value) > 22.6 ? value * 1.02 : value, i);
  }));
}

TEST(CheckSums, SaysWhatIsWrong) {
  absl::Status status =
      checkSums("gemm_bf16_256x256x256", "test", *Tensor::zeros(DType::BFloat16, {256, 256}));
  EXPECT_EQ(status.message(),
            "gemm_bf16_256x256x256: wrong results of test: sum 0 instead of 45.167059307905902, of "
            "absolute values 0 instead of 278839.83028627886, weighted 0 instead of "
            "868.21920167152223, greatest 0 instead of 22.690422832965851");
}

} // namespace
} // namespace graphc::bench
