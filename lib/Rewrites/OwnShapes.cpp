//===- Rewrites/OwnShapes.cpp - rules by symbolic shapes ------------------===//
//
// What depends on the shape of a Variable alone must not compute its values; what gives an array
// the shape that it has does nothing. Shapes are proven equal by the graph's ShapeFeature. A rule
// that drops a Variable asks that nothing can fail in computing it, so that no error is lost
// (F-310).
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Catalogue.h"
#include "Guards.h"
#include "Ops/IndexSpec.h"
#include "graphc/Features.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

//===--- extents ----------------------------------------------------------===//

Variables liftedExtent(const Match &m) {
  const Apply &root = m.root();
  int axis = int(std::get<int64_t>(m.attribute("p")));
  Variable extent = m.shapes().extent(m["x"], axis);
  bool isItself =
      extent.hasOwner() && extent.owner().op() == root.op() && extent.owner().input(0) == m["x"];
  return isItself ? Variables() : Variables{extent};
}

/// The one position that an index of a vector names; none for other indices.
std::optional<int64_t> positionOf(const AttributeValue &index) {
  absl::StatusOr<IndexSpec> spec = parseIndex(std::get<std::string>(index));
  if (!spec.ok() || spec->size() != 1 || (*spec)[0].kind != IndexEntry::Kind::Position ||
      (*spec)[0].start.kind != IndexTerm::Kind::Number)
    return std::nullopt;
  return (*spec)[0].start.value;
}

Term axisOfPosition(const Match &m) {
  std::optional<int64_t> position = positionOf(m.attribute("p"));
  if (!position)
    return std::monostate();
  return AttributeValue(*position < 0 ? *position + m["x"].rank() : *position);
}

/// join(a, b, ...)[k]: the part that holds element k, and where in it.
Variables elementOfPart(const Match &m) {
  Apply join = m["x"].owner();
  std::optional<int64_t> position = positionOf(m.attribute("p"));
  if (!join || join.op().name() != "join" || m["x"].rank() != 1 || !position)
    return {};
  int64_t left = *position;
  if (left < 0) {
    if (m["x"].type().numElements() == kDynamic)
      return {};
    left += m["x"].type().numElements();
  }
  for (const Variable &part : join.inputs()) {
    int64_t length = part.type().numElements();
    if (length == kDynamic)
      return {};
    if (left < length)
      return {subtensor(Operand(part, m.root().place()), {Index(left)})};
    left -= length;
  }
  return {};
}

Rule truth(Rule rule, bool value) {
  rule.terms = {{"t", boolTerm(value)}};
  rule.when = neverFails("x");
  return rule;
}

std::vector<Rule> extents() {
  return {
      {.name = "shape_lift",
       .pattern = "shapeI(x, axis=p)",
       .replacement = "the extent of x as a formula of extents of inputs",
       .when = neverFails("x"),
       .cost = 0,
       .build = liftedExtent,
       .doc = "The values of x need not be computed for it.",
       .examples = {"shapeI(exp(x), axis=0)", "shapeI(join(x, x, axis=0), axis=0)",
                    "shapeI(dimshuffle(x, order=[1, 0]), axis=1)"}},
      {.name = "shape_position",
       .pattern = "subtensor(shape(x), index=p)",
       .replacement = "shapeI(x, axis=r)",
       .terms = {{"r", axisOfPosition}},
       .doc = "r is the position p.",
       .examples = {"subtensor(shape(x), index=\"0\")", "subtensor(shape(x), index=\"-1\")"}},
      {"size_of_vector", "size(x)", "shapeI(x, axis=0)", kNoEffects, rankOf("x", 1)},
      {.name = "join_position",
       .pattern = "subtensor(x, index=p)",
       .replacement = "subtensor(y, index=q) where x joins vectors of known lengths",
       .when = neverFails("x"),
       .cost = -4,
       .build = elementOfPart,
       .doc = "y is the part that holds the element.",
       .examples = {"subtensor(join(x, y, axis=0), index=\"4\")",
                    "subtensor(join(x, y, axis=0), index=\"-1\")"}},
      {.name = "expanded_position",
       .pattern = "subtensor(dimshuffle(x, order=[-1]), index=p)",
       .replacement = "x",
       .when = Condition([](const Match &m) { return positionOf(m.attribute("p")).has_value(); },
                         "p is a position"),
       .examples = {"subtensor(dimshuffle(x, order=[-1]), index=\"0\")"}},
      truth({"shape_not_negative", "ge(shapeI(x, axis=p), 0)", "t"}, true),
      truth({"shape_negative", "lt(shapeI(x, axis=p), 0)", "t"}, false),
      {"maximum_shape_zero", "maximum(shapeI(x, axis=p), 0)", "shapeI(x, axis=p)"},
      {"abs_shape", "abs(shapeI(x, axis=p))", "shapeI(x, axis=p)"},
  };
}

