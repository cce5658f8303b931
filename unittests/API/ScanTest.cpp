//===- ScanTest.cpp - loops -------------------------------------------------===//
//
// Numbers follow by hand from the values beside them, or are those of docs/Semantics.md; longer
// ones are compared with the same steps written one after the other.
//
//===----------------------------------------------------------------------===//
#include "graphc/Scan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "Choices.h"
#include "Messages.h"
#include "Runtime/TestData.h"
#include "graphc/ControlFlow.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using V = const Variables &;

const char *const kModes[] = {"interpreter", "fast_run", "fast_compile", "strict", "debug"};

List run(V inputs, V outputs, const std::vector<Tensor> &values) {
  return runEverywhere(inputs, outputs, values, kModes);
}

absl::Status failure(V inputs, const Variable &output, const std::vector<Tensor> &values,
                     const char *mode) {
  Function f =
      made(function(inputs, {output}, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}));
  return f.call(values).status();
}

class Scan : public ::testing::Test {
protected:
  Variable x = dvector("x"), y = dvector("y"), k = dscalar("k"), n = lscalar("n");
};

// F-312
TEST_F(Scan, GivesAllValues) {
  ScanResult power =
      scan([](V a) { return a[0] * a[1]; }, {.outputs = {1.0}, .nonSequences = {k}, .numSteps = n});
  EXPECT_EQ(run({k, n}, power.outputs, {Tensor(2.0), Tensor(4)}), (List{2, 4, 8, 16}));
  EXPECT_EQ(power.outputs[0].type(), Type(DType::Float64, {kDynamic}));
  EXPECT_TRUE(power.updates.empty());
  Variable sums =
      scan([](V a) { return a[0] + a[1]; }, {.sequences = {x}, .outputs = {0.0}}).outputs[0];
  EXPECT_EQ(run({x}, {sums}, {{1, 2, 3}}), (List{1, 3, 6}));
}

// F-313
TEST_F(Scan, ArgumentsAreSequencesStatesNonSequences) {
  ScanResult r = scan(
      [](V a) {
        EXPECT_EQ(a.size(), 6u);
        return a[0] * 1e5 + a[1] * 1e4 + a[2] * 1e3 + a[3] * 100 + a[4] * 10 + a[5];
      },
      {.sequences = {{x, {0, 1}}, y},
       .outputs = {ScanOutput(dvector("h"), {-2, -1})},
       .nonSequences = {k}});
  Variable h = r.outputs[0].owner().input(2);
  EXPECT_EQ(run({x, y, h, k}, r.outputs, {{1, 2}, {3}, {4, 5}, Tensor(6.0)}), (List{123456}));
}

// F-314
TEST_F(Scan, TapsOfSequences) {
  for (std::vector<int> taps : {std::vector<int>{-1, 0}, {0, 1}}) {
    Variable pairs = map([](V a) { return a[0] * 10 + a[1]; }, {{x, taps}});
    EXPECT_EQ(run({x}, {pairs}, {{1, 2, 3}}), (List{12, 23}));
  }
  EXPECT_EQ(run({x}, {map([](V a) { return a[0]; }, {{x, {1}}})}, {{1, 2, 3}}), (List{2, 3}));
  EXPECT_EQ(run({x}, {map([](V a) { return a[0]; }, {{x, {-1}}})}, {{1, 2, 3}}), (List{1, 2}));
  Variable shortest = map([](V a) { return a[0] + a[1]; }, {x, y});
  EXPECT_EQ(run({x, y}, {shortest}, {{1, 2, 3}, {10, 20}}), (List{11, 22}));
  EXPECT_EQ(run({x}, {map([](V a) { return a[0] + a[1]; }, {{x, {0, 5}}})}, {{1, 2}}), List());
}

