//===- Import/ReadModel.h - ONNX files as messages -----------------*- C++ -*-===//
#pragma once

#include <cstdio>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// The model that an open file has, from its beginning. Errors, without a place: Io where it is no
/// ONNX model or damaged, with what it looks like; NotSupported where graphs or messages are nested
/// too deep. Any bytes may stand in the file.
absl::StatusOr<onnx::ModelProto> readModel(FILE *file);

} // namespace graphc
