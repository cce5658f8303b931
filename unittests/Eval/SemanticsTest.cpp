//===- SemanticsTest.cpp - requirements that concern values ------------------===//
//
// Expected numbers follow from docs/Semantics.md and IEEE 754 by hand.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "Eval/Evaluate.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

/// The value of a graph of constants.
Tensor valueOf(const Variable &v) {
  auto values = evaluate({v}, {}, {});
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? (*values)[0] : Tensor();
}
absl::Status errorOf(const Variable &v, const Variables &inputs = {},
                     const std::vector<Tensor> &values = {}) {
  return evaluate({v}, inputs, values).status();
}
Tensor ints(std::initializer_list<double> values, DType dtype) { return Tensor(values, dtype); }

// F-020
TEST(RunTimeShapes, ALengthOfOneDoesNotBroadcastByItself) {
  auto x = dvector("x"), y = dvector("y");
  absl::Status error = errorOf(x + y, {x, y}, {Tensor({1, 2, 3}), Tensor({1})});
  EXPECT_EQ(errorKind(error), ErrorKind::ShapeError);
  EXPECT_EQ(error.message(), "add: extents differ along axis 0: 3 and 1 (an extent broadcasts only "
                             "where its type says 1)\n"
                             "  add(float64(3,), float64(1,))");
  ASSERT_TRUE(errorPlace(error));
  EXPECT_NE(errorPlace(error)->str().find("SemanticsTest.cpp"), std::string::npos);
}

// F-023
TEST(RunTimeShapes, EmptyAxesFollowTheSameRule) {
  auto x = dvector("x"), y = dvector("y");
  EXPECT_EQ(
      errorKind(errorOf(x + y, {x, y}, {Tensor::zeros(DType::Float64, {0}).value(), Tensor({1})})),
      ErrorKind::ShapeError);
  EXPECT_EQ(valueOf(constant(Tensor::zeros(DType::Float64, {0}).value()) + Tensor({1})).shape(),
            (std::vector<int64_t>{0}));
}

// F-025
TEST(RunTimeShapes, ClaimedExtentsAreChecked) {
  auto x = dvector("x");
  Variable claimed = specifyShape(x, {3});
  EXPECT_EQ(errorKind(errorOf(claimed, {x}, {Tensor({1, 2})})), ErrorKind::ShapeError);
  EXPECT_TRUE(errorOf(claimed, {x}, {Tensor({1, 2, 3})}).ok());
}

// F-026
TEST(RunTimeShapes, InputsMayHaveAnyStrides) {
  auto x = dmatrix("x");
  Tensor wide = Tensor({{1, 2, 3}, {4, 5, 6}}).transpose({1, 0}).value();
  Tensor backward = wide.slice(0, 2, 3, -1).value();
  auto values = evaluate({x * 1.0, sum(x, Axis(0))}, {x}, {backward});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0], Tensor({{3, 6}, {2, 5}, {1, 4}}));
  EXPECT_EQ((*values)[1], Tensor({6, 15}));
}

// F-046, F-361
TEST(Casts, TruncateSaturateAndWrap) {
  Tensor x({2.9, -2.9, 300, -300, kNan, kInf, -kInf});
  EXPECT_EQ(valueOf(cast(x, DType::Int8)), ints({2, -2, 127, -128, 0, 127, -128}, DType::Int8));
  EXPECT_EQ(valueOf(cast(x, DType::UInt8)), ints({2, 0, 255, 0, 0, 255, 0}, DType::UInt8));
  EXPECT_EQ(valueOf(cast(x, DType::Bool)), ints({1, 1, 1, 1, 1, 1, 1}, DType::Bool));
  EXPECT_EQ(valueOf(cast(Tensor({300, -1}, DType::Int32), DType::Int8)),
            ints({44, -1}, DType::Int8));
}

