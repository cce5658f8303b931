//===- EmitFormula.h - a MathFunction's formula on MLIR values ------*- C++ -*-===//
#pragma once

#include "Lowering/Math/Formulas.h"
#include "Lowering/Math/IrLanes.h"

namespace graphc::math {

template <MathFunction Function, class T>
mlir::Value emitOne(IrContext &context, mlir::ValueRange args) {
  IrFloat<T> x = {&context, args[0]};
  if constexpr (mathFunctionOperands(Function) == 2)
    return evaluate<Function>(x, IrFloat<T>{&context, args[1]}).v;
  else
    return evaluate<Function>(x).v;
}

template <class T>
mlir::Value emitFormula(IrContext &context, MathFunction function, mlir::ValueRange args) {
  switch (function) {
#define GRAPHC_CASE(id, name, operands)                                                            \
  case MathFunction::id:                                                                           \
    return emitOne<MathFunction::id, T>(context, args);
    GRAPHC_MATH_FUNCTIONS(GRAPHC_CASE)
#undef GRAPHC_CASE
  }
  llvm_unreachable("all functions are listed");
}

} // namespace graphc::math
