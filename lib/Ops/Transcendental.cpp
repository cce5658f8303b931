//===- Transcendental.cpp - exponentials, logarithms, trigonometry ---------===//
#include <numbers>

#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

/// One ScalarOp of floats.
OpDef function(std::string name, std::string doc, ScalarOp op, MaxUlp maxUlp, Partials partials,
               std::string example) {
  std::string family;
  for (char c : name)
    family += c >= 'A' && c <= 'Z' ? std::string("_") + char(c - 'A' + 'a') : std::string(1, c);
  std::vector<OperandSpec> operands = {{"x"}};
  if (numScalarOperands(op) == 2)
    operands.push_back({"y"});
  return withPartials({.name = std::move(name),
                       .doc = std::move(doc),
                       .operands = operands,
                       .type = elementwise(Result::Floating),
                       .emit = mapTo(op),
                       .maxUlp = maxUlp,
                       .golden = {family},
                       .section = section(kTranscendental),
                       .example = std::move(example)},
                      std::move(partials));
}

//===--- derivatives ------------------------------------------------------------===//

/// sqrt(1 - x * x): the product keeps its digits near 1.
Variable leg(const Point &p) { return sqrt((1.0 - p.x[0]) * (1.0 + p.x[0])); }

/// The distance of the point from the origin, by which one divides twice: its square overflows.
Variable radius(const Point &p) { return hypot(p.x[0], p.x[1]); }

/// 1 - y^2 as 4 e / (1 + e)^2 for e = exp(-2 |x|), which keeps its digits where y has come near 1.
/// The sign is that of a choice, whose derivative at 0 is that of one side: third ones need it.
Variable tanhSlope(const Point &p) {
  if (isComplex(p.y.dtype()))
    return sigmoid(p.x[0] * 2.0) * sigmoid(p.x[0] * -2.0) * 4.0;
  Variable e = exp(where(p.x[0] < 0.0, p.x[0], -p.x[0]) * 2.0);
  return e * 4.0 / sqr(e + 1.0);
}

/// y of xlogy or xlog1py; that of log 1 where x is 0 and there is no logarithm.
Variable ofLog(const Point &p, double pole) {
  Variable isNoLog = logicalAnd(eq(p.x[0], 0.0), p.x[1] <= pole);
  return where(isNoLog, pole + 1, p.x[1]);
}

/// (cos(pi x) - sinc(x)) / x, which cancels near 0; there -pi^2 x / 3 times the power series of
/// what is left. Its terms' quotients are -(pi x)^2 / (2 (k - 1) (2k + 1)): the first one that is
/// left out is below 1e-19 of the sum.
Variable sincSlope(const Point &p) {
  constexpr double kPi = std::numbers::pi, kNear = 0.1;
  constexpr int kTerms = 7;
  const Variable &x = p.x[0];
  Variable square = sqr(x * kPi), series = constant(Tensor(1.0).cast(x.dtype()));
  for (int k = kTerms; k > 1; --k)
    series = 1.0 - square * series / (2.0 * (k - 1) * (2 * k + 1));
  return where(abs(x) < kNear, x * series * (-kPi * kPi / 3), (cos(x * kPi) - p.y) / x);
}

//===--- ops --------------------------------------------------------------------===//

std::vector<OpDef> exponentials() {
  return {
      function("exp", "e to the power of x.\n-inf gives 0; results underflow gradually.",
               ScalarOp::Exp, {0.98, 1.02}, {[](const Point &p) { return p.y; }},
               "exp([0.0, 1.0]) = [1.0, 2.71828183]"),
      function("exp2", "2 to the power of x.", ScalarOp::Exp2, {0.92, 1.75},
               {[](const Point &p) { return p.y * std::numbers::ln2; }},
               "exp2([3.0, -1.0]) = [8.0, 0.5]"),
      function("expm1", "exp(x) - 1 without cancellation.\nTiny x and -0 stay.", ScalarOp::Expm1,
               {0.95, 1.4}, {[](const Point &p) { return exp(p.x[0]); }},
               "expm1(1e-10) = 1.00000000005e-10"),
      function("log", "Natural logarithm.\n0 gives -inf, x < 0 NaN.", ScalarOp::Log, {0.98, 1.02},
               {Partial::over([](const Point &p) { return p.x[0]; })},
               "log([1.0, 2.718281828459045]) = [0.0, 1.0]"),
      function("log2", "Logarithm to base 2.\n0 gives -inf, x < 0 NaN.", ScalarOp::Log2,
               {0.94, 1.05},
               {Partial::over([](const Point &p) { return p.x[0] * std::numbers::ln2; })},
               "log2([8.0, 0.5]) = [3.0, -1.0]"),
      function("log10", "Logarithm to base 10.\n0 gives -inf, x < 0 NaN.", ScalarOp::Log10,
               {0.9, 1},
               {Partial::over([](const Point &p) { return p.x[0] * std::numbers::ln10; })},
               "log10([1000.0, 0.1]) = [3.0, -1.0]"),
      function("log1p", "log(1 + x) without cancellation.\n-1 gives -inf, -0 stays.",
               ScalarOp::Log1p, {0.98, 1.02},
               {Partial::over([](const Point &p) { return p.x[0] + 1.0; })},
               "log1p(1e-10) = 9.9999999995e-11"),
      function("log1mexp",
               "log(1 - exp(x)) for x <= 0.\nThe formula changes at -log 2 (Maechler, \"Accurately "
               "computing log(1 - exp(-|a|))\", 2012). 0 gives -inf, x > 0 NaN.",
               ScalarOp::Log1mExp, {0.51, 2.15},
               {Partial::over([](const Point &p) { return -expm1(-p.x[0]); })},
               "log1mexp(-1.0) = -0.458675145"),
      function("logit",
               "log(x / (1 - x)).\nExact digits near the zero at 1/2. 0 gives -inf, 1 gives inf, "
               "outside NaN.",
               ScalarOp::Logit, {0.51, 3.3},
               {Partial::over([](const Point &p) { return p.x[0] * (1.0 - p.x[0]); })},
               "logit([0.5, 0.9]) = [0.0, 2.19722458]"),
      function("logaddexp",
               "log(exp(x) + exp(y)) without overflow: max(x, y) + log1p(exp(-abs(x - y))).\n"
               "Two -inf give -inf, an inf gives inf. Where the sum cancels, the error is in units "
               "of the "
               "larger operand.",
               ScalarOp::LogAddExp, {0.51, 2.3},
               {[](const Point &p) { return sigmoid(p.x[0] - p.x[1]); },
                [](const Point &p) { return sigmoid(p.x[1] - p.x[0]); }},
               "logaddexp(1000.0, 1000.0) = 1000.69314718"),
  };
}

