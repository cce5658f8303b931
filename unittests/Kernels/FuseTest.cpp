//===- FuseTest.cpp - what is fused, and what must not be -----------------===//
#include "Kernels/Fuse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "Emit/Scatter.h"
#include "Eval/Evaluate.h"
#include "RunKernel.h"
#include "TestGraphs.h"

namespace graphc {
namespace {

Array exps(TestGraph &g, Array x) {
  return g.e.map({x}, [](const Scalars &s) { return exp(s[0]); });
}
Array adds(TestGraph &g, Array x, Array y) {
  return g.e.map({x, y}, [](const Scalars &s) { return s[0] + s[1]; });
}
Array muls(TestGraph &g, Array x, Array y) {
  return g.e.map({x, y}, [](const Scalars &s) { return s[0] * s[1]; });
}

/// With a `grid`, multiples of it.
Tensor randomTensor(const Type &type, std::mt19937 &rng, int64_t dynamicExtent, double grid) {
  std::vector<int64_t> shape;
  for (int64_t extent : type.shape())
    shape.push_back(extent < 0 ? dynamicExtent : extent);
  Tensor t = *Tensor::allocate(DType::Float64, shape);
  std::uniform_real_distribution<double> values(-2, 2);
  for (double &v : t.mutableFlat<double>())
    v = grid > 0 ? std::round(values(rng) / grid) * grid : values(rng);
  return t.cast(type.dtype());
}

/// Runs a graph fused and by the evaluator; both must agree bit for bit.
void checkAgainstEvaluator(TestGraph &g, int64_t dynamicExtent, uint32_t seed,
                           KernelGraph *kernels = nullptr, double grid = 0) {
  std::mt19937 rng(seed);
  std::vector<Tensor> values;
  for (const Type &type : g.types())
    values.push_back(randomTensor(type, rng, dynamicExtent, grid));
  std::vector<Array> inputs = g.inputs(), outputs = g.outputs();
  GraphRecord record = g.finish();
  TensorsOr expected = evaluate(record.emission, inputs, values, outputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  absl::StatusOr<KernelGraph> graph = fuse(record);
  ASSERT_TRUE(graph.ok()) << graph.status();
  if (kernels)
    *kernels = *graph;
  std::string text = toString(*graph);
  auto executable = makeExecutable(*std::move(graph));
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (int threads : {1, 3}) {
    std::vector<Tensor> results(outputs.size());
    absl::Status status = (*executable)->run(values, absl::MakeSpan(results), threads);
    ASSERT_TRUE(status.ok()) << status;
    for (size_t k = 0; k < results.size(); ++k)
      ASSERT_TRUE(results[k].identical((*expected)[k]))
          << "output " << k << ", threads " << threads << "\nexpected " << (*expected)[k]
          << "\ngot " << results[k] << "\n"
          << text;
  }
  // F-181: once more, over the inputs that allow it.
  std::vector<Tensor> given, results(outputs.size());
  for (const Tensor &value : values)
    given.push_back(value.copy());
  for (size_t k = 0; k < results.size(); ++k)
    if (int32_t input = (*executable)->program().outputs[k].over; input >= 0)
      results[k] = given[size_t(input)];
  absl::Status status = (*executable)->run(given, absl::MakeSpan(results), 3, OutputMemory::Given);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t k = 0; k < results.size(); ++k)
    ASSERT_TRUE(results[k].identical((*expected)[k]))
        << "output " << k << " in place\nexpected " << (*expected)[k] << "\ngot " << results[k]
        << "\n"
        << text;
}

/// Of each output.
std::vector<int32_t> inputsOverwritten(TestGraph &g) {
  KernelGraph k;
  checkAgainstEvaluator(g, 4, 7, &k);
  std::vector<int32_t> inputs;
  for (const Program::Output &output : k.program.outputs)
    inputs.push_back(output.over);
  return inputs;
}

TEST(Fuse, OutputsOverInputs) { // F-181
  using Inputs = std::vector<int32_t>;
  auto overwritten = [](auto build) {
    TestGraph g;
    Array x = g.input(DType::Float32, {4, 4}), y = g.input(DType::Float32, {4, 4});
    build(g, x, y);
    return inputsOverwritten(g);
  };
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array y) { g.output(adds(g, x, y)); }),
            Inputs{0});
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array y) {
              g.output(exps(g, x));
              g.output(exps(g, y));
            }),
            (Inputs{0, 1}));
  // Other positions, and what a later step reads or copies.
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array y) {
              Array turned =
                  g.e.define(g.e.shape(x), [&](Indices i) { return g.e.load(x, {i[1], i[0]}); });
              g.output(adds(g, turned, y));
            }),
            Inputs{1});
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array) {
              g.output(exps(g, x));
              g.output(x);
            }),
            (Inputs{-1, -1}));
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array y) {
              Array all = g.e.reduceAxes(Combine::Sum, x, {0, 1}, false);
              g.output(exps(g, y));
              g.output(g.e.map({x, y, all}, [](const Scalars &s) { return s[0] * s[1] / s[2]; }));
            }),
            (Inputs{-1, 0}));
  // What may fail at the step, or after it.
  EXPECT_EQ(overwritten([](TestGraph &g, Array x, Array) {
              g.output(g.e.map({x}, [&](const Scalars &s) {
                g.e.check(s[0] < 1e9, ErrorKind::IndexError, "too large");
                return exp(s[0]);
              }));
            }),
            Inputs{-1});
}

