//===- JIT/HalfFloats.h - 16-bit floats as integers -------------*- C++ -*-===//
#pragma once

#include "JIT/Target.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace graphc {

/// Lets ops of arith and math, and vector.fma and vector.reduction, that compute with f16 or bf16
/// compute in f32, between arith.extf and arith.truncf; and turns those two into integer arithmetic
/// where they are no instruction of the processor's. All of them round once, to nearest even.
void expandHalfFloats(mlir::ModuleOp module, const TargetDescription &target);

/// Makes `types` represent f16 and bf16 as i16, and adds patterns for what expandHalfFloats left of
/// them. LLVM never sees a value of these types beside the instructions' operands, and so makes no
/// call of compiler-rt (__truncdfhf2, ...), which code made by graphc must not depend on.
void populateHalfFloatPatterns(const TargetDescription &target, mlir::LLVMTypeConverter &types,
                               mlir::RewritePatternSet &patterns);

/// After the conversion: a cast between a half and its bits, which stands where the input has ops
/// of the LLVM dialect on halves, becomes a bitcast. Fails for other casts.
mlir::LogicalResult replaceHalfCast(mlir::UnrealizedConversionCastOp cast);

} // namespace graphc
