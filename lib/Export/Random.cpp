//===- Random.cpp - draws ------------------------------------------------------===//
//
// ONNX's generators are the runtime's: a draw has the distribution, not the numbers. The state is
// not read, but for a seed where it is a constant; it goes on as arithmetic on it.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <limits>
#include <numbers>

#include "Export/DrawParts.h"
#include "Export/MatrixParts.h"
#include "Export/SpecialParts.h"
#include "Ops/Build.h"
#include "graphc/Arrays.h"

namespace graphc {

using V = Variable;
using Vs = Variables;

bool isOfParameters(const Apply &n) { return n.input(1).type().extent(0) == 0; }

V sizeOf(const Apply &n) {
  if (!isOfParameters(n))
    return cast(n.input(1), DType::Int64);
  V all = cast(n.input(2), DType::Float64);
  for (int i = 3; i < n.numInputs(); ++i)
    all = add(all, cast(n.input(i), DType::Float64));
  return shape(all);
}

namespace {

/// The node's state for the draw of that number of several: seeds must differ.
V stateOf(const Apply &n, int64_t stream) {
  constexpr int kFarAway = 40; // elements: 2^40
  return stream ? add(n.input(0), stack({Operand(0), Operand(stream << kFarAway)})) : n.input(0);
}

/// Another draw of the same state and shape.
V drawn(const Apply &n, std::string_view op) {
  DType dtype = n.output(1).dtype();
  if (!isFloat(dtype))
    dtype = DType::Float64;
  else if (bitWidth(dtype) == 16) // halves are not drawn everywhere
    dtype = DType::Float32;
  return builtin(op, {{"dtype", dtype}})(n.input(0), sizeOf(n), number(0), number(1));
}
V normal(const Apply &n) { return drawn(n, "randomNormal"); }

} // namespace

V uniform(const Apply &n) { return drawn(n, "randomUniform"); }
V positiveUniform(const Apply &n) {
  V u = uniform(n);
  return sub(literal(1, u), u);
}

namespace {

V exponential(const Apply &n) { return neg(log(positiveUniform(n))); }
V parameter(const Apply &n, int i, const V &like) { return cast(n.input(2 + i), like.dtype()); }

/// parameter 0 + parameter 1 * standard.
V scaled(const Apply &n, const V &standard) {
  return add(parameter(n, 0, standard), mul(parameter(n, 1, standard), standard));
}

} // namespace

V standard(const Apply &n, std::string_view op, const V &extents, int64_t stream) {
  return builtin(op, {{"dtype", DType::Float64}})(stateOf(n, stream), extents, number(0),
                                                  number(1));
}

V rowsShape(const Apply &n, const V &rows, const V &together) {
  if (isOfParameters(n))
    return shape(together);
  V length = expandDims(shape(rows, rows.rank() - 1), Axis(0));
  return concatenate({cast(n.input(1), DType::Int64), length}, 0);
}

V countsOf(const V &areTaken, const V &numbers) {
  constexpr double kGreatest = 0x1p63;
  const V greatest = constant(Tensor(std::numeric_limits<int64_t>::max()));
  V isBelow = lt(numbers, kGreatest), below = where(isBelow, numbers, number(0));
  V counts = where(isBelow, cast(below, DType::Int64), greatest);
  return where(areTaken, counts, constant(Tensor(int64_t(-1))));
}
V isPositiveProbability(const V &p) { return logicalAnd(gt(p, 0.0), le(p, 1.0)); }
V areProbabilities(const V &p) {
  constexpr double kOff = 1e-6; // as the op
  return logicalAnd(all(ge(p, 0.0), Axis(-1)), le(abs(sub(sum(p, Axis(-1)), 1.0)), kOff));
}

Vs nextAnd(const Apply &n, const V &draw) {
  V drawn = cast(draw, n.output(1).dtype());
  V step = stack({Operand(constant(Tensor(0))), Operand(size(drawn))});
  return {add(n.input(0), step), drawn};
}

namespace {

/// A draw on [0, 1), or of the standard normal distribution, and what the parameters make of it.
Values writeBase(OnnxWriter &w, const Apply &n, const Values &in, std::string_view op) {
  const Type &type = n.output(1).type();
  DType computed = dtypeWithin(kRealFloats, type.dtype());
  Type base = type.withDType(computed);
  Value first = w.as(in[2], computed), second = w.as(in[3], computed);
  bool isUniform = op == "RandomUniformLike";
  Value like;
  if (isOfParameters(n))
    like = w.node("Add", {first, second}, base);
  else
    like = w.node("Expand", {OnnxWriter::scalar(0, computed), w.as(in[1], DType::Int64)}, base);
  OnnxAttributes attributes;
  if (in[0].isConstant()) // 24 bits of the key and the position, which a float holds
    attributes.push_back({"seed", float((in[0].constant.contentHash() & 0xffffff))});
  Value draw = w.node(op, {like}, base, attributes);
  Value factor = isUniform ? w.node("Sub", {second, first}, second.type) : second;
  if (isUniform)
    factor.type = second.rank() >= first.rank() ? second.type : first.type;
  Value product = w.node("Mul", {draw, factor}, base);
  Value drawn = w.as(w.node("Add", {product, first}, base), type.dtype());
  Value count = w.unsqueezed(w.node("Size", {drawn}, Type(DType::Int64, {})), {0});
  Value step = w.node("Concat", {OnnxWriter::ints({0}), count}, Type(DType::Int64, {2}),
                      {{"axis", int64_t(0)}});
  return {w.node("Add", {in[0], step}, in[0].type), drawn};
}
Values writeUniform(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeBase(w, n, in, "RandomUniformLike");
}
Values writeNormal(OnnxWriter &w, const Apply &n, const Values &in) {
  return writeBase(w, n, in, "RandomNormalLike");
}

V halfnormalDraw(const Apply &n) { return scaled(n, abs(normal(n))); }
V laplaceDraw(const Apply &n) {
  V centred = sub(uniform(n), 0.5), tail = sub(1.0, mul(abs(centred), 2.0));
  return scaled(n, neg(mul(sgn(centred), log(maximum(tail, 1e-30)))));
}
V logisticDraw(const Apply &n) {
  V u = maximum(positiveUniform(n), 1e-30);
  return scaled(n, sub(log(u), log(maximum(sub(1.0, u), 1e-30))));
}
V gumbelDraw(const Apply &n) { return scaled(n, neg(log(maximum(exponential(n), 1e-30)))); }
V cauchy(const Apply &n) { return tan(mul(sub(uniform(n), 0.5), std::numbers::pi)); }
V cauchyDraw(const Apply &n) { return scaled(n, cauchy(n)); }
V halfcauchyDraw(const Apply &n) { return scaled(n, abs(cauchy(n))); }
V lognormalDraw(const Apply &n) { return exp(scaled(n, normal(n))); }
V exponentialDraw(const Apply &n) {
  V e = exponential(n);
  return mul(parameter(n, 0, e), e);
}
V weibullDraw(const Apply &n) {
  V e = exponential(n);
  return mul(parameter(n, 1, e), pow(e, reciprocal(parameter(n, 0, e))));
}
V paretoDraw(const Apply &n) {
  V e = exponential(n);
  return mul(parameter(n, 1, e), exp(trueDiv(e, parameter(n, 0, e))));
}
V truncexponDraw(const Apply &n) {
  V u = uniform(n), all = sub(1.0, exp(neg(parameter(n, 0, u))));
  return sub(parameter(n, 1, u), mul(parameter(n, 2, u), log(sub(1.0, mul(u, all)))));
}
V triangularDraw(const Apply &n) {
  V u = uniform(n), left = parameter(n, 0, u), mode = parameter(n, 1, u),
    right = parameter(n, 2, u);
  V width = sub(right, left), share = trueDiv(sub(mode, left), width);
  V rising = add(left, sqrt(mul(mul(u, width), sub(mode, left))));
  V falling = sub(right, sqrt(mul(mul(sub(1.0, u), width), sub(right, mode))));
  return where(lt(u, share), rising, falling);
}
V integersDraw(const Apply &n) {
  V low = wide(n, 2), width = sub(wide(n, 3), low);
  return cast(add(low, floor(mul(uniform(n), width))), DType::Int64);
}
V bernoulliDraw(const Apply &n) {
  V p = wide(n, 2);
  return countsOf(isProbability(p), cast(lt(uniform(n), p), DType::Float64));
}
V geometricDraw(const Apply &n) {
  V p = wide(n, 2), trials = trueDiv(log(positiveUniform(n)), log1p(neg(p)));
  return countsOf(isPositiveProbability(p), add(floor(trials), 1.0));
}
/// The number of sums of probabilities that are not above a uniform number.
V categoricalDraw(const Apply &n) {
  V p = wide(n, 2);
  int last = p.rank() - 1;
  V size = isOfParameters(n) ? subtensor(shape(p), {Index(Slice(0, -1))})
                             : cast(n.input(1), DType::Int64);
  V u = standard(n, "randomUniform", size, 0);
  V isAbove = ge(expandDims(u, Axis(u.rank())), cumsum(p, last));
  V count = sum(cast(isAbove, DType::Float64), Axis(u.rank()));
  V greatest = cast(sub(shape(p, last), 1), DType::Float64);
  return countsOf(areProbabilities(p), minimum(count, greatest));
}

//===--- by rejection -----------------------------------------------------------------===//

/// Of so many candidates of each element, the first that is taken: each is with a probability of
/// 0.95 or more (Marsaglia and Tsang), so that one element in 10^20 has none.
constexpr int64_t kCandidates = 16;

/// What stands at the first candidate that is taken.
V firstTaken(const V &isTaken, const V &candidates, int64_t count) {
  V first = argmax(cast(isTaken, DType::Int64), Axis(0));
  V isFirst =
      eq(expandDims(first, Axis(0)), positionsAlong(constant(Tensor(count)), 0, candidates.rank()));
  return sum(where(isFirst, candidates, number(0)), Axis(0));
}
V extentsOf(int64_t candidates, const V &extents) {
  return concatenate({stack({Operand(candidates)}), extents}, 0);
}

} // namespace

/// Below 1 it is that of one more, times a
/// power of a uniform number.
V gammaOfShape(const Apply &n, const V &shapes, int64_t stream) {
  V extents = extentsOf(kCandidates, shape(shapes));
  V isSmall = lt(shapes, 1.0), a = where(isSmall, add(shapes, 1.0), shapes);
  V d = sub(a, 1.0 / 3), c = reciprocal(sqrt(mul(d, 9.0)));
  V x = standard(n, "randomNormal", extents, stream);
  V u = sub(1.0, standard(n, "randomUniform", extents, stream + 1));
  V root = add(mul(c, x), 1.0), v = mul(root, mul(root, root)), isAbove = gt(root, 0.0);
  V logOfV = log(where(isAbove, v, number(1)));
  V limit = add(mul(mul(x, x), 0.5), mul(d, add(sub(1.0, v), logOfV)));
  V isTaken = logicalAnd(isAbove, lt(log(u), limit));
  V taken = mul(d, firstTaken(isTaken, v, kCandidates));
  V last = sub(1.0, standard(n, "randomUniform", shape(shapes), stream + 2));
  return where(isSmall, mul(taken, pow(last, reciprocal(shapes))), taken);
}
V each(const Apply &n, int i) {
  return broadcastTo(cast(n.input(2 + i), DType::Float64), ShapeList(sizeOf(n)));
}

namespace {

V gammaDraw(const Apply &n) { return mul(gammaOfShape(n, each(n, 0)), each(n, 1)); }
V invgammaDraw(const Apply &n) { return trueDiv(each(n, 1), gammaOfShape(n, each(n, 0))); }
V chisquareDraw(const Apply &n) { return mul(gammaOfShape(n, mul(each(n, 0), 0.5)), 2.0); }
V studentDraw(const Apply &n) {
  V df = each(n, 0), z = standard(n, "randomNormal", sizeOf(n), 0);
  V square = trueDiv(mul(gammaOfShape(n, mul(df, 0.5)), 2.0), df);
  return add(each(n, 1), mul(each(n, 2), trueDiv(z, sqrt(square))));
}
V betaDraw(const Apply &n) {
  V g = gammaOfShape(n, each(n, 0)), h = gammaOfShape(n, each(n, 1), 4);
  return trueDiv(g, add(g, h));
}
/// Michael, Schucany and Haas: the smaller root of a square, or the other one.
V waldDraw(const Apply &n) {
  V mean = each(n, 0), scale = each(n, 1), z = standard(n, "randomNormal", sizeOf(n), 0);
  V y = mul(mean, mul(z, z)), twice = mul(scale, 2.0);
  V root = sqrt(add(mul(mul(y, scale), 4.0), mul(y, y)));
  // mean + mean (y - root) / (2 scale), without its cancellation.
  V x = trueDiv(mul(mean, twice), add(add(twice, y), root));
  V u = standard(n, "randomUniform", sizeOf(n), 1);
  return where(le(mul(u, add(mean, x)), mean), x, trueDiv(mul(mean, mean), x));
}
/// Each element by where a uniform number is in the part of the distribution function; of the tail
/// that is nearer to 0, where the function has digits.
V truncnormalDraw(const Apply &n) {
  V mean = each(n, 0), sd = each(n, 1);
  V low = trueDiv(sub(each(n, 2), mean), sd), high = trueDiv(sub(each(n, 3), mean), sd);
  V isRight = gt(low, 0.0);
  V from = where(isRight, neg(high), low), to = where(isRight, neg(low), high);
  V p = builtin("ndtr")(from), q = builtin("ndtr")(to),
    u = standard(n, "randomUniform", sizeOf(n), 0);
  V at = add(p, mul(u, sub(q, p)));
  V z = mul(builtin("erfcinv")(mul(at, 2.0)), -std::numbers::sqrt2);
  z = maximum(minimum(where(isRight, neg(z), z), high), low);
  return add(mean, mul(sd, z));
}

//===--- without putting back ---------------------------------------------------------===//

/// The positions of the `count` greatest of independent keys along the last axis.
V greatest(const V &keys, const V &count) {
  int last = keys.rank() - 1;
  V order = builtin("argsort", {{"axis", int64_t(last)}, {"descending", true}})(keys);
  return sliceAlong(order, last, Slice(0, count));
}
V rowsOf(const Apply &n, const V &length, int rowRank) {
  V batch = cast(n.input(1), DType::Int64);
  if (isOfParameters(n)) {
    V own = shape(n.input(2));
    batch = rowRank ? subtensor(own, {Index(Slice(0, -1))}) : own;
  }
  V extents = concatenate({batch, expandDims(length, Axis(0))}, 0);
  return standard(n, "randomUniform", extents, 0);
}
V permutationDraw(const Apply &n) {
  V count = cast(n.input(3), DType::Int64), length = cast(n.input(2), DType::Int64);
  V most = length.rank() ? max(length) : length;
  V keys = rowsOf(n, most, 0);
  V isThere = lt(arange(most), expandDims(length, Axis(length.rank())));
  return greatest(where(isThere, keys, number(-1)), count);
}
/// Efraimidis and Spirakis: u^(1/p), by its logarithm.
V weightedDraw(const Apply &n) {
  V p = cast(n.input(2), DType::Float64), count = cast(n.input(3), DType::Int64);
  V u = sub(1.0, rowsOf(n, shape(p, p.rank() - 1), 1));
  V keys = trueDiv(minimum(log(u), -1e-300), p);
  return greatest(keys, count);
}

/// Gamma variables along the last axis, divided by their sum.
V dirichletDraw(const Apply &n) {
  V alpha = wide(n, 2);
  V g = gammaOfShape(n, broadcastTo(alpha, ShapeList(rowsShape(n, alpha, alpha))));
  return trueDiv(g, sum(g, {.axes = Axis(-1), .keepDims = true}));
}

/// Best and Fisher, of whose candidates 0.65 and more are taken, whatever kappa is: one element in
/// 10^21 has none. A normal variable for great kappa, as here.
constexpr int64_t kOnCircle = 48;
V vonmisesDraw(const Apply &n) {
  constexpr double pi = std::numbers::pi;
  V mean = each(n, 0), given = each(n, 1), kappa = maximum(minimum(given, 1e6), 1e-8);
  V tau = add(sqrt(add(mul(mul(kappa, kappa), 4.0), 1.0)), 1.0);
  V rho = trueDiv(sub(tau, sqrt(mul(tau, 2.0))), mul(kappa, 2.0));
  V small = lt(kappa, 1e-5), safe = where(small, number(1), rho);
  V r = where(small, add(reciprocal(kappa), kappa),
              trueDiv(add(mul(safe, safe), 1.0), mul(safe, 2.0)));
  V extents = extentsOf(kOnCircle, sizeOf(n));
  V z = cos(mul(standard(n, "randomUniform", extents, 1), pi));
  V u = sub(1.0, standard(n, "randomUniform", extents, 2));
  V w = trueDiv(add(mul(r, z), 1.0), add(r, z)), c = mul(kappa, sub(r, w));
  V isTaken = logicalOr(gt(mul(c, sub(2.0, c)), u), ge(add(log(trueDiv(c, u)), 1.0), c));
  V cosine = maximum(minimum(firstTaken(isTaken, w, kOnCircle), 1.0), -1.0);
  // ONNX Runtime has arccos of float32 alone: a step of Newton's doubles the digits.
  V angle = cast(arccos(cast(cosine, DType::Float32)), DType::Float64);
  angle = add(angle, trueDiv(sub(cos(angle), cosine), maximum(sin(angle), 1e-4)));
  V isLeft = lt(standard(n, "randomUniform", sizeOf(n), 3), 0.5);
  angle = where(isLeft, neg(angle), angle);
  V normal = trueDiv(standard(n, "randomNormal", sizeOf(n), 4), sqrt(maximum(given, 1.0)));
  angle = add(where(gt(given, 1e6), normal, angle), mean);
  return sub(angle, mul(round(trueDiv(angle, 2 * pi)), 2 * pi));
}

/// mean + l z.
Vs composeMultivariateNormal(const Apply &n) {
  V mean = wide(n, 2), factor = semidefiniteFactor(wide(n, 3));
  V together = add(mean, mul(sum(factor, Axis(-1)), 0.0));
  V z = standard(n, "randomNormal", rowsShape(n, mean, together), 0);
  V product = matmul(factor, expandDims(z, Axis(z.rank())));
  return nextAnd(n, add(mean, squeeze(product, Axis(-1))));
}

} // namespace

absl::Span<const ExportRule> randomExports() {
  static constexpr ExportRule kTable[] = {
      written("randomUniform", writeUniform),
      written("randomNormal", writeNormal),
      composed("randomHalfnormal", withNext<halfnormalDraw>),
      composed("randomLaplace", withNext<laplaceDraw>),
      composed("randomLogistic", withNext<logisticDraw>),
      composed("randomGumbel", withNext<gumbelDraw>),
      composed("randomCauchy", withNext<cauchyDraw>),
      composed("randomHalfcauchy", withNext<halfcauchyDraw>),
      composed("randomTriangular", withNext<triangularDraw>),
      composed("randomLognormal", withNext<lognormalDraw>),
      composed("randomExponential", withNext<exponentialDraw>),
      composed("randomWeibull", withNext<weibullDraw>),
      composed("randomPareto", withNext<paretoDraw>),
      composed("randomTruncexpon", withNext<truncexponDraw>),
      composed("randomIntegers", withNext<integersDraw>),
      composed("randomBernoulli", withNext<bernoulliDraw>),
      composed("randomGeometric", withNext<geometricDraw>),
      composed("randomCategorical", withNext<categoricalDraw>),
      composed("randomGamma", withNext<gammaDraw>),
      composed("randomInvgamma", withNext<invgammaDraw>),
      composed("randomChisquare", withNext<chisquareDraw>),
      composed("randomBeta", withNext<betaDraw>),
      composed("randomStudentT", withNext<studentDraw>),
      composed("randomWald", withNext<waldDraw>),
      composed("randomTruncnormal", withNext<truncnormalDraw>),
      composed("randomPermutation", withNext<permutationDraw>),
      composed("randomWeightedPermutation", withNext<weightedDraw>),
      composed("randomDirichlet", withNext<dirichletDraw>),
      composed("randomVonmises", withNext<vonmisesDraw>),
      composed("randomMultivariateNormal", composeMultivariateNormal),
  };
  return kTable;
}

} // namespace graphc
