//===- Rewrites/Takes.cpp - functions of what is taken --------------------===//
//
// Of an array with fewer elements than are taken from it, a costly function is computed before: a
// model of 85 groups has 85 exponentials of their scales, and not one for each of 919 observations.
// What stands between, sums and products with numbers, is computed once more, of the few elements;
// what else is taken stays.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "Catalogue.h"

namespace graphc {
namespace {

/// Ops between the function and what is taken, at most.
constexpr int kMostBetween = 8;

bool isCheap(const Apply &node) {
  constexpr std::string_view kCheap[] = {"neg",     "add", "sub",       "mul",
                                         "trueDiv", "sqr", "reciprocal"};
  return std::ranges::find(kCheap, node.op().name()) != std::end(kCheap);
}

/// v is g(take(x, i)), where x is known to have so few elements: the take, and g(x). None where it
/// is not.
struct BeforeTake {
  Apply take;
  Variable value;
};
BeforeTake beforeTake(const Variable &v, int64_t mostElements, int mostBetween = kMostBetween) {
  const Apply node = v.owner();
  if (!node || mostBetween < 0)
    return {};
  if (node.op().name() == "take") {
    const Variable x = node.input(0);
    const int64_t elements = x.type().numElements();
    return elements == kDynamic || elements > mostElements ? BeforeTake() : BeforeTake{node, x};
  }
  if (!isCheap(node))
    return {};
  const Variables inputs = node.inputs();
  auto isArray = [](const Variable &input) { return input.rank() > 0; };
  if (std::ranges::count_if(inputs, isArray) != 1)
    return {};
  auto array = std::ranges::find_if(inputs, isArray);
  BeforeTake before = beforeTake(*array, mostElements, mostBetween - 1);
  if (!before.take)
    return {};
  std::vector<Operand> operands;
  for (const Variable &input : inputs)
    operands.emplace_back(input == *array ? before.value : input, node.place());
  before.value = node.op().call(operands, node.place());
  return before;
}

Proposal takenLater(const Match &m) {
  const Apply &function = m.root();
  const int64_t taken = function.output(0).type().numElements();
  if (!isFloat(m["y"].dtype()) || taken == kDynamic)
    return {};
  BeforeTake before = beforeTake(m["y"], taken / 2);
  if (!before.take)
    return {};
  Variable values = function.op().call({Operand(before.value, function.place())}, function.place());
  // An index that is out of range is told of where it was: at the take.
  m.alsoReplaces(before.take);
  Place place = before.take.place();
  return Variables{
      before.take.op().call({Operand(values, place), Operand(before.take.input(1), place)}, place)};
}

std::vector<Rule> takes() {
  std::vector<Rule> rules;
  for (std::string f : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "tanh",
                        "sigmoid", "softplus", "erf", "erfc", "gammaln"}) {
    std::string taken = "take(subtensor(x, index=\"0:1\"), n * 0, axis=0)";
    rules.push_back({.name = "take_" + f,
                     .pattern = f + "(y)",
                     .replacement = "take(" + f + "(g(x)), i) where y is g(take(x, i))",
                     .cost = -4,
                     .build = takenLater,
                     .doc = "x is known to have at most half as many elements as are taken; g is "
                            "made of neg, sqr, reciprocal, and + - * / with numbers.",
                     .examples = {f + "(" + taken + ")", f + "(2 - " + taken + " * 3)"}});
  }
  return rules;
}

} // namespace

RuleFamily takeRules() {
  return {"Functions of what is taken", {"specialize", "takes", "fast_run"}, kSpecialize, takes()};
}

} // namespace graphc
