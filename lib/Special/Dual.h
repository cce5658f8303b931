//===- Special/Dual.h - numbers that carry a derivative --------------*- C++ -*-===//
#pragma once

#include "Functions.h"

namespace graphc::special {

/// A value and its derivative.
struct Dual {
  Real value, slope = 0;
};
inline Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
inline Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
inline Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline Dual operator/(Dual a, Dual b) {
  Real quotient = a.value / b.value;
  return {quotient, (a.slope - quotient * b.slope) / b.value};
}
inline Dual exp(Dual a) {
  Real power = std::exp(a.value);
  return {power, power * a.slope};
}
inline Dual sqrt(Dual a) {
  Real root = std::sqrt(a.value);
  return {root, a.slope / (2 * root)};
}

/// x (a + b) - a, with the sum exactly, as two numbers.
inline Real fromMean(Real a, Real b, Real x) {
  const Real sum = a + b, low = a > b ? b - (sum - a) : a - (sum - b);
  return std::fma(x, sum, -a) + x * low;
}
inline Dual fromMean(Dual a, Dual b, Real x) {
  return {fromMean(a.value, b.value, x), a.slope * (x - 1) + b.slope * x};
}

/// Shapes.cpp: the incomplete functions by their series and continued fractions, of parameters
/// below kUniform, or one of them. Q(a, x) if isUpper.
Real gammaPart(Real a, Real x, bool isUpper);
Real betaPart(Real a, Real b, Real x);

/// Uniform.cpp: the incomplete functions of large parameters. I_x(a, b) where both a and b are.
inline constexpr Real kUniform = 1e7L;
/// P(a, x), or Q(a, x) = 1 - P(a, x), with the derivative by a.
Dual uniformGamma(Real a, Real x, bool isUpper);
/// I_x(a, b) with the derivative by a or by b.
Dual uniformBeta(Real a, Real b, Real x, bool byB);
/// Their inverses: x of P, Q or I; probabilities are inside (0, 1).
Real uniformGammaInverse(Real a, Real p, bool isUpper);
Real uniformBetaInverse(Real a, Real b, Real p);

} // namespace graphc::special
