//===- MathBuilder.h - elementwise functions as MLIR ops ------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/MathFunction.h"
#include "graphc/DType.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace graphc {

/// What expansions may count on. Everything false is right for any processor, and slow.
struct MathTarget {
  bool fma = false;      ///< an FMA instruction
  bool rounding = false; ///< instructions for floor, ceil, trunc, round to even (SSE4.1, aarch64)
  bool avx512 = false;   ///< F, BW, DQ and VL
  bool x87 = false;      ///< long double has 80 bits: x86
  bool extrema = false;  ///< instructions for IEEE's maximum and minimum (aarch64)
};

/// The value of `function` on `args`: all of one type, f32, f64, f16 or bf16, or a vector<N x ...>
/// of them with any N; the result has that type. 16-bit floats are computed in f32 and rounded
/// once. Powers with a constant exponent of halves (x^-1.5) are roots and products. Accuracy:
/// maxUlp of the ops (docs/Ops.md). Special values: those of IEEE 754 and C's Annex F; mod and
/// int_div are NumPy's.
///
/// Straight-line code of the arith, vector and LLVM dialects, except that sin, cos, tan, mod and
/// int_div contain an scf.if with calls of libm (sinl, fmod, ...) for arguments that the formula
/// cannot reduce. No op has fast-math flags, and none may be given any: the compensated steps need
/// exact order. Calls nothing but libm.
mlir::Value buildMath(mlir::ImplicitLocOpBuilder &builder, MathFunction function,
                      mlir::ValueRange args, const MathTarget &target);

/// F-046: `value`, of dtype `from` in registers (bool as i1, integers signless), as dtype `to`.
/// Floats to integers truncate, saturate and turn NaN into 0; integers wrap; to bool is != 0; every
/// rounding is one, to nearest even. Conversions of 16-bit floats are left as arith.extf and
/// arith.truncf. Scalars and vectors of any length.
mlir::Value buildCast(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, DType from, DType to);

/// The type that a value of `dtype` has in registers, shaped like `like` (a scalar or a vector).
mlir::Type registerType(mlir::Type like, DType dtype);

} // namespace graphc
