//===- RunKernel.h - kernels without a compiler -------------------*- C++ -*-===//
//
// Test support: interprets Kernels by the reference evaluator, so that fusion, canonicalization
// and the buffer plan are tested apart from code generation.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <vector>

#include "Kernels/Fuse.h"
#include "Runtime/Executable.h"

namespace graphc {

/// Does what compiled code would do for these arguments, parts and element checks included.
int32_t runKernel(const Kernel &kernel, void **buffers, const int64_t *sizes);

/// Functions that interpret these kernels. At most 64 kernels may be alive in the process at once.
std::shared_ptr<const LoadedCode> interpret(std::vector<Kernel> kernels);

/// The same, but they only read all of their inputs and then write all of their outputs, as the
/// kernels declare them.
std::shared_ptr<const LoadedCode> touch(std::vector<Kernel> kernels);

/// The program of `graph`, run by interpretation.
absl::StatusOr<std::shared_ptr<const Executable>> makeExecutable(KernelGraph graph);

} // namespace graphc
