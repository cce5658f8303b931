//===- OverridesTest.cpp - derivatives of OpFromGraphs ---------------------===//
//
// Numbers are those of docs/FunctionCases.md (I01 to I19), or follow by hand from the formulas
// beside them.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>

#include "Calls.h"
#include "Graph/InnerGraph.h"
#include "Places.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Shared.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

using List = std::vector<double>;
const Inline::Kind kInlines[] = {Inline::No, Inline::Yes, Inline::Automatic};

/// F-261: [input][output].
std::vector<std::vector<bool>> connectionOf(const OpFromGraph &op) {
  const detail::InnerGraph &inner = *op.op().def().inner;
  std::vector<std::vector<bool>> rows;
  for (int i = 0; i < inner.graph().numInputs(); ++i) {
    std::vector<bool> &row = rows.emplace_back();
    for (int o = 0; o < inner.graph().numOutputs(); ++o)
      row.push_back(inner.dependence().has(i, o));
  }
  return rows;
}

/// f(inputs) = outputs at `values`; the same compiled, with and without rewrites, and interpreted.
List run(const Variables &inputs, const Variables &outputs, const List &values) {
  List first;
  for (bool rewrites : {true, false})
    for (const char *mode : {"fast_run", "fast_compile", "interpreter", "debug"}) {
      auto f =
          function(inputs, outputs,
                   {.mode = mode, .rewrites = rewrites, .onUnusedInput = OnUnusedInput::Ignore});
      EXPECT_TRUE(f.ok()) << f.status();
      if (!f.ok())
        return {};
      std::vector<Tensor> arguments(values.begin(), values.end());
      List now = valuesOf(f->call(arguments));
      if (first.empty())
        first = now;
      EXPECT_EQ(now, first) << mode << rewrites;
    }
  return first;
}

class OverridesTest : public ::testing::TestWithParam<Inline::Kind> {
protected:
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  Variables xyz = {x, y, z};

  OpFromGraph made(const Variables &inputs, const Variables &outputs,
                   OpFromGraphOptions options = {}) {
    options.inlined = GetParam();
    OpFromGraph op(inputs, outputs, options);
    EXPECT_TRUE(op.ok()) << op.status();
    return op;
  }
  /// Gradients of the seed x + y * z at (2, 3, 4).
  List seed(OpFromGraphOptions options, double factor = 1) {
    OpFromGraph op = made(xyz, {x + y * z}, std::move(options));
    return run(xyz, grad(op(x, y, z) * factor, xyz), {2, 3, 4});
  }
};
INSTANTIATE_TEST_SUITE_P(, OverridesTest, ::testing::ValuesIn(kInlines));

const auto kDefault = Override::byDefault();

// F-228, F-240, F-262; case I01.
TEST_P(OverridesTest, DefaultPullback) { EXPECT_EQ(seed({}), (List{1, 4, 3})); }

// F-246, F-254; cases I03, I04, I05.
TEST_P(OverridesTest, ListsOfOverrides) {
  auto older = [](Inputs in, Gradients) { return in[2] * 2; };
  auto newer = [](Inputs in, Outputs, Gradients) { return in[2] * 2; };
  auto chained = [](Inputs in, Outputs, Gradients g) { return in[2] * 2 * g[0]; };
  EXPECT_EQ(seed({.gradOverrides = {kDefault, older, kDefault}}), (List{1, 8, 3}));
  EXPECT_EQ(seed({.pullback = {kDefault, newer, kDefault}}), (List{1, 8, 3}));
  EXPECT_EQ(seed({.pullback = {kDefault, newer, kDefault}}, 5), (List{5, 8, 15}));
  EXPECT_EQ(seed({.pullback = {kDefault, chained, kDefault}}, 5), (List{5, 40, 15}));
}

// F-247; case I06.
TEST_P(OverridesTest, WholeCallable) {
  EXPECT_EQ(seed({.pullback =
                      [](Inputs in, Outputs out, Gradients g) {
                        return Variables{g[0] * out[0], in[0] * g[0], in[1] * g[0]};
                      }}),
            (List{14, 2, 3}));
}

// F-260: what an override reads is what the op computed, and nothing is computed once more for it.
TEST_P(OverridesTest, SeesWhatWasComputed) {
  Variable v = tensor(DType::Float64, {5}, "v"), g = tensor(DType::Float64, {5}, "g");
  OpFromGraph op =
      made({v}, {softmax(v)},
           {.pullback = [](Inputs, Outputs out, Gradients g) { return Variables{g[0] * out[0]}; }});
  Variable result = op(v), pulled = pullback(result, v, g);
  int readers = 0;
  for (const Apply &node : ioToposort({v, g}, {pulled}))
    if (node.op().str() == "OpFromGraph_LOp") {
      ++readers;
      ASSERT_EQ(node.numInputs(), 3); // v, the result, g
      EXPECT_EQ(node.input(1), result);
      EXPECT_EQ(node.op().def().inner->graph().order().size(), 1u); // the product alone
    }
  EXPECT_EQ(readers, 1);
  auto kernels = [&](const Variables &outputs) {
    auto f = function({v, g}, outputs, {.onUnusedInput = OnUnusedInput::Ignore});
    EXPECT_TRUE(f.ok()) << f.status();
    return f.ok() ? f->counters().kernels : -1;
  };
  if (GetParam() == Inline::No) // each op has its own, the override one
    EXPECT_EQ(kernels({result, pulled}), kernels({result}) + 1);
  else
    EXPECT_EQ(kernels({result, pulled}), kernels({result, g * result}));
}

// F-250; case I07.
TEST_P(OverridesTest, WholeOpFromGraph) {
  Variable out = dscalar("out"), g = dscalar("g");
  OpFromGraph rule({x, y, z, out, g}, {2 * g, g * z, g * out});
  EXPECT_EQ(seed({.pullback = rule}), (List{2, 4, 14}));
  OpFromGraph entry({x, y, z, out, g}, {g * out * x});
  EXPECT_EQ(seed({.pullback = {kDefault, entry, kDefault}}), (List{1, 28, 3}));
}

// F-245 to F-247, F-250: gradOverrides in every form.
TEST_P(OverridesTest, OlderForms) {
  auto callable = [](Inputs in, Gradients g) { return Variables{2 * g[0], in[0] * g[0], in[1]}; };
  EXPECT_EQ(seed({.gradOverrides = callable}), (List{2, 2, 3}));
  EXPECT_EQ(seed({.gradOverrides = callable}, 5), (List{10, 10, 3}));
  Variable g = dscalar("g");
  OpFromGraph whole({x, y, z, g}, {g * x, g * y, g * z}), entry({x, y, z, g}, {g * x * z});
  EXPECT_EQ(seed({.gradOverrides = whole}), (List{2, 3, 4}));
  EXPECT_EQ(seed({.gradOverrides = whole}, 5), (List{10, 15, 20}));
  EXPECT_EQ(seed({.gradOverrides = {kDefault, entry, kDefault}}), (List{1, 8, 3}));
  EXPECT_EQ(seed({.gradOverrides = {kDefault, entry, kDefault}}, 5), (List{5, 40, 15}));
}

