//===- Import/OperatorCheck.h - which operators a model uses --------*- C++ -*-===//
#pragma once

#include "Import/Functions.h"

namespace graphc {

/// Whether the name means ONNX's default domain.
bool isStandardDomain(std::string_view domain);

/// The version of ONNX's operators that a model or function imports; `otherwise` where it names
/// none. ValueError for two, NotSupported for one that is unknown.
absl::StatusOr<int>
importedOpset(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
              int otherwise);

/// NotSupported with all operators that have no translation, with their counts, also of graphs
/// within graphs and of the functions that are called.
absl::Status checkOperators(const onnx::ModelProto &model, int opset,
                            const ModelFunctions &functions);

} // namespace graphc
