//===- Statistics.h - medians and what they are worth -------------*- C++ -*-===//
#pragma once

#include <vector>

namespace graphc::bench {

/// The median of a sample and an interval that contains the median of what was sampled with a
/// probability of at least 95 % (of the whole range where the sample is too small for that).
struct Median {
  double value = 0, low = 0, high = 0;
};

/// By order statistics: without any assumption on the distribution, the number of values below the
/// true median is binomial with probability 1/2. `sample` must not be empty.
Median medianOf(std::vector<double> sample);

/// Of positive numbers; 0 of none.
double geometricMean(const std::vector<double> &values);

} // namespace graphc::bench
