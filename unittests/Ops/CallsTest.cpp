//===- CallsTest.cpp - what must compile, and what must not ------------------===//
#include <gtest/gtest.h>

// With their macros and global functions, which must not get in the way.
#include <math.h>
#include <string.h>
#include <strings.h>

#include <algorithm>
#include <cmath>

#include "graphc/Ops.h"

using namespace graphc;

namespace {

template <class T>
concept TakesBareAxis = requires(Variable v, T axis) { max(v, axis); };
template <class T>
concept Adds = requires(Variable v, T other) { v + other; };
template <class T>
concept Tests = requires(T v) { v ? 1 : 0; };

static_assert(!TakesBareAxis<int>, "max(x, 0) would mean two things");
static_assert(TakesBareAxis<Axis> && TakesBareAxis<Axes> && TakesBareAxis<ReductionOptions>);
static_assert(!Adds<bool>, "F-032: bool literals come from comparing Variables by mistake");
static_assert(Adds<int> && Adds<float> && Adds<unsigned long long> && Adds<Tensor>);
static_assert(!Tests<Variable>, "F-038");

TEST(Calls, OperatorsTakeVariablesNumbersAndTensors) {
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variable e = x + y * z;
  EXPECT_EQ(e.owner().op().name(), "add");
  EXPECT_EQ(e.owner().input(1).owner().input(0), y); // F-051
  for (const Variable &v :
       {2 * x,
        x<y, x + 1, 2.5f - x, x * 2, -x, 3 < x, x % 2, x / 2, x >= y, x <= 1, x> Tensor(2.0)})
    EXPECT_TRUE(v.ok()) << v.status();
  EXPECT_TRUE(x == x);
  EXPECT_TRUE(x != y); // identity, F-038
}

TEST(Calls, FunctionsStandBesideTheStandardOnes) {
  auto x = dscalar("x"), y = dscalar("y");
  auto v = dvector("v");
  for (const Variable &q :
       {exp(x),           log(x),       tanh(x),  abs(x),          sqrt(x),     pow(x, 2),
        pow(2, x),        isnan(x),     round(x), hypot(x, y),     signbit(x),  exp(x + y),
        tanh(exp(x)),     max(v),       sum(v),   min(v, Axis(0)), max(v, {0}), floor(x),
        copysign(x, 1.0), fma(x, 2, 3), trunc(x), log1p(x)})
    EXPECT_TRUE(q.ok()) << q.status();
  double d = std::exp(1.0) + log(2.0) + std::abs(-3) + std::pow(2.0, 3) + std::max(1, 2);
  EXPECT_GT(d, 0);
}

TEST(Calls, IndicesReadAsInNumPy) {
  auto m = dmatrix("m");
  auto i = lscalar("i");
  EXPECT_EQ((m[{Slice(1, kEnd), 3}]).owner().op().str(), "subtensor{index = \"1:, 3\"}");
  EXPECT_EQ(m[3].owner().op().str(), "subtensor{index = \"3\"}");
  EXPECT_EQ(m[0].rank(), 1);
  EXPECT_EQ((m[{i, 0}]).owner().op().str(), "subtensor{index = \"$0, 0\"}");
  EXPECT_EQ((m[{ellipsis, newaxis, Slice(kEnd, kEnd, -1)}]).owner().op().str(),
            "subtensor{index = \"..., newaxis, ::-1\"}");
  EXPECT_EQ((m[{Slice(i, i + 2)}]).owner().op().str(), "subtensor{index = \"$0:$1\"}");
}

TEST(Calls, MethodsAreTheFunctions) {
  auto m = dmatrix("m");
  EXPECT_EQ(m.sum(-1).owner().op(), sum(m, Axis(1)).owner().op());
  EXPECT_EQ(m.T().owner().op(), transpose(m, {1, 0}).owner().op());
  EXPECT_EQ(m.reshape({2, -1}).rank(), 2);
  EXPECT_EQ(m.astype(DType::Int8).dtype(), DType::Int8);
  EXPECT_EQ(m.argmax().dtype(), DType::Int64);
}

TEST(Calls, OptionsAreStructs) {
  auto x = tensor(DType::Float32, {kDynamic, 3, 8, 8}), k = tensor(DType::Float32, {4, 3, 3, 3});
  Variable c = conv2d(x, k, {.stride = {2, 2}, .padding = {1, 1}, .filterFlip = false});
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c.type().text(), "tensor<?x4x4x4xf32>");
  Variable p = pool(c, {2, 2}, {.stride = {1, 1}, .mode = PoolMode::AverageExcPad});
  EXPECT_EQ(p.type().text(), "tensor<?x4x3x3xf32>");
  EXPECT_EQ(conv2d(x, k, {.padding = Padding::Kind::Half}).type().text(), "tensor<?x4x8x8xf32>");
}

TEST(Calls, ErrorsTravelToTheEnd) {
  auto a = tensor(DType::Float64, {2, 3}), b = tensor(DType::Float64, {4, 5});
  Variable bad = dot(a, b);
  Variable later = sum(exp(bad + 1).T(), Axis(0))[0];
  EXPECT_EQ(errorKind(later.status()), ErrorKind::ShapeError);
  EXPECT_EQ(later.status().message(),
            "dot: inner extents differ: 3 and 4\n  dot(f64[2,3], f64[4,5])");
  EXPECT_EQ(errorPlace(later.status()), errorPlace(bad.status()));
}

// F-029
TEST(Calls, NumbersKeepTheDtypeOfTheirNeighbours) {
  EXPECT_EQ((fvector() + 1).dtype(), DType::Float32);
  EXPECT_EQ((fvector() + 0.1).dtype(), DType::Float32); // F-031
  EXPECT_EQ((bvector() + 1).dtype(), DType::Int8);
  EXPECT_EQ((bvector() + 300).dtype(), DType::Int16);
  EXPECT_EQ((dscalar() + 1).owner().input(1).dtype(), DType::Int64);
}

TEST(Calls, EqualAxesMakeEqualOps) {
  auto m = dmatrix("m");
  EXPECT_EQ(sum(m, Axis(-1)).owner().op(), sum(m, Axis(1)).owner().op());
  EXPECT_EQ(softmax(m).owner().op(), softmax(m, Axis(1)).owner().op());
  EXPECT_EQ(concatenate({m, m}, -1).owner().op(), concatenate({m, m}, 1).owner().op());
}

} // namespace
