//===- RandomTest.cpp - ONNX's operators that draw -----------------------------===//
//
// What they draw is shown in unittests/Random; here is that they are those distributions. Means of
// 20000 draws are within 5.2 standard errors but for 2e-7.
//
//===----------------------------------------------------------------------===//
#include <cmath>

#include "Import/OneNode.h"
#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using testing::EndsWith;

constexpr int64_t kDraws = 20000;

struct Moments {
  double mean = 0, variance = 0, least = HUGE_VAL, most = -HUGE_VAL;
  explicit Moments(const Tensor &draws) {
    Tensor x = draws.cast(DType::Float64).contiguous();
    double n = double(x.numElements());
    for (double value : x.flat<double>()) {
      mean += value / n, variance += value * value / n;
      least = std::min(least, value), most = std::max(most, value);
    }
    variance -= mean * mean;
  }
};

/// Errors of a mean, and of a variance where the fourth moment is at most nine variances squared.
double errorOfMean(double variance) { return 5.2 * std::sqrt(variance / kDraws); }
double errorOfVariance(double variance) { return 5.2 * variance * std::sqrt(8.0 / kDraws); }

TEST(Random, normal) {
  OneNode node(13, "RandomNormal");
  Tensor x = node.integers("shape", {100, 200}).number("mean", 10).number("scale", 2).run()[0];
  EXPECT_EQ(x.dtype(), DType::Float32);
  EXPECT_EQ(x.shape(), (absl::Span<const int64_t>{100, 200}));
  Moments m(x);
  EXPECT_NEAR(m.mean, 10, errorOfMean(4));
  EXPECT_NEAR(m.variance, 4, errorOfVariance(4));
  Tensor seeded = OneNode(13, "RandomNormal").integers("shape", {100}).number("seed", 3).run()[0];
  EXPECT_EQ(seeded,
            OneNode(13, "RandomNormal").integers("shape", {100}).number("seed", 3).run()[0]);
  EXPECT_NE(seeded,
            OneNode(13, "RandomNormal").integers("shape", {100}).number("seed", 4).run()[0]);
}

TEST(Random, normalLike) {
  OneNode node(13, "RandomNormalLike");
  Tensor zeros = *Tensor::zeros(DType::Float32, {kDraws});
  Tensor x = node.given(zeros).integer("dtype", onnx::TensorProto::DOUBLE).run()[0];
  EXPECT_EQ(x.dtype(), DType::Float64);
  Moments m(x);
  EXPECT_NEAR(m.mean, 0, errorOfMean(1));
  EXPECT_NEAR(m.variance, 1, errorOfVariance(1));
}

TEST(Random, uniform) {
  Tensor x = OneNode(13, "RandomUniform").integers("shape", {kDraws}).number("low", -1).run()[0];
  Moments m(x);
  EXPECT_NEAR(m.mean, 0, errorOfMean(4.0 / 12));
  EXPECT_NEAR(m.variance, 4.0 / 12, errorOfVariance(4.0 / 12));
  EXPECT_TRUE(m.least >= -1 && m.most < 1);
  Tensor like =
      OneNode(13, "RandomUniformLike").given(x).number("low", 3).number("high", 4).run()[0];
  Moments l(like);
  EXPECT_EQ(like.dtype(), DType::Float32);
  EXPECT_TRUE(l.least >= 3 && l.most < 4);
  EXPECT_NEAR(l.mean, 3.5, errorOfMean(1.0 / 12));
}

TEST(Random, bernoulli) {
  Tensor p = f32(Tensor({0, 1, 0, 1}));
  EXPECT_EQ(OneNode(15, "Bernoulli").given(p).run()[0], p);
  Tensor halves = *Tensor::full(DType::Float32, {kDraws}, Tensor(0.25));
  Tensor x =
      OneNode(15, "Bernoulli").given(halves).integer("dtype", onnx::TensorProto::INT64).run()[0];
  EXPECT_EQ(x.dtype(), DType::Int64);
  EXPECT_NEAR(Moments(x).mean, 0.25, errorOfMean(0.1875));
}

