//===- ThreadsTest.cpp - functions in several threads, and threads in functions ---===//
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "Runtime/ThreadPool.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

Tensor randomMatrix(std::mt19937 &random, int64_t rows, int64_t columns) {
  Tensor matrix = *Tensor::zeros(DType::Float64, {rows, columns});
  for (double &value : matrix.mutableFlat<double>())
    value = double(random()) / 4e9;
  return matrix;
}

/// softmax(a b), the rows' sums of 2 a + 1, and a's row `index`, in plain loops.
bool isRight(const Results &results, const Tensor &a, const Tensor &b, int64_t index) {
  int64_t n = a.shape()[0], m = a.shape()[1];
  absl::Span<const double> x = a.flat<double>(), w = b.flat<double>();
  Tensor softmaxes = results[0].contiguous(), sums = results[1].contiguous();
  Tensor row = results[2].contiguous();
  // Sums of at most 9 numbers below 20, and exp: errors of some 1e-15.
  constexpr double kTolerance = 1e-13;
  bool right = true;
  for (int64_t i = 0; i < n; ++i) {
    std::vector<double> exps;
    double total = 0, sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      double product = 0;
      for (int64_t r = 0; r < m; ++r)
        product += x[i * m + r] * w[r * n + k];
      exps.push_back(std::exp(product));
      total += exps.back();
    }
    for (int64_t k = 0; k < n; ++k)
      right &= std::abs(softmaxes.flat<double>()[i * n + k] - exps[k] / total) < kTolerance;
    for (int64_t r = 0; r < m; ++r)
      sum += x[i * m + r] * 2 + 1;
    right &= std::abs(sums.flat<double>()[i] - sum) < kTolerance * sum;
  }
  for (int64_t r = 0; r < m; ++r)
    right &= row.flat<double>()[r] == x[index * m + r];
  return right;
}

