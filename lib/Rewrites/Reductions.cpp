//===- Rewrites/Reductions.cpp - reductions of what is simple -------------===//
//
// Of joins, copies, products with numbers, and of axes of one element.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Catalogue.h"
#include "Guards.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

Condition scalar(std::string name) { return rankOf(std::move(name), 0); }

/// Axes that a reduction joins have one element each: it only moves elements.
Variables withoutReducing(const Match &m) {
  const Variable &x = m["x"];
  std::vector<int64_t> joined = axesOf(m.attribute("p"), x.rank());
  bool keeps = std::get<bool>(m.attribute("q"));
  IntList order;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    bool isJoined = std::ranges::binary_search(joined, axis);
    if (isJoined && x.type().shape()[size_t(axis)] != 1)
      return {};
    if (!isJoined || keeps)
      order.push_back(isJoined ? -1 : axis);
  }
  Variable moved = make(m, "dimshuffle", {x}, {{"order", order}});
  DType wanted = m.root().output(0).dtype();
  if (wanted == x.dtype())
    return {moved};
  // any and all ask whether an element is not 0.
  return {make(m, "cast", {moved}, {{"dtype", wanted}})};
}

Rule single(const std::string &op, Effects effects, Condition when = {}) {
  return {.name = op + "_of_single_elements",
          .pattern = op + "(x, axes=p, keepDims=q)",
          .replacement = "dimshuffle(x, order=r)",
          .effects = effects,
          .when = std::move(when),
          .cost = -7.5,
          .build = withoutReducing,
          .doc = "All axes that are joined have one element; integers are widened.",
          .examples = {op + "(x, axes=p, keepDims=q)",
                       op + "(dimshuffle(x, order=[-1, 0]), axes=[0], keepDims=q)"}};
}

Rule ofJoin(const std::string &op, const std::string &both, Effects effects) {
  std::string each = ", axes=p, keepDims=q)";
  return {.name = op + "_of_join",
          .pattern = op + "(join(x, y, axis=a)" + each,
          .replacement = both + "(" + op + "(x" + each + ", " + op + "(y" + each + ")",
          .effects = effects | kShapeUnsafe,
          .when = {[](const Match &m) {
                     int rank = m["x"].rank();
                     int64_t axis = std::get<int64_t>(m.attribute("a"));
                     std::vector<int64_t> joined = axesOf(m.attribute("p"), rank);
                     return std::ranges::binary_search(joined, axis + (axis < 0 ? rank : 0));
                   },
                   "a is one of the axes p"},
          .doc = "The join is not made. The two read as much as the one."};
}

/// op(op(x, p), q), all of whose axes stay.
Rule keptChain(const std::string &op, Effects effects, Condition when = {}) {
  return {.name = op + "_chain_kept",
          .pattern = op + "(" + op + "(x, axes=p, keepDims=true), axes=q, keepDims=true)",
          .replacement = op + "(x, axes=r, keepDims=true)",
          .effects = effects,
          .when = std::move(when),
          .terms = {{"r",
                     [](const Match &m) -> Term {
                       int rank = m["x"].rank();
                       IntList all = axesOf(m.attribute("p"), rank);
                       for (int64_t axis : axesOf(m.attribute("q"), rank))
                         if (std::ranges::find(all, axis) == all.end())
                           all.push_back(axis);
                       std::ranges::sort(all);
                       return AttributeValue(all);
                     }}},
          .doc = "r are the axes of both."};
}

/// Whether what is reduced has so many elements, or more, and not too many to be made at all: its
/// shape may be a mistake otherwise, which must be told.
Condition knownNumber(int64_t least) {
  return {[least](const Match &m) {
            int64_t n = m.root().input(0).type().numElements();
            return n != kDynamic && n >= least && n < int64_t(1) << 31;
          },
          least > 0 ? "the shape is known and not empty" : "the shape is known"};
}

Term dtypeOfX(const Match &m) { return AttributeValue(m["x"].dtype()); }
Term dtypeOfC(const Match &m) { return AttributeValue(m["c"].dtype()); }

/// c ** n for the n elements that go into each result.
Term powerOfCount(const Match &m) {
  int64_t n = 1;
  for (int64_t axis : axesOf(m.attribute("p"), m["x"].rank())) {
    int64_t extent = m["x"].type().shape()[size_t(axis)];
    if (extent == kDynamic)
      return {};
    n *= extent;
  }
  Variable c = m["c"];
  return make(m, "pow", {c, constant(Tensor(double(n)).cast(c.dtype()))});
}

