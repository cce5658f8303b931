//===- Reference.h - the functions by libm, one precision wider -----*- C++ -*-===//
#pragma once

#include <cmath>
#include <limits>

#include "Lowering/Math/MathFunction.h"

namespace graphc::math {

/// The type in which an element's reference is computed: its errors are far below the element's
/// ULP.
template <class T> struct WiderType;
template <> struct WiderType<float> {
  using Type = double;
};
template <> struct WiderType<double> {
  using Type = long double;
};
template <class T> using Wider = typename WiderType<T>::Type;

/// Phi(x) and log Phi(x) of the normal distribution.
template <class W> W referenceNdtr(W x) {
  return std::erfc(-x * W(0.70710678118654752440084436210485L)) / 2;
}
template <class W> W referenceLogNdtr(W x) {
  if (x > -1)
    return std::log1p(-referenceNdtr(-x));
  if (x > -13)
    return std::log(referenceNdtr(x));
  // Asymptotic series of the tail: 1 - 1/x^2 + 3/x^4 - ..., below 2^-64 after 40 terms from 13 on.
  W s = 1, term = 1;
  for (int k = 1; k < 40; ++k) {
    W next = -term * (2 * k - 1) / (x * x);
    if (std::fabs(next) >= std::fabs(term))
      break;
    s += term = next;
  }
  return -x * x / 2 - std::log(-x) - W(0.918938533204672741780329736405618L) + std::log(s);
}
/// e^(x^2) erfc(x).
template <class W> W referenceErfcx(W x) {
  if (x < -200)
    return std::numeric_limits<W>::infinity();
  if (x < 10) {
    W high = W(float(x)), low = x - high; // x^2 = high^2 + low (x + high), the first exactly
    return std::exp(high * high) * std::exp(low * (x + high)) * std::erfc(x);
  }
  W s = 1, term = 1;
  for (int k = 1; k < 60; ++k) {
    W next = -term * (2 * k - 1) / (2 * x * x);
    if (!(std::fabs(next) < std::fabs(term)))
      break;
    s += term = next;
  }
  return s / (x * W(1.77245385090551602729816748334115L));
}

/// The exact remainder with the sign of the divisor, and the floor of the quotient after NumPy.
template <class W> W referenceMod(W x, W y) {
  W r = std::fmod(x, y);
  if (r == 0)
    return std::copysign(W(0), y);
  return (r < 0) != (y < 0) ? r + y : r;
}

/// NumPy's floor_divide, in which only the quotient is rounded.
template <class W> W referenceFloorDivide(W x, W y) {
  if (y == 0)
    return x / y;
  // The remainder is infinite where the signs differ; NumPy counts one period down instead.
  if (std::isinf(y) && std::isfinite(x) && x != 0)
    return (x < 0) != (y < 0) ? W(-1) : W(0);
  W quotient = (x - referenceMod(x, y)) / y;
  if (quotient == 0 || std::isnan(quotient))
    return std::copysign(quotient, x / y);
  W whole = std::floor(quotient);
  return quotient - whole > W(0.5) ? whole + 1 : whole;
}

/// function(x, y) in W; y is not looked at for one operand.
template <class W> W reference(MathFunction function, W x, W y) {
  constexpr W kPi = 3.14159265358979323846264338327950288L,
              kInf = std::numeric_limits<W>::infinity();
  using enum MathFunction;
  switch (function) {
  case Exp:
    return std::exp(x);
  case Exp2:
    return std::exp2(x);
  case Expm1:
    return std::expm1(x);
  case Log:
    return std::log(x);
  case Log2:
    return std::log2(x);
  case Log10:
    return std::log10(x);
  case Log1p:
    return std::log1p(x);
  case Log1mExp:
    return x > W(-0.693) ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
  case Softplus:
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  case Sigmoid:
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  case Logit:
    return x < W(0.25) ? std::log(x / (1 - x)) : std::log1p((2 * x - 1) / (1 - x));
  case LogAddExp:
    if (std::isnan(x) || std::isnan(y))
      return x + y;
    return x == y ? x + std::log(W(2)) : std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
  case Sin:
    return std::sin(x);
  case Cos:
    return std::cos(x);
  case Tan:
    return std::tan(x);
  case Arcsin:
    return std::asin(x);
  case Arccos:
    return std::acos(x);
  case Arctan:
    return std::atan(x);
  case Arctan2:
    return std::atan2(x, y);
  case Sinh:
    return std::sinh(x);
  case Cosh:
    return std::cosh(x);
  case Tanh:
    return std::tanh(x);
  case Arcsinh:
    return std::asinh(x);
  case Arccosh:
    return std::acosh(x);
  case Arctanh:
    return std::atanh(x);
  case Sinc: {
    W r = std::remainder(x, W(2)),
      q = std::fabs(r) > W(0.5) ? std::copysign(1 - std::fabs(r), r) : r;
    return x == 0 ? 1 : std::sin(kPi * q) / (kPi * x);
  }
  case Erf:
    return std::erf(x);
  case Erfc:
    return std::erfc(x);
  case Erfcx:
    return referenceErfcx(x);
  case Ndtr:
    return referenceNdtr(x);
  case LogNdtr:
    return x == -kInf ? x : referenceLogNdtr(x);
  case Silu:
    return x == -kInf ? W(-0.0)
           : x < 0    ? x * std::exp(x) / (1 + std::exp(x))
                      : x / (1 + std::exp(-x));
  case Gelu:
    return x == -kInf ? W(-0.0) : x * referenceNdtr(x);
  case GeluTanh: {
    if (std::fabs(x) > 1000)
      return x < 0 ? W(-0.0) : x;
    W z = 2 * std::sqrt(2 / kPi) * (x + W(0.044715L) * x * x * x);
    return z < 0 ? x * std::exp(z) / (1 + std::exp(z)) : x / (1 + std::exp(-z));
  }
  case Sqrt:
    return std::sqrt(x);
  case Rsqrt:
    return 1 / std::sqrt(x);
  case Cbrt:
    return std::cbrt(x);
  case Pow:
    return std::pow(x, y);
  case Hypot:
    return std::hypot(x, y);
  case Floor:
    return std::floor(x);
  case Ceil:
    return std::ceil(x);
  case Trunc:
    return std::trunc(x);
  case RoundEven:
    return std::nearbyint(x);
  case RoundAway:
    return std::round(x);
  case Mod:
    return referenceMod(x, y);
  case FloorDivide:
    return referenceFloorDivide(x, y);
  case Copysign:
    return std::copysign(x, y);
  case Nextafter:
    return x; // a step of the element's own type: see the caller
  }
  return 0;
}

} // namespace graphc::math
