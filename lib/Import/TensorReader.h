//===- Import/TensorReader.h - ONNX's TensorProto ------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>

#include "Import/ExternalFiles.h"
#include "absl/status/statusor.h"
#include "graphc/Tensor.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// graphc's dtype for a TensorProto.DataType; empty for strings, complex and unknown numbers.
std::optional<DType> onnxDType(int dataType);
/// "float", "string", ...: the number's name in ONNX's schema.
std::string onnxDTypeName(int dataType);

/// The value of a tensor stored in any of ONNX's ways: raw bytes, typed fields, or a file beside
/// the model. ValueError where the data does not fit the shape, and as ExternalFiles says;
/// NotSupported for element types that graphc has not.
absl::StatusOr<Tensor> readTensor(const onnx::TensorProto &proto, ExternalFiles &files);
inline absl::StatusOr<Tensor> readTensor(const onnx::TensorProto &proto, std::string folder) {
  ExternalFiles files(std::move(folder));
  return readTensor(proto, files);
}

} // namespace graphc
