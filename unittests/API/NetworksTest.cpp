//===- NetworksTest.cpp - whole networks against onnxruntime --------------===//
#include <cmath>
#include <gtest/gtest.h>

#include "graphc/Function.h"
#include "graphc/Import.h"

namespace graphc {
namespace {

const std::string kFolder = std::string(GRAPHC_TEST_DATA) + "/../../test/Data/onnx/seeded/";

class SeededNetwork : public testing::TestWithParam<const char *> {};

// Expected outputs are onnxruntime's (test/Data/onnx/seeded/make_seeded.py). An evaluation in f64
// differs from them by at most 3e-6 relative, so 1e-4 leaves room for another order of sums and
// still sees every mistake in the layout of weights, whose least effect is 1.3e-3.
TEST_P(SeededNetwork, CompiledGivesTheOutputsOfOnnxruntime) {
  auto module = loadOnnx(kFolder + GetParam() + ".onnx");
  ASSERT_TRUE(module.ok()) << module.status();
  auto f = function(*module);
  ASSERT_TRUE(f.ok()) << f.status();
  std::vector<int64_t> shape(f->inputTypes()[0].shape().begin(), f->inputTypes()[0].shape().end());
  for (int64_t &extent : shape)
    extent = extent == kDynamic ? 1 : extent;
  Tensor input = *Tensor::allocate(DType::Float32, shape);
  absl::Span<float> values = input.mutableFlat<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / float(values.size());
  auto results = (*f)(input);
  ASSERT_TRUE(results.ok()) << results.status();
  auto expected = loadNpy(kFolder + GetParam() + "_output_0.npy");
  ASSERT_TRUE(expected.ok()) << expected.status();
  Tensor wanted = expected->contiguous(), got = (*results)[0];
  ASSERT_EQ(got.numElements(), wanted.numElements());
  for (int64_t i = 0; i < wanted.numElements(); ++i) {
    float w = wanted.flat<float>()[size_t(i)], g = got.flat<float>()[size_t(i)];
    ASSERT_LE(std::abs(g - w), 1e-4f * std::abs(w) + 1e-7f) << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SeededNetwork,
                         testing::Values("squeezenet", "shufflenet", "inception_v1", "resnet50"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace graphc
