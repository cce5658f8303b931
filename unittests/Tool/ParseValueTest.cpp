//===- ParseValueTest.cpp - values on the command line --------------------===//
#include "ParseValue.h"

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "Messages.h"

namespace graphc {
namespace {

Type any(DType dtype, int rank) {
  return Type(dtype, std::vector<int64_t>(size_t(rank), kDynamic));
}

Tensor parse(std::string_view text, DType dtype = DType::Float64) {
  absl::StatusOr<Tensor> t = parseValue(text, any(dtype, 0));
  EXPECT_TRUE(t.ok()) << text << ": " << t.status();
  return t.ok() ? *t : Tensor();
}

std::string problem(std::string_view text, DType dtype = DType::Float64) {
  absl::StatusOr<Tensor> t = parseValue(text, any(dtype, 1));
  return t.ok() ? "accepted" : std::string(t.status().message());
}

TEST(ParseValue, Numbers) {
  EXPECT_EQ(parse("2").item<double>(), 2);
  EXPECT_EQ(parse("-1.5e3").item<double>(), -1500);
  EXPECT_EQ(parse("+7").item<double>(), 7);
  EXPECT_EQ(parse(" 0.1 ").item<double>(), 0.1);
  EXPECT_TRUE(std::isnan(parse("nan").item<double>()));
  EXPECT_EQ(parse("-inf").item<double>(), -INFINITY);
  EXPECT_EQ(parse("Infinity").item<double>(), INFINITY);
  EXPECT_EQ(parse("1e-400").item<double>(), 0) << "numbers are rounded, so the smallest are 0";
  EXPECT_EQ(parse("0.1", DType::Float32).item<float>(), 0.1f);
  EXPECT_EQ(parse("18446744073709551615", DType::UInt64).item<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808", DType::Int64).item<int64_t>(), INT64_MIN);
  EXPECT_EQ(parse("true", DType::Bool).item<bool>(), true);
  EXPECT_EQ(parse("3.0", DType::Int32).item<int32_t>(), 3);
}

TEST(ParseValue, AnArchiveNeedsAKey) {
  EXPECT_EQ(parseValue("weights.npz", any(DType::Float32, 1)).status().message(),
            "weights.npz has several arrays; write weights.npz:KEY");
}

TEST(ParseValue, IntegersMustFit) {
  for (auto [text, dtype] : std::initializer_list<std::pair<const char *, DType>>{
           {"18446744073709551616", DType::UInt64},
           {"-1", DType::UInt64},
           {"18446744073709551616.0", DType::UInt64},
           {"1e20", DType::UInt64},
           {"-9223372036854775809", DType::Int64},
           {"9223372036854775808", DType::Int64},
           {"9223372036854775808.0", DType::Int64},
           {"18446744073709551615", DType::Int64},
           {"99999999999999999999999999", DType::Int64},
           {"18446744073709551615", DType::Int8},
           {"256", DType::UInt8},
           {"1.5", DType::Int32},
           {"nan", DType::Int32},
           {"2", DType::Bool}}) {
    absl::Status status = parseValue(text, any(dtype, 0)).status();
    std::string range = dtype == DType::UInt64 ? "whole numbers from 0 to 18446744073709551615"
                        : dtype == DType::Int64
                            ? "whole numbers from -9223372036854775808 to 9223372036854775807"
                        : dtype == DType::Int32 ? "whole numbers from -2147483648 to 2147483647"
                        : dtype == DType::Int8  ? "whole numbers from -128 to 127"
                        : dtype == DType::UInt8 ? "whole numbers from 0 to 255"
                                                : "0 and 1, false and true";
    EXPECT_EQ(said(status), "TypeError: '" + std::string(text) + "' at character 1: " + text +
                                " is no value of dtype " + std::string(dtypeName(dtype)) +
                                ", which has " + range);
  }
  EXPECT_EQ(parse("18446744073709551616").item<double>(), 0x1p64);
  EXPECT_EQ(parse("9223372036854775807", DType::UInt64).item<uint64_t>(), uint64_t(INT64_MAX));
  EXPECT_EQ(parse("-1e3", DType::Int16).item<int16_t>(), -1000);
}

/// What is beyond the greatest number is a mistake, and is not infinity.
TEST(ParseValue, FloatsMustFit) {
  for (auto [text, dtype, remedy] :
       std::initializer_list<std::tuple<const char *, DType, const char *>>{
           {"1e400", DType::Float64, "inf"},
           {"-1e400", DType::Float64, "-inf"},
           {"1.8e308", DType::Float64, "inf"},
           {"3.41e38", DType::Float32, "inf"},
           {"-1e39", DType::Float32, "-inf"},
           {"65520", DType::Float16, "inf"}, // halfway to 65536, where binary16 ends
           {"-70000", DType::Float16, "-inf"},
           {"3.4e38", DType::BFloat16, "inf"}})
    EXPECT_EQ(said(parseValue("[1, " + std::string(text) + "]", any(dtype, 1)).status()),
              "TypeError: '[1, " + std::string(text) + "]' at character 5: " + text +
                  " is too large for dtype " + std::string(dtypeName(dtype)) + "; write " + remedy);
  EXPECT_EQ(parse("65519", DType::Float16).item<float>(), 65504);
  EXPECT_EQ(parse("3.4028235e38", DType::Float32).item<float>(), 0x1.fffffep127f);
  EXPECT_EQ(parse("-inf", DType::Float16).item<float>(), -INFINITY);
}

/// Each part of a complex number may be infinite.
TEST(ParseValue, PartsMustFit) {
  for (auto [text, re, im] : std::initializer_list<std::tuple<const char *, double, double>>{
           {"inf+1j", INFINITY, 1}, {"1-infj", 1, -INFINITY}, {"-inf", -INFINITY, 0}}) {
    std::complex<double> z = parse(text, DType::Complex128).item<std::complex<double>>();
    EXPECT_EQ(z, std::complex<double>(re, im)) << text;
  }
  EXPECT_EQ(said(parseValue("[inf+1e39j]", any(DType::Complex64, 1)).status()),
            "TypeError: '[inf+1e39j]' at character 2: inf+1e39j is too large for dtype float32; "
            "write inf");
}

TEST(ParseValue, Lists) {
  EXPECT_EQ(parse("[1, 2, 3]"), Tensor({1, 2, 3}));
  EXPECT_EQ(parse("[[1,2],[3,4]]"), Tensor({{1, 2}, {3, 4}}));
  EXPECT_EQ(parse(" [ [ [ 1 ] ] ] "), *Tensor({1}).reshape({1, 1, 1}));
  Tensor none = parse("[]"), empty = parse("[[],[]]");
  EXPECT_EQ(none.shape(), (absl::Span<const int64_t>{0}));
  EXPECT_EQ(empty.rank(), 2);
  EXPECT_EQ(empty.shape()[0], 2);
  EXPECT_EQ(empty.shape()[1], 0);
}

TEST(ParseValue, MadeUp) {
  int64_t shape[] = {2, kDynamic};
  Type type(DType::Float32, shape);
  Tensor zeros = *parseValue("zeros", type);
  EXPECT_EQ(zeros, *Tensor::zeros(DType::Float32, {2, 1}));
  Tensor random = *parseValue("random[2,3]", type);
  EXPECT_EQ(random.numElements(), 6);
  EXPECT_TRUE(random.identical(*parseValue("random[2,3]", type))) << "from a fixed seed";
  for (float x : random.flat<float>())
    EXPECT_TRUE(x >= 0 && x < 1);
  // std::mt19937_64 of the input's number and 1, as the C++ standard defines it.
  for (size_t input : {0, 1, 7}) {
    std::mt19937_64 bits(1 + input);
    Tensor own = *parseValue("random[2,3]", type, input);
    for (float x : own.flat<float>())
      EXPECT_EQ(x, float(double(bits() >> 11) * 0x1p-53)) << input;
  }
}

TEST(ParseValue, Mistakes) {
  EXPECT_EQ(problem(""), "'' at character 1: expected a number");
  EXPECT_EQ(problem("abc"), "'abc' at character 1: 'abc' is no number");
  EXPECT_EQ(problem("[1, 2"), "'[1, 2' at character 6: expected ',' or ']'");
  EXPECT_EQ(problem("[1,]"), "'[1,]' at character 4: expected a number");
  EXPECT_EQ(problem("[1] 2"), "'[1] 2' at character 5: more follows after the value");
  EXPECT_EQ(problem("[[1],[2,3]]"),
            "'[[1],[2,3]]' at character 10: lists at one depth have 1 and 2 elements");
  EXPECT_EQ(problem("[1,[2]]"),
            "'[1,[2]]' at character 4: a list stands where others have a number");
  EXPECT_EQ(problem("[[1],2]"),
            "'[[1],2]' at character 6: a number stands where others have a list");
  EXPECT_EQ(
      problem("[1, 300]", DType::Int8),
      "'[1, 300]' at character 5: 300 is no value of dtype int8, which has whole numbers from "
      "-128 to 127");
  EXPECT_EQ(problem("zeros[2"), "'[2' at character 3: expected ',' or ']'");
  EXPECT_EQ(problem(std::string(40, '[')),
            "'" + std::string(40, '[') + "' at character 33: lists are nested more than 32 deep");
  EXPECT_EQ(errorKind(parseValue("missing.npy", any(DType::Float64, 1)).status()), ErrorKind::Io);
}

// Nothing that anybody can type ends in a crash; what is accepted fits the dtype.
TEST(ParseValue, RandomText) {
  std::mt19937 random(7);
  std::string_view alphabet = "[[]],,0123.-+einfat rand ";
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (size_t n = random() % 12; n > 0; --n)
      text += alphabet[random() % alphabet.size()];
    absl::StatusOr<Tensor> t = parseValue(text, any(DType(random() % kNumDTypes), 1));
    accepted += t.ok();
    if (!t.ok()) {
      EXPECT_FALSE(t.status().message().empty());
    }
  }
  EXPECT_GT(accepted, 100);
}

} // namespace
} // namespace graphc
