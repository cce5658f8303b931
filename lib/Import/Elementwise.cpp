//===- Elementwise.cpp - arithmetic, comparisons, logic --------------------===//
#include "Import/Broadcast.h"
#include "Import/NarrowTypes.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// Operand 1 of a binary operator. Sets before 7 have an attribute that says at which axis of
/// operand 0 its axes begin.
Variable secondOperand(OnnxNode &n) {
  Variable x = n.in(0), y = n.in(1);
  if (n.opset() >= 7 || !n.getBool("broadcast", false) || !n.hasAttribute("axis") || !x.ok())
    return y;
  int first = n.plainAxis(n.getInt("axis", 0), x.rank());
  std::vector<int> order;
  for (int axis = 0; axis < y.rank(); ++axis)
    order.push_back(axis);
  order.resize(size_t(std::max(y.rank(), x.rank() - first)), -1);
  return dimshuffle(n.at(y), order);
}

/// Both operands of a binary operator.
Variables bothOperands(OnnxNode &n) { return broadcastTogether(n, {n.in(0), secondOperand(n)}); }

template <Variable (*f)(const Operand &)> Variables unary(OnnxNode &n) { return {f(n.arg(0))}; }
template <Variable (*f)(const Operand &, const Operand &)> Variables binary(OnnxNode &n) {
  Variables in = bothOperands(n);
  return {f(n.at(in[0]), in[1])};
}
template <Variable (*f)(const Operand &, const Operand &)> Variables joined(OnnxNode &n) {
  Variables terms = broadcastTogether(n, n.all());
  Variable result = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    result = f(n.at(result), terms[i]);
  return {result};
}

Variables meanOfInputs(OnnxNode &n) {
  Variable total = joined<add>(n)[0];
  return {trueDiv(n.at(total), n.scalar(double(n.numInputs()), total.dtype()))};
}

/// Quotients of integers are rounded toward 0.
Variables div(OnnxNode &n) {
  Variables in = bothOperands(n);
  Variable x = in[0], y = in[1];
  if (isFloat(x.dtype()))
    return {trueDiv(n.at(x), y)};
  Variable down = intDiv(n.at(x), y);
  if (isUnsignedInt(x.dtype()))
    return {down};
  Variable differ = neq(n.at(lt(n.at(x), 0)), lt(n.at(y), 0));
  Variable inexact = neq(n.at(mod(n.at(x), y)), 0);
  Variable up = logicalAnd(n.at(differ), inexact);
  return {add(n.at(down), cast(n.at(up), x.dtype()))};
}

/// fmod: the result has the dividend's sign; otherwise the divisor's.
Variables modulo(OnnxNode &n) {
  Variables in = bothOperands(n);
  Variable x = in[0], y = in[1];
  if (!n.getBool("fmod", false) || isUnsignedInt(x.dtype()))
    return {mod(n.at(x), y)};
  if (isFloat(x.dtype()))
    return {copysign(n.at(mod(n.at(abs(n.at(x))), abs(n.at(y)))), x)};
  Variable rest = mod(n.at(x), y), differ = neq(n.at(lt(n.at(rest), 0)), lt(n.at(x), 0));
  Variable isOther = logicalAnd(n.at(differ), neq(n.at(rest), 0));
  return {where(n.at(isOther), sub(n.at(rest), y), rest)};
}

Variables power(OnnxNode &n) {
  Variables in = bothOperands(n);
  return {cast(n.at(pow(n.at(in[0]), in[1])), in[0].dtype())};
}

/// Bounds are attributes in sets before 11, then optional inputs.
Variables clipped(OnnxNode &n) {
  Variable x = n.in(0);
  auto bound = [&](std::string_view name, size_t i) -> std::optional<Variable> {
    if (n.opset() >= 11)
      return n.has(i) ? std::optional(n.in(i)) : std::nullopt;
    return n.hasAttribute(name) ? std::optional(n.scalar(n.getFloat(name, 0), x.dtype()))
                                : std::nullopt;
  };
  if (std::optional<Variable> low = bound("min", 1))
    x = maximum(n.at(x), *low);
  if (std::optional<Variable> high = bound("max", 2))
    x = minimum(n.at(x), *high);
  return {x};
}

