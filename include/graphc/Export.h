//===- graphc/Export.h - graphs for other programs --------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "graphc/Import.h"

namespace graphc {

/// How `saveOnnx` writes.
struct SaveOnnxOptions {
  /// Version of ONNX's operators: 17 to 21. 18 is the first one with operators on bits.
  int opset = 18;
  /// Weights of more bytes in all stand in PATH.data beside the model: no file of ONNX's format may
  /// have 2 GiB.
  int64_t mostBytesInside = (int64_t(1) << 31) - (int64_t(1) << 26);
};

/// Writes a graph as an ONNX model, with the inputs' and outputs' names, constants as initializers,
/// and a dim_param of its own for each open extent of an input. docs/Export.md says what each op
/// becomes and where ONNX's operators mean something else. Errors: NotSupported lists every op
/// that ONNX has no operators for, with counts and reasons; ValueError for a version that is not
/// known and for inputs that are not distinct; TypeError for a graph with mistakes; Io where a file
/// cannot be written. Thread-safe.
absl::Status saveOnnx(const GraphModule &module, const std::string &path,
                      const SaveOnnxOptions &options = {});

} // namespace graphc
