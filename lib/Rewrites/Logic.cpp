//===- Rewrites/Logic.cpp - comparisons, logic, bits, choices, casts ------===//
#include "Catalogue.h"
#include "Guards.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

Rule withTruth(Rule rule, bool value) {
  rule.terms["t"] = boolTerm(value);
  return rule;
}

/// Whether every value of dtype `from` is one of `to`.
bool losesNothing(DType from, DType to) {
  if (from == to || isBool(from))
    return true;
  if (isFloat(from) || !isFloat(to))
    return promote(from, to) == to;
  // Bits of an integer and of a significand.
  int bits = 8 * byteSize(from) - isSignedInt(from);
  int significand = to == DType::Float64   ? 53
                    : to == DType::Float32 ? 24
                    : to == DType::Float16 ? 11
                                           : 8;
  return bits <= significand;
}

/// Whether x -> s -> t is x -> t: nothing is lost on the way, and integers do not take the way over
/// floats, which saturate where integers wrap.
bool detourIsIdle(const Match &m) {
  DType x = m["x"].dtype(), s = std::get<DType>(m.attribute("s"));
  DType t = std::get<DType>(m.attribute("t"));
  bool overFloat = !isFloat(x) && !isBool(x) && isFloat(s) && !isFloat(t) && !isBool(t);
  return losesNothing(x, s) && !overFloat;
}

bool isRange(const Match &m) {
  const Tensor &c = m.data("c"), &d = m.data("d");
  return c.numElements() == 1 && d.numElements() == 1 &&
         c.cast(DType::Float64).item<double>() <= d.cast(DType::Float64).item<double>();
}

std::vector<Rule> comparisons() {
  return {
      withTruth({"eq_self", "eq(x, x)", "second(x, t)", kNoEffects, integer("x")}, true),
      withTruth({"le_self", "le(x, x)", "second(x, t)", kNoEffects, integer("x")}, true),
      withTruth({"ge_self", "ge(x, x)", "second(x, t)", kNoEffects, integer("x")}, true),
      withTruth({"lt_self", "lt(x, x)", "second(x, t)"}, false),
      withTruth({"gt_self", "gt(x, x)", "second(x, t)"}, false),
      withTruth({"neq_self_integer", "neq(x, x)", "second(x, t)", kNoEffects, integer("x")}, false),
      {"neq_self", "neq(x, x)", "isnan(x)", kNoEffects, floating("x")},
      {"not_eq", "logicalNot(eq(x, y))", "neq(x, y)"},
      {"not_neq", "logicalNot(neq(x, y))", "eq(x, y)"},
      {"not_lt", "logicalNot(lt(x, y))", "ge(x, y)", kNoEffects, integer("x") && integer("y")},
      {"not_le", "logicalNot(le(x, y))", "gt(x, y)", kNoEffects, integer("x") && integer("y")},
      {"not_gt", "logicalNot(gt(x, y))", "le(x, y)", kNoEffects, integer("x") && integer("y")},
      {"not_ge", "logicalNot(ge(x, y))", "lt(x, y)", kNoEffects, integer("x") && integer("y")},
      {"isnan_neg", "isnan(-x)", "isnan(x)"},
      {"isnan_abs", "isnan(abs(x))", "isnan(x)"},
      {"isinf_neg", "isinf(-x)", "isinf(x)", kNoEffects, floating("x")},
      {"isinf_abs", "isinf(abs(x))", "isinf(x)", kNoEffects, floating("x")},
      {"maximum_self", "maximum(x, x)", "x"},
      {"minimum_self", "minimum(x, x)", "x"},
      {"maximum_again", "maximum(maximum(x, y), y)", "maximum(x, y)"},
      {"minimum_again", "minimum(minimum(x, y), y)", "minimum(x, y)"},
      {"maximum_neg", "maximum(-x, -y)", "-minimum(x, y)", kNoEffects,
       floating("x") && floating("y")},
      {"minimum_neg", "minimum(-x, -y)", "-maximum(x, y)", kNoEffects,
       floating("x") && floating("y")},
      {"maximum_of_minimum", "maximum(minimum(x, y), y)", "y", kNanInf | kShapeUnsafe},
      {"clip_clip", "clip(clip(x, c, d), c, d)", "clip(x, c, d)", kNoEffects,
       Condition(isRange, "c <= d")},
  };
}

