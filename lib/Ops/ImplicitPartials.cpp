//===- ImplicitPartials.cpp - derivatives of draws by their distribution function --===//
//
// Figurnov, Mohamed and Mnih, "Implicit reparameterization gradients" (2018): where F(x; p) is the
// distribution function and f the density, the number with the same F moves by -dF/dp / f as p
// does, whatever method drew it. In float64 throughout.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <numbers>

#include "Build.h"
#include "Derivatives.h"
#include "Distributions.h"
#include "SpecialBodies.h"
#include "graphc/Indexing.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Special.h"

namespace graphc {
namespace {

Variable wide(const Variable &v) { return inDType(v, DType::Float64); }
Variable parameterOf(Inputs in, size_t k) { return wide(in[kParameters + k]); }

/// The draw of the same bits with other parameters, in `dtype`, on which bits of kernels depend.
Variable drawnAgain(std::string_view name, Inputs in, DType dtype, const Variables &parameters) {
  std::vector<Operand> operands = {in[kState], in[kSize]};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  return build(builtin(drawOpName(name), {{"dtype", dtype}}), operands);
}
/// Of the size of `draw`.
Variable standard(std::string_view name, Inputs in, const Variable &draw,
                  const Variables &parameters, DType dtype = DType::Float64) {
  Variables sized(in.begin(), in.end());
  sized[kSize] = shape(draw);
  return drawnAgain(name, sized, dtype, parameters);
}

Variable number(double value) { return constant(value); }

Variables inDTypeOf(const Variable &draw, Variables partials) {
  for (Variable &partial : partials)
    partial = inDType(partial, draw.dtype());
  return partials;
}

/// By the shape, of a standard gamma variable; 0 where that has vanished.
Variable gammaByShape(const Variable &a, const Variable &z) {
  Variable density = gammaDensity(a, z);
  Variable slope = build(builtin("gammaincShape"), {a, z});
  return where(z > 0.0, -slope / density, 0.0);
}

/// By a or by b, times a power of x (1 - x): of a beta variable, or of its logit.
Variable betaByShape(const Variable &a, const Variable &b, const Variable &x, bool byB,
                     double power) {
  Variable density = betaDensity(a, b, x, power);
  Variable slope = build(builtin("betaincShape", {{"byB", int64_t(byB)}}), {a, b, x});
  return where(logicalAnd(x > 0.0, x < 1.0), -slope / density, 0.0);
}

/// The nodes and weights of Gauss and Legendre on [0, 1].
struct Quadrature {
  std::vector<double> nodes, weights;
};
Quadrature quadrature(int count) {
  Quadrature q;
  for (int i = 0; i < count; ++i) {
    long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (count + 0.5L)), slope;
    for (int round = 0; round < 20; ++round) { // Newton
      long double last = 1, p = x;
      for (int k = 2; k <= count; ++k) {
        long double next = ((2 * k - 1) * x * p - (k - 1) * last) / k;
        last = p;
        p = next;
      }
      slope = count * (x * p - last) / (x * x - 1);
      x -= p / slope;
    }
    q.nodes.push_back(double((1 + x) / 2));
    q.weights.push_back(double(1 / ((1 - x * x) * slope * slope)));
  }
  return q;
}

} // namespace

Variables gammaPartials(Inputs in, const Variable &draw) {
  Variable a = parameterOf(in, 0), z = standard("gamma", in, draw, {a, number(1)});
  return inDTypeOf(draw, {parameterOf(in, 1) * gammaByShape(a, z), z});
}

Variables invgammaPartials(Inputs in, const Variable &draw) {
  Variable a = parameterOf(in, 0), z = standard("gamma", in, draw, {a, number(1)});
  return inDTypeOf(draw, {-parameterOf(in, 1) * gammaByShape(a, z) / sqr(z), reciprocal(z)});
}

Variables chisquarePartials(Inputs in, const Variable &draw) {
  Variable a = parameterOf(in, 0) * 0.5, x = standard("chisquare", in, draw, {parameterOf(in, 0)});
  return inDTypeOf(draw, {gammaByShape(a, x * 0.5)});
}

