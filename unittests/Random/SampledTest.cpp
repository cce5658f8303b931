//===- SampledTest.cpp - what the host draws has its distribution ----------------===//
//
// Against quantiles and probabilities of SciPy (make_quantiles.py), at a fixed seed. The distance
// of Kolmogorov and Smirnov at 255 quantiles is below the whole distance: levels are as in
// DistributionsTest.cpp.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "Ops/Build.h"
#include "Ops/Registry.h"
#include "Routines/Samplers.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

constexpr int64_t kDraws = 100000;
constexpr double kCritical = 2.8, kStandardErrors = 5.2;

Tensor int64s(const std::vector<int64_t> &values) {
  return *Tensor::fromSpan<int64_t>(values, {int64_t(values.size())});
}

/// A draw of the op from a state of its own.
Tensor drawn(const std::string &op, const std::vector<Tensor> &parameters,
             const std::vector<int64_t> &size = {kDraws}, int64_t seed = 77) {
  std::vector<Tensor> operands = {randomState(seed), int64s(size)};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  auto results = evaluate(*Op::create(*findOp(drawOpName(op))), operands);
  EXPECT_TRUE(results.ok()) << op << ": " << results.status();
  return results.ok() ? (*results)[1].contiguous() : *Tensor::zeros(DType::Float64, {0});
}

std::vector<double> doubles(const Tensor &t) {
  Tensor wide = t.cast(DType::Float64).contiguous();
  return {wide.flat<double>().begin(), wide.flat<double>().end()};
}

/// The mean of x is within kStandardErrors of its own, which are estimated from x.
void expectMean(const std::vector<double> &x, double mean) {
  double n = double(x.size()), sum = 0, squares = 0;
  for (double value : x)
    sum += value - mean, squares += (value - mean) * (value - mean);
  EXPECT_LE(std::fabs(sum / n), kStandardErrors * std::sqrt(squares / n / n) + 1e-15);
}

void expectMoments(const std::vector<double> &x, double mean, double variance) {
  expectMean(x, mean);
  std::vector<double> squares;
  for (double value : x)
    squares.push_back((value - mean) * (value - mean));
  expectMean(squares, variance);
}

/// Chi squared of counts of 0, 1, ... against probabilities; see DistributionsTest.cpp. Cells with
/// fewer than ten expected draws are one.
void expectCounts(const std::vector<double> &x, const std::vector<double> &p) {
  std::vector<double> counts(p.size() + 1, 0.0);
  for (double value : x) {
    ASSERT_GE(value, 0);
    ++counts[std::min(size_t(value), p.size())];
  }
  double n = double(x.size()), chi = 0, restSeen = n, rest = n;
  int cells = 0;
  for (size_t k = 0; k < p.size(); ++k) {
    double expected = n * p[k];
    if (expected == 0)
      ASSERT_EQ(counts[k], 0) << k;
    if (expected < 10)
      continue;
    chi += (counts[k] - expected) * (counts[k] - expected) / expected;
    rest -= expected, restSeen -= counts[k], ++cells;
  }
  if (rest > 0.5)
    chi += (restSeen - rest) * (restSeen - rest) / rest;
  else
    EXPECT_LE(restSeen, 20);
  double m = cells;
  EXPECT_LE(chi, m + kStandardErrors * std::sqrt(2 * m) + kStandardErrors * kStandardErrors);
}

struct Line {
  std::string op, parameters;
  bool isFloat;
  double mean, variance;
  std::vector<double> numbers;
};

std::vector<Line> lines() {
  std::ifstream in(std::string(GRAPHC_TEST_DATA) + "/quantiles.txt");
  EXPECT_TRUE(in.good());
  std::vector<Line> lines;
  for (std::string text, kind, word; std::getline(in, text);) {
    if (text.starts_with("#"))
      continue;
    Line line;
    std::istringstream words(text);
    words >> line.op >> kind;
    line.isFloat = kind == "float";
    while (words >> word && word != ":")
      line.parameters += word + " ";
    words >> word, line.mean = std::stod(word);
    words >> word, line.variance = std::stod(word);
    for (words >> word; words >> word;)
      line.numbers.push_back(std::stod(word));
    lines.push_back(line);
  }
  return lines;
}

