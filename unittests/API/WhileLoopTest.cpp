//===- WhileLoopTest.cpp - loops whose end is a question -------------------===//
//
// Numbers follow by hand from the values beside them.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "Calls.h"
#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using List = std::vector<double>;
using V = const Variables &;

const char *const kModes[] = {"interpreter", "fast_run", "fast_compile", "strict", "debug"};

/// What f(inputs) = outputs gives at `values`: in every mode the same.
List run(V inputs, V outputs, const std::vector<Tensor> &values) {
  std::optional<List> first;
  for (const char *mode : kModes) {
    Function f =
        made(function(inputs, outputs, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}));
    List now = valuesOf(f.call(values));
    if (first)
      EXPECT_EQ(now, *first) << mode;
    first = now;
  }
  return *first;
}

class WhileLoop : public ::testing::Test {
protected:
  Variable x = dvector("x"), a = dscalar("a"), n = lscalar("n"), m = lscalar("m");
  /// a, doubled while it is below 100, and how often.
  Variables doubled(const WhileOptions &options = {}) const {
    return whileLoop([](V s) { return lt(s[0], 100.0); },
                     [](V s) { return Variables{s[0] * 2.0, s[1] + int64_t(1)}; }, {a, int64_t(0)},
                     options)
        .outputs;
  }
};

TEST_F(WhileLoop, AsksBeforeEachStep) {
  EXPECT_EQ(run({a}, doubled(), {Tensor(3.0)}), (List{192, 6}));
  EXPECT_EQ(run({a}, doubled(), {Tensor(50.0)}), (List{100, 1}));
  EXPECT_EQ(run({a}, doubled(), {Tensor(100.0)}), (List{100, 0}));
  // Euclid's algorithm.
  Variable gcd = whileLoop([](V s) { return neq(s[1], int64_t(0)); },
                           [](V s) { return Variables{s[1], s[0] % s[1]}; }, {n, m})
                     .outputs[0];
  EXPECT_EQ(run({n, m}, {gcd}, {Tensor(1071), Tensor(462)}), List{21});
  EXPECT_EQ(run({n, m}, {gcd}, {Tensor(7), Tensor(0)}), List{7});
  // Numbers have the dtype that the step gives, and the first question sees them in it: the f32
  // next to 0.1 is above it.
  Variable start = fscalar("start");
  Variables narrow =
      whileLoop([](V s) { return gt(cast(s[0], DType::Float64), 0.1); },
                [&](V s) { return cast(s[0], DType::Float32) * 0.5f + start; }, {0.1})
          .outputs;
  EXPECT_EQ(narrow[0].dtype(), DType::Float32);
  EXPECT_EQ(run({start}, narrow, {Tensor(0.0f)}), List{double(0.1f * 0.5f)});
  // NaN is not 0.
  Variable nan =
      whileLoop([](V s) { return s[0]; }, [](V) { return constant(0.0); }, {a}).outputs[0];
  EXPECT_EQ(run({a}, {nan}, {Tensor(std::nan(""))}), List{0});
}

TEST_F(WhileLoop, EndsAtABound) {
  WhileOptions atMost{.maxSteps = Operand(n)};
  EXPECT_EQ(run({a, n}, doubled(atMost), {Tensor(3.0), Tensor(2)}), (List{12, 2}));
  EXPECT_EQ(run({a, n}, doubled(atMost), {Tensor(3.0), Tensor(20)}), (List{192, 6}));
  EXPECT_EQ(run({a, n}, doubled(atMost), {Tensor(3.0), Tensor(0)}), (List{3, 0}));
  EXPECT_EQ(errorKind(made(function({a, n}, OutputList(doubled(atMost))))
                          .call({Tensor(3.0), Tensor(-1)})
                          .status()),
            ErrorKind::ValueError);
  Variable until = whileLoop([](V s) { return lt(s[0], 100.0); },
                             [](V s) { return ScanStep({s[0] * 2.0}, {}, gt(s[0], 10.0)); }, {a})
                       .outputs[0];
  EXPECT_EQ(run({a}, {until}, {Tensor(3.0)}), List{24});
}

