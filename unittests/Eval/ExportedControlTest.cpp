//===- ExportedControlTest.cpp - branches and loops as ONNX ---------------------===//
//
// Each graph is written, read again and evaluated, and so it is in ONNX Runtime
// (test/Export/onnxruntime.test).
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "Closeness.h"
#include "Eval/Evaluate.h"
#include "ExportedModel.h"
#include "graphc/Arrays.h"
#include "graphc/ControlFlow.h"
#include "graphc/Gradient.h"
#include "graphc/LinearAlgebra.h"
#include "graphc/Ops.h"
#include "graphc/Scan.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

constexpr double kRtol = 1e-12; // the same operations, in another order at most

/// The file gives what the graph does, which the caller compares with known numbers.
std::vector<Tensor> sameThroughFile(const Variables &outputs, const Variables &inputs,
                                    const std::vector<Tensor> &values) {
  TensorsOr own = evaluateLazily(outputs, inputs, values),
            file = throughFile(outputs, inputs, values);
  EXPECT_TRUE(own.ok() && file.ok()) << own.status() << file.status();
  if (!own.ok() || !file.ok())
    return {};
  std::vector<Tolerance> tolerances(own->size(), {.rtol = kRtol, .atol = kRtol});
  for (size_t k = 0; k < own->size(); ++k)
    expectClose((*file)[k], (*own)[k], tolerances[k]);
  leaveModel(outputs, inputs, values, *own, tolerances);
  return *std::move(file);
}

void expectNumbers(const Tensor &got, const Tensor &wanted) {
  expectClose(got, wanted, {.rtol = kRtol});
}

Tensor numbers(std::vector<double> list) {
  return *Tensor::fromSpan(absl::MakeConstSpan(list), {int64_t(list.size())});
}

//===--- branches ---------------------------------------------------------------------===//

/// Nodes of one branch are in that branch's graph alone: the other one may be impossible.
TEST(ExportedControl, branchesAreLazy) {
  Variable x = dvector("x"), condition = lscalar("c");
  Variable parts = reshape(x, ShapeList({2, 3})); // of 6 elements only
  Variable chosen = ifElse(gt(condition, 0), sum(exp(parts)), neg(sum(x)));
  auto run = [&](int64_t c, const Tensor &value) {
    std::vector<Tensor> results = sameThroughFile({chosen}, {x, condition}, {value, Tensor(c)});
    return results.empty() ? std::numeric_limits<double>::quiet_NaN() : results[0].item<double>();
  };
  EXPECT_NEAR(run(1, numbers({0, 0, 0, 0, 0, 0})), 6, 1e-12);
  EXPECT_EQ(run(0, numbers({1, 2})), -3) << "reshape of 2 elements to 2 x 3 is not computed";
}

TEST(ExportedControl, branchesShareAndNest) {
  Variable x = dvector("x"), a = lscalar("a"), b = lscalar("b");
  Variable shared = exp(x);
  Variable inner = ifElse(gt(b, 0), sin(shared), cos(shared));
  Variable first = ifElse(gt(a, 0), inner, sqrt(x)), second = ifElse(gt(a, 0), mul(inner, 2.0), x);
  for (int64_t i : {0, 1})
    for (int64_t j : {0, 1})
      sameThroughFile({first, second, shared}, {x, a, b},
                      {numbers({1, 2, 3}), Tensor(i), Tensor(j)});
}

//===--- loops ------------------------------------------------------------------------===//

TEST(ExportedControl, scansSequencesAndStates) {
  Variable x = dmatrix("x"), w = dmatrix("w"), h = dvector("h");
  ScanResult loop = scan(
      [&](const Variables &v) {
        Variable next = tanh(add(v[0], dot(v[1], w)));
        return ScanStep({next, mul(next, 2.0)});
      },
      {.sequences = {x}, .outputs = {ScanOutput(h), ScanOutput::none()}});
  sameThroughFile({loop.outputs[0], loop.outputs[1]}, {x, w, h},
                  {Tensor({{1, 2}, {-1, 0.5}, {0, 3}}), Tensor({{0.1, 0.2}, {0.3, -0.4}}),
                   numbers({0.5, -0.5})});
  Variable cost = sum(loop.outputs[0]);
  sameThroughFile(grad(cost, {x, w, h}), {x, w, h},
                  {Tensor({{1, 2}, {-1, 0.5}, {0, 3}}), Tensor({{0.1, 0.2}, {0.3, -0.4}}),
                   numbers({0.5, -0.5})});
}

