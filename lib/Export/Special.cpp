//===- Special.cpp - special functions ----------------------------------------===//
//
// Those whose formulas have a bounded number of terms, in float64: gammaln, digamma and the inverse
// error functions are the bodies of lib/Ops, node by node. Negative numbers are reflected.
//
//===----------------------------------------------------------------------===//
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "Export/SpecialParts.h"
#include "Ops/Build.h"
#include "Ops/SpecialBodies.h"
#include "Ops/SpecialCoefficients.h"
#include "graphc/Special.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

//===--- scalar code as nodes -----------------------------------------------------------===//

V nodeOf(const ScalarNode &node, const V &x, const Vs &made) {
  auto arg = [&](int k) { return made[size_t(node.args[k])]; };
  switch (node.op) {
  case ScalarOp::Constant:
    return constant(Tensor(std::bit_cast<double>(node.payload)));
  case ScalarOp::Load:
    return x;
  case ScalarOp::Add:
    return add(arg(0), arg(1));
  case ScalarOp::Sub:
    return sub(arg(0), arg(1));
  case ScalarOp::Mul:
    return mul(arg(0), arg(1));
  case ScalarOp::Div:
    return trueDiv(arg(0), arg(1));
  case ScalarOp::Neg:
    return neg(arg(0));
  case ScalarOp::Sqrt:
    return sqrt(arg(0));
  case ScalarOp::Log:
    return log(arg(0));
  case ScalarOp::Eq:
    return eq(arg(0), arg(1));
  case ScalarOp::Lt:
    return lt(arg(0), arg(1));
  case ScalarOp::Ge:
    return ge(arg(0), arg(1));
  case ScalarOp::Select:
    return where(arg(0), arg(1), arg(2));
  default:
    return V::invalid(
        makeError(ErrorKind::Internal, "no node stands for " + std::string(scalarOpName(node.op))));
  }
}

/// The body's operations, of each element of x.
template <Scalar (*body)(Emitter &, Scalar)> V byBody(const V &x) {
  Emitter e;
  Array operand = e.operand(Type(DType::Float64, {}));
  e.define({}, [&](Indices) { return body(e, e.load(operand, {})); });
  const Nest &nest = e.emission().steps.back().nest;
  Vs made;
  for (const ScalarNode &node : nest.body)
    made.push_back(nodeOf(node, x, made));
  return made[size_t(nest.root)];
}

//===--- what formulas have in common ---------------------------------------------------===//

template <V (*f)(const V &)> Vs ofWide(const Apply &n) { return {f(wide(n, 0))}; }

/// sin(pi x) and cos(pi x), of the distance to the next integer, which is exact.
struct HalfTurn {
  V sine, cosine;
};
HalfTurn halfTurn(const V &x) {
  V whole = round(x), angle = mul(sub(x, whole), std::numbers::pi);
  V sign = where(eq(mod(whole, 2.0), 0.0), number(1), number(-1));
  return {mul(sign, sin(angle)), mul(sign, cos(angle))};
}
/// It is 1 / x to the last digit there, and products underflow.
V isTiny(const V &x) { return lt(abs(x), 1e-20); }
/// x where it is above 0, else a number that does no harm.
V positive(const V &x) { return where(gt(x, 0.0), x, number(1)); }

} // namespace

//===--- the gamma function -------------------------------------------------------------===//

V isPole(const V &x) {
  return logicalAnd(logicalAnd(le(x, 0.0), eq(x, floor(x))), gt(x, -kInfinity));
}
V gammalnAbove(const V &x) { return byBody<gammalnBody>(x); }
V digammaAbove(const V &x) { return byBody<digammaBody>(x); }

/// Of x > 0 by the body; gamma(x) gamma(-x) = -pi / (x sin(pi x)).
V gammalnOf(const V &x) {
  V above = gammalnAbove(positive(x)), mirrored = gammalnAbove(positive(neg(x)));
  V logs = add(log(abs(x)), log(abs(halfTurn(x).sine)));
  V below = sub(sub(number(std::log(std::numbers::pi)), logs), mirrored);
  below = where(logicalOr(isPole(x), isinf(x)), number(kInfinity), below);
  V result = where(gt(x, 0.0), above, where(isnan(x), x, below));
  return where(isTiny(x), neg(log(abs(x))), result);
}

V stirlingRest(const V &x) {
  V inverse = reciprocal(x);
  return mul(polynomial(kGammalnTail, mul(inverse, inverse)), inverse);
}

/// Stirling's formula of x from 8 on, with half the power twice: the whole one is beyond float64
/// before the function is. What its exponent loses by rounding is made good.
static V stirling(const V &x) {
  V exponent = sub(mul(x, 0.5), 0.25), rest = sub(sub(mul(x, 0.5), exponent), 0.25);
  V half = pow(x, exponent);
  V scale = mul(exp(neg(x)), exp(add(stirlingRest(x), mul(mul(rest, 2.0), log(x)))));
  return mul(mul(half, mul(scale, std::sqrt(2 * std::numbers::pi))), half);
}
V gammaAbove(const V &x) {
  V small = exp(gammalnAbove(minimum(x, 8.0)));
  V large = stirling(minimum(maximum(x, 8.0), 172.0));
  return where(lt(x, 8.0), small, where(gt(x, 171.7), number(kInfinity), large));
}
V gammaOf(const V &x) {
  V above = gammaAbove(positive(x));
  V divisor = mul(mul(x, halfTurn(x).sine), gammaAbove(positive(neg(x))));
  V below = trueDiv(number(-std::numbers::pi), divisor);
  V isOut = logicalOr(isPole(x), eq(x, -kInfinity));
  V result = where(gt(x, 0.0), above, where(isOut, number(kNan), below));
  return where(isTiny(x), reciprocal(x), result);
}

