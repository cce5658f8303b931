//===- SizeTest.cpp - gradients of networks are small (F-296) --------------===//
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// Nodes after the rewrites of fast_run.
int nodesOf(const Variables &inputs, const Variables &outputs) {
  int nodes = -1;
  auto watch = [&](const StageReport &report) {
    if (report.stage == "rewritten" && report.isDone)
      nodes = std::atoi(report.size.c_str());
  };
  auto f = function(inputs, outputs,
                    {.onUnusedInput = OnUnusedInput::Ignore, .cache = false, .observer = watch});
  EXPECT_TRUE(f.ok()) << f.status();
  return nodes;
}

/// The gradients alone, with what they need of the cost, have at most four times its nodes.
void expectSmall(const Variables &inputs, const Variable &cost, const Variables &weights) {
  int forward = nodesOf(inputs, {cost});
  int backward = nodesOf(inputs, grad(cost, weights));
  EXPECT_GT(forward, 0);
  EXPECT_LE(backward, 4 * forward) << forward << " forward";
}

TEST(GradientSize, OfAPerceptron) { // F-296
  Variables inputs = {fmatrix("x"), fmatrix("target")}, weights;
  Variable h = inputs[0];
  for (int layer = 0; layer < 4; ++layer) {
    Variable w = fmatrix("w"), b = fvector("b");
    weights.insert(weights.end(), {w, b});
    h = dot(h, w) + b;
    if (layer < 3)
      h = tanh(h);
  }
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  expectSmall(inputs, mean(-sum(logSoftmax(h) * inputs[1], Axis(1))), weights);
}

TEST(GradientSize, OfAConvNet) { // F-296
  Variables inputs = {tensor(DType::Float32, {4, 3, 16, 16}, "x"),
                      tensor(DType::Float32, {4, 10}, "target")},
            weights;
  auto weight = [&](std::initializer_list<int64_t> shape) {
    weights.push_back(tensor(DType::Float32, shape, "w"));
    return weights.back();
  };
  Variable h = inputs[0];
  for (int64_t channels : {3, 8}) {
    h = conv2d(h, weight({8, channels, 3, 3}), {.padding = 1, .filterFlip = false}) +
        weight({8, 1, 1});
    h = pool(relu(h), {2, 2});
  }
  h = dot(flatten(h, 2), weight({8 * 4 * 4, 10})) + weight({10});
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  expectSmall(inputs, mean(-sum(logSoftmax(h) * inputs[1], Axis(1))), weights);
}

TEST(GradientSize, OfAnLstmUnrolled) { // F-296
  constexpr int kSteps = 100;
  constexpr int64_t kHidden = 8, kBatch = 2, kIn = 5;
  Variable x = tensor(DType::Float32, {kSteps, kBatch, kIn}, "x");
  Variable w = tensor(DType::Float32, {kIn, 4 * kHidden}, "w"),
           u = tensor(DType::Float32, {kHidden, 4 * kHidden}, "u"),
           b = tensor(DType::Float32, {4 * kHidden}, "b");
  Variable h = tensor(DType::Float32, {kBatch, kHidden}, "h"),
           c = tensor(DType::Float32, {kBatch, kHidden}, "c");
  Variables inputs = {x, w, u, b, h, c};
  for (int step = 0; step < kSteps; ++step) {
    Variable gates = dot(x[{step}], w) + dot(h, u) + b;
    auto gate = [&](int64_t k) { return gates[{Slice(), Slice(k * kHidden, (k + 1) * kHidden)}]; };
    c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
    h = sigmoid(gate(3)) * tanh(c);
  }
  expectSmall(inputs, sum(h), {w, u, b});
}

/// Nodes that tell extents, or spread something over them: as built, and after the rewrites.
std::vector<int> shapesIn(const Variables &inputs, const Variable &cost, const Variables &wrt) {
  const std::set<std::string_view> names = {"shape",        "shapeI",           "second",
                                            "specifyShape", "specifyShapeLike", "reshape"};
  auto count = [&](absl::Span<const Apply> order) {
    return int(std::ranges::count_if(
        order, [&](const Apply &node) { return names.contains(node.op().name()); }));
  };
  Variables gradients = grad(cost, wrt);
  std::vector<int> counts = {count(ioToposort(inputs, gradients))};
  auto f = function(inputs, gradients, {.onUnusedInput = OnUnusedInput::Ignore});
  EXPECT_TRUE(f.ok()) << f.status();
  if (!f.ok())
    return counts;
  absl::StatusOr<FunctionGraph> graph = f->graph();
  EXPECT_TRUE(graph.ok()) << graph.status();
  std::vector<Apply> order = *graph->toposort();
  counts.push_back(count(order));
  return counts;
}

// Where no extent is known, what is broadcast and multiplied has the shapes of the forward values,
// and nodes ask for none: reductions alone spread their cotangents, one node each.
TEST(GradientSize, ShapesAreReused) { // F-296
  for (int layers : {1, 3, 9}) {
    SCOPED_TRACE(layers);
    // A perceptron, its cost a mean over samples of sums over classes.
    Variables inputs = {fmatrix("x"), fmatrix("target")}, weights;
    Variable h = inputs[0];
    for (int layer = 0; layer < layers; ++layer) {
      Variable w = fmatrix("w"), b = fvector("b");
      weights.insert(weights.end(), {w, b});
      h = tanh(dot(h, w) + b);
    }
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    Variable cost = mean(-sum(logSoftmax(h) * inputs[1], Axis(1)));
    // Two are spread, and the mean divides by the number of its elements.
    EXPECT_EQ(shapesIn(inputs, cost, weights), (std::vector<int>{3, 3}));
    // Rows that are scaled by a sum of theirs, and shifted by one of all.
    Variable m = dmatrix("m"), v = dvector("v"), y = m;
    for (int layer = 0; layer < layers; ++layer)
      y = tanh(y * v) * sum(y, {.axes = Axis(1), .keepDims = true}) + sum(y);
    const int sums = 2 * layers + 1;
    EXPECT_EQ(shapesIn({m, v}, sum(y), {m, v}), (std::vector<int>{sums, sums}));
  }
}

// Slices are put back into zeros: those of one array share them.
TEST(GradientSize, ShapesOfSlicesAreReused) { // F-296
  for (int steps : {1, 4}) {
    SCOPED_TRACE(steps);
    Variable x = ftensor3("x"), w = fmatrix("w"), u = fmatrix("u"), h = fmatrix("h"),
             c = fmatrix("c");
    const Variables inputs = {x, w, u, h, c};
    for (int step = 0; step < steps; ++step) {
      Variable gates = dot(x[{step}], w) + dot(h, u);
      auto gate = [&](int64_t k) { return gates[{Slice(), Slice(k * 8, (k + 1) * 8)}]; };
      c = sigmoid(gate(1)) * c + sigmoid(gate(0)) * tanh(gate(2));
      h = sigmoid(gate(3)) * tanh(c);
    }
    // As built 4 for each step, which merge; and the cost's.
    EXPECT_EQ(shapesIn(inputs, sum(h), {w, u}), (std::vector<int>{4 * steps + 1, steps + 1}));
  }
}

} // namespace
} // namespace graphc
