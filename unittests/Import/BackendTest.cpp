//===- BackendTest.cpp - the ONNX project's own tests -----------------------===//
//
// libonnx-testdata's folders, each with a model and values; ONNX compares with rtol 1e-3 and
// atol 1e-7. All pass, evaluated and compiled, but those of backend-failures.txt, each with the
// reason; their number may only go down. With GRAPHC_LIST_BACKEND_TESTS set, what is wrong with
// these is printed.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const std::string kFolder = "/usr/share/libonnx-testdata/data/";

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

/// "node/test_abs".
std::string runTest(const std::string &name) {
  std::string folder = kFolder + name;
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

/// backend-failures.txt: names, reasons.
std::map<std::string, std::string> listedFailures() {
  std::istringstream lines(readFile(GRAPHC_TEST_DATA "/backend-failures.txt"));
  std::map<std::string, std::string> listed;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#'))
      listed[line.substr(0, line.find(' '))] = line.substr(std::min(line.size(), line.find(' ')));
  return listed;
}

/// What is known to fail: a number that goes down only.
constexpr size_t kMostFailures = 84;

class BackendTests : public testing::TestWithParam<const char *> {};

TEST_P(BackendTests, PassOrAreListed) {
  std::string group = GetParam();
  if (!std::filesystem::exists(kFolder + group))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  std::map<std::string, std::string> listed = listedFailures();
  EXPECT_LE(listed.size(), kMostFailures);
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder + group))
    names.insert(group + "/" + std::string(entry.path().filename()));
  for (const auto &[name, reason] : listed) {
    EXPECT_GT(reason.size(), 1u) << name << " has no reason";
    EXPECT_TRUE(!name.starts_with(group + "/") || names.contains(name)) << name << " is no test";
  }
  for (const std::string &name : names) {
    SCOPED_TRACE(name);
    std::string wrong = runTest(name);
    if (!listed.contains(name))
      EXPECT_EQ(wrong, "") << name;
    else
      EXPECT_NE(wrong, "") << name << " passes: take it from backend-failures.txt";
    if (std::getenv("GRAPHC_LIST_BACKEND_TESTS") && !wrong.empty())
      std::cout << name << ": " << wrong.substr(0, wrong.find('\n')) << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(All, BackendTests,
                         testing::Values("node", "pytorch-converted", "pytorch-operator", "simple"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace graphc::test
