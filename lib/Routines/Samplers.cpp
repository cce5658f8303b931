//===- Samplers.cpp ----------------------------------------------------------===//
#include "Routines/Samplers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace graphc {

//===--- bits -----------------------------------------------------------------------------===//

uint64_t ElementStream::bits() {
  isHalfUsed_ = !isHalfUsed_;
  if (!isHalfUsed_)
    return other_;
  auto [first, second] = philox::hostBlock(key_, position_, attempt_++);
  other_ = second;
  return first;
}

double ElementStream::unit() { return (double(bits() >> 12) + 0.5) * 0x1p-52; }

uint64_t ElementStream::below(uint64_t n) {
  return uint64_t((static_cast<unsigned __int128>(bits()) * n) >> 64);
}

double ElementStream::exponential() { return -std::log(unit()); }

double ElementStream::normal() {
  double radius = std::sqrt(2 * exponential());
  return radius * std::cos(2 * std::numbers::pi * unit());
}

namespace {

/// The number of the interval in which u lies, of widths first, first * ratio(1), ...; -1 where
/// rounding has left none.
template <class Ratio> double invert(double u, double first, double last, const Ratio &ratio) {
  double width = first, k = 0;
  while (k <= last && width > 0) {
    if (u <= width)
      return k;
    u -= width;
    width *= ratio(++k);
  }
  return -1;
}

} // namespace

//===--- floats -----------------------------------------------------------------------------===//

double sampleGamma(ElementStream &s, double shape) {
  if (shape < 1)
    return std::exp(sampleLogGamma(s, shape));
  double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x = s.normal(), t = 1 + c * x, u = s.unit();
    double v = t * t * t;
    // The first condition implies the second one.
    if (t > 0 && (u < 1 - 0.0331 * (x * x) * (x * x) ||
                  std::log(u) < x * x / 2 + d - d * v + d * std::log(v)))
      return d * v;
  }
}

double sampleLogGamma(ElementStream &s, double shape) {
  if (shape >= 1)
    return std::log(sampleGamma(s, shape));
  double above = sampleGamma(s, shape + 1);
  return std::log(above) + std::log(s.unit()) / shape;
}

double sampleBeta(ElementStream &s, double a, double b) {
  ElementStream again = s;
  double x = sampleLogGamma(s, a), y = sampleLogGamma(s, b);
  if (x == -HUGE_VAL && y == -HUGE_VAL) {
    x = sampleLogGamma(again, a * kFarFromTiny);
    y = sampleLogGamma(again, b * kFarFromTiny);
  }
  return 1 / (1 + std::exp(y - x));
}

double sampleVonMises(ElementStream &s, double mean, double kappa) {
  constexpr double pi = std::numbers::pi;
  double angle;
  if (kappa < 1e-8) {
    angle = (2 * s.unit() - 1) * pi;
  } else if (kappa > 1e6) { // normal but for 1 / (8 kappa)
    angle = s.normal() / std::sqrt(kappa);
  } else {
    double tau = 1 + std::sqrt(1 + 4 * kappa * kappa);
    double rho = (tau - std::sqrt(2 * tau)) / (2 * kappa);
    double r = kappa < 1e-5 ? 1 / kappa + kappa : (1 + rho * rho) / (2 * rho);
    double w, c, u;
    do {
      double z = std::cos(pi * s.unit());
      w = (1 + r * z) / (r + z);
      c = kappa * (r - w);
      u = s.unit();
    } while (c * (2 - c) <= u && std::log(c / u) + 1 < c);
    angle = std::acos(std::clamp(w, -1.0, 1.0));
    if (s.bits() >> 63)
      angle = -angle;
  }
  return std::remainder(angle + mean, 2 * pi);
}

double sampleWald(ElementStream &s, double mean, double scale) {
  double z = s.normal(), v = mean * z * z / (2 * scale);
  // The smaller root, without cancellation.
  double x = mean / (1 + v + std::sqrt(v * (2 + v)));
  return s.unit() * (mean + x) <= mean ? x : mean * (mean / x);
}

double sampleTruncatedNormal(ElementStream &s, double low, double high) {
  if (high <= 0)
    return -sampleTruncatedNormal(s, -high, -low);
  double nearest = std::max(low, 0.0), width = high - low;
  // Of the proposals, the one that is taken most often.
  double root = std::sqrt(nearest * nearest + 4), rate = (nearest + root) / 2;
  bool isNarrow = low < 0 ? width < std::sqrt(2 * std::numbers::pi)
                          : width < std::exp((low * low - low * root) / 4 + 0.5) * 2 / (low + root);
  for (;;) {
    if (isNarrow) {
      double x = low + width * s.unit();
      if (std::log(s.unit()) <= (nearest * nearest - x * x) / 2)
        return x;
    } else if (low < 0) {
      double x = s.normal();
      if (x >= low && x <= high)
        return x;
    } else {
      double x = low + s.exponential() / rate;
      if (x <= high && std::log(s.unit()) <= -(x - rate) * (x - rate) / 2)
        return x;
    }
  }
}

//===--- integers -----------------------------------------------------------------------------===//

TransformedRejection TransformedRejection::poisson(double rate) {
  double b = 0.931 + 2.53 * std::sqrt(rate);
  return {-0.059 + 0.02483 * b,      b,    1.1239 + 1.1328 / (b - 3.4),
          0.9277 - 3.6224 / (b - 2), rate, 0.43};
}

TransformedRejection TransformedRejection::binomial(double n, double p) {
  double spread = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread;
  return {
      -0.0873 + 0.0248 * b + 0.01 * p, b, (2.83 + 5.1 / b) * spread, 0.92 - 4.2 / b, n * p, 0.5};
}

double samplePoisson(ElementStream &s, double rate) {
  if (rate < 10) {
    for (;;)
      if (double k = invert(s.unit(), std::exp(-rate), 1000, [&](double k) { return rate / k; });
          k >= 0)
        return k;
  }
  const TransformedRejection r = TransformedRejection::poisson(rate);
  for (;;) {
    double u = s.unit() - 0.5, v = s.unit(), us = 0.5 - std::fabs(u);
    double k = r.at(u, us);
    if (us >= 0.07 && v <= r.squeeze)
      return k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (std::log(v * r.alpha / (r.a / (us * us) + r.b)) <=
        k * std::log(rate) - rate - logFactorial(k))
      return k;
  }
}

double sampleBinomial(ElementStream &s, double n, double p) {
  if (p > 0.5)
    return n - sampleBinomial(s, n, 1 - p);
  double q = 1 - p, mean = n * p;
  if (mean < 10) {
    double none = std::exp(n * std::log1p(-p));
    for (;;)
      if (double k = invert(s.unit(), none, n, [&](double k) { return (n - k + 1) / k * (p / q); });
          k >= 0)
        return k;
  }
  const TransformedRejection r = TransformedRejection::binomial(n, p);
  double logOdds = std::log(p / q), mode = std::floor((n + 1) * p);
  double atMode = logFactorial(mode) + logFactorial(n - mode);
  for (;;) {
    double u = s.unit() - 0.5, v = s.unit(), us = 0.5 - std::fabs(u);
    double k = r.at(u, us);
    if (k < 0 || k > n)
      continue;
    if (us >= 0.07 && v <= r.squeeze)
      return k;
    if (std::log(v * r.alpha / (r.a / (us * us) + r.b)) <=
        atMode - logFactorial(k) - logFactorial(n - k) + (k - mode) * logOdds)
      return k;
  }
}

} // namespace graphc
