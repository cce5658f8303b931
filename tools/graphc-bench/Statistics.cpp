//===- Statistics.cpp -----------------------------------------------------===//
#include "Statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace graphc::bench {

/// The greatest k with P(Binomial(n, 1/2) < k) <= 0.025; 0 if there is none above.
static size_t lowerRank(size_t n) {
  double below = 0;
  for (size_t k = 0; k <= n / 2; ++k) {
    double count = double(n), successes = double(k);
    double logarithm = std::lgamma(count + 1) - std::lgamma(successes + 1) -
                       std::lgamma(count - successes + 1) - count * std::log(2.0);
    below += std::exp(logarithm);
    if (below > 0.025)
      return k;
  }
  return n / 2;
}

Median medianOf(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  size_t n = sample.size();
  Median result;
  result.value = (sample[(n - 1) / 2] + sample[n / 2]) / 2;
  // Ranks k and n + 1 - k, counted from 1.
  size_t k = std::max<size_t>(lowerRank(n), 1);
  result.low = sample[k - 1];
  result.high = sample[n - k];
  return result;
}

double geometricMean(const std::vector<double> &values) {
  double logarithms = 0;
  for (double value : values)
    logarithms += std::log(value);
  return values.empty() ? 0 : std::exp(logarithms / double(values.size()));
}

} // namespace graphc::bench
