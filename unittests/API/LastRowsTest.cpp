//===- LastRowsTest.cpp - loops whose results are read at their ends ------===//
//
// F-325: what reads the last rows of a loop's results alone is the same however few of them are
// kept. All rows are computed here step by step.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "Choices.h"
#include "Messages.h"
#include "Runtime/TestData.h"
#include "graphc/Export.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Profile.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using V = const Variables &;

class LastRows : public ::testing::Test {
protected:
  Variable x = dvector("x"), a = dscalar("a"), n = lscalar("n"), h0 = dvector("h0");

  /// Parts of the end of `all`, one after the other.
  static Variables endsOf(const Variable &all) {
    return {all[{Slice(-3, kEnd)}], all[{Slice(-3, -1)}], all[{Slice(kEnd, -3, -1)}],
            all[{Slice(-2, kEnd)}][{Slice(-1, kEnd)}], all[{Slice(1, kEnd)}][{Slice(-2, kEnd)}]};
  }
  static List endsOf(const List &all) {
    const auto size = int64_t(all.size());
    List made;
    auto take = [&](int64_t first, int64_t end) {
      for (int64_t i = std::max<int64_t>(first, 0); i < end; ++i)
        made.push_back(all[size_t(i)]);
    };
    take(size - 3, size);
    take(size - 3, size - 1);
    for (int64_t i = size - 1; i >= std::max<int64_t>(size - 2, 0); --i)
      made.push_back(all[size_t(i)]);
    take(size - 1, size);
    take(std::max<int64_t>(size - 2, 1), size);
    return made;
  }
};

// Steps from none to more than two rounds; states with one tap and with three, and a further
// result; an end that comes of itself.
TEST_F(LastRows, AreThoseOfAllRows) {
  Variable start(Type(DType::Float64, {3}));
  for (bool hasUntil : {false, true}) {
    Variables all =
        scan(
            [&](V in) {
              Variable next = in[1] + in[0], third = in[2] * 2.0 - in[3];
              return ScanStep({next, third, next * in[0]}, {},
                              hasUntil ? std::optional(ge(next, a)) : std::nullopt);
            },
            {.sequences = {x}, .outputs = {0.5, ScanOutput(start, {-3, -1}), ScanOutput::none()}})
            .outputs;
    for (int steps : {0, 1, 2, 3, 4, 5, 8, 9}) {
      List values, sums, thirds = {1, 2, 4}, products;
      for (int t = 0; t < steps; ++t)
        values.push_back(1 + (t * 5) % 7);
      double sum = 0.5;
      for (double value : values) {
        if (hasUntil && sum >= 20)
          break;
        sum += value;
        sums.push_back(sum);
        products.push_back(sum * value);
        thirds.push_back(2 * thirds[thirds.size() - 3] - thirds.back());
      }
      thirds.erase(thirds.begin(), thirds.begin() + 3);
      List expected;
      for (const List &list : {sums, thirds, products})
        for (double value : endsOf(list))
          expected.push_back(value);
      Variables ends;
      for (const Variable &result : all)
        for (const Variable &end : endsOf(result))
          ends.push_back(end);
      EXPECT_EQ(
          runEverywhere({x, a, start}, ends,
                        {*Tensor::fromSpan(absl::MakeConstSpan(values), {int64_t(values.size())}),
                         Tensor(20.0), Tensor({1.0, 2.0, 4.0})}),
          expected)
          << steps << " steps, until " << hasUntil;
    }
  }
}

