//===- Rewrites/Stable.cpp - formulas that keep their accuracy ------------===//
//
// Each replacement is at least as accurate as its pattern wherever that is finite, and finite in
// more places. exp, log and erf: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
// section 1.14; softplus and log1mexp: Maechler, Accurately computing log(1 - exp(-|a|)), 2012.
//
//===----------------------------------------------------------------------===//
#include "Catalogue.h"
#include "Guards.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr Effects kStable = kRounding | kOverflow | kZeroSign;

/// Whether a reduction of x over the axes p, kept if q, is broadcast to x along those axes again:
/// where they are not kept, they must be the first ones.
bool comesBack(const Match &m) {
  std::vector<int64_t> axes = axesOf(m.attribute("p"), m["x"].rank());
  const bool *keeps = std::get_if<bool>(&m.attribute("q"));
  bool areFirst = !axes.empty() && axes.back() == int64_t(axes.size()) - 1;
  return !axes.empty() && ((keeps && *keeps) || areFirst);
}

Condition comesBackToX() {
  return {comesBack, "the axes p are kept (q) or the first ones (none: all)"};
}

/// A sigmoid whose value is wanted besides costs a second one.
Condition solelyOfSigmoid() {
  return {[](const Match &m) {
            for (const Variable &input : m.root().inputs())
              if (input.hasOwner() && input.owner().op().name() == "sigmoid" &&
                  m.graph().numClients(input) > 1)
                return false;
            return true;
          },
          "sigmoid(x) has no other use"};
}

bool isPositive(const Match &m) {
  const Tensor &c = m.data("c");
  return c.numElements() == 1 && c.cast(DType::Float64).item<double>() > 0;
}

/// log(exp(a) + exp(b) + ...): the operands of all exps below a chain of additions without other
/// use, from left to right.
Variables logAddExps(const Match &m) {
  constexpr size_t kMostTerms = 1000;
  const Apply &root = m.root();
  Variables pending = {root.input(0)}, terms;
  while (!pending.empty()) {
    Variable v = pending.back();
    pending.pop_back();
    if (!v.hasOwner() || v.dtype() != root.output(0).dtype())
      return {};
    Apply node = v.owner();
    if (node.op().name() == "exp") {
      if (node.input(0).dtype() != v.dtype())
        return {};
      terms.push_back(node.input(0));
      continue;
    }
    if (node.op().name() != "add" || m.graph().numClients(v) != 1 ||
        terms.size() + pending.size() > kMostTerms)
      return {};
    m.alsoReplaces(node);
    for (int i = node.numInputs(); i-- > 0;)
      pending.push_back(node.input(i));
  }
  if (terms.size() < 4) // the rows of two and three
    return {};
  Variable all = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    all = make(m, "logaddexp", {all, terms[i]});
  return {all};
}

std::vector<Rule> logarithms() {
  return {
      {"log1p", "log(1 + x)", "log1p(x)", kStable, floating("x")},
      {"log1p_neg", "log(1 - x)", "log1p(-x)", kStable, floating("x")},
      {"log1p_of_sub", "log1p(x - 1)", "log(x)", kStable, floating("x")},
      {"softplus", "log1p(exp(x))", "softplus(x)", kStable},
      {"log1mexp", "log1p(-exp(x))", "log1mexp(x)", kStable},
      {"log1mexp_of_sub", "log(1 - exp(x))", "log1mexp(x)", kStable},
      {"logaddexp", "log(exp(x) + exp(y))", "logaddexp(x, y)", kStable | kNanInf,
       floating("x") && floating("y")},
      {"logaddexp_of_three", "log(exp(x) + exp(y) + exp(z))", "logaddexp(logaddexp(x, y), z)",
       kStable | kNanInf, floating("x") && floating("y") && floating("z")},
      {.name = "logaddexp_of_many",
       .pattern = "log(x + y)",
       .replacement =
           "logaddexp(logaddexp(logaddexp(a, b), c), ...) where x + y is exp(a) + exp(b) + "
           "exp(c) + ...",
       .effects = kStable | kNanInf,
       .when = floating("x"),
       .cost = -36,
       .build = logAddExps,
       .doc = "Four terms (of which the cost is) to a thousand, whose sums have no other use.",
       .examples = {"log(exp(x) + exp(y) + exp(z) + exp(w))",
                    "log(exp(x) + (exp(y) + exp(z)) + (exp(w) + exp(x)))"}},
      {"logaddexp_one", "logaddexp(x, 0)", "softplus(x)", kStable | kNanInf, floating("x")},
      {.name = "logsumexp",
       .pattern = "log(sum(exp(x), axes=p, keepDims=q))",
       .replacement = "logsumexp(x, axes=p, keepDims=q)",
       .effects = kStable | kNanInf,
       .when = floating("x"),
       .cost = 19.5,
       .doc = "A maximum more, and no overflow."},
      {"log_exp", "log(exp(x))", "x", kStable, floating("x")},
      {"log_sqrt", "log(sqrt(x))", "log(x) * 0.5", kStable, floating("x")},
      {"log_div", "log(x / c)", "log(x) - log(c)", kInexact | kStable | kNanInf,
       floating("x") && Condition(isPositive, "c is positive")},
      {"log_reciprocal", "log(reciprocal(x))", "-log(x)", kStable | kNanInf, floating("x")},
      {"log_sigmoid", "log(sigmoid(x))", "-softplus(-x)", kStable, floating("x")},
      {"log_one_minus_sigmoid", "log1p(-sigmoid(x))", "-softplus(x)", kStable, floating("x")},
      {"log_softmax", "log(softmax(x, axes=p))", "logSoftmax(x, axes=p)", kStable, floating("x")},
      {"log_softmax_of_sub", "x - logsumexp(x, axes=p, keepDims=q)", "logSoftmax(x, axes=p)",
       kStable | kNanInf, floating("x") && comesBackToX()},
      {"logit_of_sub", "log(x / (1 - x))", "logit(x)", kStable, floating("x")},
      {"logit_sigmoid", "logit(sigmoid(x))", "x", kStable, floating("x")},
      {"sigmoid_logit", "sigmoid(logit(x))", "x", kInexact | kStable, floating("x")},
      {"exp_log_softmax", "exp(logSoftmax(x, axes=p))", "softmax(x, axes=p)", kStable,
       floating("x")},
      {.name = "exp_log",
       .pattern = "exp(log(x))",
       .replacement = "switch(ge(x, 0), abs(x), log(x))",
       .effects = kStable,
       .when = floating("x"),
       .doc = "NaN for negative x stays."},
      {"expm1_log1p", "expm1(log1p(x))", "x", kInexact | kStable, floating("x")},
      {"log1p_expm1", "log1p(expm1(x))", "x", kStable, floating("x")},
      {"exp2_log2", "log2(exp2(x))", "x", kStable, floating("x")},
  };
}

