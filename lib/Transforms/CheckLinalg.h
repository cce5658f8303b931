//===- Transforms/CheckLinalg.h - linalg that a file brought ----*- C++ -*-===//
#pragma once

#include "Transforms/LoopTarget.h"
#include "absl/status/status.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Whether a verified module that graphc may not have made can be given to lowerToLoops, which
/// takes for granted what LowerToLinalg.h says. Errors: ValueError, with the place, naming what is
/// otherwise. The module is not changed.
absl::Status checkLinalg(mlir::ModuleOp module, const LoopTarget &target);

} // namespace graphc
