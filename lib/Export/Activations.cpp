//===- Activations.cpp - activations ----------------------------------------===//
#include <cmath>
#include <numbers>

#include "Export/ExportRules.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// ONNX's attributes are float32: of float64 results only such numbers are the same.
bool fits(const Apply &n, std::initializer_list<std::string_view> attributes) {
  if (n.output(0).dtype() != DType::Float64)
    return true;
  for (std::string_view name : attributes) {
    double value = n.op().attributes().real(name);
    if (double(float(value)) != value)
      return false;
  }
  return true;
}

Values writeWith(OnnxWriter &w, const Apply &n, const Values &in, std::string_view op,
                 const OnnxAttributes &attributes) {
  DType dtype = n.output(0).dtype(), computed = dtypeWithin(kRealFloats, dtype);
  Type type = n.output(0).type().withDType(computed);
  return {w.as(w.node(op, {w.as(in[0], computed)}, type, attributes), dtype)};
}
float attribute(const Apply &n, std::string_view name) {
  return float(n.op().attributes().real(name));
}

V eluOf(const V &x, double alpha, double scale) {
  V below = mul(literal(alpha * scale, x), expm1(minimum(x, literal(0, x))));
  return where(gt(x, literal(0, x)), mul(x, literal(scale, x)), below);
}
Vs composeElu(const Apply &n) {
  if (fits(n, {"alpha"}))
    return {};
  return {eluOf(operand(n, 0), n.op().attributes().real("alpha"), 1)};
}
Values writeElu(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeWith(w, n, in, "Elu", {{"alpha", attribute(n, "alpha")}});
}
/// ONNX's constants are those numbers in float32.
Vs composeSelu(const Apply &n) {
  if (n.output(0).dtype() != DType::Float64)
    return {};
  return {eluOf(operand(n, 0), 1.6732632423543772848, 1.0507009873554804934)};
}
Values writeSelu(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeWith(w, n, in, "Selu", {});
}
Vs composeLeakyRelu(const Apply &n) {
  if (fits(n, {"alpha"}))
    return {};
  V x = operand(n, 0);
  return {where(gt(x, literal(0, x)), x, mul(x, n.op().attributes().real("alpha")))};
}
Values writeLeakyRelu(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeWith(w, n, in, "LeakyRelu", {{"alpha", attribute(n, "alpha")}});
}
Vs composeHardSigmoid(const Apply &n) {
  if (fits(n, {"slope", "shift"}))
    return {};
  V x = operand(n, 0);
  const Attributes &a = n.op().attributes();
  V line = add(mul(x, literal(a.real("slope"), x)), literal(a.real("shift"), x));
  return {clip(line, literal(0, x), literal(1, x))};
}
Values writeHardSigmoid(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeWith(w, n, in, "HardSigmoid",
                   {{"alpha", attribute(n, "slope")}, {"beta", attribute(n, "shift")}});
}
Vs composeHardTanh(const Apply &n) {
  V x = operand(n, 0);
  const Attributes &a = n.op().attributes();
  return {clip(x, literal(a.real("low"), x), literal(a.real("high"), x))};
}
Vs composeRelu(const Apply &n) {
  V x = n.input(0);
  return isBool(x.dtype()) || isUnsignedInt(x.dtype()) ? Vs{x} : Vs();
}
Values writeRelu(OnnxWriter &w, const Apply &n, const Values &in) {
  return {w.node("Relu", in, n.output(0).type())};
}
/// x times a curve, without NaN where that is 0.
V gated(const V &x, const V &curve) {
  return where(eq(x, literal(-INFINITY, x)), literal(0, x), mul(x, curve));
}
Vs composeSilu(const Apply &n) {
  V x = operand(n, 0);
  return {gated(x, sigmoid(x))};
}
/// From version 20 on ONNX has Gelu, but few runtimes for all dtypes.
Vs composeGelu(const Apply &n) {
  V x = operand(n, 0), curve = erf(mul(x, literal(std::numbers::sqrt2 / 2, x)));
  return {gated(x, mul(add(curve, literal(1, x)), literal(0.5, x)))};
}
/// (1 + tanh z) / 2 is sigmoid(2 z), whose digits do not cancel.
Vs composeGeluTanh(const Apply &n) {
  V x = operand(n, 0);
  V inner = mul(literal(2 * std::sqrt(2 / std::numbers::pi), x),
                add(x, mul(literal(0.044715, x), mul(x, mul(x, x)))));
  return {gated(x, sigmoid(inner))};
}
/// x tanh(softplus(x)): of e = exp(x) it is x e (e + 2) / (e (e + 2) + 2).
Vs composeMish(const Apply &n) {
  V x = operand(n, 0), two = literal(2, x);
  V e = exp(minimum(x, literal(20, x))), f = mul(e, add(e, two));
  return {where(gt(x, literal(20, x)), x, gated(x, trueDiv(f, add(f, two))))};
}
/// ONNX's Softplus overflows in some runtimes.
Vs composeSoftplus(const Apply &n) {
  V x = operand(n, 0);
  return {add(maximum(x, literal(0, x)), log1p(exp(neg(abs(x)))))};
}

} // namespace

absl::Span<const ExportRule> activationExports() {
  static constexpr ExportRule kTable[] = {
      onElements("sigmoid", "Sigmoid", kFloats),
      composed("softplus", composeSoftplus),
      written("relu", writeRelu, composeRelu),
      written("elu", writeElu, composeElu),
      written("selu", writeSelu, composeSelu),
      written("leakyRelu", writeLeakyRelu, composeLeakyRelu),
      onElements("softsign", "Softsign", kRealFloats),
      composed("silu", composeSilu),
      composed("gelu", composeGelu),
      composed("geluTanh", composeGeluTanh),
      composed("mish", composeMish),
      written("hardSigmoid", writeHardSigmoid, composeHardSigmoid),
      composed("hardTanh", composeHardTanh),
  };
  return kTable;
}

} // namespace graphc