namespace {

/// d^n/dx^n (pi cot(pi x)) as a polynomial in the cotangent: its derivative is -pi (1 + cot^2).
V cotangentDerivative(int order, const V &cotangent) {
  std::vector<double> c = {0, std::numbers::pi};
  for (int k = 0; k < order; ++k) {
    std::vector<double> next(c.size() + 1);
    for (size_t power = 1; power < c.size(); ++power) {
      double slope = -std::numbers::pi * double(power) * c[power];
      next[power - 1] += slope;
      next[power + 1] += slope;
    }
    c = std::move(next);
  }
  V sum = number(c.back());
  for (size_t k = c.size() - 1; k-- > 0;)
    sum = add(mul(sum, cotangent), c[k]);
  return sum;
}

/// n! times Hurwitz's zeta function of n + 1 with a sign, of x > 0, by Euler and Maclaurin.
V polygammaAbove(int order, const V &x) {
  const int s = order + 1, terms = 12 + order;
  V sum = number(0);
  for (int k = 0; k < terms; ++k)
    sum = add(sum, pow(add(x, double(k)), double(-s)));
  V y = add(x, double(terms)), power = pow(y, double(-s));
  sum = add(sum, add(mul(pow(y, double(-order)), 1.0 / order), mul(power, 0.5)));
  V inverse = reciprocal(mul(y, y)), term = mul(power, reciprocal(y));
  double factor = s; // s (s + 1) ... (s + 2 j - 2) / (2 j)!
  for (size_t j = 1; j <= std::size(kGammalnTail); ++j) {
    double bernoulli = kGammalnTail[j - 1] * double(2 * j) * double(2 * j - 1);
    factor = j == 1 ? s / 2.0
                    : factor * (s + 2.0 * double(j) - 3) * (s + 2.0 * double(j) - 2) /
                          (double(2 * j) * double(2 * j - 1));
    sum = add(sum, mul(term, bernoulli * factor));
    term = mul(term, inverse);
  }
  double sign = order % 2 ? 1 : -1;
  return mul(sum, sign * std::tgamma(double(s)));
}

Vs composePolygamma(const Apply &n) {
  int order = int(n.op().attributes().integer("order"));
  V x = wide(n, 0);
  auto of = [&](const V &y) { return order == 0 ? digammaAbove(y) : polygammaAbove(order, y); };
  HalfTurn turn = halfTurn(x);
  V above = of(positive(x)), mirrored = of(positive(sub(1.0, x)));
  V slope = cotangentDerivative(order, trueDiv(turn.cosine, turn.sine));
  V below = sub(order % 2 ? neg(mirrored) : mirrored, slope);
  V pole = order % 2 ? number(kInfinity) : where(eq(x, 0.0), neg(reciprocal(x)), number(kNan));
  V result = where(gt(x, 0.0), above, where(isPole(x), pole, below));
  return {where(logicalOr(isnan(x), eq(x, -kInfinity)), number(kNan), result)};
}

} // namespace

//===--- error functions ----------------------------------------------------------------===//

V scaledErrorAbove(const V &x) {
  V t = sub(1.0, trueDiv(number(7.5), add(x, 3.75)));
  return trueDiv(mul(polynomial(kScaledError, t), 0.5), add(x, 0.5));
}

namespace {

/// With the digits that the square of x loses.
V expOfSquare(const V &x) {
  V high = mul(floor(mul(x, 16.0)), 1 / 16.0);
  return mul(exp(mul(high, high)), exp(mul(sub(x, high), add(x, high))));
}
V erfcxOf(const V &x) {
  V size = abs(x), above = scaledErrorAbove(size);
  V square = expOfSquare(minimum(size, 28.0));
  return where(lt(x, 0.0), sub(mul(square, 2.0), above), above);
}
V logNdtrOf(const V &x) {
  V tail = mul(scaledErrorAbove(mul(abs(x), std::numbers::sqrt2 / 2)), 0.5);
  V half = mul(mul(x, x), 0.5);
  V above = log1p(neg(mul(tail, exp(neg(half)))));
  V below = where(eq(x, -kInfinity), x, sub(log(tail), half));
  return where(lt(x, 0.0), below, where(eq(x, kInfinity), number(0), above));
}

} // namespace

absl::Span<const ExportRule> specialExports() {
  static constexpr ExportRule kTable[] = {
      composed("gammaln", ofWide<gammalnOf>),
      composed("gamma", ofWide<gammaOf>),
      composed("polygamma", composePolygamma),
      composed("erfinv", ofWide<byBody<erfinvBody>>),
      composed("erfcinv", ofWide<byBody<erfcinvBody>>),
      composed("erfcx", ofWide<erfcxOf>),
      composed("logNdtr", ofWide<logNdtrOf>),
  };
  return kTable;
}

} // namespace graphc
