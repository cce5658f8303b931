// F-061: from a graph of a million nodes to a result, nothing recurses. Each test runs on a stack
// of 8 MiB, what a process has; recursion of a million calls needs at least 16 MiB.
#include <gtest/gtest.h>

#include <cmath>

#include "OnStack.h"
#include "Ops/Build.h"
#include "absl/strings/match.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Print.h"
#include "graphc/Traversal.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

FunctionOptions withoutFolder() {
  FunctionOptions options;
  options.cache = false;
  return options;
}

constexpr int kLength = 1'000'000;

// Built, printed, cloned, compiled, run and destroyed. All groups but the first and the last are
// alike, so a handful of kernels is compiled and run twenty thousand times.
TEST(LargeFunction, Chain) {
  onStack(8, [] {
    Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
    Variable v = x;
    for (int i = 0; i < kLength; ++i)
      v = i % 2 ? v + y : v * z;
    EXPECT_LT(debugPrint(v).size(), size_t(kLength) * 500);
    InputsOutputs copy = clone({x, y, z}, {v});
    v = Variable();

    absl::StatusOr<Function> f =
        function(InputList(copy.inputs), OutputList(copy.outputs), withoutFolder());
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_LE(f->counters().kernels, 4);
    absl::StatusOr<Results> results = (*f)(0.5, 0.25, 0.75);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_GE(f->counters().kernelRuns, kLength / 50);
    // The same additions and multiplications of doubles in the same order give the same bits:
    // nothing in a graph is contracted or reordered. Stored each time, so that the compiler of this
    // test does neither.
    volatile double expected = 0.5;
    for (int i = 0; i < kLength; ++i)
      expected = i % 2 ? expected + 0.25 : expected * 0.75;
    EXPECT_EQ(results->item<double>(), expected);
  });
}

// The same of vectors, whose memory between the kernels is used again and again.
TEST(LargeFunction, ChainOfVectors) {
  onStack(8, [] {
    constexpr int kSteps = 100'000;
    Variable x = dvector("x"), y = dvector("y"), z = dvector("z");
    Variable v = x;
    for (int i = 0; i < kSteps; ++i)
      v = i % 2 ? v + y : v * z;
    absl::StatusOr<Function> f = function({x, y, z}, v, withoutFolder());
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_LE(f->counters().kernels, 4);
    Tensor ones({1.0, 1.0, 1.0}), halves({0.5, 0.5, 0.5});
    absl::StatusOr<Results> results = (*f)(ones, ones, halves);
    ASSERT_TRUE(results.ok()) << results.status();
    // v -> v/2 + 1 has the fixed point 2, and comes to it exactly.
    EXPECT_TRUE((*results)[0] == Tensor({2.0, 2.0, 2.0}));
  });
}

// 2^1000 paths through a thousand nodes.
TEST(LargeFunction, Diamond) {
  onStack(8, [] {
    constexpr int kDepth = 1000;
    for (bool vectors : {false, true}) {
      Variable x = vectors ? dvector("x") : dscalar("x"), v = x;
      for (int i = 0; i < kDepth; ++i)
        v = v + v;
      EXPECT_LT(debugPrint(v).size(), 1'000'000u);
      InputsOutputs copy = clone({x}, {v});
      absl::StatusOr<Function> f =
          function(InputList(copy.inputs), OutputList(copy.outputs), withoutFolder());
      ASSERT_TRUE(f.ok()) << f.status();
      EXPECT_LE(f->counters().kernels, 4);
      double least = std::ldexp(1.0, -kDepth); // doubled a thousand times it is 1
      absl::StatusOr<Results> results = (*f)(vectors ? Tensor({least, 3 * least}) : Tensor(least));
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_TRUE((*results)[0] == (vectors ? Tensor({1.0, 3.0}) : Tensor(1.0)))
          << (*results)[0].str();
    }
  });
}

// A node of thousands of operands becomes kernels of a few operands each, most of them alike.
TEST(LargeFunction, ManyOperands) {
  constexpr int kOperands = 3000;
  Variable x = dvector("x"), y = tensor(DType::Float64, {kDynamic, 1}, "y"), z = dvector("z");
  std::vector<Operand> terms;
  Variables parts;
  for (int i = 0; i < kOperands; ++i) {
    terms.push_back(i % 3 ? x : y);
    parts.push_back(i % 3 ? x : z);
  }
  Variable sum = builtin("add").call(terms, Place()), product = builtin("mul").call(terms, Place()),
           joined = concatenate(parts);
  absl::StatusOr<Function> f = function({x, y, z}, {sum, product, joined}, withoutFolder());
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_LE(f->counters().kernels, 24);

  const std::vector<double> xs = {0.1, 0.9999, -1.1}, ys = {1.001, -0.7}, zs = {5, 6};
  auto vectorOf = [](const std::vector<double> &v) {
    return *Tensor::fromSpan<double>(v, {int64_t(v.size())});
  };
  Tensor column = *vectorOf(ys).reshape({2, 1});
  absl::StatusOr<Results> results = (*f)(vectorOf(xs), column, vectorOf(zs));
  ASSERT_TRUE(results.ok()) << results.status();
  // From left to right, each step rounded: the same bits as by hand.
  Tensor sums = (*results)[0], products = (*results)[1];
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < 3; ++i) {
      volatile double added = ys[row], multiplied = ys[row];
      for (int k = 1; k < kOperands; ++k) {
        added = added + (k % 3 ? xs[i] : ys[row]);
        multiplied = multiplied * (k % 3 ? xs[i] : ys[row]);
      }
      EXPECT_EQ(sums.flat<double>()[row * 3 + i], added);
      EXPECT_EQ(products.flat<double>()[row * 3 + i], multiplied);
    }
  std::vector<double> behind;
  for (int k = 0; k < kOperands; ++k)
    behind.insert(behind.end(), (k % 3 ? xs : zs).begin(), (k % 3 ? xs : zs).end());
  EXPECT_TRUE((*results)[2] == vectorOf(behind));

  // The axis is one of the result, whichever operands meet in a kernel.
  Variable w = dvector("w"), m = dmatrix("m");
  terms.assign(40, x);
  terms[5] = w;
  terms.back() = m;
  f = function({x, w, m}, builtin("add").call(terms, Place()), withoutFolder());
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_TRUE(absl::StartsWith(
      (*f)(vectorOf(xs), vectorOf(zs), *Tensor::zeros(DType::Float64, {1, 3})).status().message(),
      "add: extents differ along axis 1: 3 and 2 (an extent broadcasts only where its type says"));
}

// Every node shares what stands before it with its neighbours: x, x+y, (x+y)*x, ...
TEST(LargeFunction, Ladder) {
  onStack(8, [] {
    constexpr int kRungs = 100'000;
    Variable x = dscalar("x"), a = x, b = x * 0.5;
    for (int i = 0; i < kRungs; ++i) {
      Variable next = (a + b) * 0.5;
      a = b;
      b = next;
    }
    absl::StatusOr<Function> f = function({x}, b, withoutFolder());
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_LE(f->counters().kernels, 16);
    absl::StatusOr<Results> results = (*f)(3.0);
    ASSERT_TRUE(results.ok()) << results.status();
    // Averages of neighbours: the limit is a third of the first and two thirds of the second.
    // Each step rounds once, and averaging does not let errors grow: far below 1e-12.
    EXPECT_NEAR(results->item<double>(), 3.0 / 3 + 1.5 * 2 / 3, 1e-12);
  });
}

} // namespace
} // namespace graphc
