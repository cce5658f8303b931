//===- CompileLibrary.h - a program as files for C programs -------*- C++ -*-===//
#pragma once

#include "JIT/ObjectCompiler.h"
#include "Kernels/KernelGraph.h"
#include "Stages.h"

namespace graphc {

/// Makes `stages.library()`, as `stages.libraryOptions()` say.
absl::Status compileLibrary(KernelGraph kernels, const ObjectCompiler &compiler,
                            const CompileOptions &options, Stages &stages);

} // namespace graphc
