//===- DistributionsTest.cpp - draws have their distributions -------------------===//
//
// At fixed seeds, N draws of each distribution are compared with its distribution function, which
// stands here, by Kolmogorov and Smirnov: D = max |F_N - F| is below c / sqrt(N) with probability
// 1 - 2 exp(-2 c^2) for large N. c = 2.8 is a level of 3e-7 for one test: none of some hundred
// fails by chance. Integers: by chi squared, and moments. Moments: a mean of N draws is off by 5.2
// standard errors with probability 2e-7.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "graphc/Function.h"
#include "graphc/Random.h"

namespace graphc {
namespace {

constexpr int64_t kDraws = 200000;
constexpr double kCritical = 2.8, kStandardErrors = 5.2;

std::vector<double> drawn(const Variable &draw) {
  auto f = function({}, draw);
  EXPECT_TRUE(f.ok()) << f.status();
  if (!f.ok())
    return {};
  auto r = (*f)();
  EXPECT_TRUE(r.ok()) << r.status();
  if (!r.ok())
    return {};
  Tensor values = (*r)[0].cast(DType::Float64).contiguous();
  return {values.flat<double>().begin(), values.flat<double>().end()};
}

/// sqrt(N) D.
double kolmogorovSmirnov(std::vector<double> x, const std::function<double(double)> &cdf) {
  std::sort(x.begin(), x.end());
  double n = double(x.size()), most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double f = cdf(x[i]);
    most = std::max({most, f - double(i) / n, double(i + 1) / n - f});
  }
  return std::sqrt(n) * most;
}

double phi(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

struct Continuous {
  const char *name;
  std::function<Variable(RandomStream &, const DrawOptions &)> draw;
  std::function<double(double)> cdf;
  /// NaN where there is none, or too heavy tails for an estimate.
  double mean, variance;
};

const double kNone = std::nan("");

std::vector<Continuous> continuous() {
  using S = RandomStream &;
  using O = const DrawOptions &;
  constexpr double pi = std::numbers::pi, euler = std::numbers::egamma;
  return {
      {"uniform", [](S s, O o) { return s.uniform(-1, 3, o); },
       [](double x) { return std::clamp((x + 1) / 4, 0.0, 1.0); }, 1, 16.0 / 12},
      {"normal", [](S s, O o) { return s.normal(2, 3, o); },
       [](double x) { return phi((x - 2) / 3); }, 2, 9},
      {"halfnormal", [](S s, O o) { return s.halfnormal(0, 1, o); },
       [](double x) { return std::erf(x / std::numbers::sqrt2); }, std::sqrt(2 / pi), 1 - 2 / pi},
      {"lognormal", [](S s, O o) { return s.lognormal(0, 0.5, o); },
       [](double x) { return phi(std::log(x) / 0.5); }, std::exp(0.125),
       std::expm1(0.25) * std::exp(0.25)},
      {"laplace", [](S s, O o) { return s.laplace(1, 2, o); },
       [](double x) {
         double y = (x - 1) / 2;
         return y < 0 ? std::exp(y) / 2 : 1 - std::exp(-y) / 2;
       },
       1, 8},
      {"logistic", [](S s, O o) { return s.logistic(1, 2, o); },
       [](double x) { return 1 / (1 + std::exp(-(x - 1) / 2)); }, 1, 4 * pi * pi / 3},
      {"gumbel", [](S s, O o) { return s.gumbel(1, 2, o); },
       [](double x) { return std::exp(-std::exp(-(x - 1) / 2)); }, 1 + 2 * euler, 4 * pi * pi / 6},
      {"cauchy", [](S s, O o) { return s.cauchy(1, 2, o); },
       [=](double x) { return 0.5 + std::atan((x - 1) / 2) / pi; }, kNone, kNone},
      {"halfcauchy", [](S s, O o) { return s.halfcauchy(0, 2, o); },
       [=](double x) { return 2 * std::atan(x / 2) / pi; }, kNone, kNone},
      {"triangular", [](S s, O o) { return s.triangular(-1, 0, 3, o); },
       [](double x) { return x < 0 ? (x + 1) * (x + 1) / 4 : 1 - (3 - x) * (3 - x) / 12; }, 2.0 / 3,
       13.0 / 18},
      {"exponential", [](S s, O o) { return s.exponential(2, o); },
       [](double x) { return -std::expm1(-x / 2); }, 2, 4},
      {"weibull", [](S s, O o) { return s.weibull(2, 3, o); },
       [](double x) { return -std::expm1(-x * x / 9); }, 1.5 * std::sqrt(pi), 9 - 2.25 * pi},
      {"pareto", [](S s, O o) { return s.pareto(5, 2, o); },
       [](double x) { return x < 2 ? 0 : 1 - std::pow(2 / x, 5); }, 2.5, 20.0 / 48},
      {"truncexpon", [](S s, O o) { return s.truncexpon(2, 0, 1, o); },
       [](double x) { return std::expm1(-x) / std::expm1(-2.0); }, 1 - 2 / std::expm1(2.0),
       1 - 4 * std::exp(2.0) / std::pow(std::expm1(2.0), 2)},
  };
}

class EveryContinuous : public testing::TestWithParam<Continuous> {};

/// The mean and the variance of x are within kStandardErrors of theirs; the error of the variance
/// is estimated from the draws.
void expectMoments(const std::vector<double> &x, double mean, double variance) {
  double n = double(x.size()), sum = 0, squares = 0, fourth = 0;
  for (double value : x) {
    double d = value - mean, square = d * d;
    sum += d, squares += square, fourth += square * square;
  }
  EXPECT_LE(std::fabs(sum / n), kStandardErrors * std::sqrt(variance / n));
  double spread = std::sqrt((fourth / n - squares / n * (squares / n)) / n);
  EXPECT_LE(std::fabs(squares / n - variance), kStandardErrors * spread);
}

TEST_P(EveryContinuous, HasItsDistributionAndMoments) {
  const Continuous &d = GetParam();
  for (DType dtype : {DType::Float64, DType::Float32}) {
    SCOPED_TRACE(std::string(dtypeName(dtype)));
    RandomStream stream(17);
    std::vector<double> x = drawn(d.draw(stream, {.size = {kDraws}, .dtype = dtype}));
    ASSERT_EQ(x.size(), size_t(kDraws));
    EXPECT_LT(kolmogorovSmirnov(x, d.cdf), kCritical);
    if (!std::isnan(d.mean))
      expectMoments(x, d.mean, d.variance);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryContinuous, testing::ValuesIn(continuous()),
                         [](const auto &info) { return info.param.name; });

/// The test can fail: scales that are 10 and 2 percent off.
TEST(KolmogorovSmirnov, SeesWrongDistributions) {
  RandomStream stream(17);
  std::vector<double> x = drawn(stream.normal(0, 1.1, {.size = {kDraws}}));
  EXPECT_GT(kolmogorovSmirnov(x, phi), kCritical);
  x = drawn(stream.uniform(0, 0.98, {.size = {kDraws}}));
  EXPECT_GT(kolmogorovSmirnov(x, [](double u) { return u; }), kCritical);
}

// Halves: each of their 2048 (256) values is as likely.
TEST(Uniform, HasAllValuesOfHalves) {
  for (auto [dtype, digits] : {std::pair(DType::Float16, 11), std::pair(DType::BFloat16, 8)}) {
    RandomStream stream(3);
    std::vector<double> x = drawn(stream.uniform({.size = {kDraws}, .dtype = dtype}));
    std::vector<int> counts(size_t(1) << digits);
    for (double u : x) {
      double number = std::ldexp(u, digits);
      ASSERT_EQ(number, std::floor(number));
      ASSERT_LT(u, 1);
      ++counts[size_t(number)];
    }
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 0);
  }
}

// F-340: what rounding would make of the range's end never is the draw.
TEST(Uniform, IsBelowItsEnd) {
  RandomStream stream(3);
  double next = std::nextafter(1.0, 2.0);
  for (double x : drawn(stream.uniform(1.0, next, {.size = {1000}})))
    ASSERT_EQ(x, 1.0);
  for (double x : drawn(stream.uniform(3, 3.5, {.size = {20000}, .dtype = DType::BFloat16})))
    ASSERT_TRUE(x >= 3 && x < 3.5) << x;
  for (double x : drawn(stream.uniform(2.5, 2.5, {.size = {10}})))
    ASSERT_EQ(x, 2.5);
}

// The smallest and the largest exponentials: 2^-20 of 2^20 draws lie below 2^-20, in float32 too.
TEST(Exponential, IsRightAtBothEnds) {
  RandomStream stream(4);
  std::vector<double> x =
      drawn(stream.exponential(1, {.size = {1 << 20}, .dtype = DType::Float32}));
  std::sort(x.begin(), x.end());
  EXPECT_GT(x.front(), 0);
  // 2^20 x_min and 2^20 e^-x_max are exponential: between e^-16 and 16 but for 2e-7.
  EXPECT_GT(std::ldexp(x.front(), 20), std::exp(-16));
  EXPECT_LT(std::ldexp(x.front(), 20), 16);
  EXPECT_GT(std::ldexp(std::exp(-x.back()), 20), std::exp(-16));
  EXPECT_LT(std::ldexp(std::exp(-x.back()), 20), 16);
}

//===--- integers --------------------------------------------------------------------------===//

struct Discrete {
  const char *name;
  std::function<Variable(RandomStream &)> draw;
  /// Of 0, 1, 2, ...
  std::function<double(int)> probability;
};

std::vector<Discrete> discrete() {
  using S = RandomStream &;
  DrawOptions o{.size = {kDraws}};
  return {
      {"integers", [=](S s) { return s.integers(0, 10, o); },
       [](int k) { return k < 10 ? 0.1 : 0; }},
      {"bernoulli", [=](S s) { return s.bernoulli(0.3, o); },
       [](int k) { return k > 1 ? 0
                          : k   ? 0.3
                                : 0.7; }},
      {"geometric", [=](S s) { return s.geometric(0.3, o); },
       [](int k) { return k ? 0.3 * std::pow(0.7, k - 1) : 0; }},
  };
}

class EveryDiscrete : public testing::TestWithParam<Discrete> {};

// Chi squared of m cells is above m - 1 + 5.2 sqrt(2 (m - 1)) + 5.2^2 with probability below 2e-6
// (Laurent and Massart 2000). Cells with fewer than ten expected draws are joined.
TEST_P(EveryDiscrete, HasItsDistribution) {
  RandomStream stream(23);
  std::vector<double> x = drawn(GetParam().draw(stream));
  std::vector<int64_t> counts;
  for (double value : x) {
    ASSERT_GE(value, 0);
    counts.resize(std::max(counts.size(), size_t(value) + 1));
    ++counts[size_t(value)];
  }
  double chi = 0, restExpected = double(kDraws), rest = double(kDraws);
  int cells = 0;
  for (int k = 0; restExpected > 20 && k < 100000; ++k) {
    double expected = double(kDraws) * GetParam().probability(k);
    double seen = size_t(k) < counts.size() ? double(counts[size_t(k)]) : 0;
    if (expected == 0) {
      EXPECT_EQ(seen, 0) << k;
      continue;
    }
    if (expected < 10)
      continue;
    chi += (seen - expected) * (seen - expected) / expected;
    ++cells, restExpected -= expected, rest -= seen;
  }
  if (restExpected > 1e-6)
    chi += (rest - restExpected) * (rest - restExpected) / restExpected;
  double m = cells;
  EXPECT_LT(chi, m + kStandardErrors * std::sqrt(2 * m) + kStandardErrors * kStandardErrors);
  EXPECT_GT(chi, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EveryDiscrete, testing::ValuesIn(discrete()),
                         [](const auto &info) { return info.param.name; });

// Ranges of nearly 2^64 and of one number, every dtype.
TEST(Integers, FillTheirRange) {
  RandomStream stream(9);
  for (double x : drawn(stream.integers(-5, -4, {.size = {100}})))
    ASSERT_EQ(x, -5);
  for (DType dtype : {DType::Int8, DType::UInt8, DType::Int16, DType::UInt16}) {
    double least = dtype == DType::Int8 ? -128 : dtype == DType::Int16 ? -32768 : 0;
    double end = least + std::ldexp(1.0, bitWidth(dtype));
    std::vector<double> x =
        drawn(stream.integers(int64_t(least), int64_t(end), {.size = {kDraws}, .dtype = dtype}));
    EXPECT_LT(kolmogorovSmirnov(x, [=](double v) { return (v + 0.5 - least) / (end - least); }),
              kCritical + std::sqrt(double(kDraws)) / (end - least));
  }
  std::vector<double> wide = drawn(stream.integers(INT64_MIN, INT64_MAX, {.size = {kDraws}}));
  EXPECT_LT(kolmogorovSmirnov(wide, [](double v) { return v * 0x1p-64 + 0.5; }), kCritical);
  std::vector<double> natural =
      drawn(stream.integers(uint64_t(1), UINT64_MAX, {.size = {kDraws}, .dtype = DType::UInt64}));
  EXPECT_LT(kolmogorovSmirnov(natural, [](double v) { return v * 0x1p-64; }), kCritical);
}

//===--- independence ------------------------------------------------------------------------===//

/// sqrt(N) times the correlation, which is nearly standard normal.
double correlation(const std::vector<double> &x, const std::vector<double> &y) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i], squares += x[i] * x[i] * y[i] * y[i];
  return sum / std::sqrt(squares);
}

// F-336, F-337: generators of a stream, streams of neighbouring seeds, split streams, calls one
// after the other, and lags within a draw are uncorrelated.
TEST(Streams, AreIndependent) {
  RandomStream one(0), two(1), child = one.split(), sibling = one.split();
  DrawOptions o{.size = {kDraws}};
  std::vector<std::vector<double>> x;
  for (RandomStream *stream : {&one, &one, &two, &child, &sibling})
    x.push_back(drawn(stream->normal(o)));
  auto again = function({}, one.normal(o));
  for (int call = 0; call < 2; ++call) {
    Tensor t = (*(*again)())[0];
    x.push_back({t.flat<double>().begin(), t.flat<double>().end()});
  }
  for (size_t lag : {1, 2, 4, 1000}) {
    x.push_back(x[0]);
    std::rotate(x.back().begin(), x.back().begin() + std::ptrdiff_t(lag), x.back().end());
  }
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      EXPECT_LT(std::fabs(correlation(x[i], x[j])), kStandardErrors) << i << " " << j;
      EXPECT_NE(x[i], x[j]) << i << " " << j;
    }
}

} // namespace
} // namespace graphc
