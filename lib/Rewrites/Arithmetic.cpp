//===- Rewrites/Arithmetic.cpp - sums, products, powers -------------------===//
//
// Floats keep their operands' order of additions: grouping terms anew may lose digits to
// cancellation, so rules that do it are for integers, whose arithmetic wraps and is exact.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
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

/// -c
Term negated(const Match &m) {
  const Tensor &c = m.data("c");
  if (!isFloat(c.dtype()) || c.numElements() != 1)
    return {};
  return Variable(constant(Tensor(-c.cast(DType::Float64).item<double>()).cast(c.dtype())));
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

/// 1 / k rounded, where that is a normal number.
Term roundedReciprocal(const Match &m) {
  const Tensor &k = m.data("k");
  if (!isFloat(k.dtype()) || k.numElements() != 1)
    return {};
  double value = k.cast(DType::Float64).item<double>();
  double limit = k.dtype() == DType::Float16 ? 1e4 : k.dtype() == DType::Float64 ? 1e300 : 1e37;
  if (!(std::abs(value) < limit && std::abs(value) > 1 / limit))
    return {};
  return Variable(constant(Tensor(1 / value).cast(k.dtype())));
}

/// Whether all elements of c are zeros of this sign.
Condition zeros(bool negative) {
  return {[negative](const Match &m) {
            const Tensor &c = m.data("c");
            if (!isFloat(c.dtype()) || c.numElements() > 1024)
              return false;
            Tensor doubles = c.cast(DType::Float64).contiguous();
            return doubles.defined() && std::ranges::all_of(doubles.flat<double>(), [&](double v) {
                     return v == 0 && std::signbit(v) == negative;
                   });
          },
          negative ? "c is -0.0" : "c is 0.0"};
}

/// The exponent that a name stands for, if it is a whole number from `least` to `most`.
std::optional<int> wholePower(const Match &m, std::string_view name, int least, int most) {
  const Tensor &c = m.data(name);
  if (c.numElements() != 1 || isBool(c.dtype()))
    return std::nullopt;
  double value = c.cast(DType::Float64).item<double>();
  if (!(value >= least && value <= most) || value != std::floor(value))
    return std::nullopt;
  return int(value);
}

Condition wholePowers() {
  return {[](const Match &m) { return wholePower(m, "c", 1, 50) && wholePower(m, "d", 1, 50); },
          "c and d are whole, from 1 to 50"};
}

/// x ** k by repeated squares.
Rule squares(std::string name, int least, int most, Effects effects, Condition when,
             std::string doc, std::vector<std::string> examples) {
  auto build = [=](const Match &m) -> Variables {
    std::optional<int> power = wholePower(m, "k", least, most);
    Variable base = m["x"], result;
    if (!power || base.dtype() != m.root().output(0).dtype())
      return {};
    for (int rest = *power; rest > 0; rest /= 2) {
      if (rest % 2)
        result = result.ok() ? make(m, "mul", {result, base}) : base;
      if (rest > 1)
        base = make(m, "sqr", {base});
    }
    return {result};
  };
  std::string text = "k is whole, from " + std::to_string(least) + " to " + std::to_string(most);
  return {.name = std::move(name),
          .pattern = "x ** k",
          .replacement = "squares of x and products of them",
          .effects = effects,
          .when = {std::move(when.holds), when.text + " and " + text},
          .cost = -8,
          .build = build,
          .doc = std::move(doc),
          .examples = std::move(examples)};
}

std::vector<Rule> sums() {
  return {
      {"add_zero_integer", "x + 0", "x", kNoEffects, integer("x")},
      {"add_zero", "x + 0", "x", kZeroSign, floating("x")},
      {"sub_zero_integer", "x - 0", "x", kNoEffects, integer("x")},
      {"sub_zero", "x - 0", "x", kZeroSign, floating("x")},
      {.name = "sub_positive_zero",
       .pattern = "x - c",
       .replacement = "x",
       .when = zeros(false),
       .examples = {"x - 0"}},
      {.name = "add_negative_zero",
       .pattern = "x + c",
       .replacement = "x",
       .when = zeros(true),
       .examples = {"x + -0.0"}},
      {"add_one_term", "add(x)", "x"},
      {"zero_sub", "0 - x", "-x", kZeroSign},
      {"sub_self", "x - x", "second(x, 0)", kNoEffects, integer("x")},
      {"sub_self_float", "x - x", "second(x, 0)", kInexact | kNanInf, floating("x")},
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
      {"distribute_float", "x * c + y * c", "(x + y) * c",
       kInexact | kRounding | kZeroSign | kNanInf | kOverflow, floating("x") && floating("y")},
      {"distribute_difference_float", "x * c - y * c", "(x - y) * c",
       kInexact | kRounding | kZeroSign | kNanInf | kOverflow, floating("x") && floating("y")},
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
      {"int_div_one_float", "intDiv(x, 1)", "floor(x)", kNanInf | kZeroSign, floating("x")},
      {"zero_int_div", "intDiv(0, x)", "second(x, 0)", kNoEffects, integer("x")},
      {"zero_mod", "mod(0, x)", "second(x, 0)", kNoEffects, integer("x")},
      {"mul_one_factor", "mul(x)", "x"},
      {"mod_one", "mod(x, 1)", "second(x, 0)", kNoEffects, integer("x")},
      {"div_self", "x / x", "second(x, 1)", kInexact | kNanInf, floating("x")},
      {"zero_div", "0 / x", "second(x, 0)", kInexact | kNanInf | kZeroSign, floating("x")},
      {"one_div", "1 / x", "reciprocal(x)", kNoEffects, floating("x")},
      {"mul_minus_one", "x * -1", "-x", kNoEffects, isSigned("x")},
      {"div_minus_one", "x / -1", "-x", kNoEffects, floating("x")},
      {"neg_mul_neg", "(-x) * (-y)", "x * y", kNoEffects, notBool("x")},
      {"neg_div_neg", "(-x) / (-y)", "x / y", kNoEffects, floating("x")},
      {"neg_mul", "(-x) * y", "-(x * y)", kNoEffects, isSigned("y")},
      {.name = "neg_mul_constant",
       .pattern = "(-x) * c",
       .replacement = "x * t",
       .when = floating("x"),
       .terms = {{"t", negated}},
       .doc = "t is -c.",
       .examples = {"(-x) * 3"}},
      {"neg_div", "(-x) / y", "-(x / y)", kNoEffects, floating("x")},
      {"div_neg", "x / (-y)", "-(x / y)", kNoEffects, floating("y")},
      {.name = "div_to_mul",
       .pattern = "x / k",
       .replacement = "x * t",
       .when = {[](const Match &m) { return isFloat(m["x"].dtype()); }, "k is a power of two"},
       .terms = {{"t", exactReciprocal}},
       .doc = "Exact: 1 / k is a normal number without rounding.",
       .examples = {"x / 2", "x / -0.25"}},
      {.name = "div_to_mul_rounded",
       .pattern = "x / k",
       .replacement = "x * t",
       .effects = kInexact | kRounding | kOverflow,
       .when = {[](const Match &m) { return isFloat(m["x"].dtype()); }, "1 / k is normal"},
       .terms = {{"t", roundedReciprocal}},
       .doc = "Off by up to 1 ULP, where a division is correctly rounded.",
       .examples = {"x / 3", "x / -0.3"}},
      {"mul_constants_integer", "(x * c) * d", "x * (c * d)", kNoEffects, integer("x")},
      {"mul_constants", "(x * c) * d", "x * (c * d)", kRounding | kOverflow,
       Condition(productIsNormal, "c * d is a normal number")},
      {"reciprocal_reciprocal", "reciprocal(reciprocal(x))", "x", kRounding | kOverflow},
      {"mul_reciprocal", "x * reciprocal(y)", "x / y", kRounding | kOverflow, floating("x")},
      {"div_reciprocal", "x / reciprocal(y)", "x * y", kRounding | kOverflow, floating("x")},
      {"mul_div", "(x * y) / y", "x", kInexact | kRounding | kOverflow | kShapeUnsafe,
       floating("x")},
      {"div_mul", "(x / y) * y", "x", kInexact | kRounding | kOverflow | kShapeUnsafe,
       floating("x")},
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
      {"one_pow", "1 ** x", "second(x, 1)"},
      squares("pow_to_squares_integer", 5, 512, kNoEffects, integer("x"), "Integers wrap.",
              {"x ** 5", "x ** 100"}),
      squares("pow_to_squares", 5, 16, kRounding | kOverflow, floating("x"),
              "Each square doubles the error before it and rounds: below k / 2 ULP.",
              {"x ** 5", "x ** 14"}),
      squares("pow_to_many_squares", 17, 512, kInexact | kRounding | kOverflow, floating("x"),
              "Below k / 2 ULP.", {"x ** 17", "x ** 100"}),
      {"mul_powers_whole", "(x ** c) * (x ** d)", "x ** (c + d)", kRounding | kOverflow,
       wholePowers()},
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
       .cost = 2,
       .doc = "NaN for negative x stays. x itself is more accurate."},
      {"abs_abs", "abs(abs(x))", "abs(x)"},
      {"abs_neg", "abs(-x)", "abs(x)", kNoEffects, isSigned("x")},
      {"abs_sqr", "abs(sqr(x))", "sqr(x)", kNoEffects, floating("x")},
      {"abs_exp", "abs(exp(x))", "exp(x)"},
      {"abs_sqrt", "abs(sqrt(x))", "sqrt(x)", kZeroSign},
      {"abs_sigmoid", "abs(sigmoid(x))", "sigmoid(x)"},
      {"mul_abs", "abs(x) * abs(y)", "abs(x * y)", kNoEffects, floating("x") && floating("y")},
      {"div_abs", "abs(x) / abs(y)", "abs(x / y)", kNoEffects, floating("x") && floating("y")},
      {"sgn_scaled", "sgn(x * c)", "sgn(x) * sgn(c)", kZeroSign | kOverflow | kNanInf,
       floating("x") && isFiniteNumber("c")},
      {"sgn_quotient", "sgn(x / c)", "sgn(x) * sgn(c)", kZeroSign | kOverflow | kNanInf,
       floating("x") && isFiniteNumber("c")},
      {"sgn_sgn", "sgn(sgn(x))", "sgn(x)"},
      {"sgn_neg", "sgn(-x)", "-sgn(x)", kZeroSign, floating("x")},
      {"rsqrt", "reciprocal(sqrt(x))", "rsqrt(x)", kRounding},
      {"one_div_sqrt", "1 / sqrt(x)", "rsqrt(x)", kRounding, floating("x")},
  };
}

} // namespace

RuleFamily sumRules() {
  return {"Sums", {"canonicalize", "sums", "fast_run", "fast_compile"}, kCanonicalize, sums()};
}
RuleFamily productRules() {
  return {"Products",
          {"canonicalize", "products", "fast_run", "fast_compile"},
          kCanonicalize,
          products()};
}
RuleFamily powerRules() {
  return {"Powers and absolute values",
          {"specialize", "powers", "fast_run", "fast_compile"},
          kSpecialize,
          powers()};
}

} // namespace graphc
