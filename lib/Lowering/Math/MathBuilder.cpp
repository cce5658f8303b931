//===- MathBuilder.cpp - elementwise functions as MLIR ops ----------------===//
#include "Lowering/Math/MathBuilder.h"

#include "Lowering/Math/IrLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value graphc::buildMath(ImplicitLocOpBuilder &b, MathFunction function, ValueRange args,
                        const MathTarget &target) {
  assert(static_cast<int>(args.size()) == mathFunctionOperands(function) &&
         "wrong number of operands");
  Type type = args[0].getType(), element = getElementTypeOrSelf(type);
  math::IrContext context(b, target, type);
  if (element.isF64())
    return math::emitDouble(context, function, args);
  if (element.isF32())
    return math::emitSingle(context, function, args);
  assert((element.isF16() || element.isBF16()) && "math functions take floats");
  SmallVector<Value> wide;
  for (Value arg : args)
    wide.push_back(arith::ExtFOp::create(b, context.floatType<float>(), arg));
  return arith::TruncFOp::create(b, type, math::emitSingle(context, function, wide));
}
