//===- JIT/ExpandVectors.h - vector ops that LLVM does not have -*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace graphc {

/// Turns vector ops that have no counterpart in LLVM (transfers, transposes, ops on several
/// dimensions, ...) into loads, stores, shuffles and ops on one dimension. Does nothing, in no
/// time, on modules without them.
void expandVectors(mlir::ModuleOp module, const TargetDescription &target);

/// Patterns for vector.create_mask with one dimension and vector.step, which are too common for a
/// pass of their own.
void populateMaskPatterns(const TargetDescription &target, mlir::RewritePatternSet &patterns);

} // namespace graphc
