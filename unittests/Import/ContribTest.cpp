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
#include "gmock/gmock.h"
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
  EXPECT_EQ(count, 54);
}

/// A node of float32 inputs of these shapes; an empty one is left out.
absl::StatusOr<GraphModule> loadNode(const std::string &op, const Json &attributes,
                                     const std::vector<std::vector<int64_t>> &shapes) {
  Json line = {{"op", op}, {"attributes", attributes}, {"outputs", {1}}};
  for (const std::vector<int64_t> &shape : shapes)
    line["inputs"].push_back(shape.empty() ? Json() : Json{{"dtype", "float32"}, {"shape", shape}});
  return loadModel(modelOf(line, false));
}

struct Mistake {
  std::string op;
  Json attributes;
  std::vector<std::vector<int64_t>> shapes;
  std::string message;
};

TEST(Contrib, whatIsNotKnownIsSaid) {
  const Json heads = {{"num_heads", 2}}, grouped = {{"num_heads", 4}, {"kv_num_heads", 2}};
  const Json bits = {{"N", 3}, {"K", 16}, {"block_size", 16}};
  auto with = [](Json attributes, const Json &more) {
    attributes.update(more);
    return attributes;
  };
  const std::vector<int64_t> x = {1, 3, 4}, wide = {1, 3, 32}, keys = {1, 3, 16}, none;
  const std::vector<Mistake> mistakes = {
      {"FusedConv", {{"activation", "Sin"}}, {{1, 1, 4, 4}, {1, 1, 3, 3}}, "activation 'Sin'"},
      {"EmbedLayerNormalization",
       Json::object(),
       {{3}, none, {6, 4}, {5, 4}, none, {4}, {4}},
       "input_ids must have rank 2: f32[3]"},
      {"Attention", {{"num_heads", 0}}, {x, {4, 12}}, "attribute num_heads is 0"},
      {"Attention", heads, {{3, 4}, {4, 12}}, "input must have rank 3, and weights known columns"},
      {"Attention", with(heads, {{"do_rotary", 1}}), {x, {4, 12}}, "attribute do_rotary"},
      {"Attention",
       with(heads, {{"qkv_hidden_sizes", {4, 4, 4}}}),
       {x, {4, 12}},
       "attribute qkv_hidden_sizes"},
      {"Attention", heads, {x, {4, 12}, {12}, {1}}, "a mask i1[1]; one [batch, keys]"},
      {"Attention", heads, {x, {4, 12}, {12}, none, none, none, {1}}, "an input number 7"},
      {"MultiHeadAttention", heads, {{1, 3, 12}}, "queries, keys and values in one array"},
      {"MultiHeadAttention",
       heads,
       {x, x, x, none, none, none, none, none, {1}},
       "an input number 9"},
      {"GroupQueryAttention",
       {{"num_heads", 4}, {"kv_num_heads", 3}},
       {wide, keys, keys, none, none, {1}, {1}},
       "4 heads of queries for 3 of keys"},
      {"GroupQueryAttention",
       with(grouped, {{"local_window_size", 2}}),
       {wide, keys, keys, none, none, {1}, {1}},
       "local_window_size, softcap and smooth_softmax"},
      {"GroupQueryAttention",
       grouped,
       {wide, keys, keys, none, none, {1}, {1}, none, none, none, {1, 4, 3, 3}},
       "an input number 11"},
      {"RotaryEmbedding",
       Json::object(),
       {{2, 2, 3, 4}, {1}, {16}, {16}},
       "the tables must have rank 2"},
      {"RotaryEmbedding",
       {{"scale", 0.5}},
       {{2, 2, 3, 4}, {1}, {16, 2}, {16, 2}},
       "attribute scale"},
      {"RotaryEmbedding",
       {{"is_packed_batching", 1}},
       {{2, 2, 3, 4}, {1}, {16, 2}, {16, 2}},
       "attribute is_packed_batching"},
      {"RotaryEmbedding",
       Json::object(),
       {{1, 2, 4}, {1}, {8, 4}, {8, 4}},
       "0 heads of f32[1,2,4] for tables of f32[8,4]"},
      {"RotaryEmbedding",
       Json::object(),
       {{1, 2, 4}, {1}, {8, 0}, {8, 0}},
       "0 heads of f32[1,2,4] for tables of f32[8,0]"},
      {"QLinearConcat", {{"axis", 0}}, {{1}, {1}}, "there is nothing to concatenate"},
      {"MatMulNBits", with(bits, {{"bits", 3}}), {{2, 16}, {3, 1, 8}, {3}}, "3 bits"},
      {"MatMulNBits", bits, {{2, 16}, {3, 1, 8}, {3}, none, {16}}, "g_idx"},
      {"MatMulNBits",
       with(bits, {{"weight_prepacked", 1}}),
       {{2, 16}, {3, 1, 8}, {3}},
       "attribute weight_prepacked"},
      {"MatMulNBits",
       with(bits, {{"block_size", 0}}),
       {{2, 16}, {3, 1, 8}, {3}},
       "N, K and block_size must be positive"},
      {"QLinearSigmod", Json::object(), {{1}}, "QLinearSigmod"},
  };
  for (const Mistake &m : mistakes) {
    std::string message = error(loadNode(m.op, m.attributes, m.shapes));
    EXPECT_THAT(message, testing::HasSubstr(m.message)) << m.op;
    EXPECT_THAT(message, testing::HasSubstr(m.op));
  }
}

} // namespace
} // namespace graphc::test
