//===- graphc/OnnxInputs.h - what a model's file does not say -------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graphc/Import.h"

namespace graphc {

/// What a caller knows of the inputs of an ONNX model.
struct OnnxInputs {
  /// The length of an optional value that is not there.
  static constexpr int64_t kNone = -1;
  /// How many elements a sequence has: its elements are inputs NAME[0], NAME[1], and so on of the
  /// graph. 1 of an optional tensor, which is one input NAME; kNone of an optional value that is
  /// not there. Must be given for each input of these kinds.
  std::map<std::string, int64_t> lengths = {};
  /// Shapes of inputs, kDynamic for extents that stay open: where the file states no rank, and to
  /// compile for given extents. Elements of sequences are named NAME[0], and so on.
  std::map<std::string, std::vector<int64_t>> shapes = {};
};

/// loadOnnx of a model some of whose inputs are sequences, optional values, or of shapes that the
/// file leaves open. A sequence that is an output becomes outputs NAME[0], NAME[1], and so on; an
/// optional value that is not there becomes none. KeyError for what is said of no input; else as
/// loadOnnx. Thread-safe.
absl::StatusOr<GraphModule> loadOnnx(const std::string &path, const OnnxInputs &inputs);

} // namespace graphc