class Sampled : public testing::TestWithParam<Line> {};

TEST_P(Sampled, HasItsDistributionAndMoments) {
  const Line &line = GetParam();
  SCOPED_TRACE(line.op + " " + line.parameters);
  std::vector<Tensor> parameters;
  std::istringstream words(line.parameters);
  for (std::string word; words >> word;)
    parameters.push_back(Tensor(std::stod(word)));
  std::vector<double> x = doubles(drawn(line.op, parameters));
  ASSERT_EQ(x.size(), size_t(kDraws));
  if (!std::isnan(line.mean))
    expectMoments(x, line.mean, line.variance);
  if (!line.isFloat) {
    std::vector<double> p(size_t(line.numbers[0]), 1e-30);
    p.insert(p.end(), line.numbers.begin() + 1, line.numbers.end());
    expectCounts(x, p);
    return;
  }
  std::sort(x.begin(), x.end());
  double most = 0;
  for (size_t k = 0; k < line.numbers.size(); ++k) {
    auto below = std::upper_bound(x.begin(), x.end(), line.numbers[k]) - x.begin();
    most = std::max(most, std::fabs(double(below) / double(kDraws) - double(k + 1) / 256));
  }
  EXPECT_LT(std::sqrt(double(kDraws)) * most, kCritical);
}

INSTANTIATE_TEST_SUITE_P(All, Sampled, testing::ValuesIn(lines()), [](const auto &info) {
  return info.param.op + std::to_string(info.index);
});

// Angles around any mean are in [-pi, pi].
TEST(VonMises, IsOnTheCircle) {
  double sum = 0;
  for (double x : doubles(drawn("vonmises", {Tensor(3.0), Tensor(2.0)}))) {
    ASSERT_LE(std::fabs(x), 3.1415926535897936);
    sum += std::sin(x - 3);
  }
  EXPECT_LT(std::fabs(sum), kStandardErrors * std::sqrt(double(kDraws)));
  std::vector<double> narrow = doubles(drawn("vonmises", {Tensor(0.0), Tensor(1e8)}));
  expectMoments(narrow, 0, 1e-8);
}

// What draws rely on and no number of draws would show: that what is taken without a look at p(k)
// would be taken (so a squeeze that is too great fails), that what is left without one would be
// left, and that p is below the hat. Hörmann's hat of the Poisson distribution is exceeded, by 0.52
// % at most, next to single u: in 2e-4 of all.
TEST(TransformedRejection, HasAHatAndASqueeze) {
  auto expectBounds = [](const TransformedRejection &r, double most, bool leavesSome,
                         const std::function<double(double k)> &logP) {
    SCOPED_TRACE(r.mean);
    constexpr int kSteps = 200000;
    double greatest = 0, leastSure = 1, above = 0;
    for (int i = 1; i < kSteps; ++i) {
      double u = double(i) / kSteps - 0.5, us = 0.5 - std::fabs(u), k = r.at(u, us);
      double limit = k < 0 ? 0 : std::exp(logP(k)) * (r.a / (us * us) + r.b) / r.alpha;
      greatest = std::max(greatest, limit);
      above += std::max(limit - 1, 0.0) / kSteps;
      if (us >= 0.07)
        leastSure = std::min(leastSure, limit);
      if (leavesSome && us < 0.013)
        ASSERT_LE(limit, us) << u;
    }
    EXPECT_LE(greatest, most);
    EXPECT_LE(above, 5e-7); // of the draws: beyond what 10^10 of them show
    EXPECT_GE(leastSure, r.squeeze);
    // A hat or a squeeze that is much too safe costs time: the published ones are not.
    EXPECT_GE(greatest, 0.94);
    EXPECT_LE(leastSure, r.squeeze + 0.15);
  };
  for (double rate : {10.0, 10.5, 12.0, 15.0, 20.0, 50.0, 100.0, 1e3, 1e4, 1e6})
    expectBounds(TransformedRejection::poisson(rate), 1.0053, true,
                 [&](double k) { return k * std::log(rate) - rate - std::lgamma(k + 1); });
  for (auto [n, p] : {std::pair(20.0, 0.5), {25.0, 0.4}, {100.0, 0.1}, {1000.0, 0.3}, {1e6, 0.5}})
    expectBounds(TransformedRejection::binomial(n, p), 1, false, [&, n = n, p = p](double k) {
      double mode = std::floor((n + 1) * p);
      auto choices = [&](double m) { return -std::lgamma(m + 1) - std::lgamma(n - m + 1); };
      return k > n ? -HUGE_VAL : choices(k) - choices(mode) + (k - mode) * std::log(p / (1 - p));
    });
}

