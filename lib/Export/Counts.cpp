//===- Counts.cpp - draws of counts ---------------------------------------------===//
//
// By inversion: the least number up to which the distribution function is not below a uniform
// number, found by halving an interval. The functions are incomplete gamma and beta functions,
// whose digits do not depend on how great the counts are. The uniform numbers stand outside of the
// loops, since readers' draws within may be the same in each step.
//
//===----------------------------------------------------------------------===//
#include <functional>
#include <numbers>

#include "Export/DrawParts.h"
#include "Export/SpecialParts.h"
#include "Ops/Build.h"
#include "graphc/Arrays.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

/// Intervals of up to 2^64 become one of length 1.
constexpr int64_t kMostHalvings = 80;

/// By element, the least whole k in [0, most] with u <= distribution(k); most if there is none.
V inverted(const V &isDrawn, const V &u, const V &most,
           const std::function<V(const V &k)> &distribution) {
  Vs ends = iterated(isDrawn, {number(-1), most}, kMostHalvings, [&](const V &, const Vs &s) {
    V middle = floor(mul(add(s[0], s[1]), 0.5)), isEnough = le(u, distribution(middle));
    V low = where(isEnough, s[0], middle), high = where(isEnough, middle, s[1]);
    return Iterated{{low, high}, gt(sub(high, low), 1.0)};
  });
  return where(isDrawn, ends[1], number(0));
}

V poissonOf(const V &rate, const V &u) {
  V isRate = gt(rate, 0.0), own = where(isRate, rate, number(1));
  V most = ceil(add(add(own, mul(sqrt(own), 12.0)), 60.0)); // more has less than 2^-53
  return inverted(isRate, u, most, [&](const V &k) { return gammaTails(add(k, 1.0), own).upper; });
}

/// Of this variance and more, Cornish and Fisher's expansion with the skewness is off by less than
/// 1e-7 deviations.
constexpr double kNormalFrom = 1e7;
V byNormal(const V &u, const V &mean, const V &variance, const V &skewed) {
  V z = mul(builtin("erfcinv")(mul(u, 2.0)), -std::numbers::sqrt2);
  V correction = trueDiv(mul(sub(mul(z, z), 1.0), skewed), 6.0);
  return floor(add(add(mean, mul(sqrt(variance), z)), add(correction, 0.5)));
}

/// P(X <= k) = I_q(n - k, k + 1).
V binomialOf(const V &n, const V &p, const V &u) {
  V q = sub(1.0, p), variance = mul(mul(n, p), q);
  V isSome = logicalAnd(gt(n, 0.0), logicalAnd(gt(p, 0.0), lt(p, 1.0)));
  V isFew = logicalAnd(isSome, lt(variance, kNormalFrom));
  V count = where(isFew, n, number(2)), share = where(isFew, p, number(0.5));
  UnitPoint at{sub(1.0, share), share, log1p(neg(share)), log(share)};
  V few = inverted(isFew, u, count, [&](const V &k) {
    V isInside = lt(k, count), inside = where(isInside, k, number(0));
    V lower = betaTails(sub(count, inside), add(inside, 1.0), at).lower;
    return where(isInside, lower, number(1));
  });
  V many = maximum(minimum(byNormal(u, mul(n, p), variance, sub(q, p)), n), 0.0);
  return where(isFew, few, where(isSome, many, where(ge(p, 1.0), n, number(0))));
}

/// As the ops' requirements.
V isCount(const V &x) {
  constexpr double kMost = 0x1p53;
  return logicalAnd(logicalAnd(ge(x, 0.0), le(x, kMost)), eq(floor(x), x));
}

V poissonDraw(const Apply &n) {
  V rate = each(n, 0), isTaken = logicalOr(isPositive(rate), eq(rate, 0.0));
  return countsOf(isTaken, poissonOf(where(isTaken, rate, number(0)), positiveUniform(n)));
}
V binomialDraw(const Apply &n) {
  V count = each(n, 0), p = each(n, 1), isTaken = logicalAnd(isCount(count), isProbability(p));
  return countsOf(isTaken, binomialOf(count, p, positiveUniform(n)));
}
/// A Poisson variable whose rate is a gamma variable.
V negativeBinomialDraw(const Apply &n) {
  V failures = each(n, 0), p = each(n, 1), odds = trueDiv(sub(1.0, p), p);
  V isTaken = logicalAnd(isPositive(failures), isPositiveProbability(p));
  V rate = mul(gammaOfShape(n, where(isTaken, failures, number(1)), 1), odds);
  return countsOf(isTaken, poissonOf(where(isTaken, rate, number(0)), positiveUniform(n)));
}
V betabinomDraw(const Apply &n) {
  V count = each(n, 0), a = each(n, 1), b = each(n, 2);
  V isTaken = logicalAnd(isCount(count), logicalAnd(isPositive(a), isPositive(b)));
  V g = gammaOfShape(n, where(isTaken, a, number(1)), 1);
  V h = gammaOfShape(n, where(isTaken, b, number(1)), 4);
  return countsOf(isTaken, binomialOf(count, trueDiv(g, add(g, h)), positiveUniform(n)));
}

