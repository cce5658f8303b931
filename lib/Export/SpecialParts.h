//===- Export/SpecialParts.h - what special functions are made of ---*- C++ -*-===//
//
// Graphs of float64 arrays. What is iterated is so for all elements at once, in one loop that ends
// when each of them has settled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <limits>

#include "Export/ExportRules.h"

namespace graphc {

inline Variable isPositive(const Variable &x) {
  return logicalAnd(gt(x, 0.0), lt(x, std::numeric_limits<double>::infinity()));
}

inline Variable isProbability(const Variable &p) { return logicalAnd(ge(p, 0.0), le(p, 1.0)); }

template <size_t N> Variable polynomial(const double (&c)[N], const Variable &t) {
  Variable sum = number(c[N - 1]);
  for (size_t k = N - 1; k-- > 0;)
    sum = add(mul(sum, t), c[k]);
  return sum;
}

//===--- functions ------------------------------------------------------------------===//

/// log|Gamma| and Gamma; `Above`: of x > 0 alone.
Variable gammalnOf(const Variable &x);
Variable gammalnAbove(const Variable &x);
Variable gammaOf(const Variable &x);
Variable gammaAbove(const Variable &x);
/// Of x > 0.
Variable digammaAbove(const Variable &x);
/// Where the gamma function has poles: 0, -1, -2, ...
Variable isPole(const Variable &x);
/// log(Gamma(x)) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 8.
Variable stirlingRest(const Variable &x);
/// exp(x^2) erfc(x) of x >= 0.
Variable scaledErrorAbove(const Variable &x);
/// m - log(1 + m) without cancellation; `ratio` is 1 + m, where that has more digits.
Variable logRest(const Variable &m, const Variable &ratio);
/// log(Gamma(a) Gamma(b) / Gamma(a + b)) of positive a and b.
Variable betalnAbove(const Variable &a, const Variable &b);

/// The terms of two incomplete functions that add up to 1, and their logarithms, which do not
/// underflow.
struct Tails {
  Variable lower, upper, logLower, logUpper;
  /// The density of the distribution times x, or times x (1 - x), by its logarithm.
  Variable density, logDensity;
};
/// x^a e^(-x) / Gamma(a).
Variable gammaDensityOf(const Variable &a, const Variable &x);
/// P(a, x) and Q(a, x) of positive and finite operands.
Tails gammaTails(const Variable &a, const Variable &x);
/// I_x(a, b) and I_y(b, a) with y = 1 - x, of positive and finite operands and their logarithms.
struct UnitPoint {
  Variable x, y, logX, logY;
};
Tails betaTails(const Variable &a, const Variable &b, const UnitPoint &point);

//===--- iteration ------------------------------------------------------------------===//

/// Operands of an op on elements, in float64, each with the shape that they have together.
struct WideOperands {
  explicit WideOperands(const Apply &node);
  /// The operands where that holds, elsewhere 0.5: a number that does no harm.
  Variables where(const Variable &isRegular) const;
  Variables x;
  Variable isNan;
};

struct Iterated {
  Variables states;
  Variable goesOn;
};
/// The states of each element after so many steps that it does not go on, at most `most` of them. A
/// step gets its number, as a float64. States have the shape of `isActive`, or none.
Variables iterated(const Variable &isActive, const Variables &start, int64_t most,
                   const std::function<Iterated(const Variable &k, const Variables &states)> &step);

/// Steps of series and fractions, which need some times the root of the greatest operand.
inline constexpr int64_t kMostTerms = 100'000;
/// Two units of float64: the last factor of a fraction.
inline constexpr double kSettled = 0x1p-51;

} // namespace graphc
