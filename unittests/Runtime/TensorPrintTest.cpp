#include <cmath>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include "TestData.h"
#include "graphc/Tensor.h"

namespace graphc {
namespace {

Tensor tensorOfHex(DType dtype, const std::vector<int64_t> &shape, const std::string &hex) {
  Tensor tensor = *Tensor::allocate(dtype, shape);
  std::string bytes = bytesOfHex(hex);
  EXPECT_EQ(bytes.size(), size_t(tensor.numBytes()));
  std::memcpy(tensor.data(), bytes.data(), bytes.size());
  return tensor;
}

TEST(TensorPrint, AsNumPy) {
  std::istringstream file(readTestFile("numpy_print.txt"));
  std::string line;
  int cases = 0;
  std::getline(file, line);
  while (file) {
    std::string word, dtypeText, shapeTextPart;
    PrintOptions options;
    std::istringstream head(line);
    head >> word >> dtypeText >> shapeTextPart >> options.threshold >> options.edgeItems >>
        options.precision >> options.lineWidth;
    ASSERT_EQ(word, "case");
    std::string hex, expected;
    std::getline(file, hex);
    while (std::getline(file, line) && line[0] == '|')
      expected += (expected.empty() ? "" : "\n") + line.substr(1);
    Tensor tensor = tensorOfHex(*parseDType(dtypeText), shapeOfText(shapeTextPart), hex);
    EXPECT_EQ(toString(tensor, options), expected) << dtypeText << " " << shapeTextPart;
    ++cases;
  }
  EXPECT_GT(cases, 800);
}

TEST(TensorPrint, StridesDoNotShow) {
  Tensor matrix({{1, 2}, {3, 4}});
  Tensor transposed = *matrix.transpose({1, 0});
  EXPECT_EQ(matrix.str(), "[[1. 2.]\n [3. 4.]]");
  EXPECT_EQ(transposed.str(), "[[1. 3.]\n [2. 4.]]");
  std::ostringstream os;
  os << *transposed.slice(0, 1, 2, -1);
  EXPECT_EQ(os.str(), "[[2. 4.]\n [1. 3.]]");
  EXPECT_EQ(Tensor().str(), "<undefined>");
}

TEST(TensorPrint, NegativePrecisionIsShortest) {
  PrintOptions options;
  options.precision = -1;
  EXPECT_EQ(toString(Tensor({0.1, 1.0 / 3}), options), "[0.1                0.3333333333333333]");
}

std::string inlineText(const Tensor &tensor, PrintOptions options = {}) {
  options.inlineList = true;
  return toString(tensor, options);
}

TEST(TensorPrint, InlineListsAreWhatTheCommandLineReads) {
  EXPECT_EQ(inlineText(Tensor(14.0)), "14");
  EXPECT_EQ(inlineText(Tensor(0.1)), "0.1");
  EXPECT_EQ(inlineText(Tensor(100000.0)), "100000");
  EXPECT_EQ(inlineText(Tensor(1e16)), "1e+16");
  EXPECT_EQ(inlineText(Tensor(-2.5e-7)), "-2.5e-07");
  EXPECT_EQ(inlineText(Tensor(0.1f)), "0.1");
  EXPECT_EQ(inlineText(Tensor({{1, 2.5}, {1.0 / 3, -0.0}})),
            "[[1, 2.5], [0.3333333333333333, -0]]");
  EXPECT_EQ(inlineText(Tensor({INFINITY, -INFINITY, NAN})), "[inf, -inf, nan]");
  EXPECT_EQ(inlineText(Tensor({0, 1}, DType::Bool)), "[false, true]");
  EXPECT_EQ(inlineText(Tensor({200, 7}, DType::UInt8)), "[200, 7]");
  EXPECT_EQ(inlineText(*Tensor::zeros(DType::Int8, {0})), "[]");
  EXPECT_EQ(inlineText(*Tensor::zeros(DType::Int8, {2, 0})), "[[], []]");
}

TEST(TensorPrint, InlineListsAreElided) {
  Tensor many = *Tensor::zeros(DType::Int8, {2000});
  EXPECT_EQ(inlineText(many), "[0, 0, 0, ..., 0, 0, 0]");
  PrintOptions full;
  full.threshold = INT64_MAX;
  EXPECT_EQ(inlineText(many, full).size(), 3u * 2000);
  // Brackets of an empty tensor, too: here they would be a billion.
  EXPECT_EQ(inlineText(*Tensor::zeros(DType::Int8, {1000000000, 0})),
            "[[], [], [], ..., [], [], []]");
}

TEST(TensorPrint, BFloat16HasShortestDigits) {
  // Neighbours of 0.1 among bfloat16 are 2^-11 apart in 1/16..1/8, so "0.1" tells it from them.
  Tensor values = Tensor({0.1, 3.14159, 65536, 1e30, 0.5}, DType::BFloat16);
  // 65500 is nearer to 65536 than to its neighbours (256 below, 512 above): no more digits are
  // needed, and NumPy's float16 prints 65504 as 65500 likewise.
  EXPECT_EQ(inlineText(values), "[0.1, 3.14, 65500, 1e+30, 0.5]");
  EXPECT_EQ(Tensor({0.1, 3.14159}, DType::BFloat16).str(), "[0.1  3.14]");
}

} // namespace
} // namespace graphc
