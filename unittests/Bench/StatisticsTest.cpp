//===- StatisticsTest.cpp - medians and their intervals -------------------===//
#include "Statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace graphc::bench {
namespace {

std::vector<double> upTo(int n) {
  std::vector<double> values(size_t(n), 0.0);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Statistics, MedianOfOddAndEvenSamples) {
  EXPECT_EQ(medianOf({3, 1, 2}).value, 2);
  EXPECT_EQ(medianOf({4, 1, 3, 2}).value, 2.5);
  EXPECT_EQ(medianOf({7}).value, 7);
}

// Ranks of the 95 % interval of a median: Conover, Practical Nonparametric Statistics, and any
// table of the sign test: the greatest k with P(Binomial(n, 1/2) <= k - 1) <= 0.025.
TEST(Statistics, RanksOfTheIntervalAreThoseOfTheSignTest) {
  struct Row {
    int n, low, high;
  };
  for (Row row : {Row{6, 1, 6},
                  {8, 1, 8},
                  {9, 2, 8},
                  {10, 2, 9},
                  {15, 4, 12},
                  {20, 6, 15},
                  {25, 8, 18},
                  {50, 18, 33},
                  {100, 40, 61}}) {
    Median median = medianOf(upTo(row.n));
    EXPECT_EQ(median.low, row.low) << row.n;
    EXPECT_EQ(median.high, row.high) << row.n;
  }
}

TEST(Statistics, SmallSamplesGiveTheirWholeRange) {
  for (int n : {1, 2, 3, 4, 5}) {
    Median median = medianOf(upTo(n));
    EXPECT_EQ(median.low, 1);
    EXPECT_EQ(median.high, n);
  }
}

// Skewed on purpose: no assumption on the distribution is made. The median of exp(X) is 1.
TEST(Statistics, IntervalsContainTheTrueMedianAsOftenAsTheySay) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> distribution(0, 1);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> sample(51);
    std::generate(sample.begin(), sample.end(), [&] { return distribution(random); });
    Median median = medianOf(sample);
    covered += median.low <= 1 && 1 <= median.high;
  }
  EXPECT_GE(covered, kTrials * 94 / 100);
}

TEST(Statistics, AnOutlierIsOneRank) {
  std::vector<double> sample = upTo(25);
  Median before = medianOf(sample);
  sample.back() = 1e9;
  Median after = medianOf(sample);
  EXPECT_EQ(before.value, after.value);
  EXPECT_EQ(before.high, after.high);
}

} // namespace
} // namespace graphc::bench