TEST(Fuse, ChainIsOneKernel) { // F-305
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, kDynamic});
  Array y = g.input(DType::Float32, {kDynamic, kDynamic});
  g.output(muls(g, exps(g, adds(g, x, y)), y));
  KernelGraph k;
  checkAgainstEvaluator(g, 3, 1, &k);
  ASSERT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(k.program.steps.size(), 1u);
  // Two dimensions are one where all arrays are contiguous.
  EXPECT_EQ(toString(k.kernels[0]),
            "kernel @add_exp_mul(%0: f32[n0], %1: f32[n0]) -> (%2: f32[n0]) {\n"
            "  for (i0 < n0)\n"
            "    %2[i0] = mul(exp(add(%0[i0], %1[i0])), %1[i0])\n"
            "}\n");
}

TEST(Fuse, IntermediatesKeepTheirRounding) { // F-305: float16 is rounded at each step
  TestGraph g;
  Array x = g.input(DType::Float16, {kDynamic});
  g.output(muls(g, adds(g, x, x), x));
  KernelGraph k;
  checkAgainstEvaluator(g, 33, 2, &k);
  EXPECT_EQ(k.kernels.size(), 1u);
}

TEST(Fuse, SoftmaxIsOneRowKernel) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, kDynamic});
  Array m = g.e.reduceAxes(Combine::Max, x, {1}, true);
  Array p = g.e.map({x, m}, [](const Scalars &s) { return exp(s[0] - s[1]); });
  Array sum = g.e.reduceAxes(Combine::Sum, p, {1}, true);
  g.output(g.e.map({p, sum}, [](const Scalars &s) { return s[0] / s[1]; }));
  KernelGraph k;
  checkAgainstEvaluator(g, 5, 3, &k);
  ASSERT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(k.kernels[0].numShared, 1);
  EXPECT_EQ(k.kernels[0].nests.size(), 4u);
}

TEST(Fuse, LayerNormIsOneRowKernel) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, 7});
  auto mean = [&](Array a) {
    Array s = g.e.reduceAxes(Combine::Sum, a, {1}, true);
    return g.e.map({s}, [](const Scalars &v) { return v[0] / 7.0; });
  };
  Array centred = g.e.map({x, mean(x)}, [](const Scalars &s) { return s[0] - s[1]; });
  Array variance = mean(muls(g, centred, centred));
  g.output(g.e.map({centred, variance}, [](const Scalars &s) { return s[0] / sqrt(s[1] + 1e-5); }));
  KernelGraph k;
  checkAgainstEvaluator(g, 4, 4, &k);
  EXPECT_EQ(k.kernels.size(), 1u);
}

