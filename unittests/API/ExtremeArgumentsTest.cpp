//===- ExtremeArgumentsTest.cpp - arguments that nobody means ---------------===//
//
// Counts without measure, functions that are none and numbers that are no dtypes: an error or an
// answer, never an exception or the end of the process.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <limits>

#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Tensor valueOf(const Variable &y) {
  absl::StatusOr<Function> f = function({}, {y});
  EXPECT_TRUE(f.ok()) << f.status();
  absl::StatusOr<Results> r = f.ok() ? (*f)() : f.status();
  EXPECT_TRUE(r.ok()) << r.status();
  return r.ok() ? (*r)[0] : Tensor();
}

TEST(ExtremeArguments, CopiesAreNotMadeWithTheGraph) {
  Variable x = dvector("x");
  EXPECT_TRUE(repeat(x, std::vector<int64_t>{int64_t(1) << 40, 2}).ok());
  for (int64_t least : {kMost - 1, kMost})
    EXPECT_EQ(said(repeat(x, std::vector<int64_t>{least, 1}).status()),
              "ValueError: repeat: the copies would be more elements than an array can have\n  "
              "repeat(f64[?])");
  // np.repeat([1, 2, 3, 4], [70000, 0, 3, 1])
  Tensor copies =
      valueOf(repeat(constant(Tensor({1., 2., 3., 4.})), std::vector<int64_t>{70000, 0, 3, 1}));
  ASSERT_EQ(copies.shape(), (std::vector<int64_t>{70004}));
  absl::Span<const double> all = copies.flat<double>();
  EXPECT_EQ(std::count(all.begin(), all.begin() + 70000, 1), 70000);
  EXPECT_EQ(std::vector<double>(all.begin() + 70000, all.end()), (std::vector<double>{3, 3, 3, 4}));
}

TEST(ExtremeArguments, AllEdgeItems) {
  Tensor x({1., 2., 3.});
  EXPECT_EQ(toString(x, {.threshold = 0, .edgeItems = kMost}), "[1. 2. 3.]");
  EXPECT_EQ(toString(x, {.threshold = 0, .edgeItems = kMost / 2 + 1}), "[1. 2. 3.]");
}

TEST(ExtremeArguments, Specialisations) {
  Variable x = dvector("x");
  constexpr const char *kWrong = "specialisations must be at most 64, but is 2147483647";
  EXPECT_EQ(said(function({x}, {x + 1}, {.specialisations = INT32_MAX}).status()),
            std::string("ValueError: function: ") + kWrong);
  Config many = config();
  many.specialisations = INT32_MAX;
  EXPECT_EQ(said(setConfig(many)), std::string("ValueError: ") + kWrong);
  EXPECT_TRUE(function({x}, {x + 1}, {.specialisations = kMostSpecialisations}).ok());
}

TEST(ExtremeArguments, FunctionsThatAreNone) {
  Variable x = dvector("x");
  expectMessages({
      {scan(nullptr, {.sequences = {x}}).outputs[0].status(),
       "ValueError: scan: the step is no function"},
      {map(nullptr, {x}).status(), "ValueError: map: the step is no function"},
      {reduce(nullptr, {x}, 0.0).status(), "ValueError: reduce: the step is no function"},
      {foldr(nullptr, {x}, 0.0).status(), "ValueError: foldr: the step is no function"},
      {whileLoop([](const Variables &v) { return v[0] < 1; }, nullptr, {0.0}).outputs[0].status(),
       "ValueError: whileLoop: the step is no function"},
      {whileLoop(nullptr, [](const Variables &v) { return ScanStep(v); }, {0.0})
           .outputs[0]
           .status(),
       "ValueError: whileLoop: the condition is no function"},
      {OpFromGraph({x}, {exp(x)},
                   {.pullback = Override(std::function<Variables(Inputs, Outputs, Gradients)>())})
           .status(),
       "ValueError: OpFromGraph: pullback: the callable is no function: it is empty"},
      {OpFromGraph(
           {x}, {exp(x)},
           {.pullback = Override(static_cast<Variables (*)(Inputs, Outputs, Gradients)>(nullptr))})
           .status(),
       "ValueError: OpFromGraph: pullback: the callable is no function: it is empty"},
  });
}

