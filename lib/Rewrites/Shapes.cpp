//===- Rewrites/Shapes.cpp - shapes, reductions, products of matrices -----===//
#include <algorithm>

#include "Catalogue.h"
#include "Guards.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

//===--- dimshuffle -------------------------------------------------------===//

const IntList &ints(const Match &m, std::string_view name) {
  return std::get<IntList>(m.attribute(name));
}

Term composedOrder(const Match &m) {
  const IntList &inner = ints(m, "p");
  IntList order = ints(m, "q");
  for (int64_t &axis : order)
    if (axis >= 0)
      axis = inner[size_t(axis)];
  return AttributeValue(order);
}

bool isIdentityOrder(const Match &m) {
  const IntList &order = ints(m, "p");
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] != int64_t(i))
      return false;
  return int(order.size()) == m["x"].rank();
}

/// Ops that work on each element of their one operand.
constexpr std::string_view kUnary[] = {
    "neg",   "abs",  "sgn",        "sqr",   "sqrt", "reciprocal", "exp",  "expm1",    "log",
    "log1p", "sin",  "cos",        "tan",   "tanh", "sigmoid",    "relu", "softplus", "erf",
    "floor", "ceil", "logicalNot", "isnan", "silu", "gelu",       "ndtr",
};

bool isUnary(const Variable &v, const FunctionGraph &graph) {
  return v.hasOwner() && v.owner().numInputs() == 1 && graph.numClients(v) == 1 &&
         std::find(std::begin(kUnary), std::end(kUnary), v.owner().op().name()) != std::end(kUnary);
}

/// f(g(x)) under a movement of elements becomes f(g(moved x)), all at once, if the movement meets
/// another one there, or what is no such function. It looks so far only: a movement below thousands
/// of functions would be lifted through all of them, again for each further one.
Variables liftRun(const Match &m) {
  constexpr size_t kLongestRun = 16;
  const Apply &root = m.root();
  std::vector<Op> run;
  Variable v = root.input(0);
  for (; isUnary(v, m.graph()); v = v.owner().input(0)) {
    if (run.size() == kLongestRun)
      return {};
    run.push_back(v.owner().op());
    m.alsoReplaces(v.owner());
  }
  if (run.empty())
    return {};
  std::vector<Operand> operands = {Operand(v, root.place())};
  for (int i = 1; i < root.numInputs(); ++i)
    operands.emplace_back(root.input(i), root.place());
  Variable moved = root.op().call(operands, root.place());
  for (size_t i = run.size(); i-- > 0;)
    moved = run[i].call({Operand(moved, root.place())}, root.place());
  return {moved};
}

/// f(x) under an index: the index goes first, so that less is computed.
Variables liftUnary(const Match &m) {
  const Apply &root = m.root();
  if (!isUnary(root.input(0), m.graph()))
    return {};
  Apply inner = root.input(0).owner();
  m.alsoReplaces(inner);
  std::vector<Operand> operands;
  operands.emplace_back(inner.input(0), root.place());
  for (int i = 1; i < root.numInputs(); ++i)
    operands.emplace_back(root.input(i), root.place());
  Variable moved = root.op().call(operands, root.place());
  return {inner.op().call({Operand(moved, root.place())}, root.place())};
}

std::vector<Rule> movements() {
  return {
      {.name = "dimshuffle_pair",
       .pattern = "dimshuffle(dimshuffle(x, order=p), order=q)",
       .replacement = "dimshuffle(x, order=r)",
       .terms = {{"r", composedOrder}},
       .doc = "r is p after q."},
      {"dimshuffle_identity", "dimshuffle(x, order=p)", "x", kNoEffects,
       Condition(isIdentityOrder, "p is 0, 1, ...")},
      {.name = "dimshuffle_lift",
       .pattern = "dimshuffle(x, order=p)",
       .replacement = "f(dimshuffle(y, order=p)) where x is f(y)",
       .cost = 0,
       .build = liftRun,
       .doc = "f works on each element and has no other use; up to 16 of them at once.",
       .examples = {"dimshuffle(exp(x), order=[1, 0])", "dimshuffle(exp(-x), order=[0, 1])",
                    "dimshuffle(-x, order=[-1, 0])"}},
      {"reshape_reshape", "reshape(reshape(x, n), m)", "reshape(x, m)", kShapeUnsafe},
      {.name = "reshape_lift",
       .pattern = "reshape(x, n)",
       .replacement = "f(reshape(y, n)) where x is f(y)",
       .cost = 0,
       .build = liftRun,
       .doc = "f works on each element and has no other use; up to 16 of them at once.",
       .examples = {"reshape(exp(x), n)"}},
      {.name = "subtensor_lift",
       .pattern = "subtensor(x, index=p)",
       .replacement = "f(subtensor(y, index=p)) where x is f(y)",
       .cost = -7,
       .build = liftUnary,
       .doc = "f works on each element and has no other use: less is computed.",
       .examples = {"subtensor(exp(x), index=\"0\")", "subtensor(-x, index=\"::2\")"}},
      {"join_one", "join(x, axis=p)", "x"},
  };
}

//===--- reductions -------------------------------------------------------===//

/// sum(sum(x, p), q) as one: q's axes count among those that p leaves.
Term joinedAxes(const Match &m) {
  int rank = m["x"].rank();
  std::vector<int64_t> first = axesOf(m.attribute("p"), rank);
  IntList left, all(first.begin(), first.end());
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::find(first.begin(), first.end(), axis) == first.end())
      left.push_back(axis);
  for (int64_t axis : axesOf(m.attribute("q"), int(left.size())))
    all.push_back(left[size_t(axis)]);
  std::sort(all.begin(), all.end());
  return AttributeValue(all);
}

