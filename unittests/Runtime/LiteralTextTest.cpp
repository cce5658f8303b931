//===- LiteralTextTest.cpp - scalar constants as text ---------------------===//
#include "Runtime/LiteralText.h"

#include <gtest/gtest.h>
#include <random>

namespace graphc {
namespace {

/// Bits as IEEE 754 and two's complement have them.
TEST(LiteralText, Values) {
  struct Case {
    DType dtype;
    uint64_t bits;
    const char *text;
  };
  for (const Case &c : std::initializer_list<Case>{
           {DType::Bool, 1, "true"},
           {DType::Bool, 0, "false"},
           {DType::Int8, 0xfd, "-3"},
           {DType::Int64, 0x8000000000000000, "-9223372036854775808"},
           {DType::UInt8, 0xfd, "253"},
           {DType::UInt64, 0xffffffffffffffff, "18446744073709551615"},
           {DType::Float16, 0x2e66, "0.1"},
           {DType::Float16, 0x7bff, "65500.0"},
           {DType::BFloat16, 0x3dcd, "0.1"},
           {DType::Float32, 0x3dcccccd, "0.1"},
           {DType::Float32, 0x00000001, "1e-45"},
           {DType::Float32, 0x7f7fffff, "3.4028235e+38"},
           {DType::Float64, 0x3fb999999999999a, "0.1"},
           {DType::Float64, 0x8000000000000000, "-0.0"},
           {DType::Float32, 0x7f800000, "inf"},
           {DType::Float64, 0xfff0000000000000, "-inf"},
           {DType::Float32, 0x7fc00000, "nan"},
           {DType::Float32, 0xffc00000, "0xffc00000"},
           {DType::Float16, 0x7e01, "0x7e01"},
           {DType::Float64, 0x7ff0000000000001, "0x7ff0000000000001"},
       }) {
    EXPECT_EQ(literalText(c.dtype, c.bits), c.text);
    EXPECT_EQ(parseLiteral(c.dtype, c.text), c.bits) << c.text;
  }
}

TEST(LiteralText, WhatIsNoValue) {
  struct Case {
    DType dtype;
    const char *text;
  };
  for (const Case &c : std::initializer_list<Case>{{DType::Bool, "1"},
                                                   {DType::Int8, "128"},
                                                   {DType::Int8, "-129"},
                                                   {DType::Int8, "1.0"},
                                                   {DType::Int32, ""},
                                                   {DType::Int64, "9223372036854775808"},
                                                   {DType::UInt8, "256"},
                                                   {DType::UInt8, "-1"},
                                                   {DType::Int32, "0x7"},
                                                   {DType::Float16, "0x10000"},
                                                   {DType::Float32, "0x"},
                                                   {DType::Float32, "infinity"},
                                                   {DType::Float32, "-nan"},
                                                   {DType::Float32, "1e"},
                                                   {DType::Float32, "1.0f"},
                                                   {DType::Float64, "1e999"}})
    EXPECT_FALSE(parseLiteral(c.dtype, c.text)) << c.text;
}

/// Every half, and of the wider ones some: the text gives the bits back.
TEST(LiteralText, AllBitsComeBack) {
  for (DType dtype : {DType::Float16, DType::BFloat16})
    for (uint64_t bits = 0; bits < 65536; ++bits)
      ASSERT_EQ(parseLiteral(dtype, literalText(dtype, bits)), bits) << literalText(dtype, bits);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    for (DType dtype :
         {DType::Float32, DType::Float64, DType::Int16, DType::UInt32, DType::Int64}) {
      uint64_t value = bits >> (64 - bitWidth(dtype));
      ASSERT_EQ(parseLiteral(dtype, literalText(dtype, value)), value);
    }
  }
}

} // namespace
} // namespace graphc
