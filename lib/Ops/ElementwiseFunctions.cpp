//===- ElementwiseFunctions.cpp - operators and elementwise functions ------===//
#include "Build.h"
#include "Graph/CalledAs.h"

namespace graphc {

// Each keeps its Op: making it again would look it up by name.
#define GRAPHC_UNARY(NAME, OP)                                                                     \
  Variable NAME(const Operand &x) {                                                                \
    static const Op &op = *new Op(builtin(OP));                                                    \
    return build(op, {x});                                                                         \
  }
#define GRAPHC_BINARY(NAME, OP)                                                                    \
  Variable NAME(const Operand &x, const Operand &y) {                                              \
    static const Op &op = *new Op(builtin(OP));                                                    \
    return build(op, {x, y});                                                                      \
  }

//===--- operators ------------------------------------------------------------===//

GRAPHC_BINARY(operator+, "add")
GRAPHC_BINARY(operator-, "sub")
GRAPHC_BINARY(operator*, "mul")
GRAPHC_BINARY(operator/, "trueDiv")
GRAPHC_BINARY(operator%, "mod")
GRAPHC_BINARY(operator<, "lt")
GRAPHC_BINARY(operator>, "gt")
GRAPHC_BINARY(operator<=, "le")
GRAPHC_BINARY(operator>=, "ge")
GRAPHC_UNARY(operator-, "neg")

//===--- functions ------------------------------------------------------------===//

GRAPHC_BINARY(add, "add")
GRAPHC_BINARY(sub, "sub")
GRAPHC_BINARY(mul, "mul")
GRAPHC_BINARY(trueDiv, "trueDiv")
GRAPHC_BINARY(intDiv, "intDiv")
GRAPHC_BINARY(mod, "mod")
GRAPHC_BINARY(pow, "pow")
GRAPHC_UNARY(neg, "neg")
GRAPHC_UNARY(abs, "abs")
GRAPHC_UNARY(sgn, "sgn")
GRAPHC_UNARY(sqr, "sqr")
GRAPHC_UNARY(sqrt, "sqrt")
GRAPHC_UNARY(rsqrt, "rsqrt")
GRAPHC_UNARY(cbrt, "cbrt")
GRAPHC_UNARY(reciprocal, "reciprocal")
GRAPHC_BINARY(maximum, "maximum")
GRAPHC_BINARY(minimum, "minimum")
GRAPHC_BINARY(copysign, "copysign")
GRAPHC_BINARY(nextafter, "nextafter")
GRAPHC_BINARY(hypot, "hypot")
GRAPHC_UNARY(deg2rad, "deg2rad")
GRAPHC_UNARY(rad2deg, "rad2deg")
GRAPHC_UNARY(identity, "identity")
GRAPHC_UNARY(copy, "copy")
GRAPHC_BINARY(second, "second")

GRAPHC_BINARY(eq, "eq")
GRAPHC_BINARY(neq, "neq")
GRAPHC_BINARY(lt, "lt")
GRAPHC_BINARY(le, "le")
GRAPHC_BINARY(gt, "gt")
GRAPHC_BINARY(ge, "ge")
GRAPHC_UNARY(isnan, "isnan")
GRAPHC_UNARY(isinf, "isinf")
GRAPHC_UNARY(isfinite, "isfinite")
GRAPHC_UNARY(signbit, "signbit")
GRAPHC_BINARY(logicalAnd, "logicalAnd")
GRAPHC_BINARY(logicalOr, "logicalOr")
GRAPHC_BINARY(logicalXor, "logicalXor")
GRAPHC_UNARY(logicalNot, "logicalNot")
GRAPHC_BINARY(bitwiseAnd, "bitwiseAnd")
GRAPHC_BINARY(bitwiseOr, "bitwiseOr")
GRAPHC_BINARY(bitwiseXor, "bitwiseXor")
GRAPHC_UNARY(invert, "invert")
GRAPHC_BINARY(leftShift, "leftShift")
GRAPHC_BINARY(rightShift, "rightShift")

GRAPHC_UNARY(floor, "floor")
GRAPHC_UNARY(ceil, "ceil")
GRAPHC_UNARY(trunc, "trunc")
GRAPHC_UNARY(roundHalfToEven, "roundHalfToEven")
GRAPHC_UNARY(roundHalfAwayFromZero, "roundHalfAwayFromZero")

GRAPHC_UNARY(exp, "exp")
GRAPHC_UNARY(exp2, "exp2")
GRAPHC_UNARY(expm1, "expm1")
GRAPHC_UNARY(log, "log")
GRAPHC_UNARY(log2, "log2")
GRAPHC_UNARY(log10, "log10")
GRAPHC_UNARY(log1p, "log1p")
GRAPHC_UNARY(log1mexp, "log1mexp")
GRAPHC_BINARY(logaddexp, "logaddexp")
GRAPHC_UNARY(logit, "logit")
GRAPHC_BINARY(xlogy, "xlogy")
GRAPHC_BINARY(xlog1py, "xlog1py")
GRAPHC_UNARY(sin, "sin")
GRAPHC_UNARY(cos, "cos")
GRAPHC_UNARY(tan, "tan")
GRAPHC_UNARY(arcsin, "arcsin")
GRAPHC_UNARY(arccos, "arccos")
GRAPHC_UNARY(arctan, "arctan")
GRAPHC_BINARY(arctan2, "arctan2")
GRAPHC_UNARY(sinh, "sinh")
GRAPHC_UNARY(cosh, "cosh")
GRAPHC_UNARY(tanh, "tanh")
GRAPHC_UNARY(arcsinh, "arcsinh")
GRAPHC_UNARY(arccosh, "arccosh")
GRAPHC_UNARY(arctanh, "arctanh")
GRAPHC_UNARY(sinc, "sinc")
GRAPHC_UNARY(erf, "erf")
GRAPHC_UNARY(erfc, "erfc")
GRAPHC_UNARY(erfcx, "erfcx")
GRAPHC_UNARY(ndtr, "ndtr")
GRAPHC_UNARY(logNdtr, "logNdtr")

GRAPHC_UNARY(sigmoid, "sigmoid")
GRAPHC_UNARY(softplus, "softplus")
GRAPHC_UNARY(relu, "relu")
GRAPHC_UNARY(selu, "selu")
GRAPHC_UNARY(softsign, "softsign")
GRAPHC_UNARY(silu, "silu")
GRAPHC_UNARY(gelu, "gelu")
GRAPHC_UNARY(geluTanh, "geluTanh")
GRAPHC_UNARY(mish, "mish")

//===--- with attributes or several operands -----------------------------------===//

Variable fma(const Operand &x, const Operand &y, const Operand &z) {
  static const Op &op = *new Op(builtin("fma"));
  return build(op, {x, y, z});
}
Variable clip(const Operand &x, const Operand &low, const Operand &high) {
  static const Op &op = *new Op(builtin("clip"));
  return build(op, {x, low, high});
}
Variable where(const Operand &condition, const Operand &x, const Operand &y) {
  static const Op &op = *new Op(calledAs(builtin("switch"), "where"));
  return build(op, {condition, x, y});
}
Variable round(const Operand &x) {
  static const Op &op = *new Op(calledAs(builtin("roundHalfToEven"), "round"));
  return build(op, {x});
}
Variable add(std::initializer_list<Operand> terms) {
  return build(builtin("add"), absl::MakeConstSpan(terms.begin(), terms.size()));
}
Variable mul(std::initializer_list<Operand> factors) {
  return build(builtin("mul"), absl::MakeConstSpan(factors.begin(), factors.size()));
}
std::pair<Variable, Variable> divmod(const Operand &x, const Operand &y) {
  static const Op &quotient = *new Op(calledAs(builtin("intDiv"), "divmod"));
  static const Op &rest = *new Op(calledAs(builtin("mod"), "divmod"));
  return {build(quotient, {x, y}), build(rest, {x, y})};
}

Variable isclose(const Operand &x, const Operand &y, IscloseOptions options) {
  return build(
      builtin("isclose",
              {{"rtol", options.rtol}, {"atol", options.atol}, {"equalNan", options.equalNan}}),
      {x, y});
}
Variable cast(const Operand &x, DType dtype) {
  return build(builtin("cast", {{"dtype", dtype}}), {x});
}
Variable elu(const Operand &x, double alpha) {
  return build(builtin("elu", {{"alpha", alpha}}), {x});
}
Variable leakyRelu(const Operand &x, double alpha) {
  return build(builtin("leakyRelu", {{"alpha", alpha}}), {x});
}
Variable hardSigmoid(const Operand &x, double slope, double shift) {
  return build(builtin("hardSigmoid", {{"slope", slope}, {"shift", shift}}), {x});
}
Variable hardTanh(const Operand &x, double low, double high) {
  return build(builtin("hardTanh", {{"low", low}, {"high", high}}), {x});
}

} // namespace graphc
