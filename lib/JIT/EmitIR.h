//===- JIT/EmitIR.h - loops on vectors to LLVM IR ---------------*- C++ -*-===//
#pragma once

#include <memory>

#include "JIT/Target.h"
#include "absl/status/statusor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace graphc {

/// Registers the dialects of the loops stage.
void registerLoopDialects(mlir::DialectRegistry &registry);

/// Whether the loops stage has such an op: emitIR knows what it is in LLVM's IR.
bool isLoopsOp(mlir::Operation *op);

/// Writes the kernels of a module of the loops stage into the first of `into`, empty modules with
/// the target's data layout, which may have contexts of their own, so that threads can go on with
/// one each. In a kernel
///   func.func @f(%a: memref<f32>, ..., %n: index, ...) -> i32 attributes {graphc.kernel}
/// the pointers and then the sizes move into arrays, so that all kernels have one C signature:
///   int32_t f(void **buffers, const int64_t *sizes)
/// Of the loops that are marked kOutlineAttr so many are functions in the other modules, which the
/// kernels call, that all take about as long to compile. Nothing else may have their names: the
/// kernel's, `.part` and a number. `loops` is changed: 16-bit floats are written out in it
/// (JIT/HalfFloats.h). Errors: ValueError for ops, and forms of ops, that the stage does not have,
/// with their place.
absl::Status emitIR(mlir::ModuleOp loops, const TargetDescription &target,
                    llvm::ArrayRef<llvm::Module *> into);

} // namespace graphc
