//===- Import/Functions.h - functions that a model defines ----------*- C++ -*-===//
//
// A call of one is read as a graph of its own: the function's nodes, in which the call's attributes
// and omissions are put in their places. The message of ONNX that has functions is older here than
// some models': fields that it lacks are read from what it did not understand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"

namespace graphc {

class ModelFunctions {
public:
  explicit ModelFunctions(const onnx::ModelProto &model);
  /// ValueError where two functions have one name.
  const absl::Status &status() const { return status_; }

  /// The function that the node calls, or null.
  const onnx::FunctionProto *find(const onnx::NodeProto &node) const;
  /// The graph of a call, whose inputs are the function's and whose outputs those that the node
  /// wants; `nameBytes` are the bytes of the names of the function and of those around it.
  /// NotSupported where the calls of a file come to much more than the file is large, ValueError
  /// for more inputs or outputs than the function has, and for attributes that it has not.
  absl::StatusOr<onnx::GraphProto> bodyOf(const onnx::FunctionProto &function,
                                          const onnx::NodeProto &call, int64_t nameBytes);

private:
  absl::Status checkBudget() const;

  absl::flat_hash_map<std::string, const onnx::FunctionProto *> byName_;
  absl::flat_hash_map<const onnx::FunctionProto *, int64_t> bytes_;
  /// What calls may still come to, as bytes.
  int64_t budget_;
  absl::Status status_;
};

/// "domain.Name" or "domain.Name:overload".
std::string functionName(const onnx::FunctionProto &function);

} // namespace graphc
