//===- JIT/CheckLoops.h - loops that a file brought -------------*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "absl/status/status.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Whether a verified module that graphc may not have made can be compiled for the target: it has
/// kernels of the ops and types of the loops stage, and no instruction that the processor lacks,
/// at which LLVM would end the process. What the code does when it runs is its author's business.
/// Errors: ValueError, with the place.
absl::Status checkLoops(mlir::ModuleOp module, const TargetDescription &target);

} // namespace graphc
