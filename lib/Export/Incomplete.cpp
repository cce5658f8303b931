//===- Incomplete.cpp - incomplete gamma and beta functions, their inverses ----===//
//
// Inverses by Newton's method on the logarithm of the smaller tail: as a function of log(x), or of
// log(x / (1 - x)), it is concave, so that all steps but the first go one way.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Export/SpecialParts.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
V both(const V &p, const V &q) { return logicalAnd(p, q); }
V either(const V &p, const V &q) { return logicalOr(p, q); }

//===--- beta -------------------------------------------------------------------------===//

V isPoleOrEnd(const V &x) { return either(isPole(x), eq(x, -kInfinity)); }

V betaOf(const V &a, const V &b) {
  V isNear = both(lt(a, 10.0), lt(b, 10.0));
  V least = minimum(a, b), most = maximum(a, b);
  V near = mul(gammaAbove(least), trueDiv(gammaAbove(most), gammaAbove(add(a, b))));
  return where(isNear, near, exp(betalnAbove(a, b)));
}
/// Operands at which Gamma(b) and Gamma(a + b) both have a pole become others, at which beta is the
/// same but for its sign (lib/Special/Gamma.cpp). Whether that changes.
V withoutPolesOfBoth(WideOperands &e) {
  V whole = maximum(e.x[0], e.x[1]), pole = minimum(e.x[0], e.x[1]), sum = add(whole, pole);
  V isWhole = both(gt(whole, 0.0), eq(whole, floor(whole)));
  V isBoth = both(both(isWhole, both(isPole(pole), gt(pole, -kInfinity))), le(sum, 0.0));
  e.x = {where(isBoth, sub(number(1), sum), e.x[0]), where(isBoth, whole, e.x[1])};
  return both(isBoth, neq(mul(floor(mul(whole, 0.5)), 2.0), whole));
}
Vs composeBeta(const Apply &n) {
  WideOperands e(n);
  V isOpposite = withoutPolesOfBoth(e);
  const V &a = e.x[0], &b = e.x[1];
  V isRegular = both(isPositive(a), isPositive(b)), areAbove = both(gt(a, 0.0), gt(b, 0.0));
  Vs x = e.where(isRegular);
  V isPoleOfOne = either(isPole(a), isPole(b)), isZero = either(eq(a, 0.0), eq(b, 0.0));
  V isEndless = either(isinf(a), isinf(b));
  V mirrored = mul(trueDiv(gammaOf(a), gammaOf(add(a, b))), gammaOf(b));
  mirrored = where(isPole(add(a, b)), number(0), mirrored);
  V below = where(isPoleOfOne, where(isZero, number(kInfinity), noNumber()),
                  where(isEndless, noNumber(), mirrored));
  V result = where(isRegular, betaOf(x[0], x[1]), where(areAbove, number(0), below));
  return {where(e.isNan, noNumber(), where(isOpposite, neg(result), result))};
}
Vs composeBetaln(const Apply &n) {
  WideOperands e(n);
  withoutPolesOfBoth(e);
  const V &a = e.x[0], &b = e.x[1];
  V isRegular = both(isPositive(a), isPositive(b)), areAbove = both(gt(a, 0.0), gt(b, 0.0));
  Vs x = e.where(isRegular);
  V isPoleOfOne = either(isPoleOrEnd(a), isPoleOrEnd(b)), isEndless = either(isinf(a), isinf(b));
  V mirrored = sub(add(gammalnOf(a), gammalnOf(b)), gammalnOf(add(a, b)));
  mirrored = where(isPole(add(a, b)), number(-kInfinity), mirrored);
  V below = where(isPoleOfOne, number(kInfinity), where(isEndless, noNumber(), mirrored));
  V result = where(isRegular, betalnAbove(x[0], x[1]), where(areAbove, number(-kInfinity), below));
  return {where(e.isNan, noNumber(), result)};
}

/// Beyond, the distribution is a step at its mean, where one of its parameters is not large.
constexpr double kStep = 1e15, kLarge = 1e7;
/// Where both are, their fraction would end before it has settled: NaN.
constexpr double kBeyond = 1e9;

/// Which parameters make a step, and which nothing that a file can say.
struct FarParameters {
  V areStep, areBeyond;
};
FarParameters farOf(const V &a, const V &b) {
  V least = minimum(a, b), most = maximum(a, b), isLarge = ge(least, kLarge);
  return {both(gt(most, kStep), logicalNot(isLarge)), both(gt(most, kBeyond), isLarge)};
}

UnitPoint pointOf(const V &x) { return {x, sub(1.0, x), log(x), log1p(neg(x))}; }

V isInside(const V &p) { return both(gt(p, 0.0), lt(p, 1.0)); }

Vs composeBetainc(const Apply &n) {
  WideOperands e(n);
  const V &a = e.x[0], &b = e.x[1], &at = e.x[2];
  V isDefined = both(both(ge(a, 0.0), ge(b, 0.0)), isProbability(at));
  V areEqual = either(both(eq(a, 0.0), eq(b, 0.0)), both(isinf(a), isinf(b)));
  FarParameters far = farOf(a, b);
  V isFar = either(far.areStep, far.areBeyond);
  V isRegular = both(both(isPositive(a), isPositive(b)), both(isInside(at), logicalNot(isFar)));
  Vs x = e.where(isRegular);
  V mean = trueDiv(a, add(a, b));
  V step = where(lt(at, mean), number(0), where(gt(at, mean), number(1), number(0.5)));
  step = where(both(far.areBeyond, both(isPositive(a), isPositive(b))), noNumber(), step);
  V limit = where(either(eq(a, 0.0), isinf(b)), number(1),
                  where(either(eq(b, 0.0), isinf(a)), number(0), step));
  limit = where(isInside(at), limit, at);
  limit = where(both(isDefined, logicalNot(areEqual)), limit, noNumber());
  V result = where(isRegular, betaTails(x[0], x[1], pointOf(x[2])).lower, limit);
  return {where(e.isNan, noNumber(), result)};
}

