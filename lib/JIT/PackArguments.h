//===- JIT/PackArguments.h - one signature for all kernels ------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Gives every function marked kKernelAttr the signature i32(ptr buffers, ptr sizes); see
/// lowerToLLVMDialect. Fails, with a diagnostic, on a kernel with arguments other than pointers and
/// then i64.
mlir::LogicalResult packArguments(mlir::ModuleOp module);

} // namespace graphc