// F-315
TEST_F(Scan, StepsThatSequencesDoNotHave) {
  Variable some = scan([](V a) { return a[0] * 2; }, {.sequences = {x}, .numSteps = n}).outputs[0];
  EXPECT_EQ(run({x, n}, {some}, {{1, 2, 3}, Tensor(2)}), (List{2, 4}));
  for (const char *mode : kModes) {
    EXPECT_EQ(firstLine(failure({x, n}, some, {{1, 2, 3}, Tensor(4)}, mode)),
              "ValueError: scan: there are 4 steps, and sequence 0 `x` is enough for 3");
    EXPECT_EQ(firstLine(failure({x, n}, some, {{1, 2, 3}, Tensor(-1)}, mode)),
              "ValueError: scan: the number of steps is -1, which is negative; goBackwards reads "
              "sequences from their ends");
  }
  auto same = [](V a) { return a[0]; };
  expectMessages(
      {{scan(same, {.outputs = {1.0}}).outputs[0].status(),
        "ValueError: scan: nothing says how many steps there are: give a sequence, or numSteps"},
       {scan(same, {.outputs = {1.0}, .numSteps = x}).outputs[0].status(),
        "TypeError: scan: numSteps is f64[?], and must be one integer"},
       {scan(same, {.sequences = {k}}).outputs[0].status(),
        "ValueError: scan: sequence 0 `k` is f64 with 1 tap: it needs a first axis, and a tap"},
       {scan([](V) { return Variables(); }, {.sequences = {x}}).outputs[0].status(),
        "ValueError: scan: the step gives nothing"},
       {scan(same, {.sequences = {x}, .outputs = {ScanOutput::none(), ScanOutput::none()}})
            .outputs[1]
            .status(),
        "ValueError: scan: the step gives 1 output, and there are 2 outputs in the options"}});
}

// F-316
TEST_F(Scan, HistoriesOfStates) {
  auto fibonacci = [](V a) { return a[0] + a[1]; };
  Variable f = scan(fibonacci, {.outputs = {ScanOutput(x, {-2, -1})}, .numSteps = n}).outputs[0];
  EXPECT_EQ(run({x, n}, {f}, {{1, 1}, Tensor(5)}), (List{2, 3, 5, 8, 13}));
  Variable far =
      scan([](V a) { return a[0] + 1; }, {.outputs = {ScanOutput(x, {-3})}, .numSteps = n})
          .outputs[0];
  EXPECT_EQ(run({x, n}, {far}, {{10, 20, 30}, Tensor(4)}), (List{11, 21, 31, 12}));
  ScanResult two = scan([](V a) { return Variables{a[1] + a[0], a[0] * 10}; },
                        {.sequences = {x}, .outputs = {0.0, ScanOutput::none()}});
  EXPECT_EQ(run({x}, two.outputs, {{1, 2}}), (List{1, 3, 10, 20}));
  EXPECT_EQ(firstLine(failure({x, n}, f, {{1, 1, 1}, Tensor(5)}, "fast_run")),
            "ShapeError: scan: state 0 starts from 2 values, as its taps say, but the first axis "
            "of its initial value has 3");
  expectMessages(
      {{scan(fibonacci, {.outputs = {ScanOutput(x, {0})}, .numSteps = n}).outputs[0].status(),
        "ValueError: scan: output 0 has a tap that is not below 0, or none: steps get earlier "
        "values"},
       {scan(fibonacci, {.outputs = {ScanOutput(k, {-2, -1})}, .numSteps = n}).outputs[0].status(),
        "ValueError: scan: output 0 starts as f64, and needs a first axis for the values that "
        "its taps name"}});
}

