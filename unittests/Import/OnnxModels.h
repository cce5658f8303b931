//===- OnnxModels.h - loading, running and making models for tests --*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "Graph/OnnxEntry.h"
#include "graphc/Tensor.h"
#include "onnx/onnx_pb.h"

namespace graphc::test {

inline absl::StatusOr<GraphModule> load(const std::string &path, const OnnxInputs &options = {}) {
  absl::StatusOr<GraphModule> module = GraphModule();
  graphcOnnxEntry(path, options, &module);
  return module;
}

/// 0, 1, 2, ... of float32.
inline Tensor counted(std::vector<int64_t> shape) {
  Tensor result = *Tensor::allocate(DType::Float32, shape);
  float next = 0;
  for (float &element : result.mutableFlat<float>())
    element = next++;
  return result;
}

/// test/Data/onnx/NAME of the tree.
std::string treeModel(const std::string &name);
std::string readFile(const std::string &path);
/// A TensorProto's value; undefined where it is of another type.
Tensor readTensorFile(const std::string &path);
/// Writes the bytes to a file in the scratch folder and gives its path.
std::string scratchFile(const std::string &name, const std::string &bytes);

/// A difference beyond |a - e| <= atol + rtol * |e|, NaN being equal to NaN; empty if none.
std::string difference(const Tensor &actual, const Tensor &expected, double rtol, double atol);

/// A model of one graph with ONNX's operators of version `opset`.
onnx::ModelProto makeModel(int opset);
/// A tensor's type; extents below 0 are the dim_param N.
void setType(onnx::ValueInfoProto &info, std::vector<int64_t> shape,
             int type = onnx::TensorProto::FLOAT);
/// Adds an input of a shape; -1 is an unknown extent.
void addInput(onnx::ModelProto &model, const std::string &name, std::vector<int64_t> shape,
              int type = onnx::TensorProto::FLOAT);
void addOutput(onnx::ModelProto &model, const std::string &name);
onnx::NodeProto &addNode(onnx::ModelProto &model, const std::string &op,
                         std::vector<std::string> inputs, std::vector<std::string> outputs);
/// An initializer of int64 numbers, 1-d.
onnx::TensorProto &addInts(onnx::ModelProto &model, const std::string &name,
                           std::vector<int64_t> values);
void setInts(onnx::NodeProto &node, const std::string &name, std::vector<int64_t> values);
void setInt(onnx::NodeProto &node, const std::string &name, int64_t value);
/// Writes the model and loads it.
/// "FILE: message", the file being the one that was loaded.
std::string error(const absl::StatusOr<GraphModule> &module);
absl::StatusOr<GraphModule> loadModel(const onnx::ModelProto &model,
                                      const OnnxInputs &options = {});

} // namespace graphc::test