// F-246, F-250, F-258: an OpFromGraph of inputs and tangents, for the whole op and for an output.
TEST_P(OverridesTest, PushforwardByGraphs) {
  Variable s = dscalar("s"), t = dscalar("t");
  OpFromGraph whole({x, y, s, t}, {x * s + 10 * t, 100 * y * t});
  OpFromGraph entry({x, y, s, t}, {x - y + 1000 * s + 10000 * t});
  auto out = [&](Overrides rule) {
    return made({x, y}, {x * y, x + y}, {.pushforward = std::move(rule)}).apply({x, y});
  };
  auto pushed = [&](const Overrides &rule, const PushforwardOptions &options = {}) {
    return run({x, y}, pushforward(out(rule), {x, y}, {constant(1.0), constant(2.0)}, options),
               {3, 4});
  };
  EXPECT_EQ(pushed(whole), (List{23, 800}));
  EXPECT_EQ(pushed({entry, kDefault}), (List{20999, 3}));
  EXPECT_EQ(pushed({kDefault, entry}), (List{10, 20999}));
  EXPECT_EQ(pushed({entry, entry}), (List{20999, 20999}));
  EXPECT_EQ(pushed(whole, {.useOpPushforward = false}), (List{10, 3})); // F-288
  // A tangent that is not there is zero.
  EXPECT_EQ(run({x, y}, pushforward(out(whole), {y}, {constant(2.0)}), {3, 4}), (List{20, 800}));
  EXPECT_EQ(run({x, y}, pushforward(out({entry, kDefault}), {x}, {constant(1.0)}), {3, 4}),
            (List{999, 1}));
}

// F-251, F-252; cases I08, I09: in a list of either form.
TEST_P(OverridesTest, NullAndDisconnected) {
  for (bool older : {false, true}) {
    auto with = [&](const Override &entry) {
      OpFromGraphOptions options;
      (older ? options.gradOverrides : options.pullback) = {kDefault, entry, kDefault};
      return made(xyz, {x + y * z}, options);
    };
    OpFromGraph null = with(Override::nullType("my reason"));
    EXPECT_EQ(firstLine(grad(null(x, y, z), xyz)[0].status()),
              "NullGradient: grad: the gradient with respect to y is not defined: my reason");
    EXPECT_EQ(run(xyz, grad(null(x, y, z), {x, z}), {2, 3, 4}), (List{1, 3}));
    Variables returned = grad(null(x, y, z), xyz, {.nullGradients = NullGradients::Return});
    EXPECT_EQ(returned[1].type().kind(), Type::Kind::Null);
    EXPECT_EQ(returned[1].type().reason(), "my reason");
    OpFromGraph cut = with(Override::disconnected());
    EXPECT_EQ(withoutLines(firstLine(grad(cut(x, y, z), y).status())),
              "DisconnectedInput: grad: the cost does not depend on y, with respect to which it is "
              "differentiated: every way leads through an op whose result does not depend on the "
              "elements: OpFromGraph at OverridesTest.cpp");
    EXPECT_EQ(run(xyz, grad(cut(x, y, z), xyz, {.disconnectedInputs = DisconnectedInputs::Ignore}),
                  {2, 3, 4}),
              (List{1, 0, 3}));
  }
}

// F-246, F-251 to F-253: one of the three for the whole op.
TEST_P(OverridesTest, WholeSpecialForms) {
  EXPECT_EQ(seed({.pullback = kDefault}), (List{1, 4, 3}));
  EXPECT_EQ(seed({.gradOverrides = kDefault}), (List{1, 4, 3}));
  auto two = [&](OpFromGraphOptions options) {
    return made({x, y}, {x * y, x + y}, std::move(options));
  };
  EXPECT_EQ(two({.pullback = kDefault, .pushforward = kDefault}), two({}));
  const PushforwardOptions byRules{.disconnectedInputs = DisconnectedInputs::Ignore};
  Variables tangents = {constant(1.0), constant(2.0)};

  for (bool older : {false, true}) {
    OpFromGraphOptions never, cut;
    (older ? never.gradOverrides : never.pullback) = Override::nullType("never");
    (older ? cut.gradOverrides : cut.pullback) = Override::disconnected();
    Variables out = two(never).apply({x, y});
    for (const Variable &each : out)
      for (const Variable &input : {x, y})
        EXPECT_EQ(firstLine(grad(each, input).status()),
                  "NullGradient: grad: the gradient with respect to " + std::string(input.name()) +
                      " is not defined: never");
    for (const Variable &g :
         grad(out[0] + out[1], {x, y}, {.nullGradients = NullGradients::Return}))
      EXPECT_EQ(g.type().reason(), "never");
    // Forward, the rule of the graph holds.
    EXPECT_EQ(run({x, y}, pushforward(out, {x, y}, tangents), {3, 4}), (List{10, 3}));

    OpFromGraph apart = two(cut);
    EXPECT_EQ(connectionOf(apart),
              (std::vector<std::vector<bool>>{{false, false}, {false, false}}));
    out = apart.apply({x, y});
    for (const Variable &input : {x, y})
      EXPECT_EQ(errorKind(grad(out[0] + out[1], input).status()), ErrorKind::DisconnectedInput);
    EXPECT_EQ(
        run({x, y},
            grad(out[0] + x * out[1], {x, y}, {.disconnectedInputs = DisconnectedInputs::Ignore}),
            {3, 4}),
        (List{7, 0}));
    EXPECT_EQ(run({x, y}, pushforward(out, {x, y}, tangents, byRules), {3, 4}), (List{0, 0}));
  }

  Variables never = two({.pushforward = Override::nullType("never")}).apply({x, y});
  for (const Variable &t :
       pushforward(never, {x, y}, tangents, {.nullGradients = NullGradients::Return}))
    EXPECT_EQ(t.type().reason(), "never");
  EXPECT_EQ(run({x, y}, grad(never[0], {x, y}), {3, 4}), (List{4, 3}));
  Variables none = two({.pushforward = Override::disconnected()}).apply({x, y});
  EXPECT_EQ(run({x, y}, pushforward(none, {x, y}, tangents, byRules), {3, 4}), (List{0, 0}));
  EXPECT_EQ(run({x, y}, grad(none[0], {x, y}), {3, 4}), (List{4, 3}));
  Variables plain = two({.pushforward = kDefault}).apply({x, y});
  EXPECT_EQ(run({x, y}, pushforward(plain, {x, y}, tangents), {3, 4}), (List{10, 3}));
}

