//===- Routines/Samplers.h - random variables by rejection -----------*- C++ -*-===//
//
// Each element of a draw has a stream of bits of its own, the blocks of its position and attempts
// 0, 1, ..., so that elements are drawn in any order. Computed in float64 with libm: the same bits
// in all modes, but those of another libm may differ.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>

#include "Support/Philox.h"

namespace graphc {

class ElementStream {
public:
  /// Of the element at a position of the generator with that key.
  ElementStream(uint64_t key, uint64_t position) : key_(key), position_(position) {}

  /// 64 bits.
  uint64_t bits();
  /// In (0, 1): the middles of 2^52 intervals.
  double unit();
  /// 0 to n - 1, n > 0; probabilities differ by less than 2^-64, relatively by 2^-11 n 2^-53.
  uint64_t below(uint64_t n);
  double exponential();
  double normal();

private:
  uint64_t key_, position_;
  uint32_t attempt_ = 0;
  bool isHalfUsed_ = false;
  uint64_t other_ = 0;
};

/// log(x!); lgamma itself writes a global variable.
inline double logFactorial(double x) {
  int sign;
  return lgamma_r(x + 1, &sign);
}

// Parameters are in their domain; `s` is the element's stream.

/// Marsaglia and Tsang 2000, and its logarithm, which is right where the variable underflows.
double sampleGamma(ElementStream &s, double shape);
double sampleLogGamma(ElementStream &s, double shape);
/// By which parameters of gamma variables are multiplied where the logarithms of all have
/// overflowed: the greatest is then so far before the others that it does not matter by how much.
inline constexpr double kFarFromTiny = 0x1p100;
double sampleBeta(ElementStream &s, double a, double b);
/// Best and Fisher 1979: in [-pi, pi].
double sampleVonMises(ElementStream &s, double mean, double kappa);
/// Michael, Schucany and Haas 1976.
double sampleWald(ElementStream &s, double mean, double scale);
/// A standard normal variable that lies in [low, high], low < high: Robert 1995.
double sampleTruncatedNormal(ElementStream &s, double low, double high);
/// Hörmann's transformed rejection (PTRS and BTRS, 1993). u in (-1/2, 1/2) and v in (0, 1) are
/// uniform, us = 1/2 - |u|: k = at(u, us) is taken where v <= p(k) (a / us^2 + b) / alpha; for the
/// binomial distribution p is relative to that of the mode. It is so for v <= squeeze where
/// us >= 0.07.
struct TransformedRejection {
  double a, b, alpha, squeeze, mean, shift;

  double at(double u, double us) const { return std::floor((2 * a / us + b) * u + mean + shift); }
  static TransformedRejection poisson(double rate);
  /// Of p <= 1/2.
  static TransformedRejection binomial(double n, double p);
};
/// Inversion, or transformed rejection from a rate of 10 on.
double samplePoisson(ElementStream &s, double rate);
/// Inversion, or transformed rejection from a mean of 10 on.
double sampleBinomial(ElementStream &s, double n, double p);
/// Hypergeometric.cpp: inversion from the mode outwards, or ratios of uniforms.
double sampleHypergeometric(ElementStream &s, double good, double bad, double draws);

} // namespace graphc
