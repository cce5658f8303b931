//===- Support/StageOfText.h - what a file looks like -----------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// What the text looks like: "graph", "kernels", "linalg", "loops", "llvm", "asm", "onnx" (bytes of
/// a model), or "" where nothing tells. A guess, for messages about what could not be read.
std::string_view stageOfText(std::string_view text);

/// How a text that looks like `stage` is read: "like kernels; --from=kernels reads that".
std::string stageHint(std::string_view stage);

/// `status`; or, where reading text of stage `expected` has failed and it looks like another one,
/// an error that says so. `name` stands for the file.
absl::Status explainStage(const absl::Status &status, std::string_view text, std::string_view name,
                          std::string_view expected);

} // namespace graphc