std::vector<Rule> exponentials() {
  return {
      {"expm1", "exp(x) - 1", "expm1(x)", kStable, floating("x")},
      {"expm1_neg", "1 - exp(x)", "-expm1(x)", kStable, floating("x")},
      {"expm1_plus_one", "expm1(x) + 1", "exp(x)", kStable, floating("x")},
      {"mul_exp", "exp(x) * exp(y)", "exp(x + y)", kInexact | kStable | kNanInf,
       floating("x") && floating("y")},
      {"div_exp", "exp(x) / exp(y)", "exp(x - y)", kInexact | kStable | kNanInf,
       floating("x") && floating("y")},
      {"reciprocal_exp", "reciprocal(exp(x))", "exp(-x)", kStable, floating("x")},
      {"sqr_exp", "sqr(exp(x))", "exp(x * 2)", kStable, floating("x")},
      {"sqrt_exp", "sqrt(exp(x))", "exp(x * 0.5)", kStable, floating("x")},
      {"sigmoid_of_ratio", "exp(x) / (1 + exp(x))", "sigmoid(x)", kStable | kNanInf, floating("x")},
      {"sigmoid_of_reciprocal", "reciprocal(1 + exp(-x))", "sigmoid(x)", kStable, floating("x")},
      {"sigmoid_neg_of_reciprocal", "reciprocal(1 + exp(x))", "sigmoid(-x)", kStable,
       floating("x")},
      {"sigmoid_of_div", "1 / (1 + exp(-x))", "sigmoid(x)", kStable, floating("x")},
      {"one_minus_sigmoid", "1 - sigmoid(x)", "sigmoid(-x)", kStable,
       floating("x") && solelyOfSigmoid()},
      {"sigmoid_times_exp", "sigmoid(x) * exp(-x)", "sigmoid(-x)", kStable | kNanInf,
       floating("x")},
      {"odds", "sigmoid(x) / sigmoid(-x)", "exp(x)", kStable | kNanInf, floating("x")},
      {"odds_of_sub", "sigmoid(x) / (1 - sigmoid(x))", "exp(x)", kStable | kNanInf, floating("x")},
      {"silu", "x * sigmoid(x)", "silu(x)", kStable | kNanInf, floating("x")},
      {"softmax_of_ratio", "exp(x) / sum(exp(x), axes=p, keepDims=q)", "softmax(x, axes=p)",
       kStable | kNanInf, floating("x") && comesBackToX()},
      {.name = "div_exp_to_mul",
       .pattern = "x / exp(y)",
       .replacement = "x * exp(-y)",
       .effects = kInexact | kStable | kNanInf,
       .when = floating("x") && floating("y"),
       .doc = "exp(-y) overflows where exp(y) is subnormal."},
      {"tanh_of_ratio", "sinh(x) / cosh(x)", "tanh(x)", kStable | kNanInf, floating("x")},
      {"tan_of_ratio", "sin(x) / cos(x)", "tan(x)", kStable, floating("x")},
      {"tanh_of_sigmoid", "sigmoid(x * 2) * 2 - 1", "tanh(x)", kStable, floating("x")},
      {"pythagoras", "sqr(sin(x)) + sqr(cos(x))", "second(x, 1)", kStable | kNanInf, floating("x")},
  };
}

