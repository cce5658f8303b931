//===- DeepGraphsTest.cpp - differentiation needs no stack (F-296) ---------===//
//
// Whatever recursed once for each node, or each level of a nest, would need more than the stack of
// 1 MiB that all of this runs on: for each of 100,000 nodes there are 10 bytes.
//
// The graphs are powers of x, their values those at x = 1: the derivatives of x^n are n and
// n (n - 1) there, small integers, as are all sums on the way. Evaluating takes much longer than
// differentiating: values are those of shorter graphs.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "OnStack.h"
#include "Places.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

constexpr int kNodes = 100'000, kLevels = 5'000;

/// x^(nodes + 1).
Variable power(const Variable &x, int nodes) {
  Variable y = x;
  for (int i = 0; i < nodes; ++i)
    y = y * x;
  return y;
}

/// x, by way of as many nodes.
Variable negated(Variable x, int nodes) {
  for (int i = 0; i < nodes; ++i)
    x = -x;
  return x;
}

/// `op` within a nest, each graph of which applies the one before.
OpFromGraph nest(const OpFromGraph &op) {
  OpFromGraph outer = op;
  for (int level = 0; level < kLevels; ++level) {
    Variable x = dscalar("x");
    outer = OpFromGraph({x}, {outer(x)}, {.name = "outer"});
  }
  EXPECT_TRUE(outer.ok()) << outer.status();
  return outer;
}

/// The elements of `output`, where each input is 1.
std::vector<double> atOne(const Variable &output, const Variables &inputs) {
  std::vector<Tensor> ones;
  for (const Variable &input : inputs)
    ones.push_back(input.rank() == 0 ? Tensor(1.0) : Tensor({1.0, 1.0}));
  auto results = evaluate({output}, inputs, ones);
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok())
    return {};
  Tensor t = (*results)[0].contiguous();
  return {t.flat<double>().begin(), t.flat<double>().end()};
}

using List = std::vector<double>;

/// Derivatives of short graphs are evaluated, those of deep ones made; `perNode` bounds their size.
void expectAtOne(int nodes, int perNode, const Variable &output, const Variables &inputs,
                 const List &expected) {
  ASSERT_TRUE(output.ok()) << output.status();
  if (nodes < 1000)
    EXPECT_EQ(atOne(output, inputs), expected);
  else
    EXPECT_LE(ioToposort(inputs, {output}).size(), size_t(perNode * nodes));
}

TEST(DeepGraphs, Pushforward) { // F-287, F-296
  for (int nodes : {500, kNodes})
    onStack(1, [=] {
      auto x = dscalar("x"), t = dscalar("t");
      for (bool byRules : {true, false})
        expectAtOne(nodes, 4, pushforward(power(x, nodes), x, t, {.useOpPushforward = byRules}),
                    {x, t}, List{nodes + 1.0});
    });
}

TEST(DeepGraphs, SecondDerivatives) { // F-290, F-296
  for (int nodes : {500, kNodes})
    onStack(1, [=] {
      auto x = dscalar("x"), p = dscalar("p");
      const List expected = {(nodes + 1.0) * nodes};
      expectAtOne(nodes, 16, hessianVectorProduct(power(x, nodes), x, p), {x, p}, expected);
      expectAtOne(nodes, 16, grad(grad(power(x, nodes), x), x), {x}, expected);
    });
}

TEST(DeepGraphs, SubgraphGrad) { // F-291, F-296
  for (int nodes : {500, kNodes})
    onStack(1, [=] {
      auto x = dscalar("x"), w = dscalar("w");
      Variable middle = power(x, nodes) * w, y = middle;
      for (int i = 0; i < nodes; ++i)
        y = y * w;
      SubgraphGradients upper = subgraphGrad({w}, {middle}, {}, y);
      expectAtOne(nodes, 8, upper.wrt[0], {x, w}, List{double(nodes)});
      expectAtOne(nodes, 8, upper.end[0], {x, w}, List{1});
      SubgraphGradients lower = subgraphGrad({w}, {x}, {{middle, upper.end[0]}});
      expectAtOne(nodes, 8, lower.wrt[0], {x, w}, List{1});
      expectAtOne(nodes, 8, lower.end[0], {x, w}, List{nodes + 1.0});
    });
}

TEST(DeepGraphs, Vectorize) { // F-289, F-296
  for (int nodes : {500, kNodes / 2})
    onStack(1, [=] {
      auto v = dvector("v"), t = dvector("t");
      auto x = dscalar("x");
      const double n = nodes + 1;
      expectAtOne(nodes, 8, jacobian(power(v, nodes), v), {v}, {n, 0, 0, n});
      Variable each = vectorize({power(x, nodes)}, {{x, v}})[0];
      expectAtOne(nodes, 1, each, {v}, {1, 1});
      expectAtOne(nodes, 1, grad(sum(each), v), {v}, {n, n});
      expectAtOne(nodes, 1, pushforward(each, v, t), {v, t}, {n, n});
    });
}

