//===- JIT/ReadIR.h - LLVM IR that a file brought ---------------*- C++ -*-===//
#pragma once

#include "JIT/ObjectCompiler.h"
#include "llvm/IR/Attributes.h"

namespace graphc {

/// What every function of generated code says of itself and of the processor.
llvm::AttrBuilder codeAttributes(llvm::LLVMContext &context, const TargetDescription &target);

/// Reads what `--emit=llvm` prints for the target. The text may hold anything: it is accepted if it
/// has kernels of the instructions, types, intrinsics and attributes that graphc makes, and nothing
/// that the processor lacks, at which LLVM would end the process. So there are no globals, no calls
/// but of intrinsics, no atomics, no debug information, and no inline assembly but the empty one
/// that hides a value. What the code does when it runs is its author's business.
/// Errors: ValueError, with the place where there is one.
absl::StatusOr<IRModule> readIR(std::string_view text, std::string_view name,
                                const TargetDescription &target, const llvm::DataLayout &layout);

} // namespace graphc
