//===- TestValuesTest.cpp - example values while building: F-350 -----------===//
#include "graphc/TestValues.h"

#include <gtest/gtest.h>

#include <thread>

#include "Calls.h"
#include "Places.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Rewrite.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

// F-350
TEST(TestValues, ComputeWhatIsBuilt) {
  TestValues values;
  Variable x = dvector("x"), y = dvector("y"), unknown = dvector("unknown");
  ASSERT_TRUE(values.set(x, Tensor({1.0, 2.0})).ok());
  ASSERT_TRUE(values.set(y, Tensor({1.0, 2.0, 3.0})).ok());
  SharedVariable w = shared(Tensor({10.0, 20.0}), "w");
  Variable z = (x + w) * 2.0;
  ASSERT_TRUE(z.ok());
  EXPECT_EQ(*values.find(z), Tensor({22.0, 44.0}));
  EXPECT_FALSE(values.find(x + unknown));
  EXPECT_EQ(*values.find(grad(sum(x * x), x)), Tensor({2.0, 4.0}));
  Variable wrong = exp(x) + y;
  EXPECT_EQ(wholeWithoutLines(wrong.status()),
            "ShapeError TestValuesTest.cpp: with test values: add: extents differ along axis 0: 2 "
            "and 3 (an extent broadcasts only where its type says 1: declare it so, or use "
            "specifyShape)\n  add(f64[2], f64[3])");
  EXPECT_EQ(wholeWithoutLines(function({x, y}, wrong * 2.0).status()),
            wholeWithoutLines(wrong.status()));
  EXPECT_EQ(firstLine(take(x, 5).status()).substr(0, 22), "IndexError: with test ");
  // Functions are as without.
  EXPECT_EQ(valuesOf(made(function({x}, z))(Tensor({0.0, 0.0}))), (std::vector<double>{20, 40}));
}

TEST(TestValues, AreThoseOfTheInnermost) {
  Variable x = dvector("x");
  TestValues outer;
  ASSERT_TRUE(outer.set(x, Tensor({1.0})).ok());
  {
    TestValues inner;
    Variable y = x + 1.0;
    EXPECT_FALSE(inner.find(y) || outer.find(y));
    ASSERT_TRUE(inner.set(x, Tensor({5.0})).ok());
    EXPECT_EQ(*inner.find(x * 2.0), Tensor({10.0}));
  }
  EXPECT_EQ(*outer.find(x * 2.0), Tensor({2.0}));
  Variable elsewhere;
  std::thread([&] { elsewhere = x * 3.0; }).join();
  EXPECT_FALSE(outer.find(elsewhere)) << "other threads have none";
}

TEST(TestValues, Messages) {
  TestValues values;
  Variable x = tensor(DType::Float64, {2}, "x");
  expectMessages({
      {values.set(x, Tensor({1.0})), "TypeError: the test value of 'x' wants f64[2] but is f64[1]"},
      {values.set(x, Tensor()),
       "TypeError: the test value of 'x' wants f64[2] but is an undefined Tensor"},
      {values.set(Variable(), Tensor(1.0)), said(Variable().status())},
  });
}

// F-350: a rewrite whose replacement has another shape for these values.
TEST(TestValues, MustKeepTheirShapesInRewrites) {
  Variable x = dvector("x"), y = dvector("y");
  RewriteDatabase mine;
  ASSERT_TRUE(mine.add({.name = "first",
                        .pattern = "maximum(a, b)",
                        .replacement = "join(a, b, axis=0)",
                        .cost = 0},
                       {}, 1)
                  .ok());
  Mode mode = Mode("fast_run").withRewrites(mine);
  EXPECT_TRUE(function({x, y}, maximum(x, y), {.mode = mode}).ok()) << "nobody looks";
  TestValues values;
  ASSERT_TRUE(values.set(x, Tensor({1.0, 2.0})).ok());
  EXPECT_TRUE(function({x, y}, maximum(x, y), {.mode = mode}).ok()) << "y has no value";
  ASSERT_TRUE(values.set(y, Tensor({3.0, 1.0})).ok());
  EXPECT_EQ(firstLine(function({x, y}, maximum(x, y), {.mode = mode}).status()),
            "DebugMismatch: with test values: after the rewrite first: maximum(x, y) became "
            "join(x, y): f64[4] instead of f64[2]");
  EXPECT_TRUE(function({x, y}, maximum(x, y)).ok());
  // Values are mode debug's to compare.
  RewriteDatabase other;
  ASSERT_TRUE(
      other
          .add({.name = "least", .pattern = "maximum(a, b)", .replacement = "minimum(a, b)"}, {}, 1)
          .ok());
  EXPECT_TRUE(function({x, y}, maximum(x, y), {.mode = Mode("fast_run").withRewrites(other)}).ok());
  EXPECT_EQ(said(function({x}, x, {.mode = "none"}).status()).substr(0, 10), "ValueError");
}

} // namespace
} // namespace graphc
