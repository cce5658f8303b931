//===- Transforms/CheckStage.h - what checks of stages share ----*- C++ -*-===//
#pragma once

#include "absl/status/status.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Whether a kernel may have this name: any linker takes it, and it has no meaning of its own.
bool isPlainName(llvm::StringRef name);

/// ValueError at the op's place: `what` and the op's name.
absl::Status stageError(mlir::Operation *op, llvm::StringRef what);

/// No op of the module has attributes but those of its own and, of `known`, those that graphc
/// gives. MLIR and LLVM believe what theirs say: that a function is an intrinsic, say, or has an
/// alignment.
absl::Status checkAttributes(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> known);

/// A function with a body is a kernel (has the attribute `mark`), with a plain name.
absl::Status checkKernelName(mlir::func::FuncOp fn, llvm::StringRef mark);

} // namespace graphc
