//===- IncompleteSlopes.cpp - incomplete functions by their parameters ---------===//
//
// The series and fractions of lib/Special/Shapes.cpp, on numbers that carry their derivative by one
// of the parameters.
//
//===----------------------------------------------------------------------===//
#include <limits>

#include "Export/SpecialParts.h"

namespace graphc {
namespace {

using V = Variable;
using Vs = Variables;

struct Dual {
  V value, slope;
};
Dual fixed(const V &value) { return {value, zerosLike(value)}; }
Dual operator+(const Dual &a, const Dual &b) {
  return {add(a.value, b.value), add(a.slope, b.slope)};
}
Dual operator-(const Dual &a, const Dual &b) {
  return {sub(a.value, b.value), sub(a.slope, b.slope)};
}
Dual operator*(const Dual &a, const Dual &b) {
  return {mul(a.value, b.value), add(mul(a.slope, b.value), mul(a.value, b.slope))};
}
Dual operator/(const Dual &a, const Dual &b) {
  V quotient = trueDiv(a.value, b.value);
  return {quotient, trueDiv(sub(a.slope, mul(quotient, b.slope)), b.value)};
}

V goesOn(const Dual &sum, const Dual &step) {
  V value = abs(sum.value), slope = add(abs(sum.slope), value);
  return logicalOr(gt(abs(step.value), mul(value, 0x1p-53)),
                   gt(abs(step.slope), mul(slope, 0x1p-53)));
}
Vs partsOf(const std::vector<Dual> &numbers) {
  Vs parts;
  for (const Dual &d : numbers)
    parts.insert(parts.end(), {d.value, d.slope});
  return parts;
}
Dual at(const Vs &parts, size_t k) { return {parts[2 * k], parts[2 * k + 1]}; }

/// Terms of a continued fraction by modified Lentz: c, d, the value.
struct Fraction {
  Dual c, d, value;
  V isOpen;
  void next(const Dual &numerator, const Dual &denominator) {
    d = denominator + numerator * d;
    c = denominator + numerator / c;
    d = fixed(number(1)) / d;
    Dual before = value;
    value = value * (c * d);
    isOpen = goesOn(value, value - before);
  }
  Iterated states() const { return {partsOf({c, d, value}), isOpen}; }
};

V gammaShape(const V &a, const V &x) {
  V isLow = lt(x, add(a, 1.0));
  Dual shape{a, onesLike(a)}, point = fixed(x), one = fixed(onesLike(a));
  V density = gammaTails(a, x).density, slope = sub(log(x), digammaAbove(a));
  Dual front{density, mul(density, slope)}; // x^a e^(-x) / Gamma(a)

  Dual first = one / shape;
  Vs series = iterated(isLow, partsOf({first, first}), kMostTerms, [&](const V &k, const Vs &s) {
    Dual term = at(s, 0) * point / (shape + fixed(add(k, 1.0))), sum = at(s, 1) + term;
    return Iterated{partsOf({term, sum}), goesOn(sum, term)};
  });
  V isHigh = logicalNot(isLow);
  Dual least = fixed(where(isHigh, x, add(a, 2.0))) + one - shape;
  Fraction start{least, fixed(zerosLike(a)), least, isHigh};
  Vs fraction = iterated(isHigh, start.states().states, kMostTerms, [&](const V &k, const Vs &s) {
    Dual n = fixed(add(k, 1.0));
    Fraction f{at(s, 0), at(s, 1), at(s, 2), isHigh};
    f.next(n * (shape - n), least + n + n);
    return f.states();
  });
  return where(isLow, (front * at(series, 1)).slope, neg((front / at(fraction, 2)).slope));
}

/// The derivative of I_x(a, b) by a, or of I_x(a, b) by b.
V betaShape(const V &a, const V &b, const V &x, bool byB) {
  V one = onesLike(a), none = zerosLike(a), y = sub(1.0, x);
  V isRight = ge(x, trueDiv(add(a, 1.0), add(add(a, b), 2.0)));
  Dual first{a, byB ? none : one}, second{b, byB ? one : none};
  auto either = [&](const Dual &p, const Dual &q) {
    return Dual{where(isRight, p.value, q.value), where(isRight, p.slope, q.slope)};
  };
  Dual p = either(second, first), q = either(first, second);
  Dual at0 = fixed(where(isRight, y, x));
  V ofSum = digammaAbove(add(a, b));
  V slope = byB ? sub(log1p(neg(x)), sub(digammaAbove(b), ofSum))
                : sub(log(x), sub(digammaAbove(a), ofSum));
  V density = betaTails(a, b, {x, y, log(x), log1p(neg(x))}).density;
  Dual front{density, mul(density, slope)}, unit = fixed(one);
  Fraction start{unit, fixed(none), unit, gt(one, 0.0)};
  auto odd = [&](const Dual &m) {
    Dual twice = p + m + m;
    return fixed(none) - (p + m) * (p + q + m) * at0 / (twice * (twice + unit));
  };
  start.next(odd(fixed(none)), unit);
  Vs end = iterated(gt(one, 0.0), start.states().states, kMostTerms, [&](const V &k, const Vs &s) {
    Dual m = fixed(add(k, 1.0)), twice = p + m + m;
    Fraction f{at(s, 0), at(s, 1), at(s, 2), gt(one, 0.0)};
    f.next(m * (q - m) * at0 / ((twice - unit) * twice), unit);
    f.next(odd(m), unit);
    return f.states();
  });
  Dual tail = front / (at(end, 2) * p);
  return where(isRight, neg(tail.slope), tail.slope);
}

/// Parameters whose root as many terms are enough for.
V isWithinReach(const V &parameter) {
  return logicalAnd(isPositive(parameter), le(parameter, 1e9));
}
V orNone(const V &isDefined, const V &x) { return where(isDefined, x, noNumber()); }

Vs composeGammaincShape(const Apply &n) {
  WideOperands e(n);
  V isDefined = logicalAnd(isWithinReach(e.x[0]), ge(e.x[1], 0.0));
  V isRegular = logicalAnd(isDefined, isPositive(e.x[1]));
  Vs x = e.where(isRegular);
  return {orNone(isDefined, where(isRegular, gammaShape(x[0], x[1]), number(0)))};
}
Vs composeBetaincShape(const Apply &n) {
  WideOperands e(n);
  const V &at = e.x[2];
  V isDefined = logicalAnd(logicalAnd(isWithinReach(e.x[0]), isWithinReach(e.x[1])),
                           logicalAnd(ge(at, 0.0), le(at, 1.0)));
  V isRegular = logicalAnd(isDefined, logicalAnd(gt(at, 0.0), lt(at, 1.0)));
  Vs x = e.where(isRegular);
  bool byB = n.op().attributes().integer("byB") != 0;
  V slope = betaShape(x[0], x[1], x[2], byB);
  return {orNone(isDefined, where(isRegular, slope, number(0)))};
}

} // namespace

absl::Span<const ExportRule> incompleteSlopeExports() {
  static constexpr ExportRule kTable[] = {
      composed("gammaincShape", composeGammaincShape),
      composed("betaincShape", composeBetaincShape),
  };
  return kTable;
}

} // namespace graphc
