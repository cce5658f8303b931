//===- IfElseGradientTest.cpp - derivatives of the branch that is not taken --===//
//
// They run nothing and cannot fail (F-330 to F-332). Numbers follow by hand from the values beside
// them.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "Choices.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Gradient.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

class IfElseGradient : public ::testing::Test {
protected:
  Variable c = lscalar("c"), d = lscalar("d"), i = lscalar("i"), x = dvector("x"), y = dvector("y");
  Tensor yes = Tensor(1), no = Tensor(0);
  std::atomic<int> forward = 0, backward = 0;
  Op counting = countingOp(forward, &backward);

  /// What ran in one call, forward and backward, in modes that run each node once.
  void expectRuns(const Variables &inputs, const Variables &outputs,
                  const std::vector<Tensor> &values, const List &counts) {
    for (bool rewrites : {true, false})
      for (const char *mode : {"interpreter", "fast_run", "fast_compile", "strict"}) {
        Function f = made(function(inputs, outputs, {.mode = mode, .rewrites = rewrites}));
        forward = backward = 0;
        EXPECT_TRUE(f.call(values).ok());
        EXPECT_EQ((List{double(forward), double(backward)}), counts) << mode << rewrites;
      }
  }
};

// F-330, F-332
TEST_F(IfElseGradient, RunsNothingOfTheOtherBranch) {
  Variable z = ifElse(c, sqr(counting(x * 2)), y);
  Variables g = grad(z.sum(), Variables{x, y});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {1, 2}, {5}}), (List{8, 16, 0}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {1, 2}, {5}}), (List{0, 0, 1}));
  expectRuns({c, x, y}, g, {yes, {1, 2}, {5}}, {1, 1});
  expectRuns({c, x, y}, g, {no, {1, 2}, {5}}, {0, 0});
  g.push_back(z);
  expectRuns({c, x, y}, g, {yes, {1, 2}, {5}}, {1, 1});
  expectRuns({c, x, y}, g, {no, {1, 2}, {5}}, {0, 0});
}

// F-330, F-332: where the branch itself would fail, so would its gradient.
TEST_F(IfElseGradient, CannotFailInTheOtherBranch) {
  auto check = [&](const Variable &risky, const Tensor &good, const List &slope, const Tensor &bad,
                   double other) {
    Variable g = grad(ifElse(c, risky, x * 3.0).sum(), x);
    EXPECT_EQ(runEverywhere({c, i, x}, {g}, {yes, Tensor(1), good}), slope);
    EXPECT_EQ(runEverywhere({c, i, x}, {g}, {no, Tensor(7), bad}),
              List(size_t(bad.shape()[0]), other));
    for (const char *mode : {"interpreter", "fast_run", "debug"})
      EXPECT_FALSE(
          made(function({c, i, x}, {g}, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}))
              .call({yes, Tensor(7), bad})
              .ok())
          << mode;
  };
  check(expandDims(sqr(take(x, i)), Axis(0)), {1, 3}, {0, 6}, {1, 3}, 3);
  check(sum(sqr(x).reshape({2, 2}), Axis(0)), {1, 2, 3, 4}, {2, 4, 6, 8}, {1, 2, 3}, 3);
  check(sqr(x) * arange(2.0, 4.0), {1, 2}, {4, 12}, {1, 2, 3}, 3);
  check(assertTrue(sqr(x), gt(x[0], 0), "the first one is not above 0"), {1, 2}, {2, 4}, {-1, 2},
        3);
}

TEST_F(IfElseGradient, OfDecompositionsIsLeftOut) {
  Variable m = dmatrix("m"); // cholesky gives NaN where it fails; inv says so
  Variable cost = ifElse(c, cholesky(m).sum(), ifElse(d, inv(m).sum(), m.sum()));
  Variable g = grad(cost, m);
  Tensor square({{4, 0}, {0, 4}}), other({{0, 1}, {0, 0}}), wide({{1, 2, 3}});
  EXPECT_EQ(runEverywhere({c, d, m}, {g}, {no, no, wide}), (List{1, 1, 1}));
  EXPECT_EQ(runEverywhere({c, d, m}, {g}, {no, no, other}), (List{1, 1, 1, 1}));
  for (const char *mode : {"interpreter", "fast_run"}) {
    Function f = made(function({c, d, m}, {g}, {.mode = mode}));
    List slopes = valuesOf(f.call({no, yes, square}));
    for (double slope : slopes) // of the sum of the inverse: - (1/4) 1 1^T (1/4)
      EXPECT_NEAR(slope, -1.0 / 16, 1e-15);
  }
}

