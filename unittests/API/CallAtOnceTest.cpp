//===- CallAtOnceTest.cpp - calls with Tensors that are one call of code ---===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "graphc/graphc.h"

namespace graphc {
namespace {

using testing::ElementsAre;

bool areFailing(const absl::StatusOr<Results> &results, const std::string &part) {
  return !results.ok() && std::string(results.status().message()).find(part) != std::string::npos;
}

/// The numbers of a result, row by row.
std::vector<double> numbersOf(const absl::StatusOr<Results> &results, size_t i = 0) {
  if (!results.ok())
    return {};
  absl::Span<const double> numbers = (*results)[i].flat<double>();
  return {numbers.begin(), numbers.end()};
}

/// Calls until one runs code for these extents.
void callUntilSpecialised(const Function &f, const std::vector<Tensor> &arguments) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (f.counters().specialisedCalls == 0 && std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE(f.call(arguments).ok());
    if (f.counters().calls > 1000)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_GT(f.counters().specialisedCalls, 0);
}

TEST(CallAtOnce, EachCallHasItsOwnResults) {
  Variable x = tensor(DType::Float64, {3}, "x"), y = tensor(DType::Float64, {2, 2}, "y");
  absl::StatusOr<Function> f = function({x, y}, {Out("more", x + 1.0), Out("product", sum(y) * x)});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a{1, 2, 3}, b{{1, 2}, {3, 4}};
  Results first = *(*f)(a, b);
  a.mutableFlat<double>()[0] = 7;
  Results second = *f->call({a, b});
  EXPECT_THAT(first[0].flat<double>(), ElementsAre(2, 3, 4));
  EXPECT_THAT(second["more"].flat<double>(), ElementsAre(8, 3, 4));
  EXPECT_THAT(first["product"].flat<double>(), ElementsAre(10, 20, 30));
  EXPECT_THAT(second[1].flat<double>(), ElementsAre(70, 20, 30));
  EXPECT_TRUE(second[0].isUnique());
  EXPECT_FALSE(second[0].overlaps(second[1]) || second[0].overlaps(a));
  EXPECT_EQ(f->counters().calls, 2);
  EXPECT_EQ(f->counters().bytesCopied, 0);
  EXPECT_EQ(f->counters().arenas, 0);
}

// Kernels with arrays between them, constants and kept copies of them: one call of code, in memory
// of the thread, which several functions use in turn.
TEST(CallAtOnce, SeveralKernels) {
  Variable x = tensor(DType::Float64, {40, 30}, "x");
  Tensor w = *Tensor::full(DType::Float64, std::vector<int64_t>{30, 30}, 0.5);
  Variable v = x;
  for (int i = 0; i < 3; ++i)
    v = dot(v, constant(w)) - x;
  absl::StatusOr<Function> f = function({x}, {v, sum(v, Axis(0)), max(x)}), g = function({x}, v);
  ASSERT_TRUE(f.ok() && g.ok()) << f.status() << g.status();
  Tensor ones = *Tensor::full(DType::Float64, std::vector<int64_t>{40, 30}, 1.0);
  for (int i = 0; i < 3; ++i) {
    Results results = *(*f)(ones);
    EXPECT_EQ(results[0], *Tensor::full(DType::Float64, std::vector<int64_t>{40, 30}, 3134.0));
    EXPECT_EQ(results[1], *Tensor::full(DType::Float64, std::vector<int64_t>{30}, 125360.0));
    EXPECT_EQ(results[2].item<double>(), 1);
    EXPECT_EQ((*(*g)(ones))[0], results[0]);
  }
  EXPECT_EQ(f->counters().calls, 3);
  EXPECT_GT(f->counters().kernelRuns, 3);
  EXPECT_EQ(f->counters().arenas, 0);
}

// What a kernel needs for itself (panels of a picture) lies behind the arrays between kernels (that
// picture). Each sum is one of 3 x 3 pixels, 9 times the middle one where pixels grow evenly.
TEST(CallAtOnce, KernelsWithScratchMemory) {
  constexpr int64_t kPixels = 12, kChannels = 8;
  Variable x = tensor(DType::Float64, {1, 1, kPixels, kPixels}, "x"),
           v = tensor(DType::Float64, {kChannels, 1, 3, 3}, "v"),
           w = tensor(DType::Float64, {kChannels, kChannels, 3, 3}, "w");
  absl::StatusOr<Function> f = function({x, v, w}, {conv2d(conv2d(x, v), w)});
  ASSERT_TRUE(f.ok()) << f.status();
  std::vector<double> pixels, expected;
  for (int64_t i = 0; i < kPixels; ++i)
    for (int64_t j = 0; j < kPixels; ++j)
      pixels.push_back(double(i + 5 * j));
  for (int64_t channel = 0; channel < kChannels; ++channel)
    for (int64_t i = 2; i < kPixels - 2; ++i)
      for (int64_t j = 2; j < kPixels - 2; ++j)
        expected.push_back(double(9 * 9 * kChannels * (i + 5 * j)));
  const Tensor a = *Tensor::fromSpan<double>(pixels, {1, 1, kPixels, kPixels});
  const Tensor b = *Tensor::full(DType::Float64, {kChannels, 1, 3, 3}, 1.0);
  const Tensor c = *Tensor::full(DType::Float64, {kChannels, kChannels, 3, 3}, 1.0);
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(numbersOf((*f)(a, b, c)), expected);
  EXPECT_EQ(f->counters().kernelRuns, 6);
  // Of an argument that is copied first.
  Tensor wide = *Tensor::zeros(DType::Float64, {1, 1, kPixels, 2 * kPixels});
  Tensor apart = *wide.slice(3, 0, kPixels, 2);
  ASSERT_TRUE(apart.assign(a).ok());
  EXPECT_EQ(numbersOf((*f)(apart, b, c)), expected);
  EXPECT_EQ(f->counters().kernelRuns, 8);
  EXPECT_EQ(f->counters().arenas, 0);
}

// Other strides, another dtype and another order of the same arguments.
TEST(CallAtOnce, OtherArgumentsGoTheGeneralWay) {
  Variable x = tensor(DType::Float64, {2, 3}, "x");
  absl::StatusOr<Function> f = function({x}, {x * 2.0});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor columns = *Tensor{{1, 4}, {2, 5}, {3, 6}}.transpose({1, 0});
  EXPECT_THAT(numbersOf((*f)(columns)), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_EQ(f->counters().bytesCopied, 48);
  Tensor narrow({{1, 2, 3}, {4, 5, 6}}, DType::Float32);
  EXPECT_THAT(numbersOf((*f)(narrow)), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(numbersOf(f->call({}, {{"x", narrow}})), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_TRUE(areFailing((*f)(Tensor{{1, 2}}), "argument 0 ('x') wants f64[2,3] but got f64[1,2]"));
  EXPECT_TRUE(areFailing((*f)(), "argument 0 ('x') is missing"));
  EXPECT_EQ(f->counters().calls, 3);
}

// The code says only that it failed; the message is the general way's.
TEST(CallAtOnce, ErrorsSayWhatFailed) {
  Variable x = tensor(DType::Float64, {4}, "x"), at = tensor(DType::Int64, {2}, "at");
  absl::StatusOr<Function> f = function({x, at}, take(x, at));
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor values{1, 2, 3, 4}, good({3, 0}, DType::Int64), bad({3, 9}, DType::Int64);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(numbersOf((*f)(values, good)), ElementsAre(4, 1));
    absl::StatusOr<Results> failed = (*f)(values, bad);
    EXPECT_EQ(errorKind(failed.status()), ErrorKind::IndexError);
    EXPECT_TRUE(areFailing(failed, "index 9 is out of range for axis 0 with 4 elements"))
        << failed.status();
  }
  // So of a typed call, and one that has no Status to return is refused.
  Variable i = lscalar("i");
  absl::StatusOr<Function> g = function({i}, take(constant(Tensor{5, 6, 7}), i));
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(g->bind<double(int64_t)>().status().message(),
            "bind: the function can fail while it runs; let the signature return absl::Status");
  auto typed = g->bind<absl::Status(int64_t, View<double, 0>)>();
  ASSERT_TRUE(typed.ok()) << typed.status();
  double result = 0;
  View<double, 0> to;
  to.data = &result;
  EXPECT_TRUE((*typed)(2, to).ok());
  EXPECT_EQ(result, 7);
  EXPECT_EQ(errorKind((*typed)(3, to)), ErrorKind::IndexError);
  EXPECT_EQ((*g)(int64_t(1))->item<double>(), 6);
  EXPECT_TRUE(areFailing((*g)(int64_t(-4)), "index -4 is out of range for axis 0 with 3 elements"));
}

// A version serves the extents that it is for, and is counted as what it is.
TEST(CallAtOnce, FindsTheVersionOfItsExtents) {
  Variable x = dvector("x"), y = dvector("y");
  absl::StatusOr<Function> f = function({x, y}, {x * 3.0 + y, y - x});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor three{1, 2, 3}, two{4, 5};
  callUntilSpecialised(*f, {three, three});
  Function::Counters before = f->counters();
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(numbersOf((*f)(three, three)), ElementsAre(4, 8, 12));
    EXPECT_THAT(numbersOf((*f)(two, two)), ElementsAre(16, 20));
    EXPECT_THAT(numbersOf((*f)(two, two), 1), ElementsAre(0, 0));
    EXPECT_FALSE((*f)(three, two).ok());
  }
  Function::Counters after = f->counters();
  EXPECT_EQ(after.specialisedCalls, before.specialisedCalls + 10);
  EXPECT_GE(after.calls, before.calls + 30);
  EXPECT_EQ(after.specialisations, 1);
}

// What calls with numbers find, too.
// A number is no vector, whose code would read what is behind it.
TEST(CallAtOnce, NumbersForVectors) {
  Variable x = tensor(DType::Float64, {3}, "x");
  absl::StatusOr<Function> f = function({x}, x + 1.0);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_FALSE((*f)(2.0).ok());
  EXPECT_THAT(numbersOf((*f)(Tensor({1, 2, 3}))), ElementsAre(2, 3, 4));
}

TEST(CallAtOnce, NumbersOfOtherDTypes) {
  Variable x = dscalar("x"), n = lscalar("n");
  absl::StatusOr<Function> f = function({x, n}, {x * n, n + 1});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ((*(*f)(2.5, int64_t(2)))[0].item<double>(), 5);
  EXPECT_EQ((*(*f)(2.5f, 2))[1].item<int64_t>(), 3) << "of a float32";
  EXPECT_EQ((*(*f)(3, 2))[0].item<double>(), 6) << "of an integer";
  EXPECT_EQ((*(*f)(Tensor(2.5), 2))[0].item<double>(), 5);
  EXPECT_TRUE(areFailing((*f)(2.5, 0.5), "argument 1 ('n')"));
  EXPECT_TRUE(areFailing((*f)(2.5), "argument 1 ('n') is missing"));
}

} // namespace
} // namespace graphc