// A million draws against exact probabilities; expectCounts says what bound that is.
TEST(Poisson, HasItsProbabilities) {
  for (double rate : {9.99, 10.0, 17.5, 64.0, 1000.0}) {
    SCOPED_TRACE(rate);
    std::vector<double> p;
    for (double k = 0; k < rate + 12 * std::sqrt(rate); ++k)
      p.push_back(std::exp(k * std::log(rate) - rate - std::lgamma(k + 1)));
    expectCounts(doubles(drawn("poisson", {Tensor(rate)}, {1'000'000})), p);
  }
}

//===--- rows ------------------------------------------------------------------------------===//

TEST(Categorical, HasItsProbabilities) {
  std::vector<double> p = {0.125, 0, 0.5, 0.25, 0.125, 0};
  expectCounts(doubles(drawn("categorical", {*Tensor::fromSpan<double>(p, {6})})), p);
}

TEST(Multinomial, HasBinomialColumns) {
  Tensor p({0.25, 0.0, 0.5, 0.25, 0.0}), counts = drawn("multinomial", {Tensor(12.0), p});
  ASSERT_EQ(counts.shape(), (absl::Span<const int64_t>{kDraws, 5}));
  absl::Span<const int64_t> n = counts.flat<int64_t>();
  std::vector<double> first, product;
  for (int64_t row = 0; row < kDraws; ++row) {
    auto at = n.subspan(size_t(row * 5), 5);
    ASSERT_EQ(at[0] + at[2] + at[3], 12);
    ASSERT_EQ(at[1] + at[4], 0);
    first.push_back(double(at[0]));
    product.push_back(double((at[0] - 3) * (at[2] - 6)));
  }
  expectMoments(first, 3, 12 * 0.25 * 0.75);
  expectMean(product, -12 * 0.25 * 0.5);
}

TEST(Dirichlet, HasItsMoments) {
  Tensor rows = drawn("dirichlet", {Tensor({0.5, 1.5, 2.0})});
  std::vector<double> first, second;
  for (int64_t row = 0; row < kDraws; ++row) {
    auto at = rows.flat<double>().subspan(size_t(row * 3), 3);
    ASSERT_NEAR(at[0] + at[1] + at[2], 1, 4e-16);
    first.push_back(at[0]), second.push_back(at[1]);
  }
  // Beta(0.5, 3.5) and Beta(1.5, 2.5).
  expectMoments(first, 0.125, 0.5 * 3.5 / (16 * 5));
  expectMoments(second, 0.375, 1.5 * 2.5 / (16 * 5));
  // Shapes so small that gamma variables underflow.
  for (double x : doubles(drawn("dirichlet", {Tensor({1e-4, 1e-4})}, {1000})))
    ASSERT_TRUE(x >= 0 && x <= 1);
}

/// Of n draws of an event of probability p, `count`: within kStandardErrors.
void expectShare(double count, double n, double p) {
  EXPECT_LE(std::fabs(count / n - p), kStandardErrors * std::sqrt(p * (1 - p) / n));
}