// The mean that the variance computes again is computed once.
TEST(Fuse, EqualNestsAreOne) {
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, kDynamic});
  auto centred = [&] {
    Array mean = g.e.reduceAxes(Combine::Sum, x, {1}, true);
    return g.e.map({x, mean}, [](const Scalars &s) { return s[0] - s[1]; });
  };
  Array squares = g.e.map({centred()}, [](const Scalars &s) { return s[0] * s[0]; });
  Array variance = g.e.reduceAxes(Combine::Sum, squares, {1}, true);
  g.output(g.e.map({centred(), variance}, [](const Scalars &s) { return s[0] / s[1]; }));
  KernelGraph kernels;
  checkAgainstEvaluator(g, 5, 1, &kernels);
  ASSERT_EQ(kernels.kernels.size(), 1u);
  EXPECT_EQ(kernels.kernels[0].nests.size(), 3u) << toString(kernels.kernels[0]);
}

/// Three gradients through one array of indices look at it once.
TEST(Fuse, EqualChecksAreOne) {
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic}), i = g.input(DType::Int64, {kDynamic});
  for (int k = 0; k < 3; ++k) {
    Array position = g.e.map({i}, [&](const Scalars &s) {
      g.e.check(s[0] < (k < 2 ? 100.0 : 99.0), ErrorKind::IndexError, "too large");
      return s[0] * 2.0;
    });
    g.output(g.e.reduceAxes(
        Combine::Sum,
        adds(g, x,
             exps(g, g.e.map({position}, [&](auto &s) { return cast(s[0], DType::Float64); }))),
        {0}, false));
  }
  KernelGraph kernels;
  checkAgainstEvaluator(g, 5, 1, &kernels);
  size_t checks = 0;
  for (const Program::Step &step : kernels.program.steps)
    checks += step.failures.size();
  EXPECT_EQ(checks, 2u) << toString(kernels); // two conditions
}

/// A nest that looks at its operand does not give way to one that computes the same and does not
/// look.
TEST(Fuse, ChecksStay) {
  TestGraph g;
  Array i = g.input(DType::Int64, {kDynamic});
  for (bool looks : {false, true}) {
    Array small = g.e.map({i}, [&](const Scalars &s) {
      Scalar isSmall = s[0] < 100.0;
      if (looks)
        g.e.check(isSmall, ErrorKind::IndexError, "too large");
      return isSmall;
    });
    g.output(looks ? g.e.reduceAxes(Combine::And, small, {0}, false) : small);
  }
  KernelGraph kernels;
  checkAgainstEvaluator(g, 5, 1, &kernels);
  size_t checks = 0;
  for (const Program::Step &step : kernels.program.steps)
    checks += step.failures.size();
  EXPECT_EQ(checks, 1u) << toString(kernels);
}

/// Terms are written into the nest that adds them where they belong, and what the sums are added to
/// follows in the same kernel.
TEST(Fuse, ScattersAreAKernel) {
  TestGraph g;
  Array x = g.input(DType::Float64, {7}), v = g.input(DType::Float64, {kDynamic});
  Array at = g.input(DType::Int64, {kDynamic});
  g.e.requireEqual(g.e.dim(v, 0), g.e.dim(at, 0), "terms");
  Array y = g.input(DType::Float64, {7});
  g.output(adds(g, exps(g, scatter(g.e, x, exps(g, v), at, 0)), y));
  KernelGraph kernels;
  checkAgainstEvaluator(g, 5, 1, &kernels);
  ASSERT_EQ(kernels.kernels.size(), 1u) << toString(kernels);
  ASSERT_EQ(kernels.kernels[0].nests.size(), 2u) << toString(kernels);
  // x and 5 terms are work, not 7 times as much.
  const SizeNode &count = kernels.program.sizes[size_t(kernels.program.steps[0].work[0].count)];
  EXPECT_EQ(count.op, SizeOp::Add) << toString(kernels);
  // The sums lie where the result will be: not over y, which is read afterwards.
  EXPECT_EQ(kernels.program.outputs[0].over, -1);
}

