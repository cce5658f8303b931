//===- NodeTest.cpp - the ONNX project's own tests of operators ------------===//
//
// libonnx-testdata's folders, each with a model and values; ONNX compares with rtol 1e-3 and
// atol 1e-7. The names that pass stand in node-tests.txt, which may only grow.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const std::string kFolder = "/usr/share/libonnx-testdata/data/node";

/// What is wrong with one data set, or nothing.
std::string runDataSet(const GraphModule &module, const std::string &folder) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < module.inputs.size(); ++i) {
    inputs.push_back(readTensorFile(folder + "/input_" + std::to_string(i) + ".pb"));
    if (!inputs.back().defined())
      return "input " + std::to_string(i) + " cannot be read";
  }
  auto outputs = evaluate(module.outputs, module.inputs, inputs);
  if (!outputs.ok())
    return std::string(outputs.status().message());
  for (size_t i = 0; i < outputs->size(); ++i) {
    Tensor expected = readTensorFile(folder + "/output_" + std::to_string(i) + ".pb");
    std::string wrong = difference((*outputs)[i], expected, 1e-3, 1e-7);
    if (!wrong.empty())
      return "output " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

std::string runNodeTest(const std::string &name) {
  std::string folder = kFolder + "/" + name;
  auto module = load(folder + "/model.onnx");
  if (!module.ok())
    return std::string(module.status().message());
  for (int set = 0;; ++set) {
    std::string data = folder + "/test_data_set_" + std::to_string(set);
    if (!std::filesystem::exists(data))
      return set > 0 ? "" : "no data";
    if (std::string wrong = runDataSet(*module, data); !wrong.empty())
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
