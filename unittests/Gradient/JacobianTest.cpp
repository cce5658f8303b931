//===- JacobianTest.cpp - vectorize, jacobian, hessian ---------------------===//
//
// Expected numbers are derivatives worked out by hand at the values beside them.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>

#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"

namespace graphc {
namespace {

using List = std::vector<double>;

/// All elements of `outputs`, compiled and evaluated the same.
List at(const Variables &outputs, const Variables &inputs, const std::vector<Tensor> &values) {
  List first;
  for (const char *mode : {"interpreter", "fast_run", "debug"}) {
    auto f = function(inputs, outputs, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    if (!f.ok())
      return {};
    auto results = f->call(values);
    EXPECT_TRUE(results.ok()) << mode << results.status();
    List list;
    for (size_t i = 0; results.ok() && i < results->size(); ++i) {
      Tensor t = (*results)[i].cast(DType::Float64).contiguous();
      list.insert(list.end(), t.flat<double>().begin(), t.flat<double>().end());
    }
    if (first.empty())
      first = list;
    EXPECT_EQ(list, first) << mode;
  }
  return first;
}

TEST(Vectorize, RunsForEachSlice) {
  auto x = dvector("x"), y = dvector("y");
  auto xs = dmatrix("xs");
  Variables whole = vectorize({sum(x * y), x + 1.0, y * 2.0}, {{x, xs}});
  EXPECT_EQ(whole[0].rank(), 1);
  EXPECT_EQ(whole[2].rank(), 2);
  EXPECT_EQ(
      at(whole, {xs, y}, {Tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}), Tensor({10.0, 100.0})}),
      (List{210, 430, 650, 2, 3, 4, 5, 6, 7, 20, 200, 20, 200, 20, 200}));
}

TEST(Vectorize, OfAnyOp) {
  auto x = dmatrix("x"), w = dmatrix("w");
  auto xs = dtensor3("xs");
  Variable y = softmax(matmul(x, w), Axis(-1));
  Variable z = reshape(transpose(y), {-1});
  Variable mapped = vectorize({z}, {{x, xs}})[0];
  auto slice = [&](int k) {
    return reshape(transpose(softmax(matmul(xs[{k}], w), Axis(-1))), {-1});
  };
  Tensor values({{{1.0, 2.0}, {0.5, -1.0}, {3.0, 0.0}}, {{0.0, 1.0}, {1.0, 1.0}, {-2.0, 0.5}}});
  Tensor weights({{1.0, 0.0}, {0.5, 2.0}});
  List got = at({mapped}, {xs, w}, {values, weights}),
       expected = at({slice(0), slice(1)}, {xs, w}, {values, weights});
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-15);
}