// F-317, F-358
TEST_F(Scan, StatesKeepTheirTypes) {
  Variable f32 = fscalar("a");
  auto add = [](V a) { return a[0] + a[1]; };
  expectMessages({{scan(add, {.sequences = {x}, .outputs = {f32}}).outputs[0].status(),
                   "TypeError: scan: output 0 starts as f32, and the step makes it f64: cast "
                   "one of them"},
                  {scan(add, {.sequences = {dmatrix("m")}, .outputs = {k}}).outputs[0].status(),
                   "TypeError: scan: output 0 starts as f64, and the step makes it f64[?]: a "
                   "state keeps its rank"},
                  {scan([](V) { return zeros({3}, DType::Float64); },
                        {.outputs = {tensor(DType::Float64, {2}, "v")}, .numSteps = n})
                       .outputs[0]
                       .status(),
                   "ShapeError: scan: output 0 starts as f64[2], and the step makes it f64[3]: a "
                   "state keeps its shape"}});
  // Numbers have floatX, or the dtype that the step makes of them.
  EXPECT_EQ(run({x}, scan(add, {.sequences = {x}, .outputs = {0.0}}).outputs, {{1, 2}}),
            (List{1, 3}));
  EXPECT_EQ(run({x}, scan(add, {.sequences = {x}, .outputs = {0}}).outputs, {{1, 2}}),
            (List{1, 3}));
  Variable longer =
      scan([](V a) { return concatenate({a[0], a[0]}); }, {.outputs = {x}, .numSteps = n})
          .outputs[0];
  for (const char *mode : kModes)
    EXPECT_EQ(firstLine(failure({x, n}, longer, {{1, 2}, Tensor(2)}, mode)),
              "ShapeError: scan: step 0: state 0 was f64[2] and becomes f64[4]; states keep their "
              "shapes");
}

// F-318, F-358
TEST_F(Scan, NoSteps) {
  Variable sums =
      scan([](V a) { return a[0] + a[1]; }, {.sequences = {dmatrix("m")}, .outputs = {x}})
          .outputs[0];
  Variable m = sums.owner().input(0);
  Function f = made(function({m, x}, {sums}));
  absl::StatusOr<Results> none = f.call({*Tensor::zeros(DType::Float64, {0, 2}), {1, 2}});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ((*none)[0].shape(), (std::vector<int64_t>{0, 2}));
  for (const char *mode : kModes)
    EXPECT_EQ(errorKind(failure({m, x}, sums[-1], {*Tensor::zeros(DType::Float64, {0, 2}), {1, 2}},
                                mode)),
              ErrorKind::IndexError);
}

// F-319
TEST_F(Scan, UntilItEnds) {
  ScanResult r = scan(
      [&](V a) {
        Variable next = a[0] * 2;
        return ScanStep({next}, {}, gt(next, k));
      },
      {.outputs = {1.0}, .numSteps = 20});
  EXPECT_EQ(run({k}, r.outputs, {Tensor(10.0)}), (List{2, 4, 8, 16}));
  EXPECT_EQ(run({k}, {r.outputs[0].shape()[0]}, {Tensor(1e9)}), (List{20}));
  EXPECT_EQ(run({k}, {r.outputs[0][-1]}, {Tensor(100.0)}), (List{128}));
  ScanResult none =
      scan([&](V a) { return ScanStep({a[0] * 3}, {}, lt(a[0], 0)); }, {.sequences = {x}});
  EXPECT_EQ(run({x}, none.outputs, {{1, -2, 3}}), (List{3, -6}));
  EXPECT_EQ(scan([](V a) { return ScanStep({a[0]}, {}, a[0]); }, {.sequences = {dmatrix()}})
                .outputs[0]
                .status()
                .message(),
            "scan: until is f64[?], and must be one number");
}