Variables betaPartials(Inputs in, const Variable &draw) {
  Variable a = parameterOf(in, 0), b = parameterOf(in, 1), x = standard("beta", in, draw, {a, b});
  return inDTypeOf(draw, {betaByShape(a, b, x, false, 1), betaByShape(a, b, x, true, 1)});
}

/// v = t^2 / (df + t^2) is a beta variable of 1/2 and df / 2: log |t| is half of log df and v's
/// logit. Where v is near 1, 1 - v is one of df / 2 and 1/2.
Variables studentTPartials(Inputs in, const Variable &draw) {
  Variable df = parameterOf(in, 0), b = df * 0.5, half = number(0.5);
  Variable t = standard("studentT", in, draw, {df, number(0), number(1)}), square = sqr(t);
  Variable v = square / (df + square), w = df / (df + square);
  Variable logit =
      where(v < 0.5, betaByShape(half, b, v, true, 0), -betaByShape(b, half, w, false, 0));
  Variable byDf = t * 0.5 * (1.0 / df + logit * 0.5);
  return inDTypeOf(draw, {parameterOf(in, 2) * byDf, onesLike(draw), t});
}

/// Of x - left = sqrt(u (right - left) (mode - left)), and right - x likewise.
Variables triangularPartials(Inputs in, const Variable &draw) {
  Variable left = parameterOf(in, 0), mode = parameterOf(in, 1), right = parameterOf(in, 2),
           x = wide(draw), isRising = x < mode;
  Variable rise = (x - left) * 0.5, fall = (right - x) * 0.5, width = right - left;
  Variable byMode = where(isRising, rise / (mode - left), fall / (right - mode));
  Variable byRight =
      where(isRising, rise / width, 1.0 - fall * (1.0 / width + 1.0 / (right - mode)));
  return inDTypeOf(draw, {1.0 - byMode - byRight, byMode, byRight});
}

Variables truncexponPartials(Inputs in, const Variable &draw) {
  const DType dtype = draw.dtype();
  Variable b = parameterOf(in, 0), zero = constant(Tensor(0.0).cast(dtype)),
           one = constant(Tensor(1.0).cast(dtype));
  Variable z = wide(standard("truncexpon", in, draw, {in[kParameters], zero, one}, dtype));
  // expm1(z) / expm1(b), of which both may overflow.
  Variable byB = exp(z - b) * expm1(-z) / expm1(-b);
  return inDTypeOf(draw, {parameterOf(in, 2) * byB, onesLike(draw), z});
}

/// The probability u below x is (Phi(z) - Phi(a)) / (Phi(b) - Phi(a)) of standardised numbers, so
/// that dz is (1 - u) phi(a) / phi(z) da + u phi(b) / phi(z) db. Below 0 all is mirrored.
Variables truncnormalPartials(Inputs in, const Variable &draw) {
  Variable mean = parameterOf(in, 0), sd = parameterOf(in, 1), low = parameterOf(in, 2),
           high = parameterOf(in, 3);
  Variable x = standard("truncnormal", in, draw, {mean, sd, low, high});
  Variable z = (x - mean) / sd, from = (low - mean) / sd, to = (high - mean) / sd;
  Variable isBelow = to < 0.0;
  Variable y = where(isBelow, -z, z), a = where(isBelow, -to, from), b = where(isBelow, -from, to);
  auto ratio = [](const Variable &s, const Variable &t) { // phi(s) / phi(t)
    return exp((t - s) * (t + s) * 0.5);
  };
  // The probability between s and b over the density at s.
  auto between = [&](const Variable &s) {
    constexpr double kRoot = std::numbers::sqrt2 / 2;
    return erfcx(s * kRoot) - where(isinf(b), 0.0, ratio(b, s) * erfcx(b * kRoot));
  };
  Variable all = ndtr(b) - ndtr(a), isFar = a > 0.0;
  Variable byA = where(isFar, between(y) / between(a), ratio(a, y) * (ndtr(b) - ndtr(y)) / all);
  Variable byB = where(isFar, ratio(b, y) * (1.0 - byA * ratio(y, a)),
                       ratio(b, y) * (ndtr(y) - ndtr(a)) / all);
  byA = where(isinf(a), 0.0, byA);
  byB = where(isinf(b), 0.0, byB);
  Variable byLow = where(isBelow, byB, byA), byHigh = where(isBelow, byA, byB);
  auto times = [](const Variable &end, const Variable &weight) {
    return where(isinf(end), 0.0, end * weight);
  };
  return inDTypeOf(
      draw, {1.0 - byLow - byHigh, z - times(from, byLow) - times(to, byHigh), byLow, byHigh});
}

