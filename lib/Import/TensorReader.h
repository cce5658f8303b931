//===- Import/TensorReader.h - ONNX's TensorProto ------------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "graphc/Tensor.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// graphc's dtype for a TensorProto.DataType; empty for strings, complex and unknown numbers.
std::optional<DType> onnxDType(int dataType);
/// "float", "string", ...: the number's name in ONNX's schema.
std::string onnxDTypeName(int dataType);

/// The value of a tensor stored in any of ONNX's ways: raw bytes, typed fields, or a file in
/// `folder` (that of the model). ValueError where the data does not fit the shape, where the file
/// is named by an absolute path or one that leaves the folder, or is too short; Io where it cannot
/// be read; NotSupported for element types that graphc has not.
absl::StatusOr<Tensor> readTensor(const onnx::TensorProto &proto, const std::string &folder);

} // namespace graphc
