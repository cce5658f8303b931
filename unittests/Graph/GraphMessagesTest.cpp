//===- GraphMessagesTest.cpp - what graphs and definitions refuse, whole ----===//
#include <functional>

#include <gtest/gtest.h>

#include "Messages.h"
#include "TestOps.h"
#include "graphc/Features.h"
#include "graphc/FunctionGraph.h"

namespace graphc {
namespace {

struct GraphMessages : testing::Test {
  Op add = testOp("add", 2), exp = testOp("exp");
  Variable x = dscalar("x"), y = dscalar("y");
  Variable unset;
};

//===--- definitions --------------------------------------------------------------===//

// F-056
TEST_F(GraphMessages, Definitions) {
  auto with = [](std::function<void(OpDef &)> change) {
    OpDef def = testDef("odd", 2);
    change(def);
    return defineOp(def).status();
  };
  expectMessages({
      {with([](OpDef &d) { d.name = "Odd"; }),
       "ValueError: definition of op Odd: the name is no lower camel case name"},
      {with([](OpDef &d) { d.name = "exp"; }),
       "ValueError: definition of op exp: a built-in op has that name; take another"},
      {with([](OpDef &d) { d.type = {}; }),
       "ValueError: definition of op odd: there is no type rule"},
      {with([](OpDef &d) { d.emit = {}; }),
       "ValueError: definition of op odd: there is no emission"},
      {with([](OpDef &d) { d.operands[1].name = "an operand"; }),
       "ValueError: definition of op odd: 'an operand' is no lower camel case name"},
      {with([](OpDef &d) { d.operands[1].name = "x0"; }),
       "ValueError: definition of op odd: two operands or attributes are named x0"},
      {with([](OpDef &d) { d.attributes = {{"x0", AttributeKind::Int}}; }),
       "ValueError: definition of op odd: two operands or attributes are named x0"},
      {with([](OpDef &d) { d.numResults = 0; }),
       "ValueError: definition of op odd: there must be at least one result"},
      {with([](OpDef &d) { d.defaultResult = 1; }),
       "ValueError: definition of op odd: there is no result 1"},
      {with([](OpDef &d) { d.variadic = true, d.operands = {}; }),
       "ValueError: definition of op odd: a variadic op needs an operand that is repeated"},
      {with([](OpDef &d) { d.minOperands = 1; }),
       "ValueError: definition of op odd: minOperands is for variadic ops"},
      {with([](OpDef &d) { d.viewMap = {2}; }),
       "ValueError: definition of op odd: a view or destroy map names an output or an operand that "
       "does not exist"},
      {with([](OpDef &d) { d.connection = {{true}}; }),
       "ValueError: definition of op odd: the connection pattern has 1 row for 2 operands"},
      {with([](OpDef &d) { d.connection = {{true}, {true, false}}; }),
       "ValueError: definition of op odd: the connection pattern has a row of 2 for 1 result"},
      {with([](OpDef &d) { d.attributes = {{"axis", AttributeKind::Int, 0.5}}; }),
       "ValueError: definition of op odd: the default of attribute axis is a float, not an int"},
      {with([](OpDef &d) { d.viewMap = d.destroyMap = {0}; }),
       "NotSupported: definition of op odd: output 0 is both a view and destructive"},
  });
}

// F-052, F-053
TEST_F(GraphMessages, Nodes) {
  OpDef def = testDef("two");
  def.numResults = 2;
  def.attributes = {{"axis", AttributeKind::Int}, {"eps", AttributeKind::Float, 0.5}};
  auto shared = std::make_shared<const OpDef>(def);
  Op two = *Op::create(shared, {{"axis", 1}});
  OpDef wrong = testDef("wrong");
  wrong.type = [](const TypeRequest &r) { return std::vector<Type>(3, r.type(0)); };
  Variable null(Type::null("floor has no gradient"), "g");
  const OpDef taken = testDef("exp");
  expectMessages({
      {Op::create(taken).status(),
       "ValueError: definition of op exp: a built-in op has that name; take another"},
      {Op::create(std::make_shared<const OpDef>(taken)).status(),
       "ValueError: definition of op exp: a built-in op has that name; take another"},
      {Op::create(shared).status(), "ValueError: two: attribute axis must be given"},
      {Op::create(shared, {{"axis", 0.5}}).status(),
       "TypeError: two: attribute axis = 0.5 is a float, expected an int"},
      {Op::create(shared, {{"axis", 1}, {"axes", 1}}).status(),
       "ValueError: two: there is no attribute axes; did you mean 'axis'?"},
      {two(x).status(),
       "ValueError: two: there are 2 results; use callAll\n  two{axis = 1}(x: f64)"},
      {two(x, y).status(),
       "ValueError: two: expected 1 operand, got 2\n  two{axis = 1}(x: f64, y: f64)"},
      {add(x, null).status(), "TypeError: add: operand 1 is no tensor but Null(floor has no "
                              "gradient)\n  add(x: f64, g: Null(floor has no gradient))"},
      {(*defineOp(wrong))(x).status(),
       "Internal: wrong: the type rule gives 3 types for 1 result\n  wrong(x: f64)"},
      {exp(unset).status(), "ValueError: a Variable is used before it was given a value"},
      {constant(Tensor()).status(), "ValueError: a constant of an undefined Tensor"},
      {exp(x).owner().cloneWithNewInputs({x, y}).status(),
       "ValueError: exp: expected 1 input, got 2"},
  });
}

// F-050
TEST_F(GraphMessages, Apply) {
  auto create = [&](Variables in, Variables out) { return Apply::create(add, in, out).status(); };
  Variable e = exp(x), o(x.type(), "o"), p(x.type(), "p");
  FunctionGraph graph = *FunctionGraph::create({p}, {p}, {.clone = false});
  expectMessages({
      {create({x, unset}, {o}),
       "TypeError: add: input 1 is Invalid: a Variable is used before it was given a value"},
      {create({x, y}, {unset}),
       "TypeError: add: output 0 is Invalid: a Variable is used before it was given a value"},
      {create({x, y}, {e}), "ValueError: add: output 0 belongs to another Apply, of exp"},
      {create({x, y}, {constant(1)}), "ValueError: add: output 0 is a constant"},
      {create({x, y}, {p}), "ValueError: add: output 0 is an input of a FunctionGraph"},
      {create({x, y}, {o, o}), "ValueError: add: output 1 is output 0 too"},
      {create({x, exp(o)}, {o}), "ValueError: add: an input is computed from an output"},
  });
}

//===--- FunctionGraph ------------------------------------------------------------===//

TEST_F(GraphMessages, Creation) {
  auto create = [](Variables in, Variables out, FunctionGraphOptions options = {}) {
    return FunctionGraph::create(in, out, options).status();
  };
  Variable e = exp(x), null(Type::null("floor has no gradient"), "g");
  FunctionGraph other = *FunctionGraph::create({y}, {exp(y)}, {.clone = false});
  expectMessages({
      {create({x, constant(1)}, {x}),
       "TypeError: input 1 of the FunctionGraph, a constant: i64, is a constant"},
      {create({x, x}, {x}), "ValueError: input 1 of the FunctionGraph, x: f64, is input 0 too"},
      {create({e}, {e}, {.clone = false}),
       "ValueError: input 0 of the FunctionGraph, a result of exp: f64, is computed by exp"},
      {create({y}, {y}, {.clone = false}),
       "ValueError: input 0 of the FunctionGraph, y: f64, belongs to another FunctionGraph"},
      {create({x}, {add(x, y)}, {.clone = false}),
       "ValueError: y: f64 belongs to another FunctionGraph"},
      {create({x}, {add(x, dscalar())}), "MissingInput: an unnamed Variable: f64 is no input of "
                                         "the FunctionGraph, but operand 1 of add"},
      {create({x}, {null}),
       "TypeError: output 0 is of Null type, not defined: floor has no gradient"},
      {create({x}, {x}, {.updateMapping = {{0, 1}}}),
       "ValueError: the update mapping names output 0 and input 1 of a FunctionGraph of 1 input "
       "and 1 output"},
      {FunctionGraph::createFromOutputs({}).status(),
       "ValueError: a FunctionGraph without inputs needs outputs"},
  });
}

// F-082 to F-095
TEST_F(GraphMessages, Changes) {
  FunctionGraph graph = *FunctionGraph::create({x, y}, {exp(add(x, y))});
  Variable in = graph.input(0), sum = graph.output(0).owner().input(0), e = exp(x);
  DestroyHandler second;
  EXPECT_TRUE(graph.attachFeature(std::make_shared<DestroyHandler>()).ok());
  expectMessages({
      {graph.clients(e).status(), "KeyError: a result of exp: f64 is not in the FunctionGraph"},
      {graph.clients(constant(1.0)).status(),
       "KeyError: a constant: f64 is not in the FunctionGraph"},
      {graph.changeInput({e.owner(), 0}, in), "KeyError: a node exp is not in the FunctionGraph"},
      {graph.changeInput({sum.owner(), 2}, in),
       "IndexError: add has 2 inputs; there is no number 2"},
      {graph.changeInput({Apply(), 1}, in),
       "IndexError: the FunctionGraph has 1 output; there is no number 1"},
      {graph.changeInput({sum.owner(), 0}, graph.output(0), "loop"),
       "Cycle: cannot replace x: f64 by a result of exp: f64: it is computed from add, which would "
       "then use it (loop)"},
      {graph.replace(sum, fvector("v"), "why"),
       "TypeError: cannot replace a result of add: f64 by v: f32[?]: the type of the replacement, "
       "Vector(float32, shape=(?,)), is neither Scalar(float64, shape=()) nor a narrower one "
       "(why)"},
      {graph.replace(sum, exp(dscalar("w"))),
       "MissingInput: cannot replace a result of add: f64 by a result of exp: f64: w: f64 is no "
       "input of the FunctionGraph, but operand 0 of exp"},
      {second.onAttach(graph), "AlreadyThere: the FunctionGraph has a DestroyHandler already"},
  });
}

/// Belongs to one graph and has no copies.
struct Single : Feature {
  std::string_view name() const override { return "Single"; }
  std::shared_ptr<Feature> clone() override { return nullptr; }
};

TEST_F(GraphMessages, FeatureWithoutCopies) {
  FunctionGraph graph = *FunctionGraph::create({x}, {x});
  ASSERT_TRUE(graph.attachFeature(std::make_shared<Single>()).ok());
  EXPECT_EQ(said(graph.clone().status()), "NotImplemented: the feature Single cannot be cloned");
}

} // namespace
} // namespace graphc