// Gradients of what one index array has taken: one kernel, with what follows each.
TEST(Fuse, ScattersToTheSamePlacesAreAKernel) {
  auto kernelsOf = [](bool isSamePlace, bool isLater) {
    TestGraph g;
    Array x = g.input(DType::Float64, {7}), v = g.input(DType::Float64, {kDynamic});
    Array at = g.input(DType::Int64, {kDynamic}), to = g.input(DType::Int64, {kDynamic});
    g.e.requireEqual(g.e.dim(v, 0), g.e.dim(at, 0), "terms");
    g.e.requireEqual(g.e.dim(v, 0), g.e.dim(to, 0), "terms");
    Array first = scatter(g.e, x, muls(g, v, v), at, 0);
    g.output(exps(g, first));
    Array second = scatter(g.e, isLater ? first : x, adds(g, v, v), isSamePlace ? at : to, 0);
    g.output(exps(g, second));
    KernelGraph kernels;
    checkAgainstEvaluator(g, 5, 1, &kernels, /*grid=*/0.25); // so that sums are exact
    return kernels.kernels.size();
  };
  EXPECT_EQ(kernelsOf(true, false), 1u);
  EXPECT_EQ(kernelsOf(false, false), 2u); // to other places
  EXPECT_EQ(kernelsOf(true, true), 2u);   // to what the first one gives
}

// The length of points with three coordinates.
TEST(Fuse, FewTermsAreWrittenOut) {
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, 3});
  Array square = g.e.reduceAxes(Combine::Sum, muls(g, x, x), {1}, false);
  g.output(g.e.map({square}, [](const Scalars &s) { return sqrt(s[0]); }));
  KernelGraph k;
  checkAgainstEvaluator(g, 35, 41, &k, /*grid=*/0.25); // so that sums are exact
  ASSERT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(toString(k.kernels[0]),
            "kernel @mul_add_sqrt(%0: f64[n0, 3]) -> (%1: f64[n0]) {\n"
            "  for (i0 < n0)\n"
            "    %1[i0] = sqrt(add(add(add(mul(%0[i0, 0], %0[i0, 0]), mul(%0[i0, 1], %0[i0, 1])), "
            "mul(%0[i0, 2], %0[i0, 2])), 0.0))\n"
            "}\n");
}

// Every dtype and way to join, over axes before and behind the one that stays.
TEST(Fuse, FewTermsOfEveryKind) {
  for (DType dtype : {DType::Bool, DType::Int8, DType::UInt64, DType::Float16, DType::BFloat16,
                      DType::Float32, DType::Float64})
    for (Combine combine :
         {Combine::Sum, Combine::Prod, Combine::Max, Combine::Min, Combine::And, Combine::Or})
      for (const std::vector<int64_t> &shape :
           {std::vector<int64_t>{kDynamic, 4}, {4, kDynamic}, {2, kDynamic, 2}, {1, kDynamic, 3}}) {
        if (isFloat(dtype) && (combine == Combine::And || combine == Combine::Or))
          continue;
        if (isBool(dtype) && combine != Combine::And && combine != Combine::Or)
          continue;
        SCOPED_TRACE(std::string(dtypeName(dtype)) + " " + std::string(combineName(combine)) +
                     Type(dtype, shape).brief());
        TestGraph g;
        Array x = g.input(dtype, shape);
        std::vector<int> axes;
        for (int axis = 0; axis < int(shape.size()); ++axis)
          if (shape[size_t(axis)] != kDynamic)
            axes.push_back(axis);
        g.output(g.e.reduceAxes(combine, x, axes, false));
        KernelGraph k;
        checkAgainstEvaluator(g, 19, 42, &k, /*grid=*/0.25);
        ASSERT_EQ(k.kernels.size(), 1u);
        EXPECT_EQ(k.kernels[0].nests[0].combine, Combine::None);
      }
}

// y[i, c] = sum over j of f(i, j) * (x[j, c] - x[i, c]): f is written into the sum, though that has
// a loop over c, where the pass to loops makes it once for all c.
struct Pulls {
  TestGraph g;
  Array x, factor, each;