std::vector<Rule> logic() {
  return {
      {"not_not", "logicalNot(logicalNot(x))", "x", kNoEffects, boolean("x")},
      {"and_self", "logicalAnd(x, x)", "x", kNoEffects, boolean("x")},
      {"or_self", "logicalOr(x, x)", "x", kNoEffects, boolean("x")},
      withTruth({"xor_self", "logicalXor(x, x)", "second(x, t)"}, false),
      {"and_true", "logicalAnd(x, 1)", "x", kNoEffects, boolean("x")},
      {"or_false", "logicalOr(x, 0)", "x", kNoEffects, boolean("x")},
      withTruth({"and_false", "logicalAnd(x, 0)", "second(x, t)"}, false),
      withTruth({"or_true", "logicalOr(x, 1)", "second(x, t)"}, true),
      {"xor_false", "logicalXor(x, 0)", "x", kNoEffects, boolean("x")},
      {"and_absorbs", "logicalAnd(x, logicalOr(x, y))", "x", kShapeUnsafe, boolean("x")},
      {"or_absorbs", "logicalOr(x, logicalAnd(x, y))", "x", kShapeUnsafe, boolean("x")},
      {"not_and_not", "logicalAnd(logicalNot(x), logicalNot(y))", "logicalNot(logicalOr(x, y))"},
      {"not_or_not", "logicalOr(logicalNot(x), logicalNot(y))", "logicalNot(logicalAnd(x, y))"},
      {"invert_invert", "invert(invert(x))", "x"},
      {"bit_and_self", "bitwiseAnd(x, x)", "x"},
      {"bit_or_self", "bitwiseOr(x, x)", "x"},
      {"bit_xor_self", "bitwiseXor(x, x)", "second(x, 0)"},
      {"bit_and_zero", "bitwiseAnd(x, 0)", "second(x, 0)"},
      {"bit_or_zero", "bitwiseOr(x, 0)", "x"},
      {"bit_xor_zero", "bitwiseXor(x, 0)", "x"},
      {"shift_left_zero", "leftShift(x, 0)", "x"},
      {"shift_right_zero", "rightShift(x, 0)", "x"},
  };
}