// What is said of a way of 100,000 nodes: the first ones of it, and where it ends.
TEST(DeepGraphs, MessagesOfNull) { // F-276, F-296
  onStack(1, [] {
    auto x = dscalar("x");
    const std::string undefined = " is not defined: undefinedGrad says so\n  on the way ",
                      at = " at DeepGraphsTest.cpp";
    const Variable first = negated(undefinedGrad(x), kNodes),
                   last = undefinedGrad(negated(x, kNodes));
    auto gradient = [&](const Variable &cost) {
      return withoutLines(said(grad(cost, x).status()));
    };
    const std::string ofGradient =
        "NullGradient: grad: the gradient with respect to x" + undefined + "from it to the cost: ";
    EXPECT_EQ(gradient(first), ofGradient + "undefinedGrad" + at);
    std::string way;
    for (int i = 0; i < 12; ++i)
      way += "neg" + at + ", ";
    EXPECT_EQ(gradient(last), ofGradient + way + "...");
    for (const Variable &f : {first, last})
      for (bool byRules : {true, false}) {
        PushforwardOptions options{.useOpPushforward = byRules};
        EXPECT_EQ(withoutLines(said(pushforward(f, x, x, options).status())),
                  "NullGradient: pushforward: the tangent of the result of " +
                      std::string(f.owner().op().name()) + undefined + "to it: undefinedGrad" + at);
        options.nullGradients = NullGradients::Return;
        EXPECT_EQ(pushforward(f, x, x, options).type().reason(), "undefinedGrad says so");
      }
  });
}

TEST(DeepGraphs, MessagesOfDisconnected) { // F-274, F-296
  onStack(1, [] {
    auto x = dscalar("x");
    for (const Variable &cost :
         {negated(disconnectedGrad(x), kNodes), disconnectedGrad(negated(x, kNodes))}) {
      EXPECT_EQ(withoutLines(said(grad(cost, x).status())),
                "DisconnectedInput: grad: the cost does not depend on x, with respect to which it "
                "is differentiated: every way leads through an op whose result does not depend on "
                "the elements: disconnectedGrad at DeepGraphsTest.cpp\n"
                "  to get zeros set disconnectedInputs to Ignore or Warn");
      for (bool byRules : {true, false})
        EXPECT_EQ(errorKind(pushforward(cost, x, x, {.useOpPushforward = byRules}).status()),
                  ErrorKind::DisconnectedInput);
    }
  });
}

TEST(DeepGraphs, Nests) { // F-238, F-262, F-296
  onStack(1, [] {
    auto x = dscalar("x"), t = dscalar("t"), a = dscalar("a");
    auto v = dvector("v");
    OpFromGraph op = nest(OpFromGraph({a}, {a * a * a}));
    Variable y = op(x);
    EXPECT_EQ(atOne(grad(y, x), {x}), List{3});
    for (bool byRules : {true, false})
      EXPECT_EQ(atOne(pushforward(y, x, t, {.useOpPushforward = byRules}), {x, t}), List{3});
    EXPECT_EQ(atOne(grad(grad(y, x), x), {x}), List{6});
    EXPECT_EQ(atOne(hessianVectorProduct(y, x, t), {x, t}), List{6});
    Variable each = vectorize({y}, {{x, v}})[0];
    EXPECT_EQ(atOne(jacobian(each, v), {v}), (List{3, 0, 0, 3}));
    EXPECT_EQ(atOne(pushforward(each, v, v), {v}), (List{3, 3}));
    EXPECT_EQ(atOne(subgraphGrad({x}, {}, {}, y).wrt[0], {x}), List{3});
  });
}

// Eight names of 5,000.
TEST(DeepGraphs, MessagesOfNests) { // F-251, F-252, F-296
  onStack(1, [] {
    auto x = dscalar("x"), a = dscalar("a");
    const std::string at = " at DeepGraphsTest.cpp", outer = "outer" + at + " > ";
    std::string way = outer + "... > ";
    for (int i = 0; i < 5; ++i)
      way += outer;
    way += "inner" + at;
    Variable y = nest(OpFromGraph({a}, {a * a},
                                  {.pullback = {Override::nullType("why")},
                                   .pushforward = {Override::nullType("why")},
                                   .name = "inner"}))(x);
    EXPECT_EQ(withoutLines(said(grad(y, x).status())),
              "NullGradient: grad: the gradient with respect to x is not defined: why\n  on the "
              "way from it to the cost: " +
                  way);
    for (bool byRules : {true, false})
      EXPECT_EQ(withoutLines(said(pushforward(y, x, x, {.useOpPushforward = byRules}).status())),
                "NullGradient: pushforward: the tangent of the result of outer is not defined: "
                "why\n  on the way to it: " +
                    way);
    y = nest(OpFromGraph({a}, {a * a}, {.pullback = {Override::disconnected()}}))(x);
    EXPECT_EQ(withoutLines(said(grad(y, x).status())),
              "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
              "differentiated: every way leads through an op whose result does not depend on the "
              "elements: outer at DeepGraphsTest.cpp\n  to get zeros set disconnectedInputs to "
              "Ignore or Warn");
    for (bool byRules : {true, false})
      EXPECT_EQ(errorKind(pushforward(y, x, x, {.useOpPushforward = byRules}).status()),
                ErrorKind::DisconnectedInput);
  });
}

} // namespace
} // namespace graphc
