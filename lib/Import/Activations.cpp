//===- Activations.cpp - activations and softmax ---------------------------===//
#include <numeric>

#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

template <Variable (*f)(const Operand &)> Variables unary(OnnxNode &n) { return {f(n.arg(0))}; }

/// A float attribute as a constant of x's dtype.
Variable number(OnnxNode &n, const Variable &x, std::string_view name, double otherwise) {
  return n.scalar(n.getFloat(name, otherwise), x.dtype());
}

Variables eluOf(OnnxNode &n) { return {elu(n.arg(0), n.getFloat("alpha", 1.0))}; }
Variables leakyReluOf(OnnxNode &n) { return {leakyRelu(n.arg(0), n.getFloat("alpha", 0.01))}; }

Variables seluOf(OnnxNode &n) {
  Variable x = n.in(0);
  // ONNX's defaults are these f32 numbers.
  double alpha = n.getFloat("alpha", 1.67326319217681884765625);
  Variable gamma = number(n, x, "gamma", 1.05070102214813232421875);
  return {mul(n.at(elu(n.at(x), alpha)), gamma)};
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), elu with another argument.
Variables celu(OnnxNode &n) {
  Variable x = n.in(0), alpha = number(n, x, "alpha", 1.0);
  Variable bent = mul(n.at(expm1(n.at(trueDiv(n.at(x), alpha)))), alpha);
  Variable none = n.scalar(0, x.dtype());
  return {add(n.at(maximum(n.at(x), none)), minimum(n.at(bent), none))};
}

Variables prelu(OnnxNode &n) {
  Variable x = n.in(0), slope = n.in(1);
  // Sets before 7 give one slope for each channel.
  if (n.opset() < 7 && slope.rank() == 1 && !slope.type().broadcastable(0) && x.rank() > 1) {
    slope = dimshuffle(n.at(slope), orderAlong(0, x.rank() - 1));
  }
  Variables in = broadcastTogether(n, {x, slope});
  Variable negative = lt(n.at(in[0]), n.scalar(0, x.dtype()));
  return {where(n.at(negative), mul(n.at(in[0]), in[1]), in[0])};
}

Variables hardSigmoidOf(OnnxNode &n) {
  return {hardSigmoid(n.arg(0), n.getFloat("alpha", 0.2), n.getFloat("beta", 0.5))};
}

/// x sigmoid(alpha x).
Variables swish(OnnxNode &n) {
  Variable x = n.in(0);
  return {mul(n.at(x), sigmoid(n.at(mul(n.at(x), number(n, x, "alpha", 1)))))};
}

Variables hardSwish(OnnxNode &n) { return {mul(n.arg(0), hardSigmoid(n.arg(0), 1.0 / 6.0, 0.5))}; }

Variables thresholdedRelu(OnnxNode &n) {
  Variable x = n.in(0);
  Variable above = gt(n.at(x), number(n, x, "alpha", 1.0));
  return {where(n.at(above), x, n.scalar(0, x.dtype()))};
}

Variables shrink(OnnxNode &n) {
  Variable x = n.in(0), bias = number(n, x, "bias", 0.0);
  double lambda = n.getFloat("lambd", 0.5);
  Variable above = gt(n.at(x), n.scalar(lambda, x.dtype()));
  Variable below = lt(n.at(x), n.scalar(-lambda, x.dtype()));
  Variable inner = where(n.at(below), add(n.at(x), bias), n.scalar(0, x.dtype()));
  return {where(n.at(above), sub(n.at(x), bias), inner)};
}

Variables geluOf(OnnxNode &n) {
  std::string how = n.getString("approximate", "none");
  if (how != "none" && how != "tanh")
    return {n.fail(ErrorKind::ValueError, "attribute approximate is '" + how + "'")};
  return {how == "none" ? gelu(n.arg(0)) : geluTanh(n.arg(0))};
}

/// Sets before 13 join all axes from `axis` on, by default 1; later ones take one, the last.
Axes softmaxAxes(OnnxNode &n, const Variable &x) {
  if (n.opset() >= 13)
    return Axis(n.plainAxis(n.getInt("axis", -1), x.rank()));
  int first = n.plainAxis(n.getInt("axis", 1), x.rank(), /*end=*/true);
  std::vector<int> axes(size_t(x.rank() - first));
  std::iota(axes.begin(), axes.end(), first);
  return Axes(axes);
}

template <Variable (*f)(const Operand &, const Axes &)> Variables softmaxLike(OnnxNode &n) {
  Variable x = n.in(0);
  return {f(n.at(x), softmaxAxes(n, x))};
}

/// 1 at the first maximum, else 0.
Variable firstMaxima(OnnxNode &n, const Variable &x, int axis) {
  Variable best = argmax(n.at(x), ReductionOptions{.axes = Axis(axis), .keepDims = true});
  Variable positions = positionsAlong(n, extentTerm(n, x, axis), axis, x.rank());
  return cast(n.at(eq(n.at(positions), best)), x.dtype());
}

Variables hardmax(OnnxNode &n) {
  Variable x = n.in(0);
  if (n.opset() < 13) {
    // All axes from one on are one.
    int first = n.plainAxis(n.getInt("axis", 1), x.rank(), /*end=*/true);
    Terms own;
    for (int k = 0; k < x.rank(); ++k)
      own.push_back(extentTerm(n, x, k));
    Terms joined = {extentProduct(n, x, 0, first), extentProduct(n, x, first, x.rank())};
    Variable flat = firstMaxima(n, reshape(n.at(x), shapeOf(n, joined)), 1);
    return {reshape(n.at(flat), shapeOf(n, own))};
  }
  return {firstMaxima(n, x, n.plainAxis(n.getInt("axis", -1), x.rank()))};
}

} // namespace

absl::Span<const Translation> activationTranslations() {
  static constexpr Translation kTable[] = {
      {"Celu", celu, 12},
      {"Elu", eluOf},
      {"Gelu", geluOf, 20},
      {"HardSigmoid", hardSigmoidOf},
      {"HardSwish", hardSwish, 14},
      {"Hardmax", hardmax},
      {"LeakyRelu", leakyReluOf},
      {"LogSoftmax", softmaxLike<logSoftmax>},
      {"Mish", unary<mish>, 18},
      {"PRelu", prelu},
      {"Relu", unary<relu>},
      {"Selu", seluOf},
      {"Shrink", shrink, 9},
      {"Sigmoid", unary<sigmoid>},
      {"Softmax", softmaxLike<softmax>},
      {"Softplus", unary<softplus>},
      {"Softsign", unary<softsign>},
      {"Swish", swish, 24},
      {"Tanh", unary<tanh>},
      {"ThresholdedRelu", thresholdedRelu, 10},
  };
  return kTable;
}

} // namespace graphc
