//===- NestCost.cpp -------------------------------------------------------===//
#include "Emit/NestCost.h"

namespace graphc {

double opCost(ScalarOp op) {
  switch (op) {
  case ScalarOp::Constant:
  case ScalarOp::Index:
  case ScalarOp::Size:
  case ScalarOp::Load:
    return 0;
  case ScalarOp::Cast:
  case ScalarOp::Select:
    return 0.5;
  case ScalarOp::And:
  case ScalarOp::Or:
  case ScalarOp::Not:
    return 0.25;
  case ScalarOp::Div:
  case ScalarOp::Sqrt:
  case ScalarOp::Rsqrt:
  case ScalarOp::IntDiv:
  case ScalarOp::Mod:
    return 5;
  default:
    if (op >= ScalarOp::Exp && op <= ScalarOp::Silu)
      return 10;
    if (op == ScalarOp::Pow || op == ScalarOp::Cbrt || op == ScalarOp::Hypot)
      return 20;
    return 1;
  }
}

std::vector<bool> valueNodes(const Nest &nest) {
  std::vector<bool> isValue(nest.body.size(), false);
  isValue[nest.root] = true;
  for (size_t id = nest.body.size(); id-- > 0;)
    if (isValue[id])
      for (int32_t arg : nest.body[id].args)
        if (arg >= 0)
          isValue[arg] = true;
  return isValue;
}

double costOfIteration(const Nest &nest) {
  std::vector<bool> isValue = valueNodes(nest);
  double cost = 0;
  for (size_t id = 0; id < nest.body.size(); ++id)
    if (isValue[id])
      cost += opCost(nest.body[id].op);
  return cost;
}

int64_t flopsOf(const Nest &nest) {
  int64_t flops = nest.combine != Combine::None && isFloat(nest.body[nest.root].dtype);
  for (const ScalarNode &node : nest.body)
    // Conditions and index arithmetic are not on floats.
    if (node.op > ScalarOp::Load && node.op != ScalarOp::Cast && node.op != ScalarOp::Select &&
        isFloat(node.dtype))
      flops += node.op == ScalarOp::Fma ? 2 : 1;
  return flops;
}

} // namespace graphc