/// Where the logarithms of all gamma variables overflow: one has all, as its share of alpha says.
TEST(Sampled, TheLeastParameters) {
  constexpr double kLeast = 5e-324;
  std::vector<double> rows = doubles(drawn("dirichlet", {Tensor({kLeast, 2 * kLeast, 1e-320})}));
  std::vector<double> all(3, 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(rows[i] == 0 || rows[i] == 1) << rows[i];
    all[i % 3] += rows[i];
  }
  double sum = 3 + 2024; // 1e-320 is 2024 of the least
  expectShare(all[2], kDraws, 2024 / sum);
  EXPECT_EQ(all[0] + all[1] + all[2], kDraws);
  std::vector<double> x = doubles(drawn("beta", {Tensor(kLeast), Tensor(2 * kLeast)}));
  double ones = 0;
  for (double value : x) {
    ASSERT_TRUE(value == 0 || value == 1) << value;
    ones += value;
  }
  expectShare(ones, kDraws, 1 / 3.0);
  for (double value :
       doubles(drawn("studentT", {Tensor(kLeast), Tensor(0.0), Tensor(1.0)}, {1000})))
    EXPECT_FALSE(std::isnan(value));
}

/// Far from the mean the distribution is an exponential one of scale sd^2 / (low - mean).
TEST(Sampled, TruncatedNormalFarFromItsMean) {
  auto draw = [](double mean, double sd, double low, double high, int64_t count = 1000) {
    return doubles(
        drawn("truncnormal", {Tensor(mean), Tensor(sd), Tensor(low), Tensor(high)}, {count}));
  };
  for (double x : draw(0, 1, 1e155, 2e155))
    ASSERT_EQ(x, 1e155);
  for (double x : draw(0, 1, -2e200, -1e200))
    ASSERT_EQ(x, -1e200);
  for (double x : draw(0, 1e-300, 1, 2))
    ASSERT_EQ(x, 1);
  for (double x : draw(1e300, 1, 0, 1))
    ASSERT_EQ(x, 1);
  for (double x : draw(-1e300, 1e-300, 0, 1))
    ASSERT_EQ(x, 0);
  // In units of the scale, without another bound and with one at it.
  for (double side : {1.0, -1.0}) {
    auto scaled = [&](double width) {
      double from = side > 0 ? 0 : -width, to = side > 0 ? width : 0;
      std::vector<double> x = draw(-side * 0x1p40, 1, from, to, kDraws);
      for (double &value : x)
        value *= side * 0x1p40;
      return x;
    };
    expectMoments(scaled(1), 1, 1);
    const double e = std::exp(1.0);
    expectMoments(scaled(0x1p-40), 1 - 1 / (e - 1), 1 - e / ((e - 1) * (e - 1)));
  }
}

/// The mean is n g / N, the variance n g b (N - n) / (N N (N - 1)); of many it is as good as
/// normal, and of few draws binomial.
TEST(Sampled, HypergeometricOfMany) {
  auto draw = [](double good, double bad, double draws) {
    return doubles(drawn("hypergeometric", {Tensor(good), Tensor(bad), Tensor(draws)}));
  };
  for (auto [good, bad, draws] : std::vector<std::array<double, 3>>{{1e15, 1e15, 1e15},
                                                                    {9e15, 9e15, 9e15},
                                                                    {0x1p53, 0x1p53, 12345678},
                                                                    {1e15, 3e9, 4e14},
                                                                    {4e7, 5e7, 6e7},
                                                                    {4e7, 5e7, 5000}}) {
    SCOPED_TRACE(std::to_string(good) + " " + std::to_string(draws));
    const double all = good + bad, mean = draws * (good / all);
    const double variance = mean * (bad / all) * ((all - draws) / (all - 1));
    std::vector<double> x = draw(good, bad, draws);
    double within = 0;
    for (double &value : x) {
      value -= std::floor(mean);
      within += std::fabs(value - (mean - std::floor(mean))) < 2 * std::sqrt(variance);
    }
    expectMoments(x, mean - std::floor(mean), variance);
    if (variance > 1e6)
      expectShare(within, kDraws, std::erf(std::sqrt(2.0)));
  }
  expectCounts(draw(3e15, 5e15, 3), {125 / 512.0, 225 / 512.0, 135 / 512.0, 27 / 512.0});
  for (double x : draw(0x1p53, 0, 1e15))
    ASSERT_EQ(x, 1e15);
  for (double x : draw(5, 1e15, 1e15 + 5))
    ASSERT_EQ(x, 5);
}

