//===- EmitSingle.cpp - the formulas on float values ----------------------===//
#include "Lowering/Math/EmitFormula.h"

mlir::Value graphc::math::emitSingle(IrContext &context, MathFunction function,
                                     mlir::ValueRange args) {
  return emitFormula<float>(context, function, args);
}
