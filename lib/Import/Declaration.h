//===- Import/Declaration.h - what models say about types ----------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "Import/OnnxValue.h"
#include "graphc/Status.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// What a model says about the type of a value, beside the graph.
struct Declaration {
  /// "input", "value_info" or "output", for messages.
  std::string_view kind;
  const onnx::TypeProto *type;
};

/// The value of that name with the extents that a declaration adds, checked at run time with
/// `place` in the message. ValueError where the two contradict each other. Shapes of a sequence's
/// elements say nothing: ONNX's own tests have wrong ones.
absl::StatusOr<OnnxValue> asDeclared(const OnnxValue &v, const std::string &name,
                                     const Declaration &declaration, Place place);

} // namespace graphc
