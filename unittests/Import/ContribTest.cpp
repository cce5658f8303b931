//===- ContribTest.cpp - operators of com.microsoft ----------------------------===//
//
// test/Data/onnx/contrib/contrib.jsonl: a node a line, and what onnxruntime gives for it
// (make_contrib.py). Its approximations of exp and erf are off by some units in the last place of
// sums of a few numbers, of which 1e-5 is roomy; a quantized number whose real one lies in the
// middle of two may be either.
//
//===----------------------------------------------------------------------===//
#include <fstream>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

namespace graphc::test {
namespace {

using Json = nlohmann::json;

const std::map<std::string, std::pair<DType, int>> kTypes = {
    {"float32", {DType::Float32, onnx::TensorProto::FLOAT}},
    {"uint8", {DType::UInt8, onnx::TensorProto::UINT8}},
    {"int8", {DType::Int8, onnx::TensorProto::INT8}},
    {"int32", {DType::Int32, onnx::TensorProto::INT32}},
    {"int64", {DType::Int64, onnx::TensorProto::INT64}}};

Tensor tensorOf(const Json &value) {
  auto numbers = value["data"].get<std::vector<double>>();
  auto shape = value["shape"].get<std::vector<int64_t>>();
  return Tensor::fromSpan(absl::MakeConstSpan(numbers), shape)
      ->cast(kTypes.at(value["dtype"]).first);
}

void setAttribute(onnx::NodeProto &node, const std::string &name, const Json &value) {
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name(name);
  if (value.is_string()) {
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(value.get<std::string>());
  } else if (value.is_number_float()) {
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(value.get<float>());
  } else if (value.is_number()) {
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(value.get<int64_t>());
  } else if (value[0].is_number_float()) {
    a.set_type(onnx::AttributeProto::FLOATS);
    for (float number : value.get<std::vector<float>>())
      a.add_floats(number);
  } else {
    a.set_type(onnx::AttributeProto::INTS);
    for (int64_t number : value.get<std::vector<int64_t>>())
      a.add_ints(number);
  }
}

/// `openFirst`: the first extent of the first input is not known when the model is read.
onnx::ModelProto modelOf(const Json &line, bool openFirst) {
  onnx::ModelProto model = makeModel(17);
  onnx::OperatorSetIdProto &set = *model.add_opset_import();
  set.set_domain("com.microsoft");
  set.set_version(1);
  std::vector<std::string> inputs, outputs;
  for (const Json &input : line["inputs"]) {
    inputs.push_back(input.is_null() ? "" : "x" + std::to_string(inputs.size()));
    if (input.is_null())
      continue;
    auto shape = input["shape"].get<std::vector<int64_t>>();
    if (openFirst && inputs.size() == 1 && !shape.empty())
      shape[0] = -1;
    addInput(model, inputs.back(), shape, kTypes.at(input["dtype"]).second);
  }
  for (size_t i = 0; i < line["outputs"].size(); ++i)
    outputs.push_back(line["outputs"][i].is_null() ? "" : "y" + std::to_string(i));
  onnx::NodeProto &node = addNode(model, line["op"], inputs, outputs);
  node.set_domain("com.microsoft");
  for (const auto &[name, value] : line["attributes"].items())
    setAttribute(node, name, value);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!line["outputs"][i].is_null())
      addOutput(model, outputs[i]);
  return model;
}

void expectResults(const Json &line, const std::vector<Tensor> &results) {
  size_t next = 0;
  for (const Json &output : line["outputs"]) {
    if (output.is_null())
      continue;
    Tensor expected = tensorOf(output);
    bool isReal = expected.dtype() == DType::Float32, isIndex = expected.dtype() == DType::Int32;
    double tolerance = isReal ? 1e-5 : isIndex ? 0 : 1;
    ASSERT_LT(next, results.size());
    EXPECT_EQ(results[next].dtype(), expected.dtype());
    EXPECT_EQ(difference(results[next++], expected, isReal ? tolerance : 0, tolerance), "");
  }
}

TEST(Contrib, nodesGiveOnnxruntimesNumbers) {
  std::ifstream file(treeModel("contrib/contrib.jsonl"));
  ASSERT_TRUE(file.good());
  int count = 0;
  for (std::string text; std::getline(file, text); ++count) {
    Json line = Json::parse(text);
    SCOPED_TRACE(line["op"].get<std::string>() + " " + line["attributes"].dump() + ", line " +
                 std::to_string(count + 1));
    std::vector<Tensor> values;
    for (const Json &input : line["inputs"])
      if (!input.is_null())
        values.push_back(tensorOf(input));
    for (bool openFirst : {false, true}) {
      auto module = loadModel(modelOf(line, openFirst));
      ASSERT_TRUE(module.ok()) << module.status();
      auto evaluated = evaluate(module->outputs, module->inputs, values);
      ASSERT_TRUE(evaluated.ok()) << evaluated.status();
      expectResults(line, *evaluated);
      if (openFirst)
        continue;
      auto f = function(*module, {.onUnusedInput = OnUnusedInput::Ignore});
      ASSERT_TRUE(f.ok()) << f.status();
      auto results = f->call(values);
      ASSERT_TRUE(results.ok()) << results.status();
      expectResults(line, std::vector<Tensor>(results->begin(), results->end()));
    }
  }
  EXPECT_EQ(count, 51);
}

} // namespace
} // namespace graphc::test
