//===- ExportedModel.h - graphs through ONNX files --------------------*- C++ -*-===//
#pragma once

#include <vector>

#include "Closeness.h"
#include "graphc/Export.h"
#include "graphc/Tensor.h"

namespace graphc {

/// What the file of a graph computes: written, read, evaluated. Inputs are called x0, x1, ...
absl::StatusOr<std::vector<Tensor>> throughFile(const Variables &outputs, const Variables &inputs,
                                                const std::vector<Tensor> &values,
                                                const SaveOnnxOptions &options = {});

/// What a graph computes, without the branches that are not taken.
absl::StatusOr<std::vector<Tensor>> evaluateLazily(const Variables &outputs,
                                                   const Variables &inputs,
                                                   const std::vector<Tensor> &values);

/// Copies the file that was last written to the folder that GRAPHC_TEST_MODELS_TO names, if it
/// does, with operands and results, for test/Export/onnxruntime.mjs to compare.
void leaveModel(const Variables &outputs, const Variables &inputs,
                const std::vector<Tensor> &values, const std::vector<Tensor> &wanted,
                const std::vector<Tolerance> &tolerances);

} // namespace graphc