/// Newton's method from the mean on. `goal`: the logarithms of p and 1 - p.
constexpr int64_t kMostNewton = 400;
/// The error after a step is the square of the one before.
constexpr double kLastStep = 1e-11;

/// How far to go, in the variable of which the density is given.
V newtonStep(const V &isLower, const Tails &t, const V &logP, const V &logQ) {
  V away = where(isLower, sub(t.logLower, logP), sub(logQ, t.logUpper));
  V slope = exp(sub(t.logDensity, where(isLower, t.logLower, t.logUpper)));
  return neg(trueDiv(away, slope));
}

Vs composeBetaincinv(const Apply &n) {
  WideOperands e(n);
  const V &a = e.x[0], &b = e.x[1], &p = e.x[2];
  V isDefined = both(both(isPositive(a), isPositive(b)), isProbability(p));
  FarParameters far = farOf(a, b);
  V isFar = either(far.areStep, far.areBeyond);
  V isRegular = both(both(isDefined, isInside(p)), logicalNot(isFar));
  Vs x = e.where(isRegular);
  V logP = log(x[2]), logQ = log1p(neg(x[2]));
  // u = log(x / y).
  auto tailsAt = [&](const V &u) {
    V fall = log1p(exp(neg(abs(u))));
    V logX = sub(minimum(u, 0.0), fall), logY = sub(minimum(neg(u), 0.0), fall);
    return betaTails(x[0], x[1], {exp(logX), exp(logY), logX, logY});
  };
  constexpr double kEnd = 744; // where x has no digits
  V start = log(trueDiv(x[0], x[1])), isLower = le(x[2], tailsAt(start).lower);
  V u = iterated(isRegular, {start}, kMostNewton, [&](const V &, const Vs &s) {
    V step = newtonStep(isLower, tailsAt(s[0]), logP, logQ);
    V next = maximum(minimum(add(s[0], step), kEnd), -kEnd);
    return Iterated{{next}, both(gt(abs(step), kLastStep), lt(abs(next), kEnd))};
  })[0];
  // Once more at the rounded x, whose digits u has not all.
  V at = minimum(sigmoid(u), 1 - 0x1p-53);
  V last = newtonStep(isLower, betaTails(x[0], x[1], pointOf(at)), logP, logQ);
  last = where(lt(abs(last), 1e-6), last, number(0));
  V found = add(at, mul(mul(at, sub(1.0, at)), last));
  V limit = where(isInside(p), where(far.areBeyond, noNumber(), trueDiv(a, add(a, b))), p);
  V result = where(isRegular, found, where(isDefined, limit, noNumber()));
  return {where(e.isNan, noNumber(), result)};
}

//===--- gamma ------------------------------------------------------------------------===//

V gammaRegularised(const Apply &n, bool isUpper) {
  WideOperands e(n);
  const V &a = e.x[0], &at = e.x[1];
  V isRegular = both(isPositive(a), isPositive(at));
  Vs x = e.where(isRegular);
  V isOutside = either(either(lt(a, 0.0), lt(at, 0.0)), both(isinf(a), isinf(at)));
  V limit = where(either(eq(at, 0.0), isinf(a)), number(isUpper), number(!isUpper));
  Tails t = gammaTails(x[0], x[1]);
  V result = where(isRegular, isUpper ? t.upper : t.lower, where(isOutside, noNumber(), limit));
  return where(e.isNan, noNumber(), result);
}
template <bool isUpper> Vs composeGammainc(const Apply &n) {
  return {gammaRegularised(n, isUpper)};
}

template <bool isUpper> Vs composeGammaincinv(const Apply &n) {
  WideOperands e(n);
  const V &a = e.x[0], &p = e.x[1];
  V isDefined = both(isPositive(a), isProbability(p)), isRegular = both(isDefined, isInside(p));
  Vs x = e.where(isRegular);
  V logOf = log(x[1]), logOther = log1p(neg(x[1]));
  V logP = isUpper ? logOther : logOf, logQ = isUpper ? logOf : logOther;
  V isLower = le(logP, gammaTails(x[0], x[0]).logLower);
  constexpr double kLeast = 1e-310;
  V found = iterated(isRegular, {x[0]}, kMostNewton, [&](const V &, const Vs &s) {
    // Tails on the right fall as the exponential of x: not too far at once.
    V step = minimum(newtonStep(isLower, gammaTails(x[0], s[0]), logP, logQ), 1.0);
    V next = maximum(mul(s[0], exp(step)), kLeast);
    return Iterated{{next}, both(gt(abs(step), kLastStep), gt(next, kLeast))};
  })[0];
  found = where(gt(found, kLeast), found, number(0));
  V limit = where(eq(p, isUpper ? 1.0 : 0.0), number(0), number(kInfinity));
  V result = where(isRegular, found, where(isDefined, limit, noNumber()));
  return {where(e.isNan, noNumber(), result)};
}

} // namespace

absl::Span<const ExportRule> incompleteExports() {
  static constexpr ExportRule kTable[] = {
      composed("beta", composeBeta),
      composed("betaln", composeBetaln),
      composed("betainc", composeBetainc),
      composed("betaincinv", composeBetaincinv),
      composed("gammainc", composeGammainc<false>),
      composed("gammaincc", composeGammainc<true>),
      composed("gammaincinv", composeGammaincinv<false>),
      composed("gammainccinv", composeGammaincinv<true>),
  };
  return kTable;
}

} // namespace graphc
