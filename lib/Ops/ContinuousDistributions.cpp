//===- ContinuousDistributions.cpp - floats that kernels draw ---------------===//
#include <cmath>
#include <numbers>

#include "Build.h"
#include "Derivatives.h"
#include "Distributions.h"
#include "RoundedMath.h"

namespace graphc {
namespace {

using Bits = const RandomBits &;
using P = const Scalars &;

//===--- standard variables -------------------------------------------------------------===//

/// -log u: at least 2^-65 (Float32: 2^-49), never infinite.
Scalar exponential(Bits bits, int half) {
  auto [u, v] = bits.pair(half);
  return -rounded::logOfUnit(u, v);
}

/// Sine and cosine of a whole turn times the uniform variable of a half.
rounded::SinCos directionOf(Bits bits, int half) {
  auto [quarter, rest] = bits.angle(half);
  auto [sin, cos] = rounded::sinCosOfQuarter(rest);
  Scalar isOdd = equalTo(quarter, 1.0) || equalTo(quarter, 3.0), isUpper = quarter < 2.0;
  Scalar isLeft = equalTo(quarter, 1.0) || equalTo(quarter, 2.0);
  Scalar x = select(isOdd, sin, cos), y = select(isOdd, cos, sin);
  // Quarters 0 to 3 from -1/8 of a turn on: (c, s), (-s, c), (-c, -s), (s, -c).
  return {select(isUpper, y, -y), select(isLeft, -x, x)};
}

/// Box and Muller 1958.
Scalar normal(Bits bits) { return sqrt(exponential(bits, 0) * 2.0) * directionOf(bits, 1).cos; }

/// The tangent of a uniform direction.
Scalar cauchy(Bits bits) {
  auto [sin, cos] = directionOf(bits, 0);
  return sin / cos;
}

//===--- bodies -------------------------------------------------------------------------===//

/// [low, high), whatever the rounding; low where they are equal.
Scalar uniformBetween(Bits bits, P p) {
  DType drawn = bits.drawn();
  int digits = drawn == DType::Float64   ? 53
               : drawn == DType::Float32 ? 24
               : drawn == DType::Float16 ? 11
                                         : 8;
  Scalar low = cast(p[0], drawn), high = cast(p[1], drawn);
  Scalar x = cast(p[0] + (p[1] - p[0]) * bits.unit(0, digits), drawn);
  return minimum(x, apply(ScalarOp::NextAfter, {high, low}));
}

/// F^-1 of a variable that is linear on both sides of its mode.
Scalar triangular(Bits bits, P p) {
  Scalar left = p[0], mode = p[1], right = p[2], width = right - left;
  auto [u, v] = bits.pair(0);
  Scalar rising = left + sqrt(u * width * (mode - left));
  Scalar falling = right - sqrt(v * width * (right - mode));
  return select(u * width < mode - left, rising, falling);
}

/// -log(1 - u (1 - e^-b)): both factors of the sum keep their digits.
Scalar truncatedExponential(Bits bits, P p) {
  auto [u, v] = bits.pair(0);
  Scalar complement = -rounded::expm1(-p[0]);
  Scalar x = -rounded::logOfUnit(v + u * rounded::exp(-p[0]), u * complement);
  return p[1] + p[2] * minimum(x, p[0]);
}

//===--- partial derivatives --------------------------------------------------------------===//

Variable parameter(Inputs in, size_t k, const Variable &draw) {
  return inDType(in[2 + k], draw.dtype());
}

/// Of location + scale * z.
DrawPartials locationScalePartials(std::string name) {
  return [name](Inputs in, const Variable &draw) -> Variables {
    return {onesLike(draw), drawAgain(name, in, draw, {0, 1})};
  };
}

Variables uniformPartials(Inputs in, const Variable &draw) {
  Variable u = drawAgain("uniform", in, draw, {0, 1});
  return {1.0 - u, u};
}

Variables lognormalPartials(Inputs in, const Variable &draw) {
  return {draw, draw * drawAgain("normal", in, draw, {0, 1})};
}

Variables exponentialPartials(Inputs in, const Variable &draw) {
  return {drawAgain("exponential", in, draw, {1})};
}

/// Of scale * E^(1 / shape), with w = E^(1 / shape) to be had from x.
Variables weibullPartials(Inputs in, const Variable &draw) {
  Variable power = reciprocal(parameter(in, 0, draw));
  Variable e = drawAgain("exponential", in, draw, {1});
  return {-draw * log(e) * sqr(power), pow(e, power)};
}

/// Of scale * e^(E / shape).
Variables paretoPartials(Inputs in, const Variable &draw) {
  Variable power = reciprocal(parameter(in, 0, draw));
  Variable e = drawAgain("exponential", in, draw, {1});
  return {-draw * e * sqr(power), exp(e * power)};
}

//===--- rows -----------------------------------------------------------------------------===//

/// location + scale * z, of two parameters.
Distribution locationScale(std::string name, std::string doc, std::string location,
                           std::string scale, std::function<Scalar(Bits)> standard,
                           std::string example) {
  return {.name = name,
          .doc = std::move(doc),
          .parameters = {location, scale},
          .requirements = {isFinite(0, location), isNotNegative(1, scale)},
          .body = [standard](Bits bits, P p) { return p[0] + p[1] * standard(bits); },
          .partials = locationScalePartials(name),
          .example = std::move(example)};
}

} // namespace

std::vector<Distribution> locationScaleDistributions() {
  return {
      {.name = "uniform",
       .doc = "Uniform on [low, high).\nA multiple of 2^-53 (f32: 2^-24, f16: 2^-11, bf16: "
              "2^-8) times the range. ValueError where low > high or the range is not finite.",
       .parameters = {"low", "high"},
       .requirements = {{[](P p) { return p[0] <= p[1]; }, "low must not be above high"},
                        // NaN is the first one's.
                        {[](P p) { return !(abs(p[1] - p[0]) >= HUGE_VAL); },
                         "the range of low and high must be finite"}},
       .body = uniformBetween,
       .partials = uniformPartials,
       .example = "uniform([1, 0], [2], 0.0, 1.0) = [0.894684716, 0.874111935]"},
      locationScale("normal",
                    "Normal with a mean and a standard deviation; sd 0 gives the mean.\nBox and "
                    "Muller's method; up to 9.4 (f32: 8.2) standard deviations from the mean.",
                    "mean", "sd", normal,
                    "normal([1, 0], [2], 0.0, 1.0) = [-0.404146762, -0.50886806]"),
      locationScale(
          "halfnormal", "loc + scale |z| of a standard normal z.", "loc", "scale",
          [](Bits bits) { return abs(normal(bits)); },
          "halfnormal([1, 0], [2], 0.0, 1.0) = [0.404146762, 0.50886806]"),
      locationScale(
          "laplace", "Laplace: the difference of two exponential variables.", "loc", "scale",
          [](Bits bits) {
            Scalar e = exponential(bits, 0);
            return select(bits.coin(1), e, -e);
          },
          "laplace([1, 0], [2], 0.0, 1.0) = [-0.111283895, -0.134546839]"),
      locationScale(
          "logistic", "Logistic: loc + scale log(u / (1 - u)).", "loc", "scale",
          [](Bits bits) {
            auto [u, v] = bits.pair(0);
            return rounded::logOfUnit(u, v) - rounded::logOfUnit(v, u);
          },
          "logistic([1, 0], [2], 0.0, 1.0) = [2.13951283, 1.9378153]"),
      locationScale(
          "gumbel", "Gumbel's distribution of maxima: loc - scale log(-log u).", "loc", "scale",
          [](Bits bits) { return -rounded::log(exponential(bits, 0)); },
          "gumbel([1, 0], [2], 0.0, 1.0) = [2.19567073, 2.00584289]"),
      locationScale("cauchy", "Cauchy: the tangent of a uniform direction.", "loc", "scale", cauchy,
                    "cauchy([1, 0], [2], 0.0, 1.0) = [-8.04393411, 179.213599]"),
      locationScale(
          "halfcauchy", "loc + scale |z| of a standard Cauchy variable z.", "loc", "scale",
          [](Bits bits) { return abs(cauchy(bits)); },
          "halfcauchy([1, 0], [2], 0.0, 1.0) = [8.04393411, 179.213599]"),
      {.name = "triangular",
       .doc = "Density rising from left to mode and falling to right.",
       .parameters = {"left", "mode", "right"},
       .requirements = {isFinite(0, "left"),
                        isFinite(2, "right"),
                        {[](P p) { return p[0] <= p[1] && p[1] <= p[2]; },
                         "the parameters must be in the order left <= mode <= right"}},
       .body = triangular,
       .partials = triangularPartials,
       .example = "triangular([1, 0], [2], 0.0, 0.5, 1.0) = [0.77052747, 0.749113507]"},
  };
}

std::vector<Distribution> positiveDistributions() {
  return {
      {.name = "lognormal",
       .doc = "e^(mean + sd z) of a standard normal z.",
       .parameters = {"mean", "sd"},
       .requirements = {isFinite(0, "mean"), isNotNegative(1, "sd")},
       .body = [](Bits bits, P p) { return rounded::exp(p[0] + p[1] * normal(bits)); },
       .partials = lognormalPartials,
       .example = "lognormal([1, 0], [2], 0.0, 1.0) = [0.667546144, 0.601175689]"},
      {.name = "exponential",
       .doc = "Exponential with a scale, which is the mean.\nNever 0 but where the scale is.",
       .parameters = {"scale"},
       .requirements = {isNotNegative(0, "scale")},
       .body = [](Bits bits, P p) { return p[0] * exponential(bits, 0); },
       .partials = exponentialPartials,
       .example = "exponential([1, 0], [2], 1.0) = [0.111283895, 0.134546839]"},
      {.name = "weibull",
       .doc = "Weibull: scale E^(1 / shape) of an exponential variable E.",
       .parameters = {"shape", "scale"},
       .requirements = {isPositive(0, "shape"), isNotNegative(1, "scale")},
       .body = [](Bits bits,
                  P p) { return p[1] * rounded::exp(rounded::log(exponential(bits, 0)) / p[0]); },
       .partials = weibullPartials,
       .example = "weibull([1, 0], [2], 2.0, 1.0) = [0.333592409, 0.366806269]"},
      {.name = "pareto",
       .doc = "Pareto on [scale, infinity): scale e^(E / shape) of an exponential variable E.",
       .parameters = {"shape", "scale"},
       .requirements = {isPositive(0, "shape"), isPositive(1, "scale")},
       .body = [](Bits bits, P p) { return p[1] * rounded::exp(exponential(bits, 0) / p[0]); },
       .partials = paretoPartials,
       .example = "pareto([1, 0], [2], 3.0, 1.0) = [1.03779122, 1.04586987]"},
      {.name = "truncexpon",
       .doc = "loc + scale x, of an exponential variable x that is at most b.",
       .parameters = {"b", "loc", "scale"},
       .requirements = {isPositive(0, "b"), isFinite(1, "loc"), isNotNegative(2, "scale")},
       .body = truncatedExponential,
       .partials = truncexponPartials,
       .example = "truncexpon([1, 0], [2], 2.0, 0.0, 1.0) = [1.48546212, 1.40982402]"},
  };
}

} // namespace graphc
