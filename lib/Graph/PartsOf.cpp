//===- PartsOf.cpp --------------------------------------------------------===//
#include "Graph/PartsOf.h"

#include <algorithm>

#include "Graph/Nodes.h"
#include "Graph/TypesOf.h"

namespace graphc {

bool worksByParts(const Apply &node) {
  detail::ApplyNode &record = *node.node();
  const ComplexRule &rule = node.op().def().complex;
  if (!rule.parts || rule.isNative)
    return false;
  // What goes through complex numbers to real ones, as irfft does, has no other emission.
  if (rule.makesComplex && !rule.realResults.empty())
    return true;
  for (uint32_t i = 0; i < record.numInputs; ++i)
    if (isComplex(record.input(i)->type.dtype()))
      return true;
  for (uint32_t i = 0; i < record.numOutputs; ++i)
    if (isComplex(record.output(i)->type.dtype()))
      return true;
  return false;
}

Parts partsOfOperand(const Variable &v) {
  if (!isComplex(v.dtype()))
    return {v};
  if (std::optional<Constant> constant = Constant::from(v)) {
    const Tensor pairs = constant->data().realView();
    auto part = [&](int64_t which) {
      return Constant::adopt(*pairs.slice(-1, which, 1, 1)->reshape(v.type().shape()));
    };
    return {part(0), part(1)};
  }
  Type type = v.type().withDType(realDType(v.dtype()));
  return {Variable(type), Variable(type)};
}

/// The part of a result by a rule, if its type is as it must be.
static Variable checkedPart(const Variable &part, const Type &wanted, const Apply &node) {
  if (!part.ok() || (part.dtype() == realDType(wanted.dtype()) && part.rank() == wanted.rank()))
    return part;
  return Variable::invalid(
      makeError(ErrorKind::TypeError,
                "the parts rule gives " + part.type().brief() + " for a part of " + wanted.brief(),
                node.place()));
}

std::vector<Parts> partsOf(const Apply &node, absl::Span<const Parts> in) {
  const std::vector<Type> types = typesOf(node.outputs());
  std::vector<Parts> made = node.op().def().complex.parts({node.op(), in, types});
  if (made.size() != types.size())
    return std::vector<Parts>(
        types.size(),
        {Variable::invalid(makeError(ErrorKind::ValueError,
                                     "the parts rule gives " + std::to_string(made.size()) +
                                         " of " + std::to_string(types.size()) + " results",
                                     node.place()))});
  for (size_t i = 0; i < made.size(); ++i) {
    made[i].re = checkedPart(made[i].re, types[i], node);
    if (!isComplex(types[i].dtype()))
      made[i].im.reset();
    else if (made[i].im)
      made[i].im = checkedPart(*made[i].im, types[i], node);
  }
  return made;
}

absl::StatusOr<std::vector<Type>> complexTypes(const Op &op, absl::Span<const Variable> inputs) {
  const ComplexRule &rule = op.def().complex;
  Variables real(inputs.begin(), inputs.end());
  for (Variable &v : real) {
    if (!isComplex(v.dtype()))
      continue;
    if (!rule.parts)
      return makeError(ErrorKind::TypeError,
                       std::string(dtypeName(v.dtype())) +
                           " operands are refused: it is defined for real numbers; take real, "
                           "imag, abs or angle of them");
    if (const AttributeValue *wanted = op.attributes().find("dtype"))
      if (const DType *dtype = std::get_if<DType>(wanted))
        if (!isComplex(*dtype) && !isBool(*dtype)) // F-046
          return makeError(ErrorKind::TypeError, std::string(dtypeName(v.dtype())) +
                                                     " does not become " +
                                                     std::string(dtypeName(*dtype)) +
                                                     ": take real, imag, abs or angle of it");
    v = Variable(v.type().withDType(realDType(v.dtype())));
  }
  absl::StatusOr<std::vector<Type>> types = op.def().type({op, real});
  if (!types.ok())
    return types;
  for (size_t i = 0; i < types->size(); ++i) {
    Type &type = (*types)[i];
    bool isReal = i < rule.realResults.size() && rule.realResults[i];
    if (!isReal && type.isTensor() && isFloat(type.dtype()))
      type = type.withDType(complexDType(type.dtype()));
  }
  return types;
}

} // namespace graphc
