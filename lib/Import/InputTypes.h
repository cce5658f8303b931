//===- Import/InputTypes.h - the inputs of a model ------------------*- C++ -*-===//
#pragma once

#include <set>
#include <string>

#include "Import/OnnxValue.h"
#include "absl/status/statusor.h"
#include "graphc/Import.h"
#include "onnx/onnx_pb.h"

namespace graphc {

/// "x[2]".
std::string elementName(const std::string &name, size_t k);

/// Makes Variables for a model's inputs, of what the model says of them and what the caller knows.
class InputTypes {
public:
  explicit InputTypes(OnnxInputs options) : options_(std::move(options)) {}
  absl::StatusOr<OnnxValue> make(const onnx::ValueInfoProto &info, Place place);
  /// KeyError where the caller says something about what is no input.
  absl::Status checkAllUsed() const;

private:
  absl::StatusOr<OnnxValue> make(const onnx::TypeProto &type, const std::string &name, Place place);
  absl::StatusOr<Variable> makeTensor(const onnx::TypeProto &type, const std::string &name,
                                      Place place);
  absl::StatusOr<int64_t> lengthOf(const std::string &name, const std::string &what,
                                   const std::string &choices);

  OnnxInputs options_;
  std::set<std::string> used_;
};

} // namespace graphc
