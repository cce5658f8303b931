//===- IfElseTest.cpp - choices that are lazy ------------------------------===//
//
// Numbers follow by hand from the values beside them.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "Choices.h"
#include "Messages.h"
#include "graphc/ControlFlow.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

class IfElse : public ::testing::Test {
protected:
  Variable c = lscalar("c"), x = dvector("x"), y = dvector("y");
  Tensor yes = Tensor(1), no = Tensor(0);
};

TEST_F(IfElse, GivesTheBranchTaken) {
  Variable z = ifElse(c, x * 2, exp(y));
  EXPECT_EQ(runEverywhere({c, x, y}, {z}, {yes, {1, 2}, {0, 0}}), (List{2, 4}));
  EXPECT_EQ(runEverywhere({c, x, y}, {z}, {no, {1, 2}, {0, 0}}), (List{1, 1}));
}

// F-329
TEST_F(IfElse, HasTheTypeOfBoth) {
  Variable m = tensor(DType::Float32, {2, 3}), n = tensor(DType::Float64, {2, kDynamic});
  EXPECT_EQ(ifElse(c, m, n).type(), Type(DType::Float64, {2, kDynamic}));
  EXPECT_EQ(ifElse(c, m, tensor(DType::Int8, {2, 3})).type(), Type(DType::Float32, {2, 3}));
  expectMessages(
      {{ifElse(dvector("cs"), x, y).status(),
        "TypeError: ifElse: the condition must be one number, not an array; switch chooses "
        "elements\n  ifElse(cs: f64[?], x: f64[?], y: f64[?])"},
       {ifElse(c, x, dmatrix("m")).status(),
        "TypeError: ifElse: the branches must have one rank, but have 1 and 2; reshape one of "
        "them\n  ifElse(c: i64, x: f64[?], m: f64[?,?])"},
       {ifElse(c, {x, y}, Variables{x})[1].status(),
        "ValueError: ifElse: the branches must have as many results, but have 2 and 1\n  "
        "ifElse(c: i64)"}});
}

// F-329
TEST_F(IfElse, GivesListsAndOtherShapes) {
  Variables both = ifElse(c, {x + 1, y.sum()}, {concatenate({x, y}), y[0]});
  EXPECT_EQ(runEverywhere({c, x, y}, both, {yes, {1, 2}, {3, 4, 5}}), (List{2, 3, 12}));
  EXPECT_EQ(runEverywhere({c, x, y}, both, {no, {1, 2}, {3, 4, 5}}), (List{1, 2, 3, 4, 5, 3}));
  Variable same = ifElse(c, x, y); // nothing to leave out
  EXPECT_EQ(runEverywhere({c, x, y}, {same}, {no, {1, 2}, {3, 4, 5}}), (List{3, 4, 5}));
}

TEST_F(IfElse, KnowsExtentsThatABranchComputes) {
  Variable n = lscalar("n");
  Variable z = ifElse(c, arange(n * n), concatenate({n.reshape({1}), arange(n)}));
  EXPECT_EQ(runEverywhere({c, n}, {z}, {yes, Tensor(2)}), (List{0, 1, 2, 3}));
  EXPECT_EQ(runEverywhere({c, n}, {z}, {no, Tensor(2)}), (List{2, 0, 1}));
  Variable some = ifElse(c, arange(cast(x.sum(), DType::Int64)), y);
  EXPECT_EQ(runEverywhere({c, x, y}, {some}, {yes, {0, 2, 0, 1}, {1}}), (List{0, 1, 2}));
  EXPECT_EQ(runEverywhere({c, x, y}, {some}, {no, {0, 5, 0, 7}, {1}}), (List{1}));
}

// F-330, F-331
TEST_F(IfElse, DoesNotRunTheOtherBranch) {
  std::atomic<int> first = 0, second = 0, shared = 0;
  Op one = countingOp(first), two = countingOp(second), both = countingOp(shared);
  Variable s = both(x);
  Variable z = ifElse(c, one(s + 1) * 2, two(s * 3)) + s;
  for (bool rewrites : {true, false})
    for (const char *mode : {"interpreter", "fast_run", "fast_compile", "strict"}) {
      Function f = made(function({c, x}, {z}, {.mode = mode, .rewrites = rewrites}));
      first = second = shared = 0;
      EXPECT_EQ(valuesOf(f.call({yes, {1}})), (List{5}));
      EXPECT_EQ((List{double(first), double(second), double(shared)}), (List{1, 0, 1})) << mode;
      EXPECT_EQ(valuesOf(f.call({no, {1}})), (List{4}));
      EXPECT_EQ((List{double(first), double(second), double(shared)}), (List{1, 1, 2})) << mode;
    }
}

// F-330, F-331
TEST_F(IfElse, CannotFailInTheOtherBranch) {
  Variable i = lscalar("i");
  Variable element = ifElse(lt(i, x.shape()[0]), take(x, i), 0.0);
  EXPECT_EQ(runEverywhere({x, i}, {element}, {{1, 2}, Tensor(1)}), (List{2}));
  EXPECT_EQ(runEverywhere({x, i}, {element}, {{1, 2}, Tensor(7)}), (List{0}));
  Variable sum = ifElse(eq(x.shape()[0], y.shape()[0]), x + y, x); // extents that differ
  EXPECT_EQ(runEverywhere({x, y}, {sum}, {{1, 2}, {5, 5}}), (List{6, 7}));
  EXPECT_EQ(runEverywhere({x, y}, {sum}, {{1, 2}, {5, 5, 5}}), (List{1, 2}));
  // What is taken fails.
  for (const char *mode : {"interpreter", "fast_run", "debug"}) {
    Function f = made(function({c, x, y}, {ifElse(c, x + y, x)}, {.mode = mode}));
    EXPECT_EQ(errorKind(f.call({yes, {1, 2}, {1, 2, 3}}).status()), ErrorKind::ShapeError) << mode;
  }
}