// F-361
TEST(Integers, DivisionAndShiftsAreDefinedEverywhere) {
  Tensor least({-128, 7, 5}, DType::Int8), divisor({-1, 0, -2}, DType::Int8);
  EXPECT_EQ(valueOf(intDiv(least, divisor)), ints({-128, 0, -3}, DType::Int8));
  EXPECT_EQ(valueOf(mod(least, divisor)), ints({0, 0, -1}, DType::Int8));
  Tensor x({1, 1, 1, -5}, DType::Int8), count({7, 8, -1, 100}, DType::Int8);
  EXPECT_EQ(valueOf(leftShift(x, count)), ints({-128, 0, 0, 0}, DType::Int8));
  EXPECT_EQ(valueOf(rightShift(x, count)), ints({0, 0, 0, -1}, DType::Int8));
}

// F-362
TEST(Arithmetic, ModHasTheSignOfTheDivisor) {
  EXPECT_EQ(valueOf(mod(Tensor({7, -7, 7, -7}), Tensor({3, 3, -3, -3}))), Tensor({1, 2, -2, -1}));
}

// F-363
TEST(Arithmetic, RoundIsHalfToEven) {
  Tensor x({0.5, 1.5, 2.5, -0.5, 0.49999999999999994});
  EXPECT_EQ(valueOf(round(x)), Tensor({0, 2, 2, 0, 0}));
  EXPECT_EQ(valueOf(roundHalfAwayFromZero(x)), Tensor({1, 2, 3, -1, 0}));
}

// F-364
TEST(Arithmetic, MaximaPropagateNan) {
  Tensor x({1, kNan, 3});
  EXPECT_TRUE(std::isnan(valueOf(max(constant(x))).item<double>()));
  EXPECT_TRUE(std::isnan(valueOf(min(constant(x))).item<double>()));
  EXPECT_TRUE(std::isnan(valueOf(maximum(kNan, Tensor(1.0))).item<double>()));
  EXPECT_TRUE(std::isnan(valueOf(minimum(Tensor(1.0), kNan)).item<double>()));
  EXPECT_EQ(valueOf(argmax(constant(x))).item<int64_t>(), 1);
}

// F-365
TEST(Arithmetic, ClipKeepsNan) {
  EXPECT_TRUE(std::isnan(valueOf(clip(Tensor(kNan), 0.0, 1.0)).item<double>()));
}

// F-366
TEST(Reductions, OverNoElements) {
  auto empty = constant(Tensor::zeros(DType::Float64, {0}).value());
  EXPECT_EQ(valueOf(sum(empty)).item<double>(), 0);
  EXPECT_EQ(valueOf(prod(empty)).item<double>(), 1);
  EXPECT_FALSE(valueOf(any(empty)).item<bool>());
  EXPECT_TRUE(valueOf(all(empty)).item<bool>());
  EXPECT_TRUE(std::isnan(valueOf(mean(empty)).item<double>()));
  auto x = dvector("x");
  for (const Variable &v : {max(x), min(x), argmax(x), argmin(x)})
    EXPECT_EQ(errorKind(errorOf(v, {x}, {empty.data()})), ErrorKind::ValueError);
}

// F-367
TEST(Arithmetic, SignOfNanAndZero) {
  Tensor s = valueOf(sgn(Tensor({kNan, -0.0})));
  EXPECT_TRUE(std::isnan(s.flat<double>()[0]));
  EXPECT_EQ(s.flat<double>()[1], 0);
}

// F-368
TEST(Reductions, SoftmaxSubtractsTheMaximum) {
  EXPECT_EQ(valueOf(softmax(Tensor({1000, 1000}))), Tensor({0.5, 0.5}));
  EXPECT_EQ(valueOf(logsumexp(constant(Tensor({-kInf, -kInf})))).item<double>(), -kInf);
  EXPECT_TRUE(std::isnan(valueOf(softmax(Tensor({-kInf, -kInf}))).flat<double>()[0]));
}