  Pulls(int64_t axes, bool isGiven = false) {
    x = g.input(DType::Float64, {kDynamic, axes});
    Extent n = g.e.dim(x, 0);
    auto at = [&](Scalar i, Scalar c) { return g.e.load(x, {i, c}); };
    if (isGiven) {
      Array given = g.input(DType::Float64, {kDynamic, kDynamic});
      g.e.requireEqual(g.e.dim(given, 0), n, "rows");
      g.e.requireEqual(g.e.dim(given, 1), n, "columns");
      factor = exps(g, given);
    } else {
      factor = g.e.define(
          {n, n}, [&](Indices i) { return exp(at(i[0], g.e.index(0)) * at(i[1], g.e.index(1))); });
    }
    each = g.e.define({n, n, g.e.dim(x, 1)}, [&](Indices i) {
      return g.e.load(factor, {i[0], i[1]}) * (at(i[1], i[2]) - at(i[0], i[2]));
    });
    g.output(g.e.reduceAxes(Combine::Sum, each, {1}, false));
  }
  KernelGraph fused() {
    KernelGraph k;
    checkAgainstEvaluator(g, 6, 44, &k);
    return k;
  }
};

TEST(Fuse, ShortAxesShareTheirFactors) {
  for (int64_t axes : {2, 3, 4}) {
    KernelGraph k = Pulls(axes).fused();
    ASSERT_EQ(k.kernels.size(), 1u) << toString(k);
    EXPECT_EQ(k.kernels[0].nests.size(), 1u) << toString(k);
  }
}

TEST(Fuse, OtherAxesDoNotShareTheirFactors) {
  auto expectMemory = [](Pulls &&pulls) {
    KernelGraph k = pulls.fused();
    size_t exponentials = 0, nests = 0;
    for (const Kernel &kernel : k.kernels)
      for (const Nest &nest : kernel.nests) {
        ++nests;
        for (const ScalarNode &n : nest.body)
          exponentials += n.op == ScalarOp::Exp;
      }
    EXPECT_EQ(exponentials, 1u) << toString(k);
    EXPECT_GE(nests, 2u) << toString(k);
  };
  expectMemory(Pulls(5));                   // a long axis
  expectMemory(Pulls(3, /*isGiven=*/true)); // runs along i and j
  Pulls two(3);                             // two sums read the products
  two.g.output(two.g.e.reduceAxes(Combine::Max, two.each, {1}, false));
  expectMemory(std::move(two));
  Pulls wanted(3); // the factors are an output
  wanted.g.output(wanted.factor);
  expectMemory(std::move(wanted));
}

TEST(Fuse, FewTermsStayInLoopsUnfused) {
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, 3});
  g.output(g.e.reduceAxes(Combine::Sum, x, {1}, false));
  GraphRecord record = g.finish();
  record.options.optimizations.takeOut(Optimization::Fusion);
  EXPECT_EQ(fuse(std::move(record))->kernels.at(0).nests.at(0).combine, Combine::Sum);
}

TEST(Fuse, FewTermsStartAtZero) { // -0.0 - 0.0 from 0.0 on is 0.0
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic, 2});
  g.output(g.e.reduceAxes(Combine::Sum, x, {1}, false));
  auto executable = *makeExecutable(*fuse(g.finish()));
  std::vector<Tensor> results(1);
  ASSERT_TRUE(
      executable
          ->run({*Tensor::full(DType::Float32, {3, 2}, Tensor(-0.0))}, absl::MakeSpan(results), 1)
          .ok());
  for (float v : results[0].flat<float>())
    EXPECT_FALSE(std::signbit(v));
}

TEST(Fuse, ManyTermsProductsAndNumbersKeepTheirLoops) {
  auto combineOf = [](TestGraph &g) {
    KernelGraph k;
    checkAgainstEvaluator(g, 6, 43, &k);
    return k.kernels.at(0).nests.at(0).combine;
  };
  TestGraph five, all, arg;
  Array x = five.input(DType::Float64, {kDynamic, 5});
  five.output(five.e.reduceAxes(Combine::Sum, x, {1}, false));
  EXPECT_EQ(combineOf(five), Combine::Sum);
  Array y = all.input(DType::Float64, {4});
  all.output(all.e.reduceAxes(Combine::Sum, y, {0}, false));
  EXPECT_EQ(combineOf(all), Combine::Sum);
  Array z = arg.input(DType::Float64, {kDynamic, 3});
  arg.output(arg.e.reduceAxes(Combine::ArgMax, z, {1}, false));
  EXPECT_EQ(combineOf(arg), Combine::ArgMax);
}

