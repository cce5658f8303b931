//===- Hypergeometric.cpp - draws without putting back ----------------------===//
//
// Of few elements by inversion, of many by ratios of uniforms. The probabilities of many are those
// of binomial distributions (Loader, "Fast and accurate computation of binomial probabilities",
// 2000), since logarithms of factorials lose in their differences all digits that count.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <cmath>
#include <numbers>

#include "Routines/Samplers.h"

namespace graphc {
namespace {

struct Urn {
  double good, bad, draws;

  double all() const { return good + bad; }
  double least() const { return std::max(0.0, draws - bad); }
  double most() const { return std::min(good, draws); }
  double mode() const {
    return std::clamp(std::floor((draws + 1) * (good + 1) / (all() + 2)), least(), most());
  }
  /// p(k) / p(k - 1).
  double ratio(double k) const {
    return (good - k + 1) * (draws - k + 1) / (k * (bad - draws + k));
  }
};

//===--- probabilities ----------------------------------------------------------------===//

double logChoices(double n, double k) {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/// What Stirling's formula for log(n!), n > 0, leaves out.
double stirlingRest(double n) {
  if (n < 16)
    return logFactorial(n) - (std::log(2 * std::numbers::pi * n) / 2 + n * std::log(n) - n);
  double square = n * n;
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / square) / square) / square) / n;
}

/// x log(x / m) + m - x, near m by a series in which nothing cancels.
double deviance(double x, double m) {
  if (std::fabs(x - m) >= 0.1 * (x + m))
    return x * std::log(x / m) + m - x;
  double v = (x - m) / (x + m), sum = (x - m) * v, term = 2 * x * v;
  for (int odd = 3; odd < 200; odd += 2) {
    term *= v * v;
    double next = sum + term / odd;
    if (next == sum)
      break;
    sum = next;
  }
  return sum;
}

/// Of x in n trials; q is 1 - p, and has its own digits.
double logBinomial(double x, double n, double p, double q) {
  if (x == 0 || x == n) {
    double same = x == 0 ? q : p, other = x == 0 ? p : q;
    return n == 0 ? 0 : n * (other < 0.5 ? std::log1p(-other) : std::log(same));
  }
  double rests = stirlingRest(n) - stirlingRest(x) - stirlingRest(n - x);
  return rests - deviance(x, n * p) - deviance(n - x, n * q) -
         std::log(2 * std::numbers::pi * x * ((n - x) / n)) / 2;
}

double logProbability(const Urn &urn, double k) {
  double p = urn.draws / urn.all(), q = (urn.all() - urn.draws) / urn.all();
  return logBinomial(k, urn.good, p, q) + logBinomial(urn.draws - k, urn.bad, p, q) -
         logBinomial(urn.draws, urn.all(), p, q);
}

//===--- draws ---------------------------------------------------------------------------===//

/// From the mode outwards.
double byInversion(ElementStream &s, const Urn &urn, double atMode) {
  const double least = urn.least(), most = urn.most(), mode = urn.mode();
  for (;;) {
    double u = s.unit();
    if (u <= atMode)
      return mode;
    u -= atMode;
    double up = mode, down = mode, above = atMode, below = atMode;
    // A tail ends where it has no digits left of what u may still be.
    while (up < most || down > least) {
      above = up < most ? above * urn.ratio(up + 1) : 0;
      if (up < most && u <= above)
        return up + 1;
      u -= above;
      up = std::min(up + 1, most);
      below = down > least ? below / urn.ratio(down) : 0;
      if (down > least && u <= below)
        return down - 1;
      u -= below;
      down = std::max(down - 1, least);
      if (above < 0x1p-80 && below < 0x1p-80)
        break;
    }
  }
}

/// Stadlober's ratio of uniforms, the table of the hat of HRUA (1990): 1.3 pairs of them a draw.
double byRatio(ElementStream &s, const Urn &urn, double variance) {
  const double mean = urn.draws * (urn.good / urn.all()) + 0.5;
  // 2 sqrt(2 / e), and 3 - 2 sqrt(3 / e).
  const double width = 1.7155277699214135 * std::sqrt(variance + 0.5) + 0.8989161620588988;
  const double atMode = logProbability(urn, urn.mode());
  for (;;) {
    double x = s.unit(), k = std::floor(mean + width * (s.unit() - 0.5) / x);
    if (k < urn.least() || k > urn.most())
      continue;
    if (2 * std::log(x) <= logProbability(urn, k) - atMode)
      return k;
  }
}

} // namespace

double sampleHypergeometric(ElementStream &s, double good, double bad, double draws) {
  const Urn urn{good, bad, draws};
  constexpr double kFew = 0x1p26; // whose logarithms of factorials are right to 1e-6
  if (urn.all() <= kFew) {
    double mode = urn.mode();
    return byInversion(s, urn,
                       std::exp(logChoices(good, mode) + logChoices(bad, draws - mode) -
                                logChoices(urn.all(), draws)));
  }
  const double all = urn.all();
  const double variance =
      draws * (good / all) * (bad / all) * ((all - draws) / std::max(all - 1, 1.0));
  constexpr double kQuick = 1000; // where inversion takes as long
  return variance < kQuick ? byInversion(s, urn, std::exp(logProbability(urn, urn.mode())))
                           : byRatio(s, urn, variance);
}

} // namespace graphc