//===--- what has the shape already ---------------------------------------===//

Condition wholeSlices() {
  return {[](const Match &m) {
            absl::StatusOr<IndexSpec> index = parseIndex(std::get<std::string>(m.attribute("p")));
            auto startsAtFront = [](const IndexEntry &entry) {
              using Kind = IndexTerm::Kind;
              return entry.kind == IndexEntry::Kind::Ellipsis ||
                     (entry.kind == IndexEntry::Kind::Slice &&
                      (entry.start.kind == Kind::Absent || entry.start.is(0)) &&
                      (entry.step.kind == Kind::Absent || entry.step.is(1)));
            };
            return index.ok() && std::all_of(index->begin(), index->end(), startsAtFront);
          },
          "each entry of p is 0:stop"};
}

/// Axes of x and axes of extent 1, in place of a reshape; an empty list where it does more.
Variables onesMoved(const Match &m) {
  Variable x = m["x"], result = m.root().output(0);
  if (!cannotFailFor(m, m.root(), x))
    return {};
  std::vector<int> order;
  int next = 0;
  auto isOne = [](const Variable &v, int axis) { return v.type().broadcastable(axis); };
  for (int axis = 0; axis < result.rank(); ++axis) {
    if (isOne(result, axis)) {
      order.push_back(-1);
      continue;
    }
    while (next < x.rank() && isOne(x, next))
      ++next;
    if (next == x.rank() || !m.shapes().sameExtent(result, axis, x, next))
      return {};
    order.push_back(next++);
  }
  while (next < x.rank() && isOne(x, next))
    ++next;
  if (next < x.rank())
    return {};
  return {dimshuffle(Operand(x, m.root().place()), order)};
}

constexpr std::string_view kBinary[] = {
    "add", "sub", "mul", "trueDiv", "maximum", "minimum",   "lt",     "le",      "gt",
    "ge",  "eq",  "neq", "pow",     "arctan2", "logaddexp", "intDiv", "copysign"};

/// The node of x if it is f(a, b); a null Apply otherwise.
Apply binaryBelow(const Match &m) {
  Apply inner = m["x"].owner();
  bool isBinary =
      inner && inner.numInputs() == 2 &&
      std::find(std::begin(kBinary), std::end(kBinary), inner.op().name()) != std::end(kBinary);
  return isBinary ? inner : Apply();
}

/// f(a, b) with axes moved -> f(a moved, b moved), if one of them meets a movement there, so that
/// there are no more movements than before. Scalars have no axes to move.
Variables liftOverBinary(const Match &m) {
  const Apply &root = m.root();
  Apply inner = binaryBelow(m);
  if (!inner)
    return {};
  bool meets = false;
  std::vector<Operand> operands;
  for (const Variable &operand : inner.inputs()) {
    if (operand.rank() != 0 && operand.rank() != m["x"].rank())
      return {};
    meets |= operand.hasOwner() && operand.owner().op().name() == "dimshuffle";
    Variable moved = operand.rank() == 0
                         ? operand
                         : root.op().call({Operand(operand, root.place())}, root.place());
    operands.emplace_back(moved, root.place());
  }
  if (!meets)
    return {};
  m.alsoReplaces(inner);
  return {inner.op().call(operands, root.place())};
}

/// f(a, b)[p] -> f(a[p], b[p]). Scalars have no parts.
Variables liftBinary(const Match &m) {
  const Apply &root = m.root();
  Apply inner = binaryBelow(m);
  if (!inner)
    return {};
  const bool hasScalar = std::min(inner.input(0).rank(), inner.input(1).rank()) == 0;
  if (!hasScalar && !m.shapes().sameShape(inner.input(0), inner.input(1)))
    return {};
  m.alsoReplaces(inner);
  std::vector<Operand> parts;
  for (const Variable &operand : inner.inputs())
    parts.emplace_back(operand.rank() == 0
                           ? operand
                           : root.op().call({Operand(operand, root.place())}, root.place()),
                       root.place());
  return {inner.op().call(parts, root.place())};
}