/// Fibonacci's numbers, of taps -1 and -2; sequences of several taps and lengths, both ways.
TEST(ExportedControl, scansTaps) {
  Variable start = dvector("s"), n = lscalar("n");
  ScanResult loop = scan([](const Variables &v) { return ScanStep(add(v[0], v[1])); },
                         {.outputs = {ScanOutput(start, {-2, -1})}, .numSteps = n});
  std::vector<Tensor> results =
      sameThroughFile({loop.outputs[0]}, {start, n}, {numbers({0, 1}), Tensor(6)});
  ASSERT_FALSE(results.empty());
  expectNumbers(results[0], numbers({1, 2, 3, 5, 8, 13}));
  Variable last = subtensor(loop.outputs[0], {-1});
  sameThroughFile({last}, {start, n}, {numbers({0, 1}), Tensor(6)});

  Variable x = dvector("x"), y = dvector("y");
  for (bool goBackwards : {false, true}) {
    ScanResult both = scan(
        [](const Variables &v) {
          return ScanStep(add(sub(v[0], mul(v[1], 2.0)), mul(v[2], v[3])));
        },
        {.sequences = {ScanSequence(x, {-1, 1}), ScanSequence(y)},
         .outputs = {ScanOutput(0.5)},
         .goBackwards = goBackwards});
    results = sameThroughFile({both.outputs[0]}, {x, y},
                              {numbers({1, 2, 4, 8, 16}), numbers({1, 0.5, 2, 7})});
    ASSERT_FALSE(results.empty());
    // x[t] - 2 x[t + 2] + y[t] s; backwards each from the last step that it is enough for.
    expectNumbers(results[0],
                  goBackwards ? numbers({-24.5, -63, -38.5}) : numbers({-6.5, -17.25, -62.5}));
  }
}

/// ONNX Runtime has no Scan over nothing, which the file says: no model is left for it.
TEST(ExportedControl, scansNoSteps) {
  Variable x = dvector("x");
  ScanResult loop = scan([](const Variables &v) { return ScanStep({add(v[0], v[1]), v[0]}); },
                         {.sequences = {x}, .outputs = {ScanOutput(1.5), ScanOutput::none()}});
  Variable last = foldl([](const Variables &v) { return ScanStep(add(v[0], v[1])); }, {x},
                        constant(Tensor(1.5)));
  TensorsOr results =
      throughFile({loop.outputs[0], last}, {x}, {*Tensor::zeros(DType::Float64, {0})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].shape()[0], 0);
  EXPECT_EQ((*results)[1].item<double>(), 1.5);
}