// F-256: whatever asks for derivatives uses them. v^2 is said to have the derivative v^2, in
// reverse mode, and 100 in forward mode.
TEST_P(OverridesTest, UnderHigherDerivatives) {
  auto options = [] {
    return OpFromGraphOptions{
        .pullback = {[](Inputs, Outputs out, Gradients g) { return g[0] * out[0]; }},
        .pushforward = {[](Inputs, Tangents t) { return t[0] * 100; }}};
  };
  Variable v = dvector("v"), p = dvector("p");
  OpFromGraph square = made({v}, {v * v}, options()), one = made({x}, {x * x}, options());
  auto at = [&](const Variable &output) {
    List first;
    for (const char *mode : {"fast_run", "fast_compile", "interpreter", "debug"}) {
      auto f = function({v, p}, output, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
      EXPECT_TRUE(f.ok()) << f.status();
      if (!f.ok())
        return List();
      List now = valuesOf((*f)(Tensor({2.0, 3.0}), Tensor({1.0, 10.0})));
      if (first.empty())
        first = now;
      EXPECT_EQ(now, first) << mode;
    }
    return first;
  };
  // The rows of the Jacobian, one application for all of them.
  EXPECT_EQ(at(jacobian(square(v), v)), (List{4, 0, 0, 9}));
  EXPECT_EQ(at(jacobian(square(square(v)), v)), (List{64, 0, 0, 729})); // v^4 v^2
  // The gradient is v^2 by the override, and the gradient of that once more.
  Variable cost = sum(square(v));
  EXPECT_EQ(at(grad(cost, v)), (List{4, 9}));
  EXPECT_EQ(at(hessian(cost, v)), (List{4, 0, 0, 9}));
  EXPECT_EQ(at(grad(sum(grad(cost, v) * p), v)), (List{4, 90}));
  // Forward over reverse: the tangent of v^2 is 100 p.
  EXPECT_EQ(at(hessianVectorProduct(cost, v, p)), (List{100, 1000}));
  // In the graph for a slice, and around it.
  EXPECT_EQ(at(vectorize({grad(one(x), x)}, {{x, v}})[0]), (List{4, 9}));
  Variable all = vectorize({one(x)}, {{x, v}})[0];
  EXPECT_EQ(at(all), (List{4, 9}));
  EXPECT_EQ(at(grad(sum(all), v)), (List{4, 9}));
  EXPECT_EQ(at(pushforward(all, v, p)), (List{100, 1000}));
  EXPECT_EQ(at(jacobian(all, v)), (List{4, 0, 0, 9}));
  EXPECT_EQ(at(hessian(sum(all), v)), (List{4, 0, 0, 9}));
}

// F-258; case I10.
TEST_P(OverridesTest, SeveralOutputs) {
  OpFromGraph op = made(
      {x, y}, {x * y, x + y},
      {.pullback = {[](Inputs, Outputs out, Gradients g) { return out[0] * g[0] + 100 * g[1]; },
                    kDefault}});
  Variables out = op.apply({x, y});
  EXPECT_EQ(run({x, y}, grad(out[0] + 2 * out[1], {x, y}), {3, 4}), (List{212, 5}));
  EXPECT_EQ(run({x, y}, grad(out[1], {x, y}), {3, 4}), (List{100, 1}));
}

// F-256, F-262; case I11.
TEST_P(OverridesTest, SecondOrder) {
  OpFromGraph op =
      made({x}, {pow(x, 3)},
           {.pullback = {[](Inputs in, Outputs, Gradients g) { return g[0] * in[0]; }}});
  Variable first = grad(op(x), x), second = grad(first, x);
  EXPECT_EQ(run({x}, {op(x), first, second}, {2}), (List{8, 2, 1}));
  EXPECT_EQ(run({x}, {grad(op(op(x)), x)}, {2}), List{16});
  EXPECT_EQ(run({x}, {grad(op(x * x) * x, x)}, {2}), List{96});
  // Without an override, to the fourth: x^3 has 3x^2, 6x, 6, 0.
  OpFromGraph plain = made({x}, {pow(x, 3)});
  Variable d = plain(x);
  List derivatives;
  for (int order = 0; order < 3; ++order) {
    d = grad(d, x);
    derivatives.push_back(run({x}, {d}, {2})[0]);
  }
  EXPECT_EQ(derivatives, (List{12, 12, 6}));
}

// F-256; cases I12, I13.
TEST_P(OverridesTest, Nested) {
  OpFromGraph inner =
      made({x}, {x * x}, {.pullback = {[](Inputs, Outputs, Gradients g) { return 7 * g[0]; }}});
  OpFromGraph outer = made({x, y}, {inner(x) + y * x});
  EXPECT_EQ(run({x, y}, grad(outer(x, y), {x, y}), {2, 5}), (List{12, 2}));
  OpFromGraph square = made({x}, {x * x});
  OpFromGraph plain = made({x, y}, {square(x) * y + square(y)});
  Variables all = grad(plain(x, y), {x, y});
  all.push_back(plain(x, y));
  EXPECT_EQ(run({x, y}, all, {3, 4}), (List{24, 17, 52}));
}

// F-235, F-261; case I14.
TEST_P(OverridesTest, UnusedInputs) {
  OpFromGraph op = made({x, y}, {2 * x});
  EXPECT_EQ(connectionOf(op), (std::vector<std::vector<bool>>{{true}, {false}}));
  EXPECT_EQ(run({x, y}, {op(x, y)}, {3, 1}), List{6});
  EXPECT_EQ(errorKind(grad(op(x, y), y).status()), ErrorKind::DisconnectedInput);
  // An override may give what the graph does not: a known wrong answer elsewhere.
  OpFromGraph given = made({x, y}, {2 * x}, {.pullback = [](Inputs in, Outputs, Gradients g) {
                             return Variables{g[0], in[1] * g[0]};
                           }});
  EXPECT_EQ(run({x, y}, grad(given(x, y), {x, y}), {3, 5}), (List{1, 5}));
}

// F-261: a connection that is given goes before the graph's.
TEST_P(OverridesTest, ConnectionPattern) {
  OpFromGraph cut = made({x, y}, {x * y}, {.connectionPattern = {{true}, {false}}});
  EXPECT_EQ(errorKind(grad(cut(x, y), y).status()), ErrorKind::DisconnectedInput);
  EXPECT_EQ(run({x, y}, {grad(cut(x, y), x)}, {3, 5}), List{5});
  OpFromGraph more = made({x, y}, {2 * x}, {.connectionPattern = {{true}, {true}}});
  EXPECT_EQ(run({x, y}, grad(more(x, y), {x, y}), {3, 5}), (List{2, 0}));
  // Each pair by itself: the gradient of a sum is the sum of the gradients, forward too.
  OpFromGraph crossed =
      made({x, y}, {x * y, x + y}, {.connectionPattern = {{false, true}, {true, false}}});
  Variables out = crossed.apply({x, y});
  Variable both = 2 * out[0] + 7 * out[1];
  EXPECT_EQ(run({x, y}, grad(both, {x, y}), {3, 5}), (List{7, 6}));
  for (bool byRules : {true, false}) {
    auto along = [&](const Variable &v) {
      return pushforward(both, v, constant(1.0), {.useOpPushforward = byRules});
    };
    EXPECT_EQ(run({x, y}, {along(x), along(y)}, {3, 5}), (List{7, 6})) << byRules;
  }
  EXPECT_EQ(errorKind(grad(out[0], x).status()), ErrorKind::DisconnectedInput);
}

// Case I15.
TEST_P(OverridesTest, SameOperandTwice) {
  OpFromGraph difference = made({x, y}, {x - y});
  EXPECT_EQ(run({z}, {difference(z, z), grad(difference(z, z), z)}, {3}), (List{0, 0}));
  OpFromGraph product =
      made({x, y}, {x * y},
           {.pullback = {[](Inputs, Outputs, Gradients g) { return 10 * g[0]; }, kDefault}});
  EXPECT_EQ(run({z}, {grad(product(z, z), z)}, {3}), List{13});
}

// F-253, F-288; case I18.
TEST_P(OverridesTest, Pushforward) {
  Variables tangents = {constant(1.0), constant(2.0)};
  auto product = [&](Overrides rule) {
    return made({x, y}, {x * y, x + y}, {.pushforward = std::move(rule)}).apply({x, y});
  };
  Variables out = product({[](Inputs, Tangents t) { return t[0] * 100; }, kDefault});
  EXPECT_EQ(run({x, y}, pushforward(out, {x, y}, tangents), {3, 4}), (List{100, 3}));
  EXPECT_EQ(run({x, y}, pushforward(out, {x, y}, tangents, {.useOpPushforward = false}), {3, 4}),
            (List{10, 3}));
  EXPECT_EQ(run({x, y}, pushforward(product({}), {x, y}, tangents), {3, 4}), (List{10, 3}));
  EXPECT_EQ(
      run({x, y},
          pushforward(product([](Inputs in, Tangents t) { return Variables{in[0] + t[1], in[1]}; }),
                      {x, y}, tangents),
          {3, 4}),
      (List{5, 4}));
  EXPECT_EQ(run({x, y},
                pushforward(product({Override::disconnected(), kDefault}), {x, y}, tangents),
                {3, 4}),
            (List{0, 3}));
  EXPECT_EQ(
      firstLine(pushforward(product({Override::nullType("never"), kDefault}), {x, y}, tangents)[0]
                    .status()),
      "NullGradient: pushforward: the tangent of the result of OpFromGraph is not defined: "
      "never");
  // F-258: a tangent that is not there is zero to an override.
  EXPECT_EQ(run({x, y},
                pushforward(Variables{product({[](Inputs, Tangents t) { return t[0] + 10 * t[1]; },
                                               kDefault})[0]},
                            {y}, {constant(1.0)}),
                {3, 4}),
            List{10});
}

// F-254, F-258: it replaces the chain rule also where that would give zero.
TEST_P(OverridesTest, GradientsThatAreZero) {
  OpFromGraph fixed =
      made({x, y}, {x * y},
           {.pullback = {[](Inputs in, Outputs, Gradients) { return in[1] * 7; }, kDefault}});
  EXPECT_EQ(run({x, y}, grad(floor(fixed(x, y)), {x, y}), {2, 3}), (List{21, 0}));
}

// F-252, F-261, F-287: what is said to be disconnected is so forward, too: d(x y)/dx alone.
TEST_P(OverridesTest, DisconnectedForward) {
  for (bool isOverride : {true, false}) {
    OpFromGraphOptions options;
    if (isOverride)
      options.pullback = {kDefault, Override::disconnected()};
    else
      options.connectionPattern = {{true}, {false}};
    OpFromGraph op = made({x, y}, {x * y}, options);
    Variable one = Constant(1.0);
    for (bool byRules : {true, false}) {
      PushforwardOptions how{.disconnectedInputs = DisconnectedInputs::Ignore};
      how.useOpPushforward = byRules;
      EXPECT_EQ(run({x, y}, pushforward({op(x, y)}, {x, y}, {one, one}, how), {3, 5}), List{5});
    }
    // z = x^2 x with dz/dx = 2x x, of z^2: 2 z 2x^2, of which the derivative is 8 x^4 + 2 z 4x.
    Variable z = op(sqr(x), x);
    EXPECT_EQ(run({x}, {hessianVectorProduct(sqr(z), x, one)}, {3}), List{1296});
    EXPECT_EQ(run({x}, {grad(grad(sqr(z), x), x)}, {3}), List{1296});
  }
}

// F-240, F-276, F-287: results that do not depend on what is Null keep their tangents, as they do
// without an OpFromGraph; an override is told nothing of it.
TEST_P(OverridesTest, NullForward) {
  const Variable t = dscalar("t"), null(Type::null("why"));
  const Override hundredfold = [](Inputs, Tangents t) { return t[0] * 100; };
  for (bool byRules : {true, false}) {
    SCOPED_TRACE(byRules);
    auto along = [&](const OpFromGraph &op, const Variables &wrt, const Variables &tangents) {
      return pushforward(op.apply(std::vector<Operand>(wrt.begin(), wrt.end())), wrt, tangents,
                         {.useOpPushforward = byRules, .nullGradients = NullGradients::Return});
    };
    auto reasonOf = [](const Variable &v) {
      return v.type().kind() == Type::Kind::Null ? v.type().reason() : "not Null";
    };
    Variables g = along(made({x, y}, {2 * x, 3 * y}), {x, y}, {t, null});
    EXPECT_EQ(run({t}, {g[0]}, {5}), List{10});
    EXPECT_EQ(reasonOf(g[1]), "why");
    g = along(made({x}, {undefinedGrad(x), x * x}), {x}, {t});
    EXPECT_EQ(reasonOf(g[0]), "undefinedGrad says so");
    EXPECT_EQ(run({x, t}, {g[1]}, {3, 5}), List{30});
    g = along(made({x, y}, {undefinedGrad(x), y}), {x, y}, {t, null});
    EXPECT_EQ(reasonOf(g[0]), "undefinedGrad says so");
    EXPECT_EQ(reasonOf(g[1]), "why");
    // As the op's connection says it, not the graph.
    g = along(made({x, y}, {x * y}, {.connectionPattern = {{true}, {false}}}), {x, y}, {t, null});
    EXPECT_EQ(run({x, y, t}, g, {3, 4, 5}), List{20});
    g = along(made({x, y}, {2 * x, 3 * y}, {.pushforward = {hundredfold, hundredfold}}), {x, y},
              {t, null});
    EXPECT_EQ(run({x, y, t}, {g[0]}, {3, 4, 5}), List{byRules ? 500.0 : 10.0});
    EXPECT_EQ(reasonOf(g[1]), "why");
  }
}

// F-254: an override that stands for a function without a derivative: round, straight through.
TEST_P(OverridesTest, StraightThrough) {
  OpFromGraph op =
      made({x}, {round(x)}, {.pullback = {[](Inputs, Outputs, Gradients g) { return g[0]; }}});
  EXPECT_EQ(run({x}, {grad(op(3 * x), x), grad(round(3 * x), x)}, {1.2}), (List{3, 0}));
}

// F-255: results are cast to the input's dtype.
TEST_P(OverridesTest, ResultsAreCast) {
  Variable s = fscalar("s");
  OpFromGraph op = made({s}, {s * 2}, {.pullback = {[](Inputs in, Outputs, Gradients) {
                                         return cast(in[0], DType::Float64) * 3;
                                       }}});
  Variable g = grad(op(s), s);
  EXPECT_EQ(g.dtype(), DType::Float32);
  EXPECT_EQ((*(*function({s}, g))(2.0f))[0].item<float>(), 6.0f);
}

// F-231, F-259: shared variables in the graph and in overrides; their gradients.
TEST_P(OverridesTest, SharedVariables) {
  SharedVariable s = shared(3.0, "s"), factor = shared(10.0, "factor");
  OpFromGraph op = made(
      {x}, {x * s}, {.pullback = {[&](Inputs, Outputs, Gradients g) { return g[0] * factor; }}});
  EXPECT_EQ(run({x}, grad(op(x), {x, s}), {2}), (List{10, 2}));
  auto f = function({x}, grad(op(x), x));
  ASSERT_TRUE(f.ok() && factor.set(Tensor(11.0)).ok());
  EXPECT_EQ((*f)(2.0)->item<double>(), 11.0);
}

// F-238, F-256, F-259: what an override reads is an operand, in nests, too.
TEST_P(OverridesTest, SharedVariablesInNests) {
  SharedVariable s = shared(5.0, "s");
  Overrides reads = {[&](Inputs, Outputs, Gradients g) { return g[0] * s; }};
  OpFromGraph inner = made({x}, {x * x}, {.pullback = reads});
  EXPECT_EQ(inner.captured(), Variables{s});
  OpFromGraph outer = made({x}, {inner(x) * 3}), also = made({x}, {inner(x) * s});
  OpFromGraph given = made({x, s}, {inner(x) * s});
  EXPECT_EQ(run({x}, {grad(inner(x), x), grad(outer(x), x), grad(also(x), x)}, {2}),
            (List{5, 15, 25}));
  EXPECT_EQ(run({x, y}, {grad(given(x, y), x)}, {2, 7}), List{49});
  EXPECT_EQ(run({x}, {grad(grad(outer(x), x) * x, x)}, {2}), List{15});
  auto replaced = cloneReplace(Variables{inner(x)}, {{s, y}});
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_EQ(run({x, y}, {grad((*replaced)[0], x)}, {2, 7}), List{7});
  OpFromGraph forward =
      made({x}, {x * x}, {.pushforward = {[&](Inputs, Tangents t) { return t[0] * s; }}});
  OpFromGraph around = made({x}, {forward(x) * 3});
  EXPECT_EQ(run({x}, {pushforward(around(x), x, constant(1.0))}, {2}), List{15});
  OpFromGraph strict({x}, {x * x}, {.pullback = reads, .strict = true});
  EXPECT_EQ(firstLine(strict.status()),
            "MissingInput: OpFromGraph: pullback: the outputs need the shared variable 's', which "
            "is no input; list it, or let it be captured (strict = false)");
}

// What an override of the pushforward does not know of has the graph's derivative: tangents of
// captured shared variables are added to what it gives, as a pullback gives them theirs.
TEST_P(OverridesTest, TangentsOfCapturedVariables) {
  SharedVariable s = shared(5.0, "s");
  OpFromGraph op =
      made({x}, {x * s, x + 0},
           {.pushforward = {[](Inputs, Tangents t) { return t[0] * 100; }, Override::byDefault()}});
  Variables out = op.apply({x});
  Variable both = out[0] + out[1];
  // 100 t from the override, x u from the graph, and t of the other output.
  EXPECT_EQ(run({x}, pushforward({both}, {x, s}, {constant(1.0), constant(10.0)}), {2}), List{121});
  EXPECT_EQ(run({x}, {pushforward(both, s, constant(10.0))}, {2}), List{20});
  EXPECT_EQ(run({x}, {pushforward(both, x, constant(1.0))}, {2}), List{101});
  // One of them that is not defined is not made up for.
  OpFromGraph without = made({x}, {x * undefinedGrad(s)},
                             {.pushforward = {[](Inputs, Tangents t) { return t[0] * 100; }}});
  const PushforwardOptions returned{.nullGradients = NullGradients::Return};
  EXPECT_EQ(pushforward(Variables{without(x)}, {x, s}, {constant(1.0), constant(1.0)}, returned)[0]
                .type()
                .kind(),
            Type::Kind::Null);
  EXPECT_EQ(run({x}, {pushforward(without(x), x, constant(1.0))}, {2}), List{100});
}

// F-018: directions may know fewer extents than the op's inputs and outputs.
TEST_P(OverridesTest, DirectionsThatKnowLess) {
  Variable three = tensor(DType::Float64, {3}, "three"), v = dvector("v");
  OpFromGraph op = made({three}, {three * 2},
                        {.pullback = {[](Inputs, Outputs, Gradients g) { return g[0] * 10; }},
                         .pushforward = {[](Inputs, Tangents t) { return t[0] * 100; }}});
  auto f = function({three, v}, {pullback(op(three), three, v), pushforward(op(three), three, v)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(Tensor({0, 0, 0}), Tensor({1, 2, 3}));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(toString((*r)[0]), "[10. 20. 30.]");
  EXPECT_EQ(toString((*r)[1]), "[100. 200. 300.]");
}

// F-255: extents are the input's.
TEST_P(OverridesTest, Extents) {
  Variable v = dvector("v");
  auto given = [&](int64_t extent) {
    return made({v}, {sum(v)}, {.pullback = {[=](Inputs, Outputs, Gradients g) {
                                  return broadcastTo(g[0], ShapeList({extent}));
                                }}});
  };
  auto f = function({v}, {grad(given(1)(v), v)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto ones = (*f)(Tensor({1, 2, 3}));
  ASSERT_TRUE(ones.ok()) << ones.status();
  EXPECT_EQ(toString((*ones)[0]), "[1. 1. 1.]");
  auto wrong = function({v}, {grad(given(4)(v), v)});
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_EQ(errorKind((*wrong)(Tensor({1, 2, 3})).status()), ErrorKind::ShapeError);
}

// F-295: what was not taken contributes nothing, also through an op.
TEST_P(OverridesTest, NothingFromBranchesNotTaken) {
  OpFromGraph logarithm = made({x}, {log(x)}), nested = made({x}, {logarithm(x) + 0.0 * x});
  for (const OpFromGraph &op : {logarithm, nested})
    EXPECT_EQ(run({x}, {grad(where(x > 0, op(x), 0.0), x)}, {0}), List{0});
  // The mask goes on before the op.
  OpFromGraph twice = made({x}, {x * 2});
  EXPECT_EQ(run({x}, {grad(where(x > 0, twice(log(x)), 0.0), x)}, {0}), List{0});
  OpFromGraph taken = made({x}, {where(x > 0, log(x), 0.0)});
  EXPECT_EQ(run({x}, {grad(taken(x), x)}, {0}), List{0});
}

// A gradient may know fewer extents than the output that it is of.
TEST_P(OverridesTest, GradientsOfUnknownExtents) {
  Variable three = tensor(DType::Float64, {3}, "three"), v = dvector("v");
  OpFromGraph op = made({three}, {three * three});
  auto f = function({three, v}, grad(sum(v * identity(op(three))), three));
  ASSERT_TRUE(f.ok()) << f.status();
  auto known = function({three, v}, pullback(op(three), three, v));
  ASSERT_TRUE(known.ok()) << known.status();
  for (const auto *each : {&f, &known}) {
    auto r = (**each)(Tensor({1, 2, 3}), Tensor({1, 10, 100}));
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ(toString((*r)[0]), "[  2.  40. 600.]");
  }
}

// F-262: by the op's pushforward and by two pullbacks alike, and along vectors.
TEST_P(OverridesTest, ForwardAgreesWithReverse) {
  Variable v = dvector("v"), w = dvector("w");
  OpFromGraph op = made({v, w}, {sin(v) * w, sum(v * w)});
  Variables out = op.apply({v, w});
  Variable t = constant(Tensor({1.0, -2.0}));
  Variables rules = pushforward(out, {v}, {t});
  Variables twice = pushforward(out, {v}, {t}, {.useOpPushforward = false});
  // d sin(v) w = cos(v) w t; d sum(v w) = sum(w t).
  auto f = function({v, w}, {rules[0], rules[1], twice[0], twice[1], jacobian(out[0], v)});
  ASSERT_TRUE(f.ok()) << f.status();
  auto r = (*f)(Tensor({0.5, 0.25}), Tensor({3.0, 4.0}));
  ASSERT_TRUE(r.ok()) << r.status();
  const double first = std::cos(0.5) * 3, second = std::cos(0.25) * 4;
  for (int k : {0, 2}) {
    EXPECT_DOUBLE_EQ((*r)[size_t(k)].flat<double>()[0], first);
    EXPECT_DOUBLE_EQ((*r)[size_t(k)].flat<double>()[1], second * -2);
    EXPECT_DOUBLE_EQ((*r)[size_t(k) + 1].item<double>(), 3 - 8);
  }
  EXPECT_DOUBLE_EQ((*r)[4].flat<double>()[0], first);
  EXPECT_DOUBLE_EQ((*r)[4].flat<double>()[3], second);
  EXPECT_EQ((*r)[4].flat<double>()[1], 0);
}

// F-257, F-265; case I19: callables run once, at construction, whatever form they have and whatever
// is asked of the op afterwards.
TEST(OverridesOnce, CallablesRunOnce) {
  Variable x = dscalar("x"), y = dscalar("y");
  int calls = 0;
  auto counted = [&](auto result) {
    ++calls;
    return result;
  };
  auto pull = [&](Inputs in, Outputs, Gradients g) { return counted(in[0] * g[0]); };
  auto pullAll = [&](Inputs in, Outputs, Gradients g) { return counted(Variables{in[0] * g[0]}); };
  auto older = [&](Inputs in, Gradients g) { return counted(in[0] * g[0]); };
  auto olderAll = [&](Inputs in, Gradients g) { return counted(Variables{in[0] * g[0]}); };
  auto push = [&](Inputs in, Tangents t) { return counted(3 * in[0] * t[0]); };
  auto pushAll = [&](Inputs in, Tangents t) { return counted(Variables{3 * in[0] * t[0]}); };
  struct Case {
    const char *form;
    OpFromGraphOptions options;
    int callables = 1;
    // Of x^2: the derivative is `slope` times x, in forward mode `tangent` times x; in second
    // order, reverse over reverse and forward over reverse.
    double slope = 1, curvature = 1, tangent = 2, product = 1;
  };
  const Case cases[] = {
      {"pullback, list", {.pullback = {pull}}},
      {"pullback, a Variable for the whole op", {.pullback = pull}},
      {"pullback, whole", {.pullback = pullAll}},
      {"gradOverrides, list", {.gradOverrides = {older}}},
      {"gradOverrides, a Variable for the whole op", {.gradOverrides = older}},
      {"gradOverrides, whole", {.gradOverrides = olderAll}},
      {"pushforward, list", {.pushforward = {push}}, 1, 2, 2, 3, 2},
      {"pushforward, whole", {.pushforward = pushAll}, 1, 2, 2, 3, 2},
      {"both", {.pullback = {pull}, .pushforward = pushAll}, 2, 1, 1, 3, 1},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(c.form);
    calls = 0;
    OpFromGraph op({x}, {x * x}, c.options);
    ASSERT_TRUE(op.ok()) << op.status();
    EXPECT_EQ(calls, c.callables);
    // Its twin, made by callables of its own.
    OpFromGraph twin({y}, {y * y}, c.options), plain({x}, {x * x});
    EXPECT_EQ(calls, 2 * c.callables);
    EXPECT_EQ(op, twin);
    EXPECT_EQ(op.op().hash(), twin.op().hash());
    EXPECT_FALSE(op == plain);
    Variable cost = op(x) + twin(y);
    // Compiled, differentiated once and twice, and pushed forward.
    EXPECT_EQ(run({x, y}, {cost}, {2, 3}), List{13});
    EXPECT_EQ(run({x, y}, grad(cost, {x, y}), {2, 3}), (List{2 * c.slope, 3 * c.slope}));
    EXPECT_EQ(run({x, y}, {grad(grad(cost, x), x), grad(cost, y)}, {2, 3}),
              (List{c.curvature, 3 * c.slope}));
    EXPECT_EQ(run({x, y}, {pushforward(cost, x, constant(10.0))}, {2, 3}), List{20 * c.tangent});
    EXPECT_EQ(
        run({x, y}, {pushforward(cost, x, constant(10.0), {.useOpPushforward = false})}, {2, 3}),
        List{20 * c.slope});
    EXPECT_EQ(run({x, y}, {hessianVectorProduct(cost, y, constant(10.0))}, {2, 3}),
              List{10 * c.product});
    EXPECT_EQ(calls, 2 * c.callables);
  }
}

// F-265: an override is frozen before the op that it belongs to exists: what it applies is an
// older one.
TEST(OverridesOnce, NoneRefersToItself) {
  Variable x = dscalar("x");
  OpFromGraph op({x}, {x * 5});
  const OpFromGraph older = op;
  op = OpFromGraph({x}, {x * x}, {.pullback = {[&](Inputs in, Outputs, Gradients g) {
                                    return op(in[0]) * g[0];
                                  }}});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_FALSE(op == older);
  EXPECT_EQ(op, OpFromGraph({x}, {x * x}, {.pullback = {[&](Inputs in, Outputs, Gradients g) {
                                             return older(in[0]) * g[0];
                                           }}}));
  EXPECT_EQ(run({x}, {grad(op(x), x)}, {2}), List{10});
}

// F-262, F-243: the derivative is an op, made once, called after the one that it is of.
TEST(OverridesOnce, DerivativesAreOps) {
  Variable x = dscalar("x"), y = dscalar("y");
  OpFromGraph op({x, y}, {sin(x) * y}, {.name = "wave"});
  Variables at = grad(op(x, y) + op(y, x), {x, y});
  std::vector<std::string> names;
  std::vector<Op> ops;
  for (const Apply &node : ioToposort({x, y}, at))
    if (node.op().str().find("wave") == 0) {
      names.push_back(node.op().str());
      if (names.back() == "wave_LOp")
        ops.push_back(node.op());
    }
  EXPECT_EQ(names, (std::vector<std::string>{"wave_LOp", "wave_LOp"}));
  EXPECT_EQ(ops[0], ops[1]);
  Variable t = pushforward(op(x, y), x, constant(1.0));
  EXPECT_EQ(t.owner().op().str(), "wave_rop");
  // F-260: it takes what the op gave; and it is inlined as the op is.
  for (bool inlined : {false, true}) {
    OpFromGraph power({x}, {exp(x)}, {.inlined = inlined, .name = "power"});
    Variable result = power(x), g = grad(result, x);
    Apply node = g.owner();
    ASSERT_TRUE(node && node.op().def().inner);
    EXPECT_EQ(node.op().str(), "power_LOp");
    EXPECT_EQ(node.input(0), result);
    std::string text = debugPrint(g);
    EXPECT_NE(text.find(inlined ? "power_LOp{inline=true}" : "power_LOp{inline=false}"), text.npos);
    auto f = function({x}, {result, g});
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(f->counters().kernels, inlined ? 1 : 2);
  }
}

// F-263; case I17.
TEST(OverridesOnce, Equality) {
  Variable x = dscalar("x"), a = dscalar("a");
  auto times = [&](double factor) {
    return OpFromGraph({x}, {x * x},
                       {.pullback = {[=](Inputs, Outputs, Gradients g) { return factor * g[0]; }}});
  };
  EXPECT_EQ(times(7), times(7));
  EXPECT_EQ(times(7).op().hash(), times(7).op().hash());
  EXPECT_FALSE(times(7) == times(8));
  OpFromGraph plain({x}, {x * x});
  EXPECT_FALSE(times(7) == plain);
  EXPECT_EQ(plain, OpFromGraph({a}, {a * a}, {.name = "other"}));
  EXPECT_EQ(plain, OpFromGraph({x}, {x * x}, {.pullback = {kDefault}}));
  EXPECT_EQ(plain, OpFromGraph({x}, {x * x}, {.gradOverrides = kDefault, .pushforward = kDefault}));
  EXPECT_FALSE(plain == OpFromGraph({x}, {x * x}, {.inlined = true}));
  EXPECT_FALSE(plain == OpFromGraph({x}, {x * x}, {.inlined = Inline::Automatic}));
  EXPECT_FALSE(plain == OpFromGraph({x}, {x * x}, {.connectionPattern = {{false}}}));
  EXPECT_FALSE(plain == OpFromGraph({x}, {x * x}, {.destroyMap = {{0, 0}}}));
  EXPECT_FALSE(plain == OpFromGraph({x}, {x * x}, {.pullback = {Override::disconnected()}}));
  auto null = [&](const char *reason) {
    return OpFromGraph({x}, {x * x}, {.pullback = {Override::nullType(reason)}});
  };
  EXPECT_EQ(null("a"), null("a"));
  EXPECT_FALSE(null("a") == null("b"));
  auto pushed = [&](double factor) {
    return OpFromGraph({x}, {x * x},
                       {.pushforward = {[=](Inputs, Tangents t) { return factor * t[0]; }}});
  };
  EXPECT_EQ(pushed(1), pushed(1));
  EXPECT_FALSE(pushed(1) == pushed(2));
}

// F-264; case I17: equal ones are applied once in a function, overrides counting.
TEST(OverridesOnce, MergeInFunctions) {
  Variable x = dscalar("x"), y = dscalar("y"), a = dscalar("a"), b = dscalar("b");
  auto times = [&](double factor, const char *name) {
    auto rule = [=](Inputs, Outputs, Gradients g) { return factor * g[0]; };
    return OpFromGraph({a, b}, {a * b + 1}, {.pullback = {rule, kDefault}, .name = name});
  };
  auto applications = [&](const OpFromGraph &first, const OpFromGraph &second) {
    auto f = function({x, y}, first(x, y) + second(x, y));
    EXPECT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(2, 3)), List{14});
    auto graph = f->graph();
    EXPECT_TRUE(graph.ok()) << graph.status();
    int count = 0;
    std::vector<Apply> order = *graph->toposort();
    for (const Apply &node : order)
      count += node.op().def().inner != nullptr;
    return count;
  };
  OpFromGraph plain({a, b}, {a * b + 1}), twin({x, y}, {x * y + 1}, {.name = "twin"});
  EXPECT_EQ(applications(plain, twin), 1);
  EXPECT_EQ(applications(times(7, "one"), times(7, "other")), 1);
  EXPECT_EQ(applications(times(7, "one"), times(8, "one")), 2);
  EXPECT_EQ(applications(times(7, "one"), plain), 2);
}

// Case I16, F-229, F-245 to F-250, F-255: whole messages.
TEST(OverridesOnce, Mistakes) {
  Variable x = dscalar("x"), y = dscalar("y"), v = dvector("v");
  auto mistake = [&](OpFromGraphOptions options) {
    return firstLine(OpFromGraph({x, y}, {x * y, x + y}, options).status());
  };
  auto one = [](Inputs in, Outputs, Gradients) { return in[0]; };
  auto older = [](Inputs in, Gradients) { return in[0]; };
  EXPECT_EQ(
      mistake({.updates = {{x, y}}}),
      "NotImplemented: OpFromGraph: a graph within an op has no updates: make the new value an "
      "output, and update with it in the function");
  EXPECT_EQ(mistake({.givens = {{x, y}}}),
            "NotImplemented: OpFromGraph: a graph within an op has no givens: replace with "
            "cloneReplace before, or give them to the function");
  EXPECT_EQ(mistake({.pullback = one, .gradOverrides = older}),
            "ValueError: OpFromGraph: pullback and gradOverrides are both given: they are two "
            "forms of one thing");
  EXPECT_EQ(mistake({.pullback = {one}}),
            "ValueError: OpFromGraph: pullback: a list of 1 override for 2 inputs");
  EXPECT_EQ(mistake({.pushforward = {older, older, older}}),
            "ValueError: OpFromGraph: pushforward: a list of 3 overrides for 2 outputs");
  EXPECT_EQ(mistake({.pullback = std::vector<Override>()}),
            "ValueError: OpFromGraph: pullback: a list of 0 overrides for 2 inputs");
  EXPECT_EQ(mistake({.pullback = {one, x}}),
            "ValueError: OpFromGraph: pullback: override 1 of the list is a Variable, x: f64: give "
            "a callable, an OpFromGraph, Override::byDefault(), nullType(reason) or "
            "disconnected()");
  EXPECT_EQ(mistake({.pullback = one}),
            "TypeError: OpFromGraph: pullback: the override gives a Variable for the whole op: "
            "give Variables, one for each input");
  EXPECT_EQ(mistake({.pullback = [](Inputs in, Outputs, Gradients) { return Variables{in[0]}; }}),
            "ValueError: OpFromGraph: pullback: the override gives 1 Variable, expected 2");
  EXPECT_EQ(
      mistake({.pullback = {[](Inputs in, Outputs, Gradients) { return Variables{in[0], in[1]}; },
                            one}}),
      "ValueError: OpFromGraph: pullback: override 0 of the list gives 2 Variables, expected "
      "1");
  EXPECT_EQ(mistake({.pullback = {older, older}}),
            "TypeError: OpFromGraph: pullback: a callable here takes (inputs, outputs, gradients)");
  EXPECT_EQ(mistake({.gradOverrides = {one, one}}),
            "TypeError: OpFromGraph: gradOverrides: a callable here takes (inputs, gradients)");
  EXPECT_EQ(mistake({.pushforward = {one, one}}),
            "TypeError: OpFromGraph: pushforward: a callable here takes (inputs, tangents)");
  EXPECT_EQ(mistake({.pullback = {[&](Inputs, Outputs, Gradients) { return v; }, one}}),
            "TypeError: OpFromGraph: pullback: what is given for input 0, x: f64, is f64[?]: "
            "expected a float array of rank 0");
  EXPECT_EQ(
      mistake({.pullback = {[](Inputs in, Outputs, Gradients) { return cast(in[0], DType::Int64); },
                            one}}),
      "TypeError: OpFromGraph: pullback: what is given for input 0, x: f64, is i64: expected "
      "a float array of rank 0");
  EXPECT_EQ(mistake({.pullback = {[&](Inputs, Outputs, Gradients) { return y * 2; }, one}}),
            "MissingInput: OpFromGraph: pullback: y: f64 is no input of the FunctionGraph, but "
            "operand 0 of mul");
  EXPECT_EQ(mistake({.pullback = {[&](Inputs, Outputs, Gradients) { return x + v[{0, 0}]; }, one}}),
            "IndexError: OpFromGraph: pullback: subtensor: too many indices: 2 for rank 1");
  EXPECT_EQ(mistake({.pullback = OpFromGraph({x}, {x})}),
            "ValueError: OpFromGraph: pullback: the OpFromGraph has 1 input, expected 6: 2 inputs, "
            "2 outputs and 2 gradients");
  EXPECT_EQ(mistake({.pushforward = OpFromGraph({x}, {x})}),
            "ValueError: OpFromGraph: pushforward: the OpFromGraph has 1 input, expected 4: 2 "
            "inputs and 2 tangents");
  EXPECT_EQ(mistake({.pullback = OpFromGraph({x, x}, {x})}),
            "ValueError: OpFromGraph > OpFromGraph: input 1 of the FunctionGraph, x: f64, is input "
            "0 too");
  EXPECT_EQ(mistake({.connectionPattern = {{true, true}}}),
            "ValueError: OpFromGraph: connectionPattern has 1 row, one of 2; expected one for each "
            "of 2 inputs, with a bool for each of 2 outputs");
  auto twice = [](Inputs in, Outputs, Gradients) { return in[1] * 2; };
  EXPECT_EQ(mistake({.pullback = {one, twice},
                     .connectionPattern = {{true, true}, {false, false}}}), // F-283
            "TypeError: OpFromGraph: pullback: there is an override for input 1, y: f64, of which "
            "connectionPattern says that no output depends on it: expected "
            "Override::disconnected() there");
  EXPECT_EQ(mistake({.destroyMap = {{0, 0}, {0, 1}}}),
            "ValueError: OpFromGraph: destroyMap says that output 0 overwrites inputs 0 and 1: one "
            "at most");
  EXPECT_EQ(mistake({.destroyMap = {{2, 0}}}),
            "ValueError: OpFromGraph: destroyMap says that output 2 overwrites input 0; there are "
            "2 outputs and 2 inputs");
}

// Mistakes stand where the op was made, also those of an OpFromGraph that is applied for it.
TEST(OverridesOnce, MistakesHavePlaces) { // F-250
  Variable x = dscalar("x"), v = dvector("v");
  auto doubling = [](const Variable &of) {
    Variable out(of.type(), "out"), g(of.type(), "g");
    return OpFromGraph({of, out, g}, {g * 2}, {.name = "inner"});
  };
  auto line = std::source_location::current();
  auto made = [&](OpFromGraphOptions options) {
    options.name = "outer";
    return whole(OpFromGraph({x}, {x * 2}, options, line).status());
  };
  const std::string at = Place(line).str() + ": outer";
  EXPECT_EQ(made({.pullback = doubling(v)}),
            "TypeError " + at +
                " > inner: operand 0: x: f64 where f64[?] is needed; nothing is "
                "cast implicitly");
  EXPECT_EQ(made({.pullback = [](Inputs, Outputs, Gradients) { return Variable(); }}),
            "ValueError " + at + ": pullback: a Variable is used before it was given a value");
  EXPECT_EQ(made({.pullback = [&](Inputs, Outputs, Gradients) { return v; }}),
            "TypeError " + at +
                ": pullback: what is given for input 0, x: f64, is f64[?]: "
                "expected a float array of rank 0");
  EXPECT_EQ(made({.pushforward = [](Inputs in, Tangents) { return cast(in[0], DType::Int64); }}),
            "TypeError " + at +
                ": pushforward: what is given for output 0, f64, is i64: expected "
                "a float array of rank 0");
  EXPECT_EQ(made({.pullback = doubling(x)}), "OK");
}

} // namespace
} // namespace graphc