/// A logarithm within 1.02 units, twice as many of the product's, and the product's rounding.
constexpr double kTimesLog = 2.55;

std::vector<OpDef> composed() {
  auto common = [](OpDef def, Partials partials) {
    def.type = elementwise(Result::Floating);
    def.section = section(kTranscendental);
    return withPartials(std::move(def), std::move(partials));
  };
  return {
      common({.name = "xlogy",
              .doc = "x * log(y), and 0 where x is 0, unless y is NaN.",
              .operands = {{"x"}, {"y"}},
              .emit = mapWith([](Emitter &e, const Scalars &s, const Attributes &) {
                Scalar zero = e.literal(s[0].dtype(), 0);
                return select(equalTo(s[0], 0.0) && !isNan(s[1]), zero, s[0] * log(s[1]));
              }),
              .maxUlp = {kTimesLog, kTimesLog},
              .golden = {"xlogy"},
              .example = "xlogy([0.0, 2.0], [0.0, 2.718281828459045]) = [0.0, 2.0]"},
             {[](const Point &p) { return log(ofLog(p, 0)); },
              [](const Point &p) { return p.x[0] / ofLog(p, 0); }}),
      common({.name = "xlog1py",
              .doc = "x * log1p(y), and 0 where x is 0, unless y is NaN.",
              .operands = {{"x"}, {"y"}},
              .emit = mapWith([](Emitter &e, const Scalars &s, const Attributes &) {
                Scalar zero = e.literal(s[0].dtype(), 0);
                return select(equalTo(s[0], 0.0) && !isNan(s[1]), zero, s[0] * log1p(s[1]));
              }),
              .maxUlp = {kTimesLog, kTimesLog},
              .golden = {"xlog1py"},
              .example = "xlog1py([0.0, 2.0], [-1.0, 1e-10]) = [0.0, 2e-10]"},
             {[](const Point &p) { return log1p(ofLog(p, -1)); },
              [](const Point &p) { return p.x[0] / (1.0 + ofLog(p, -1)); }}),
  };
}

/// Where |x| is above kTrigLimit of Lowering/Math/FormulasTrig.h, x86 has sinl, which rounds once.
constexpr const char *kReduction =
    "\nArguments are reduced exactly (1e300 is fine); inf gives NaN. In f64 the bound of the error "
    "holds for all arguments on x86, elsewhere up to 2^30: beyond, libm is called, whose bound it "
    "is.";

