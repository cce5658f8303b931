//===- Build.cpp -----------------------------------------------------------===//
#include "Build.h"

#include <cassert>

#include "Graph/Label.h"
#include "Graph/PlaceScope.h"

namespace graphc {

Op builtin(std::string_view name, const Attributes &attributes) {
  const OpDef *def = findOp(name);
  assert(def && "no built-in op has this name");
  absl::StatusOr<Op> op = Op::create(*def, attributes);
  assert(op.ok() && "attributes of a built-in op are as it declares them");
  return *std::move(op);
}

Variable build(const Op &op, absl::Span<const Operand> operands) {
  return op.call(operands, operands.empty() ? Place() : operands[0].place());
}

Variable asVariable(const Operand &x) {
  if (!x.isWeak())
    return x.variable();
  return Constant::adopt(x.weakValue(), {}, x.place());
}

Variable invalidAt(const Operand &x, ErrorKind kind, std::string_view what, std::string_view why) {
  std::string text(what);
  text += ": " + std::string(why) + "\n  " + std::string(what) + "(" + operandLabel(x) + ")";
  return Variable::invalid(makeError(kind, text, PlaceScope::of(x.place())));
}

Variable invalidAt(const Operand &x, std::string_view what, const absl::Status &why) {
  return invalidAt(x, errorKind(why), what, {why.message().data(), why.message().size()});
}

int64_t plainAxis(int axis, const Variable &x) {
  return axis < 0 && axis >= -x.rank() ? axis + x.rank() : axis;
}

AttributeValue axesAttribute(const Axes &axes, const Variable &x) {
  if (!axes.list())
    return NoneAttr();
  IntList plain;
  for (int64_t axis : *axes.list())
    plain.push_back(plainAxis(int(axis), x));
  return plain;
}

} // namespace graphc
