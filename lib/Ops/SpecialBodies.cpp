//===- SpecialBodies.cpp -----------------------------------------------------===//
#include "SpecialBodies.h"

#include <iterator>
#include <limits>
#include <numbers>

#include "SpecialCoefficients.h"

namespace graphc {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// c[0] + c[1] t + ...
Scalar polynomial(Emitter &e, const double *c, size_t count, Scalar t) {
  Scalar sum = e.literal(DType::Float64, c[count - 1]);
  for (size_t k = count - 1; k-- > 0;)
    sum = sum * t + c[k];
  return sum;
}
template <size_t N> Scalar polynomial(Emitter &e, const double (&c)[N], Scalar t) {
  return polynomial(e, c, N, t);
}

/// x in [low, high] as a number in [-1, 1].
Scalar centred(Scalar x, double low, double high) {
  return (x - (low + high) / 2) * (2 / (high - low));
}

/// erfinv(x) / x of w = -log(1 - x^2), of which it is a smooth function; in five ranges of w and of
/// its root, each with coefficients of its own.
Scalar inverseErrorFactor(Emitter &e, Scalar w) {
  constexpr size_t kRanges = std::size(kInverseError), kCount = std::size(kInverseError[0]);
  Scalar s = sqrt(w);
  // By range: whether it is the last one that begins before.
  Scalar t = centred(w, 0, kInverseErrorEnds[0] * kInverseErrorEnds[0]);
  Scalars isBeyond;
  for (size_t range = 1; range < kRanges; ++range) {
    isBeyond.push_back(s >= kInverseErrorEnds[range - 1]);
    t = select(isBeyond.back(), centred(s, kInverseErrorEnds[range - 1], kInverseErrorEnds[range]),
               t);
  }
  auto coefficient = [&](size_t k) {
    Scalar c = e.literal(DType::Float64, kInverseError[0][k]);
    for (size_t range = 1; range < kRanges; ++range)
      c = select(isBeyond[range - 1], e.literal(DType::Float64, kInverseError[range][k]), c);
    return c;
  };
  Scalar sum = coefficient(kCount - 1);
  for (size_t k = kCount - 1; k-- > 0;)
    sum = sum * t + coefficient(k);
  return select(equalTo(w, kInfinite), w, sum);
}

/// What the recurrence makes of x in (0, 8): y in [1, 2], and the product p of the factors between
/// (of x itself below 1), with its derivative.
struct Shifted {
  Scalar y, p, slope;
};
Shifted shifted(Emitter &e, Scalar x) {
  Scalar one = e.literal(DType::Float64, 1), zero = e.literal(DType::Float64, 0);
  Shifted s{x, one, zero};
  for (int k = 1; k < 7; ++k) {
    Scalar isAbove = x >= double(k + 1), factor = x - double(k);
    s.slope = select(isAbove, s.slope * factor + s.p, s.slope);
    s.p = select(isAbove, s.p * factor, s.p);
    s.y = select(isAbove, factor, s.y);
  }
  Scalar isBelow = x < 1.0;
  return {select(isBelow, x + 1.0, s.y), select(isBelow, x, s.p), select(isBelow, one, s.slope)};
}

} // namespace

Scalar erfinvBody(Emitter &e, Scalar x) {
  return x * inverseErrorFactor(e, -log((1.0 - x) * (1.0 + x)));
}

Scalar erfcinvBody(Emitter &e, Scalar q) {
  return (1.0 - q) * inverseErrorFactor(e, -log(q * (2.0 - q)));
}

Scalar gammalnBody(Emitter &e, Scalar x) {
  Shifted s = shifted(e, x);
  Scalar isLarge = x >= 8.0, isBelow = x < 1.0;
  Scalar logarithm = log(select(isLarge, x, s.p));
  // (y - 1) (y - 2) has the function's zeros; below 1, y is x + 1, rounded.
  Scalar zeros = select(isBelow, x * (x - 1.0), (s.y - 1.0) * (s.y - 2.0));
  Scalar base = zeros * polynomial(e, kGammalnOverRoots, centred(s.y, 1, 2));
  Scalar small = select(isBelow, base - logarithm, base + logarithm);
  Scalar inverse = 1.0 / x;
  Scalar large =
      (x - 0.5) * (logarithm - 1.0) + (polynomial(e, kGammalnTail, inverse * inverse) * inverse +
                                       (0.5 * std::log(2 * std::numbers::pi) - 0.5));
  return select(equalTo(x, kInfinite), x, select(isLarge, large, small));
}

Scalar digammaBody(Emitter &e, Scalar x) {
  Shifted s = shifted(e, x);
  Scalar isLarge = x >= 8.0, isBelow = x < 1.0;
  Scalar base = ((s.y - kDigammaRoot[0]) - kDigammaRoot[1]) *
                polynomial(e, kDigammaOverRoot, centred(s.y, 1, 2));
  Scalar steps = s.slope / s.p;
  Scalar small = select(isBelow, base - steps, base + steps);
  Scalar inverse = 1.0 / x, square = inverse * inverse;
  Scalar large = log(x) - (0.5 * inverse + polynomial(e, kDigammaTail, square) * square);
  return select(isLarge, large, small);
}

} // namespace graphc
