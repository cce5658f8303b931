//===- EmitSingle.cpp - the formulas on float values ----------------------===//
#include "Lowering/Math/EmitFormula.h"

mlir::Value graphc::math::emitSingle(IrContext &context, MathFunction function,
                                     mlir::ValueRange args) {
  return emitFormula<float>(context, function, args);
}
mlir::Value graphc::math::emitSingleHalfPower(IrContext &context, mlir::Value x, int twice) {
  return halfPowerFormula(IrFloat<float>{&context, x}, twice).v;
}
