//===- BitsTest.cpp - operators of set 26 ------------------------------------------===//
//
// BitCast beside std::bit_cast, of all 16-bit numbers and of others of all kinds; CumProd with the
// numbers of ONNX's examples.
//
//===----------------------------------------------------------------------===//
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using Type = onnx::TensorProto;
constexpr int kE4M3FN = 17, kE5M2FNUZ = 20, kUInt4 = 21, kInt4 = 22, kFloat4 = 23, kE8M0 = 24,
              kUInt2 = 25, kInt2 = 26;

/// The result, evaluated and compiled.
Tensor run(const onnx::ModelProto &model, const Tensor &x) {
  auto module = loadModel(model);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return Tensor(0.0);
  auto evaluated = evaluate(module->outputs, module->inputs, {x});
  auto f = function(*module);
  EXPECT_TRUE(evaluated.ok() && f.ok()) << evaluated.status() << f.status();
  if (!evaluated.ok() || !f.ok())
    return Tensor(0.0);
  auto compiled = (*f)(x);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  if (compiled.ok())
    EXPECT_EQ(difference((*compiled)[0], (*evaluated)[0], 0, 0), "");
  return (*evaluated)[0];
}

/// x of a type seen as others, one after the other.
onnx::ModelProto casts(const Tensor &x, int from, std::vector<int> to) {
  onnx::ModelProto model = makeModel(26);
  addInput(model, "v0", {x.numElements()}, from);
  for (size_t k = 0; k < to.size(); ++k)
    setInt(addNode(model, "BitCast", {"v" + std::to_string(k)}, {"v" + std::to_string(k + 1)}),
           "to", to[k]);
  addOutput(model, "v" + std::to_string(to.size()));
  return model;
}

template <class T> Tensor vectorOf(const std::vector<T> &numbers) {
  return *Tensor::fromSpan(absl::MakeConstSpan(numbers), {int64_t(numbers.size())});
}

/// Floats, as numbers of their bits, and back; `isNaN` of bits.
template <class Float, class Bits, class IsNaN>
void expectBits(const std::vector<Bits> &bits, int floatType, int bitsType, IsNaN isNaN) {
  Tensor codes = vectorOf(bits);
  std::vector<Float> floats;
  for (Bits code : bits)
    floats.push_back(std::bit_cast<Float>(code));
  Tensor numbers = run(casts(codes, bitsType, {floatType}), codes).contiguous();
  Tensor back = run(casts(vectorOf(floats), floatType, {bitsType}), vectorOf(floats)).contiguous();
  ASSERT_EQ(numbers.numElements(), int64_t(bits.size()));
  ASSERT_EQ(back.dtype(), codes.dtype());
  for (size_t i = 0; i < bits.size(); ++i) {
    Float number = numbers.flat<Float>()[i];
    EXPECT_EQ(isNaN(std::bit_cast<Bits>(number)), isNaN(bits[i])) << i;
    EXPECT_EQ(isNaN(back.flat<Bits>()[i]), isNaN(bits[i])) << i;
    if (isNaN(bits[i]))
      continue;
    ASSERT_EQ(std::bit_cast<Bits>(number), bits[i]) << i;
    ASSERT_EQ(back.flat<Bits>()[i], bits[i]) << i;
  }
}

TEST(BitCast, of16Bits) {
  std::vector<uint16_t> all;
  std::vector<int16_t> asSigned;
  for (int code = 0; code < 1 << 16; ++code) {
    all.push_back(uint16_t(code));
    asSigned.push_back(int16_t(code));
  }
  expectBits<Half>(all, Type::FLOAT16, Type::UINT16,
                   [](uint16_t bits) { return (bits & 0x7fff) > 0x7c00; });
  expectBits<BFloat16>(asSigned, Type::BFLOAT16, Type::INT16,
                       [](int16_t bits) { return (bits & 0x7fff) > 0x7f80; });
}

/// Each exponent with fractions of its own: subnormal numbers, infinities and NaNs are among them.
template <class Bits> std::vector<Bits> someBits(int fractionBits) {
  std::mt19937_64 random(1);
  std::vector<Bits> list;
  const int exponents = 1 << (int(sizeof(Bits)) * 8 - fractionBits); // and the sign
  for (int e = 0; e < exponents; ++e)
    for (uint64_t fraction : {uint64_t(0), uint64_t(1), ~uint64_t(0), uint64_t(random())})
      list.push_back(
          Bits(uint64_t(e) << fractionBits | (fraction & ((uint64_t(1) << fractionBits) - 1))));
  return list;
}

TEST(BitCast, of32And64Bits) {
  expectBits<float>(someBits<int32_t>(23), Type::FLOAT, Type::INT32,
                    [](int32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; });
  expectBits<float>(someBits<uint32_t>(23), Type::FLOAT, Type::UINT32,
                    [](uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; });
  expectBits<double>(someBits<int64_t>(52), Type::DOUBLE, Type::INT64,
                     [](int64_t bits) { return (bits & INT64_MAX) > int64_t(0x7ff0000000000000); });
}