// F-330, F-332
TEST_F(IfElseGradient, OfChoicesWithinBranches) {
  Variable z = ifElse(c, ifElse(d, sqr(counting(x)), x[i] * x), ifElse(d, y * 2.0, counting(y)));
  Variables g = grad(z.sum(), Variables{x, y});
  std::vector<Variable> inputs = {c, d, i, x, y};
  EXPECT_EQ(runEverywhere(inputs, g, {yes, yes, Tensor(7), {1, 2}, {5}}), (List{2, 4, 0}));
  EXPECT_EQ(runEverywhere(inputs, g, {yes, no, Tensor(1), {1, 2}, {5}}), (List{2, 5, 0}));
  EXPECT_EQ(runEverywhere(inputs, g, {no, yes, Tensor(7), {1, 2}, {5}}), (List{0, 0, 2}));
  EXPECT_EQ(runEverywhere(inputs, g, {no, no, Tensor(7), {1, 2}, {5}}), (List{0, 0, 1}));
  expectRuns(inputs, g, {yes, no, Tensor(0), {1, 2}, {5}}, {0, 0});
  expectRuns(inputs, g, {no, yes, Tensor(7), {1, 2}, {5}}, {0, 0});
  // One condition twice, and a branch that nothing leads to.
  Variable same = ifElse(c, ifElse(c, x * 2.0, x[i] * x), y);
  EXPECT_EQ(
      runEverywhere({c, i, x, y}, grad(same.sum(), Variables{x, y}), {yes, Tensor(7), {1, 2}, {5}}),
      (List{2, 2, 0}));
}

// F-330, F-332: what both branches need is computed in any case, and its gradient.
TEST_F(IfElseGradient, OfWhatBothBranchesNeed) {
  Variable shared = counting(x), z = ifElse(c, sqr(shared), shared * y[0] + x);
  Variables g = grad(z.sum(), Variables{x, y});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {1, 2}, {5}}), (List{2, 4, 0}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {1, 2}, {5}}), (List{6, 6, 3}));
  expectRuns({c, x, y}, g, {yes, {1, 2}, {5}}, {1, 1});
  expectRuns({c, x, y}, g, {no, {1, 2}, {5}}, {1, 1});
  // Beside the choice, too.
  Variable beside = grad((ifElse(c, sqr(x), x[i] * x) * x).sum(), x);
  EXPECT_EQ(runEverywhere({c, i, x}, {beside}, {yes, Tensor(7), {1, 2}}), (List{3, 12}));
  EXPECT_EQ(runEverywhere({c, i, x}, {beside}, {no, Tensor(0), {1, 2}}), (List{7, 4}));
}

// F-330, F-332
TEST_F(IfElseGradient, OfSeveralResults) {
  Variable hidden = counting(x);
  Variables z = ifElse(c, {sqr(hidden), hidden * 3.0}, {y, y * y});
  Variables g = grad(z[0].sum() + z[1].sum(), Variables{x, y});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {1, 2}, {5}}), (List{5, 7, 0}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {1, 2}, {5}}), (List{0, 0, 11}));
  expectRuns({c, x, y}, g, {yes, {1, 2}, {5}}, {1, 1});
  expectRuns({c, x, y}, g, {no, {1, 2}, {5}}, {0, 0});
}

// F-330, F-332: the gradient depends on the result, and does not compute the branch again.
TEST_F(IfElseGradient, ThatNeedsTheResult) {
  Variable z = ifElse(c, exp(counting(x)), y);
  Variable cost = sqr(z).sum();
  Variables g = grad(cost, Variables{x, y});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {0}, {5}}), (List{2, 0}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {0}, {5}}), (List{0, 10}));
  expectRuns({c, x, y}, {g[0], g[1], cost}, {yes, {0}, {5}}, {1, 1});
  expectRuns({c, x, y}, {g[0], g[1], cost}, {no, {0}, {5}}, {0, 0});
}