// Of as many steps as types tell, positions from the front may be the last ones, too.
TEST_F(LastRows, PositionsOfKnownLengths) {
  Variable seven(Type(DType::Float64, {7}));
  Variables all = scan([&](V in) { return Variables{in[0] + in[1], in[0] * in[0]}; },
                       {.sequences = {seven}, .outputs = {0.0, ScanOutput::none()}})
                      .outputs;
  Variables ends;
  for (const Variable &rows : all)
    for (const Variable &end : {Variable(rows[6]), Variable(rows[5]), rows[{Slice(5, 7)}],
                                rows[{Slice(4, 100)}], rows[{Slice(-3, kEnd)}][{Slice(0, 2)}]})
      ends.push_back(end);
  EXPECT_EQ(runEverywhere({seven}, ends, {Tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0})}),
            (List{28, 21, 21, 28, 15, 21, 28, 15, 21, 49, 36, 36, 49, 25, 36, 49, 25, 36}));
}

// What is read of rows that there are not is an error as it was.
TEST_F(LastRows, OfTooFewSteps) {
  Variables all = scan([&](V in) { return Variables{in[0] + in[1], in[0] * 2.0}; },
                       {.sequences = {x}, .outputs = {0.0, ScanOutput::none()}})
                      .outputs;
  for (const char *mode : kEveryMode)
    for (const Variable &rows : all) {
      Function f = made(function({x}, {rows[-2]}, {.mode = mode}));
      EXPECT_EQ(valuesOf(f.call({Tensor({3.0, 4.0})}))[0], rows == all[0] ? 3 : 6) << mode;
      absl::Status none = f.call({Tensor({3.0})}).status();
      EXPECT_EQ(errorKind(none), ErrorKind::IndexError) << mode;
      EXPECT_THAT(std::string(none.message()),
                  ::testing::StartsWith(
                      "subtensor: index -2 is out of range for axis 0 with 1 elements\n"));
      ASSERT_TRUE(errorPlace(none)) << mode;
      EXPECT_THAT(errorPlace(none)->str(), ::testing::HasSubstr("LastRowsTest.cpp")) << mode;
    }
}

// Loops in loops, whose rows are vectors; gradients, also of the last steps alone.
TEST_F(LastRows, NestedAndDifferentiated) {
  Variable m = dmatrix("m");
  Variable inner = scan(
                       [&](V in) {
                         Variable rows = scan([](V of) { return of[0] * of[1]; },
                                              {.sequences = {in[0]},
                                               .outputs = {ScanOutput::none()},
                                               .nonSequences = {in[1]}})
                                             .outputs[0];
                         return in[1] + sum(rows[{Slice(-2, kEnd)}]);
                       },
                       {.sequences = {m}, .outputs = {1.0}})
                       .outputs[0];
  // s = 1; s += s (m[t][-2] + m[t][-1]): 1 + 5 = 6, 6 + 6 * 11 = 72, 72 + 72 * 17 = 1296.
  Variables outputs = {inner[{Slice(-2, kEnd)}], grad(inner[-1], m)[{Slice(), -1}]};
  EXPECT_EQ(runEverywhere({m}, outputs,
                          {*Tensor({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}).reshape({3, 3})}),
            (List{72, 1296, 1296 / 6.0, 1296 / 12.0, 1296 / 18.0}));
  for (int64_t truncation : {-1, 2}) {
    Variable powers =
        scan([&](V in) { return in[0] * a; },
             {.outputs = {ScanOutput(h0)}, .numSteps = Operand(n), .truncateGradient = truncation})
            .outputs[0];
    Variable slope = grad(sum(powers[{Slice(-2, kEnd)}]), a);
    // a = 2, 5 steps of 1: 4 a^3 + 5 a^4; in the last two steps a^3 twice and 2 a^4 of them.
    EXPECT_EQ(runEverywhere({n, a, h0}, {powers[{Slice(-2, kEnd)}], slope},
                            {Tensor(5), Tensor(2.0), {1}}),
              (List{16, 32, truncation < 0 ? 4 * 8.0 + 5 * 16.0 : 8 + 16 + 2 * 8.0}));
  }
}

