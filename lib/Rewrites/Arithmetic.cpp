//===- Rewrites/Arithmetic.cpp - sums, products, powers -------------------===//
//
// Floats keep their operands' order of additions: grouping terms anew may lose digits to
// cancellation, so rules that do it are for integers, whose arithmetic wraps and is exact.
//
//===----------------------------------------------------------------------===//
#include <cmath>

#include "Catalogue.h"
#include "Guards.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// 1 / k where k is a power of two, positive or negative, and the quotient is neither subnormal nor
/// inf: then x / k and x * (1 / k) are the same number for every x.
Term exactReciprocal(const Match &m) {
  const Tensor &k = m.data("k");
  if (!isFloat(k.dtype()) || k.numElements() != 1)
    return {};
  int exponent = 0;
  double value = k.cast(DType::Float64).item<double>();
  double limit = k.dtype() == DType::Float16 ? 14 : k.dtype() == DType::Float64 ? 1000 : 120;
  if (std::abs(std::frexp(value, &exponent)) != 0.5 || std::abs(exponent) > limit)
    return {};
  return Variable(constant(Tensor(1 / value).cast(k.dtype())));
}

/// Whether c * d is neither subnormal, nor infinite, nor 0, so that x * (c * d) is as accurate as
/// (x * c) * d.
bool productIsNormal(const Match &m) {
  const Tensor &c = m.data("c"), &d = m.data("d");
  if (!isFloat(c.dtype()) || c.dtype() != d.dtype() || c.numElements() != 1 || d.numElements() != 1)
    return false;
  double product = c.cast(DType::Float64).item<double>() * d.cast(DType::Float64).item<double>();
  double limit = c.dtype() == DType::Float16 ? 1e4 : c.dtype() == DType::Float64 ? 1e300 : 1e37;
  return std::abs(product) < limit && std::abs(product) > 1 / limit;
}

std::vector<Rule> sums() {
  return {
      {"add_zero_integer", "x + 0", "x", kNoEffects, integer("x")},
      {"add_zero", "x + 0", "x", kZeroSign, floating("x")},
      {"sub_zero_integer", "x - 0", "x", kNoEffects, integer("x")},
      {"sub_zero", "x - 0", "x", kZeroSign, floating("x")},
      {"zero_sub", "0 - x", "-x", kZeroSign},
      {"sub_self", "x - x", "second(x, 0)", kNoEffects, integer("x")},
      {"add_self", "x + x", "x * 2", kNoEffects, notBool("x")},
      {"neg_neg", "-(-x)", "x"},
      {"sub_neg", "x - (-y)", "x + y", kNoEffects, notBool("x")},
      {"add_neg", "x + (-y)", "x - y", kNoEffects, notBool("x")},
      {"neg_sub", "-(x - y)", "y - x", kZeroSign},
      {"add_sub_integer", "(x + y) - x", "y", kShapeUnsafe, integer("x")},
      {"sub_add_integer", "(x - y) + y", "x", kShapeUnsafe, integer("x")},
      {"sub_sub_integer", "x - (x - y)", "y", kShapeUnsafe, integer("x")},
      {"sub_of_sum_integer", "x - (x + y)", "-y", kShapeUnsafe, integer("x")},
      {"add_constants", "(x + c) + d", "x + (c + d)", kNoEffects, integer("x")},
      {"sub_add_constants", "(x - c) + d", "x + (d - c)", kNoEffects, integer("x")},
      {"sub_constants", "(x - c) - d", "x - (c + d)", kNoEffects, integer("x")},
      {"distribute_constants", "x * c + x * d", "x * (c + d)", kNoEffects, integer("x")},
      {"distribute_constants_float", "x * c + x * d", "x * (c + d)",
       kInexact | kRounding | kZeroSign | kNanInf, floating("x")},
      {"factor_out", "x * y + x * z", "x * (y + z)", kNoEffects, integer("x") && integer("y")},
      {"factor_out_difference", "x * y - x * z", "x * (y - z)", kNoEffects,
       integer("x") && integer("y")},
  };
}

