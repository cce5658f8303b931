//===- GradientMessagesTest.cpp - what is said when there is no derivative -===//
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <regex>
#include <source_location>

#include "Eval/Evaluate.h"
#include "Messages.h"
#include "Places.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/OpDef.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

/// x * 2, with this pullback.
Op doubled(PullbackRule pullback, std::vector<std::vector<bool>> connection = {}) {
  OpDef def;
  def.name = "doubled";
  def.operands = {{"x"}};
  def.elements = Elements::Elementwise;
  def.connection = std::move(connection);
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    return {e.map({in[0]}, [](const Scalars &s) { return s[0] * 2.0; })};
  };
  def.pullback = std::move(pullback);
  return *defineOp(def);
}

/// What `make` gives for a line, which `here` becomes.
template <class F> Variable at(Place &here, F make) {
  std::source_location line = std::source_location::current();
  here = line;
  return make(line);
}

/// A pullback that gives this, whatever comes.
PullbackRule giving(Variables result) {
  return [result](const Op &, Inputs, Outputs, Gradients) { return result; };
}

std::string of(const Variable &v) { return said(v.status()); }

TEST(GradientMessages, OfCosts) { // F-268
  auto x = dvector("x"), y = dscalar("y");
  EXPECT_EQ(of(grad(x, y)), "TypeError: grad: the cost, x, is f64[?]: a cost has rank 0; take its "
                            "sum or mean, or use pullback or jacobian");
  EXPECT_EQ(of(grad(x * 2.0, y)), "TypeError: grad: the cost, the result of mul, is f64[?]: a cost "
                                  "has rank 0; take its sum or mean, or use pullback or jacobian");
  EXPECT_EQ(of(grad(Variable(Type::null("it is secret")), y)),
            "ValueError: grad: the cost is not defined: it is secret");
  EXPECT_EQ(of(grad(Replacements{}, {y})[0]),
            "ValueError: grad: there is neither a cost nor a known gradient");
  EXPECT_EQ(of(subgraphGrad({y}, {x}).wrt[0]),
            "ValueError: subgraphGrad: there is neither a cost nor a gradient to start from");
  EXPECT_EQ(of(subgraphGrad({y}, {x}, {}, x).end[0]),
            "TypeError: subgraphGrad: the cost, x, is f64[?]: a cost has rank 0");
}

// F-286. Bounds may be equal, and infinite.
TEST(GradientMessages, OfGradClip) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  auto x = dscalar("x");
  const std::string what = "ValueError: gradClip: low and high are numbers, and low is not above "
                           "high\n  gradClip";
  EXPECT_EQ(of(gradClip(x, kNaN, 1)), what + "{low = nan, high = 1.0}(x: f64)");
  EXPECT_EQ(of(gradClip(x, -1, kNaN)), what + "{low = -1.0, high = nan}(x: f64)");
  EXPECT_EQ(of(gradClip(x, 1, -1)), what + "{low = 1.0, high = -1.0}(x: f64)");
  EXPECT_TRUE(gradClip(x, 1, 1).ok());
  EXPECT_TRUE(gradClip(x, -kInf, kInf).ok());
}

TEST(GradientMessages, OfDirections) { // F-278, F-287
  auto x = dvector("x"), y = dscalar("y"), i = lvector("i");
  EXPECT_EQ(of(grad(y, y, {.knownGrads = {{x, i}}})),
            "TypeError: grad: the known gradient of x is i64[?]: a gradient is a float array; cast "
            "it");
  EXPECT_EQ(
      of(grad(y, y, {.knownGrads = {{x, y}}})),
      "ValueError: grad: the known gradient of x is f64, but x is f64[?]: their ranks must be "
      "equal");
  // Known gradients are final.
  Variable z = exp(x), cost = sum(z);
  EXPECT_EQ(of(grad(cost, x, {.knownGrads = {{z, x}, {z, z}}})),
            "ValueError: grad: beside the known gradient of the result of exp there is another one "
            "to start from");
  EXPECT_EQ(of(pullback(x, x, z, {.knownGrads = {{x, z}}})),
            "ValueError: pullback: beside the known gradient of x there is another one to start "
            "from");
  EXPECT_EQ(of(grad(cost, x, {.considerConstant = {Variable()}})),
            "ValueError: a Variable is used before it was given a value");
  EXPECT_EQ(of(pullback({x, x}, {x}, {x})[0]), "ValueError: pullback: 1 cotangent for 2 Variables");
  EXPECT_EQ(of(pullback(x, x, y)),
            "ValueError: pullback: cotangent 0 is f64, but x is f64[?]: their ranks must be equal");
  EXPECT_EQ(of(pushforward({x}, {x}, {x, x})[0]),
            "ValueError: pushforward: 2 tangents for 1 Variable");
  EXPECT_EQ(
      of(pushforward(x, x, y)),
      "ValueError: pushforward: tangent 0 is f64, but x is f64[?]: their ranks must be equal");
  EXPECT_EQ(of(pushforward(x, x, i)),
            "TypeError: pushforward: tangent 0 is i64[?]: a tangent is a float array; cast it");
}

