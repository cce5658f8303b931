//===- MathBuilder.cpp - elementwise functions as MLIR ops ----------------===//
#include "Lowering/Math/MathBuilder.h"

#include <cmath>

#include "Lowering/Math/IrLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Twice the exponent, where it is a constant for which there is a formula without a logarithm.
static std::optional<int> halfPowerOf(Value exponent) {
  while (Operation *op = exponent.getDefiningOp())
    if (isa<arith::ExtFOp, vector::BroadcastOp>(op))
      exponent = op->getOperand(0);
    else
      break;
  APFloat value(0.0);
  if (!matchPattern(exponent, m_ConstantFloat(&value)))
    return std::nullopt;
  double twice = 2 * value.convertToDouble();
  return std::abs(twice) <= graphc::math::kMaxHalfPower && twice == std::trunc(twice) && twice != 0
             ? std::optional(int(twice))
             : std::nullopt;
}

Value graphc::buildMath(ImplicitLocOpBuilder &b, MathFunction function, ValueRange args,
                        const MathTarget &target) {
  assert(static_cast<int>(args.size()) == mathFunctionOperands(function) &&
         "wrong number of operands");
  Type type = args[0].getType(), element = getElementTypeOrSelf(type);
  math::IrContext context(b, target, type);
  if (function == MathFunction::Pow && !element.isF16() && !element.isBF16())
    if (std::optional<int> twice = halfPowerOf(args[1]))
      return element.isF64() ? math::emitDoubleHalfPower(context, args[0], *twice)
                             : math::emitSingleHalfPower(context, args[0], *twice);
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