std::vector<Rule> products() {
  return {
      {"mul_one", "x * 1", "x"},
      {"mul_zero", "x * 0", "second(x, 0)", kNoEffects, integer("x")},
      {"mul_zero_float", "x * 0", "second(x, 0)", kInexact | kNanInf | kZeroSign, floating("x")},
      {"div_one", "x / 1", "x"},
      {"int_div_one", "intDiv(x, 1)", "x", kNoEffects, integer("x")},
      {"mod_one", "mod(x, 1)", "second(x, 0)", kNoEffects, integer("x")},
      {"div_self", "x / x", "second(x, 1)", kInexact | kNanInf, floating("x")},
      {"zero_div", "0 / x", "second(x, 0)", kInexact | kNanInf | kZeroSign, floating("x")},
      {"one_div", "1 / x", "reciprocal(x)", kNoEffects, floating("x")},
      {"mul_minus_one", "x * -1", "-x", kNoEffects, isSigned("x")},
      {"div_minus_one", "x / -1", "-x", kNoEffects, floating("x")},
      {"neg_mul_neg", "(-x) * (-y)", "x * y", kNoEffects, notBool("x")},
      {"neg_div_neg", "(-x) / (-y)", "x / y", kNoEffects, floating("x")},
      {"neg_mul", "(-x) * y", "-(x * y)", kNoEffects, isSigned("y")},
      {"neg_div", "(-x) / y", "-(x / y)", kNoEffects, floating("x")},
      {"div_neg", "x / (-y)", "-(x / y)", kNoEffects, floating("y")},
      {.name = "div_to_mul",
       .pattern = "x / k",
       .replacement = "x * t",
       .when = {[](const Match &m) { return isFloat(m["x"].dtype()); }, "k is a power of two"},
       .terms = {{"t", exactReciprocal}},
       .doc = "Exact: 1 / k is a normal number without rounding.",
       .examples = {"x / 2", "x / -0.25"}},
      {"mul_constants_integer", "(x * c) * d", "x * (c * d)", kNoEffects, integer("x")},
      {"mul_constants", "(x * c) * d", "x * (c * d)", kRounding | kOverflow,
       Condition(productIsNormal, "c * d is a normal number")},
      {"reciprocal_reciprocal", "reciprocal(reciprocal(x))", "x", kRounding | kOverflow},
      {"mul_reciprocal", "x * reciprocal(y)", "x / y", kRounding | kOverflow, floating("x")},
      {"div_reciprocal", "x / reciprocal(y)", "x * y", kRounding | kOverflow, floating("x")},
      {"mul_div", "(x * y) / y", "x", kInexact | kRounding | kOverflow, floating("x")},
      {"div_mul", "(x / y) * y", "x", kInexact | kRounding | kOverflow, floating("x")},
      {"mul_self", "x * x", "sqr(x)"},
  };
}

std::vector<Rule> powers() {
  return {
      {"pow_one", "x ** 1", "x"},
      {"pow_zero", "x ** 0", "second(x, 1)"},
      {"pow_two", "x ** 2", "sqr(x)", kRounding},
      {"pow_minus_one", "x ** -1", "reciprocal(x)", kRounding, floating("x")},
      {"pow_minus_two", "x ** -2", "reciprocal(sqr(x))", kRounding | kOverflow, floating("x")},
      {"pow_half", "x ** 0.5", "sqrt(x)", kRounding | kZeroSign | kNanInf, floating("x")},
      {.name = "pow_minus_half",
       .pattern = "x ** -0.5",
       .replacement = "rsqrt(x)",
       .effects = kRounding | kNanInf | kOverflow,
       .when = floating("x"),
       .doc = "x = -0.0 gives -inf instead of inf."},
      {"pow_three", "x ** 3", "x * sqr(x)", kRounding | kOverflow},
      {"pow_four", "x ** 4", "sqr(sqr(x))", kRounding | kOverflow},
      {"one_pow", "1 ** x", "second(x, 1)", kNoEffects, floating("x")},
      {"mul_powers", "(x ** c) * (x ** d)", "x ** (c + d)", kInexact | kRounding | kOverflow,
       floating("x")},
      {"sqr_neg", "sqr(-x)", "sqr(x)"},
      {"sqr_abs", "sqr(abs(x))", "sqr(x)"},
      {"sqrt_sqr", "sqrt(sqr(x))", "abs(x)", kRounding | kOverflow, floating("x")},
      {.name = "sqr_sqrt",
       .pattern = "sqr(sqrt(x))",
       .replacement = "switch(ge(x, 0), abs(x), sqrt(x))",
       .effects = kRounding,
       .when = floating("x"),
       .doc = "NaN for negative x stays."},
      {"abs_abs", "abs(abs(x))", "abs(x)"},
      {"abs_neg", "abs(-x)", "abs(x)", kNoEffects, isSigned("x")},
      {"abs_sqr", "abs(sqr(x))", "sqr(x)", kNoEffects, floating("x")},
      {"abs_exp", "abs(exp(x))", "exp(x)"},
      {"abs_sqrt", "abs(sqrt(x))", "sqrt(x)", kZeroSign},
      {"abs_sigmoid", "abs(sigmoid(x))", "sigmoid(x)"},
      {"mul_abs", "abs(x) * abs(y)", "abs(x * y)", kNoEffects, floating("x") && floating("y")},
      {"sgn_sgn", "sgn(sgn(x))", "sgn(x)"},
      {"sgn_neg", "sgn(-x)", "-sgn(x)", kZeroSign, floating("x")},
      {"rsqrt", "reciprocal(sqrt(x))", "rsqrt(x)", kRounding},
      {"one_div_sqrt", "1 / sqrt(x)", "rsqrt(x)", kRounding, floating("x")},
  };
}

} // namespace

RuleFamily sumRules() {
  return {"Sums", {"canonicalize", "fast_run", "fast_compile"}, kCanonicalize, sums()};
}
RuleFamily productRules() {
  return {"Products", {"canonicalize", "fast_run", "fast_compile"}, kCanonicalize, products()};
}
RuleFamily powerRules() {
  return {"Powers and absolute values", {"specialize", "fast_run"}, kSpecialize, powers()};
}

} // namespace graphc