TEST(BitCast, ofIntegers) {
  Tensor bytes = vectorOf(std::vector<uint8_t>{0, 1, 127, 128, 255});
  EXPECT_EQ(run(casts(bytes, Type::UINT8, {Type::INT8}), bytes),
            Tensor({0, 1, 127, -128, -1}, DType::Int8));
  Tensor wide = vectorOf(std::vector<uint64_t>{0, 1, UINT64_MAX, uint64_t(1) << 63});
  EXPECT_EQ(run(casts(wide, Type::UINT64, {Type::INT64}), wide),
            vectorOf(std::vector<int64_t>{0, 1, -1, INT64_MIN}));
  Tensor truths = Tensor({1, 0}, DType::Bool);
  EXPECT_EQ(run(casts(truths, Type::BOOL, {Type::UINT8}), truths), Tensor({1, 0}, DType::UInt8));
}

/// The codes of narrow types come back, but for those of other NaNs.
TEST(BitCast, ofNarrowTypes) {
  std::vector<uint8_t> bytes;
  for (int code = 0; code < 256; ++code)
    bytes.push_back(uint8_t(code));
  Tensor codes = vectorOf(bytes);
  for (int type : {kE4M3FN, kE4M3FN + 1, kE4M3FN + 2, kE5M2FNUZ, kE8M0}) {
    Tensor values = run(casts(codes, Type::UINT8, {type}), codes).cast(DType::Float64).contiguous();
    Tensor back = run(casts(codes, Type::UINT8, {type, Type::UINT8}), codes).contiguous();
    for (size_t i = 0; i < bytes.size(); ++i)
      if (!std::isnan(values.flat<double>()[i]))
        EXPECT_EQ(back.flat<uint8_t>()[i], bytes[i]) << type;
    EXPECT_EQ(values.flat<double>()[type == kE8M0 ? 130 : 0], type == kE8M0 ? 8.0 : 0.0);
  }
  Tensor four = vectorOf(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 16));
  EXPECT_EQ(run(casts(four, kUInt4, {kFloat4}), four).cast(DType::Float64),
            Tensor({0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6}));
  EXPECT_EQ(run(casts(four, kUInt4, {kFloat4, kInt4, kUInt4}), four), four);
  Tensor two = Tensor({0, 1, 2, 3}, DType::UInt8);
  EXPECT_EQ(run(casts(two, kUInt2, {kInt2}), two), Tensor({0, 1, -2, -1}, DType::Int8));
}

TEST(BitCast, mistakes) {
  Tensor x = Tensor({1.0f}).cast(DType::Float32);
  EXPECT_EQ(error(loadModel(casts(x, Type::FLOAT, {Type::INT64}))),
            "model.onnx: node 1 (BitCast): elements of 32 bits as elements of 64");
  EXPECT_EQ(error(loadModel(casts(x, kInt4, {kInt2}))),
            "model.onnx: node 1 (BitCast): elements of 4 bits as elements of 2");
  onnx::ModelProto model = makeModel(26);
  addInput(model, "x", {2});
  addNode(model, "BitCast", {"x"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (BitCast): attribute to is missing");
}

/// ONNX's examples, test_cumprod_1d and those with attributes, and test_cumprod_2d_axis_0.
TEST(CumProd, givesOnnxsExamples) {
  auto products = [](const Tensor &x, int64_t axis, bool exclusive, bool reverse, int type) {
    onnx::ModelProto model = makeModel(26);
    addInput(model, "x", {x.shape().begin(), x.shape().end()}, type);
    addInts(model, "axis", {axis}).clear_dims();
    onnx::NodeProto &node = addNode(model, "CumProd", {"x", "axis"}, {"y"});
    setInt(node, "exclusive", exclusive);
    setInt(node, "reverse", reverse);
    addOutput(model, "y");
    return run(model, x);
  };
  Tensor x({1.0, 2.0, 3.0, 4.0, 5.0});
  EXPECT_EQ(products(x, 0, false, false, Type::DOUBLE), Tensor({1.0, 2.0, 6.0, 24.0, 120.0}));
  EXPECT_EQ(products(x, 0, true, false, Type::DOUBLE), Tensor({1.0, 1.0, 2.0, 6.0, 24.0}));
  EXPECT_EQ(products(x, 0, false, true, Type::DOUBLE), Tensor({120.0, 120.0, 60.0, 20.0, 5.0}));
  EXPECT_EQ(products(x, 0, true, true, Type::DOUBLE), Tensor({120.0, 60.0, 20.0, 5.0, 1.0}));
  Tensor matrix({{1, 2, 3}, {4, 5, 6}}, DType::Int32);
  EXPECT_EQ(products(matrix, 0, false, false, Type::INT32),
            Tensor({{1, 2, 3}, {4, 10, 18}}, DType::Int32));
  EXPECT_EQ(products(matrix, -1, false, false, Type::INT32),
            Tensor({{1, 2, 6}, {4, 20, 120}}, DType::Int32));
}

/// Of the sum of x0, x0 x1 and x0 x1 x2.
TEST(CumProd, hasAGradient) {
  onnx::ModelProto model = makeModel(26);
  addInput(model, "x", {3});
  addInts(model, "axis", {0}).clear_dims();
  addNode(model, "CumProd", {"x", "axis"}, {"y"});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  Variable gradient = grad(sum(module->outputs[0]), module->inputs[0]);
  auto value = evaluate({gradient}, module->inputs, {Tensor({2.0, 3.0, 4.0}).cast(DType::Float32)});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->front(), Tensor({16.0, 10.0, 6.0}).cast(DType::Float32));
}

} // namespace
} // namespace graphc::test