TEST(ExtremeArguments, NumbersThatAreNoDTypes) {
  Variable x = dvector("x");
  for (int number : {-1, kNumDTypes, 77, 200}) {
    const DType none = DType(number);
    const std::string why = "there is no dtype number " + std::to_string(number);
    EXPECT_EQ(dtypeName(none), "no dtype");
    EXPECT_EQ(byteSize(none), 1);
    EXPECT_FALSE(isFloat(none) || isInteger(none) || isBool(none));
    EXPECT_FALSE(Tensor({1.}).cast(none).defined());
    double memory = 0;
    expectMessages({{Tensor::allocate(none, {2}).status(), "TypeError: " + why},
                    {Tensor::zeros(none, {}).status(), "TypeError: " + why},
                    {Tensor::full(none, {2}, Tensor(1.)).status(), "TypeError: " + why},
                    {Tensor::borrow(none, &memory, {1}).status(), "TypeError: " + why},
                    {tensor(none, {2}, "a").status(), "TypeError: " + why},
                    {(tensor(none, {2}, "a") + 1).status(), "TypeError: " + why}});
    EXPECT_EQ(firstLine(cast(x, none).status()), "TypeError: cast: " + why);
    EXPECT_EQ(firstLine(sum(x, {.dtype = none}).status()), "TypeError: sum: " + why);
    EXPECT_FALSE(sum(x, {.accDtype = none}).ok());
    EXPECT_FALSE(zeros({2}, none).ok());
    EXPECT_FALSE(arange(0, 3, 1, none).ok());
  }
}

/// NumPy: np.sum([[1, 2], [3, 4]], 0, dtype=complex).real is [4, 6].
TEST(ExtremeArguments, RealTermsInComplexAccumulators) {
  Variable x = imatrix("x");
  for (const char *mode : {"fast_run", "interpreter", "fast_compile"}) {
    auto f = function({x},
                      {sum(x, {.axes = Axis(0), .accDtype = DType::Complex128}),
                       prod(x, {.axes = Axis(0), .accDtype = DType::Complex128})},
                      {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({{1, 2}, {3, 4}}, DType::Int32));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0].str(), "[4 6]") << mode;
    EXPECT_EQ((*r)[1].str(), "[3 8]") << mode;
  }
  EXPECT_EQ(valueOf(sum(constant(Tensor({{1, 2}, {3, 4}}, DType::Int64)),
                        {.axes = Axis(0), .accDtype = DType::Complex128}))
                .str(),
            "[4 6]");
}

TEST(ExtremeArguments, OpsWithoutNumber) {
  Variable x = dvector("x"), few = tensor(DType::Float64, {3}, "few"), sizes = lvector("sizes");
  expectMessages({
      {diff(x, INT32_MAX).status(),
       "ValueError: diff: the order is 2147483647; at most 1024 can be taken at once\n  "
       "diff(x: f64[?])"},
      {split(x, sizes, INT32_MAX)[0].status(), "ValueError: split: 2147483647 pieces are wanted; "
                                               "there can be 0 to 65536\n  split(x: f64[?])"},
      {split(x, sizes, -1)[0].status(),
       "ValueError: split: -1 pieces are wanted; there can be 0 to 65536\n  split(x: f64[?])"},
  });
  EXPECT_EQ(diff(few, INT32_MAX).type().text(), "tensor<0xf64>"); // as NumPy's
}

/// No sum of these ends early. 0.3 s and more an element it took once.
TEST(ExtremeArguments, GaussFunctionGivesUpInTime) {
  Variable z = dvector("z");
  auto f = function({z}, {hyp2f1(z, -1e300, 0.5, 0.5), hyp2f1(z, 1e300, 1e299, 0.5),
                          hyp2f1(z, -1e15, 0.5, 1.0), hyp2f1(z, 1e9, -1e9 - 0.5, -0.9)});
  ASSERT_TRUE(f.ok()) << f.status();
  const clock_t before = clock();
  auto r = (*f)(*Tensor::full(DType::Float64, {5}, Tensor(1.0)));
  const double seconds = double(clock() - before) / CLOCKS_PER_SEC;
  ASSERT_TRUE(r.ok()) << r.status();
  for (size_t i = 0; i < r->size(); ++i)
    EXPECT_TRUE(std::isnan((*r)[i].flat<double>()[0])) << i << ": " << (*r)[i];
  EXPECT_LT(seconds, 4);
}

} // namespace
} // namespace graphc
