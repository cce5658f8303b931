// Catalogue row 77, F-310: what uses a shape only computes no values, and loses no error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Messages.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

using testing::HasSubstr;

/// What the kernels of a function compute: the names of their nodes.
std::string computed(const Function &f) {
  std::string all;
  for (const Profile::Step &step : f.profile()->steps())
    for (const Profile::Node &node : step.nodes)
      all += node.op + "; ";
  return all;
}

// The products and exponentials of arrays of 512 MiB would show in the profile, and in memory.
TEST(Shapes, AloneNeedNoValues) {
  Variable x = dmatrix("x"), w = dmatrix("w");
  Variable product = dot(exp(x), w);
  absl::StatusOr<Function> f = function(
      {x, w}, {shape(product, 0), shape(exp(product), 1), shape(sin(x))}, {.profile = true});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor a = *Tensor::zeros(DType::Float64, {3, 4}), b = *Tensor::zeros(DType::Float64, {4, 5});
  auto results = f->call({a, b});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].item<int64_t>(), 3);
  EXPECT_EQ((*results)[1].item<int64_t>(), 5);
  EXPECT_EQ((*results)[2], *Tensor::fromSpan<int64_t>({3, 4}, {2}));
  for (const char *op : {"exp", "dot", "sin"})
    EXPECT_THAT(computed(*f), testing::Not(HasSubstr(op)));
  // F-310: the check of the product stays.
  absl::Status mismatch = f->call({a, a}).status();
  EXPECT_EQ(errorKind(mismatch), ErrorKind::ShapeError);
  EXPECT_THAT(std::string(mismatch.message()), HasSubstr("dot"));
}

/// The output of a graph after the built-in rewrites that `query` selects.
std::string rewritten(const Variables &inputs, const Variable &output, Effects allowed,
                      const Query &query = {.include = {"fast_run"}}) {
  absl::StatusOr<FunctionGraph> graph = FunctionGraph::create(inputs, {output});
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(rewrite(*graph, {.allowed = allowed}, query).ok());
  EXPECT_TRUE(graph->checkIntegrity().ok());
  EXPECT_TRUE(graph->features().empty());
  return pp(graph->output(0));
}

// F-310: what could have failed stays, unless shape_unsafe is asked for by its tag.
TEST(Shapes, ChecksStay) {
  Variable x = dvector("x"), y = dvector("y"), n = tensor(DType::Int64, {1}, "n");
  Variables inputs = {x, y, n};
  std::string x0 = pp(shape(x, 0)), y0 = pp(shape(y, 0));
  // Nothing can fail here.
  EXPECT_EQ(rewritten(inputs, shape(exp(x), 0), kDefaultEffects), x0);
  EXPECT_EQ(rewritten(inputs, shape(sin(x).dimshuffle({-1, 0}), 1), kStrictEffects), x0);
  EXPECT_EQ(rewritten(inputs, shape(x, 0) >= 0, kDefaultEffects), "True");
  // These check the extents, the number of elements, a position, that the array fits into memory.
  Variable checked[] = {shape(x + y, 0), shape(reshape(x, {2, 3}), 0),
                        shape(broadcastTo(x[{Index(2)}], {4}), 0), shape(broadcastTo(x, n), 0),
                        shape(concatenate({sin(x), y}), 0)};
  const Query unsafe = {.include = {"shape_unsafe"}};
  const std::string lifted[] = {x0, "2", "4", pp(n[{Index(0)}]), x0 + " + " + y0};
  for (size_t i = 0; i < std::size(checked); ++i) {
    EXPECT_EQ(rewritten(inputs, checked[i], kDefaultEffects), pp(checked[i]));
    EXPECT_EQ(rewritten(inputs, checked[i], kAllEffects, unsafe), lifted[i]);
  }
  // The same through calls.
  absl::StatusOr<Function> f = function({x}, {shape(reshape(x, {2, 3}), 0)});
  ASSERT_TRUE(f.ok());
  EXPECT_TRUE(f->call({*Tensor::zeros(DType::Float64, {6})}).ok());
  EXPECT_EQ(errorKind(f->call({*Tensor::zeros(DType::Float64, {5})}).status()),
            ErrorKind::ShapeError);
}

// Rows 59, 61, 76, 78, 80, 88: by shapes that are equal whatever they are.
TEST(Shapes, WhatHasTheShapeAlready) {
  Variable x = dvector("x"), a = dmatrix("a"), s = dscalar("s");
  Variables inputs = {x, a, s};
  auto after = [&](const Variable &v) { return rewritten(inputs, v, kStrictEffects); };
  EXPECT_EQ(after(x[{Slice(0, shape(x, 0))}]), "x");
  EXPECT_EQ(after(reshape(exp(a), shape(a))), "exp(a)");
  EXPECT_EQ(after(reshape(a, {shape(a, 0), shape(a, 1)})), "a");
  EXPECT_EQ(after(broadcastTo(a, shape(a))), "a");
  EXPECT_EQ(after(x * broadcastTo(s, shape(x))), "s * x");
  EXPECT_EQ(after(broadcastTo(s, shape(x)) - x), "s - x");
  EXPECT_EQ(after(reshape(x, {shape(x, 0), 1})), pp(x.dimshuffle({0, -1})));
  EXPECT_EQ(after((x * exp(x))[{Index(1)}]), pp(x[{Index(1)}] * exp(x[{Index(1)}])));
  EXPECT_EQ(after(shape(a)[{Index(1)}]), pp(shape(a, 1)));
  // Not known to be equal.
  Variable other = a[{Slice(0, shape(x, 0))}];
  EXPECT_EQ(after(other), pp(other));
  // Equal only if the check of broadcastTo holds, which must stay.
  Variable n = tensor(DType::Int64, {1}, "n");
  Variable spread = broadcastTo(x, n);
  EXPECT_EQ(rewritten({x, n}, spread, kDefaultEffects), pp(spread));
  // The result's type says the shape, and the values of m may be others.
  Variable fixed = tensor(DType::Float64, {5, 17}, "fixed"), m = tensor(DType::Int64, {2}, "m");
  Variable same = broadcastTo(fixed, m);
  EXPECT_EQ(rewritten({fixed, m}, same, kStrictEffects), pp(same));
  absl::StatusOr<Function> f = function({fixed, m}, same);
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor data = *Tensor::zeros(DType::Float64, {5, 17});
  EXPECT_TRUE(f->call({data, *Tensor::fromSpan<int64_t>({5, 17}, {2})}).ok());
  EXPECT_EQ(errorKind(f->call({data, *Tensor::fromSpan<int64_t>({-2, 17}, {2})}).status()),
            ErrorKind::ShapeError);
  // x must have the shape of y, and is not computed for another reason.
  Variable y = dvector("y"), filled = second(x, y);
  EXPECT_EQ(rewritten({x, y}, filled, kStrictEffects), pp(filled));
}

} // namespace
} // namespace graphc