TEST(Fuse, ProducerJoinsReduction) { // sum(x * y) reads two arrays and writes one number
  TestGraph g;
  Array x = g.input(DType::Float64, {kDynamic, kDynamic});
  Array y = g.input(DType::Float64, {kDynamic, kDynamic});
  g.output(g.e.reduceAxes(Combine::Sum, exps(g, muls(g, x, y)), {0, 1}, false));
  KernelGraph k;
  checkAgainstEvaluator(g, 4, 5, &k);
  ASSERT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(k.kernels[0].nests.size(), 1u);
}

Array matmul(TestGraph &g, Array a, Array b) {
  return g.e.reduce(
      Combine::Sum, {g.e.dim(a, 0), g.e.dim(b, 1)}, {g.e.dim(a, 1)},
      [&](Indices i, Indices r) { return g.e.load(a, {i[0], r[0]}) * g.e.load(b, {r[0], i[1]}); });
}

TEST(Fuse, ContractionTakesEpilogueAndViews) {
  TestGraph g;
  Array a = g.input(DType::Float32, {3, 4});
  Array w = g.input(DType::Float32, {5, 4});
  Array bias = g.input(DType::Float32, {5});
  Array wt =
      g.e.define({g.e.size(4), g.e.size(5)}, [&](Indices i) { return g.e.load(w, {i[1], i[0]}); });
  Array h = adds(g, matmul(g, a, wt), bias);
  g.output(g.e.map({h}, [](const Scalars &s) { return maximum(s[0], 0); }));
  KernelGraph k;
  checkAgainstEvaluator(g, 0, 6, &k);
  ASSERT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(k.kernels[0].nests.size(), 2u);
  EXPECT_EQ(k.kernels[0].numShared, 2);
}

TEST(Fuse, ContractionDoesNotRepeatWork) { // exp would be computed once per column of the result
  TestGraph g;
  Array a = g.input(DType::Float32, {kDynamic, 4});
  Array b = g.input(DType::Float32, {4, 5});
  g.output(matmul(g, exps(g, a), b));
  KernelGraph k;
  checkAgainstEvaluator(g, 3, 7, &k);
  EXPECT_EQ(k.kernels.size(), 2u);
}

TEST(Fuse, SharedWorkIsDoneOnce) { // two clients of exp(x): one kernel, exp in one nest
  TestGraph g;
  Array x = g.input(DType::Float32, {kDynamic});
  Array p = exps(g, x);
  g.output(adds(g, p, x));
  g.output(muls(g, p, x));
  KernelGraph k;
  checkAgainstEvaluator(g, 9, 8, &k);
  ASSERT_EQ(k.kernels.size(), 1u);
  int exps = 0;
  for (const Nest &nest : k.kernels[0].nests)
    for (const ScalarNode &n : nest.body)
      exps += n.op == ScalarOp::Exp;
  EXPECT_EQ(exps, 1);
}

TEST(Fuse, BufferIsTakenOverInPlace) {
  TestGraph g;
  Array x = g.input(DType::Float32, {4, 4});
  Array first = matmul(g, x, x); // also read by the next product: no epilogue
  Array second = exps(g, adds(g, first, matmul(g, first, x))); // may overwrite `first`
  g.output(matmul(g, second, x));
  KernelGraph k;
  checkAgainstEvaluator(g, 0, 9, &k);
  int arena = 0;
  for (const Program::Array &a : k.program.arrays)
    arena += a.storage == Program::Array::Storage::Arena;
  EXPECT_LE(arena, 2);
}

//===--- size ---------------------------------------------------------------===//