TEST(GradientMessages, OfWhatIsDisconnected) { // F-274
  auto x = dvector("x"), y = dscalar("y");
  Place here;
  Variable n = at(here, [&](auto loc) {
    return cast(Operand(shape(Operand(x, loc), 0), loc), DType::Float64);
  });
  EXPECT_EQ(of(grad(y * y, x)),
            "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
            "differentiated: it is not computed from it\n"
            "  to get zeros set disconnectedInputs to Ignore or Warn");
  EXPECT_EQ(of(grad(n * y, x)),
            "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
            "differentiated: every way leads through an op whose result does not depend on the "
            "elements: shapeI at " +
                here.str() + "\n  to get zeros set disconnectedInputs to Ignore or Warn");
  // What an application does not need for the result that is used.
  OpFromGraph pair({x, y}, {x, x * y}, {.name = "pair"});
  Variable first =
      at(here, [&](auto loc) { return pair.apply({Operand(x, loc), Operand(y, loc)}, loc)[0]; });
  EXPECT_EQ(of(grad(sum(first), y)),
            "DisconnectedInput: grad: the cost does not depend on y, with respect to which it is "
            "differentiated: every way leads through an op whose result does not depend on the "
            "elements: pair at " +
                here.str() + "\n  to get zeros set disconnectedInputs to Ignore or Warn");
  Variable cost = sum(x);
  Variable both = cost * y;
  EXPECT_EQ(of(grad(both, x, {.considerConstant = {cost}})),
            "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
            "differentiated: it is not computed from it\n"
            "  to get zeros set disconnectedInputs to Ignore or Warn");
  EXPECT_EQ(of(grad(y, x,
                    {.disconnectedInputs = DisconnectedInputs::Ignore,
                     .returnDisconnected = ReturnDisconnected::None})),
            "DisconnectedInput: grad: there is no gradient with respect to x: the cost does not "
            "depend on it");
  EXPECT_EQ(of(pushforward(y, x, x)),
            "DisconnectedInput: pushforward: y does not depend on what it is differentiated with "
            "respect to\n  to get zeros set disconnectedInputs to Ignore or Warn");
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  grad(y, x, {.disconnectedInputs = DisconnectedInputs::Warn});
  pushforward(y, x, x, {.disconnectedInputs = DisconnectedInputs::Warn});
  setLogSink({});
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "grad: the cost does not depend on x, with respect to which it is differentiated: "
                "it is not computed from it",
                "pushforward: y does not depend on what it is differentiated with respect to"}));
}

TEST(GradientMessages, OfWhatIsNotDefined) { // F-276, F-277
  auto x = dscalar("x");
  Op without = doubled({});
  Place inner, outer;
  Variable y = at(inner, [&](auto loc) { return without(Operand(x, loc)); });
  Variable z = at(outer, [&](auto loc) { return exp(Operand(y, loc)); });
  EXPECT_EQ(of(grad(z, x)),
            "NullGradient: grad: the gradient with respect to x is not defined: the "
            "op doubled has no pullback; operand 0\n"
            "  on the way from it to the cost: doubled at " +
                inner.str());
  Variable w = at(inner, [&](auto loc) { return undefinedGrad(Operand(x, loc)); });
  EXPECT_EQ(of(pushforward(exp(w), x, x)),
            "NullGradient: pushforward: the tangent of the result of exp is not defined: "
            "undefinedGrad says so\n  on the way to it: undefinedGrad at " +
                inner.str());
  // What came in Null arose nowhere.
  EXPECT_EQ(of(pushforward(exp(x), x, Variable(Type::null("it is secret")))),
            "NullGradient: pushforward: the tangent of the result of exp is not defined: it is "
            "secret");
}

TEST(GradientMessages, OfRules) { // F-277, F-283
  auto x = dvector("x");
  auto with = [&](PullbackRule rule, std::vector<std::vector<bool>> connection = {}) {
    Place here;
    Variable y = at(here, [&](auto loc) { return doubled(rule, connection)(Operand(x, loc)); });
    absl::Status status = grad(sum(y), x).status();
    EXPECT_EQ(errorPlace(status).value_or(Place()).str(), here.str()) << status;
    return said(status);
  };
  EXPECT_EQ(with(giving({})),
            "ValueError: the pullback of doubled gives 0 gradients for 1 operand");
  EXPECT_EQ(with(giving({Variable()})),
            "ValueError: a Variable is used before it was given a value");
  EXPECT_EQ(with(giving({dscalar("s")})),
            "TypeError: the pullback of doubled gives f64 for operand 0, f64[?]: a gradient is a "
            "float array of the same rank");
  EXPECT_EQ(
      with(giving({lvector("s")})),
      "TypeError: the pullback of doubled gives i64[?] for operand 0, f64[?]: a gradient is a "
      "float array of the same rank");
  EXPECT_EQ(with(giving({Variable(Type::disconnected())})),
            "TypeError: the pullback of doubled says that operand 0 is disconnected, but the op's "
            "connection says that a result depends on it: give constant(0.0) for zeros, or correct "
            "the connection");
  EXPECT_EQ(with([](const Op &, Inputs in, Outputs, Gradients g) -> Variables {
              return {g[0] + in[0][{Slice(), 0}]};
            }),
            "IndexError: subtensor: too many indices: 2 for rank 1\n"
            "  subtensor{index = \":, 0\"}(x: f64[?])");
}