std::vector<Rule> movements() {
  std::string whole = "x[0:n] where n is x's extent.";
  return {
      {"reshape_to_own", "reshape(x, n)", "x", kNoEffects, hasShapeOf("x")},
      {.name = "reshape_of_ones",
       .pattern = "reshape(x, n)",
       .replacement = "dimshuffle(x, order=r)",
       .cost = 0,
       .build = onesMoved,
       .doc = "Only axes of extent 1 come or go.",
       .examples = {"reshape(dimshuffle(x, order=[0, -1, 1]), n)",
                    "reshape(dimshuffle(x, order=[-1, 0]), n)"}},
      {.name = "dimshuffle_lift_binary",
       .pattern = "dimshuffle(x, order=p)",
       .replacement = "f(dimshuffle(y, order=p), dimshuffle(z, order=p)) where x is f(y, z)",
       .when = usedOnce("x"),
       .cost = 0,
       .build = liftOverBinary,
       .doc = "f works on each element, and y or z is a dimshuffle, too.",
       .examples = {"dimshuffle(dimshuffle(x, order=[1, 0]) + y, order=[1, 0])",
                    "dimshuffle(dimshuffle(x, order=[1, 0]) * dimshuffle(y, order=[1, 0]), "
                    "order=[1, 0])",
                    "dimshuffle(c - dimshuffle(x, order=[-1, 0]), order=[1, 0])"}},
      {"broadcast_to_own", "broadcastTo(x, n)", "x", kNoEffects, hasShapeOf("x")},
      {.name = "whole_slice",
       .pattern = "subtensor(x, index=p)",
       .replacement = "x",
       .when = wholeSlices() && hasShapeOf("x"),
       .examples = {"subtensor(x, index=\":\")", "subtensor(x, index=\"0:100\")",
                    "subtensor(x, index=\"0::1\")"}},
      {.name = "whole_slice_to",
       .pattern = "subtensor(x, y, index=p)",
       .replacement = "x",
       .when = wholeSlices() && hasShapeOf("x") && neverFails("y"),
       .doc = whole,
       .examples = {"subtensor(x, shapeI(x, axis=0), index=\"0:$0\")"}},
      {.name = "subtensor_lift_binary",
       .pattern = "subtensor(x, index=p)",
       .replacement = "f(subtensor(a, index=p), subtensor(b, index=p)) where x is f(a, b)",
       .when = usedOnce("x"),
       .cost = -6.5,
       .build = liftBinary,
       .doc = "f works on each element of two arrays of surely one shape, or of an array and a "
              "scalar.",
       .examples = {"subtensor(exp(x) * x, index=\"0\")", "subtensor(x - sin(x), index=\"::2\")",
                    "subtensor(x * 2, index=\"0\")"}},
      {"second_of_own", "second(x, y)", "y", kNoEffects, hasShapeOf("y") && neverFails("x")},
  };
}

/// The other operand of the root surely has the shape of the broadcast one.
Condition otherHasShape(std::string op) {
  return {[op](const Match &m) {
            const Apply &root = m.root();
            for (int i = 0; i < 2; ++i) {
              Apply made = root.input(i).owner();
              if (made && made.op().name() == op && made.input(0) == m["x"] &&
                  root.input(1 - i) == m["y"] && givesShapeOf(m, made, m["y"]))
                return true;
            }
            return false;
          },
          "y surely has the shape of " + op + "'s result"};
}

/// What an elementwise op does not need to be told.
std::vector<Rule> spreadOperands() {
  std::vector<Rule> rules;
  for (std::string f : {"add", "mul", "maximum", "minimum", "sub", "trueDiv", "pow", "lt", "le",
                        "gt", "ge", "eq", "neq"}) {
    rules.push_back({f + "_of_broadcast", f + "(broadcastTo(x, n), y)", f + "(x, y)", kNoEffects,
                     otherHasShape("broadcastTo")});
    rules.push_back({f + "_of_second", f + "(second(x, z), y)", f + "(z, y)", kNoEffects,
                     otherHasShape("second") && neverFails("x")});
    if (f == "add" || f == "mul" || f == "maximum" || f == "minimum" || f == "eq" || f == "neq")
      continue;
    rules.push_back({f + "_by_broadcast", f + "(y, broadcastTo(x, n))", f + "(y, x)", kNoEffects,
                     otherHasShape("broadcastTo")});
    rules.push_back({f + "_by_second", f + "(y, second(x, z))", f + "(y, z)", kNoEffects,
                     otherHasShape("second") && neverFails("x")});
  }
  return rules;
}

} // namespace

RuleFamily extentRules() {
  return {"Extents", {"canonicalize", "shape", "fast_run"}, kCanonicalize, extents()};
}

RuleFamily ownShapeRules() {
  std::vector<Rule> rules = movements();
  for (Rule &rule : spreadOperands())
    rules.push_back(std::move(rule));
  return {"Shapes that are there already",
          {"canonicalize", "shape", "fast_run"},
          kCanonicalize,
          std::move(rules)};
}

RuleFamily uncheckedShapeRules() {
  return {"Shapes without checks",
          {"shape_unsafe"},
          kCanonicalize,
          {{.name = "shape_lift_unchecked",
            .pattern = "shapeI(x, axis=p)",
            .replacement = "the extent of x as a formula of extents of inputs",
            .effects = kShapeUnsafe,
            .cost = 0,
            .build = liftedExtent,
            .doc = "Nothing of x is computed, nor checked. For those who ask for it by its tag.",
            .examples = {"shapeI(x + y, axis=0)", "shapeI(dot(x, y), axis=1)"}}}};
}

} // namespace graphc
