//===- CompileKernels.h - kernels to machine code -----------------*- C++ -*-===//
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "JIT/KernelCache.h"
#include "JIT/ObjectCompiler.h"
#include "Kernels/Kernel.h"
#include "Runtime/Program.h"
#include "Text/ContextPool.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// One for each target and options, made on first use and kept. Thread-safe.
absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
objectCompilerFor(const TargetDescription &target, bool trusted = true);

/// Contexts with the dialects of all stages below the graph. Thread-safe.
ContextPool &kernelContexts();

/// By argument; a kernel that splits may have begin and end behind them.
using KnownSizes = std::vector<std::optional<int64_t>>;
/// A kernel whose code is wanted, for all sizes or for some that are known.
struct KernelRequest {
  const Kernel *kernel;
  KnownSizes sizes = {};
};
/// For all sizes.
std::vector<KernelRequest> requestsOf(absl::Span<const Kernel> kernels);

/// The kernels' code, compiled on up to `threads` threads.
absl::StatusOr<std::vector<CompiledKernel>>
compileKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads);
/// Kernels for the processor of this process, loaded. With `cache`, those that the process or the
/// user's folder has are taken from there, and the others are left there.
absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
loadKernels(absl::Span<const KernelRequest> wanted, const ObjectCompiler &compiler, int threads,
            bool cache);
std::vector<const CompiledKernel *>
compiledOf(absl::Span<const std::shared_ptr<const CachedKernel>> code);
/// Enters into `program`, whose kernels they are, what is known when their code has been made:
/// symbols and scratch memory.
void placeCode(absl::Span<const CompiledKernel *const> code, Program &program);

} // namespace graphc