TEST(MultivariateNormal, HasItsMeanAndCovariance) {
  Tensor mean({1.0, -2.0, 0.0}), cov({{4.0, 1.0, 2.0}, {1.0, 1.0, 0.5}, {2.0, 0.5, 1.0}});
  Tensor rows = drawn("multivariateNormal", {mean, cov});
  double center[] = {1, -2, 0};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j <= i; ++j) {
      std::vector<double> x, products;
      for (int64_t row = 0; row < kDraws; ++row) {
        auto at = rows.flat<double>().subspan(size_t(row * 3), 3);
        x.push_back(at[i]);
        products.push_back((at[i] - center[i]) * (at[j] - center[j]));
      }
      expectMean(x, center[i]);
      Tensor c = cov.contiguous();
      expectMean(products, c.flat<double>()[i * 3 + j]);
    }
  // The third is half of the first: singular.
  for (int64_t row = 0; row < 100; ++row) {
    auto at = rows.flat<double>().subspan(size_t(row * 3), 3);
    ASSERT_NEAR(at[2], (at[0] - 1) / 2, 1e-7);
  }
}

TEST(Permutation, IsUniform) {
  Tensor rows = drawn("permutation", {Tensor(int64_t(4)), Tensor(int64_t(4))}, {24000});
  std::vector<double> numbers;
  for (int64_t row = 0; row < 24000; ++row) {
    auto at = rows.flat<int64_t>().subspan(size_t(row * 4), 4);
    std::vector<int64_t> sorted(at.begin(), at.end());
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, (std::vector<int64_t>{0, 1, 2, 3}));
    // Its number among the 24.
    int64_t number = 0;
    for (size_t i = 0; i < 4; ++i)
      number =
          number * int64_t(4 - i) + std::count_if(at.begin() + std::ptrdiff_t(i), at.end(),
                                                  [&](int64_t other) { return other < at[i]; });
    numbers.push_back(double(number));
  }
  expectCounts(numbers, std::vector<double>(24, 1.0 / 24));
  // A few of so many that they have no memory: the same way as of few.
  Tensor some = drawn("permutation", {Tensor(int64_t(1) << 50), Tensor(int64_t(3))}, {1000});
  std::vector<double> x = doubles(some);
  for (double &value : x)
    value *= 0x1p-50;
  expectMoments(x, 0.5, 1.0 / 12);
  Tensor none = drawn("permutation", {Tensor(int64_t(0)), Tensor(int64_t(0))}, {2});
  EXPECT_EQ(none.shape(), (absl::Span<const int64_t>{2, 0}));
}

TEST(WeightedPermutation, TakesByProbability) {
  Tensor p({0.5, 0.0, 0.25, 0.25});
  Tensor rows = drawn("weightedPermutation", {p, Tensor(int64_t(2))});
  std::vector<double> first, pairs;
  for (int64_t row = 0; row < kDraws; ++row) {
    auto at = rows.flat<int64_t>().subspan(size_t(row * 2), 2);
    ASSERT_NE(at[0], at[1]);
    first.push_back(double(at[0]));
    if (at[0] == 0)
      pairs.push_back(double(at[1]));
  }
  expectCounts(first, {0.5, 0, 0.25, 0.25});
  expectCounts(pairs, {0, 0, 0.5, 0.5});
}