// F-325: what reads last values alone is the same however much of the rest is kept.
TEST_F(Scan, LastValues) {
  auto lasts = [](const Variable &all) {
    return Variables{all[-1], all[{Slice(-1, kEnd)}], all[-1] * 2.0};
  };
  for (const Variable &values : {x, Variable(Type(DType::Float64, {3}))}) {
    auto of = [&](V step) { return lasts(step[0]); };
    auto digits = [](V a) { return a[1] * 10 + a[0]; };
    EXPECT_EQ(run({values}, of(scan(digits, {.sequences = {values}, .outputs = {0.0}}).outputs),
                  {{1, 2, 3}}),
              (List{123, 123, 246}));
    EXPECT_EQ(run({values},
                  of(scan(digits, {.sequences = {values}, .outputs = {0.0}, .goBackwards = true})
                         .outputs),
                  {{1, 2, 3}}),
              (List{321, 321, 642}));
    Variables both = scan([](V a) { return Variables{a[0] + a[1], a[1] + a[2]}; },
                          {.sequences = {values}, .outputs = {ScanOutput(0.0), ScanOutput(1.0)}})
                         .outputs; // sums 1, 3, 6; what the second adds is the first, before it
    EXPECT_EQ(run({values}, {both[1][-1]}, {{1, 2, 3}}), (List{1 + 0 + 1 + 3}));
    EXPECT_EQ(run({values}, {both[1][-1], both[0]}, {{1, 2, 3}}), (List{5, 1, 3, 6}));
  }
  Variable fibonacci =
      scan([&](V a) { return ScanStep({a[0] + a[1]}, {}, gt(a[0] + a[1], k)); },
           {.outputs = {ScanOutput(Tensor({1.0, 1.0}), {-2, -1})}, .numSteps = Operand(n)})
          .outputs[0];
  EXPECT_EQ(run({n, k}, lasts(fibonacci), {Tensor(100), Tensor(60.0)}), (List{89, 89, 178}));
  EXPECT_EQ(run({n, k}, lasts(fibonacci), {Tensor(3), Tensor(60.0)}), (List{5, 5, 10}));
  EXPECT_EQ(run({n, k}, {fibonacci[{Slice(-1, kEnd)}]}, {Tensor(0), Tensor(60.0)}), List{});
  const std::string rest = "subtensor: index -1 is out of range for axis 0 with 0 elements\n";
  for (const char *mode : kModes) {
    absl::Status none = failure({n, k}, fibonacci[-1], {Tensor(0), Tensor(60.0)}, mode);
    EXPECT_EQ(errorKind(none), ErrorKind::IndexError) << mode;
    EXPECT_EQ(none.message().substr(0, rest.size()), rest) << mode << none;
    EXPECT_EQ(errorKind(failure({n, k}, fibonacci[-1], {Tensor(-1), Tensor(60.0)}, mode)),
              ErrorKind::ValueError)
        << mode;
  }
  // Rows of it, and the other axes.
  Variable m = dmatrix("m");
  Variable sums =
      scan([](V a) { return a[0] + a[1]; }, {.sequences = {m}, .outputs = {ScanOutput(x)}})
          .outputs[0];
  const std::vector<Tensor> given = {*Tensor({1.0, 2.0, 3.0, 4.0}).reshape({2, 2}), {10, 20}};
  EXPECT_EQ(run({m, x}, {sums[-1][1], subtensor(sums, {-1, Slice(0, 1)})}, given), (List{26, 14}));
  EXPECT_EQ(run({m, x}, {sums[-1][-2], grad(sum(sqr(sums[-1])), m)}, given),
            (List{14, 28, 52, 28, 52}));
}

// F-320
TEST_F(Scan, Backwards) {
  ScanOptions options{.sequences = {x}, .outputs = {0.0}, .goBackwards = true};
  auto digits = [](V a) { return a[1] * 10 + a[0]; };
  EXPECT_EQ(run({x}, scan(digits, options).outputs, {{1, 2, 3}}), (List{3, 32, 321}));
  options.numSteps = 2;
  EXPECT_EQ(run({x}, scan(digits, options).outputs, {{1, 2, 3}}), (List{3, 32}));
  Variable pairs =
      scan([](V a) { return a[0] * 10 + a[1]; }, {.sequences = {{x, {0, 1}}}, .goBackwards = true})
          .outputs[0];
  EXPECT_EQ(run({x}, {pairs}, {{1, 2, 3}}), (List{23, 12}));
}

