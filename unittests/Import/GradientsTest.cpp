//===- GradientsTest.cpp - gradients of every operator ------------------------===//
//
// The models of ONNX's own tests: the gradient of the sum of all float outputs with respect to each
// float input is asked for and evaluated. Its numbers are compared with differences in
// CasesTest.cpp, and, op by op, in unittests/Eval.
//
//===----------------------------------------------------------------------===//
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "Import/Translations.h"
#include "absl/strings/str_join.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

const std::string kFolder = "/usr/share/libonnx-testdata/data/node/";

/// Operators whose results do not follow from floats, are no floats, or have steps alone; those
/// that stand beside others in one model are not among them. If chooses among constants in ONNX's
/// tests: unittests/API has its gradient.
const std::set<std::string> kWithout = {"And",
                                        "ArgMax",
                                        "ArgMin",
                                        "BitCast",
                                        "BitShift",
                                        "BitwiseAnd",
                                        "BitwiseNot",
                                        "BitwiseOr",
                                        "BitwiseXor",
                                        "BlackmanWindow",
                                        "ConvInteger",
                                        "EyeLike",
                                        "GreaterOrEqual",
                                        "HammingWindow",
                                        "HannWindow",
                                        "If",
                                        "IsInf",
                                        "IsNaN",
                                        "Less",
                                        "LessOrEqual",
                                        "MatMulInteger",
                                        "Multinomial",
                                        "NonMaxSuppression",
                                        "NonZero",
                                        "Not",
                                        "Or",
                                        "QLinearConv",
                                        "QLinearMatMul",
                                        "RandomNormal",
                                        "RandomNormalLike",
                                        "RandomUniform",
                                        "TfIdfVectorizer",
                                        "Xor"};

/// Whether there is a gradient in this model of one data set; what is wrong is reported.
bool differentiates(const onnx::ModelProto &model, const std::string &folder) {
  auto module = loadModel(model);
  if (!module.ok())
    return false; // BackendTest.cpp says why
  Variables wrt;
  std::vector<Tensor> values;
  for (size_t i = 0; i < module->inputs.size(); ++i) {
    values.push_back(readTensorFile(folder + "/input_" + std::to_string(i) + ".pb"));
    if (!values.back().defined() || values.back().dtype() != module->inputs[i].dtype())
      return false;
    if (isFloat(module->inputs[i].dtype()))
      wrt.push_back(module->inputs[i]);
  }
  Variable total;
  for (const Variable &output : module->outputs)
    if (isFloat(output.dtype())) {
      Variable part = sum(cast(output, DType::Float64));
      total = total.ok() ? total + part : part;
    }
  if (wrt.empty() || !total.ok())
    return false;
  GradOptions options{.disconnectedInputs = DisconnectedInputs::Ignore,
                      .returnDisconnected = ReturnDisconnected::Disconnected};
  Variables gradients;
  for (const Variable &gradient : grad(total, wrt, options)) {
    EXPECT_TRUE(gradient.ok()) << gradient.status();
    if (gradient.ok() && gradient.type().kind() == Type::Kind::Tensor)
      gradients.push_back(gradient);
  }
  auto results = evaluate(gradients, module->inputs, values);
  EXPECT_TRUE(results.ok()) << results.status();
  return !gradients.empty();
}

TEST(Gradients, goThroughEveryOperator) {
  if (!std::filesystem::exists(kFolder))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  std::set<std::string> covered;
  for (const auto &entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string folder = entry.path().string();
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(readFile(folder + "/model.onnx"))) << folder;
    SCOPED_TRACE(folder);
    if (differentiates(model, folder + "/test_data_set_0"))
      for (const onnx::NodeProto &node : model.graph().node())
        covered.insert(node.op_type());
  }
  std::ifstream cases(GRAPHC_TEST_DATA "/cases.jsonl");
  for (std::string line; std::getline(cases, line);) {
    const nlohmann::json test = nlohmann::json::parse(line);
    if (!test.contains("rough"))
      for (const auto &node : test["nodes"])
        covered.insert(node["op"].get<std::string>());
  }
  covered.insert("CumProd"); // newer than ONNX's tests here: BitsTest.cpp
  // Nothing of these is in a graph.
  for (const Translation &t : sequenceTranslations())
    covered.insert(std::string(t.name));
  std::vector<std::string> missing;
  for (const Translation *t : allTranslations())
    if (std::string name(t->name); !covered.contains(name) && !kWithout.contains(name))
      missing.push_back(name);
  EXPECT_EQ(absl::StrJoin(missing, " "), "");
  for (const std::string &name : kWithout)
    EXPECT_FALSE(covered.contains(name)) << name << " has a gradient";
}

} // namespace
} // namespace graphc::test