Rule chain(std::string op, Effects effects, Condition when = {}) {
  return {.name = op + "_chain",
          .pattern = op + "(" + op + "(x, axes=p), axes=q)",
          .replacement = op + "(x, axes=r)",
          .effects = effects,
          .when = std::move(when),
          .terms = {{"r", joinedAxes}},
          .doc = "r are the axes of both."};
}

Rule overAll(const std::string &op, Effects effects) {
  return {op + "_of_dimshuffle", op + "(dimshuffle(x, order=p))", op + "(x)", effects};
}

Rule noAxes(const std::string &op) {
  return {op + "_no_axes", op + "(x, axes=[], keepDims=q)", "x"};
}

std::vector<Rule> reductions() {
  return {
      {"sum_neg", "sum(-x, axes=p, keepDims=q)", "-sum(x, axes=p, keepDims=q)", kZeroSign,
       floating("x")},
      {"sum_of_scaled_integer", "sum(x * c, axes=p, keepDims=q)", "sum(x, axes=p, keepDims=q) * c",
       kNoEffects,
       Condition(
           [](const Match &m) {
             return m["x"].dtype() == m.root().output(0).dtype() && !isFloat(m["x"].dtype()) &&
                    m["c"].rank() == 0;
           },
           "x has 64 bits and c is a scalar")},
      {"sum_of_scaled", "sum(x * c, axes=p, keepDims=q)", "sum(x, axes=p, keepDims=q) * c",
       kInexact | kRounding | kOverflow | kNanInf | kZeroSign,
       floating("x") &&
           Condition([](const Match &m) { return m["c"].rank() == 0; }, "c is a scalar")},
      chain("sum", kNoEffects, integer("x")),
      {.name = "sum_chain_float",
       .pattern = "sum(sum(x, axes=p), axes=q)",
       .replacement = "sum(x, axes=r)",
       .effects = kRounding | kZeroSign,
       .when = floating("x"),
       .terms = {{"r", joinedAxes}},
       .doc = "The order of additions is the reduction's own in any case."},
      chain("prod", kNoEffects, integer("x")),
      chain("max", kNoEffects),
      chain("min", kNoEffects),
      chain("any", kNoEffects),
      chain("all", kNoEffects),
      overAll("sum", kRounding),
      overAll("prod", kInexact | kRounding | kOverflow),
      overAll("max", kNoEffects),
      overAll("min", kNoEffects),
      overAll("any", kNoEffects),
      overAll("all", kNoEffects),
      noAxes("max"),
      noAxes("min"),
      {"max_neg", "max(-x, axes=p, keepDims=q)", "-min(x, axes=p, keepDims=q)", kNoEffects,
       floating("x")},
      {"min_neg", "min(-x, axes=p, keepDims=q)", "-max(x, axes=p, keepDims=q)", kNoEffects,
       floating("x")},
      {"max_exp", "max(exp(x), axes=p, keepDims=q)", "exp(max(x, axes=p, keepDims=q))", kRounding,
       floating("x")},
      {"not_any", "logicalNot(any(logicalNot(x), axes=p, keepDims=q))",
       "all(x, axes=p, keepDims=q)"},
      {"not_all", "logicalNot(all(logicalNot(x), axes=p, keepDims=q))",
       "any(x, axes=p, keepDims=q)"},
  };
}

//===--- products ---------------------------------------------------------===//

Rule transposed(const std::string &op, const Condition &when) {
  return {.name = "transpose_" + op,
          .pattern = "dimshuffle(" + op + "(a, b), order=[1, 0])",
          .replacement = op + "(dimshuffle(b, order=[1, 0]), dimshuffle(a, order=[1, 0]))",
          .effects = kRounding,
          .when = when,
          .cost = 0.5,
          .doc = "Products read transposed operands as they are."};
}

std::vector<Rule> matrices() {
  Condition twoMatrices = rankOf("a", 2) && rankOf("b", 2);
  return {
      transposed("dot", twoMatrices),
      transposed("matmul", twoMatrices),
      {"dot_neg_left", "dot(-a, b)", "-dot(a, b)", kZeroSign | kRounding,
       isSigned("a") && isSigned("b")},
      {"dot_neg_right", "dot(a, -b)", "-dot(a, b)", kZeroSign | kRounding,
       isSigned("a") && isSigned("b")},
      {"dot_scaled_left", "dot(a * k, b)", "dot(a, b) * k",
       kInexact | kRounding | kOverflow | kZeroSign | kNanInf,
       floating("a") &&
           Condition([](const Match &m) { return m["k"].rank() == 0; }, "k is a scalar")},
      {"dot_scaled_right", "dot(a, b * k)", "dot(a, b) * k",
       kInexact | kRounding | kOverflow | kZeroSign | kNanInf,
       floating("a") &&
           Condition([](const Match &m) { return m["k"].rank() == 0; }, "k is a scalar")},
  };
}

} // namespace

RuleFamily movementRules() {
  return {"Movements of elements",
          {"canonicalize", "shape", "movements", "fast_run"},
          kCanonicalize,
          movements()};
}
RuleFamily reductionRules() {
  return {"Reductions", {"canonicalize", "reduction", "fast_run"}, kCanonicalize, reductions()};
}
RuleFamily matrixRules() {
  return {"Products of matrices", {"specialize", "matrices", "fast_run"}, kSpecialize, matrices()};
}

} // namespace graphc
