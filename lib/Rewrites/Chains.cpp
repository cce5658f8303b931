//===- Rewrites/Chains.cpp - sums, products and others as a whole ---------===//
#include "Catalogue.h"

namespace graphc {

static std::vector<ChainRule> chains() {
  constexpr Effects kFloats = kInexact | kRounding | kZeroSign | kNanInf | kOverflow | kShapeUnsafe;
  std::vector<ChainRule> rules = {
      {.name = "collect_terms",
       .op = "add",
       .effects = kShapeUnsafe,
       .doc = "Integers wrap, so any order gives the same sum.",
       .examples = {"x + y - x", "x * 2 + x * 3", "(x + c) + y - d", "x - (y - x) + y",
                    "-(x * c) - x * d + y", "x - y + z - x + y - z"}},
      {.name = "collect_terms_float",
       .op = "add",
       .floats = true,
       .effects = kFloats,
       .doc = "Another order may lose digits to cancellation, or find some again.",
       .examples = {"x + y - x", "x * 2 + x * 3", "(x + c) + y - d"}},
      {.name = "collect_factors",
       .op = "mul",
       .effects = kNoEffects,
       .doc = "Integers wrap, so any order gives the same product.",
       .examples = {"(x * c) * (y * d)", "x * y * x * y", "(-x) * y * (-z)", "x * x * x * x * x"}},
      {.name = "collect_factors_float",
       .op = "mul",
       .floats = true,
       .effects = kFloats,
       .doc = "Another order may overflow.",
       .examples = {"x * y / x", "(x * c) * (y / d)", "reciprocal(x * y) * x", "x / y / x * -y"}},
  };
  auto both = [&](const std::string &name, const std::string &op,
                  std::vector<std::string> examples) {
    rules.push_back({name, op, false, kNoEffects, {}, examples});
  };
  for (const std::string op : {"maximum", "minimum"}) {
    std::vector<std::string> examples = {op + "(" + op + "(x, c), " + op + "(y, d))",
                                         op + "(" + op + "(x, y), " + op + "(z, x))"};
    both("collect_" + op, op, examples);
    rules.push_back({.name = "collect_" + op + "_float",
                     .op = op,
                     .floats = true,
                     .doc = "NaN wins in any order, and +0 is larger than -0.",
                     .examples = examples});
  }
  for (const std::string op : {"bitwiseAnd", "bitwiseOr", "logicalAnd", "logicalOr"})
    both(
        "collect_" + op, op,
        {op + "(" + op + "(x, c), " + op + "(y, d))", op + "(" + op + "(x, y), " + op + "(z, x))"});
  for (const std::string op : {"bitwiseXor", "logicalXor"})
    rules.push_back({.name = "collect_" + op,
                     .op = op,
                     .effects = kShapeUnsafe,
                     .examples = {op + "(" + op + "(p, c), " + op + "(q, d))",
                                  op + "(" + op + "(p, q), " + op + "(r, p))",
                                  op + "(" + op + "(x, y), " + op + "(z, x))"}});
  return rules;
}

RuleFamily chainRules() {
  return {"Chains", {"canonicalize", "chains", "fast_run"}, kCanonicalize, {}, chains()};
}

} // namespace graphc