/// By kappa: the integral from 0 to the angle x of (A - cos t) e^(kappa (cos t - cos x)), where A,
/// I1 / I0, is the mean of the cosine.
Variables vonmisesPartials(Inputs in, const Variable &draw) {
  static const Quadrature &q = *new Quadrature(quadrature(40));
  const auto count = int64_t(q.nodes.size());
  Variable nodes = constant(*Tensor::fromSpan<double>(q.nodes, {count})),
           weights = constant(*Tensor::fromSpan<double>(q.weights, {count}));
  Variable kappa = parameterOf(in, 1), x = standard("vonmises", in, draw, {number(0), kappa});
  Variable mean = ive(1.0, kappa) / ive(0.0, kappa);
  Variable at = expandDims(x, Axis(-1)), t = at * nodes;
  auto column = [&](const Variable &v) { return expandDims(second(x, v), Axis(-1)); };
  // cos t - cos x, without cancellation.
  Variable rise = sin((at + t) * 0.5) * sin((at - t) * 0.5) * 2.0;
  Variable integral = sum((column(mean) - cos(t)) * exp(column(kappa) * rise) * weights, Axis(-1));
  return inDTypeOf(draw, {onesLike(draw), x * integral});
}

//===--- rows -----------------------------------------------------------------------------===//

/// dx[i] = (d(ij) - x[i]) / (1 - x[j]) s[j] da[j], with s of x[j] as a beta variable of a[j] and
/// what the others have together.
static Variable dirichletFactor(Inputs in, const Variable &x) {
  Variable a = parameterOf(in, 0);
  Variable others = sum(a, {.axes = Axis(-1), .keepDims = true}) - a;
  return where(x < 1.0, betaByShape(a, others, x, false, 1) / (1.0 - x), 0.0);
}
static Variable dirichletDraw(Inputs in) {
  return drawnAgain("dirichlet", in, DType::Float64, {parameterOf(in, 0)});
}
RowDerivatives dirichletDerivatives() {
  return {.pullback = [](Inputs in, const Variable &g) -> Variables {
            Variable x = dirichletDraw(in), along = wide(g);
            Variable mean = sum(along * x, {.axes = Axis(-1), .keepDims = true});
            return {dirichletFactor(in, x) * (along - mean)};
          },
          .pushforward = [](Inputs in, size_t, const Variable &t) -> Variable {
            Variable x = dirichletDraw(in), moved = dirichletFactor(in, x) * wide(t);
            return moved - x * sum(moved, {.axes = Axis(-1), .keepDims = true});
          }};
}

/// mean + L z, for the Cholesky factor L of cov and a standard z.
static Variable normalRow(Inputs in) {
  Variable cov = parameterOf(in, 1);
  Variable one = second(cov, eye(shape(cov, -1), std::nullopt, 0, DType::Float64));
  return drawnAgain("multivariateNormal", in, DType::Float64, {zerosLike(parameterOf(in, 0)), one});
}
RowDerivatives multivariateNormalDerivatives() {
  return {.pullback = [](Inputs in, const Variable &g) -> Variables {
            Variable factor = cholesky(parameterOf(in, 1)), z = normalRow(in), along = wide(g);
            Variable outer = expandDims(along, Axis(-1)) * expandDims(z, Axis(-2));
            Apply node = factor.owner();
            Variable cov = node.op().def().pullback(node.op(), node.inputs(), {factor},
                                                    {unbroadcast(outer, in[kParameters + 1])})[0];
            return {g, cov};
          },
          .pushforward = [](Inputs in, size_t k, const Variable &t) -> Variable {
            if (k == 0)
              return t;
            Variable factor = cholesky(parameterOf(in, 1)), z = normalRow(in);
            Apply node = factor.owner();
            Variable moved =
                node.op().def().pushforward(node.op(), node.inputs(), {factor}, {wide(t)})[0];
            return sum(moved * expandDims(z, Axis(-2)), Axis(-1));
          }};
}

} // namespace graphc