TEST(GradientMessages, OfRulesThatContradictTheConnection) { // F-283
  OpDef def;
  def.name = "first";
  def.operands = {{"x"}, {"y"}};
  def.connection = {{true}, {false}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) -> Arrays { return {in[0]}; };
  def.pullback = [](const Op &, Inputs, Outputs, Gradients g) -> Variables { return {g[0], g[0]}; };
  def.pushforward = giving({});
  Op first = *defineOp(def);
  auto x = dscalar("x"), y = dscalar("y");
  EXPECT_EQ(of(grad(first(x, y), x)),
            "TypeError: the pullback of first gives a gradient for operand 1, which no result "
            "depends on as the op's connection says: give a Variable of type Disconnected, or "
            "correct the connection");
  EXPECT_EQ(of(pushforward(first(x, y), x, x)),
            "ValueError: the pushforward of first gives 0 tangents for 1 result");
  def.pushforward = giving({Variable()}); // F-277
  EXPECT_EQ(of(pushforward((*defineOp(def))(x, y), x, x)),
            "ValueError: a Variable is used before it was given a value");
  def.pushforward = giving({dvector("v")});
  EXPECT_EQ(of(pushforward((*defineOp(def))(x, y), x, x)),
            "TypeError: the pushforward of first gives f64[?] for result 0, f64: a tangent is a "
            "float array of the same rank");
}

// F-274: the first four of the ops at which ways end, in the order of the graph; and a graph is
// looked through once for all Variables that are disconnected.
TEST(GradientMessages, OfManyDisconnected) {
  auto x = dvector("x"), y = dvector("y");
  Variable counts = constant(0.0);
  for (int i = 0; i < 6; ++i)
    counts = counts + cast(shape(x, 0), DType::Float64) * cast(argmax(y), DType::Float64);
  EXPECT_EQ(withoutLines(of(grad(counts, x))),
            "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
            "differentiated: every way leads through an op whose result does not depend on the "
            "elements: shapeI at GradientMessagesTest.cpp, shapeI at GradientMessagesTest.cpp, "
            "shapeI at GradientMessagesTest.cpp, shapeI at GradientMessagesTest.cpp and others\n"
            "  to get zeros set disconnectedInputs to Ignore or Warn");
  // 2,000 Variables before 20,000 nodes: one walk for each would take minutes.
  Variables inputs;
  Variable joined = constant(0.0);
  for (int i = 0; i < 2000; ++i) {
    inputs.push_back(dscalar());
    joined = joined + inputs.back();
  }
  for (int i = 0; i < 20000; ++i)
    joined = joined + 1.0;
  int warnings = 0;
  setLogSink([&](std::string_view) { ++warnings; });
  grad(disconnectedGrad(joined), inputs, {.disconnectedInputs = DisconnectedInputs::Warn});
  setLogSink({});
  EXPECT_EQ(warnings, 2000);
}

