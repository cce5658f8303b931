//===- JIT/HalfFloats.h - conversions from and to 16-bit floats -*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "mlir/IR/PatternMatch.h"

namespace graphc {

/// Adds patterns that turn arith.extf and arith.truncf of f16 and bf16 into integer arithmetic
/// where the processor does not do them, or not exactly. LLVM would call compiler-rt there
/// (__truncdfhf2, ...), which code made by graphc must not depend on. All of them round once, to
/// nearest even.
void populateHalfFloatPatterns(const TargetDescription &target, mlir::RewritePatternSet &patterns);

} // namespace graphc