// F-321
TEST_F(Scan, UpdatesSharedVariables) {
  SharedVariable s = shared(Tensor(1.0), "s");
  ScanResult r = scan([&](V) { return ScanStep({s * 10}, {{s, s + 1}}); }, {.numSteps = n});
  for (const char *mode : kModes) {
    ASSERT_TRUE(s.set(Tensor(1.0)).ok());
    Function plain = made(function({n}, r.outputs, {.mode = mode}));
    EXPECT_EQ(valuesOf(plain.call({Tensor(3)})), (List{10, 20, 30}));
    EXPECT_EQ(s.get().item<double>(), 1);
    Function f = made(function({n}, r.outputs, {.mode = mode, .updates = r.updates}));
    EXPECT_EQ(valuesOf(f.call({Tensor(3)})), (List{10, 20, 30}));
    EXPECT_EQ(s.get().item<double>(), 4);
    EXPECT_EQ(valuesOf(f.call({Tensor(0)})), List());
    EXPECT_EQ(s.get().item<double>(), 4);
  }
  auto updating = [&](const Variable &what, const Variable &by) {
    return scan([&](V a) { return ScanStep({a[0]}, {{what, by}}); }, {.sequences = {x}})
        .outputs[0]
        .status();
  };
  expectMessages({{updating(k, k), "TypeError: scan: the step updates k: f64, which is no "
                                   "shared variable"},
                  {updating(s, x), "TypeError: scan: the step updates s: f64 by f64[?]: cast "
                                   "it"}});
}

// F-322
TEST_F(Scan, Captures) {
  SharedVariable s = shared(Tensor(10.0), "s");
  auto step = [&](V a) { return a[0] * s + exp(k) * 0 + k; };
  EXPECT_EQ(run({x, k}, scan(step, {.sequences = {x}}).outputs, {{1, 2}, Tensor(3.0)}),
            (List{13, 23}));
  expectMessages({{scan(step, {.sequences = {x}, .strict = true}).outputs[0].status(),
                   "MissingInput: scan: the step reads s: f64, k: f64, which is no argument: "
                   "list it in nonSequences, or let it be captured (strict = false)"}});
  EXPECT_TRUE(
      scan(step, {.sequences = {x}, .nonSequences = {k, s}, .strict = true}).outputs[0].ok());
}

// What a step was called with says where its loop is, when it gets out of it.
TEST_F(Scan, ArgumentsAreOfTheLoopsLine) {
  Variables kept;
  auto step = [&](V a) {
    kept = a;
    return ScanStep(a[0] + a[1]);
  };
  (void)scan(step, {.sequences = {Variable(x.type())}, .outputs = {0.0}});
  ASSERT_EQ(kept.size(), 2u);
  for (const Variable &argument : kept) {
    absl::Status status = function({}, argument).status();
    EXPECT_EQ(errorKind(status), ErrorKind::MissingInput);
    EXPECT_NE(said(status).find("ScanTest.cpp"), std::string::npos) << said(status);
  }
}

// F-323
TEST_F(Scan, GradientThroughTime) {
  for (int64_t truncation : {-1, 2, 1}) {
    Variable last =
        scan([](V a) { return a[0] * a[1]; },
             {.outputs = {1.0}, .nonSequences = {k}, .numSteps = 4, .truncateGradient = truncation})
            .outputs[0][-1];
    double expected = truncation == -1 ? 32 : truncation == 2 ? 16 : 8;
    EXPECT_EQ(run({k}, {grad(last, k)}, {Tensor(2.0)}), (List{expected})) << truncation;
  }
  // Of h_t = a * h_{t-1} + x_t, 3 steps: dh3/dx = a^2, a, 1; dh3/dh0 = a^3.
  Variable h0 = dscalar("h0");
  Variable h = scan([](V a) { return a[2] * a[1] + a[0]; },
                    {.sequences = {x}, .outputs = {h0}, .nonSequences = {k}})
                   .outputs[0][-1];
  EXPECT_EQ(run({x, h0, k}, grad(h, Variables{x, h0, k}), {{1, 1, 1}, Tensor(1.0), Tensor(2.0)}),
            (List{4, 2, 1, 8, 17})); // 3 h0 a^2 + 2 a x1 + x2
}

