//===- CompileKernels.h - kernels to machine code -----------------*- C++ -*-===//
#pragma once

#include <string>
#include <vector>

#include "JIT/ObjectCompiler.h"
#include "Kernels/Kernel.h"
#include "Runtime/Program.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// One for each target and option, made on first use and kept. Thread-safe.
absl::StatusOr<std::shared_ptr<const ObjectCompiler>>
objectCompilerFor(const TargetDescription &target, bool lineTables);

/// The kernels as linalg on tensors, one function each: the text of `--emit=linalg`.
absl::StatusOr<std::string> linalgText(absl::Span<const Kernel> kernels);
/// From linalg or loops text (`from`) to "loops", "llvm", "asm" or "obj".
absl::StatusOr<std::string> translateText(std::string_view text, std::string_view name,
                                          std::string_view from, std::string_view to,
                                          const ObjectCompiler &compiler);
/// A kernel's code.
struct CompiledKernel {
  /// Bytes of an ELF file.
  std::string object;
  /// For each scratch buffer that the code wants after the outputs: its size in bytes is the
  /// product of `bytes` and the kernel's size arguments with these numbers.
  struct Scratch {
    int64_t bytes;
    std::vector<int32_t> sizeArguments;
  };
  std::vector<Scratch> scratch;
};
/// On up to `threads` threads.
absl::StatusOr<std::vector<CompiledKernel>>
compileKernels(absl::Span<const Kernel> kernels, const ObjectCompiler &compiler, int threads);
/// Which scratch memory a kernel wants is known when its loops have been made.
void placeScratch(const std::vector<CompiledKernel> &compiled, Program &program);

} // namespace graphc
