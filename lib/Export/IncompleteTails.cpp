//===- IncompleteTails.cpp - both tails of gamma and beta distributions --------===//
//
// The power series and the continued fractions of Press et al., Numerical Recipes, 6.2 and 6.4,
// with Temme's expansion where these need too many steps. What stands in front of them, the
// density, is an exponential of small numbers (logRest), so that its digits are those of its
// logarithm, whatever the operands are.
//
//===----------------------------------------------------------------------===//
#include <numbers>

#include "Export/SpecialParts.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

constexpr double kTwoPi = 2 * std::numbers::pi;

/// From there on Stirling's series has all digits.
constexpr double kStirling = 8;
/// From there on Temme's expansion does.
constexpr double kSteep = 1e6;

V complement(const V &p) { return sub(1.0, p); }
V within(const V &isWanted, const V &x, double otherwise) {
  return where(isWanted, x, number(otherwise));
}

//===--- gamma ------------------------------------------------------------------------===//

struct Density {
  V value, logarithm;
};
/// x^a e^(-x) / Gamma(a + 1).
Density gammaDensity(const V &a, const V &x) {
  V isFar = ge(a, kStirling), farA = within(isFar, a, kStirling), farX = within(isFar, x, 8);
  V rest = logRest(trueDiv(sub(farX, farA), farA), trueDiv(farX, farA));
  V exponent = neg(add(mul(farA, rest), stirlingRest(farA)));
  V scale = mul(farA, kTwoPi);
  V nearA = where(isFar, number(1), a);
  // Powers of greater numbers overflow; the exponential is 0 there.
  V power = pow(minimum(x, 1e4), nearA), factorial = add(nearA, 1.0);
  V near = mul(exp(neg(x)), trueDiv(power, gammaAbove(factorial)));
  V nearLog = sub(sub(mul(nearA, log(x)), x), gammalnAbove(factorial));
  return {where(isFar, trueDiv(exp(exponent), sqrt(scale)), near),
          where(isFar, sub(exponent, mul(log(scale), 0.5)), nearLog)};
}

/// The sum of x^n / ((a + 1) ... (a + n)).
V gammaSeries(const V &isWanted, const V &a, const V &x) {
  return iterated(isWanted, {number(1), number(1)}, kMostTerms, [&](const V &k, const Vs &s) {
    V term = trueDiv(mul(s[0], x), add(a, add(k, 1.0))), sum = add(s[1], term);
    return Iterated{{term, sum}, gt(term, mul(sum, 0x1p-56))};
  })[1];
}

/// 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), for x >= a + 1.
V gammaFraction(const V &isWanted, const V &a, const V &x) {
  V first = sub(add(x, 1.0), a), inverse = reciprocal(first);
  Vs start = {number(1e300), inverse, inverse}; // c, d, the value
  return iterated(isWanted, start, kMostTerms, [&](const V &k, const Vs &s) {
    V n = add(k, 1.0), numerator = mul(n, sub(a, n)), b = add(first, mul(n, 2.0));
    V d = reciprocal(add(mul(numerator, s[1]), b)), c = add(b, trueDiv(numerator, s[0]));
    V factor = mul(c, d);
    return Iterated{{c, d, mul(s[2], factor)}, gt(abs(sub(factor, 1.0)), kSettled)};
  })[2];
}

/// Q(a, x) of a < 1 and x < 2, where P is next to 1: 1 - x^a / Gamma(a + 1) by expm1, less the rest
/// of the alternating series.
V gammaUpperOfSmall(const V &isWanted, const V &a, const V &x) {
  V sum = iterated(isWanted, {number(1), number(0)}, kMostTerms, [&](const V &k, const Vs &s) {
    V n = add(k, 1.0), term = trueDiv(neg(mul(s[0], x)), n), part = trueDiv(term, add(a, n));
    V total = add(s[1], part);
    return Iterated{{term, total}, gt(abs(part), mul(abs(total), 0x1p-56))};
  })[1];
  // a + 1 is rounded: what it lost goes through the derivative.
  V next = add(a, 1.0), lost = sub(a, sub(next, 1.0));
  V logFactorial = add(gammalnAbove(next), mul(lost, digammaAbove(next)));
  V power = sub(mul(a, log(x)), logFactorial);
  return neg(add(expm1(power), mul(mul(exp(power), a), sum)));
}

/// The smaller tail of a >= kSteep, over the exponential of its first result (Temme 1979): the
/// terms of his expansion that have digits there.
struct SteepTail {
  V exponent, rest;
};
SteepTail gammaSteep(const V &a, const V &x) {
  constexpr double kFirst[] = {-1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864, 1.0 / 2835};
  constexpr double kSecond[] = {-1.0 / 540, -1.0 / 288, 1.0 / 378};
  V mean = trueDiv(sub(x, a), a), half = logRest(mean, trueDiv(x, a)), y = mul(a, half);
  V size = sqrt(mul(half, 2.0)), isLeft = lt(x, a);
  V z = maximum(minimum(where(isLeft, neg(size), size), 1.0), -1.0);
  V terms = add(polynomial(kFirst, z), trueDiv(polynomial(kSecond, z), a));
  V part = trueDiv(terms, sqrt(mul(a, kTwoPi)));
  V rest = add(mul(scaledErrorAbove(sqrt(y)), 0.5), where(isLeft, neg(part), part));
  return {neg(y), rest};
}

} // namespace

