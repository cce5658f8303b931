//===- GradTest.cpp - what grad promises (section 9 of docs/Semantics.md) --===//
//
// Expected numbers are derivatives worked out by hand at the values beside them.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "OnStack.h"
#include "graphc/Config.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"

namespace graphc {
namespace {

using List = std::vector<double>;

/// All elements of all of `outputs` at these values.
List at(const Variables &outputs, const Variables &inputs, const std::vector<Tensor> &values) {
  List list;
  auto results = evaluate(outputs, inputs, values);
  EXPECT_TRUE(results.ok()) << results.status();
  if (results.ok())
    for (const Tensor &result : *results) {
      Tensor t = result.cast(DType::Float64).contiguous();
      list.insert(list.end(), t.flat<double>().begin(), t.flat<double>().end());
    }
  return list;
}
List at(const Variable &output, const Variables &inputs, const std::vector<Tensor> &values) {
  return at(Variables{output}, inputs, values);
}

bool isNull(const Variable &v) { return v.type().kind() == Type::Kind::Null; }
bool isDisconnected(const Variable &v) { return v.type().kind() == Type::Kind::Disconnected; }

/// The nodes that `v` is computed by, by the op's name.
int countOf(const Variables &v, std::string_view op) {
  int count = 0;
  for (const Apply &node : ioToposort({}, v))
    count += op.empty() || node.op().name() == op;
  return count;
}

TEST(Grad, OfSeveral) { // F-267, F-268
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variables g = grad(x + y * z, {x, y, z});
  EXPECT_EQ(at(g, {x, y, z}, {Tensor(2.0), Tensor(3.0), Tensor(4.0)}), (List{1, 4, 3}));
  EXPECT_EQ(at(grad(x * x * y, x), {x, y}, {Tensor(2.0), Tensor(3.0)}), List{12});
}

TEST(Grad, OfInnerVariablesAndTheCost) { // F-269
  auto x = dscalar("x");
  Variable inner = x * x;
  Variable cost = inner * x;
  Variables g = grad(cost, {inner, cost, x});
  EXPECT_EQ(at(g, {x}, {Tensor(3.0)}), (List{3, 1, 27}));
}

TEST(Grad, HasTheTypeOfTheVariable) { // F-270
  auto x = fmatrix("x");
  auto i = ivector("i");
  auto b = tensor(DType::Float64, {1, kDynamic}, "b");
  Variable cost = sum(cast(x, DType::Float64) * b) + sum(2.5 * i);
  Variables g = grad(cost, {x, i, b});
  EXPECT_EQ(g[0].type(), x.type());
  EXPECT_EQ(g[1].dtype(), floatX());
  EXPECT_EQ(g[1].rank(), 1);
  EXPECT_EQ(g[2].type(), b.type());
  Tensor xs({{1.0, 2.0}, {3.0, 4.0}});
  EXPECT_EQ(at(g, {x, i, b},
               {xs.cast(DType::Float32), Tensor({1, 2}).cast(DType::Int32), Tensor({{5.0, 6.0}})}),
            (List{5, 6, 5, 6, 2.5, 2.5, 4, 6}));
  // Only through integers: zeros.
  Variable stopped = sum(cast(i * i, DType::Float64)) + sum(i);
  EXPECT_EQ(at(grad(stopped, i), {i}, {Tensor({1, 2}).cast(DType::Int32)}), (List{5.0 - 5, 0}));
}

TEST(Grad, AddsContributionsOnceAndWithoutZeros) { // F-271, F-296
  auto x = dvector("x");
  Variable y = exp(x);
  Variable cost = sum(y * 2.0) + sum(y * 3.0) + sum(y * 5.0);
  Variable g = grad(cost, x);
  EXPECT_EQ(countOf({g}, "exp"), 1); // the forward one
  for (const Apply &node : ioToposort({}, Variables{g}))
    if (node.op().name() == "add") {
      EXPECT_EQ(node.numInputs(), 3);
    }
  EXPECT_EQ(at(g, {x}, {Tensor({0.0, 0.0})}), (List{10, 10}));
}

TEST(Grad, AddsContributionsInTheOrderOfTheGraph) { // F-271
  auto x = dvector("x");
  auto made = [&] {
    Variable y = exp(x);
    return grad(sum(y * 2.0) + sum(y * 7.0) + sum(y * 3.0) + sum(y * 5.0), x);
  };
  Variable g = made();
  List factors; // of the terms that are added
  for (const Apply &node : ioToposort({}, Variables{g}))
    if (node.op().name() == "add" && node.output(0).rank() == 1)
      for (const Variable &term : node.inputs())
        for (const Variable &v : term.owner().inputs())
          if (auto factor = Constant::from(v))
            factors.push_back(factor->data().item<double>());
  EXPECT_EQ(factors, (List{5, 3, 7, 2})); // the last reader's first
  // Built again, in other memory, it is the same graph.
  const std::string text = debugPrint(g);
  Variables kept;
  for (int build = 0; build < 20; ++build) {
    kept.push_back(made());
    EXPECT_EQ(debugPrint(kept.back()), text);
  }
}

TEST(Grad, StopsAtIntegers) { // F-272
  auto x = dscalar("x");
  EXPECT_EQ(at(grad(cast(cast(x, DType::Int64), DType::Float64), x), {x}, {Tensor(2.5)}), List{0});
  EXPECT_EQ(at(grad(cast(x > 1.0, DType::Float64), x), {x}, {Tensor(2.5)}), List{0});
  auto v = dvector("v");
  for (const Variable &place : {argmax(v), argmin(v)})
    EXPECT_EQ(at(grad(cast(place, DType::Float64), v), {v}, {Tensor({1.5, 2.5})}), (List{0, 0}));
}

TEST(Grad, ZeroIsNotDisconnected) { // F-273
  auto x = dvector("x");
  GradOptions strict;
  for (const Variable &stepped : {floor(x), ceil(x), trunc(x), round(x), sgn(x)})
    EXPECT_EQ(at(grad(sum(stepped), x, strict), {x}, {Tensor({1.5, 2.5})}), (List{0, 0}));
  for (Variable cost : {sum(zerosLike(x)), cast(size(x), DType::Float64), sum(onesLike(x))}) {
    EXPECT_EQ(errorKind(grad(cost, x, strict).status()), ErrorKind::DisconnectedInput);
    EXPECT_EQ(at(grad(cost, x, {.disconnectedInputs = DisconnectedInputs::Ignore}), {x},
                 {Tensor({1.5, 2.5})}),
              (List{0, 0}));
  }
}

TEST(Grad, ReturnsWhatIsDisconnectedAsAsked) { // F-274, F-275
  auto x = dvector("x"), y = dscalar("y");
  GradOptions options{.disconnectedInputs = DisconnectedInputs::Ignore};
  EXPECT_EQ(grad(y * y, x, options).type(), x.type());
  options.returnDisconnected = ReturnDisconnected::Disconnected;
  EXPECT_TRUE(isDisconnected(grad(y * y, x, options)));
  options.returnDisconnected = ReturnDisconnected::None;
  EXPECT_EQ(errorKind(grad(y * y, x, options).status()), ErrorKind::DisconnectedInput);
  // Each has its own.
  Variables g = grad(y * y, {x, y}, options);
  EXPECT_EQ(errorKind(g[0].status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(at(g[1], {y}, {Tensor(3.0)}), List{6});
}

TEST(Grad, NullSpreadsToWhatIsConnected) { // F-276
  auto x = dscalar("x"), y = dscalar("y");
  Variable cost = exp(undefinedGrad(x * 2.0)) + y * disconnectedGrad(x);
  EXPECT_EQ(errorKind(grad(cost, x).status()), ErrorKind::NullGradient);
  Variables g = grad(cost, {x, y}, {.nullGradients = NullGradients::Return});
  EXPECT_TRUE(isNull(g[0]));
  EXPECT_EQ(at(g[1], {x, y}, {Tensor(3.0), Tensor(4.0)}), List{3});
}

TEST(Grad, KnownGradientsAreFinal) { // F-278
  auto x = dscalar("x");
  Variable t = x * 3.0;
  Variable u = t * t;
  Variable two = constant(2.0), three = constant(3.0);
  // u = t * t would add 2 * 2t: t keeps 3.
  Variables g = grad({{u, two}, {t, three}}, {t, x});
  EXPECT_EQ(at(g, {x}, {Tensor(5.0)}), (List{3, 9}));
  // A known gradient of the cost takes the place of 1.
  EXPECT_EQ(at(grad(u, x, {.knownGrads = {{u, constant(10.0)}}}), {x}, {Tensor(1.0)}),
            List{10 * 2 * 3 * 3});
}

// Null and Disconnected as known gradients: what is said of a Variable goes on to what it depends
// on, in the place of what the cost says, and to nothing else.
TEST(Grad, KnownGradientsOfAllKinds) { // F-276, F-278
  auto x = dscalar("x"), y = dscalar("y");
  const Variable null(Type::null("why")), disconnected(Type::disconnected());
  const std::vector<Tensor> values = {Tensor(3.0), Tensor(4.0)};
  Variable t = x * 2.0;
  for (bool hasCost : {true, false}) {
    SCOPED_TRACE(hasCost);
    auto of = [&](const Variable &known, GradOptions options) {
      if (!hasCost)
        return grad({{t, known}, {y * y, constant(1.0)}}, {x, y}, std::move(options));
      options.knownGrads = {{t, known}};
      return grad(t * t + y * y, {x, y}, options);
    };
    EXPECT_EQ(firstLine(of(null, {})[0].status()),
              "NullGradient: grad: the gradient with respect to x is not defined: why");
    Variables g = of(null, {.nullGradients = NullGradients::Return});
    ASSERT_TRUE(isNull(g[0]));
    EXPECT_EQ(g[0].type().reason(), "why");
    EXPECT_EQ(at(g[1], {x, y}, values), List{8});

    EXPECT_EQ(errorKind(of(disconnected, {})[0].status()), ErrorKind::DisconnectedInput);
    GradOptions ignored{.disconnectedInputs = DisconnectedInputs::Ignore};
    EXPECT_EQ(at(of(disconnected, ignored), {x, y}, values), (List{0, 8}));
    ignored.returnDisconnected = ReturnDisconnected::Disconnected;
    g = of(disconnected, ignored);
    EXPECT_TRUE(isDisconnected(g[0]));
    EXPECT_EQ(at(g[1], {x, y}, values), List{8});
  }
}

TEST(Grad, KnowsVariablesByIdentity) { // F-279
  auto x = dscalar("x");
  Variable a = x * x, b = x * x;
  EXPECT_EQ(at(grad(a, x, {.knownGrads = {{b, constant(100.0)}}}), {x}, {Tensor(3.0)}),
            List{6 + 600});
}

TEST(Grad, ConsidersConstant) { // F-280
  auto x = dscalar("x");
  Variable y = x * x;
  EXPECT_EQ(at(grad(y * x, x, {.considerConstant = {y}}), {x}, {Tensor(3.0)}), List{9});
}

TEST(Grad, NamesItsResults) { // F-281
  auto x = dscalar("x");
  Variable cost = (x * x).setName("cost");
  EXPECT_EQ(grad(cost, x).name(), "(dcost/dx)");
  EXPECT_EQ(grad(cost, x, {.addNames = false}).name(), "");
}

/// An op of two results and two operands.
OpDef twoByTwo() {
  OpDef def;
  def.name = "twoByTwo";
  def.operands = {{"x"}, {"y"}};
  def.numResults = 2;
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0), r.type(1)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    auto same = [](const Scalars &s) { return s[0] * 2.0; };
    return {e.map({in[0]}, same), e.map({in[1]}, same)};
  };
  def.connection = {{true, false}, {false, true}};
  def.pullback = [](const Op &, Inputs, Outputs, Gradients g) -> Variables {
    auto doubled = [](const Variable &v) { return v.type().isTensor() ? v * 2.0 : v; };
    return {doubled(g[0]), doubled(g[1])};
  };
  return def;
}

TEST(Grad, AsksForAPullbackOnlyWhereSomethingFlows) { // F-282
  auto asked = std::make_shared<int>(0);
  OpDef def = twoByTwo();
  std::vector<bool> absent;
  def.pullback = [&, rule = def.pullback](const Op &op, Inputs in, Outputs out, Gradients g) {
    ++*asked;
    for (const Variable &v : g)
      absent.push_back(isDisconnected(v));
    return rule(op, in, out, g);
  };
  Op op = *defineOp(def);
  auto x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variables out = op.callAll({x, y}, {});
  EXPECT_EQ(at(grad(out[0] * z, {x, z}), {x, y, z}, {Tensor(1.0), Tensor(2.0), Tensor(3.0)}),
            (List{6, 2}));
  EXPECT_EQ(*asked, 1);
  EXPECT_EQ(absent, (std::vector<bool>{false, true}));
  grad(out[0] * z, z);
  EXPECT_EQ(*asked, 1) << "z does not need it";
  EXPECT_EQ(errorKind(grad(out[0] * z, y).status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(*asked, 1);
}

TEST(Grad, CastsGradientsOfOutputs) { // F-284
  auto x = fscalar("x"), y = fscalar("y");
  auto d = dscalar("d"), e = dscalar("e");
  std::vector<DType> seen;
  OpDef def = twoByTwo();
  def.pullback = [&](const Op &, Inputs, Outputs, Gradients g) -> Variables {
    seen.push_back(g[0].dtype());
    return {g[0] * 2.0, Variable(Type::disconnected())};
  };
  Op op = *defineOp(def);
  // What d times it gives is float64: as one term, as one of two, and as a cotangent.
  auto result = [&] { return op.callAll({x, y}, {})[0]; };
  Variable once = result(), twice = result(), given = result();
  ASSERT_EQ((once * d).dtype(), DType::Float64);
  Variables all = {grad(once * d, x), grad(twice * d + twice * e, x), pullback(given, x, d)};
  EXPECT_EQ(seen, std::vector<DType>(3, DType::Float32));
  for (const Variable &g : all)
    EXPECT_EQ(g.dtype(), DType::Float32);
  EXPECT_EQ(at(all, {x, y, d, e}, {Tensor(1.0f), Tensor(1.0f), Tensor(3.0), Tensor(5.0)}),
            (List{6, 16, 6}));
}

TEST(Grad, GradientStops) { // F-286
  auto x = dscalar("x");
  EXPECT_EQ(at(grad(zeroGrad(x) * x, x), {x}, {Tensor(3.0)}), List{3});
  EXPECT_EQ(at(grad(zeroGrad(x), x), {x}, {Tensor(3.0)}), List{0});
  Variable constant = considerConstant(x);
  EXPECT_EQ(at({constant, grad(constant * x, x), grad(constant, x)}, {x}, {Tensor(3.0)}),
            (List{3, 3, 0}));
  EXPECT_EQ(at(grad(disconnectedGrad(x) * x, x), {x}, {Tensor(3.0)}), List{3});
  EXPECT_EQ(errorKind(grad(disconnectedGrad(x), x).status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(at(grad(gradClip(x, -1, 1) * 5.0, x), {x}, {Tensor(3.0)}), List{1});
  EXPECT_EQ(at(grad(gradClip(x, -1, 1) * -5.0, x), {x}, {Tensor(3.0)}), List{-1});
  EXPECT_EQ(at(grad(gradScale(x, 0.5) * 5.0, x), {x}, {Tensor(3.0)}), List{2.5});
  auto f = fscalar("f");
  EXPECT_EQ(gradScale(f, 0.5).type(), f.type());
  EXPECT_EQ(grad(gradScale(f, 0.5), f).dtype(), DType::Float32);
}

TEST(Grad, SumsOverWhatWasBroadcast) { // F-293
  auto x = tensor(DType::Float64, {1, kDynamic}, "x");
  auto m = dmatrix("m");
  auto s = dscalar("s");
  Variables g = grad(sum(x * m * s), {x, m, s});
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(g[i].type(), (Variables{x, m, s}[i].type()));
  EXPECT_EQ(
      at(g, {x, m, s}, {Tensor({{1.0, 2.0}}), Tensor({{3.0, 4.0}, {5.0, 6.0}}), Tensor(10.0)}),
      (List{80, 100, 10, 20, 10, 20, 3 + 8 + 5 + 12}));
}

TEST(Grad, WhatWasNotTakenContributesNothing) { // F-295
  auto x = dvector("x");
  const Tensor values({0.0, 4.0, -1.0});
  auto g = [&](const Variable &y) { return at(grad(sum(y), x), {x}, {values}); };
  // The derivative of log and sqrt at 0 is infinite, below it NaN.
  EXPECT_EQ(g(where(x > 0.0, log(x), 0.0)), (List{0, 0.25, 0}));
  EXPECT_EQ(g(where(x > 0.0, sqrt(x), 0.0)), (List{0, 0.25, 0}));
  // Further down: through elementwise ops, data movement, sums.
  EXPECT_EQ(g(where(x > 0.0, 2.0 * exp(log(x)), 0.0)), (List{0, 2, 0}));
  EXPECT_EQ(g(where(x > 0.0, reshape(log(reshape(x, {3, 1})), {3}), 0.0)), (List{0, 0.25, 0}));
  EXPECT_EQ(
      g(where(x > 0.0, log(sum(expandDims(x, Axis(1)) * constant(Tensor({{0.5, 0.5}})), Axis(1))),
              0.0)),
      (List{0, 0.25, 0}));
  // Taken elsewhere: IEEE.
  List both = g(where(x > 0.0, log(x), 0.0) + log(x));
  EXPECT_TRUE(std::isinf(both[0]));
  // Without a switch 0 * inf is NaN.
  EXPECT_TRUE(std::isnan(at(grad(sum(log(x) * 0.0), x), {x}, {values})[0]));
}

// F-295: an extent of 1 next to one that is not known, cut out of what both are joined to.
TEST(Grad, WhatWasNotTakenKeepsItsOnes) {
  auto x = dvector("x"), m = dmatrix("m");
  const ReductionOptions keep{.keepDims = true};
  const Tensor values({1.0, 2.0, 3.0}), square({{1.0, 2.0}, {3.0, 4.0}});
  auto taken = [](const Variable &v, const Variable &y) { return sum(where(v > 1.5, y, 0.0)); };
  auto g = [&](const Variable &y) { return at(grad(y, x), {x}, {values}); };
  // [1 2 3 6]: all but the first one are taken, and each x is in the sum.
  Variable joined = concatenate({x, sum(x, keep)});
  EXPECT_EQ(g(taken(joined, joined)), (List{1, 2, 2}));
  // [1 2 3 3], where the last one is x_2; and of the logarithm, 1/6 from the sum beside 1/x.
  Variable greatest = concatenate({x, max(x, keep)});
  EXPECT_EQ(g(taken(greatest, greatest)), (List{0, 1, 2}));
  List logs = g(taken(joined, log(joined)));
  const List expected = {1.0 / 6, 1.0 / 2 + 1.0 / 6, 1.0 / 3 + 1.0 / 6};
  ASSERT_EQ(logs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(logs[i], expected[i], 1e-15);
  // The sum is not taken: nothing comes from it, though its logarithm has derivative infinity.
  const Tensor cancels({2.0, -5.0, 3.0});
  EXPECT_EQ(at(grad(taken(joined, log(joined)), x), {x}, {cancels}), (List{0.5, 0, 1.0 / 3}));
  // [1 2 3; 3 4 7]: rows of their own.
  Variable beside = concatenate({m, sum(m, {.axes = Axis(1), .keepDims = true})}, 1);
  EXPECT_EQ(at(grad(taken(beside, beside), m), {m}, {square}), (List{1, 2, 2, 2}));
  // The element before the last one, relu(x_2) = 3, next to each x: 3 where it is less, never.
  Variable third = take(joined, Operand(Tensor({-2}, DType::Int64)), {.axis = 0});
  EXPECT_EQ(g(sum(where(lt(third, x), third, x * third))), (List{3, 3, 3 + 1 + 2 + 3}));
}

TEST(Grad, DeepGraphsNeedNoStack) { // F-296
  constexpr int kNodes = 1'000'000;
  onStack(1, [] {
    auto x = dscalar("x");
    Variable y = x;
    for (int i = 0; i < kNodes; ++i)
      y = i % 2 ? y * 1.0000001 : y + x;
    Variable g = grad(y, x);
    EXPECT_TRUE(g.ok()) << g.status();
    EXPECT_LE(ioToposort({}, Variables{g}).size(), 4 * kNodes);
  });
}

TEST(Grad, SecondDerivatives) { // F-294
  auto x = dscalar("x");
  Variable d = grad(x * x * x * x, x);
  Variable dd = grad(d, x);
  EXPECT_EQ(at({d, dd, grad(dd, x)}, {x}, {Tensor(2.0)}), (List{32, 48, 48}));
}

TEST(Pullback, TakesCotangents) { // F-287
  auto x = dvector("x");
  Variable y = x * x;
  Variable v = dvector("v");
  EXPECT_EQ(at(pullback(y, x, v), {x, v}, {Tensor({1.0, 2.0}), Tensor({10.0, 100.0})}),
            (List{20, 400}));
  // Results that depend on each other: v0 + 2x v1, twice.
  Variables g = pullback({y, y * x}, {x}, {v, v});
  EXPECT_EQ(at(g, {x, v}, {Tensor({1.0, 2.0}), Tensor({10.0, 100.0})}), (List{50, 1600}));
}

TEST(Pullback, TakesCotangentsOfAllKinds) { // F-278, F-287
  auto x = dscalar("x"), y = dscalar("y");
  const Variables f = {x * 2.0, y * 3.0};
  Variables g = pullback(f, {x, y}, {Variable(Type::null("why")), constant(5.0)},
                         {.nullGradients = NullGradients::Return});
  ASSERT_TRUE(isNull(g[0]));
  EXPECT_EQ(g[0].type().reason(), "why");
  EXPECT_EQ(at(g[1], {x, y}, {Tensor(1.0), Tensor(1.0)}), List{15});
  const Variables cotangents = {Variable(Type::disconnected()), constant(5.0)};
  EXPECT_EQ(errorKind(pullback(f, {x, y}, cotangents)[0].status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(at(pullback(f, {x, y}, cotangents, {.disconnectedInputs = DisconnectedInputs::Ignore}),
               {x, y}, {Tensor(1.0), Tensor(1.0)}),
            (List{0, 15}));
}

/// The tangents of `f`, those that are not defined returned.
Variables tangentsOf(const Variables &f, const Variables &wrt, const Variables &tangents,
                     bool byRules) {
  return pushforward(f, wrt, tangents,
                     {.useOpPushforward = byRules, .nullGradients = NullGradients::Return});
}

// By rules and by two pullbacks: what depends on it is Null, and nothing else.
TEST(Pushforward, NullGoesToWhatDependsOnIt) { // F-276, F-287
  auto x = dscalar("x"), y = dscalar("y"), t = dscalar("t");
  const std::vector<Tensor> values = {Tensor(3.0), Tensor(4.0), Tensor(5.0)};
  const Variables all = {x, y, t};
  for (bool byRules : {true, false}) {
    SCOPED_TRACE(byRules);
    // Where it arises.
    Variables g = tangentsOf({undefinedGrad(x), x * x}, {x}, {t}, byRules);
    ASSERT_TRUE(isNull(g[0]));
    EXPECT_EQ(g[0].type().reason(), "undefinedGrad says so");
    EXPECT_EQ(at(g[1], all, values), List{30});
    // Where it comes in, with one reason or another.
    const Variable null(Type::null("first")), second(Type::null("second"));
    g = tangentsOf({x * 2.0, y * 3.0, x * y}, {x, y}, {t, null}, byRules);
    EXPECT_EQ(at(g[0], all, values), List{10});
    EXPECT_TRUE(isNull(g[1]));
    EXPECT_TRUE(isNull(g[2]));
    g = tangentsOf({y * 3.0, x * 2.0, x * y, t * t}, {x, y, t}, {null, second, constant(1.0)},
                   byRules);
    ASSERT_TRUE(isNull(g[0]) && isNull(g[1]) && isNull(g[2]));
    EXPECT_EQ(g[0].type().reason(), "second");
    EXPECT_EQ(g[1].type().reason(), "first");
    EXPECT_EQ(g[2].type().reason(), "first");
    EXPECT_EQ(at(g[3], all, values), List{10});
  }
}

// A node of several results: an op with a pushforward, which does not see what is Null; one
// without; and a graph for each slice.
TEST(Pushforward, NullGoesThroughNodesOfSeveralResults) { // F-276, F-287
  auto x = dscalar("x"), y = dscalar("y"), t = dscalar("t");
  OpDef def = twoByTwo();
  const Op without = *defineOp(def);
  def.name = "twoByTwoWithRule";
  def.pushforward = [](const Op &, Inputs, Outputs, Tangents t) -> Variables {
    EXPECT_TRUE(isDisconnected(t[1]));
    return {t[0] * 2.0, t[1]};
  };
  const Op with = *defineOp(def);
  const Variable null(Type::null("why"));
  for (bool byRules : {true, false})
    for (const Op &op : {without, with}) {
      Variables g = tangentsOf(op.callAll({x, y}, {}), {x, y}, {t, null}, byRules);
      EXPECT_EQ(at(g[0], {t}, {Tensor(5.0)}), List{10});
      EXPECT_TRUE(isNull(g[1]));
    }

  auto v = dvector("v"), w = dvector("w"), u = dvector("u");
  const Variables ofSlices = vectorize({x * 2.0, y * 3.0, undefinedGrad(x)}, {{x, v}, {y, w}});
  for (bool byRules : {true, false}) {
    SCOPED_TRACE(byRules);
    Variables g = tangentsOf(ofSlices, {v, w}, {u, null}, byRules);
    EXPECT_EQ(at(g[0], {v, w, u}, {Tensor({1.0, 2.0}), Tensor({3.0, 4.0}), Tensor({5.0, 6.0})}),
              (List{10, 12}));
    ASSERT_TRUE(isNull(g[1]) && isNull(g[2]));
    EXPECT_EQ(g[1].type().reason(), "why");
    EXPECT_EQ(g[2].type().reason(), "undefinedGrad says so");
  }
}

TEST(Pushforward, BothWaysAgree) { // F-287
  auto x = dvector("x"), y = dscalar("y");
  Variable f = exp(x) * y + sum(x * x) * y;
  auto t = dvector("t"), u = dscalar("u");
  const std::vector<Tensor> values = {Tensor({0.0, 1.0}), Tensor(2.0), Tensor({1.0, -2.0}),
                                      Tensor(3.0)};
  double e = std::exp(1.0);
  // d f_i = exp(x_i) t_i y + exp(x_i) u + 2 (x . t) y + (x . x) u
  List expected = {2 + 3 - 8 + 3, e * -2 * 2 + e * 3 - 8 + 3};
  for (bool rules : {false, true}) {
    List got = at(pushforward(Variables{f}, {x, y}, {t, u}, {.useOpPushforward = rules}),
                  {x, y, t, u}, values);
    ASSERT_EQ(got.size(), 2u);
    for (size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(got[i], expected[i], 1e-13) << rules;
  }
}

TEST(Pushforward, OpsWithoutARuleTakeTwoPullbacks) {
  OpDef def = twoByTwo();
  Op op = *defineOp(def);
  auto x = dscalar("x"), y = dscalar("y");
  Variables out = op.callAll({x * x, y}, {});
  Variables t = pushforward({out[0], out[1]}, {x, y}, {constant(1.0), constant(10.0)});
  EXPECT_EQ(at(t, {x, y}, {Tensor(3.0), Tensor(5.0)}), (List{12, 20}));
}

TEST(SecondOrder, HessianVectorProduct) { // F-290
  auto x = dvector("x");
  // The Hessian of sum(x)^3 is 6 sum(x) everywhere.
  Variable cost = pow(sum(x), 3.0);
  auto p = dvector("p");
  EXPECT_EQ(at(hessianVectorProduct(cost, x, p), {x, p}, {Tensor({1.0, 2.0}), Tensor({1.0, 10.0})}),
            (List{6 * 3 * 11, 6 * 3 * 11}));
}

TEST(SecondOrder, HessianVectorProductFormsNoMatrix) { // F-290
  auto x = dvector("x"), p = dvector("p");
  Variable cost = sum(exp(x) * sum(x));
  auto highestRank = [](const Variable &of) {
    int rank = 0;
    for (const Apply &node : ioToposort({}, Variables{of}))
      for (const Variable &v : node.outputs())
        rank = std::max(rank, v.rank());
    return rank;
  };
  Variable product = hessianVectorProduct(cost, x, p), matrix = hessian(cost, x);
  EXPECT_EQ(highestRank(product), 1);
  EXPECT_EQ(countOf({product}, "vectorized"), 0);
  EXPECT_EQ(highestRank(matrix), 2);
  EXPECT_EQ(countOf({matrix}, "vectorized"), 1);
}

TEST(SubgraphGrad, DifferentiatesPieceByPiece) { // F-291
  auto x = dscalar("x"), w = dscalar("w"), v = dscalar("v");
  Variable middle = x * w;
  Variable cost = middle * middle * v;
  SubgraphGradients top = subgraphGrad({v}, {middle}, {}, cost);
  SubgraphGradients bottom = subgraphGrad({w}, {x}, {{middle, top.end[0]}});
  EXPECT_EQ(at({top.wrt[0], bottom.wrt[0], bottom.end[0]}, {x, w, v},
               {Tensor(2.0), Tensor(3.0), Tensor(5.0)}),
            at(grad(cost, {v, w, x}), {x, w, v}, {Tensor(2.0), Tensor(3.0), Tensor(5.0)}));
  // A cost and a known gradient are added: d(x * w)/dw + 10 * d(x * x * w)/dw.
  SubgraphGradients both = subgraphGrad({w}, {x}, {{middle * x, constant(10.0)}}, middle);
  EXPECT_EQ(errorKind(both.wrt[0].status()), ErrorKind::None) << both.wrt[0].status();
  EXPECT_EQ(at(both.wrt[0], {x, w, v}, {Tensor(2.0), Tensor(3.0), Tensor(5.0)}), List{2 + 10 * 4});
}

// F-291: what is below `end` does not count, though `wrt` is there too.
TEST(SubgraphGrad, StopsAtTheEnd) {
  auto x = dscalar("x"), w = dscalar("w");
  Variable middle = x * x, upper = middle * x;
  std::vector<Tensor> point = {Tensor(3.0), Tensor(5.0)};
  SubgraphGradients part = subgraphGrad({x}, {middle}, {}, middle * x * w);
  EXPECT_EQ(at({part.wrt[0], part.end[0]}, {x, w}, point), (List{9 * 5, 3 * 5}));
  // From a known gradient, and one end above the other.
  part = subgraphGrad({x}, {middle, upper}, {{upper * middle * x, w}});
  EXPECT_EQ(at({part.wrt[0], part.end[0], part.end[1]}, {x, w}, point),
            (List{27 * 9 * 5, 27 * 3 * 5, 9 * 3 * 5}));
}

// F-291: where the cost does not depend on one, the others have their gradients.
TEST(SubgraphGrad, ZerosWhereThereIsNoWay) {
  auto v = dvector("v"), x = dvector("x"), f = fvector("f");
  SubgraphGradients part = subgraphGrad({v, f}, {x}, {}, sum(v * 2));
  EXPECT_EQ(part.wrt[1].dtype(), DType::Float32);
  EXPECT_EQ(at({part.wrt[0], part.wrt[1], part.end[0]}, {v, f, x},
               {Tensor({1.0, 2.0}), Tensor({1.0}, DType::Float32), Tensor({1.0, 2.0, 3.0})}),
            (List{2, 2, 0, 0, 0, 0}));
  // What has no derivative stays an error.
  EXPECT_EQ(errorKind(subgraphGrad({v}, {x}, {}, sum(undefinedGrad(v))).end[0].status()),
            ErrorKind::NullGradient);
}

// A convolution with nothing to multiply: whatever forward gives has gradients of zeros.
TEST(Grad, OfEmptyConvolutions) {
  using Shape = std::vector<int64_t>;
  std::vector<std::pair<Shape, Shape>> cases = {{{2, 3, 5}, {4, 3, 0}},
                                                {{2, 3, 0}, {4, 3, 0}},
                                                {{0, 3, 5}, {4, 3, 2}},
                                                {{2, 0, 5}, {4, 0, 2}},
                                                {{2, 3, 5}, {0, 3, 2}}};
  auto ones = [](const Shape &shape) {
    Tensor filled = *Tensor::zeros(DType::Float64, shape);
    for (double &element : filled.mutableFlat<double>())
      element = 1;
    return filled;
  };
  std::vector<ConvOptions> kinds = {{}, {.stride = {2}, .padding = Padding(1), .dilation = {2}}};
  for (const auto &[ofX, ofKernel] : cases)
    for (const ConvOptions &options : kinds)
      for (bool isStatic : {true, false}) {
        auto like = [&](const Shape &shape) {
          return Variable(TensorType(DType::Float64, isStatic ? shape : Shape(3, kDynamic)));
        };
        Variable x = like(ofX), kernel = like(ofKernel);
        Variables both = grad(sum(conv1d(x, kernel, options)), {x, kernel});
        Tensor zeros = *Tensor::zeros(DType::Float64, ofX),
               taps = *Tensor::zeros(DType::Float64, ofKernel);
        for (const char *mode : {"interpreter", "fast_run"}) {
          auto f = function({x, kernel}, both, {.mode = mode});
          ASSERT_TRUE(f.ok()) << f.status();
          auto r = (*f)(ones(ofX), ones(ofKernel));
          ASSERT_TRUE(r.ok()) << r.status();
          EXPECT_EQ((*r)[0], zeros);
          EXPECT_EQ((*r)[1], taps);
        }
      }
}

// The index of a change is looked at where there is nothing to change.
TEST(Grad, OfChangesToNothing) {
  auto x = dmatrix("x"), y = dvector("y");
  auto i = lscalar("i");
  for (const char *mode : {"interpreter", "fast_run", "debug"}) {
    auto set = function({x, y, i}, setSubtensor(x, {i}, y), {.mode = mode});
    auto slope = function({x, y, i}, grad(sum(incSubtensor(x, {i}, y)), {x, y}),
                          {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
    ASSERT_TRUE(set.ok() && slope.ok()) << set.status() << slope.status();
    Tensor none = *Tensor::zeros(DType::Float64, {3, 0}),
           nothing = *Tensor::zeros(DType::Float64, {0});
    auto at = [&](int64_t index) { return (*set)(none, nothing, index); };
    EXPECT_TRUE(at(2).ok() && at(-3).ok()) << mode;
    for (int64_t index : {3, -4}) {
      std::string text = said(at(index).status());
      EXPECT_EQ(text.substr(0, text.find('\n')), "IndexError: setSubtensor: index " +
                                                     std::to_string(index) +
                                                     " is out of range for axis 0 with 3 elements")
          << mode;
    }
    Tensor rows({{1.0, 2.0}, {3.0, 4.0}});
    auto changed = (*set)(rows, Tensor({5.0, 6.0}), int64_t(-1));
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ((*changed)[0], Tensor({{1.0, 2.0}, {5.0, 6.0}}));
    auto slopes = (*slope)(rows, Tensor({5.0, 6.0}), int64_t(0));
    ASSERT_TRUE(slopes.ok()) << slopes.status();
    EXPECT_EQ((*slopes)[1], Tensor({1.0, 1.0}));
  }
}

} // namespace
} // namespace graphc