TEST(Fuse, MillionOpsAreFewKernels) {
  TestGraph g;
  Array in[3];
  for (Array &a : in)
    a = g.input(DType::Float32, {kDynamic});
  Array v = in[0];
  constexpr int kOps = 1000000;
  for (int k = 0; k < kOps; ++k)
    v = k % 2 ? muls(g, v, in[k % 3]) : adds(g, v, in[k % 3]);
  g.output(v);
  GraphRecord record = g.finish();
  std::clock_t start = std::clock(); // of this process: others may be busy
  KernelGraph k = *fuse(std::move(record));
  double microseconds = double(std::clock() - start) / CLOCKS_PER_SEC * 1e6;
  RecordProperty("microsecondsPerNode", std::to_string(microseconds / kOps));
  std::printf("%.2f us per node, %zu kernels, %zu steps\n", microseconds / kOps, k.kernels.size(),
              k.program.steps.size());
  EXPECT_EQ(k.program.steps.size(), size_t(kOps / 50));
  EXPECT_LE(k.kernels.size(), 6u);
  // Each kernel overwrites what the one before computed.
  int arena = 0;
  for (const Program::Array &a : k.program.arrays)
    arena += a.storage == Program::Array::Storage::Arena;
  EXPECT_LE(arena, 1);
}

/// Pieces of a long sum stay apart: they read much, and are one kernel for all.
TEST(Fuse, BroadNestsAreEqualKernels) {
  TestGraph g;
  Array sum = g.input(DType::Float64, {kDynamic});
  constexpr int kPieces = 12, kTerms = 9;
  for (int piece = 0; piece < kPieces; ++piece) {
    std::vector<Array> terms = {sum};
    for (int k = 0; k < kTerms; ++k)
      terms.push_back(g.input(DType::Float64, {kDynamic}));
    sum = g.e.map(terms, [](const Scalars &s) {
      Scalar all = s[0];
      for (size_t k = 1; k < s.size(); ++k)
        all = all + s[k];
      return all;
    });
  }
  g.output(sum);
  KernelGraph k;
  checkAgainstEvaluator(g, 5, 7, &k);
  EXPECT_EQ(k.kernels.size(), 1u);
  EXPECT_EQ(k.program.steps.size(), size_t(kPieces));
}

/// What reads little joins a sum of many terms.
TEST(Fuse, BroadNestsTakeSmallOnes) {
  TestGraph g;
  std::vector<Array> terms;
  for (int k = 0; k < 16; ++k)
    terms.push_back(exps(g, g.input(DType::Float64, {kDynamic})));
  g.output(exps(g, g.e.map(terms, [](const Scalars &s) {
    Scalar all = s[0];
    for (size_t k = 1; k < s.size(); ++k)
      all = all + s[k];
    return all;
  })));
  KernelGraph k;
  checkAgainstEvaluator(g, 5, 8, &k);
  EXPECT_EQ(k.program.steps.size(), 1u);
}

TEST(Fuse, DiamondOfDepthThousand) { // 2^1000 paths
  TestGraph g;
  Array a = g.input(DType::Float64, {kDynamic});
  Array v = a;
  for (int k = 0; k < 1000; ++k)
    v = adds(g, muls(g, v, a), exps(g, v));
  g.output(v);
  KernelGraph k;
  checkAgainstEvaluator(g, 4, 10, &k);
  EXPECT_LE(k.program.steps.size(), 70u);
}

//===--- random graphs ------------------------------------------------------===//