TEST(Random, multinomial) {
  // Logarithms: certain, and 1 to 3.
  Tensor logits = f32(Tensor({{0, -1000}, {0, std::log(3.0)}}));
  Tensor x = OneNode(13, "Multinomial").given(logits).integer("sample_size", kDraws).run()[0];
  EXPECT_EQ(x.dtype(), DType::Int32);
  ASSERT_EQ(x.shape(), (absl::Span<const int64_t>{2, kDraws}));
  Tensor flat = x.contiguous();
  double sums[2] = {0, 0};
  for (int64_t i = 0; i < 2 * kDraws; ++i)
    sums[i / kDraws] += flat.flat<int32_t>()[i];
  EXPECT_EQ(sums[0], 0);
  EXPECT_NEAR(sums[1] / kDraws, 0.75, errorOfMean(0.1875));
}

// Each element is 0 or twice what it was, as the mask says.
TEST(Random, dropout) {
  Tensor x = *Tensor::full(DType::Float32, {kDraws}, Tensor(3.0));
  auto results = OneNode(13, "Dropout", 2).given(x).omitted().constant({1}).run();
  ASSERT_EQ(results.size(), 2u);
  ASSERT_EQ(results[1].dtype(), DType::Bool);
  Tensor y = results[0].contiguous(), mask = results[1].contiguous();
  double kept = 0;
  for (int64_t i = 0; i < kDraws; ++i) {
    bool isKept = mask.flat<bool>()[i];
    kept += isKept;
    ASSERT_EQ(y.flat<float>()[i], isKept ? 6 : 0);
  }
  EXPECT_NEAR(kept / kDraws, 0.5, errorOfMean(0.25));
}

// F-336: what a file draws becomes a stream of draws.
TEST(Random, generatorsAreShared) {
  OneNode node(13, "Dropout", 2);
  auto module =
      node.given(*Tensor::full(DType::Float32, {64}, Tensor(1.0))).omitted().constant({1}).load();
  ASSERT_TRUE(module.ok()) << module.status();
  Tensor x = *Tensor::full(DType::Float32, {64}, Tensor(1.0));
  auto still = function(module->inputs, module->outputs);
  ASSERT_TRUE(still.ok()) << still.status();
  EXPECT_EQ((*(*still)(x))[0], (*(*still)(x))[0]);
  auto generators = shareGenerators(*module);
  ASSERT_TRUE(generators.ok()) << generators.status();
  ASSERT_EQ(generators->size(), 1u);
  EXPECT_EQ((*generators)[0].name(), "y0.state");
  auto f = function(module->inputs, module->outputs);
  ASSERT_TRUE(f.ok()) << f.status();
  Results first = *(*f)(x);
  EXPECT_EQ(first[0], (*(*still)(x))[0]);
  EXPECT_NE(first[0], (*(*f)(x))[0]);
  // The gradient is that of what is kept.
  Variable g = grad(sum(module->outputs[0]), module->inputs[0]);
  ASSERT_TRUE((*generators)[0].set(randomState(5)).ok());
  auto both = function(module->inputs, {module->outputs[0], g});
  ASSERT_TRUE(both.ok()) << both.status();
  Results r = *(*both)(x);
  EXPECT_EQ(r[0], r[1]);
}

TEST(Random, whatIsRefused) {
  auto said = [](OneNode node) { return std::string(node.load().status().message()); };
  EXPECT_THAT(said(OneNode(13, "RandomNormal")),
              EndsWith("node 1 (RandomNormal): attribute shape must be given"));
  OneNode integers(13, "RandomUniform");
  integers.integers("shape", {2}).integer("dtype", onnx::TensorProto::INT64);
  EXPECT_THAT(said(integers), EndsWith("node 1 (RandomUniform): the dtype must be one of floats, "
                                       "not int64"));
  OneNode vector(13, "Multinomial");
  vector.given(f32(Tensor({0, 1})));
  EXPECT_THAT(said(vector), EndsWith("node 1 (Multinomial): the operand must be a matrix: f32[2]"));
}

} // namespace
} // namespace graphc::test
