//===- OneNode.h - models of a single node --------------------------*- C++ -*-===//
#pragma once

#include <map>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "gtest/gtest.h"

namespace graphc::test {

/// A model with inputs and one node, whose outputs are the model's.
class OneNode {
public:
  OneNode(int opset, const std::string &op, size_t outputs = 1)
      : model_(makeModel(opset)), op_(op) {
    for (size_t i = 0; i < outputs; ++i)
      outputs_.push_back("y" + std::to_string(i));
  }
  /// An input with this value, constant or not.
  OneNode &given(const Tensor &value) {
    names_.push_back("x" + std::to_string(names_.size()));
    static const std::map<DType, int> types = {{DType::Bool, onnx::TensorProto::BOOL},
                                               {DType::Float32, onnx::TensorProto::FLOAT},
                                               {DType::Int64, onnx::TensorProto::INT64},
                                               {DType::Int32, onnx::TensorProto::INT32}};
    addInput(model_, names_.back(), {value.shape().begin(), value.shape().end()},
             types.at(value.dtype()));
    values_.push_back(value);
    return *this;
  }
  OneNode &constant(std::vector<int64_t> value) {
    names_.push_back("c" + std::to_string(names_.size()));
    addInts(model_, names_.back(), value);
    return *this;
  }
  OneNode &omitted() {
    names_.push_back("");
    return *this;
  }
  OneNode &integer(const std::string &name, int64_t value) {
    setInt(node_, name, value);
    return *this;
  }
  OneNode &integers(const std::string &name, std::vector<int64_t> value) {
    setInts(node_, name, value);
    return *this;
  }
  OneNode &floats(const std::string &name, std::vector<float> value) {
    onnx::AttributeProto &a = attribute(name, onnx::AttributeProto::FLOATS);
    for (float number : value)
      a.add_floats(number);
    return *this;
  }
  OneNode &number(const std::string &name, float value) {
    attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
    return *this;
  }
  OneNode &text(const std::string &name, const std::string &value) {
    attribute(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  /// A graph of these inputs, which gives each as an output: the last one first, and so on.
  OneNode &reversing(const std::string &name, const std::vector<std::string> &inputs) {
    onnx::GraphProto &graph = *attribute(name, onnx::AttributeProto::GRAPH).mutable_g();
    for (const std::string &input : inputs)
      graph.add_input()->set_name(input);
    for (size_t k = inputs.size(); k-- > 0;)
      graph.add_output()->set_name(inputs[k]);
    return *this;
  }
  OneNode &texts(const std::string &name, const std::vector<std::string> &values) {
    onnx::AttributeProto &a = attribute(name, onnx::AttributeProto::STRINGS);
    for (const std::string &value : values)
      a.add_strings(value);
    return *this;
  }

  absl::StatusOr<GraphModule> load() {
    onnx::NodeProto &node = addNode(model_, op_, names_, outputs_);
    *node.mutable_attribute() = node_.attribute();
    for (const std::string &name : outputs_)
      addOutput(model_, name);
    return loadModel(model_);
  }
  std::vector<Tensor> run() {
    auto module = load();
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok())
      return std::vector<Tensor>(outputs_.size());
    auto results = evaluate(module->outputs, module->inputs, values_);
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? *results : std::vector<Tensor>(outputs_.size());
  }

private:
  onnx::AttributeProto &attribute(const std::string &name,
                                  onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto *a = node_.add_attribute();
    a->set_name(name);
    a->set_type(type);
    return *a;
  }

  onnx::ModelProto model_;
  std::string op_;
  onnx::NodeProto node_;
  std::vector<std::string> names_, outputs_;
  std::vector<Tensor> values_;
};

inline Tensor f32(const Tensor &values) { return values.cast(DType::Float32); }
inline Tensor i64(const Tensor &values) { return values.cast(DType::Int64); }
inline Tensor shaped(const Tensor &values, std::vector<int64_t> shape) {
  return *values.contiguous().reshape(shape);
}

} // namespace graphc::test