/// Of a state whose extents the step does not say (ONNX broadcasts what is of open extents), after
/// no steps and after some; with taps too.
TEST(ExportedControl, statesKeepTheirExtentsWithoutSteps) {
  Variable x = dmatrix("x"), h = dmatrix("h"), start = dtensor3("start"), n = lscalar("n");
  auto step = [&](const Variables &v) { return ScanStep(add(mul(v[0], 0.5), x)); };
  ScanResult loop = scan(step, {.outputs = {ScanOutput(h)}, .numSteps = n});
  ScanResult taps = scan(step, {.outputs = {ScanOutput(start, {-2, -1})}, .numSteps = n});
  Tensor ones({{1, 1}, {1, 1}}), value({{1, 2}, {3, 4}}),
      starts({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  for (int64_t steps : {0, 1, 3}) {
    TensorsOr results = throughFile({loop.outputs[0], loop.last[0], taps.outputs[0], taps.last[0]},
                                    {x, h, start, n}, {ones, value, starts, Tensor(steps)});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_THAT((*results)[0].shape(), testing::ElementsAre(steps, 2, 2));
    EXPECT_THAT((*results)[2].shape(), testing::ElementsAre(steps, 2, 2));
    if (steps == 0) {
      EXPECT_EQ((*results)[1], value);
      EXPECT_EQ((*results)[3], Tensor({{5, 6}, {7, 8}}));
    }
    sameThroughFile({loop.outputs[0], loop.last[0], taps.outputs[0], taps.last[0]},
                    {x, h, start, n}, {ones, value, starts, Tensor(steps)});
  }
}

/// An operator of files whose rows have an open number of columns.
TEST(ExportedControl, uniqueRowsOfOpenExtents) {
  Variable x = dmatrix("x");
  Unique rows = unique(x, 0), columns = unique(x, 1);
  Tensor value({{2, 1, 2}, {0, 5, 0}, {2, 1, 2}, {0, 4, 0}});
  std::vector<Tensor> results = sameThroughFile(
      {rows.values, rows.index, rows.inverse, rows.counts, columns.values}, {x}, {value});
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0], Tensor({{0.0, 4.0, 0.0}, {0.0, 5.0, 0.0}, {2.0, 1.0, 2.0}}));
  EXPECT_EQ(results[3], Tensor({1, 1, 2}));
  EXPECT_EQ(results[4], Tensor({{1.0, 2.0}, {5.0, 0.0}, {1.0, 2.0}, {4.0, 0.0}}));
}

TEST(ExportedControl, loopsEndEarly) {
  Variable x = dvector("x");
  ScanResult loop = scan(
      [](const Variables &v) {
        Variable next = add(v[0], v[1]);
        return ScanStep({next}, {}, gt(next, 5.0));
      },
      {.sequences = {x}, .outputs = {ScanOutput(0.0)}});
  std::vector<Tensor> results = sameThroughFile({loop.outputs[0]}, {x}, {numbers({1, 2, 3, 4, 5})});
  ASSERT_FALSE(results.empty());
  expectNumbers(results[0], numbers({1, 3, 6}));
}

/// Without a number of steps in the file, and with one.
TEST(ExportedControl, whileLoopsCount) {
  Variable x = dscalar("x"), most = lscalar("most");
  for (bool isBounded : {false, true}) {
    WhileOptions options;
    if (isBounded)
      options.maxSteps = most;
    ScanResult loop = whileLoop(
        [](const Variables &v) { return lt(v[0], 100.0); },
        [](const Variables &v) { return ScanStep({mul(v[0], 3.0), add(v[1], int64_t(1))}); },
        {x, constant(Tensor(0))}, options);
    for (double start : {2.0, 200.0})
      for (int64_t bound : {2, 50}) {
        std::vector<Tensor> results =
            sameThroughFile(loop.outputs, {x, most}, {Tensor(start), Tensor(bound)});
        ASSERT_FALSE(results.empty());
        int64_t steps = start > 100 ? 0 : isBounded && bound == 2 ? 2 : 4; // 6, 18, 54, 162
        EXPECT_EQ(results[1].item<int64_t>(), steps) << start << " " << bound;
      }
  }
}

/// A loop in a branch in a loop, and a draw of a constant inside.
TEST(ExportedControl, nests) {
  Variable x = dmatrix("x"), c = lscalar("c");
  ScanResult outer = scan(
      [&](const Variables &v) {
        Variable inner = foldl(
            [](const Variables &e) { return ScanStep(add(mul(e[1], 0.5), e[0])); }, {v[0]}, v[1]);
        return ScanStep(ifElse(gt(c, 0), inner, mul(v[1], 2.0)));
      },
      {.sequences = {x}, .outputs = {ScanOutput(1.0)}});
  for (int64_t choice : {0, 1})
    sameThroughFile({outer.outputs[0]}, {x, c}, {Tensor({{1, 2}, {3, 4}}), Tensor(choice)});
}

TEST(ExportedControl, slicesAreScanned) {
  Variable v = dvector("v");
  Variable slices = jacobian(mul(v, sum(exp(v))), v);
  sameThroughFile({slices}, {v}, {numbers({1, -2, 0.5})});
}

} // namespace
} // namespace graphc