// F-012: 4096 terms that a plain float32 sum would lose one by one.
TEST(Reductions, Float32SumsDoNotLoseSmallTerms) {
  Tensor x = Tensor::full(DType::Float32, {4097}, Tensor(0x1p-25)).value();
  x.mutableFlat<float>()[0] = 1;
  EXPECT_EQ(valueOf(sum(constant(x))).item<float>(), 1 + 0x1p-13f);
}

// F-047: subnormals are kept.
TEST(Arithmetic, SubnormalsAreNotFlushed) {
  EXPECT_EQ(valueOf(mul(Tensor(0x1p-1000), 0x1p-70)).item<double>(), 0x1p-1070);
  // exp(-740) is 85.003 units of 2^-1074.
  EXPECT_EQ(valueOf(exp(Tensor(-740.0))).item<double>(), 85 * 0x1p-1074);
}

TEST(Indexing, ErrorsNameTheIndex) {
  auto x = dvector("x");
  auto i = lscalar("i");
  absl::Status error = errorOf(x[5], {x}, {Tensor({1, 2, 3})});
  EXPECT_EQ(errorKind(error), ErrorKind::IndexError);
  EXPECT_EQ(error.message(), "subtensor: index 5 is out of range for axis 0 with 3 elements\n"
                             "  subtensor{index = \"5\"}(float64(3,))");
  EXPECT_EQ(errorKind(errorOf(x[i], {x, i}, {Tensor({1, 2, 3}), Tensor(-4)})),
            ErrorKind::IndexError);
  EXPECT_EQ(errorKind(errorOf(x[{Slice(kEnd, kEnd, i)}], {x, i}, {Tensor({1, 2}), Tensor(0)})),
            ErrorKind::ValueError);
}

TEST(Indexing, SymbolicSlicesAreAsStaticOnes) {
  auto x = dvector("x");
  auto a = lscalar("a"), b = lscalar("b"), s = lscalar("s");
  Variable v = x[{Slice(a, b, s)}];
  Tensor data({0, 1, 2, 3, 4});
  for (int64_t start = -7; start <= 7; ++start)
    for (int64_t stop = -7; stop <= 7; ++stop)
      for (int64_t step : {-3, -1, 1, 2, 7}) {
        auto dynamic =
            evaluate({v}, {x, a, b, s}, {data, Tensor(start), Tensor(stop), Tensor(step)});
        ASSERT_TRUE(dynamic.ok()) << dynamic.status();
        // Python's slice.indices, counted out.
        int64_t n = 5, lower = step < 0 ? -1 : 0, upper = step < 0 ? n - 1 : n;
        auto bound = [&](int64_t k) { return std::clamp(k < 0 ? k + n : k, lower, upper); };
        std::vector<double> wanted;
        for (int64_t k = bound(start); step < 0 ? k > bound(stop) : k < bound(stop); k += step)
          wanted.push_back(double(k));
        auto got = (*dynamic)[0].flat<double>();
        EXPECT_EQ(std::vector<double>(got.begin(), got.end()), wanted)
            << start << ":" << stop << ":" << step;
      }
}

TEST(Graphs, NeedAValueForEachInput) {
  auto x = dvector("x"), y = dvector("y");
  absl::Status error = errorOf(x + y, {x}, {Tensor({1})});
  EXPECT_EQ(errorKind(error), ErrorKind::MissingInput);
  EXPECT_EQ(errorKind(errorOf(x + 1, {x}, {Tensor({1}, DType::Float32)})), ErrorKind::TypeError);
}

// F-061: evaluating walks a graph without recursion.
TEST(Graphs, LongChainsNeedNoStack) {
  auto x = dscalar("x");
  Variable v = x;
  for (int k = 0; k < 20'000; ++k)
    v = k % 2 ? v * x : v + x;
  auto values = evaluate({v}, {x}, {Tensor(1.0)});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].item<double>(), 10'001);
}

} // namespace
} // namespace graphc
