//===- OpsTest.cpp - graphs of ops as kernels -----------------------------===//
#include <gtest/gtest.h>

#include <random>

#include "Eval/Evaluate.h"
#include "Kernels/EmitGraph.h"
#include "Ops/Registry.h"
#include "Places.h"
#include "RunKernel.h"
#include "graphc/Arrays.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

Tensor values(const Variable &v, std::mt19937 &rng) {
  std::vector<int64_t> shape;
  for (int64_t extent : v.type().shape())
    shape.push_back(extent < 0 ? 6 : extent);
  Tensor t = *Tensor::allocate(DType::Float64, shape);
  std::uniform_real_distribution<double> value(-3, 3);
  for (double &x : t.mutableFlat<double>())
    x = value(rng);
  return t.cast(v.dtype());
}

KernelGraph kernelsOf(const Variables &inputs, const Variables &outputs) {
  auto graph = FunctionGraph::create(inputs, outputs);
  EXPECT_TRUE(graph.ok()) << graph.status();
  auto record = emitGraph(*graph);
  EXPECT_TRUE(record.ok()) << record.status();
  return *fuse(*std::move(record));
}

/// Kernels against the evaluator, node by node: bit for bit.
KernelGraph check(const Variables &inputs, const Variables &outputs) {
  std::mt19937 rng(1);
  std::vector<Tensor> given;
  for (const Variable &v : inputs)
    given.push_back(values(v, rng));
  KernelGraph graph = kernelsOf(inputs, outputs);
  TensorsOr expected = evaluate(outputs, inputs, given);
  EXPECT_TRUE(expected.ok()) << expected.status();
  auto program = makeExecutable(graph);
  EXPECT_TRUE(program.ok()) << program.status();
  for (int threads : {1, 2}) {
    std::vector<Tensor> results(outputs.size());
    absl::Status status = (*program)->run(given, absl::MakeSpan(results), threads);
    EXPECT_TRUE(status.ok()) << status << toString(graph);
    for (size_t k = 0; k < results.size() && status.ok() && expected.ok(); ++k)
      EXPECT_TRUE(results[k].identical((*expected)[k])) << (*expected)[k] << "\n"
                                                        << results[k] << "\n"
                                                        << toString(graph);
  }
  return graph;
}

/// 1,000 terms are 111 times 9 and one: pieces of ten operands, all equal.
TEST(KernelsOfOps, LongSumsAreEqualPieces) {
  Variables terms;
  for (int k = 0; k < 1000; ++k)
    terms.push_back(dvector());
  KernelGraph graph =
      check(terms, {Op::create(*findOp("add"))
                        ->call(std::vector<Operand>(terms.begin(), terms.end()), Place())});
  EXPECT_EQ(graph.kernels.size(), 1u);
  EXPECT_EQ(graph.program.steps.size(), 111u);
}

TEST(KernelsOfOps, SoftmaxIsOneKernel) {
  Variable x = fmatrix("x");
  EXPECT_EQ(check({x}, {softmax(x)}).kernels.size(), 1u);
  EXPECT_EQ(check({x}, {logSoftmax(x * 2)}).kernels.size(), 1u);
}

TEST(KernelsOfOps, LayerNormIsOneKernel) {
  Variable x = tensor(DType::Float32, {kDynamic, 16}, "x");
  Variable gain = tensor(DType::Float32, {16}, "gain"), bias = tensor(DType::Float32, {16}, "bias");
  Variable mean = expandDims(x.mean(1), Axis(1));
  Variable centred = x - mean;
  Variable variance = expandDims((centred * centred).mean(1), Axis(1));
  Variable y = centred * rsqrt(variance + 1e-5) * gain + bias;
  EXPECT_EQ(check({x, gain, bias}, {y}).kernels.size(), 1u);
}

TEST(KernelsOfOps, DenseLayersAreOneKernelEach) {
  Variable x = fmatrix("x"), w = tensor(DType::Float32, {6, 8}, "w"),
           b = tensor(DType::Float32, {8}, "b"), w2 = tensor(DType::Float32, {8, 3}, "w2");
  Variable h = tanh(dot(x, w) + b);
  EXPECT_EQ(check({x, w, b, w2}, {sigmoid(dot(h, w2))}).program.steps.size(), 2u);
}

TEST(KernelsOfOps, ConvolutionTakesItsEpilogue) {
  Variable x = tensor(DType::Float32, {kDynamic, 3, 8, 8}, "x");
  Variable w = tensor(DType::Float32, {4, 3, 3, 3}, "w"),
           b = tensor(DType::Float32, {4, 1, 1}, "b");
  Variable y = maximum(conv2d(x, w) + b, 0.0);
  EXPECT_EQ(check({x, w, b}, {y}).program.steps.size(), 1u);
}

/// Pictures of a batch are padded one by one, in the kernel that convolves them; not a single one,
/// nor small ones, whose pixels are columns of one product.
TEST(KernelsOfOps, PicturesArePaddedOneByOne) {
  Variable w = tensor(DType::Float32, {10, 3, 3, 3}, "w"),
           b = tensor(DType::Float32, {10, 1, 1}, "b");
  ConvOptions padded;
  padded.padding = 1;
  auto numSteps = [&](std::vector<int64_t> shape, const Variable &bias) {
    Variable x = tensor(DType::Float32, shape, "x");
    return check({x, w, b}, {maximum(conv2d(x, w, padded) + bias, 0.0)}).program.steps.size();
  };
  EXPECT_EQ(numSteps({3, 3, 20, 18}, b), 1u);
  EXPECT_EQ(numSteps({kDynamic, 3, kDynamic, kDynamic}, b), 1u);
  EXPECT_EQ(numSteps({1, 3, 20, 18}, b), 2u);
  EXPECT_EQ(numSteps({3, 3, 14, 16}, b), 2u);
  // What follows and reads other elements has loops of its own.
  Variable x = tensor(DType::Float32, {3, 3, 20, 18}, "x"), y = conv2d(x, w, padded);
  EXPECT_EQ(check({x, w}, {y + flip(y, Axis(3)), sum(y, Axis(3))}).program.steps.size(), 3u);
  Variable both = conv2d(x, w, padded) + conv2d(x, w * 2, padded);
  EXPECT_EQ(check({x, w}, {both}).program.steps.size(), 3u); // w * 2, and one for each
}

TEST(KernelsOfOps, MovementsAreIndices) {
  Variable x = fmatrix("x"), y = fmatrix("y");
  Variable moved = concatenate({x.T(), y}, 1) * 2;
  Variable padded = pad(exp(x), {{1, 2}, {0, 1}});
  Variable flat = reshape(x + y, {-1}) * 3;
  check({x, y}, {moved, padded, flat, broadcastTo(expandDims(x, Axis(0)), {2, 6, 6})});
}

TEST(KernelsOfOps, ErrorsNameOpPlaceAndShapes) { // F-020
  Variable x = fmatrix("x"), y = fmatrix("y");
  Variable z = x * 2 + y;
  auto program = *makeExecutable(kernelsOf({x, y}, {z}));
  std::vector<Tensor> out(1);
  absl::Status status = program->run(
      {*Tensor::zeros(DType::Float32, {{2, 3}}), *Tensor::zeros(DType::Float32, {{2, 5}})},
      absl::MakeSpan(out));
  EXPECT_EQ(wholeWithoutLines(status),
            "ShapeError OpsTest.cpp: add: extents differ along axis 1: 3 and 5 (an extent "
            "broadcasts only where its type says 1: declare it so, or use specifyShape)\n"
            "  mul(x, ...): f32[2,3]   y: f32[2,5]");
}

} // namespace
} // namespace graphc
