//===- CompileKernels.h - kernels to machine code -----------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "JIT/KernelCache.h"
#include "JIT/ObjectCompiler.h"
#include "Kernels/Kernel.h"
#include "Runtime/Program.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// One for each target and options, made on first use and kept. Thread-safe.
absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
objectCompilerFor(const TargetDescription &target, bool trusted = true);

/// The kernels as linalg on tensors, one function each: the text of `--emit=linalg`.
absl::StatusOr<std::string> linalgText(absl::Span<const Kernel> kernels);
/// From the text of stage `from` ("linalg", "loops" or "llvm") to that stage or a later one. A text
/// that graphc has not just made itself may hold anything: if the compiler's options say that it is
/// not trusted, it is checked, and what graphc could not have written is a ValueError with its
/// place.
absl::StatusOr<std::string> translateText(std::string_view text, std::string_view name,
                                          std::string_view from, std::string_view to,
                                          const ObjectCompiler &compiler);
/// The kernels' code, compiled on up to `threads` threads.
absl::StatusOr<std::vector<CompiledKernel>>
compileKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads);
/// The same for the processor of this process, loaded. With `cache`, those that the process or the
/// user's folder has are taken from there, and the others are left there.
absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
loadKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads,
            bool cache);
/// Enters into `program`, whose kernels they are, what is known when their code has been made:
/// symbols and scratch memory.
void placeCode(absl::Span<const CompiledKernel *const> code, Program &program);

} // namespace graphc