std::vector<OpDef> trigonometry() {
  return {
      function("sin", std::string("Sine.") + kReduction, ScalarOp::Sin, {0.9, 1},
               {[](const Point &p) { return cos(p.x[0]); }},
               "sin([0.0, 1.0]) = [0.0, 0.841470985]"),
      function("cos", std::string("Cosine.") + kReduction, ScalarOp::Cos, {0.9, 1},
               {[](const Point &p) { return -sin(p.x[0]); }},
               "cos([0.0, 1.0]) = [1.0, 0.540302306]"),
      function("tan", std::string("Tangent.") + kReduction, ScalarOp::Tan, {0.51, 2.55},
               {[](const Point &p) { return sqr(p.y) + 1.0; }}, "tan(1.0) = 1.55740772"),
      function("arcsin", "Inverse sine.\nNaN outside [-1, 1].", ScalarOp::ArcSin, {0.51, 2.2},
               {Partial::over(leg)}, "arcsin(1.0) = 1.57079633"),
      function("arccos", "Inverse cosine.\nNaN outside [-1, 1].", ScalarOp::ArcCos, {0.51, 1.55},
               {Partial::over([](const Point &p) { return -leg(p); })}, "arccos(0.5) = 1.04719755"),
      function("arctan", "Inverse tangent.", ScalarOp::ArcTan, {0.51, 2},
               {Partial::over([](const Point &p) { return sqr(p.x[0]) + 1.0; })},
               "arctan([1.0, -inf]) = [0.785398163, -1.57079633]"),
      function("arctan2",
               "The angle of the point (y, x), by IEEE's table of signs.\n"
               "The first operand is the ordinate.",
               ScalarOp::ArcTan2, {0.51, 2.2},
               {[](const Point &p) { return p.x[1] / radius(p) / radius(p); },
                [](const Point &p) { return -(p.x[0] / radius(p) / radius(p)); }},
               "arctan2([1.0, 0.0], [-1.0, -1.0]) = [2.35619449, 3.14159265]"),
      function("sinh", "Hyperbolic sine.", ScalarOp::Sinh, {0.51, 1.85},
               {[](const Point &p) { return cosh(p.x[0]); }}, "sinh(1.0) = 1.17520119"),
      function("cosh", "Hyperbolic cosine.", ScalarOp::Cosh, {0.51, 1.4},
               {[](const Point &p) { return sinh(p.x[0]); }}, "cosh(1.0) = 1.54308063"),
      function("tanh", "Hyperbolic tangent.\nReaches -1 and 1 exactly.", ScalarOp::Tanh,
               {0.85, 1.1}, {tanhSlope}, "tanh([0.5, 100.0]) = [0.462117157, 1.0]"),
      function("arcsinh", "Inverse hyperbolic sine.", ScalarOp::ArcSinh, {0.51, 1.85},
               {Partial::over([](const Point &p) { return hypot(p.x[0], 1.0); })},
               "arcsinh(1.0) = 0.881373587"),
      function("arccosh", "Inverse hyperbolic cosine.\nx < 1 gives NaN.", ScalarOp::ArcCosh,
               {0.51, 2.25}, {Partial::over([](const Point &p) {
                 return sqrt(p.x[0] - 1.0) * sqrt(p.x[0] + 1.0);
               })},
               "arccosh(2.0) = 1.3169579"),
      function("arctanh", "Inverse hyperbolic tangent.\n1 gives inf, -1 gives -inf, outside NaN.",
               ScalarOp::ArcTanh, {0.51, 2.1},
               {Partial::over([](const Point &p) { return (1.0 - p.x[0]) * (1.0 + p.x[0]); })},
               "arctanh(0.5) = 0.549306144"),
      function("sinc", "sin(pi * x) / (pi * x), 1 at 0.", ScalarOp::Sinc, {0.51, 3.5}, {sincSlope},
               "sinc([0.0, 0.5, 1.0]) = [1.0, 0.636619772, 0.0]"),
      function("erf", "Error function.", ScalarOp::Erf, {1, 1.5},
               {[](const Point &p) { return exp(-sqr(p.x[0])) * (2 * std::numbers::inv_sqrtpi); }},
               "erf(1.0) = 0.842700793"),
      function("erfc", "1 - erf(x) without cancellation.\nRelative accuracy holds to 27.",
               ScalarOp::Erfc, {0.51, 8.4},
               {[](const Point &p) { return exp(-sqr(p.x[0])) * (-2 * std::numbers::inv_sqrtpi); }},
               "erfc([1.0, 10.0]) = [0.157299207, 2.08848758e-45]"),
      function("erfcx",
               "exp(x * x) * erfc(x) without underflow: 1 / (sqrt(pi) * x) for great x.\n"
               "inf below -26.7 (float64).",
               ScalarOp::Erfcx, {0.52, 7.7},
               {[](const Point &p) { return 2.0 * p.x[0] * p.y - 2 * std::numbers::inv_sqrtpi; }},
               "erfcx([0.0, 1000.0]) = [1.0, 0.00056418930145]"),
      function(
          "ndtr",
          "The normal distribution function: erfc(-x / sqrt(2)) / 2.\nRelative accuracy holds to "
          "-38.",
          ScalarOp::Ndtr, {5, 9.5}, {[](const Point &p) {
            return exp(sqr(p.x[0]) * -0.5) * (0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
          }},
          "ndtr([0.0, -10.0]) = [0.5, 7.61985302e-24]"),
      function(
          "logNdtr",
          "log(ndtr(x)) without underflow.\nThe gradient is sqrt(2 / pi) / erfcx(-x / sqrt(2)).",
          ScalarOp::LogNdtr, {0.51, 9.2}, {[](const Point &p) {
            return std::numbers::sqrt2 * std::numbers::inv_sqrtpi /
                   erfcx(p.x[0] / -std::numbers::sqrt2);
          }},
          "logNdtr([0.0, -1000.0]) = [-0.693147181, -500007.826694813]"),
  };
}

} // namespace

std::vector<OpDef> transcendentalOps() {
  std::vector<OpDef> ops = exponentials();
  for (auto *more : {&composed, &trigonometry})
    for (OpDef &def : more())
      ops.push_back(std::move(def));
  return ops;
}

} // namespace graphc
