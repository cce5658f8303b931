//===- SizeTest.cpp - gradients of networks are small (F-296) --------------===//
#include <gtest/gtest.h>

#include <cstdlib>

#include "graphc/Function.h"
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

} // namespace
} // namespace graphc
