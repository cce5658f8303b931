//===- ComplexNumber.cpp --------------------------------------------------===//
#include "ComplexNumber.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "Build.h"
#include "Derivatives.h"

namespace graphc {

Variable imaginaryOf(const Parts &z) {
  if (z.im)
    return *z.im;
  DType dtype = isFloat(z.re.dtype()) ? z.re.dtype() : promoteToFloat(z.re.dtype());
  return second(z.re, constant(Tensor(0.0).cast(dtype)));
}

Variable isNonzero(const Parts &z) {
  Variable re = cast(z.re, DType::Bool);
  return z.im ? logicalOr(re, cast(*z.im, DType::Bool)) : re;
}

Parts operator+(const Parts &a, const Parts &b) {
  Parts sum{a.re + b.re};
  if (a.im && b.im)
    sum.im = *a.im + *b.im;
  else if (a.im || b.im) // of the sum's shape
    sum.im = second(sum.re, a.im ? *a.im : *b.im);
  return sum;
}

Parts operator-(const Parts &a) { return {-a.re, a.im ? std::optional(-*a.im) : std::nullopt}; }

Parts operator-(const Parts &a, const Parts &b) {
  Parts difference{a.re - b.re};
  if (a.im && b.im)
    difference.im = *a.im - *b.im;
  else if (a.im || b.im)
    difference.im = second(difference.re, a.im ? *a.im : -*b.im);
  return difference;
}

/// `product` of parts, which is bilinear.
template <class F> static Parts productOf(const Parts &a, const Parts &b, F &&product) {
  Parts result{product(a.re, b.re)};
  if (a.im && b.im) {
    result.re = result.re - product(*a.im, *b.im);
    result.im = product(a.re, *b.im) + product(*a.im, b.re);
  } else if (a.im || b.im) {
    result.im = a.im ? product(*a.im, b.re) : product(a.re, *b.im);
  }
  return result;
}

Parts operator*(const Parts &a, const Parts &b) {
  return productOf(a, b, [](const Variable &x, const Variable &y) { return x * y; });
}

Parts bilinear(const Op &op, const Parts &a, const Parts &b, const std::vector<Operand> &others) {
  return productOf(a, b, [&](const Variable &x, const Variable &y) {
    std::vector<Operand> operands = {x, y};
    operands.insert(operands.end(), others.begin(), others.end());
    return build(op, operands);
  });
}

Parts operator/(const Parts &a, const Parts &b) {
  if (!b.im)
    return {a.re / b.re, a.im ? std::optional(*a.im / b.re) : std::nullopt};
  Variable realIsGreat = abs(b.re) >= abs(*b.im);
  Variable great = where(realIsGreat, b.re, *b.im), small = where(realIsGreat, *b.im, b.re);
  Variable isZero = eq(great, 0.0);
  Variable ratio = small / where(isZero, 1.0, great); // 0 for 0
  Variable divisor = where(isZero, abs(great), great + small * ratio);
  Variable aIm = imaginaryOf(a);
  Variable re = where(realIsGreat, a.re + aIm * ratio, a.re * ratio + aIm) / divisor;
  Variable im = where(realIsGreat, aIm - a.re * ratio, aIm * ratio - a.re) / divisor;
  return {re, im};
}

Parts conjugate(const Parts &z) { return {z.re, z.im ? std::optional(-*z.im) : std::nullopt}; }
Variable magnitude(const Parts &z) { return z.im ? hypot(z.re, *z.im) : abs(z.re); }
Parts turnedLeft(const Parts &z) { return {-imaginaryOf(z), z.re}; }
Parts turnedRight(const Parts &z) { return {imaginaryOf(z), -z.re}; }

//===--- powers -----------------------------------------------------------===//

Parts squareOf(const Parts &z) {
  Variable im = imaginaryOf(z);
  return {(z.re - im) * (z.re + im), 2.0 * (z.re * im)};
}

Parts squareRootOf(const Parts &z) {
  Variable im = imaginaryOf(z);
  // Halves, so that the sum is a number where z is.
  Variable u = sqrt(0.5 * abs(z.re) + 0.5 * magnitude(z));
  Variable v = where(isinf(im), HUGE_VAL, 0.5 * abs(im) / where(eq(u, 0.0), 1.0, u));
  Variable isRight = z.re >= 0.0;
  return {where(isRight, u, v), copysign(where(isRight, v, u), im)};
}

Parts powerOf(const Parts &x, const Parts &y) {
  // Small whole exponents that are known: products, which are exact where these are.
  if (std::optional<Constant> known = Constant::from(y.re); known && !y.im && y.re.rank() == 0) {
    double exponent = known->data().cast(DType::Float64).item<double>();
    constexpr double kMost = 64;
    if (exponent == std::round(exponent) && exponent >= 1 && exponent <= kMost) {
      Parts power = x, square = x;
      bool isFirst = true;
      for (int rest = int(exponent); rest > 0; rest /= 2) {
        if (rest % 2)
          power = std::exchange(isFirst, false) ? square : power * square;
        if (rest > 1)
          square = squareOf(square);
      }
      return power;
    }
  }
  // 0 to a power is 0, 1 or NaN, as NumPy has it.
  Variable isZero = logicalNot(isNonzero(x)), isOne = logicalNot(isNonzero(y));
  Variable re = where(isZero, 1.0, x.re);
  Parts power = exponentialOf(y * logarithmOf({re, imaginaryOf(x)}));
  Variable atZero = where(y.re > 0.0, 0.0, std::nan(""));
  return {where(isOne, 1.0, where(isZero, atZero, power.re)),
          where(isOne, 0.0, where(isZero, atZero, imaginaryOf(power)))};
}

//===--- exponentials -----------------------------------------------------===//

/// factor * value, and `value` itself, a zero, where that is 0: infinity times 0 is none.
static Variable scaled(const Variable &factor, const Variable &value) {
  return where(eq(value, 0.0), value, factor * value);
}

Parts exponentialOf(const Parts &z) {
  Variable im = imaginaryOf(z), factor = exp(z.re);
  return {factor * cos(im), scaled(factor, sin(im))};
}

Parts logarithmOf(const Parts &z) {
  Variable im = imaginaryOf(z), radius = magnitude(z);
  // Near the unit circle by what the square is beyond 1, of which the logarithm loses nothing.
  Variable great = maximum(abs(z.re), abs(im)), small = minimum(abs(z.re), abs(im));
  Variable isNear = logicalAnd(radius > 0.7, radius < 1.4);
  Variable beyond = where(isNear, (great - 1.0) * (great + 1.0) + small * small, 0.0);
  return {where(isNear, 0.5 * log1p(beyond), log(radius)), arctan2(im, z.re)};
}

Parts sineOf(const Parts &z) { return turnedRight(hyperbolicSineOf(turnedLeft(z))); }
Parts cosineOf(const Parts &z) { return hyperbolicCosineOf(turnedLeft(z)); }

Parts hyperbolicSineOf(const Parts &z) {
  Variable im = imaginaryOf(z);
  return {scaled(cos(im), sinh(z.re)), scaled(cosh(z.re), sin(im))};
}

Parts hyperbolicCosineOf(const Parts &z) {
  Variable im = imaginaryOf(z);
  return {cosh(z.re) * cos(im), scaled(sinh(z.re), sin(im))};
}

Parts hyperbolicTangentOf(const Parts &z) {
  // Kahan 1987: by the tangent of the imaginary part; beyond 20 it is 1 but for a trace.
  Variable im = imaginaryOf(z);
  Variable x = clip(z.re, -20.0, 20.0);
  Variable t = tan(im), s = sinh(x), c = sqrt(1.0 + s * s), b = 1.0 + t * t;
  Variable divisor = 1.0 + b * s * s;
  return {where(abs(z.re) > 20.0, copysign(1.0, z.re), b * c * s / divisor), t / divisor};
}

Parts logarithmOfOnePlus(const Parts &z) {
  Variable im = imaginaryOf(z), one = 1.0 + z.re;
  // |1 + z|^2 - 1, where squares are numbers.
  Variable isSmall = magnitude(z) < 1e3;
  Variable x = where(isSmall, z.re, 0.0), y = where(isSmall, im, 0.0);
  Variable beyond = x * (2.0 + x) + y * y;
  return {where(isSmall, 0.5 * log1p(beyond), log(hypot(one, im))), arctan2(im, one)};
}

Parts exponentialLessOne(const Parts &z) {
  Variable im = imaginaryOf(z), half = sin(0.5 * im);
  return {scaled(cos(im), expm1(z.re)) - 2.0 * half * half, scaled(exp(z.re), sin(im))};
}

Parts hyperbolicArcsineOf(const Parts &z) {
  // log(1 + z + (root - 1)) with root = sqrt(z^2 + 1) and root - 1 = z^2 / (1 + root), of z turned
  // so that its real part is not negative: no digits are lost then. The root by factors, whose cuts
  // are the function's.
  Variable im = imaginaryOf(z);
  Variable isLeft = logicalOr(z.re < 0.0, logicalAnd(eq(z.re, 0.0), signbit(z.re)));
  Parts right{where(isLeft, -z.re, z.re), where(isLeft, -im, im)};
  Parts root =
      squareRootOf({1.0 - *right.im, right.re}) * squareRootOf({1.0 + *right.im, -right.re});
  // right^2 / (1 + root) as a product of numbers that do not overflow.
  Parts rest = right * (right / Parts{1.0 + root.re, root.im});
  Parts positive = logarithmOfOnePlus(right + rest);
  return {where(isLeft, -positive.re, positive.re), where(isLeft, -*positive.im, *positive.im)};
}

Parts hyperbolicArctangentOf(const Parts &z) {
  // (a quarter of the logarithm of |1 + z|^2 / |1 - z|^2, half the angle between 1 + z and 1 - z)
  Variable im = imaginaryOf(z), re = abs(z.re), square = im * im;
  Variable near = (1.0 - re) * (1.0 - re) + square;
  Variable arc = 0.5 * arctan2(2.0 * im, (1.0 - re) * (1.0 + re) - square);
  return {copysign(0.25 * log1p(4.0 * re / near), z.re), arc};
}

Parts arccosineOf(const Parts &z) {
  Parts arcsine = turnedRight(hyperbolicArcsineOf(turnedLeft(z)));
  return {std::numbers::pi / 2 - arcsine.re, -*arcsine.im};
}

Parts hyperbolicArccosineOf(const Parts &z) {
  Parts arc = arccosineOf(z); // i times it, or -i times it: whichever is to the right
  return {abs(*arc.im), copysign(arc.re, imaginaryOf(z))};
}

} // namespace graphc
