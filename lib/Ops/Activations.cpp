//===- Activations.cpp - nonlinearities of neural networks -----------------===//
#include <numbers>

#include "Derivatives.h"
#include "Families.h"
#include "Rules.h"

namespace graphc {
namespace {

OpDef activation(std::string name, std::string family, std::string doc, EmitRule emit,
                 MaxUlp maxUlp, Partial partial, std::string example,
                 std::vector<AttributeSpec> attributes = {}) {
  return withPartials({.name = std::move(name),
                       .doc = std::move(doc),
                       .operands = {{"x"}},
                       .attributes = std::move(attributes),
                       .type = elementwise(Result::Floating),
                       .emit = std::move(emit),
                       .maxUlp = maxUlp,
                       .golden = {std::move(family)},
                       .section = section(kActivations),
                       .example = std::move(example)},
                      {std::move(partial)});
}

AttributeSpec number(std::string name, double value) {
  return {std::move(name), AttributeKind::Float, value};
}

/// x > 0 ? x : below(x). NaN goes through `below`.
MapBody aboveZero(MapBody below) {
  return [below = std::move(below)](Emitter &e, const Scalars &s, const Attributes &attributes) {
    return select(s[0] > 0.0, s[0], below(e, s, attributes));
  };
}

Scalar clamp(Scalar x, Scalar low, Scalar high) {
  return select(x < low, low, select(x > high, high, x));
}

/// tanh(log(1 + E)) = n / (n + 2) with n = E (E + 2) for E = e^x. Far below 0 that is E, which
/// comes as a square there: E itself would lose its digits in the subnormals, where x E still has
/// them. Above kFlat it is 1, and below kGone the product is -0, at -inf too.
Scalar mish(Emitter &e, Scalar x) {
  constexpr double kTail = -40, kFlat = 20; // e^-40 is below half a unit of f64's 1, e^-2kFlat, too
  constexpr double kGone = -2000;
  auto tail = x < kTail;
  Scalar low = select(x < kGone, e.literal(x.dtype(), kGone), x);
  Scalar top = select(x > kFlat, e.literal(x.dtype(), kFlat), x);
  Scalar power = exp(select(tail, low * 0.5, top)), n = power * (power + 2.0);
  return select(tail, low * power * power, x * (n / (n + 2.0)));
}

/// What is added to 1 does not count from kFar on, and infinity must not divide itself.
Scalar softsign(Emitter &e, Scalar x) {
  constexpr double kFar = 0x1p60;
  Scalar near = clamp(x, e.literal(x.dtype(), -kFar), e.literal(x.dtype(), kFar));
  return near / (abs(near) + 1.0);
}

// Bounds of what is composed follow from those of its parts (docs/Ops.md): an error of k units in a
// factor or a quotient's operand is at most 2k of the result, whose own rounding is half a unit.
// elu and selu: expm1 (1.4) and a constant (0.5). leakyRelu: a constant. softsign: 1 + abs(x).
// mish: measured, as the functions of one formula are.

// Klambauer et al., "Self-Normalizing Neural Networks" (2017), appendix.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

//===--- derivatives ------------------------------------------------------------===//
// At a kink it is that of the branch below (docs/Gradients.md); the limits of clips count as
// inside.

double real(const Point &p, std::string_view attribute) {
  return std::get<double>(*p.op.attributes().find(attribute));
}

/// 1 above 0, else alpha * exp(x).
Variable eluSlope(const Point &p, double alpha) {
  return where(p.x[0] > 0.0, 1.0, exp(p.x[0]) * alpha);
}

/// `direction` where low <= line <= high, else 0.
Variable clipped(const Variable &direction, const Variable &line, double low, double high) {
  return where(logicalAnd(line >= low, line <= high), direction, 0.0);
}

/// The factor beside those that are 0 far out, where its square would overflow or infinity spoil
/// the product.
Variable nearby(const Point &p) {
  constexpr double kFar = 50; // exp(-50 * 50 / 2) is 0 in float64
  return clip(p.x[0], -kFar, kFar);
}

/// The distribution function and x times the density.
Variable geluSlope(const Point &p) {
  Variable x = nearby(p);
  constexpr double kInvSqrt2Pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return erfc(p.x[0] * (-1 / std::numbers::sqrt2)) * 0.5 + x * exp(sqr(x) * -0.5) * kInvSqrt2Pi;
}

/// A gated unit's value y as a factor beside what is 0 from kGone on, where infinity would spoil
/// the product: 800 e^-800 is 0 in float64.
Variable ungated(const Point &p) {
  constexpr double kGone = 800;
  return minimum(p.y, constant(Tensor(kGone).cast(p.y.dtype())));
}

/// gelu's approximation is x * sigmoid(u) for u = x * (a + b * x ** 2).
Variable geluTanhSlope(const Point &p) {
  constexpr double a = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, b = a * 0.044715;
  Variable x = nearby(p), square = sqr(x), u = x * (square * b + a);
  return sigmoid(u) + ungated(p) * sigmoid(-u) * (square * (3 * b) + a);
}

/// With t = tanh(softplus(x)).
Variable mishSlope(const Point &p) {
  Variable t = tanh(softplus(p.x[0])), y = silu(p.x[0]);
  return t + ungated({p.op, p.in, p.x, y}) * (1.0 - sqr(t));
}

} // namespace

std::vector<OpDef> activationOps() {
  return {
      activation(
          "sigmoid", "sigmoid", "1 / (1 + exp(-x)).\nNever overflows.", mapTo(ScalarOp::Sigmoid),
          {0.98, 1.06}, [](const Point &p) { return p.y * sigmoid(-p.x[0]); },
          "sigmoid([0.0, 2.0]) = [0.5, 0.880797078]"),
      activation(
          "softplus", "softplus", "log(1 + exp(x)).\nLarge x stays exactly.",
          mapTo(ScalarOp::Softplus), {1.75, 1.95}, [](const Point &p) { return sigmoid(p.x[0]); },
          "softplus([0.0, 100.0]) = [0.693147181, 100.0]"),
      withPartials({.name = "relu",
                    .doc = "max(x, 0).\nNaN stays; -0 gives 0. Keeps the dtype.",
                    .operands = {{"x"}},
                    .type = elementwise(Result::Promoted),
                    .emit = mapRaw([](Emitter &e, const Scalars &s, const Attributes &) {
                      DType dtype = s[0].dtype();
                      if (!isSignedInt(dtype) && !isFloat(dtype))
                        return s[0];
                      return select(s[0] <= 0.0, e.literal(dtype, 0), s[0]);
                    }),
                    .golden = {"relu"},
                    .section = section(kActivations),
                    .example = "relu([-1.0, 2.0]) = [0.0, 2.0]"},
                   {Partial::where([](const Point &p) { return p.x[0] > 0.0; })}),
      activation("elu", "elu", "x above 0, alpha * expm1(x) below.",
                 mapWith(aboveZero([](Emitter &, const Scalars &s, const Attributes &a) {
                   return expm1(s[0]) * a.real("alpha");
                 })),
                 {4, 4.5}, [](const Point &p) { return eluSlope(p, real(p, "alpha")); },
                 "elu([1.0, -1.0]) = [1.0, -0.632120559]", {number("alpha", 1.0)}),
      activation(
          "selu", "selu", "The scaled elu of self-normalizing networks (Klambauer 2017).",
          mapWith([](Emitter &, const Scalars &s, const Attributes &) {
            return select(s[0] > 0.0, s[0] * kSeluScale, expm1(s[0]) * (kSeluScale * kSeluAlpha));
          }),
          {4, 4.5}, [](const Point &p) { return eluSlope(p, kSeluAlpha) * kSeluScale; },
          "selu([1.0, -1.0]) = [1.05070099, -1.11133074]"),
      activation("leakyRelu", "leaky_relu", "x above 0, alpha * x below.",
                 mapWith(aboveZero([](Emitter &, const Scalars &s, const Attributes &a) {
                   return s[0] * a.real("alpha");
                 })),
                 {1.5, 1.5},
                 [](const Variable &direction, const Point &p) {
                   return where(p.x[0] > 0.0, direction, direction * real(p, "alpha"));
                 },
                 "leakyRelu([1.0, -1.0]) = [1.0, -0.01]", {number("alpha", 0.01)}),
      activation(
          "softsign", "softsign", "x / (1 + abs(x)).\n-1 and 1 at -inf and inf.",
          mapWith(
              [](Emitter &e, const Scalars &s, const Attributes &) { return softsign(e, s[0]); }),
          // A quotient squared, whose own derivative is 0 at infinities.
          {1.5, 1.5}, [](const Point &p) { return sqr(reciprocal(abs(p.x[0]) + 1.0)); },
          "softsign([1.0, -3.0]) = [0.5, -0.75]"),
      activation(
          "silu", "silu", "x * sigmoid(x).\n-inf gives -0.", mapTo(ScalarOp::Silu), {1.2, 1.3},
          [](const Point &p) { return sigmoid(p.x[0]) + ungated(p) * sigmoid(-p.x[0]); },
          "silu([1.0, -1.0]) = [0.731058579, -0.268941421]"),
      activation("gelu", "gelu",
                 "x times the normal distribution function: x / 2 * erfc(-x / "
                 "sqrt 2).\n-inf gives -0.",
                 mapTo(ScalarOp::Gelu), {6.3, 9.5}, geluSlope,
                 "gelu([1.0, -1.0]) = [0.841344746, -0.158655254]"),
      activation(
          "geluTanh", "gelu_tanh",
          "gelu's approximation x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))).\n"
          "-inf gives -0.",
          mapTo(ScalarOp::GeluTanh), {1.25, 1.85}, geluTanhSlope,
          "geluTanh([1.0, -1.0]) = [0.841191991, -0.158808009]"),
      activation(
          "mish", "mish", "x * tanh(softplus(x)).\n-inf gives -0.",
          mapWith([](Emitter &e, const Scalars &s, const Attributes &) { return mish(e, s[0]); }),
          {5, 5.5}, mishSlope, "mish([1.0, -1.0]) = [0.865098388, -0.303401461]"),
      activation("hardSigmoid", "hard_sigmoid",
                 "clip(slope * x + shift, 0, 1).\nTwo roundings; no bound in units near the "
                 "zero of the line.",
                 mapWith([](Emitter &e, const Scalars &s, const Attributes &a) {
                   Scalar line = s[0] * a.real("slope") + a.real("shift");
                   DType dtype = s[0].dtype();
                   return clamp(line, e.literal(dtype, 0), e.literal(dtype, 1));
                 }),
                 {-1, -1},
                 [](const Variable &direction, const Point &p) {
                   double slope = real(p, "slope");
                   return clipped(direction * slope, p.x[0] * slope + real(p, "shift"), 0, 1);
                 },
                 "hardSigmoid([0.0, 1.0, 9.0]) = [0.5, 0.7, 1.0]",
                 {number("slope", 0.2), number("shift", 0.5)}),
      activation("hardTanh", "hard_tanh", "clip(x, low, high).",
                 mapWith([](Emitter &e, const Scalars &s, const Attributes &a) {
                   DType dtype = s[0].dtype();
                   return clamp(s[0], e.literal(dtype, a.real("low")),
                                e.literal(dtype, a.real("high")));
                 }),
                 {0, 0},
                 [](const Variable &direction, const Point &p) {
                   return clipped(direction, p.x[0], real(p, "low"), real(p, "high"));
                 },
                 "hardTanh([-3.0, 0.5]) = [-1.0, 0.5]", {number("low", -1.0), number("high", 1.0)}),
  };
}

} // namespace graphc
