//===- Masks.cpp - elements that were not taken ----------------------------===//
#include "Masks.h"

#include "Ops/Derivatives.h"
#include "Ops/Rules.h"
#include "graphc/ControlFlow.h"
#include "graphc/Ops.h"

namespace graphc {

static Variable asBool(const Variable &v) {
  return v.dtype() == DType::Bool ? v : cast(v, DType::Bool);
}

/// Of input 1 or 2 of a switch.
static Variable taken(const Apply &node, int i, const std::optional<Variable> &mask) {
  Variable condition = asBool(node.input(0));
  if (i == 2)
    condition = logicalNot(condition);
  condition = second(node.output(0), condition);
  return mask ? logicalAnd(*mask, condition) : condition;
}

/// Of input 1 or 2 of an ifElse, which may have another shape than the result.
static Variable chosen(const Apply &node, int i, const std::optional<Variable> &mask) {
  Variable none = cast(zerosLike(node.input(i)), DType::Bool);
  Variable here = mask ? *mask : logicalNot(none);
  return i == 1 ? ifElse(node.input(0), here, none) : ifElse(node.input(0), none, here);
}

/// The operand's shape, where each slice has the element of `mask` that it was reduced to.
static Variable spread(const Apply &node, Variable mask, bool isReduced) {
  Variable x = node.input(0);
  const Attributes attributes = node.op().attributes();
  std::vector<int> axes = axesOf(attributes, x.rank());
  const AttributeValue *keepDims = attributes.find("keepDims");
  if (!isReduced)
    mask = any(mask, {.axes = Axes(axes), .keepDims = true});
  else if (!keepDims || !std::get<bool>(*keepDims))
    mask = expandDims(mask, Axes(axes));
  return second(x, mask);
}

std::optional<Variable> maskOfInput(const Apply &node, int i, const std::optional<Variable> &mask) {
  const Op &op = node.op();
  if (op.name() == "switch")
    return i == 0 ? mask : taken(node, i, mask);
  if (op.name() == "ifElse" && i > 0)
    return chosen(node, i, mask);
  if (!mask)
    return std::nullopt;
  switch (op.def().elements) {
  case Elements::Mixed:
    return std::nullopt;
  case Elements::Elementwise:
    return mask;
  case Elements::Moved: {
    Variables arrived = op.def().pullback(op, node.inputs(), node.outputs(),
                                          Variables{cast(*mask, node.output(0).dtype())});
    Variable here = size_t(i) < arrived.size() ? arrived[size_t(i)] : Variable();
    if (!here.type().isTensor() || here.rank() != node.input(i).rank())
      return std::nullopt;
    return asBool(here);
  }
  case Elements::Reduced:
    return i == 0 ? std::optional(spread(node, *mask, true)) : std::nullopt;
  case Elements::Rows:
    return i == 0 ? std::optional(spread(node, *mask, false)) : std::nullopt;
  }
  return std::nullopt;
}

Variable masked(const Variable &term, const Variable &mask) {
  return where(mask, term, Constant::adopt(Tensor(0.0).cast(term.dtype())));
}

} // namespace graphc