/// log(erfc(x)) is -x^2 - log(x sqrt(pi)) + log(1 - r (1 - 3 r (1 - 5 r (...)))) for r = 1 / (2
/// x^2) and large x, an alternating series that errs by less than its next term.
Variables logErfc(const Match &m) {
  const Variable &x = m["x"];
  bool isWide = x.dtype() == DType::Float64;
  if (!isWide && x.dtype() != DType::Float32)
    return {};
  double from = isWide ? 10 : 8;
  // What this rule made.
  if (x.hasOwner() && x.owner().op().name() == "minimum")
    for (const Variable &v : x.owner().inputs())
      if (std::optional<Constant> c = Constant::from(v))
        if (c->data().numElements() == 1 && c->data().cast(DType::Float64).item<double>() <= from)
          return {};
  auto number = [&](double value) { return Variable(constant(Tensor(value).cast(x.dtype()))); };
  Variable least = number(from), near = make(m, "minimum", {x, least}),
           far = make(m, "maximum", {x, least}), square = make(m, "sqr", {far});
  Variable r = make(m, "trueDiv", {number(0.5), square}), series = number(1);
  for (int k = 15; k >= 1; k -= 2)
    series = make(m, "sub", {number(1), make(m, "mul", {make(m, "mul", {r, number(k)}), series})});
  Variable asymptotic =
      make(m, "sub",
           {make(m, "log", {series}),
            make(m, "add",
                 {square, make(m, "log", {make(m, "mul", {far, number(1.7724538509055160)})})})});
  Variable direct = make(m, "log", {make(m, "erfc", {near})});
  return {make(m, "switch", {make(m, "lt", {x, least}), direct, asymptotic})};
}

std::vector<Rule> errorFunctions() {
  return {
      {"one_minus_erf", "1 - erf(x)", "erfc(x)", kStable, floating("x")},
      {"erf_minus_one", "erf(x) - 1", "-erfc(x)", kStable, floating("x")},
      {"one_minus_erfc", "1 - erfc(x)", "erf(x)", kStable, floating("x")},
      {"erfc_minus_one", "erfc(x) - 1", "-erf(x)", kStable, floating("x")},
      {"one_plus_erf", "1 + erf(x)", "erfc(-x)", kStable, floating("x")},
      {.name = "log_erfc",
       .pattern = "log(erfc(x))",
       .replacement = "switch(lt(x, t), log(erfc(minimum(x, t))), asymptotic series)",
       .effects = kStable | kNanInf,
       .cost = 68,
       .build = logErfc,
       .doc = "x is float32 or float64; erfc underflows at 10 and 27. The series is that of "
              "Abramowitz "
              "and Stegun 7.1.23 with 9 terms, from t = 8 and 10 on: off by less than 8 ULP."},
      {"gelu", "x * 0.5 * erfc(x * -0.7071067811865476)", "gelu(x)", kStable | kNanInf,
       floating("x")},
      {"gelu_of_quotient", "x * 0.5 * erfc(-(x / 1.4142135623730951))", "gelu(x)",
       kStable | kNanInf, floating("x")},
      {"ndtr", "0.5 * erfc(x * -0.7071067811865476)", "ndtr(x)", kStable, floating("x")},
      {"ndtr_of_quotient", "0.5 * erfc(-(x / 1.4142135623730951))", "ndtr(x)", kStable,
       floating("x")},
      {"ndtr_complement", "0.5 * erfc(x * 0.7071067811865476)", "ndtr(-x)", kStable, floating("x")},
      {"ndtr_complement_of_quotient", "0.5 * erfc(x / 1.4142135623730951)", "ndtr(-x)", kStable,
       floating("x")},
      {"gelu_of_ndtr", "x * ndtr(x)", "gelu(x)", kStable | kNanInf, floating("x")},
  };
}

/// f(-x) = -f(x), or f(x).
std::vector<Rule> parities() {
  std::vector<Rule> rules;
  for (const char *odd :
       {"sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "erf", "cbrt"}) {
    std::string f = odd;
    rules.push_back({f + "_neg", f + "(-x)", "-" + f + "(x)", kNoEffects, floating("x")});
  }
  for (const char *even : {"cos", "cosh"}) {
    std::string f = even;
    rules.push_back({f + "_neg", f + "(-x)", f + "(x)", kNoEffects, floating("x")});
    rules.push_back({f + "_abs", f + "(abs(x))", f + "(x)", kNoEffects, floating("x")});
  }
  return rules;
}

std::vector<std::string> tags(std::string own) {
  return {"stabilize", std::move(own), "fast_run", "fast_compile"};
}

} // namespace

RuleFamily logarithmRules() { return {"Logarithms", tags("logarithms"), kStabilize, logarithms()}; }
RuleFamily exponentialRules() {
  return {"Exponentials", tags("exponentials"), kStabilize, exponentials()};
}
RuleFamily errorFunctionRules() {
  return {"Error functions", tags("error_functions"), kStabilize, errorFunctions()};
}
RuleFamily parityRules() {
  return {
      "Even and odd functions", {"canonicalize", "parity", "fast_run"}, kCanonicalize, parities()};
}

} // namespace graphc