Variable narrowedTo(OnnxNode &n, int type) {
  n.giveNarrow(0, type);
  return narrowed(n, n.in(0), type, n.getBool("saturate", true));
}

Variables castTo(OnnxNode &n) {
  if (!n.hasAttribute("to"))
    return {n.fail(ErrorKind::ValueError, "attribute to is missing")};
  int type = n.getSmallInt("to", 0);
  if (isNarrow(type))
    return {narrowedTo(n, type)};
  std::optional<DType> dtype = n.getDType("to");
  return {dtype ? cast(n.arg(0), *dtype) : Variable()};
}

Variables castLike(OnnxNode &n) {
  if (int type = n.narrowType(1))
    return {narrowedTo(n, type)};
  return {cast(n.arg(0), n.in(1).dtype())};
}

Variables shifted(OnnxNode &n) {
  std::string direction = n.getString("direction", "");
  if (direction == "LEFT")
    return binary<leftShift>(n);
  if (direction == "RIGHT")
    return binary<rightShift>(n);
  return {n.fail(ErrorKind::ValueError, "attribute direction is '" + direction + "'")};
}

Variables infinite(OnnxNode &n) {
  Variable x = n.in(0);
  Variable result = isinf(n.at(x));
  if (!n.getBool("detect_negative", true))
    result = logicalAnd(n.at(result), gt(n.at(x), 0));
  if (!n.getBool("detect_positive", true))
    result = logicalAnd(n.at(result), lt(n.at(x), 0));
  return {result};
}

Variables chosen(OnnxNode &n) {
  Variables in = broadcastTogether(n, {n.in(0), n.in(1), n.in(2)});
  return {where(n.at(in[0]), in[1], in[2])};
}

} // namespace

absl::Span<const Translation> elementwiseTranslations() {
  static constexpr Translation kTable[] = {
      {"Abs", unary<abs>},
      {"Acos", unary<arccos>, 7},
      {"Acosh", unary<arccosh>, 9},
      {"Add", binary<add>},
      {"And", binary<logicalAnd>},
      {"Asin", unary<arcsin>, 7},
      {"Asinh", unary<arcsinh>, 9},
      {"Atan", unary<arctan>, 7},
      {"Atanh", unary<arctanh>, 9},
      {"BitShift", shifted, 11},
      {"BitwiseAnd", binary<bitwiseAnd>, 18},
      {"BitwiseNot", unary<invert>, 18},
      {"BitwiseOr", binary<bitwiseOr>, 18},
      {"BitwiseXor", binary<bitwiseXor>, 18},
      {"Cast", castTo, 1, "numbers only"},
      {"CastLike", castLike, 15, "numbers only"},
      {"Ceil", unary<ceil>},
      {"Clip", clipped},
      {"Cos", unary<cos>, 7},
      {"Cosh", unary<cosh>, 9},
      {"Div", div},
      {"Equal", binary<eq>},
      {"Erf", unary<erf>, 9},
      {"Exp", unary<exp>},
      {"Floor", unary<floor>},
      {"Greater", binary<gt>},
      {"GreaterOrEqual", binary<ge>, 12},
      {"IsInf", infinite, 10},
      {"IsNaN", unary<isnan>, 9},
      {"Less", binary<lt>},
      {"LessOrEqual", binary<le>, 12},
      {"Log", unary<log>},
      {"Max", joined<maximum>},
      {"Mean", meanOfInputs},
      {"Min", joined<minimum>},
      {"Mod", modulo, 10},
      {"Mul", binary<mul>},
      {"Neg", unary<neg>},
      {"Not", unary<logicalNot>},
      {"Or", binary<logicalOr>},
      {"Pow", power},
      {"Reciprocal", unary<reciprocal>},
      {"Round", unary<roundHalfToEven>, 11},
      {"Sign", unary<sgn>, 9},
      {"Sin", unary<sin>, 7},
      {"Sinh", unary<sinh>, 9},
      {"Sqrt", unary<sqrt>},
      {"Sub", binary<sub>},
      {"Sum", joined<add>},
      {"Tan", unary<tan>, 7},
      {"Where", chosen, 9},
      {"Xor", binary<logicalXor>},
  };
  return kTable;
}

} // namespace graphc