// A sum that stands in many sums: 2^30 ways lead to its terms.
TEST_F(LastRows, OfSumsOfSums) {
  Variable all =
      scan([&](V in) { return in[0] * a; }, {.outputs = {ScanOutput(h0)}, .numSteps = Operand(n)})
          .outputs[0];
  for (int k = 0; k < 30; ++k)
    all = all + all;
  EXPECT_EQ(runEverywhere({n, a, h0}, {grad(sum(all[{Slice(-1, kEnd)}]), a)},
                          {Tensor(3), Tensor(1.0), {1}}),
            (List{3 * 0x1p30}));
}

// The gradient of the last value is that of all values times zeros, and a one in the end; after no
// steps `all[-1:]` has none, and `all[-1]` fails.
TEST_F(LastRows, GradientsOfTheEnd) {
  Variable weights = dvector("weights");
  const char *const kTwo[] = {"interpreter", "fast_run"};
  for (bool hasUntil : {false, true})
    for (int64_t truncation : {-1, 2}) {
      ScanResult r = scan(
          [&](V in) {
            Variable next = in[1] * a + in[0], other = in[2] * in[3] + in[0];
            return ScanStep({next, other, next * other}, {},
                            hasUntil ? std::optional(ge(next, a * 1e6)) : std::nullopt);
          },
          {.sequences = {x},
           .outputs = {0.5, ScanOutput(h0, {-3, -1}), ScanOutput::none()},
           .truncateGradient = truncation});
      for (int steps : {0, 1, 4}) {
        List values, ones(size_t(steps), 0.0);
        for (int t = 0; t < steps; ++t)
          values.push_back(1 + (t * 5) % 7);
        if (steps > 0)
          ones.back() = 1;
        auto tensorOf = [&](const List &list) {
          return *Tensor::fromSpan(absl::MakeConstSpan(list), {steps});
        };
        for (size_t k = 0; k < 3; ++k) {
          auto gradients = [&](const Variable &of) {
            return runEverywhere(
                {x, a, h0, weights},
                grad(of, Variables{x, a, h0}, {.disconnectedInputs = DisconnectedInputs::Ignore}),
                {tensorOf(values), Tensor(2.0), {1, 3, 2}, tensorOf(ones)}, kTwo);
          };
          const Variable &all = r.outputs[k];
          const List expected = gradients(sum(all * weights));
          EXPECT_EQ(gradients(sum(all[{Slice(-1, kEnd)}])), expected) << steps << " " << k;
          EXPECT_EQ(gradients(sum(all[{Slice(-2, kEnd)}][{Slice(-1, kEnd)}])), expected);
          if (steps > 0) {
            EXPECT_EQ(gradients(all[-1]), expected) << steps << " " << k;
          } else {
            Function f =
                made(function({x, a, h0},
                              OutputList(grad(all[-1], Variables{x, a, h0},
                                              {.disconnectedInputs = DisconnectedInputs::Ignore})),
                              {.onUnusedInput = OnUnusedInput::Ignore}));
            EXPECT_EQ(errorKind(f.call({tensorOf({}), Tensor(2.0), {1, 3, 2}}).status()),
                      ErrorKind::IndexError)
                << k;
          }
        }
      }
    }
}