// F-287: extents that only a call shows.
TEST(GradientMessages, OfShapesOfDirections) {
  auto x = dvector("x"), t = dvector("t");
  Variable y = x * 2.0;
  auto called = [&](const Variable &result) {
    auto f = function({x, t}, result, {.onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    Tensor three({1.0, 2.0, 3.0}), four({1.0, 2.0, 3.0, 4.0});
    EXPECT_TRUE((*f)(three, three).ok());
    return withoutLines(whole((*f)(three, four).status()));
  };
  const char *const what = ": the extent along axis 0 is 4, that of its Variable 3: give it the "
                           "same shape\n  t: f64[4]   ";
  EXPECT_EQ(called(pushforward(sum(x), x, t)),
            "ShapeError GradientMessagesTest.cpp: tangent of pushforward" + std::string(what) +
                "x: f64[3]");
  EXPECT_EQ(called(pullback(y, x, t)),
            "ShapeError GradientMessagesTest.cpp: cotangent of pullback" + std::string(what) +
                "mul(x, ...): f64[3]");
  EXPECT_EQ(called(grad(Replacements{{y, t}}, {x})[0]),
            "ShapeError GradientMessagesTest.cpp: known gradient of grad" + std::string(what) +
                "mul(x, ...): f64[3]");
  EXPECT_EQ(called(hessianVectorProduct(sum(x * x), x, t)),
            "ShapeError GradientMessagesTest.cpp: tangent of pushforward" + std::string(what) +
                "x: f64[3]");
  // Types that say so are noticed at once, and types that agree cost no node.
  auto a = tensor(DType::Float64, {3}, "a"), b = tensor(DType::Float64, {4}, "b");
  EXPECT_EQ(
      of(pushforward(sum(a), a, b)),
      "ShapeError: tangent of pushforward: the extent along axis 0 is 4, that of its Variable "
      "3: give it the same shape\n  tangent of pushforward(b: f64[4], a: f64[3])");
  auto isChecked = [](const Variable &v) {
    for (const Apply &node : ioToposort({}, {v}))
      if (node.op().name() == "specifyShapeLike")
        return true;
    return false;
  };
  EXPECT_EQ(of(pullback(exp(a), a, b)),
            "ShapeError: cotangent of pullback: the extent along axis 0 is 4, that of its Variable "
            "3: give it the same shape\n  cotangent of pullback(b: f64[4], f64[3])");
  EXPECT_TRUE(isChecked(pullback(a * 2.0, a, t)));
  EXPECT_FALSE(isChecked(pullback(a * 2.0, a, tensor(DType::Float64, {3}))));
  EXPECT_FALSE(isChecked(jacobian(y, x)));
}

// F-274, F-290: as grad.
TEST(GradientMessages, OfHessianVectorProducts) {
  auto x = dvector("x"), y = dscalar("y"), p = dvector("p");
  EXPECT_EQ(of(hessianVectorProduct(y * y, x, p)),
            "DisconnectedInput: grad: the cost does not depend on x, with respect to which it is "
            "differentiated: it is not computed from it\n"
            "  to get zeros set disconnectedInputs to Ignore or Warn");
  std::vector<std::string> warnings;
  setLogSink([&](std::string_view text) { warnings.emplace_back(text); });
  hessianVectorProduct(y * y, x, p, {.disconnectedInputs = DisconnectedInputs::Warn});
  setLogSink({});
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "grad: the cost does not depend on x, with respect to which it is "
                          "differentiated: it is not computed from it"}));
  GradOptions ignore{.disconnectedInputs = DisconnectedInputs::Ignore};
  auto valueOf = [&](const Variable &product) {
    auto f = function({x, y, p}, product, {.onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    return (*(*f)(Tensor({1.0, 2.0}), 3.0, Tensor({4.0, 5.0})))[0];
  };
  EXPECT_EQ(valueOf(hessianVectorProduct(y * y, x, p, ignore)), Tensor({0.0, 0.0}));
  // In x the cost is linear: the Hessian is zero, which is no mistake.
  EXPECT_EQ(valueOf(hessianVectorProduct(sum(x) * y, x, p)), Tensor({0.0, 0.0}));
  // y x^2: 2 y p.
  EXPECT_EQ(valueOf(hessianVectorProduct(sum(x * x) * y, x, p)), Tensor({24.0, 30.0}));
  ignore.returnDisconnected = ReturnDisconnected::Disconnected;
  Variables both = hessianVectorProduct(y * y, {x, y}, {p, y}, ignore);
  EXPECT_EQ(both[0].type().kind(), Type::Kind::Disconnected);
  EXPECT_EQ(valueOf(both[1]), Tensor(6.0));
  EXPECT_EQ(of(hessianVectorProduct(y * y, {y, y}, {y})[0]),
            "ValueError: pushforward: 1 tangent for 2 Variables");
}

// Where there is no derivative, through the graphs of OpFromGraphs: all of them, with their places.
TEST(GradientMessages, OfNests) { // F-251, F-276, F-277
  auto x = dscalar("x");
  auto applied = [](const OpFromGraph &op, const Variable &v, uint32_t line) {
    return op.apply({v}, Place("user.cpp", line, 7))[0];
  };
  const std::string undefined =
      "NullGradient: grad: the gradient with respect to x is not defined: ";
  const std::string forward =
      "NullGradient: pushforward: the tangent of the result of cos is not defined: ";
  const std::string way = "\n  on the way from it to the cost: ";
  // Said by an override, three graphs deep, and beside it on the way: sin.
  for (Inline::Kind inlined : {Inline::No, Inline::Yes}) {
    OpFromGraph inner({x}, {x * x},
                      {.inlined = inlined,
                       .pullback = {Override::nullType("why")},
                       .pushforward = {Override::nullType("why")},
                       .name = "inner"});
    OpFromGraph middle({x}, {exp(applied(inner, x * 2, 1))},
                       {.inlined = inlined, .name = "middle"});
    OpFromGraph outer({x}, {applied(middle, x, 2) + 1}, {.inlined = inlined, .name = "outer"});
    Place sinAt;
    Variable wave = at(sinAt, [&](auto loc) { return sin(Operand(x, loc)); });
    Variable end = cos(applied(outer, wave, 3));
    const std::string nest = "outer at user.cpp:3:7 > middle at user.cpp:2:7 > inner at "
                             "user.cpp:1:7";
    EXPECT_EQ(of(grad(end, x)), undefined + "why" + way + "sin at " + sinAt.str() + ", " + nest);
    EXPECT_EQ(of(grad(applied(inner, x, 4), x)), undefined + "why" + way + "inner at user.cpp:4:7");
    // Forward, by rules and by two pullbacks.
    for (bool byRules : {true, false})
      EXPECT_EQ(of(pushforward(end, x, x, {.useOpPushforward = byRules})),
                forward + "why\n  on the way to it: " + nest);
  }
  // An op without a pullback.
  Place doubledAt;
  Op op = doubled({});
  OpFromGraph outer({x}, {at(doubledAt, [&](auto loc) { return op(Operand(x, loc)); })},
                    {.name = "outer"});
  const std::string nest = "outer at user.cpp:5:7 > doubled at " + doubledAt.str();
  EXPECT_EQ(of(grad(applied(outer, x, 5), x)),
            undefined + "the op doubled has no pullback; operand 0" + way + nest);
  EXPECT_EQ(of(pushforward(cos(applied(outer, x, 5)), x, x)),
            forward + "the op doubled has no pullback; operand 0\n  on the way to it: " + nest);
  // Eight names at most.
  OpFromGraph deep({x}, {x}, {.pullback = {Override::nullType("why")}, .name = "inner"});
  for (int level = 0; level < 20; ++level)
    deep = OpFromGraph({x}, {deep(x)}, {.name = "level" + std::to_string(level)});
  EXPECT_EQ(withoutLines(of(grad(deep(x), x))),
            undefined + "why" + way +
                "level19 at GradientMessagesTest.cpp > ... > level4 at GradientMessagesTest.cpp > "
                "level3 at GradientMessagesTest.cpp > level2 at GradientMessagesTest.cpp > level1 "
                "at GradientMessagesTest.cpp > level0 at GradientMessagesTest.cpp > inner at "
                "GradientMessagesTest.cpp");
}

// Whole, with the place of the call, and those of the nodes that are to blame.
TEST(GradientMessages, HavePlaces) { // F-251, F-252, F-274
  auto x = dscalar("x"), y = dscalar("y");
  const Place opAt("user.cpp", 3, 7);
  Place wrongAt, gradAt;
  auto outcome = [&](const Variable &cost, const GradOptions &options = {}) {
    return whole(at(gradAt, [&](auto loc) { return grad(cost, x, options, loc); }).status());
  };
  OpFromGraph cut({x}, {x * 2}, {.pullback = {Override::disconnected()}, .name = "cut"});
  OpFromGraph around({x}, {cut(x) + 1}, {.name = "around"});
  Variable inner = around.apply({x}, opAt)[0];
  std::string said = outcome(inner * y);
  EXPECT_EQ(said, "DisconnectedInput " + gradAt.str() +
                      ": grad: the cost does not depend on x, with respect to which it is "
                      "differentiated: every way leads through an op whose result does not depend "
                      "on the elements: around at " +
                      opAt.str() + "\n  to get zeros set disconnectedInputs to Ignore or Warn");
  OpFromGraph never({x}, {x * 2}, {.pullback = {Override::nullType("why")}, .name = "never"});
  Variable undefined = never.apply({x}, opAt)[0];
  said = outcome(undefined * y);
  EXPECT_EQ(said, "NullGradient " + gradAt.str() +
                      ": grad: the gradient with respect to x is not defined: why\n  on the way "
                      "from it to the cost: never at " +
                      opAt.str());
  // A rule that gives what it must not: the node's place, within the graph of an op, too.
  Op wrong = doubled(giving({constant(int64_t(3))}));
  Variable refused = at(wrongAt, [&](auto loc) { return wrong(Operand(x, loc)); });
  const std::string text = "TypeError " + wrongAt.str() +
                           ": the pullback of doubled gives i64 for operand 0, f64: a gradient "
                           "is a float array of the same rank";
  EXPECT_EQ(outcome(refused * y), text);
  OpFromGraph holder({x}, {refused}, {.name = "holder"});
  EXPECT_EQ(outcome(holder(x) * y), text);
}

// Where Null arises in a graph for each slice: the way there, as in the graphs of OpFromGraphs.
TEST(GradientMessages, OfVectorizedGraphs) { // F-276, F-277
  auto x = dscalar("x"), y = dscalar("y"), v = dvector("v");
  Op op = doubled({});
  Place twiceAt, doubledAt, vectorizedAt, sinAt, outerAt("user.cpp", 6, 7);
  Variable twice = at(twiceAt, [&](auto loc) { return op(Operand(x, loc)); });
  const std::string undefined =
      "NullGradient: grad: the gradient with respect to v is not defined: the op doubled has no "
      "pullback; operand 0\n  on the way from it to the cost: ";
  const std::string forward =
      "NullGradient: pushforward: the tangent of the result of sin is not defined: the op doubled "
      "has no pullback; operand 0\n  on the way to it: ";
  Variable each =
      at(vectorizedAt, [&](auto loc) { return vectorize({twice * y}, {{x, v}}, loc)[0]; });
  Variable end = at(sinAt, [&](auto loc) { return sin(Operand(each, loc)); });
  const std::string way = "vectorized at " + vectorizedAt.str() + " > doubled at " + twiceAt.str();
  EXPECT_EQ(of(grad(sum(end), v)), undefined + way);
  EXPECT_EQ(of(pushforward(end, v, v)), forward + way);
  // An operand that is the same for all slices.
  Variable same = at(vectorizedAt, [&](auto loc) {
    Variable product = at(doubledAt, [&](auto line) { return op(Operand(x * y, line)); });
    return vectorize({product}, {{x, v}}, loc)[0];
  });
  EXPECT_EQ(of(grad(sum(same), y)),
            "NullGradient: grad: the gradient with respect to y is not defined: the op doubled has "
            "no pullback; operand 0\n  on the way from it to the cost: vectorized at " +
                vectorizedAt.str() + " > doubled at " + doubledAt.str());
  // In the graph of an OpFromGraph, and an OpFromGraph in the graph of a slice.
  OpFromGraph outer({v, y}, {end}, {.name = "outer"});
  EXPECT_EQ(of(grad(sum(outer.apply({v, y}, outerAt)[0]), v)),
            undefined + "outer at user.cpp:6:7 > " + way);
  OpFromGraph inner({x}, {twice}, {.name = "inner"});
  Place slicesAt;
  Variable slices = at(slicesAt, [&](auto loc) {
    return vectorize({inner.apply({x}, outerAt)[0]}, {{x, v}}, loc)[0];
  });
  const std::string nest =
      "vectorized at " + slicesAt.str() + " > inner at user.cpp:6:7 > doubled at " + twiceAt.str();
  EXPECT_EQ(of(grad(sum(slices), v)), undefined + nest);
  EXPECT_EQ(of(pushforward(sin(slices), v, v)), forward + nest);
}

TEST(GradientMessages, OfVectorizeAndJacobians) { // F-289, F-290
  auto x = dscalar("x"), m = dmatrix("m"), i = lvector("i");
  EXPECT_EQ(of(vectorize({x}, {})[0]), "ValueError: vectorize: there is nothing to vectorize over");
  EXPECT_EQ(of(vectorize({x}, {{x, m}})[0]),
            "TypeError: vectorize: what stands for x, f64, is f64[?,?]: it has the same dtype and "
            "one axis more in front");
  Variable two = constant(2.0);
  Place vectorizedAt;
  Variable again = at(vectorizedAt, [&](auto loc) {
    return vectorize({x * 2}, {{x, dvector("a")}, {x, dvector("b")}}, loc)[0];
  });
  EXPECT_EQ(whole(again.status()), "ValueError " + vectorizedAt.str() +
                                       ": vectorize: x, f64, is there twice: one array stands for "
                                       "it; take another Variable for the second one");
  EXPECT_EQ(of(vectorize({x * two}, {{x, dvector()}, {two, dvector()}})[0]),
            "TypeError: vectorize: 2.0, f64, is a constant, in whose place nothing can stand: make "
            "it an input of the graph");
  EXPECT_EQ(of(vectorize({x}, {{x, Variable(Type::disconnected(), "d")}})[0]),
            "TypeError: vectorize: d is Disconnected, no array");
  // Extents that only a call shows, and extents that are elements of slices.
  auto v = dvector("v"), w = dvector("w");
  Variable y = dscalar("y");
  auto three = tensor(DType::Float64, {3}, "a"), four = tensor(DType::Float64, {4}, "b");
  EXPECT_EQ(
      of(vectorize({x * y}, {{x, three}, {y, four}})[0]),
      "ShapeError: vectorized: the first axes, along which a graph is vectorized, have 3 and 4 "
      "elements\n  vectorized(a: f64[3], b: f64[4])");
  auto f = function({v, w}, vectorize({x * y}, {{x, v}, {y, w}})[0]);
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(
      withoutLines(said((*f)(Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})).status())),
      "ShapeError: vectorized: the first axes, along which a graph is vectorized, have 3 and 2 "
      "elements\n  v: f64[2]   w: f64[3]");
  Variable n = lscalar("n");
  EXPECT_EQ(
      said(function({i}, vectorize({sum(arange(n))}, {{n, i}})[0]).status()),
      "NotSupported: vectorized: an extent, or a number of steps, would differ from slice to "
      "slice; "
      "results have one shape for all slices: pad to the longest one, and mask what is behind");
  EXPECT_EQ(of(jacobian(i, x)), "TypeError: jacobian: i is i64[?], no float array");
  EXPECT_EQ(of(jacobian(m, x)),
            "ValueError: jacobian: m is f64[?,?]: an expression has rank 0 or 1, "
            "unless anyRank is set");
  EXPECT_EQ(of(hessian(x, m)),
            "ValueError: hessian: m is f64[?,?]: what a Hessian is with respect to has rank 1; "
            "flatten it, or use hessianVectorProduct");
}

