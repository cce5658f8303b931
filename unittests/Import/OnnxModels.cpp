//===- OnnxModels.cpp - loading, running and making models for tests -------===//
#include "Import/OnnxModels.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "Import/TensorReader.h"
#include "gtest/gtest.h"

namespace graphc::test {

std::string treeModel(const std::string &name) {
  return std::string(GRAPHC_TEST_DATA) + "/../../test/Data/onnx/" + name;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Tensor readTensorFile(const std::string &path) {
  onnx::TensorProto proto;
  if (!proto.ParseFromString(readFile(path)))
    return Tensor();
  auto tensor = readTensor(proto, "");
  return tensor.ok() ? *tensor : Tensor();
}

std::string scratchFile(const std::string &name, const std::string &bytes) {
  static const std::string kFolder = [] {
    std::string folder = testing::TempDir() + "graphc-onnx-XXXXXX";
    return std::string(mkdtemp(folder.data()));
  }();
  std::string path = kFolder + "/" + name;
  // A new file: writing over one makes some file systems wait for the disk.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string difference(const Tensor &actual, const Tensor &expected, double rtol, double atol) {
  if (!expected.defined())
    return "no expected value";
  if (actual.dtype() != expected.dtype())
    return "dtype " + std::string(dtypeName(actual.dtype())) + " instead of " +
           std::string(dtypeName(expected.dtype()));
  if (actual.shape() != expected.shape())
    return "another shape";
  Tensor a = actual.contiguous().cast(DType::Float64), e = expected.cast(DType::Float64);
  for (int64_t i = 0; i < e.numElements(); ++i) {
    double x = a.flat<double>()[i], y = e.flat<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= atol + rtol * std::abs(y))
      continue;
    return "element " + std::to_string(i) + " is " + std::to_string(x) + " instead of " +
           std::to_string(y);
  }
  return "";
}

onnx::ModelProto makeModel(int opset) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("test");
  return model;
}

void setType(onnx::ValueInfoProto &info, std::vector<int64_t> shape, int type) {
  auto *tensor = info.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (int64_t extent : shape) {
    auto *dim = tensor->mutable_shape()->add_dim();
    if (extent < 0)
      dim->set_dim_param("N");
    else
      dim->set_dim_value(extent);
  }
}

void addInput(onnx::ModelProto &model, const std::string &name, std::vector<int64_t> shape,
              int type) {
  onnx::ValueInfoProto *info = model.mutable_graph()->add_input();
  info->set_name(name);
  setType(*info, std::move(shape), type);
}

void addOutput(onnx::ModelProto &model, const std::string &name) {
  model.mutable_graph()->add_output()->set_name(name);
}

onnx::NodeProto &addNode(onnx::ModelProto &model, const std::string &op,
                         std::vector<std::string> inputs, std::vector<std::string> outputs) {
  onnx::NodeProto *node = model.mutable_graph()->add_node();
  node->set_op_type(op);
  for (const std::string &name : inputs)
    node->add_input(name);
  for (const std::string &name : outputs)
    node->add_output(name);
  return *node;
}

onnx::TensorProto &addInts(onnx::ModelProto &model, const std::string &name,
                           std::vector<int64_t> values) {
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_dims(int64_t(values.size()));
  for (int64_t value : values)
    tensor->add_int64_data(value);
  return *tensor;
}

void setInts(onnx::NodeProto &node, const std::string &name, std::vector<int64_t> values) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute->add_ints(value);
}

void setInt(onnx::NodeProto &node, const std::string &name, int64_t value) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

absl::StatusOr<GraphModule> loadModel(const onnx::ModelProto &model, const OnnxInputs &options) {
  return load(scratchFile("model.onnx", model.SerializeAsString()), options);
}

std::string error(const absl::StatusOr<GraphModule> &module) {
  if (module.ok())
    return "no error";
  std::optional<Place> place = errorPlace(module.status());
  return (place ? std::filesystem::path(place->str()).filename().string() + ": " : "") +
         std::string(module.status().message());
}

} // namespace graphc::test
