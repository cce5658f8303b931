//===- NetworksTest.cpp - real networks are read ---------------------------===//
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

class Network : public testing::TestWithParam<std::string> {};

/// The tree's networks: one image in, 1000 classes out (see test/Data/onnx/README.md).
TEST_P(Network, isRead) {
  auto module = load(treeModel(GetParam()));
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->inputs.size(), 1u);
  EXPECT_EQ(module->inputs[0].type(), TensorType(DType::Float32, {1, 3, 224, 224}));
  ASSERT_EQ(module->outputs.size(), 1u);
  EXPECT_EQ(module->outputs[0].dtype(), DType::Float32);
  EXPECT_EQ(module->outputs[0].type().numElements(), 1000);
  ASSERT_EQ(module->outputNames.size(), 1u);
  EXPECT_EQ(module->outputNames[0], module->outputs[0].name());
}

INSTANTIATE_TEST_SUITE_P(Tree, Network,
                         testing::Values("light/light_inception_v1.onnx",
                                         "light/light_resnet50.onnx", "light/light_shufflenet.onnx",
                                         "light/light_squeezenet.onnx", "seeded/inception_v1.onnx",
                                         "seeded/resnet50.onnx", "seeded/shufflenet.onnx",
                                         "seeded/squeezenet.onnx"));

class LightNetwork : public testing::TestWithParam<const char *> {};

/// ONNX's own expected outputs and tolerance (test/Data/onnx/README.md): all weights of a tensor
/// are equal, so that what is summed in float32 in another order differs by far less.
TEST_P(LightNetwork, compiledGivesOnnxsOutputs) {
  std::string path = treeModel("light/light_" + std::string(GetParam()));
  auto module = load(path + ".onnx");
  ASSERT_TRUE(module.ok()) << module.status();
  auto f = function(*module);
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor input = *Tensor::allocate(DType::Float32, {1, 3, 224, 224});
  absl::Span<float> values = input.mutableFlat<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / float(values.size());
  auto results = (*f)(input);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(difference((*results)[0], readTensorFile(path + "_output_0.pb"), 1e-3, 1e-7), "");
}

INSTANTIATE_TEST_SUITE_P(Tree, LightNetwork,
                         testing::Values("inception_v1", "resnet50", "shufflenet", "squeezenet"),
                         [](const auto &info) { return std::string(info.param); });

/// PP-OCR's text-direction classifier, where tools/fetch-model has put it (test/run.py says in
/// which folder): pictures of any size in, two probabilities for each out.
TEST(Classifier, isRead) {
  const char *models = std::getenv("GRAPHC_TEST_MODELS"), *home = std::getenv("HOME");
  std::string folder = models ? models : std::string(home ? home : "") + "/.cache/graphc/models";
  std::string path = folder + "/ch_ppocr_mobile_v2.0_cls_infer.onnx";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << " has not been fetched";
  auto module = load(path);
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->inputs.size(), 1u);
  EXPECT_EQ(module->inputs[0].name(), "x");
  EXPECT_EQ(module->inputs[0].type(),
            TensorType(DType::Float32, {kDynamic, 3, kDynamic, kDynamic}));
  ASSERT_EQ(module->outputs.size(), 1u);
  EXPECT_EQ(module->outputs[0].type(), TensorType(DType::Float32, {kDynamic, 2}));
  EXPECT_EQ(module->outputNames[0], "softmax_0.tmp_0");
}

} // namespace
} // namespace graphc::test