/// Its operand, with rules that give twice as many elements.
OpDef withLongRules() {
  auto twice = [](const Variable &v) -> Variables {
    return {concatenate({Operand(v), Operand(v)})};
  };
  OpDef def;
  def.name = "same";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0)};
  };
  def.emit = [](Emitter &, const Arrays &in, const Attributes &) -> Arrays { return {in[0]}; };
  def.pullback = [twice](const Op &, Inputs, Outputs, Gradients g) { return twice(g[0]); };
  def.pushforward = [twice](const Op &, Inputs, Outputs, Tangents t) { return twice(t[0]); };
  return def;
}

// What rules of the user's give: refused where the types tell, and by a call where they do not.
TEST(GradientMessages, OfExtentsByRules) { // F-270
  OpDef def = withLongRules();
  const Op same = *defineOp(def);
  Place here;
  auto known = tensor(DType::Float64, {2}, "k");
  Variable y = at(here, [&](auto loc) { return same(Operand(known, loc)); });
  EXPECT_EQ(whole(grad(sum(y), known).status()),
            "ShapeError " + here.str() +
                ": the pullback of same gives f64[4] for operand 0, f64[2] (4 and 2 along axis 0): "
                "a gradient has its operand's extents");
  EXPECT_EQ(whole(pushforward(y, known, known).status()),
            "ShapeError " + here.str() +
                ": the pushforward of same gives f64[4] for result 0, f64[2] (4 and 2 along axis "
                "0): a tangent has its result's extents");
  auto x = dvector("x");
  y = at(here, [&](auto loc) { return same(Operand(x, loc)); });
  auto called = [&](const Variable &of) {
    auto f = function({x}, of);
    EXPECT_TRUE(f.ok()) << f.status();
    return whole((*f)(Tensor({1.0, 2.0})).status());
  };
  EXPECT_EQ(
      called(grad(sum(y), x)),
      "ShapeError " + here.str() +
          ": the pullback of same: the extent along axis 0 is 4, that of its Variable 2: give "
          "it the same shape\n  concatenate(..., ...): f64[4]   x: f64[2]");
  EXPECT_EQ(called(pushforward(y, x, x)),
            "ShapeError " + here.str() +
                ": the pushforward of same: the extent along axis 0 is 4, that of its Variable 2: "
                "give it the same shape\n  concatenate(..., ...): f64[4]   same(x): f64[2]");
  // Rules that are right cost no node more where types tell, nor those of the library's anywhere.
  def.name = "right";
  def.pullback = [](const Op &, Inputs, Outputs, Gradients g) -> Variables { return {g[0]}; };
  Op right = *defineOp(def);
  auto numChecks = [](const Variable &v) {
    return std::ranges::count_if(ioToposort({}, {v}), [](const Apply &node) {
      return node.op().name() == "specifyShapeLike";
    });
  };
  EXPECT_EQ(numChecks(grad(sum(right(known) * known), known)), 0);
  EXPECT_EQ(numChecks(grad(sum(right(x) * x), x)), 1);
  EXPECT_EQ(numChecks(grad(sum(exp(x) * x), x)), 0);
}