// F-340: each row of a draw is the draw with that row's parameters, from where the row begins.
TEST(Broadcasting, GivesEachElementItsParameters) {
  Variable state = constant(randomState(3));
  auto at = [](int64_t position) {
    Tensor moved = randomState(3).copy();
    moved.mutableFlat<int64_t>()[1] += position;
    return constant(moved);
  };
  Variable column = constant(Tensor({{2}, {30}})), row = constant(Tensor({1.0, 5.0, 0.5}));
  Variable p = constant(Tensor({{0.5, 0.5, 0.0}, {0.25, 0.25, 0.5}}));
  DrawOptions byParameters, two{.size = {3, 2, 3}};
  Variables whole = {random::gamma(state, column, row).value,
                     random::normal(state, column, row).value,
                     random::binomial(state, column, row / 8.0, two).value,
                     random::multinomial(state, column, p).value,
                     random::categorical(state, p, {.size = {2, 2}}).value};
  struct Part {
    size_t whole;
    std::vector<Index> index;
    Variable draw;
  };
  Variable p0 = constant(Tensor({0.5, 0.5, 0.0})), p1 = constant(Tensor({0.25, 0.25, 0.5}));
  const Part parts[] = {
      {0, {0, 1}, random::gamma(at(1), 2.0, 5.0).value},
      {0, {1, 2}, random::gamma(at(5), 30.0, 0.5).value},
      {1, {1, 0}, random::normal(at(3), 30.0, 1.0).value},
      {2, {2, 1, 1}, random::binomial(at(16), 30, 5.0 / 8).value},
      {2, {1, 0, 2}, random::binomial(at(8), 2, 0.5 / 8).value},
      {3, {0, 1}, random::multinomial(at(3), 2, p1).value},
      {3, {1, 0}, random::multinomial(at(6), 30, p0).value},
      {4, {1, 0}, random::categorical(at(2), p0).value},
      {4, {0, 1}, random::categorical(at(1), p1).value},
  };
  for (const Part &part : parts) {
    auto f = function({}, {subtensor(whole[part.whole], part.index), part.draw});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)();
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_TRUE((*r)[0].identical((*r)[1])) << part.whole << ": " << (*r)[0] << " " << (*r)[1];
  }
}

// Attempts follow each other.
TEST(ElementStream, HasTheBlocksOfItsElement) {
  ElementStream s(5, 9);
  for (uint32_t attempt = 0; attempt < 3; ++attempt)
    for (uint64_t word : philox::hostBlock(5, 9, attempt))
      EXPECT_EQ(s.bits(), word);
}

//===--- streams --------------------------------------------------------------------------===//

