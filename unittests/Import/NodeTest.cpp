//===- NodeTest.cpp - the ONNX project's own tests of operators ------------===//
//
// libonnx-testdata's folders, each with a model and values; ONNX compares with rtol 1e-3 and
// atol 1e-7. The names that pass, evaluated and compiled, stand in node-tests.txt, which may only
// grow. With GRAPHC_LIST_NODE_TESTS set, the reasons why others fail are printed.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const std::string kFolder = "/usr/share/libonnx-testdata/data/node";

std::string inputFile(const std::string &folder, int i) {
  return folder + "/input_" + std::to_string(i) + ".pb";
}

/// The same model with the values of all inputs but the first as initializers. ONNX's tests give
/// axes and the like as inputs; in networks they are constant.
onnx::ModelProto withInitializers(onnx::ModelProto model, const std::string &folder) {
  onnx::GraphProto &graph = *model.mutable_graph();
  for (int i = 1; i < graph.input_size(); ++i) {
    onnx::TensorProto &value = *graph.add_initializer();
    value.ParseFromString(readFile(inputFile(folder, i)));
    value.set_name(graph.input(i).name());
  }
  return model;
}

/// ONNX's data has the bits of bfloat16 numbers as uint16.
Tensor withBits(const Tensor &value, DType dtype) {
  if (dtype != DType::BFloat16 || value.dtype() != DType::UInt16)
    return value;
  Tensor bits = value.contiguous(), result = *Tensor::allocate(dtype, value.shape());
  std::memcpy(result.data(), bits.data(), size_t(bits.numBytes()));
  return result;
}

absl::StatusOr<std::vector<Tensor>> runCompiled(const GraphModule &module,
                                                const std::vector<Tensor> &inputs) {
  FunctionOptions options;
  options.onUnusedInput = OnUnusedInput::Ignore;
  auto f = function(module, options);
  if (!f.ok())
    return f.status();
  auto results = f->call(inputs);
  if (!results.ok())
    return results.status();
  return std::vector<Tensor>(results->begin(), results->end());
}

/// What is wrong with results, or nothing.
std::string wrongResults(const absl::StatusOr<std::vector<Tensor>> &outputs,
                         const std::string &folder) {
  if (!outputs.ok())
    return std::string(outputs.status().message());
  for (size_t i = 0; i < outputs->size(); ++i) {
    Tensor expected = readTensorFile(folder + "/output_" + std::to_string(i) + ".pb");
    if (expected.defined())
      expected = withBits(expected, (*outputs)[i].dtype());
    std::string wrong = difference((*outputs)[i], expected, 1e-3, 1e-7);
    if (!wrong.empty())
      return "output " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

/// What is wrong with one data set, or nothing.
std::string runDataSet(const onnx::ModelProto &model, const std::string &folder) {
  auto module = loadModel(model);
  if (errorKind(module.status()) == ErrorKind::NotSupported &&
      (std::string(module.status().message()).find("must be") != std::string::npos))
    module = loadModel(withInitializers(model, folder));
  if (!module.ok())
    return std::string(module.status().message());
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < module->inputs.size(); ++i) {
    inputs.push_back(readTensorFile(inputFile(folder, int(i))));
    if (!inputs.back().defined())
      return "input " + std::to_string(i) + " cannot be read";
    inputs.back() = withBits(inputs.back(), module->inputs[i].dtype());
  }
  std::string wrong = wrongResults(evaluate(module->outputs, module->inputs, inputs), folder);
  if (wrong.empty())
    if (wrong = wrongResults(runCompiled(*module, inputs), folder); !wrong.empty())
      wrong = "compiled: " + wrong;
  return wrong;
}

std::string runNodeTest(const std::string &name) {
  std::string folder = kFolder + "/" + name;
  onnx::ModelProto model;
  if (!model.ParseFromString(readFile(folder + "/model.onnx")))
    return "the model cannot be read";
  for (int set = 0;; ++set) {
    std::string data = folder + "/test_data_set_" + std::to_string(set);
    if (!std::filesystem::exists(data))
      return set > 0 ? "" : "no data";
    if (std::string wrong = runDataSet(model, data); !wrong.empty())
      return wrong;
  }
}

TEST(NodeTests, passAndAreListed) {
  if (!std::filesystem::exists(kFolder))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  std::istringstream list(readFile(GRAPHC_TEST_DATA "/node-tests.txt"));
  std::set<std::string> listed;
  for (std::string line; std::getline(list, line);)
    listed.insert(line);
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder))
    names.insert(entry.path().filename());
  EXPECT_TRUE(std::includes(names.begin(), names.end(), listed.begin(), listed.end()));
  for (const std::string &name : names) {
    SCOPED_TRACE(name);
    std::string wrong = runNodeTest(name);
    if (listed.contains(name))
      EXPECT_EQ(wrong, "") << name;
    else
      EXPECT_NE(wrong, "") << name << " passes: add it to node-tests.txt";
    if (std::getenv("GRAPHC_LIST_NODE_TESTS") && !listed.contains(name))
      std::cout << name << ": " << wrong << "\n";
  }
}

} // namespace
} // namespace graphc::test