// Of an op of several results those that are needed: loops that run are counted.
TEST(VerifyGrad, EvaluatesWhatIsNeeded) { // F-292
  auto x = tensor(DType::Float64, {10}, "x");
  OpFromGraph op({x}, {x * 2, exp(x), sum(exp(x))});
  auto iterations = [&](const Variables &outputs) {
    EvaluationBudget budget{1000};
    EXPECT_TRUE(evaluate(outputs, {x}, {*Tensor::zeros(DType::Float64, {10})}, &budget).ok());
    return 1000 - budget.iterations;
  };
  Variables all = op.apply({x});
  EXPECT_EQ(iterations({all[0]}), 10);
  EXPECT_EQ(iterations({all[1]}), 10);
  EXPECT_EQ(iterations({all[0], all[1]}), 20);
  EXPECT_GT(iterations({all[2]}), 10);
}

TEST(VerifyGrad, FindsWrongGradients) { // F-292
  auto exact = [](const Variables &v) { return exp(v[0]) * v[1]; };
  Tensor x({0.5, -1.0}), y({2.0, 3.0});
  for (Differences kind : {Differences::OneSided, Differences::Central})
    EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.differences = kind})), "OK");
  EXPECT_EQ(said(verifyGrad(exact, {x.cast(DType::Float32), y.cast(DType::Float32)})), "OK");
  EXPECT_EQ(said(verifyGrad(exact, {Type(DType::Float64, {3}), Type(DType::Float64, {3})}, 4)),
            "OK");
  for (DType dtype : {DType::Float64, DType::Float32, DType::Float16})
    EXPECT_EQ(said(verifyGrad(exact, {x.cast(dtype), y.cast(dtype)},
                              {.differences = Differences::ComplexStep})),
              "OK");
  // Central differences do not see an error of 1e-6, a complex step does.
  auto nearly = [](const Variables &v) { return exp(v[0]) + 1e-6 * disconnectedGrad(v[0]); };
  EXPECT_EQ(said(verifyGrad(nearly, {x}, {.differences = Differences::Central})), "OK");
  // The weight is 0.659793363, as below, and so the slope 0.659793363 e^0.5.
  EXPECT_EQ(said(verifyGrad(nearly, {x}, {.differences = Differences::ComplexStep})),
            "DebugMismatch: verifyGrad: the gradient of argument 0 at (0,) is 1.08781535, but "
            "differences give 1.08781601: absolute error 6.6e-07 (allowed: 1e-10), relative error "
            "3.03e-07 (allowed: 1e-10)");
  EXPECT_EQ(said(verifyGrad([](const Variables &v) { return abs(v[0]); }, {x},
                            {.differences = Differences::ComplexStep})),
            "TypeError: verifyGrad: the function gives f64[2] for complex arguments: it is not "
            "holomorphic, and has no complex step; take central differences");
  EXPECT_EQ(said(verifyGrad(exact, {x, y.cast(DType::Complex128)},
                            {.differences = Differences::ComplexStep})),
            "TypeError: verifyGrad: argument 1 is complex<f64>[2]: a complex step is taken from "
            "real arguments");
  // Half of the gradient is missing. The result is weighted by a random number.
  auto half = [](const Variables &v) { return v[0] + disconnectedGrad(v[0]); };
  EXPECT_EQ(
      said(verifyGrad(half, {Tensor({0.0})})),
      "DebugMismatch: verifyGrad: the gradient of argument 0 at (0,) is 0.659793363, but "
      "differences give 1.31958673: absolute error 0.66 (allowed: 0.0001), relative error 0.333 "
      "(allowed: 0.0001)");
  // An op whose gradient has another shape.
  const Op same = *defineOp(withLongRules());
  EXPECT_EQ(
      said(verifyGrad([&](const Variables &v) { return same(v[0]); }, {x})),
      "ShapeError: the pullback of same gives f64[4] for operand 0, f64[2] (4 and 2 along axis 0): "
      "a gradient has its operand's extents");
  EXPECT_EQ(
      said(verifyGrad(exact, {x, Tensor({1, 2}).cast(DType::Int64)})),
      "TypeError: verifyGrad: argument 1 is i64[2]: give float arrays, and keep others inside "
      "the function");
  EXPECT_EQ(said(verifyGrad(exact, {Tensor(), x})),
            "TypeError: verifyGrad: argument 0 is undefined: give float arrays, and keep others "
            "inside the function");
  EXPECT_EQ(said(verifyGrad(exact, {Type::null("a secret")}, 1)),
            "TypeError: verifyGrad: an argument is Null(a secret): give float arrays");
  EXPECT_EQ(said(verifyGrad(exact, {Type(), Type()}, 0)),
            "ValueError: verifyGrad: 0 points are asked for; it takes at least 1");
  EXPECT_EQ(said(verifyGrad(GradFunction(), {x})), "ValueError: verifyGrad: there is no function");
  EXPECT_EQ(said(verifyGrad([](const Variables &) { return Variable(Type::disconnected()); }, {x})),
            "TypeError: verifyGrad: the function gives Disconnected, no array");
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.epsilon = 0.0})),
            "ValueError: verifyGrad: epsilon is 0; it is a positive number");
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.epsilon = kNaN})),
            "ValueError: verifyGrad: epsilon is nan; it is a positive number");
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.absoluteBound = kNaN})),
            "ValueError: verifyGrad: absoluteBound is nan; it is a number, not below 0");
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.relativeBound = kNaN})),
            "ValueError: verifyGrad: relativeBound is nan; it is a number, not below 0");
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.relativeBound = -1e-9})),
            "ValueError: verifyGrad: relativeBound is -1e-09; it is a number, not below 0");
  EXPECT_TRUE(verifyGrad(exact, {x, y}, {.relativeBound = 0.0}).ok()); // by the absolute error
  EXPECT_EQ(said(verifyGrad(exact, {x, y}, {.epsilon = 1e-30})),
            "ValueError: verifyGrad: epsilon, 1e-30, does not move argument 0 at (0,)");
  EXPECT_EQ(said(verifyGrad(exact, {Type(DType::Float64, {kDynamic})}, 1)),
            "ShapeError: verifyGrad: random points need static extents, not those of f64[?]");
}

