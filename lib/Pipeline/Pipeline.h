//===- Pipeline.h - every stage in order --------------------------*- C++ -*-===//
#pragma once

#include <memory>

#include "Kernels/CompilerInterface.h"
#include "Stages.h"

namespace graphc {

/// Compiles for this process. Nothing where `stages` wanted no more than an earlier stage.
absl::StatusOr<CompiledProgram> compile(const GraphModule &module, const CompileOptions &options,
                                        Stages &stages);

/// From the text of the stage "kernels", which may hold anything, to what `stages` wants.
absl::Status compileKernelText(std::string_view text, std::string_view name,
                               const CompileOptions &options, Stages &stages);

} // namespace graphc