/// A loop, and the same steps without one, for inputs x of 5 elements and k: equal first and second
/// derivatives, and tangents.
void expectDerivatives(const std::function<Variable(V)> &loop,
                       const std::function<Variable(V)> &flat, const std::string &what) {
  Variable x = tensor(DType::Float64, {5}, "x"), k = dscalar("k");
  Variable dx = tensor(DType::Float64, {5}, "dx"), dk = dscalar("dk");
  auto all = [&](const Variable &cost) {
    Variables g = grad(cost, Variables{x, k});
    Variable mixed = (g[0] * g[0]).sum() + g[1] * g[1];
    Variables second = grad(mixed, Variables{x, k});
    Variable tangent = pushforward(Variables{cost}, {x, k}, {dx, dk})[0];
    return Variables{cost, g[0], g[1], second[0], second[1], tangent};
  };
  std::vector<Tensor> values = {
      {0.5, -0.3, 0.8, 0.1, -0.6}, Tensor(0.7), {1, 2, -1, 0.5, 1}, Tensor(0.25)};
  for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) {
    Function f = made(function({x, k, dx, dk}, all(loop({x, k})), {.mode = mode}));
    Function g = made(function({x, k, dx, dk}, all(flat({x, k})), {.mode = mode}));
    List got = valuesOf(f.call(values)), wanted = valuesOf(g.call(values));
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (size_t i = 0; i < got.size(); ++i) // below 1000 roundings, of terms of one size
      EXPECT_NEAR(got[i], wanted[i], 1e-13 * std::max(1.0, std::fabs(wanted[i])))
          << what << " " << mode << " " << i;
  }
}