V gammaDensityOf(const V &a, const V &x) { return mul(a, gammaDensity(a, x).value); }

Tails gammaTails(const V &a, const V &x) {
  V isSteep = ge(a, kSteep), isLow = lt(x, add(a, 1.0));
  V isSeries = logicalAnd(isLow, logicalNot(isSteep));
  V isFraction = logicalNot(logicalOr(isLow, isSteep));
  V isSmall = logicalAnd(isSeries, lt(a, 1.0));
  Density density = gammaDensity(a, x);
  V sum = gammaSeries(isSeries, within(isSeries, a, 1), within(isSeries, x, 1));
  V fraction = gammaFraction(isFraction, within(isFraction, a, 1), within(isFraction, x, 2));
  V ofSmall = gammaUpperOfSmall(isSmall, within(isSmall, a, 0.5), within(isSmall, x, 0.5));
  SteepTail steep = gammaSteep(within(isSteep, a, kSteep), within(isSteep, x, kSteep));
  V steepTail = mul(exp(steep.exponent), steep.rest);
  V isSteepLeft = logicalAnd(isSteep, lt(x, a)), isSteepRight = logicalAnd(isSteep, ge(x, a));
  V isLower = logicalOr(isSeries, isSteepLeft); // the tail that is computed first

  V scaled = mul(a, fraction);
  V tail = where(isSteep, steepTail, mul(density.value, where(isSeries, sum, scaled)));
  V logTail = where(isSteep, add(steep.exponent, log(steep.rest)),
                    add(density.logarithm, log(where(isSeries, sum, scaled))));
  V upper = where(isSmall, ofSmall, where(isLower, complement(tail), tail));
  V other = log1p(neg(tail));
  return {where(isLower, tail, complement(tail)),
          upper,
          where(isLower, logTail, other),
          where(isSmall, log(upper), where(isLower, other, logTail)),
          mul(a, density.value),
          add(log(a), density.logarithm)};
}

//===--- beta -------------------------------------------------------------------------===//

/// x^a y^b / B(a, b).
static Density betaDensity(const V &a, const V &b, const UnitPoint &at) {
  V isFar = logicalAnd(ge(a, kStirling), ge(b, kStirling));
  V p = within(isFar, a, kStirling), q = within(isFar, b, kStirling), all = add(p, q);
  V away = sub(mul(q, at.x), mul(p, at.y)); // from the mean
  auto restOf = [&](const V &part, const V &difference, const V &x) {
    return mul(part, logRest(trueDiv(difference, part), mul(x, trueDiv(all, part))));
  };
  V rests = add(restOf(p, away, at.x), restOf(q, neg(away), at.y));
  V corrections = sub(add(stirlingRest(p), stirlingRest(q)), stirlingRest(all));
  V scale = mul(trueDiv(p, mul(all, kTwoPi)), q), exponent = neg(add(rests, corrections));
  V near = sub(add(mul(a, at.logX), mul(b, at.logY)), betalnAbove(a, b));
  return {where(isFar, mul(exp(exponent), sqrt(scale)), exp(near)),
          where(isFar, add(exponent, mul(log(scale), 0.5)), near)};
}

/// Of x below (a + 1) / (a + b + 2).
static V betaFraction(const V &a, const V &b, const V &x) {
  V all = add(a, b), next = add(a, 1.0), isAll = ge(x, 0.0);
  V first = reciprocal(sub(1.0, trueDiv(mul(all, x), next)));
  return iterated(isAll, {number(1), first, first}, kMostTerms, [&](const V &k, const Vs &s) {
    V m = add(k, 1.0), twice = add(a, mul(m, 2.0));
    V even = trueDiv(mul(mul(m, sub(b, m)), x), mul(sub(twice, 1.0), twice));
    V d = reciprocal(add(mul(even, s[1]), 1.0)), c = add(trueDiv(even, s[0]), 1.0);
    V value = mul(s[2], mul(c, d));
    V odd = neg(trueDiv(mul(mul(add(a, m), add(all, m)), x), mul(twice, add(twice, 1.0))));
    d = reciprocal(add(mul(odd, d), 1.0));
    c = add(trueDiv(odd, c), 1.0);
    V factor = mul(c, d);
    return Iterated{{c, d, mul(value, factor)}, gt(abs(sub(factor, 1.0)), kSettled)};
  })[2];
}

Tails betaTails(const V &a, const V &b, const UnitPoint &at) {
  V isRight = gt(at.x, trueDiv(add(a, 1.0), add(add(a, b), 2.0)));
  V p = where(isRight, b, a), q = where(isRight, a, b), x = where(isRight, at.y, at.x);
  Density density = betaDensity(a, b, at);
  V fraction = trueDiv(betaFraction(p, q, x), p);
  V tail = mul(density.value, fraction), logTail = add(density.logarithm, log(fraction));
  V other = complement(tail), logOther = log1p(neg(tail));
  return {where(isRight, other, tail),
          where(isRight, tail, other),
          where(isRight, logOther, logTail),
          where(isRight, logTail, logOther),
          density.value,
          density.logarithm};
}

} // namespace graphc
