//===- JIT/LowerToLLVM.h - loops on vectors to the LLVM dialect -*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "absl/status/status.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace graphc {

/// Registers the dialects of the loops stage and below, and the translation to LLVM IR.
void registerLoopDialects(mlir::DialectRegistry &registry);

/// Turns a module of the loops stage into one of the LLVM dialect. In a kernel
///   func.func @f(%a: memref<f32>, ..., %n: index, ...) -> i32 attributes {graphc.kernel}
/// the pointers and then the sizes move into arrays, so that all kernels have one C signature:
///   int32_t f(void **buffers, const int64_t *sizes)
/// The module's context must have the dialects loaded. Errors: Internal, with what MLIR said. A
/// module that graphc made is `trusted`: MLIR then converts it without being able to go back, which
/// takes a fifth less time, but ends the process where it comes upon something that cannot be
/// converted.
absl::Status lowerToLLVMDialect(mlir::ModuleOp module, const TargetDescription &target,
                                bool trusted = true);

} // namespace graphc