// F-332
TEST_F(IfElseGradient, OfHigherOrder) {
  Variable z = ifElse(c, x * x * counting(x), x[i] * x * x);
  Variable first = grad(z.sum(), x), second = grad(first.sum(), x);
  EXPECT_EQ(runEverywhere({c, i, x}, {second}, {yes, Tensor(7), {2, 3}}), (List{12, 18}));
  // The sum of x[0] x^2 has the gradient (3 x0^2 + x1^2, 2 x0 x1).
  EXPECT_EQ(runEverywhere({c, i, x}, {second}, {no, Tensor(0), {2, 3}}), (List{18, 10}));
  expectRuns({c, i, x}, {second}, {no, Tensor(0), {2, 3}}, {0, 0});
  Variable third = grad(second.sum(), x);
  EXPECT_EQ(runEverywhere({c, i, x}, {third}, {yes, Tensor(7), {2, 3}}), (List{6, 6}));
  Variable square = hessian(z.sum(), x), rows = jacobian(z, x);
  EXPECT_EQ(runEverywhere({c, i, x}, {rows}, {yes, Tensor(7), {2, 3}}), (List{12, 0, 0, 27}));
  EXPECT_EQ(runEverywhere({c, i, x}, {rows}, {no, Tensor(0), {2, 3}}), (List{12, 0, 9, 12}));
  EXPECT_EQ(runEverywhere({c, i, x}, {square}, {yes, Tensor(7), {2, 3}}), (List{12, 0, 0, 18}));
  EXPECT_EQ(runEverywhere({c, i, x}, {square}, {no, Tensor(0), {2, 3}}), (List{12, 6, 6, 4}));
}

TEST_F(IfElseGradient, OfSecondOrderWhereShapesDiffer) {
  Variable z = ifElse(c, sqr(x[{Slice(0, 2)}]), sqr(x) * x);
  Variable square = hessian(sqr(z).sum(), x);
  // Of x^4 12 x^2, of x^6 30 x^4.
  EXPECT_EQ(runEverywhere({c, x}, {square}, {yes, {1, 2, 1}}), (List{12, 0, 0, 0, 48, 0, 0, 0, 0}));
  EXPECT_EQ(runEverywhere({c, x}, {square}, {no, {1, 2, 1}}),
            (List{30, 0, 0, 0, 480, 0, 0, 0, 30}));
}

// F-330
TEST_F(IfElseGradient, PushedForward) {
  Variable dx = dvector("dx");
  Variable z = ifElse(c, sqr(counting(x)), x[i] * y);
  Variable pushed = pushforward(z, x, dx);
  std::vector<Variable> inputs = {c, i, x, y, dx};
  EXPECT_EQ(runEverywhere(inputs, {pushed}, {yes, Tensor(7), {1, 2}, {5}, {1, 10}}), (List{2, 40}));
  EXPECT_EQ(runEverywhere(inputs, {pushed}, {no, Tensor(1), {1, 2}, {5}, {1, 10}}), (List{50}));
  expectRuns(inputs, {pushed}, {yes, Tensor(7), {1, 2}, {5}, {1, 10}}, {1, 1});
  expectRuns(inputs, {pushed}, {no, Tensor(1), {1, 2}, {5}, {1, 10}}, {0, 0});
  Variable both = pushforward(Variables{ifElse(c, x, y)}, {x, y}, {dx, y})[0];
  EXPECT_EQ(runEverywhere({c, x, y, dx}, {both}, {no, {1}, {3, 4}, {2}}), (List{3, 4}));
  Variable neither = pushforward(ifElse(c, zeroGrad(x), y), x, dx);
  EXPECT_EQ(runEverywhere({c, x, y, dx}, {neither}, {yes, {1, 1}, {3, 4}, {2, 2}}), (List{0, 0}));
}

// F-330, F-332
TEST_F(IfElseGradient, WithinLoops) {
  // Steps with t < 2 take sqr, the others an element that is not there.
  Variable all = scan(
                     [&](const Variables &a) {
                       return ifElse(lt(a[0], i), sqr(counting(a[1])), x[a[0] + 5] * a[1]);
                     },
                     {.sequences = {arange(3)}, .outputs = {dscalar("s")}})
                     .outputs[0];
  Variable s = graphInputs({all})[0];
  for (const Variable &v : graphInputs({all}))
    if (v.name() == "s")
      s = v;
  Variable slope = grad(all[-1], s);
  EXPECT_EQ(runEverywhere({i, x, s}, {slope}, {Tensor(3), {1}, 1.0}), (List{8}));
  EXPECT_EQ(runEverywhere({i, x, s}, {slope}, {Tensor(0), {0, 0, 0, 0, 0, 2, 2, 2}, 1.0}),
            (List{8}));
  expectRuns({i, x, s}, {slope}, {Tensor(0), {0, 0, 0, 0, 0, 2, 2, 2}, 1.0}, {0, 0});
  // A loop within a branch.
  Variable power = scan([](const Variables &a) { return a[0] * a[1]; },
                        {.outputs = {s}, .nonSequences = {s}, .numSteps = i})
                       .outputs[0][-1];
  Variable cost = ifElse(c, power, s * 2.0);
  EXPECT_EQ(runEverywhere({c, i, s}, {grad(cost, s)}, {yes, Tensor(2), 2.0}), (List{12}));
  EXPECT_EQ(runEverywhere({c, i, s}, {grad(cost, s)}, {no, Tensor(-3), 2.0}), (List{2}));
}

