//===- RoundedMath.cpp ------------------------------------------------------===//
#include "RoundedMath.h"

#include <cmath>
#include <numbers>

namespace graphc::rounded {
namespace {

bool isSingle(Scalar x) { return x.dtype() == DType::Float32; }

/// c(0) + z (c(1) + z (c(2) + ... c(last))).
template <class Coefficient> Scalar series(Scalar z, int last, Coefficient c) {
  Scalar sum = z.emitter()->literal(z.dtype(), c(last));
  for (int k = last - 1; k >= 0; --k)
    sum = c(k) + z * sum;
  return sum;
}

/// ln 2 as a number whose product with an exponent is exact, and the rest.
struct Ln2 {
  double upper, lower;
};
Ln2 ln2(Scalar like) {
  // Float64: 29 digits of 53 leave 24 to an exponent; Float32: 13 of 24 leave 11.
  double unit = isSingle(like) ? 0x1p-13 : 0x1p-29;
  double upper = std::floor(std::numbers::ln2 / unit) * unit;
  return {upper, double(std::numbers::ln2_v<long double> - static_cast<long double>(upper))};
}

/// x = mantissa 2^exponent, mantissa in [1/2, 1), of x from 2^-127 to below 1; 1 stays as it is.
struct Parts {
  Scalar mantissa, exponent;
};
Parts partsOf(Scalar x) {
  Scalar exponent = x.emitter()->literal(x.dtype(), 0);
  for (int step : {64, 32, 16, 8, 4, 2, 1}) {
    Scalar isSmall = x < std::ldexp(1, -step);
    x = select(isSmall, x * std::ldexp(1, step), x);
    exponent = select(isSmall, exponent - step, exponent);
  }
  return {x, exponent};
}

/// log(1 + f) + exponent ln 2 for 1 + f between sqrt(1/2) and sqrt(2): with s = f / (2 + f) it is
/// 2 artanh(s) = 2 (s + s^3/3 + ...), and s^2 < 0.0295: what is left out is below 2^-57 (2^-28).
Scalar logOfParts(Scalar f, Scalar exponent) {
  Scalar s = f / (f + 2.0), z = s * s;
  int last = isSingle(f) ? 4 : 10;
  Scalar rest = s * (z * series(z, last - 1, [](int k) { return 2.0 / (2 * k + 3); }));
  Ln2 two = ln2(f);
  return exponent * two.upper + ((s * 2.0 + rest) + exponent * two.lower);
}

constexpr double kSqrtHalf = std::numbers::sqrt2 / 2;

/// Mantissas from sqrt(1/2) on.
Parts centered(Parts x) {
  Scalar isLow = x.mantissa < kSqrtHalf;
  return {select(isLow, x.mantissa * 2.0, x.mantissa), select(isLow, x.exponent - 1.0, x.exponent)};
}

} // namespace

Scalar logOfUnit(Scalar u, Scalar v) {
  Parts x = centered(partsOf(u));
  Scalar isNearOne = u >= kSqrtHalf;
  return logOfParts(select(isNearOne, -v, x.mantissa - 1.0), x.exponent);
}

Scalar log(Scalar x) {
  Parts parts = centered(partsOf(x * 0x1p-6));
  return logOfParts(parts.mantissa - 1.0, parts.exponent + 6.0);
}

namespace {

/// e^x = (1 + rest) 2^n, |rest| < 0.42; n is an integer.
struct Exponential {
  Scalar rest, n;
  /// Exact but for subnormal results: Exp2 of an integer is.
  Scalar scaled(Scalar y) const {
    // Twice, since 2^n may be beyond the range where the result is not.
    return y * 2.0 * apply(ScalarOp::Exp2, {n - 1.0});
  }
};
Exponential exponential(Scalar x) {
  bool single = isSingle(x);
  // Beyond these the result is infinite or 0, and powers of two have an end.
  Scalar bounded = minimum(maximum(x, single ? -110.0 : -760.0), single ? 100.0 : 720.0);
  Scalar n = apply(ScalarOp::RoundEven, {bounded * std::numbers::log2e});
  Ln2 two = ln2(x);
  Scalar r = (bounded - n * two.upper) - n * two.lower;
  // |r| < 0.35: what is left out is below 2^-57 (2^-28).
  double factorials[15] = {1};
  for (int k = 1; k < 15; ++k)
    factorials[k] = factorials[k - 1] * k;
  return {r * series(r, single ? 6 : 13, [&](int k) { return 1 / factorials[k + 1]; }), n};
}

} // namespace

Scalar exp(Scalar x) {
  Exponential e = exponential(x);
  return e.scaled(e.rest + 1.0);
}

Scalar expm1(Scalar x) {
  Exponential e = exponential(x);
  return select(equalTo(e.n, 0.0), e.rest, e.scaled(e.rest + 1.0) - 1.0);
}

SinCos sinCosOfQuarter(Scalar x) {
  Scalar angle = x * (std::numbers::pi / 2), z = angle * angle;
  // |angle| < 0.79: what is left out is below 2^-60 (2^-29).
  auto term = [](int power) { // the coefficient of angle^power
    double c = power % 4 < 2 ? 1 : -1;
    for (int k = 2; k <= power; ++k)
      c /= k;
    return c;
  };
  int last = isSingle(x) ? 4 : 8;
  Scalar sin = angle + angle * (z * series(z, last - 1, [&](int k) { return term(2 * k + 3); }));
  Scalar cos = series(z, last + 1, [&](int k) { return term(2 * k); });
  return {sin, cos};
}

} // namespace graphc::rounded
