//===- EmitDouble.cpp - the formulas on double values ----------------------===//
#include "Lowering/Math/EmitFormula.h"

mlir::Value graphc::math::emitDouble(IrContext &context, MathFunction function,
                                     mlir::ValueRange args) {
  return emitFormula<double>(context, function, args);
}
mlir::Value graphc::math::emitDoubleHalfPower(IrContext &context, mlir::Value x, int twice) {
  return halfPowerFormula(IrFloat<double>{&context, x}, twice).v;
}
