//===- CasesTest.cpp - small models against onnxruntime -----------------------===//
//
// cases.jsonl (make-cases.mjs) has models of one or a few nodes, inputs, and onnxruntime's results.
// Each is read with its extents known, with all of them open, and with as many numbers in vectors
// as a call gives, evaluated and compiled, and differentiated.
//
//===----------------------------------------------------------------------===//
#include <fstream>
#include <nlohmann/json.hpp>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Traversal.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using Json = nlohmann::ordered_json;

/// Results are sums of up to some fifty products of numbers around 1, in an order of their own:
/// a few units of 2^-24 each.
constexpr double kRelative = 2e-5, kAbsolute = 4e-6;

DType dtypeOf(const Json &tensor) {
  static const std::map<std::string, DType> kTypes = {
      {"float32", DType::Float32}, {"uint8", DType::UInt8}, {"int8", DType::Int8},
      {"int32", DType::Int32},     {"int64", DType::Int64}, {"bool", DType::Bool}};
  return kTypes.at(tensor["dtype"]);
}

Tensor tensorOf(const Json &json) {
  std::vector<double> numbers;
  for (const Json &number : json["data"])
    numbers.push_back(number.is_string()    ? std::stod(number.get<std::string>())
                      : number.is_boolean() ? double(number.get<bool>())
                                            : number.get<double>());
  std::vector<int64_t> shape = json["shape"];
  return Tensor::fromSpan(absl::MakeConstSpan(numbers), shape)->cast(dtypeOf(json));
}

int onnxType(DType dtype) {
  static const std::map<DType, int> kTypes = {
      {DType::Bool, onnx::TensorProto::BOOL},   {DType::Float32, onnx::TensorProto::FLOAT},
      {DType::Int64, onnx::TensorProto::INT64}, {DType::Int32, onnx::TensorProto::INT32},
      {DType::Int8, onnx::TensorProto::INT8},   {DType::UInt8, onnx::TensorProto::UINT8}};
  return kTypes.at(dtype);
}

/// A name, or {name, dtype} of a scalar.
void addGraphInput(onnx::GraphProto &graph, const Json &input) {
  onnx::ValueInfoProto &info = *graph.add_input();
  if (input.is_string()) {
    info.set_name(input.get<std::string>());
    return;
  }
  info.set_name(input["name"].get<std::string>());
  setType(info, {}, onnxType(dtypeOf(input)));
}

void addAttribute(onnx::NodeProto &node, const std::string &name, const Json &value);

void addNodes(onnx::GraphProto &graph, const Json &nodes) {
  for (const Json &json : nodes) {
    onnx::NodeProto &node = *graph.add_node();
    node.set_op_type(json["op"]);
    for (const Json &input : json["inputs"])
      node.add_input(input.get<std::string>());
    for (const Json &output : json["outputs"])
      node.add_output(output.get<std::string>());
    if (json.contains("attributes"))
      for (const auto &[name, value] : json["attributes"].items())
        addAttribute(node, name, value);
  }
}

void addAttribute(onnx::NodeProto &node, const std::string &name, const Json &value) {
  onnx::AttributeProto &a = *node.add_attribute();
  a.set_name(name);
  const std::string kind = value.begin().key();
  const Json &content = *value.begin();
  if (kind == "i") {
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(content);
  } else if (kind == "f") {
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(content);
  } else if (kind == "g") {
    a.set_type(onnx::AttributeProto::GRAPH);
    addNodes(*a.mutable_g(), content["nodes"]);
    for (const Json &input : content["inputs"])
      addGraphInput(*a.mutable_g(), input);
    for (const Json &output : content["outputs"])
      a.mutable_g()->add_output()->set_name(output.get<std::string>());
  } else if (kind == "s") {
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(content.get<std::string>());
  } else {
    a.set_type(kind == "ints"     ? onnx::AttributeProto::INTS
               : kind == "floats" ? onnx::AttributeProto::FLOATS
                                  : onnx::AttributeProto::STRINGS);
    for (const Json &element : content)
      if (kind == "ints")
        a.add_ints(element);
      else if (kind == "floats")
        a.add_floats(element);
      else
        a.add_strings(element.get<std::string>());
  }
}

/// Whether a case says that nothing shall be done to that input.
bool isConstant(const Json &test, const std::string &name) {
  return test.contains("constant") && std::ranges::count(test["constant"], Json(name)) > 0;
}

/// What of a model's extents and numbers is known.
struct Known {
  /// The extents of inputs; but for integers of rank 1 and 0, which are mostly axes and sizes.
  bool extents;
  /// These: they are initializers.
  bool constants;
  /// How many numbers such integers have, on which ranks may depend, and vectors in general.
  bool lengths = true;
};