// F-324
TEST_F(Scan, DerivativesOfAnyOrder) {
  auto step = [](const Variable &x, const Variable &h, const Variable &k) {
    return tanh(h * k + x * x);
  };
  expectDerivatives(
      [&](V in) {
        Variable all = scan([&](V a) { return step(a[0], a[1], a[2]); },
                            {.sequences = {in[0]}, .outputs = {0.3}, .nonSequences = {in[1]}})
                           .outputs[0];
        return (all * all).sum();
      },
      [&](V in) {
        Variable h = constant(0.3), sum = constant(0.0);
        for (int t = 0; t < 5; ++t) {
          h = step(in[0][t], h, in[1]);
          sum = sum + h * h;
        }
        return sum;
      },
      "one state");
  for (bool backwards : {false, true}) { // 3 of 5 steps, with matrices
    auto parts = [](V in) {
      Variable ends = in[0][{Slice(0, 2)}];
      return Variables{outer(in[0], ends), outer(ends, in[0][{Slice(3, 5)}]) * in[1]};
    };
    expectDerivatives(
        [&](V in) {
          Variables p = parts(in);
          Variable all =
              scan([&](V a) { return tanh(dot(a[1], p[1]) + dot(a[0] * in[1], p[1].T())); },
                   {.sequences = {p[0]},
                    .outputs = {in[0][{Slice(1, 3)}]},
                    .numSteps = 3,
                    .goBackwards = backwards})
                  .outputs[0];
          return (all * all).sum();
        },
        [&](V in) {
          Variables p = parts(in);
          Variable h = in[0][{Slice(1, 3)}], sum = constant(0.0);
          for (int t = 0; t < 3; ++t) {
            h = tanh(dot(h, p[1]) + dot(p[0][backwards ? 4 - t : t] * in[1], p[1].T()));
            sum = sum + (h * h).sum();
          }
          return sum;
        },
        "products");
  }
  expectDerivatives(
      [&](V in) { // x's first two elements are the history
        ScanResult r = scan(
            [&](V a) {
              Variable h = sin(a[0] * a[1]) + a[2] * a[3];
              return Variables{h, h * a[1]};
            },
            {.sequences = {{in[0], {0, 2}}},
             .outputs = {ScanOutput(in[0][{Slice(0, 2)}], {-2, -1}), ScanOutput::none()},
             .goBackwards = true});
        return (r.outputs[0] * in[1]).sum() + (r.outputs[1] * r.outputs[1]).sum();
      },
      [&](V in) {
        Variables h = {in[0][0], in[0][1]};
        Variable sum = constant(0.0);
        for (int t = 0; t < 3; ++t) {
          Variable first = in[0][2 - t], second = in[0][4 - t];
          Variable next = sin(first * second) + h[size_t(t)] * h[size_t(t) + 1];
          sum = sum + next * in[1] + sqr(next * second);
          h.push_back(next);
        }
        return sum;
      },
      "taps backwards, and a map");
  expectDerivatives(
      [&](V in) {
        Variable all = scan(
                           [&](V a) {
                             Variable h = a[1] * in[1] + exp(a[0]);
                             return ScanStep({h}, {}, gt(h, 2.5));
                           },
                           {.sequences = {in[0]}, .outputs = {0.3}})
                           .outputs[0];
        return sqr(all).sum();
      },
      [&](V in) { // exp(0.5) + ... = 1.86, 2.04, 3.65
        Variable h = constant(0.3), sum = constant(0.0);
        for (int t = 0; t < 3; ++t) {
          h = h * in[1] + exp(in[0][t]);
          sum = sum + sqr(h);
        }
        return sum;
      },
      "until");
  expectDerivatives(
      [&](V in) {
        Variable outer = scan(
                             [&](V a) {
                               Variable inner = scan([](V b) { return b[1] * b[0] + sin(b[0]); },
                                                     {.sequences = {in[0]}, .outputs = {a[0]}})
                                                    .outputs[0];
                               return inner.sum() * in[1];
                             },
                             {.outputs = {0.2}, .numSteps = 2})
                             .outputs[0];
        return sqr(outer).sum();
      },
      [&](V in) {
        Variable h = constant(0.2), sum = constant(0.0);
        for (int t = 0; t < 2; ++t) {
          Variable inner = h, total = constant(0.0);
          for (int i = 0; i < 5; ++i) {
            inner = inner * in[0][i] + sin(in[0][i]);
            total = total + inner;
          }
          h = total * in[1];
          sum = sum + sqr(h);
        }
        return sum;
      },
      "nested");
  expectDerivatives(
      [&](V in) { return foldl([&](V a) { return a[1] * in[1] + sqr(a[0]); }, {in[0]}, in[1]); },
      [&](V in) {
        Variable h = in[1];
        for (int t = 0; t < 5; ++t)
          h = h * in[1] + sqr(in[0][t]);
        return h;
      },
      "foldl");
}

// F-326
TEST_F(Scan, Wrappers) {
  auto digits = [](V a) { return a[1] * 10 + a[0]; };
  EXPECT_EQ(run({x}, {foldl(digits, {x}, 0.0)}, {{1, 2, 3}}), (List{123}));
  EXPECT_EQ(run({x}, {foldr(digits, {x}, 0.0)}, {{1, 2, 3}}), (List{321}));
  EXPECT_EQ(run({x}, {reduce(digits, {x}, 0.0)}, {{1, 2, 3}}), (List{123}));
  EXPECT_EQ(run({x}, {foldl(digits, {x}, 7.0)}, {*Tensor::zeros(DType::Float64, {0})}), (List{7}));
  EXPECT_EQ(run({x}, {map([](V a) { return a[0] * a[0]; }, {x})}, {{1, 2, 3}}), (List{1, 4, 9}));
}