// F-340: batches, choices, shuffles.
TEST(Choice, OfNumbersAndSlices) {
  RandomStream stream(5);
  Variable x = constant(Tensor({{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
  Variables outputs = {
      stream.permutation(6),
      stream.permutation(x),
      stream.shuffle(x),
      stream.choice(10, {.size = {2, 3}}),
      stream.choice(x, {.size = {5}}),
      stream.choice(6, {.size = {2, 3}, .replace = false}),
      stream.choice(x, {.size = {2}, .replace = false, .p = Tensor({0.5, 0, 0.5, 0})}),
      stream.choice(4, {.size = {1000}, .p = Tensor({0.5, 0, 0.5, 0})}),
      stream.choice(4)};
  for (const char *mode : {"interpreter", "fast_run"}) {
    ASSERT_TRUE(stream.seed(5).ok());
    auto f = function({}, outputs, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)();
    ASSERT_TRUE(r.ok()) << r.status();
    auto sorted = [&](size_t i) {
      std::vector<double> values = doubles((*r)[i]);
      std::sort(values.begin(), values.end());
      return values;
    };
    EXPECT_EQ(sorted(0), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    for (size_t i : {1, 2})
      EXPECT_EQ(sorted(i), (std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ((*r)[3].shape(), (absl::Span<const int64_t>{2, 3}));
    EXPECT_EQ((*r)[4].shape(), (absl::Span<const int64_t>{5, 2}));
    EXPECT_EQ((*r)[5].shape(), (absl::Span<const int64_t>{2, 3}));
    EXPECT_EQ(sorted(5), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(sorted(6), (std::vector<double>{1, 1, 3, 3}));
    for (double value : doubles((*r)[7]))
      ASSERT_TRUE(value == 0 || value == 2);
    EXPECT_EQ((*r)[8].rank(), 0);
  }
}

/// Every distribution of the host, of a parameter array that broadcasts along the draw.
Variables everyDraw(RandomStream &s, DType dtype) {
  Variable c = constant(Tensor({{0.25}, {0.5}, {0.75}}));
  DrawOptions o{.size = {3, 101}, .dtype = dtype}, w{.size = {3, 101}};
  Variable p = constant(Tensor({0.25, 0.5, 0.25}));
  return {s.gamma(c, 2, o),
          s.invgamma(c, 2, o),
          s.chisquare(c, o),
          s.beta(c, 3, o),
          s.studentT(c, 0, 1, o),
          s.vonmises(c, 1, o),
          s.wald(c, 1, o),
          s.truncnormal(c, 1, 1, 2, o),
          s.poisson(20 * c, w),
          s.binomial(100, c, w),
          s.negativeBinomial(3, c, w),
          s.hypergeometric(9, 8, 7, w),
          s.betabinom(10, c, 2, w),
          s.categorical(p, w),
          s.multinomial(20, p, w),
          s.dirichlet(p, o),
          s.multivariateNormal(p, eye(3, 3) * 0.5, o),
          s.permutation(5, 4, w),
          s.weightedPermutation(p, 2, w)};
}

// F-342: the host's draws in all modes, and of any number of threads.
TEST(SameBits, OfDrawsByTheHost) {
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16}) {
    std::vector<Tensor> wanted;
    for (auto [mode, threads] : {std::pair("interpreter", 1),
                                 {"fast_compile", 2},
                                 {"fast_run", 1},
                                 {"fast_run", 3},
                                 {"debug", 2}}) {
      RandomStream stream(11);
      Variables draws = everyDraw(stream, dtype);
      auto f = function({}, draws, {.mode = mode, .threads = threads});
      ASSERT_TRUE(f.ok()) << f.status();
      auto r = (*f)();
      ASSERT_TRUE(r.ok()) << mode << r.status();
      for (size_t i = 0; i < draws.size(); ++i) {
        if (wanted.size() == i)
          wanted.push_back((*r)[i]);
        EXPECT_TRUE(wanted[i].identical((*r)[i])) << mode << " " << draws[i].owner().op().name();
      }
    }
  }
}

// F-338: saved functions draw on.
TEST(Stream, SavedFunctionsOfHostDraws) {
  RandomStream stream(1);
  auto f = function({}, stream.poisson(4.0, {.size = {20}}));
  ASSERT_TRUE(f.ok()) << f.status();
  std::string path = testing::TempDir() + "/random-poisson.graphc";
  absl::Status saved = f->save(path);
  ASSERT_TRUE(saved.ok()) << saved;
  auto loaded = loadFunction(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  for (int call = 0; call < 2; ++call)
    EXPECT_TRUE((*(*loaded)())[0].identical((*(*f)())[0]));
}

/// The first line of what a call of the draw says.
std::string saidByDraw(const Variable &draw, const char *mode) {
  auto f = function({}, draw, {.mode = mode});
  return firstLine(f.ok() ? (*f)().status() : f.status());
}

// F-340: parameters of draws by the host.
TEST(Parameters, OfTheHostOutOfTheirDomain) {
  RandomStream s(1);
  Variable one = shared(1.0), two = shared(int64_t(2)), p = shared(Tensor({0.5, 0.4}));
  Variable cov = shared(Tensor({{1, 2}, {2, 1}})), mean = constant(Tensor({0, 0}));
  struct Case {
    Variable draw;
    std::string said;
  };
  const Case cases[] = {
      {s.gamma(-one, 1),
       "ValueError: randomGamma: the parameter shape must be positive and finite"},
      {s.poisson(std::nan("") * one),
       "ValueError: randomPoisson: the parameter rate must be at least 0 and finite"},
      {s.binomial(1.5 * one, 0.5),
       "ValueError: randomBinomial: the parameter n must be a whole number from 0 to 2^53"},
      {s.binomial(5, 1.5 * one),
       "ValueError: randomBinomial: the parameter p must be a probability, in [0, 1]"},
      {s.hypergeometric(1, 2, 4 * one),
       "ValueError: randomHypergeometric: there are fewer elements, good + bad, than draws"},
      {s.truncnormal(0, 1, one, 1), "ValueError: randomTruncnormal: low must be below high"},
      {s.categorical(p),
       "ValueError: randomCategorical: p must be probabilities along the last axis, "
       "whose sum is 1 to 1e-6"},
      {s.multinomial(3, p),
       "ValueError: randomMultinomial: p must be probabilities along the last axis, "
       "whose sum is 1 to 1e-6"},
      {s.categorical(one),
       "TypeError: randomCategorical: the parameter p must have at least rank 1, not tensor<f64>"},
      {s.dirichlet(p - 0.5), "ValueError: randomDirichlet: alpha must be positive and finite"},
      {s.multivariateNormal(mean, cov),
       "ValueError: randomMultivariateNormal: cov must be positive semidefinite"},
      {s.multivariateNormal(mean, cov * Tensor({{1, 1}, {0, 1}})),
       "ValueError: randomMultivariateNormal: cov must be symmetric and finite"},
      {s.multivariateNormal(mean, eye(3, 3)),
       "ShapeError: randomMultivariateNormal: cov has extent 3 where mean has 2 elements"},
      {s.permutation(1, two),
       "ValueError: randomPermutation: more are to be chosen than there are"},
      {s.permutation(1, two - 3), "ValueError: randomPermutation: -1 elements cannot be chosen"},
      {s.weightedPermutation(constant(Tensor({1.0, 0.0})), two),
       "ValueError: randomWeightedPermutation: more are to be chosen than there are"},
      {s.choice(3, {.size = {4}, .replace = false}),
       "ValueError: randomPermutation: more are to be chosen than there are"},
  };
  for (const char *mode : {"interpreter", "fast_run"})
    for (const Case &c : cases)
      EXPECT_EQ(saidByDraw(c.draw, mode), c.said) << mode;
}

// What NumPy's Generator.choice refuses of p.
TEST(Choice, ComparesProbabilitiesWithElements) {
  RandomStream s(1);
  const std::string number =
      "ValueError: assert: choice: there are not as many probabilities as elements";
  const Tensor four({0.0, 0.0, 0.5, 0.5});
  Variable rows = constant(Tensor({{1, 2}, {3, 4}})), two = shared(int64_t(2));
  for (bool replace : {true, false}) {
    auto said = [&](const Operand &a, const Operand &p, const char *mode) {
      return saidByDraw(s.choice(a, {.size = {1}, .replace = replace, .p = p}), mode);
    };
    const std::string op =
        std::string("ValueError: ") + (replace ? "randomCategorical" : "randomWeightedPermutation");
    for (const char *mode : {"interpreter", "fast_run"}) {
      SCOPED_TRACE(mode);
      // At once where both numbers are known.
      EXPECT_EQ(said(2, four, mode), "ValueError: choice: p has 4 probabilities for 2 elements");
      EXPECT_EQ(said(rows, four, mode), "ValueError: choice: p has 4 probabilities for 2 elements");
      EXPECT_EQ(s.choice(two, {.p = four}).status(), absl::OkStatus());
      EXPECT_FALSE(s.choice(2, {.p = four}).ok());
      EXPECT_EQ(said(5, shared(four), mode), number);
      EXPECT_EQ(said(two, four, mode), number);
      EXPECT_EQ(said(rows, shared(four), mode), number);
      EXPECT_EQ(said(4, shared(four), mode), "OK");
      EXPECT_EQ(said(two, Tensor({{0.5, 0.5}}), mode),
                "ValueError: choice: p must be a vector, not of rank 2");
      for (const Tensor &p : {Tensor({0.5, 0.6}), Tensor({-0.5, 1.5}), Tensor({std::nan(""), 1.0})})
        EXPECT_EQ(said(2, shared(p), mode),
                  op + ": p must be probabilities along the last axis, whose sum is 1 to 1e-6");
    }
  }
}

} // namespace
} // namespace graphc
