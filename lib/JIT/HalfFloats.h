//===- JIT/HalfFloats.h - 16-bit floats as integers -------------*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Lets ops of arith and math, and vector.fma and vector.reduction, that compute with f16 or bf16
/// compute in f32, between arith.extf and arith.truncf; and turns those two into integer arithmetic
/// where they are no instruction of the processor's. All of them round once, to nearest even. What
/// is left of the formats are values that are moved, and instructions' operands: LLVM never sees
/// another one, and so makes no call of compiler-rt (__truncdfhf2, ...), which code made by graphc
/// must not depend on.
void expandHalfFloats(mlir::ModuleOp module, const TargetDescription &target);

} // namespace graphc