std::vector<Rule> reductions() {
  constexpr Effects kScaling = kInexact | kRounding | kOverflow | kNanInf | kZeroSign;
  Condition wide = Condition(
      [](const Match &m) {
        return m["x"].dtype() == m.root().output(0).dtype() && !isFloat(m["x"].dtype());
      },
      "x has 64 bits");
  return {
      single("sum", kZeroSign),
      single("prod", kNoEffects),
      single("max", kNoEffects),
      single("min", kNoEffects),
      single("any", kNoEffects),
      single("all", kNoEffects),
      ofJoin("sum", "add", kRounding | kZeroSign | kOverflow),
      ofJoin("prod", "mul", kInexact | kRounding | kOverflow),
      ofJoin("any", "logicalOr", kNoEffects),
      ofJoin("all", "logicalAnd", kNoEffects),
      keptChain("sum", kRounding | kZeroSign | kOverflow),
      keptChain("prod", kInexact | kRounding | kOverflow),
      keptChain("max", kNoEffects),
      keptChain("min", kNoEffects),
      keptChain("any", kNoEffects),
      keptChain("all", kNoEffects),
      {.name = "sum_of_copies",
       .pattern = "sum(broadcastTo(x, n))",
       .replacement = "x * cast(prod(n), dtype=t)",
       .effects = kRounding | kOverflow | kNanInf | kZeroSign,
       .when = floating("x") && scalar("x") && knownNumber(0),
       .terms = {{"t", dtypeOfX}},
       .doc = "For no copies of NaN or an infinity: NaN instead of 0."},
      {.name = "sum_of_second",
       .pattern = "sum(second(x, c))",
       .replacement = "c * cast(size(x), dtype=t)",
       .effects = kRounding | kOverflow | kNanInf | kZeroSign,
       .when = floating("c") && scalar("c"),
       .terms = {{"t", dtypeOfC}},
       .doc = "For no copies of NaN or an infinity: NaN instead of 0."},
      {.name = "max_of_copies",
       .pattern = "max(broadcastTo(x, n))",
       .replacement = "x",
       .when = scalar("x") && knownNumber(1)},
      {.name = "min_of_copies",
       .pattern = "min(broadcastTo(x, n))",
       .replacement = "x",
       .when = scalar("x") && knownNumber(1)},
      {"sum_neg_integer", "sum(-x, axes=p, keepDims=q)", "-sum(x, axes=p, keepDims=q)", kNoEffects,
       wide},
      {"sum_of_quotient", "sum(x / c, axes=p, keepDims=q)", "sum(x, axes=p, keepDims=q) / c",
       kScaling, floating("x") && scalar("c")},
      {.name = "prod_of_scaled",
       .pattern = "prod(x * c, axes=p, keepDims=q)",
       .replacement = "prod(x, axes=p, keepDims=q) * t",
       .effects = kScaling,
       .when = floating("x") && scalar("c"),
       .terms = {{"t", powerOfCount}},
       .doc = "t is c to the power of the number of elements, which is known."},
      {"argmax_neg", "argmax(-x, axes=p, keepDims=q)", "argmin(x, axes=p, keepDims=q)", kNoEffects,
       floating("x")},
      {"argmin_neg", "argmin(-x, axes=p, keepDims=q)", "argmax(x, axes=p, keepDims=q)", kNoEffects,
       floating("x")},
  };
}

//===--- products ---------------------------------------------------------===//

/// Of a column and a row: each result is one product.
Rule ofSingleTerms(const std::string &op, const std::string &what, Effects effects,
                   Condition when) {
  return {.name = op + "_of_single_terms" + what,
          .pattern = op + "(x, y)",
          .replacement = "x * y",
          .effects = effects,
          .when = rankOf("x", 2) && rankOf("y", 2) && std::move(when) &&
                  Condition(
                      [](const Match &m) {
                        return m["x"].type().shape()[1] == 1 && m["y"].type().shape()[0] == 1;
                      },
                      "x is a column, y a row"),
          .examples = {op + "(dimshuffle(x, order=[0, -1]), dimshuffle(y, order=[-1, 0]))"}};
}

Variables zerosOfRoot(const Match &m) {
  const Type &type = m.root().output(0).type();
  if (type.numElements() == kDynamic)
    return {};
  Variable zero = constant(Tensor(int64_t(0)).cast(type.dtype()));
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  if (shape.empty())
    return {zero};
  absl::StatusOr<Tensor> extents = Tensor::fromSpan<int64_t>(shape, {int64_t(shape.size())});
  return {make(m, "broadcastTo", {zero, constant(*extents)})};
}

Rule ofZeros(const std::string &name, const std::string &pattern, Effects effects, Condition when) {
  return {.name = name,
          .pattern = pattern,
          .replacement = "broadcastTo(0, shape)",
          .effects = effects,
          .when = std::move(when),
          .cost = -15.5,
          .build = zerosOfRoot,
          .doc = "The shape is known."};
}

std::vector<Rule> products() {
  constexpr Effects kLost = kInexact | kNanInf | kZeroSign;
  auto withExamples = [](Rule rule, std::vector<std::string> examples) {
    rule.examples = std::move(examples);
    return rule;
  };
  std::vector<std::string> left = {"dot(broadcastTo(0, n), x)"},
                           right = {"dot(x, broadcastTo(0, n))"};
  return {
      ofSingleTerms("dot", "", kNoEffects, notFloating("x")),
      ofSingleTerms("dot", "_float", kZeroSign, floating("x")),
      ofSingleTerms("matmul", "", kNoEffects, notFloating("x")),
      ofSingleTerms("matmul", "_float", kZeroSign, floating("x")),
      withExamples(ofZeros("zero_dot", "dot(0, x)", kShapeUnsafe, notFloating("x")), left),
      withExamples(ofZeros("dot_zero", "dot(x, 0)", kShapeUnsafe, notFloating("x")), right),
      withExamples(ofZeros("zero_dot_float", "dot(0, x)", kLost | kShapeUnsafe, floating("x")),
                   left),
      withExamples(ofZeros("dot_zero_float", "dot(x, 0)", kLost | kShapeUnsafe, floating("x")),
                   right),
  };
}

} // namespace

RuleFamily collapsedReductionRules() {
  return {"Reductions of joins, copies and single elements",
          {"canonicalize", "reduction", "fast_run"},
          kCanonicalize,
          reductions()};
}
RuleFamily simpleProductRules() {
  return {"Products that are none",
          {"canonicalize", "matrices", "fast_run"},
          kCanonicalize,
          products()};
}

} // namespace graphc