// What is 1 because the values of a shape say so stays 1 where the shape is computed outside.
TEST(Vectorize, KeepsWhatShapesSay) {
  auto x = dmatrix("x");
  auto one = tensor(DType::Float64, {1}, "one"), ones = tensor(DType::Float64, {kDynamic, 1});
  const Tensor values({{1.0, 2.0}, {3.0, 4.0}}), factors({{2.0}, {3.0}});
  // 2 x and 3 x, by a (1, 1) that broadcasts.
  Variable total = sum(x, {.keepDims = true});
  Variable cell = reshape(one, shape(total));
  ASSERT_EQ(cell.type().shape(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(at(vectorize({cell * x}, {{one, ones}}), {x, ones}, {values, factors}),
            (List{2, 4, 6, 8, 3, 6, 9, 12}));
  EXPECT_EQ(vectorize({cell}, {{one, ones}})[0].type().shape(),
            (std::vector<int64_t>{kDynamic, 1, 1}));
  // A shape that is computed within, in part from outside: the rows of x times 1 and 10.
  auto v = dvector("v");
  auto vs = dmatrix("vs");
  Variable column = reshape(v, stack({Operand(shape(v, 0)), Operand(shape(total, 1))}));
  ASSERT_EQ(column.type().shape(), (std::vector<int64_t>{kDynamic, 1}));
  EXPECT_EQ(at(vectorize({column * x}, {{v, vs}}), {x, vs}, {values, Tensor({{1.0, 10.0}})}),
            (List{1, 2, 30, 40}));
  // Differentiated, the sum of the elements of x; and vectorized again.
  Variable g = grad(sum(vectorize({cell * x}, {{one, ones}})[0]), ones);
  EXPECT_EQ(at({g}, {x, ones}, {values, factors}), (List{10, 10}));
  auto xs = dtensor3("xs");
  Variable twice = vectorize({vectorize({cell * x}, {{one, ones}})[0]}, {{x, xs}})[0];
  EXPECT_EQ(at({twice}, {xs, ones}, {Tensor({{{1.0, 2.0}}, {{3.0, 4.0}}}), factors}),
            (List{2, 4, 3, 6, 6, 8, 9, 12}));
}

TEST(Jacobian, OfReductionsThatKeepAxes) {
  auto x = dmatrix("x");
  auto square = tensor(DType::Float64, {2, 2}, "square");
  const Tensor values({{1.0, 2.0}, {3.0, 4.0}});
  const ReductionOptions keep{.keepDims = true}, rows{.axes = Axis(1), .keepDims = true};
  const JacobianOptions any{.anyRank = true};
  auto j = [&](const Variable &y) { return at({jacobian(y, x, any)}, {x}, {values}); };
  EXPECT_EQ(jacobian(sum(x * x, keep), x, any).rank(), 4);
  // 2 x; of each row its own, or half of it; 1 for the greatest of a row.
  EXPECT_EQ(j(sum(x * x, keep)), (List{2, 4, 6, 8}));
  EXPECT_EQ(j(sum(x * x, rows)), (List{2, 4, 0, 0, 0, 0, 6, 8}));
  EXPECT_EQ(j(mean(x * x, rows)), (List{1, 2, 0, 0, 0, 0, 3, 4}));
  EXPECT_EQ(j(max(x, rows)), (List{0, 1, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(at({jacobian(sum(square * square, keep), square, any)}, {square}, {values}),
            (List{2, 4, 6, 8}));
}

TEST(Jacobian, ConsidersConstant) { // F-280, F-289, F-290
  auto x = dvector("x"), y = dvector("y");
  const std::vector<Tensor> values = {Tensor({1.0, 2.0}), Tensor({10.0, 100.0})};
  Variable total = sum(x), product = x * total;
  // x_i s with s = 3: s where i = j, and x_i beside that where s depends on x_j.
  EXPECT_EQ(at({jacobian(product, x)}, {x}, {values[0]}), (List{4, 1, 2, 5}));
  JacobianOptions constant{.considerConstant = {total}};
  EXPECT_EQ(at({jacobian(product, x, constant)}, {x}, {values[0]}), (List{3, 0, 0, 3}));
  // A scalar, several Variables, any rank.
  EXPECT_EQ(at({jacobian(total * sum(x * x), x, constant)}, {x}, {values[0]}), (List{6, 12}));
  EXPECT_EQ(at(jacobian(product * y, {x, y}, constant), {x, y}, values),
            (List{30, 0, 0, 300, 3, 0, 0, 6}));
  constant.anyRank = true;
  EXPECT_EQ(at({jacobian(expandDims(product, Axis(0)), x, constant)}, {x}, {values[0]}),
            (List{3, 0, 0, 3}));
  // s (x . x): 2 s in the diagonal, and 2 (x_i + x_j) where s counts.
  Variable cost = total * sum(x * x);
  EXPECT_EQ(at({hessian(cost, x)}, {x}, {values[0]}), (List{10, 6, 6, 14}));
  EXPECT_EQ(at({hessian(cost, x, {.considerConstant = {total}})}, {x}, {values[0]}),
            (List{6, 0, 0, 6}));
  // All ways are cut.
  EXPECT_EQ(errorKind(jacobian(product, x, {.considerConstant = {product}}).status()),
            ErrorKind::DisconnectedInput);
  EXPECT_EQ(at({jacobian(product, x,
                         {.considerConstant = {product},
                          .disconnectedInputs = DisconnectedInputs::Ignore})},
               {x}, {values[0]}),
            (List{0, 0, 0, 0}));
}

TEST(Vectorize, WithinAnotherOne) {
  auto x = dscalar("x"), y = dscalar("y");
  auto xs = dvector("xs"), ys = dvector("ys");
  Variable inner = vectorize({x * y + x}, {{y, ys}})[0];
  Variable outer = vectorize({inner}, {{x, xs}})[0];
  EXPECT_EQ(at({outer}, {xs, ys}, {Tensor({1.0, 2.0, 3.0}), Tensor({10.0, 20.0})}),
            (List{11, 21, 22, 42, 33, 63}));
}

// Nothing recurses without a bound: graphs are vectorized within each other 31 levels deep at most.
TEST(Vectorize, LevelsAreBounded) {
  Variables numbers;
  for (int i = 0; i < 33; ++i)
    numbers.push_back(dscalar());
  Variable value = sqr(numbers[0]);
  for (int i = 1; i < 33; ++i)
    value = value * numbers[size_t(i)];
  Variables inputs;
  for (size_t level = 0; level < 31; ++level) {
    inputs.push_back(dvector());
    value = mean(vectorize({value}, {{numbers[level], inputs.back()}})[0]);
  }
  ASSERT_TRUE(value.ok()) << value.status();
  std::vector<Tensor> values(31, Tensor({1.0}));
  values[0] = Tensor({1.0, 3.0});
  // The mean of 1^2 and 3^2 is 5, times the numbers that are left.
  inputs.insert(inputs.end(), {numbers[31], numbers[32]});
  values.insert(values.end(), {Tensor(0.5), Tensor(7.0)});
  EXPECT_EQ(at({grad(value, {numbers[31], inputs[0]})}, inputs, values),
            (List{35, 0.5 * 7 * 1, 0.5 * 7 * 3}));
  Variable deeper = vectorize({value}, {{numbers[31], dvector()}})[0];
  EXPECT_EQ(errorKind(deeper.status()), ErrorKind::NotSupported);
  EXPECT_EQ(
      std::string(deeper.status().message()),
      "graphs are vectorized within each other at most 31 levels deep: vectorize over several "
      "axes at once, or flatten them");
}

TEST(Vectorize, IsDifferentiable) { // F-262
  auto x = dvector("x"), y = dscalar("y");
  auto xs = dmatrix("xs");
  Variable cost = sum(sqr(vectorize({sum(x) * y}, {{x, xs}})[0]));
  // cost = y^2 (s0^2 + s1^2) with s the rows' sums 3 and 7.
  EXPECT_EQ(at(grad(cost, {xs, y}), {xs, y}, {Tensor({{1.0, 2.0}, {3.0, 4.0}}), Tensor(2.0)}),
            (List{24, 24, 56, 56, 2 * 2 * (9 + 49)}));
  EXPECT_EQ(at({pushforward(cost, y, constant(10.0))}, {xs, y},
               {Tensor({{1.0, 2.0}, {3.0, 4.0}}), Tensor(2.0)}),
            (List{2320}));
}

// The graph of a slice is rewritten as any: log(1 + exp(x)) overflows at 1000 unless softplus comes
// in its place, also where it stands in a nest or in an OpFromGraph.
TEST(Vectorize, IsRewritten) {
  auto x = dscalar("x"), y = dscalar("y");
  auto xs = dvector("xs"), ys = dvector("ys");
  OpFromGraph op({x}, {log(1 + exp(x))});
  Variable nest = vectorize({vectorize({op(x + y)}, {{y, ys}})[0]}, {{x, xs}})[0];
  for (const Variable &z : {vectorize({log(1 + exp(x))}, {{x, xs}})[0], nest})
    for (auto [rewrites, expected] :
         {std::pair(true, 1000.0), std::pair(false, double(INFINITY))}) {
      auto f = function({xs, ys}, sum(z),
                        {.rewrites = rewrites, .onUnusedInput = OnUnusedInput::Ignore});
      ASSERT_TRUE(f.ok()) << f.status();
      auto r = (*f)(Tensor({1000.0}), Tensor({0.0}));
      ASSERT_TRUE(r.ok()) << r.status();
      EXPECT_EQ((*r)[0], Tensor(expected));
    }
  auto graph =
      FunctionGraph::create({xs, ys}, {nest, nest + vectorize({exp(y) * 0}, {{y, ys}})[0]});
  ASSERT_TRUE(graph.ok() && rewrite(*graph).ok());
  EXPECT_TRUE(graph->checkIntegrity().ok());
}

// Equal ones are computed once: of equal graphs, over the same operands.
TEST(Vectorize, Merges) {
  auto x = dscalar("x"), y = dscalar("y");
  auto xs = dvector("xs");
  Variables all = {vectorize({exp(x)}, {{x, xs}})[0], vectorize({exp(y)}, {{y, xs}})[0],
                   vectorize({exp(exp(y))}, {{y, xs}})[0]};
  auto graph = FunctionGraph::create({xs}, all);
  ASSERT_TRUE(graph.ok() && rewrite(*graph, {}, {.include = {"merge"}}).ok());
  EXPECT_EQ(graph->outputs()[0], graph->outputs()[1]);
  EXPECT_FALSE(graph->outputs()[0] == graph->outputs()[2]);
}

// x0^2 x1 + x1^3: [[2 x1, 2 x0], [2 x0, 6 x1]], printed, saved and loaded.
TEST(Vectorize, IsSaved) {
  auto x = dvector("x");
  Variable a = x[{0}], b = x[{1}];
  Variable second = hessian(a * a * b + b * b * b, x);
  EXPECT_NE(debugPrint(second).find("Inner graphs:\n\nvectorized of "), std::string::npos);
  auto f = function({x}, second);
  ASSERT_TRUE(f.ok()) << f.status();
  std::string path = ::testing::TempDir() + "hessian.gcf";
  ASSERT_TRUE(f->save(path).ok());
  for (bool trusted : {false, true}) {
    auto loaded = loadFunction(path, {.trustCode = trusted});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ((*(*loaded)(Tensor({3.0, 5.0})))[0], Tensor({{10.0, 6.0}, {6.0, 30.0}}));
  }
}

TEST(Jacobian, OfVectors) { // F-289
  auto x = dvector("x"), y = dscalar("y");
  Variables j = jacobian(x * x * y, {x, y});
  EXPECT_EQ(at(j, {x, y}, {Tensor({1.0, 2.0}), Tensor(3.0)}), (List{6, 0, 0, 12, 1, 4}));
  EXPECT_EQ(at({jacobian(sum(x) * y, x)}, {x, y}, {Tensor({1.0, 2.0}), Tensor(3.0)}), (List{3, 3}));
  // Nothing to differentiate: shape (0, 2).
  auto e = jacobian(x[{Slice(0, 0)}], x);
  auto f = function({x}, shape(e));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ((*(*f)(Tensor({1.0, 2.0})))[0].str(), "[0 2]");
}

TEST(Jacobian, OfAnyRank) { // F-289
  auto m = dmatrix("m");
  Variable j = jacobian(m * m, m, {.anyRank = true});
  EXPECT_EQ(j.rank(), 4);
  EXPECT_EQ(at({j}, {m}, {Tensor({{1.0, 2.0}})}), (List{2, 0, 0, 4}));
  EXPECT_EQ(errorKind(jacobian(m, m).status()), ErrorKind::ValueError);
}

TEST(Hessian, OfScalars) { // F-290
  auto x = dvector("x");
  // x0^2 x1 + x1^3: [[2 x1, 2 x0], [2 x0, 6 x1]].
  Variable a = x[{0}], b = x[{1}];
  Variable cost = a * a * b + b * b * b;
  EXPECT_EQ(at({hessian(cost, x)}, {x}, {Tensor({3.0, 5.0})}), (List{10, 6, 6, 30}));
  EXPECT_EQ(at({hessian(sum(x), x)}, {x}, {Tensor({3.0, 5.0})}), (List{0, 0, 0, 0}));
  auto m = dmatrix("m");
  EXPECT_EQ(errorKind(hessian(sum(m), m).status()), ErrorKind::ValueError);
}

TEST(OpFromGraph, EmitsNodesWithTheirOwnTypes) { // F-239
  auto x = fvector("x"), y = dvector("y");
  OpFromGraph op({x, y}, {x * x + x, y * y + y});
  auto a = fvector("a"), b = dvector("b");
  Variables out = op.apply({a, b});
  for (const char *mode : {"interpreter", "fast_run"}) {
    auto f = function({a, b}, out, {.mode = mode, .rewrites = false});
    ASSERT_TRUE(f.ok()) << mode << f.status();
    auto r = (*f)(Tensor({1.5, 2.0}).cast(DType::Float32), Tensor({0.1, 3.0}));
    ASSERT_TRUE(r.ok()) << mode << r.status();
    EXPECT_EQ((*r)[0].dtype(), DType::Float32);
    EXPECT_EQ((*r)[1].flat<double>()[0], 0.1 * 0.1 + 0.1);
  }
}

} // namespace
} // namespace graphc
