//===- Import/OperatorCheck.h - which operators a model uses --------*- C++ -*-===//
#pragma once

#include "Import/Domains.h"
#include "Import/Functions.h"

namespace graphc {

/// What a model is told that names no version of a domain whose operators it uses.
absl::Status versionIsMissing(Domain domain);

/// The versions of the known domains that a model or function imports; those of `otherwise` where
/// it names none. ValueError for two of one, NotSupported for one that is unknown.
absl::StatusOr<Versions>
importedVersions(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                 const Versions &otherwise);

/// NotSupported with all operators that have no translation, with their counts, also of graphs
/// within graphs and of the functions that are called. ValueError where one is of a domain without
/// a version.
absl::Status checkOperators(const onnx::ModelProto &model, const Versions &versions,
                            const ModelFunctions &functions);

} // namespace graphc