/// The case as a model.
onnx::ModelProto modelOf(const Json &test, const Known &known) {
  onnx::ModelProto model = makeModel(test["opset"]);
  int next = 0;
  for (const auto &[name, json] : test["inputs"].items()) {
    Tensor value = tensorOf(json);
    const bool isSize =
        (isInteger(value.dtype()) && value.rank() < 2 && known.lengths) || isConstant(test, name);
    if (isSize && known.constants && value.dtype() == DType::Int64) {
      absl::Span<const int64_t> numbers = value.flat<int64_t>();
      onnx::TensorProto &tensor = addInts(model, name, {numbers.begin(), numbers.end()});
      if (value.rank() == 0)
        tensor.clear_dims();
      continue;
    }
    addInput(model, name, {value.shape().begin(), value.shape().end()}, onnxType(value.dtype()));
    auto *type = model.mutable_graph()->mutable_input()->rbegin()->mutable_type();
    for (auto &dim : *type->mutable_tensor_type()->mutable_shape()->mutable_dim())
      if (!known.extents && !isSize)
        dim.set_dim_param("d" + std::to_string(next++));
  }
  if (test.contains("constants"))
    for (const auto &[name, json] : test["constants"].items()) {
      onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
      tensor.set_name(name);
      tensor.set_data_type(json["type"]);
      for (const Json &extent : json["shape"])
        tensor.add_dims(extent);
      for (int byte : json["raw"])
        tensor.mutable_raw_data()->push_back(char(byte));
    }
  addNodes(*model.mutable_graph(), test["nodes"]);
  for (const auto &[name, value] : test["outputs"].items()) {
    addOutput(model, name);
    if (test.contains("ranks") && test["ranks"].contains(name))
      setType(*model.mutable_graph()->mutable_output()->rbegin(),
              std::vector<int64_t>(test["ranks"][name].get<size_t>(), -1),
              onnxType(dtypeOf(value)));
  }
  return model;
}

/// The values of the model's inputs, in their order.
std::vector<Tensor> valuesFor(const Json &test, const GraphModule &module) {
  std::vector<Tensor> values;
  for (const Variable &input : module.inputs)
    values.push_back(tensorOf(test["inputs"][std::string(input.name())]));
  return values;
}

void expectResults(const Json &test, const absl::StatusOr<std::vector<Tensor>> &results) {
  ASSERT_TRUE(results.ok()) << results.status();
  size_t i = 0;
  for (const auto &[name, json] : test["outputs"].items())
    EXPECT_EQ(difference((*results)[i++], tensorOf(json), kRelative, kAbsolute), "") << name;
}

absl::StatusOr<std::vector<Tensor>> compiled(const GraphModule &module,
                                             const std::vector<Tensor> &values) {
  auto f = function(module, {.onUnusedInput = OnUnusedInput::Ignore});
  if (!f.ok())
    return f.status();
  auto results = f->call(values);
  if (!results.ok())
    return results.status();
  return std::vector<Tensor>(results->begin(), results->end());
}

/// The sum of all float outputs depends on every float input, or does not: a gradient there is in
/// any case. Where the case has no steps, it is compared with differences.
void expectGradient(const Json &test, const GraphModule &module,
                    const std::vector<Tensor> &values) {
  std::vector<Tensor> point;
  std::vector<size_t> moved;
  for (size_t i = 0; i < values.size(); ++i)
    if (isFloat(values[i].dtype()) && values[i].numElements() > 0 &&
        !isConstant(test, std::string(module.inputs[i].name()))) {
      point.push_back(values[i]);
      moved.push_back(i);
    }
  auto function = [&](const Variables &arguments) {
    Replacements replacements;
    for (size_t i = 0; i < values.size(); ++i) {
      auto own = std::ranges::find(moved, i);
      replacements.emplace_back(module.inputs[i], own == moved.end()
                                                      ? Variable(Constant(values[i]))
                                                      : arguments[size_t(own - moved.begin())]);
    }
    Variables outputs = *cloneReplace(module.outputs, replacements);
    Variable total;
    for (const Variable &output : outputs)
      if (isFloat(output.dtype())) {
        // Not each element alike.
        Variable waves = cos(cast(arange(graphc::size(output)), DType::Float32));
        Variable part = sum(output * reshape(waves, ShapeList(graphc::shape(output))));
        total = total.ok() ? total + part : part;
      }
    return total;
  };
  Variables constants;
  for (const Tensor &value : point)
    constants.push_back(Constant(value));
  if (point.empty() || !function(constants).ok())
    return;
  if (!test.contains("rough")) {
    EXPECT_EQ(verifyGrad(function, point, {.differences = Differences::Central}), absl::OkStatus());
    return;
  }
  // That there is a gradient.
  GradOptions options{.disconnectedInputs = DisconnectedInputs::Ignore};
  auto gradients = evaluate(grad(function(constants), constants, options), {}, {});
  EXPECT_TRUE(gradients.ok()) << gradients.status();
}

class Cases : public testing::TestWithParam<int> {};

/// The n-th part of the cases, so that they can be run side by side.
constexpr int kParts = 8;

TEST_P(Cases, areOnnxruntimes) {
  std::ifstream in(GRAPHC_TEST_DATA "/cases.jsonl");
  int number = 0;
  for (std::string line; std::getline(in, line); ++number) {
    if (number % kParts != GetParam())
      continue;
    Json test = Json::parse(line);
    std::vector<Known> all = {{true, true}, {true, false}, {false, true}, {false, false}};
    if (test.contains("fixed"))
      all.resize(2);
    if (test.contains("lengths"))
      all.push_back({false, false, false});
    for (const Known &known : all) {
      SCOPED_TRACE("case " + std::to_string(number + 1) + ", " + test["name"].get<std::string>() +
                   (known.extents ? "" : ", open") + (known.constants ? "" : ", computed") +
                   (known.lengths ? "" : ", of any length"));
      auto module = loadModel(modelOf(test, known));
      ASSERT_TRUE(module.ok()) << module.status();
      std::vector<Tensor> values = valuesFor(test, *module);
      expectResults(test, evaluate(module->outputs, module->inputs, values));
      if (known.extents != known.constants || !known.lengths)
        expectResults(test, compiled(*module, values));
      if ((known.extents && known.constants) || !known.lengths)
        expectGradient(test, *module, values);
    }
  }
  EXPECT_GE(number, 335);
}

INSTANTIATE_TEST_SUITE_P(All, Cases, testing::Range(0, kParts));

} // namespace
} // namespace graphc::test