//===--- from the mode on -------------------------------------------------------------===//

/// As many as some deviations of the greatest counts.
constexpr int64_t kMostSteps = 10'000'000;

V logFactorial(const V &x) { return gammalnAbove(add(x, 1.0)); }
V logChoices(const V &n, const V &k) {
  return sub(sub(logFactorial(n), logFactorial(k)), logFactorial(sub(n, k)));
}
/// Outwards, one number on each side in a step.
V hypergeometricDraw(const Apply &n) {
  V areTaken =
      logicalAnd(isCount(each(n, 0)), logicalAnd(isCount(each(n, 1)), isCount(each(n, 2))));
  areTaken = logicalAnd(areTaken, le(each(n, 2), add(each(n, 0), each(n, 1))));
  auto taken = [&](int i) { return where(areTaken, each(n, i), number(1)); };
  V good = taken(0), bad = taken(1), draws = taken(2), u = positiveUniform(n);
  V least = maximum(sub(draws, bad), 0.0), most = minimum(good, draws);
  V mode = floor(trueDiv(mul(add(draws, 1.0), add(good, 1.0)), add(add(good, bad), 2.0)));
  mode = maximum(minimum(mode, most), least);
  V atMode = exp(sub(add(logChoices(good, mode), logChoices(bad, sub(draws, mode))),
                     logChoices(add(good, bad), draws)));
  auto ratio = [&](const V &k) { // p(k) / p(k - 1)
    V above = mul(add(sub(good, k), 1.0), add(sub(draws, k), 1.0));
    return trueDiv(above, mul(k, add(sub(bad, draws), k)));
  };
  // What is left of u, the ends and their probabilities, what was found.
  Vs start = {sub(u, atMode), mode, mode, atMode, atMode, mode};
  Vs ends = iterated(gt(u, atMode), start, kMostSteps, [&](const V &, const Vs &s) {
    V up = add(s[1], 1.0), isUp = le(up, most);
    V above = where(isUp, mul(s[3], ratio(where(isUp, up, most))), number(0));
    V isFoundUp = logicalAnd(isUp, le(s[0], above)), left = sub(s[0], above);
    V down = sub(s[2], 1.0), isDown = ge(down, least);
    V below = where(isDown, trueDiv(s[4], ratio(where(isDown, s[2], mode))), number(0));
    V isFoundDown = logicalAnd(isDown, le(left, below));
    V found = where(isFoundUp, up, where(isFoundDown, down, s[5]));
    V isOver = logicalOr(logicalOr(isFoundUp, isFoundDown), lt(add(above, below), 0x1p-80));
    return Iterated{{sub(left, below), up, down, above, below, found}, logicalNot(isOver)};
  });
  return countsOf(areTaken, ends[5]);
}

/// Each number is binomial of what the ones before have left, with uniform numbers of its own.
Vs composeMultinomial(const Apply &n) {
  V p = wide(n, 3), count = expandDims(wide(n, 2), Axis(n.input(2).rank()));
  int rows = n.output(1).rank() - 1;
  V extents = rowsShape(n, p, add(count, p));
  V areTaken = logicalAnd(isCount(count), expandDims(areProbabilities(p), Axis(-1)));
  auto byColumn = [&](const V &x) {
    return moveaxis(broadcastTo(x, ShapeList(extents)), {rows}, {0});
  };
  V shares = byColumn(p), u = sub(1.0, byColumn(standard(n, "randomUniform", extents, 0)));
  V least = sum(mul(shares, 0.0), Axis(0)), left = add(least, squeeze(count, Axis(-1)));
  ScanResult loop = scan(
      [](const Vs &v) { // its share, a uniform number, how many and which share are left
        V share = where(gt(v[3], 0.0), trueDiv(v[0], v[3]), number(0));
        V isLast = le(sub(v[3], v[0]), 1e-12), own = where(gt(v[0], 0.0), v[2], number(0));
        V drawn = where(isLast, own, binomialOf(v[2], minimum(share, 1.0), v[1]));
        return ScanStep({sub(v[2], drawn), sub(v[3], v[0]), drawn});
      },
      {.sequences = {ScanSequence(shares), ScanSequence(u)},
       .outputs = {ScanOutput(left), ScanOutput(sum(shares, Axis(0))), ScanOutput::none()}});
  return nextAnd(n, countsOf(areTaken, moveaxis(loop.outputs[2], {0}, {rows})));
}

} // namespace

absl::Span<const ExportRule> countExports() {
  static constexpr ExportRule kTable[] = {
      composed("randomPoisson", withNext<poissonDraw>),
      composed("randomBinomial", withNext<binomialDraw>),
      composed("randomNegativeBinomial", withNext<negativeBinomialDraw>),
      composed("randomBetabinom", withNext<betabinomDraw>),
      composed("randomHypergeometric", withNext<hypergeometricDraw>),
      composed("randomMultinomial", composeMultinomial),
  };
  return kTable;
}

} // namespace graphc