/// A graph of random maps, reductions, contractions, views and movements of square matrices and
/// vectors.
void randomGraph(TestGraph &g, uint32_t seed) {
  std::mt19937 rng(seed);
  auto pick = [&](size_t n) { return size_t(rng() % n); };
  const bool isDynamic = pick(2);
  DType dtype = pick(3) ? DType::Float32 : DType::Float64;
  // Four terms are written out: in float64 they are not rounded as the evaluator's sums are.
  int64_t n = isDynamic ? kDynamic : dtype == DType::Float64 ? 5 : 4;
  std::vector<Array> matrices = {g.input(dtype, {n, n}), g.input(dtype, {n, n})};
  std::vector<Array> vectors = {g.input(dtype, {n})};
  Emitter &e = g.e;
  e.requireEqual(e.dim(matrices[0], 0), e.dim(matrices[0], 1), "a");
  e.requireEqual(e.dim(matrices[0], 0), e.dim(matrices[1], 0), "a");
  e.requireEqual(e.dim(matrices[0], 0), e.dim(matrices[1], 1), "a");
  e.requireEqual(e.dim(matrices[0], 0), e.dim(vectors[0], 0), "a");
  auto matrix = [&] {
    return matrices[matrices.size() - 1 - pick(std::min<size_t>(matrices.size(), 5))];
  };
  auto vector = [&] {
    return vectors[vectors.size() - 1 - pick(std::min<size_t>(vectors.size(), 3))];
  };
  for (int step = 0; step < 14; ++step) {
    Array a = matrix(), b = matrix(), v = vector();
    Extent m = e.dim(a, 0);
    switch (pick(14)) {
    case 0:
      matrices.push_back(e.map({a, b}, [](const Scalars &s) { return s[0] * s[1] - s[0]; }));
      break;
    case 1:
      matrices.push_back(e.map({a, v}, [](const Scalars &s) { return tanh(s[0] + s[1]); }));
      break;
    case 2:
      matrices.push_back(e.define({m, m}, [&](Indices i) { return e.load(a, {i[1], i[0]}); }));
      break;
    case 3:
      vectors.push_back(e.reduceAxes(Combine::Sum, a, {int(pick(2))}, false));
      break;
    case 4: {
      Array row = e.reduceAxes(Combine::Max, a, {1}, true);
      matrices.push_back(e.map({a, row}, [](const Scalars &s) { return s[0] - s[1]; }));
      break;
    }
    case 5: // reversed rows
      matrices.push_back(e.define(
          {m, m}, [&](Indices i) { return e.load(a, {e.scalar(m) - e.index(1) - i[0], i[1]}); }));
      break;
    case 6: // shifted by one, zeros moving in
      matrices.push_back(e.define({m, m}, [&](Indices i) {
        return e.loadIf(i[1] > e.index(0), a, {{i[0], i[1] - e.index(1)}}, e.literal(dtype, 0));
      }));
      break;
    case 7:
      matrices.push_back(e.reduce(Combine::Sum, {m, m}, {m}, [&](Indices i, Indices r) {
        return tanh(e.load(a, {i[0], r[0]}) * e.load(b, {r[0], i[1]}));
      }));
      break;
    case 8: // through a flat view and back
      matrices.push_back(e.view(e.view(a, {m * m}), {m, m}));
      break;
    case 9: // view with a unit axis
      matrices.push_back(e.map({a, e.view(v, {m, e.size(1)})},
                               [](const Scalars &s) { return maximum(s[0], s[1]); }));
      break;
    case 10:
      vectors.push_back(e.map({v, e.reduceAxes(Combine::Sum, a, {0, 1}, false)},
                              [](const Scalars &s) { return s[0] + tanh(s[1]); }));
      break;
    case 11: {
      Array at = e.reduceAxes(Combine::ArgMax, a, {1}, false);
      vectors.push_back(e.map({at}, [&](const Scalars &s) { return cast(s[0], dtype); }));
      break;
    }
    case 13: { // equal sums, computed twice, one perhaps wanted outside
      int axis = int(pick(2));
      Array one = e.reduceAxes(Combine::Sum, a, {axis}, false);
      Array two = e.reduceAxes(Combine::Sum, a, {axis}, false);
      vectors.push_back(e.map({one, two, v}, [](const Scalars &s) { return s[0] - s[1] * s[2]; }));
      if (pick(2))
        vectors.push_back(pick(2) ? one : two);
      break;
    }
    case 12: // neighbours: the same array at two places
      vectors.push_back(e.define({m}, [&](Indices i) {
        Scalar inside = i[0] + e.index(1) < e.scalar(m);
        return e.load(v, {i[0]}) + e.loadIf(inside, v, {{i[0] + e.index(1)}}, e.literal(dtype, 1));
      }));
      break;
    }
  }
  g.output(matrices.back());
  g.output(vectors.back());
  g.output(matrix());
}

TEST(Fuse, RandomGraphsAgreeWithEvaluator) { // F-305
  for (uint32_t seed = 0; seed < 400; ++seed) {
    TestGraph g;
    randomGraph(g, seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    checkAgainstEvaluator(g, 1 + seed % 5, seed);
    if (HasFatalFailure())
      return;
  }
}

} // namespace
} // namespace graphc