// F-327
TEST_F(Scan, ErrorsSayTheStep) {
  Variable i = lvector("i");
  Variable z = map([&](V a) { return take(x, a[0]); }, {i});
  EXPECT_EQ(run({x, i}, {z}, {{5, 6}, Tensor({1, 0}, DType::Int64)}), (List{6, 5}));
  for (const char *mode : kModes) {
    absl::Status status = failure({x, i}, z, {{5, 6}, Tensor({1, 7}, DType::Int64)}, mode);
    EXPECT_EQ(errorKind(status), ErrorKind::IndexError) << mode;
    EXPECT_EQ(firstLine(status).substr(0, 30), "IndexError: scan: step 1: take") << mode << status;
  }
}

TEST_F(Scan, ResultsOfOneShape) {
  Variable m = lvector("i");
  Variable rows = map([](V a) { return arange(a[0]); }, {m});
  EXPECT_EQ(run({m}, {rows}, {Tensor({2, 2}, DType::Int64)}), (List{0, 1, 0, 1}));
  EXPECT_EQ(run({m}, {rows}, {*Tensor::zeros(DType::Int64, {0})}), List());
  EXPECT_EQ(firstLine(failure({m}, rows, {Tensor({2, 3}, DType::Int64)}, "fast_run")),
            "ShapeError: scan: step 1: result 0 is i64[3], and all have the shape of the first "
            "one: i64[2,2] with the axis of steps");
}

// F-330
TEST_F(Scan, ChoicesWithinStepsAreLazy) {
  Variable z = map([&](V a) { return ifElse(gt(a[0], 0), a[0], take(y, 7)); }, {x});
  EXPECT_EQ(errorKind(failure({x, y}, z, {{1, -2}, {3}}, "fast_run")), ErrorKind::IndexError);
  Variable i = lvector("i");
  Variable safe = map([&](V a) { return ifElse(lt(a[0], 2), take(y, a[0]), -1.0); }, {i});
  EXPECT_EQ(run({y, i}, {safe}, {{3, 4}, Tensor({1, 7}, DType::Int64)}), (List{4, -1}));
}

TEST_F(Scan, DeepNestsAreRefused) {
  std::function<Variable(int, const Variable &)> nest = [&](int level, const Variable &v) {
    if (level == 0)
      return v + 1;
    return scan([&](V a) { return nest(level - 1, a[0]); }, {.outputs = {v}, .numSteps = 1})
        .outputs[0][0];
  };
  EXPECT_EQ(valuesOf(made(function({k}, {nest(5, k)})).call({Tensor(1.0)})), (List{2}));
  const std::string rest = "NotSupported: branches and loops stand in each other more than 64 "
                           "levels deep: choose by switch, or join some of them";
  EXPECT_EQ(said(nest(65, k).status()), rest);
  // Branches in loops count together with these, and what is taken can be read again.
  auto mixed = [&](int levels) {
    std::function<Variable(int, const Variable &)> both = [&](int level, const Variable &v) {
      if (level == 0)
        return v + 1;
      return scan(
                 [&](V a) { return ifElse(gt(a[0], 0.0), both(level - 1, a[0]), exp(a[0]) * 2.0); },
                 {.outputs = {v}, .numSteps = 1})
          .outputs[0][0];
    };
    return both(levels, k);
  };
  EXPECT_EQ(firstLine(function({k}, {mixed(33)}, {.mode = "fast_compile"}).status()), rest);
  Function f = made(function({k}, {mixed(32)}, {.mode = "fast_compile"}));
  TemporaryFile file("nests.graphc");
  ASSERT_TRUE(f.save(file.path()).ok());
  EXPECT_EQ(valuesOf(made(loadFunction(file.path())).call({Tensor(1.0)})), (List{2}));
}

TEST_F(Scan, WithinOpsOfGraphs) {
  Variable sums =
      scan([](V a) { return a[0] + a[1]; }, {.sequences = {x}, .outputs = {0.0}}).outputs[0];
  OpFromGraph op({x}, {sums});
  EXPECT_EQ(run({x, y}, {op(x) + op(y)}, {{1, 2}, {3, 4}}), (List{4, 10}));
}

} // namespace
} // namespace graphc
