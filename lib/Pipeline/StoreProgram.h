//===- StoreProgram.h - a program and its code, to be kept --------*- C++ -*-===//
#pragma once

#include "CompileKernels.h"
#include "Kernels/CompilerInterface.h"
#include "Runtime/Program.h"
#include "Support/Hash.h"

namespace graphc {

using ProgramCode = absl::Span<const std::shared_ptr<const CachedKernel>>;

/// Into the folder of code, as loadProgram wants it. What cannot be kept is compiled anew next
/// time.
void storeProgram(const Program &program, ProgramCode code, const Hash128 &key);

/// An empty one for a program with host callbacks. Io where there is no room for it.
absl::StatusOr<ProgramImage> imageOf(const Program &program, ProgramCode code);

} // namespace graphc