// F-330: what is the same in all steps leaves the loop, but not the branch.
TEST_F(IfElseGradient, OfInvariantsWithinLoops) {
  Variable z =
      map([&](const Variables &a) { return ifElse(gt(a[0], 0), a[0], take(y, 7) * a[0]); }, {x});
  EXPECT_EQ(runEverywhere({x, y}, {z, grad(z.sum(), x)}, {{1, 2}, {3}}), (List{1, 2, 1, 1}));
  Variable wide =
      map([&](const Variables &a) { return ifElse(c, a[0], exp(counting(y)).sum()); }, {x});
  expectRuns({c, x, y}, {wide}, {yes, {1, 2}, {3}}, {0, 0});
}

TEST_F(IfElseGradient, WithinOpsOfGraphs) {
  for (Inline inlined : {Inline::No, Inline::Yes}) {
    OpFromGraph op({c, i, x, y}, {ifElse(c, sqr(counting(x)), take(y, i) * x)},
                   {.inlined = inlined});
    Variables g = grad(op(c, i, x, y).sum(), Variables{x, y});
    EXPECT_EQ(runEverywhere({c, i, x, y}, g, {yes, Tensor(7), {1, 2}, {5}}), (List{2, 4, 0}));
    EXPECT_EQ(runEverywhere({c, i, x, y}, g, {no, Tensor(0), {1, 2}, {5}}), (List{5, 5, 3}));
    expectRuns({c, i, x, y}, g, {no, Tensor(0), {1, 2}, {5}}, {0, 0});
  }
}

// F-295, F-332: within a switch, and around one.
TEST_F(IfElseGradient, MasksGoThroughBranches) {
  Variable root = ifElse(c, where(gt(x, 0), sqrt(x), 0.0), y).sum();
  Variable v = sqrt(x); // infinite slopes at 0 meet zeros only
  Variable outer = where(gt(x, 0), ifElse(c, v, ifElse(d, v * 2.0, v)), 0.0).sum();
  // Of a Variable that one branch needs and something else, nothing arrives from the other one.
  Variable leaf = ifElse(c, v, Tensor({1.0})).sum() + ifElse(d, v[0], 0.0);
  for (const char *mode : {"interpreter", "fast_run", "fast_compile", "strict", "debug"}) {
    auto at = [&](const Variable &cost, const Tensor &first, const Tensor &values) {
      return valuesOf(made(function({c, d, x, y}, {grad(cost, x)},
                                    {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}))
                          .call({first, yes, values, {1}}));
    };
    EXPECT_EQ(at(root, yes, {4, 0}), (List{0.25, 0})) << mode;
    EXPECT_EQ(at(root, no, {4, 0}), (List{0, 0})) << mode;
    EXPECT_EQ(at(outer, yes, {4, 0}), (List{0.25, 0})) << mode;
    EXPECT_EQ(at(outer, no, {4, 0}), (List{0.5, 0})) << mode;
    EXPECT_EQ(at(leaf, no, {4}), (List{0.25})) << mode;
  }
  Function none = made(function({c, d, x}, {grad(leaf, x)}));
  EXPECT_EQ(valuesOf(none.call({no, no, {0}})), (List{0}));
}

// The gradient with respect to what stands in a branch itself.
TEST_F(IfElseGradient, OfAVariableWithinABranch) {
  Variable h = x * 2.0, cost = ifElse(c, sqr(h).sum(), y.sum());
  Variables g = grad(cost, Variables{h, x});
  EXPECT_EQ(runEverywhere({c, x, y}, g, {yes, {1, 2}, {5}}), (List{4, 8, 8, 16}));
  EXPECT_EQ(runEverywhere({c, x, y}, g, {no, {1, 2}, {5}}), (List{0, 0, 0, 0}));
}

TEST_F(IfElseGradient, OfALongLadderIsLinear) {
  Variable z = x;
  for (int k = 0; k < 3000; ++k)
    z = ifElse(eq(c, k), sin(x) + k, z + 1.0);
  EXPECT_TRUE(grad(z.sum(), x).ok());
}

} // namespace
} // namespace graphc