// What a step reads besides is captured; the condition sees what a step made of shared variables.
TEST_F(WhileLoop, CapturesAndUpdates) {
  SharedVariable left = shared(Tensor(int64_t(3)), "left");
  ScanResult r =
      whileLoop([&](V) { return gt(left, int64_t(0)); },
                [&](V s) { return ScanStep({s[0] + x * a}, {{left, left - int64_t(1)}}); }, {x});
  Function f = made(function({x, a}, OutputList(r.outputs), {.updates = r.updates}));
  EXPECT_EQ(valuesOf(f.call({Tensor({1.0, 2.0}), Tensor(10.0)})), (List{31, 62}));
  EXPECT_EQ(valuesOf(f.call({Tensor({1.0, 2.0}), Tensor(10.0)})), (List{1, 2}));
}

// States that read a shared variable are those that the step made, with its value before the
// update: 3, 3 + 1, 3 + 1 + 2, ... to 13, which is the first one above 9.
TEST_F(WhileLoop, TheConditionSeesStatesAsTheyWereMade) {
  SharedVariable s = shared(Tensor(1.0), "s");
  ScanResult r = whileLoop([](V now) { return le(now[0], 9.0); },
                           [&](V now) { return ScanStep({now[0] + s}, {{s, s + 1.0}}); }, {a});
  Function f = made(function({a}, OutputList(r.outputs), {.updates = r.updates}));
  EXPECT_EQ(valuesOf(f.call({Tensor(3.0)})), List{13});
  EXPECT_EQ(s.get().item<double>(), 5);
}

// Newton's iteration for the square root: d/da sqrt(a) = 1 / (2 sqrt(a)) where it has converged.
TEST_F(WhileLoop, Derivatives) {
  Variable root = whileLoop([&](V s) { return gt(abs(s[0] * s[0] - a), 1e-12); },
                            [&](V s) { return 0.5 * (s[0] + a / s[0]); }, {1.0})
                      .outputs[0];
  Function f = made(function({a}, {root, grad(root, a), grad(grad(root, a), a)}));
  const List values = valuesOf(f.call({Tensor(2.0)}));
  EXPECT_NEAR(values[0], std::sqrt(2), 1e-11);
  EXPECT_NEAR(values[1], 0.5 / std::sqrt(2), 1e-6);
  EXPECT_NEAR(values[2], -0.25 / std::sqrt(8), 1e-4);
  // Six doublings, or none.
  const Variable twice = doubled()[0];
  EXPECT_EQ(run({a}, {grad(twice, a)}, {Tensor(3.0)}), List{64});
  EXPECT_EQ(run({a}, {grad(twice, a)}, {Tensor(300.0)}), List{1});
  Variable forward = pushforward(twice, a, constant(1.0));
  EXPECT_EQ(run({a}, {forward}, {Tensor(3.0)}), List{64});
  Variable sums =
      whileLoop([](V s) { return lt(sum(s[0]), 10.0); }, [&](V s) { return s[0] * a + x; }, {x})
          .outputs[0]; // (1, 1), (3, 3), (7, 7) for a = 2
  EXPECT_EQ(run({x, a}, {sums, grad(sum(sums), x), grad(sum(sums), a)},
                {Tensor({1.0, 1.0}), Tensor(2.0)}),
            (List{7, 7, 7, 7, 10})); // (a a + a + 1) x
}

TEST_F(WhileLoop, Mistakes) {
  auto step = [](V s) { return s[0] * 2.0; };
  auto message = [](const ScanResult &r) { return std::string(r.outputs[0].status().message()); };
  EXPECT_EQ(message(whileLoop([](V s) { return lt(s[0], 1.0); }, step, {x})),
            "whileLoop: the condition is i1[?], and must be one number");
  EXPECT_EQ(errorKind(whileLoop([](V s) { return lt(s[0], 1.0); }, step, {x}).outputs[0].status()),
            ErrorKind::TypeError);
  EXPECT_EQ(message(whileLoop([](V s) { return lt(s[0], 1.0); }, step, {a, a})),
            "whileLoop: the step gives 1 output, and there are 2 outputs in the options");
  EXPECT_EQ(message(whileLoop([](V) { return constant(1); }, [](V) { return Variables{}; }, {})),
            "whileLoop: the step gives nothing");
  EXPECT_EQ(message(whileLoop([](V s) { return lt(s[0], 1.0); }, step, {a},
                              {.maxSteps = Operand(a), .name = "search"})),
            "search: numSteps is f64, and must be one integer");
  EXPECT_EQ(
      message(whileLoop([this](V s) { return lt(s[0], a); }, step, {1.0}, {.strict = true})),
      "whileLoop: the step reads a: f64, which is no argument: list it in nonSequences, or let "
      "it be captured (strict = false)");
}

} // namespace
} // namespace graphc