// F-292: a rule that nothing but forward mode asks is verified, too.
TEST(GradientMessages, OfPushforwardsThatAreNotTheGradients) {
  auto twice = [](double factor) {
    OpDef def = doubled([](const Op &, Inputs, Outputs, Gradients g) {
                  return Variables{g[0] * 2.0};
                }).def();
    def.pushforward = [factor](const Op &, Inputs, Outputs, Tangents t) {
      return Variables{t[0] * factor};
    };
    Op op = *defineOp(def);
    return said(verifyGrad([op](const Variables &v) { return op(v[0]); },
                           {Tensor({1.0, 2.0, 3.0}), Tensor(0.5)}));
  };
  EXPECT_EQ(twice(2), "OK");
  EXPECT_EQ(
      std::regex_replace(twice(3), std::regex("-?[0-9][-+.0-9e]*"), "N"),
      "DebugMismatch: verifyGrad: in a random direction pushforward gives N, but the gradient, "
      "which agrees with differences, gives N: absolute error N (allowed: N)");
}

// What a rule computes with a gradient that is not there is told of the op.
TEST(GradientMessages, OfRulesThatWantAllGradients) {
  OpDef def;
  def.name = "halves";
  def.operands = {{"x"}};
  def.numResults = 2;
  def.type = [](const TypeRequest &r) -> absl::StatusOr<std::vector<Type>> {
    return std::vector<Type>{r.type(0), r.type(0)};
  };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) -> Arrays {
    auto half = [](const Scalars &s) { return s[0] * 0.5; };
    return {e.map({in[0]}, half), e.map({in[0]}, half)};
  };
  def.pullback = [](const Op &, Inputs, Outputs, Gradients g) {
    return Variables{g[0] * 0.5 + g[1] * 0.5};
  };
  Op op = *defineOp(def);
  auto x = dvector("x");
  Variable first = op.callAll({x}, std::source_location::current())[0];
  std::string text = of(grad(sum(first), x));
  EXPECT_TRUE(
      text.starts_with("TypeError: the pullback of halves fails where a result has no gradient "
                       "(ask isDisconnected): mul: "))
      << text;
}

} // namespace
} // namespace graphc
