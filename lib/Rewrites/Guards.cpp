//===- Rewrites/Guards.cpp ------------------------------------------------===//
#include "Guards.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "Ops/Registry.h"
#include "graphc/Features.h"
#include "graphc/OpDef.h"

namespace graphc {

static Condition byDType(std::string name, bool (*test)(DType), const std::string &what) {
  std::string text = name + " is " + what;
  return {[name, test](const Match &m) { return test(m[name].dtype()); }, text};
}

Condition integer(std::string name) {
  return byDType(std::move(name), [](DType d) { return !isFloat(d) && !isBool(d); }, "an integer");
}
Condition floating(std::string name) {
  return byDType(std::move(name), [](DType d) { return isFloat(d); }, "a float");
}
Condition boolean(std::string name) {
  return byDType(std::move(name), [](DType d) { return isBool(d); }, "bool");
}
Condition notBool(std::string name) {
  return byDType(std::move(name), [](DType d) { return !isBool(d); }, "not bool");
}
Condition notFloating(std::string name) {
  return byDType(std::move(name), [](DType d) { return !isFloat(d); }, "no float");
}
Condition isSigned(std::string name) {
  return byDType(
      std::move(name), [](DType d) { return isFloat(d) || isSignedInt(d); },
      "a float or a signed integer");
}

Condition usedOnce(std::string name) {
  std::string text = name + " has no other use";
  return {[name](const Match &m) { return m.graph().numClients(m[name]) == 1; }, text};
}

Condition rankOf(std::string name, int rank) {
  std::string text = name + " has rank " + std::to_string(rank);
  return {[name, rank](const Match &m) { return m[name].rank() == rank; }, text};
}

Condition neverFails(std::string name) {
  std::string text = "nothing can fail in computing " + name;
  return {[name](const Match &m) { return m.shapes().neverFails(m[name]); }, text};
}

/// Whether element `at` of a list of extents is a constant: of one, or of a join of single ones.
static bool isKnownElement(const Variable &list, int at) {
  if (list.isConstant())
    return true;
  Apply join = list.owner();
  if (!join || join.op().name() != "join")
    return false;
  for (const Variable &part : join.inputs()) {
    int64_t length = part.type().numElements();
    if (length == kDynamic)
      return false;
    if (at < length)
      return part.isConstant();
    at -= int(length);
  }
  return false;
}

bool cannotFailFor(const Match &m, const Apply &node, const Variable &input) {
  if (m.shapes().neverFails(node.output(0)))
    return true;
  // Shapes are proven equal without the node's own checks, but for extents that its type states.
  const std::string_view op = node.op().name();
  if ((op == "reshape" || op == "broadcastTo") && m.shapes().neverFails(node.input(1))) {
    const Type &type = node.output(0).type();
    bool isProven = true;
    for (int axis = 0; axis < type.rank(); ++axis)
      isProven &= type.shape()[axis] == kDynamic || isKnownElement(node.input(1), axis);
    if (isProven)
      return true;
  }
  // What is known when the graph is built was checked then.
  const Variables inputs = node.inputs();
  return input.type().hasStaticShape() &&
         std::all_of(inputs.begin(), inputs.end(),
                     [&](const Variable &v) { return v == input || v.isConstant(); });
}

bool givesShapeOf(const Match &m, const Apply &node, const Variable &v) {
  return m.shapes().sameShape(node.output(0), v) && cannotFailFor(m, node, v);
}

Condition hasShapeOf(std::string name) {
  std::string text = "the result surely has " + name + "'s shape";
  return {[name](const Match &m) { return givesShapeOf(m, m.root(), m[name]); }, text};
}

Condition isFiniteNumber(std::string name) {
  std::string text = name + " is a number, not 0";
  return {[name](const Match &m) {
            const Tensor &c = m.data(name);
            if (c.numElements() != 1)
              return false;
            double value = c.cast(DType::Float64).item<double>();
            return value != 0 && std::isfinite(value);
          },
          text};
}

Variable make(const Match &m, std::string_view op, const Variables &operands,
              const Attributes &attributes) {
  Place place = m.root().place();
  absl::StatusOr<Op> made = Op::create(*findOp(op), attributes);
  if (!made.ok())
    return Variable::invalid(made.status());
  std::vector<Operand> all;
  for (const Variable &v : operands)
    all.emplace_back(v, place);
  return made->call(all, place);
}

Condition operator&&(Condition a, Condition b) {
  std::string text = a.text + " and " + b.text;
  return {[a = std::move(a), b = std::move(b)](const Match &m) { return a.holds(m) && b.holds(m); },
          text};
}

std::vector<int64_t> axesOf(const AttributeValue &axes, int rank) {
  std::vector<int64_t> list(size_t(rank), 0);
  std::iota(list.begin(), list.end(), 0);
  if (const auto *given = std::get_if<IntList>(&axes)) {
    list = *given;
    for (int64_t &axis : list)
      axis += axis < 0 ? rank : 0;
    std::sort(list.begin(), list.end());
  }
  return list;
}

TermFunction boolTerm(bool value) {
  return [value](const Match &) -> Term {
    return Variable(constant(Tensor(int64_t(value)).cast(DType::Bool)));
  };
}

} // namespace graphc