// States with an axis for their history that keep their last value alone, as text has them.
TEST_F(LastRows, LastOfHistories) {
  absl::StatusOr<GraphModule> module = parseGraph(
      "func.func @main(%n: tensor<i64>, %h: tensor<2xf64>) -> tensor<f64> {\n"
      "  %0 = graph.scan @step(%n, %h) {last = [true], sequences = [], states = [[-2, -1]], steps} "
      ": (tensor<i64>, tensor<2xf64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n"
      "func.func private @step(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> {\n"
      "  %0 = graph.mul %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0 : tensor<f64>\n}\n",
      "last.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  const Variable h = module->inputs[1], last = module->outputs[0];
  EXPECT_THAT(*printGraph(*module), ::testing::HasSubstr("last = [true]"));
  auto at = [&](int steps) {
    return runEverywhere(module->inputs, {last, grad(last, h)},
                         {Tensor(int64_t(steps)), Tensor({2.0, 3.0})});
  };
  EXPECT_EQ(at(0), (List{3, 0, 1}));
  EXPECT_EQ(at(1), (List{6, 3, 2}));
  EXPECT_EQ(at(3), (List{108, 2 * 2 * 27, 4 * 3 * 9})); // 6, 18, 108 = (h0 h1) (h0 h1^2)
}

// For each slice, and in memory of other programs: saved, and in the cache.
TEST_F(LastRows, OfSlicesAndSaved) {
  Variable h = scan([&](V in) { return a * in[1] + in[0]; }, {.sequences = {x}, .outputs = {0.0}})
                   .outputs[0];
  Variables outputs = {h[{Slice(-2, kEnd)}], jacobian(h[{Slice(-2, kEnd)}], x)};
  const std::vector<Tensor> values = {Tensor({1.0, 2.0, 3.0}), Tensor(2.0)};
  const List expected = {4, 11, 2, 1, 0, 4, 2, 1};
  EXPECT_EQ(runEverywhere({x, a}, outputs, values), expected);
  Function f = made(function({x, a}, OutputList(outputs)));
  TemporaryFile file("last-rows.graphc");
  ASSERT_TRUE(f.save(file.path()).ok());
  Function again = made(loadFunction(file.path()));
  EXPECT_EQ(valuesOf(again.call(values)), expected);
}

// As much memory for ten steps as for ten thousand.
TEST_F(LastRows, NeedNoMemoryForSteps) {
  Variable start = dmatrix("start");
  auto bytesOf = [&](V outputs, int64_t steps, const Mode &mode = Mode()) {
    Function f =
        made(function({n, h0, start, a}, OutputList(outputs),
                      {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore, .profile = true}));
    Results r = f.call({Tensor(steps), *Tensor::zeros(DType::Float64, {100}),
                        *Tensor::zeros(DType::Float64, {2, 100}), Tensor(0.5)})
                    .value();
    const Profile::FunctionSummary summary = f.profile()->functions().at(0);
    EXPECT_LT(summary.resultBytes, 5 * 100 * 8);
    return summary.arenaBytes + summary.scratchBytes;
  };
  Variables all = scan(
                      [&](V in) {
                        Variable next = in[0] * a + 1.0, other = in[1] * a + in[2];
                        return ScanStep({next, other, exp(next)}, {}, isnan(in[0][0]));
                      },
                      {.outputs = {ScanOutput(h0), ScanOutput(start, {-2, -1}), ScanOutput::none()},
                       .numSteps = Operand(n)})
                      .outputs;
  for (const Variable &rows : all)
    for (const Variables &ends :
         {Variables{rows[-1]}, Variables{rows[{Slice(-1, kEnd)}]}, Variables{rows[-2]},
          Variables{rows[{Slice(-3, kEnd)}]}, Variables{rows[{Slice(kEnd, -4, -2)}]},
          Variables{rows[{Slice(-3, kEnd)}][{Slice(1, kEnd)}]},
          Variables{rows[{Slice(2, kEnd)}][-1]}, Variables{subtensor(rows, {-2, Slice(0, 7)})},
          Variables{subtensor(rows, {-1, Slice(0, 7)})}, Variables{rows[-1][3], rows[-1]},
          Variables{exp(rows * 2.0)[-2]}}) {
      EXPECT_EQ(bytesOf(ends, 10), bytesOf(ends, 10000)) << debugPrint(ends);
      EXPECT_LT(bytesOf(ends, 10), 100 * 8 * 10);
    }
  // So where the number of steps is a constant, by which a part from the front is one of the end;
  // also where no rewrite makes one part of two.
  auto partOf = [&](int steps) {
    return scan([&](V in) { return in[0] * a + 1.0; }, {.outputs = {h0}, .numSteps = steps})
        .outputs[0][{Slice(2, kEnd)}];
  };
  for (const Mode &mode : {Mode(), Mode().excluding({"subtensor_merge"})}) {
    EXPECT_EQ(bytesOf({partOf(10)[-1]}, 0, mode), bytesOf({partOf(10000)[-1]}, 0, mode));
    EXPECT_LT(bytesOf({partOf(10)[-1]}, 0, mode), 100 * 8 * 4);
  }
  // A gradient needs the states, and no gradients of the other rows, which are zero.
  Variable states =
      scan([&](V in) { return tanh(in[0] * a); }, {.outputs = {h0}, .numSteps = Operand(n)})
          .outputs[0];
  auto slopeBytes = [&](const Variable &cost) { return bytesOf({grad(sum(cost), a)}, 10000); };
  for (const Variable &end : {Variable(states[-1]), states[{Slice(-1, kEnd)}] + states[-1]})
    EXPECT_LT(slopeBytes(end) + 100 * 8 * 9000, slopeBytes(sqr(states)));
  // What other rows are read of is there as ever.
  for (const Variable &rows : all)
    EXPECT_GT(bytesOf({rows[{Slice(-2, kEnd)}], sum(sqr(rows))}, 10000), 100 * 8 * 9000);
}

// In text, which the interpreter runs as it stands, with derivatives and as an ONNX model.
TEST_F(LastRows, HaveText) {
  const char *const kText =
      "func.func @main(%n: tensor<i64>, %h: tensor<2xf64>) -> (tensor<?xf64>, tensor<?xf64>) {\n"
      "  %0:2 = graph.scan @step(%n, %h) {mapped = 1 : i64, rows = [3, 2], sequences = [], states "
      "= [[-2, -1]], steps} : (tensor<i64>, tensor<2xf64>) -> (tensor<?xf64>, tensor<?xf64>)\n"
      "  return %0#0, %0#1 : tensor<?xf64>, tensor<?xf64>\n}\n"
      "func.func private @step(%a: tensor<f64>, %b: tensor<f64>) -> (tensor<f64>, tensor<f64>) {\n"
      "  %0 = graph.add %a, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  %1 = graph.mul %b, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "  return %0, %1 : tensor<f64>, tensor<f64>\n}\n";
  absl::StatusOr<GraphModule> module = parseGraph(kText, "rows.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(*printGraph(*module), ::testing::HasSubstr("rows = [3, 2]"));
  const Variable h = module->inputs[1], rows = module->outputs[0], squares = module->outputs[1];
  Variables outputs = {rows, squares, grad(sum(rows) + sum(squares), h)};
  for (const Variable &t : pushforward({rows, squares}, {h}, {constant(Tensor({1.0, 0.0}))}))
    outputs.push_back(t);
  // 1 1 | 2 3 5 8 13; by the first one: 1 0 | 1 1 2 3 5, by the second: 0 1 | 1 2 3 5 8.
  EXPECT_EQ(runEverywhere(module->inputs, outputs, {Tensor(5), Tensor({1.0, 1.0})}),
            (List{5, 8, 13, 25, 64, 10 + 2 * 5 * 2 + 2 * 8 * 3, 16 + 2 * 5 * 3 + 2 * 8 * 5, 2, 3, 5,
                  2 * 5 * 2, 2 * 8 * 3}));
  EXPECT_EQ(runEverywhere(module->inputs, module->outputs, {Tensor(1), Tensor({1.0, 1.0})}),
            (List{2, 1}));
  TemporaryFile file("rows.onnx");
  ASSERT_TRUE(saveOnnx(*module, file.path()).ok()) << saveOnnx(*module, file.path());
  absl::StatusOr<GraphModule> again = loadOnnx(file.path());
  ASSERT_TRUE(again.ok()) << again.status();
  Function f = made(function(InputList(again->inputs), OutputList(again->outputs)));
  EXPECT_EQ(valuesOf(f.call({Tensor(5), Tensor({1.0, 1.0})})), (List{5, 8, 13, 25, 64}));
}

} // namespace
} // namespace graphc