std::vector<Rule> choices() {
  return {
      {"abs_of_switch", "switch(lt(x, 0), -x, x)", "abs(x)", kZeroSign, isSigned("x")},
      {"neg_abs_of_switch", "switch(lt(x, 0), x, -x)", "-abs(x)", kZeroSign, isSigned("x")},
      {"switch_same", "switch(p, x, x)", "x", kShapeUnsafe},
      {"switch_true", "switch(1, x, y)", "x", kShapeUnsafe},
      {"switch_false", "switch(0, x, y)", "y", kShapeUnsafe},
      {.name = "useless_assert",
       .pattern = "assert(x, 1, message=m, kind=k)",
       .replacement = "x",
       .examples = {"assert(exp(x), 1, message=\"m\", kind=\"ValueError\")"}},
      {"if_else_same", "ifElse(p, x, x)", "x", kNoEffects, neverFails("p")},
      {"if_else_true", "ifElse(1, x, y)", "x"},
      {"if_else_false", "ifElse(0, x, y)", "y"},
      {"switch_not", "switch(logicalNot(p), x, y)", "switch(p, y, x)"},
      {"switch_again_true", "switch(p, switch(p, x, y), z)", "switch(p, x, z)", kShapeUnsafe},
      {"switch_again_false", "switch(p, x, switch(p, y, z))", "switch(p, x, z)", kShapeUnsafe},
      {"merge_switch_add", "switch(p, x, y) + switch(p, z, w)", "switch(p, x + z, y + w)"},
      {"merge_switch_mul", "switch(p, x, y) * switch(p, z, w)", "switch(p, x * z, y * w)"},
      {"merge_switch_sub", "switch(p, x, y) - switch(p, z, w)", "switch(p, x - z, y - w)"},
      {.name = "merge_switch_div",
       .pattern = "switch(p, x, y) / switch(p, z, w)",
       .replacement = "switch(p, x / z, y / w)",
       .cost = 4,
       .doc = "A division more, but quotients that other rules see."},
      {"merge_switch_maximum", "maximum(switch(p, x, y), switch(p, z, w))",
       "switch(p, maximum(x, z), maximum(y, w))"},
      {"merge_switch_minimum", "minimum(switch(p, x, y), switch(p, z, w))",
       "switch(p, minimum(x, z), minimum(y, w))"},
      {.name = "mul_switch_zero",
       .pattern = "switch(p, 0, x) * y",
       .replacement = "switch(p, 0, x * y)",
       .effects = kNanInf | kZeroSign,
       .when = floating("x"),
       .doc = "0, where y is NaN or infinite and p holds. Gradients of switch are such products."},
      {"mul_switch_else_zero", "switch(p, x, 0) * y", "switch(p, x * y, 0)", kNanInf | kZeroSign,
       floating("x")},
      {"second_second", "second(second(x, y), z)", "second(x, z)", kShapeUnsafe,
       Condition([](const Match &m) { return m["y"].rank() == 0; }, "y is a scalar")},
      {"identity", "identity(x)", "x"},
      {"zero_grad", "zeroGrad(x)", "x"},
      {"disconnected_grad", "disconnectedGrad(x)", "x"},
      {"undefined_grad", "undefinedGrad(x)", "x"},
      {.name = "grad_clip",
       .pattern = "gradClip(x, low=a, high=b)",
       .replacement = "x",
       .examples = {"gradClip(x, low=-1.0, high=1.0)"}},
      {.name = "grad_scale",
       .pattern = "gradScale(x, factor=a)",
       .replacement = "x",
       .examples = {"gradScale(x, factor=0.5)"}},
  };
}

std::vector<Rule> roundings() {
  return {
      {"floor_floor", "floor(floor(x))", "floor(x)"},
      {"ceil_ceil", "ceil(ceil(x))", "ceil(x)"},
      {"trunc_trunc", "trunc(trunc(x))", "trunc(x)"},
      {"round_round", "roundHalfToEven(roundHalfToEven(x))", "roundHalfToEven(x)"},
      {"floor_ceil", "floor(ceil(x))", "ceil(x)"},
      {"ceil_floor", "ceil(floor(x))", "floor(x)"},
      {"trunc_floor", "trunc(floor(x))", "floor(x)"},
      {"trunc_ceil", "trunc(ceil(x))", "ceil(x)"},
      {"cast_to_own", "cast(x, dtype=t)", "x", kNoEffects,
       Condition([](const Match &m) { return std::get<DType>(m.attribute("t")) == m["x"].dtype(); },
                 "x has dtype t")},
      {"cast_cast", "cast(cast(x, dtype=s), dtype=t)", "cast(x, dtype=t)", kNoEffects,
       Condition(detourIsIdle, "dtype s has all values of x's")},
  };
}

} // namespace

static std::vector<std::string> tags(std::string own) {
  return {"canonicalize", std::move(own), "fast_run", "fast_compile"};
}

RuleFamily comparisonRules() {
  return {"Comparisons, minima and maxima", tags("comparisons"), kCanonicalize, comparisons()};
}
RuleFamily logicRules() { return {"Logic and bits", tags("logic"), kCanonicalize, logic()}; }
RuleFamily choiceRules() { return {"Choices", tags("choices"), kCanonicalize, choices()}; }
RuleFamily roundingRules() {
  return {"Rounding and casts", tags("casts"), kCanonicalize, roundings()};
}

} // namespace graphc