// F-219: one Function from many threads, each with data and shapes of its own, copies and moves of
// the handle, and calls that fail.
TEST(Threads, CallsWithOwnData) {
  auto x = dmatrix("x"), w = dmatrix("w"), i = lscalar("i");
  auto made = function({x, w, i}, {softmax(dot(x, w)), (x * 2 + 1).sum(1), x[{i}]}, {.threads = 2});
  ASSERT_TRUE(made.ok()) << made.status();
  std::atomic<int> wrong{0}, errors{0};
  auto call = [&](unsigned seed) {
    std::mt19937 random(seed);
    Function copy = *made;
    for (int k = 0; k < 20; ++k) {
      int64_t n = 1 + int64_t(random() % 9), m = 1 + int64_t(random() % 9);
      Tensor a = randomMatrix(random, n, m), b = randomMatrix(random, m, n);
      bool fails = k % 5 == 4;
      int64_t index = fails ? n : int64_t(random()) % n;
      Function other = copy, f = std::move(other);
      absl::StatusOr<Results> r = k % 2 ? f(a, b, index) : f.call({a}, {{"i", index}, {"w", b}});
      if (fails)
        ++(errorKind(r.status()) == ErrorKind::IndexError ? errors : wrong);
      else if (!r.ok() || !isRight(*r, a, b, index))
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 64; ++t)
    threads.emplace_back(call, t);
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(errors, 64 * 4);
}

TEST(Threads, FunctionsAreMadeAtOnce) {
  std::atomic<int> wrong{0};
  auto make = [&](int count) {
    auto a = dscalar("a"), c = dscalar("c");
    Variable e = a;
    double expected = 2;
    for (int k = 0; k < count; ++k) {
      e = e * c + double(k);
      expected = expected * 0.5 + k; // exact: 2^-8 is the least power of two
    }
    auto f = function({a, c}, {e});
    if (!f.ok() || (*f)(2.0, 0.5)->item<double>() != expected)
      ++wrong;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 24; ++t)
    threads.emplace_back(make, 5 + t % 4);
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
}

// F-012: whoever computes a part of a result, its bits are the same. Large enough that each of
// these has several parts.
TEST(Threads, SameBitsForAnyNumber) {
  std::mt19937 random(5);
  auto values = [&](std::vector<int64_t> shape) {
    Tensor t = *Tensor::zeros(DType::Float32, shape);
    for (float &value : t.mutableFlat<float>())
      value = float(double(random()) / 2e9 - 1);
    return t;
  };
  auto x = fmatrix("x"), w = fmatrix("w");
  auto p = tensor(DType::Float32, {kDynamic, kDynamic, kDynamic, kDynamic}, "p");
  auto k = tensor(DType::Float32, {kDynamic, kDynamic, 3, 3}, "k");
  Variable hidden = tanh(dot(x, w)), loss = sum(sqr(softmax(hidden)));
  Variable mean = x.mean(1), picture = conv2d(p, k);
  Variables gradients = grad(loss, {x, w});
  Variables pictures = grad(sum(sqr(picture)), {p, k});
  // Lines of few pixels with a border, whose outputs, or pictures, are shared out.
  auto small = tensor(DType::Float32, {1, 24, 13, 14}, "small"),
       batch = tensor(DType::Float32, {7, 24, 9, 10}, "batch"),
       taps = tensor(DType::Float32, {157, 24, 3, 3}, "taps");
  ConvOptions border;
  border.padding = 1;
  Variables outputs = {softmax(x),
                       x.sum(0),
                       x.sum(1),
                       sum(x),
                       mean,
                       hidden,
                       picture,
                       relu(conv2d(small, taps, border)),
                       conv2d(batch, taps, border)};
  outputs.insert(outputs.end(), gradients.begin(), gradients.end());
  outputs.insert(outputs.end(), pictures.begin(), pictures.end());
  std::vector<Tensor> arguments = {values({331, 157}),      values({157, 203}),
                                   values({2, 12, 41, 37}), values({24, 12, 3, 3}),
                                   values({1, 24, 13, 14}), values({7, 24, 9, 10}),
                                   values({157, 24, 3, 3})};
  std::vector<Tensor> first;
  for (int threads : {1, 2, 3, 5, 8}) {
    auto f = function({x, w, p, k, small, batch, taps}, outputs, {.threads = threads});
    ASSERT_TRUE(f.ok()) << f.status();
    auto results = f->call(arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < results->size(); ++i) {
      Tensor result = (*results)[i].contiguous();
      if (threads == 1) {
        first.push_back(result);
        continue;
      }
      EXPECT_EQ(std::memcmp(result.data(), first[i].data(), size_t(result.numBytes())), 0)
          << "result " << i << " with " << threads << " threads";
    }
  }
}

// Two loops that need nothing of each other: what a call takes is measured in the second one.
TEST(Threads, LoopsRunSideBySide) {
  for (int64_t extent : {kDynamic, int64_t(4096)}) {
    auto x = tensor(DType::Float64, {extent}, "x");
    auto step = [](absl::Span<const Variable> in) { return tanh(in[1] * 0.5 + in[0]); };
    ScanOptions options{.sequences = {x}, .outputs = {0.0}};
    Variable forward = scan(step, options).outputs[0];
    options.goBackwards = true;
    Variable both = forward + scan(step, options).outputs[0];
    std::mt19937 random(7);
    Tensor values = randomMatrix(random, 1, 4096);
    Tensor row = *values.reshape({4096});
    auto one = function({x}, {both}), two = function({x}, {both}, {.threads = 2});
    ASSERT_TRUE(one.ok() && two.ok()) << one.status() << two.status();
    auto expected = (*one)(row);
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (int k = 0; k < 5; ++k) {
      auto result = (*two)(row);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(std::memcmp((*result)[0].data(), (*expected)[0].data(), 4096 * sizeof(double)), 0);
      EXPECT_EQ(two->counters().forks, std::max(k - 1, 0));
    }
    EXPECT_EQ(one->counters().forks, 0);
  }
}

// Kernels that do not need each other, of known extents: with one thread they are one call of code,
// with two they are not.
TEST(Threads, StaticProgramsKeepTheirForks) {
  auto x = tensor(DType::Float64, {32, 32}, "x"), y = tensor(DType::Float64, {32, 32}, "y");
  auto chain = [](Variable v) {
    for (int i = 0; i < 6; ++i)
      v = tanh(dot(v, v) * 0.01);
    return sum(v);
  };
  auto one = function({x, y}, {chain(x) + chain(y)}),
       two = function({x, y}, {chain(x) + chain(y)}, {.threads = 2});
  ASSERT_TRUE(one.ok() && two.ok()) << one.status() << two.status();
  std::mt19937 random(7);
  Tensor a = randomMatrix(random, 32, 32), b = randomMatrix(random, 32, 32);
  auto expected = (*one)(a, b);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (int k = 0; k < 5; ++k) {
    auto result = (*two)(a, b);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ((*result)[0], (*expected)[0]);
    EXPECT_EQ(two->counters().forks, std::max(k - 1, 0));
  }
  EXPECT_EQ(one->counters().arenas, 0) << "between kernels is the thread's memory";
  EXPECT_GT(one->counters().kernelRuns, one->counters().calls);
  EXPECT_EQ(one->counters().forks, 0);
  EXPECT_EQ(two->counters().arenas, 1);
}

// Operands that are read again and again are in the cache: 32 x 32 x 32 takes 0.3 us, a loop for
// threads as long.
TEST(Threads, SmallProductsRunOnOne) {
  auto loops = [](int64_t m, int64_t k, int64_t n) -> int64_t {
    auto x = fmatrix("x"), y = fmatrix("y");
    auto f = function({x, y}, {dot(x, y)}, {.threads = 2});
    Tensor a = *Tensor::zeros(DType::Float32, {m, k}), b = *Tensor::zeros(DType::Float32, {k, n});
    int64_t before = ThreadPool::loopsForThreads();
    return f.ok() && (*f)(a, b).ok() ? ThreadPool::loopsForThreads() - before : -1;
  };
  EXPECT_EQ(loops(17, 33, 65), 0);
  EXPECT_EQ(loops(32, 32, 32), 0);
  EXPECT_EQ(loops(256, 256, 256), 1);
}

// Handles keep what they need.
TEST(Threads, ResultsAndBoundCallsOutliveTheFunction) {
  auto p = dscalar("p"), q = dscalar("q");
  auto f = std::make_unique<Function>(*function({p, q}, {p * q + 1}));
  auto bound = f->bind<double(double, double)>();
  ASSERT_TRUE(bound.ok()) << bound.status();
  Results results = *(*f)(2.0, 3.0);
  f.reset();
  EXPECT_EQ((*bound)(3, 4), 13);
  EXPECT_EQ(results.item<double>(), 7);
}

// Config::threads is how many threads a call has unless the function's options say it.
TEST(Threads, OfTheProcess) {
  Config before = config();
  EXPECT_EQ(before.threads, 1);
  Tensor large = *Tensor::full(DType::Float64, {1 << 20}, 0.5);
  auto workersAfter = [&](std::optional<int> threads) {
    auto x = dvector("x");
    auto f = function({x}, {exp(x)}, {.threads = threads});
    EXPECT_TRUE(f.ok() && (*f)(large).ok());
    return ThreadPool::shared().startedWorkers();
  };
  int started = ThreadPool::shared().startedWorkers();
  EXPECT_EQ(workersAfter(std::nullopt), started);
  Config more = before;
  more.threads = started + 3;
  ASSERT_TRUE(setConfig(more).ok());
  EXPECT_EQ(workersAfter(1), started);
  EXPECT_EQ(workersAfter(std::nullopt), started + 2) << "and the calling one";
  ASSERT_TRUE(setConfig(before).ok());
}

} // namespace
} // namespace graphc