// F-331, F-347
TEST_F(IfElse, NanGuardDoesNotSeeTheOtherBranch) {
  Variable z = ifElse(gt(x[0], 0), log(x), x);
  Function f = made(function({x}, {z}, {.mode = "nanguard"}));
  EXPECT_EQ(valuesOf(f.call({{-1}})), (List{-1}));
}

// F-330
TEST_F(IfElse, IsLazyWithinBranches) {
  std::atomic<int> count = 0;
  Op counting = countingOp(count);
  Variable d = lscalar("d");
  Variable z = ifElse(c, ifElse(d, counting(x), x * 2), ifElse(d, x * 3, counting(x * 5)));
  EXPECT_EQ(runEverywhere({c, d, x}, {z}, {yes, no, {1}}), (List{2}));
  EXPECT_EQ(runEverywhere({c, d, x}, {z}, {no, yes, {1}}), (List{3}));
  EXPECT_EQ(count, 0);
  EXPECT_EQ(runEverywhere({c, d, x}, {z}, {no, no, {1}}), (List{5}));
  EXPECT_GT(count, 0);
}

// F-330
TEST_F(IfElse, OfOneConditionShareWork) {
  std::atomic<int> count = 0;
  Op counting = countingOp(count);
  Variable long1 = counting(x);
  Variables z = ifElse(c, {long1 + 1, long1 + 2}, {x, x});
  Function f = made(function({c, x}, z));
  EXPECT_EQ(valuesOf(f.call({yes, {1}})), (List{2, 3}));
  EXPECT_EQ(count, 1);
  // The second depends on the first.
  Variable next = ifElse(c, z[0] * long1, z[1]);
  EXPECT_EQ(runEverywhere({c, x}, {next, z[1]}, {yes, {2}}), (List{6, 4}));
  EXPECT_EQ(runEverywhere({c, x}, {next, z[1]}, {no, {2}}), (List{2, 2}));
}

// F-330
TEST_F(IfElse, IsLazyWithinOpsOfGraphs) {
  for (Inline inlined : {Inline::No, Inline::Yes})
    for (const char *mode : {"interpreter", "fast_run", "debug"}) {
      OpFromGraph op({c, x, y}, {ifElse(c, x + y, x * 2)}, {.inlined = inlined});
      Function f = made(function({c, x, y}, {op(c, x, y)}, {.mode = mode}));
      EXPECT_EQ(valuesOf(f.call({no, {1, 2}, {1, 2, 3}})), (List{2, 4}));
      EXPECT_EQ(valuesOf(f.call({yes, {1, 2}, {1, 2}})), (List{2, 4}));
    }
}

TEST_F(IfElse, DeepLaddersAreRefused) {
  Variable z = x;
  for (int k = 0; k < 70; ++k)
    z = ifElse(eq(c, k), exp(x) + k, z + 1);
  EXPECT_EQ(firstLine(function({c, x}, {z}).status()),
            "NotSupported: branches and loops stand in each other more than 64 levels deep: "
            "choose by switch, or join some of them");
}

// F-332
TEST_F(IfElse, HasTheGradientOfTheBranchTaken) {
  Variable cost = ifElse(c, sqr(x), y * 3).sum();
  Variables g = grad(cost, Variables{x, y});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {1, 2}, {5}}), (List{2, 4, 0}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {1, 2}, {5}}), (List{0, 0, 3}));
  Variable second = grad(grad(ifElse(c, x * x * x, y).sum(), x).sum(), x);
  EXPECT_EQ(runEverywhere({c, x, y}, {second}, {yes, {2}, {1, 1}}), (List{12}));
  EXPECT_EQ(runEverywhere({c, x, y}, {second}, {no, {2}, {1, 1}}), (List{0}));
  Variable dx = dvector("dx");
  Variable pushed = pushforward(ifElse(c, x * x, x * 3), x, dx);
  EXPECT_EQ(runEverywhere({c, x, dx}, {pushed}, {yes, {5}, {2}}), (List{20}));
  EXPECT_EQ(runEverywhere({c, x, dx}, {pushed}, {no, {5}, {2}}), (List{6}));
  Variable p = dscalar("p");
  EXPECT_EQ(errorKind(grad(ifElse(p, x, y).sum(), p).status()), ErrorKind::DisconnectedInput);
}

// F-332
TEST_F(IfElse, NoNanLeaksFromTheOtherBranch) {
  Variable s = dscalar("s");
  for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) {
    Variable root = ifElse(gt(s, 0), sqrt(s), 0.0), ratio = ifElse(gt(s, 0), log(s * s), s);
    Function f = made(function({s}, {grad(root, s), grad(ratio, s)}, {.mode = mode}));
    EXPECT_EQ(valuesOf(f.call({0.0})), (List{0, 1})) << mode;
    EXPECT_EQ(valuesOf(f.call({4.0})), (List{0.25, 0.5})) << mode;
  }
}

// F-333
TEST_F(IfElse, NanIsTrue) {
  Variable p = dscalar("p");
  EXPECT_EQ(valuesOf(made(function({p, x}, {ifElse(p, x + 1, x)})).call({NAN, {1}})), (List{2}));
  EXPECT_EQ(valuesOf(made(function({p, x}, {ifElse(p, x + 1, x)})).call({-0.0, {1}})), (List{1}));
  EXPECT_EQ(
      valuesOf(
          made(function({p, x}, {ifElse(p, x + 1, x)}, {.mode = "interpreter"})).call({NAN, {1}})),
      (List{2}));
}

} // namespace
} // namespace graphc
