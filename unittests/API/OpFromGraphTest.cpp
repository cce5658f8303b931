//===- OpFromGraphTest.cpp - graphs as ops --------------------------------===//
//
// Numbers are those of docs/FunctionCases.md, or follow by hand from the values beside them.
//
//===----------------------------------------------------------------------===//
#include "graphc/OpFromGraph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "Calls.h"
#include "Messages.h"
#include "OnStack.h"
#include "SquareOver.h"
#include "graphc/Features.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Shared.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

using List = std::vector<double>;

const char *const kModes[] = {"interpreter", "fast_run", "fast_compile", "strict", "debug"};

/// f(inputs) = outputs at `values`, in every mode and without rewrites the same.
List run(const Variables &inputs, const Variables &outputs, const std::vector<Tensor> &values) {
  List first;
  for (bool rewrites : {true, false})
    for (const char *mode : kModes) {
      auto f =
          function(inputs, outputs,
                   {.mode = mode, .rewrites = rewrites, .onUnusedInput = OnUnusedInput::Ignore});
      EXPECT_TRUE(f.ok()) << f.status();
      if (!f.ok())
        return {};
      List now = valuesOf(f->call(values));
      if (first.empty())
        first = now;
      EXPECT_EQ(now, first) << mode << rewrites;
    }
  return first;
}

class OpFromGraphTest : public ::testing::Test {
protected:
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z"), v = dvector("v");
  OpFromGraph seed{{x, y, z}, {x + y * z}};
};

// Case I01.
TEST_F(OpFromGraphTest, IsComputedAsItsGraph) {
  ASSERT_TRUE(seed.ok()) << seed.status();
  EXPECT_EQ(
      run({x, y, z}, {seed(x, y, z) + seed(z, y, x)}, {Tensor(2.0), Tensor(3.0), Tensor(4.0)}),
      List{24});
}

// Case I02: a shared matrix beside scalars.
TEST_F(OpFromGraphTest, SharedMatrix) {
  SharedVariable s = shared(Tensor({{1, 2}, {3, 4}}), "s");
  OpFromGraph op({x, y, z}, {x + y * z + s}), given({x, y, z, s}, {x + y * z + s});
  EXPECT_EQ(valuesOf((*function({x, y, z}, op(x, y, z) + op(z, y, x)))(2, 3, 4)),
            (List{26, 28, 30, 32}));
  EXPECT_EQ(valuesOf((*function({x, y, z}, given(x, y, z, s) + given(z, y, x, s)))(2, 3, 4)),
            (List{26, 28, 30, 32}));
  auto f = function({x, y, z}, op(x, y, z) + op(z, y, x));
  ASSERT_TRUE(f.ok() && s.set(Tensor({{0, 0}, {0, 0}})).ok());
  EXPECT_EQ(valuesOf((*f)(2, 3, 4)), (List{24, 24, 24, 24}));
}

// Case I15: the same operand twice.
TEST_F(OpFromGraphTest, SameOperandTwice) {
  OpFromGraph op({x, y}, {x - y});
  EXPECT_EQ(run({z}, {op(z, z)}, {Tensor(3.0)}), List{0});
}

// F-235, F-241: unused inputs, outputs that are inputs (case I20) or constants, several outputs.
TEST_F(OpFromGraphTest, InputsAndOutputsOfAllKinds) {
  OpFromGraph op({x, y}, {y * 2, x, constant(5.0)});
  Variables out = op.apply({x, y});
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(run({x, y}, out, {Tensor(3.0), Tensor(4.0)}), (List{8, 3, 5}));
  EXPECT_EQ(run({x, y}, {out[0]}, {Tensor(3.0), Tensor(4.0)}), List{8});
  OpFromGraph unused({x, y}, {x * 2});
  EXPECT_EQ(run({x, y}, {unused(x, y)}, {Tensor(3.0), Tensor(1.0)}), List{6});
  EXPECT_EQ(run({x}, {unused(x, x)}, {Tensor(3.0)}), List{6});
}

// F-230: what no op can be made of, whole.
TEST_F(OpFromGraphTest, MistakesInTheGraph) {
  auto mistake = [](const Variables &inputs, const Variables &outputs,
                    OpFromGraphOptions options = {}) {
    OpFromGraph op(inputs, outputs, options);
    EXPECT_FALSE(op.ok());
    EXPECT_TRUE(op.inputs().empty() && op.outputs().empty() && op.captured().empty());
    EXPECT_FALSE(op == op);
    EXPECT_EQ(errorPlace(op.status())->line > 0, true);
    EXPECT_EQ(firstLine(op(dscalar()).status()), firstLine(op.status()));
    EXPECT_EQ(op.apply({1, 2, 3})[0].status(), op.status());
    return firstLine(op.status());
  };
  EXPECT_EQ(mistake({x, x}, {x}),
            "ValueError: OpFromGraph: input 1 of the FunctionGraph, x: f64, is input 0 too");
  EXPECT_EQ(mistake({x}, {}), "ValueError: OpFromGraph: there are no outputs");
  EXPECT_EQ(mistake({constant(1.0)}, {x}),
            "TypeError: OpFromGraph: input 0 of the FunctionGraph, a constant: f64, is a constant");
  EXPECT_EQ(mistake({x}, {x + y}, {.name = "sum"}),
            "MissingInput: sum: y: f64 is no input of the FunctionGraph, but operand 1 of add");
  EXPECT_EQ(mistake({x}, {x + v[{0, 0}]}),
            "IndexError: OpFromGraph: subtensor: too many indices: 2 for rank 1");
  OpDef silent;
  silent.name = "silent";
  silent.operands = {{"x"}};
  silent.type = [](const TypeRequest &r) { return std::vector<Type>{r.type(0)}; };
  Op op = *Op::create(std::make_shared<const OpDef>(silent));
  EXPECT_EQ(mistake({x}, {op(x)}),
            "MethodNotDefined: OpFromGraph: silent: the op does not say what it computes");
  OpDef over = silent;
  over.name = "over";
  over.emit = [](Emitter &, const Arrays &in, const Attributes &) { return in; };
  over.destroyMap = {0};
  EXPECT_EQ(mistake({x}, {(*defineOp(over))(x)}),
            "NotSupported: OpFromGraph: over: the op overwrites operand 0, an input of the graph; "
            "declare it in destroyMap");
  EXPECT_TRUE(OpFromGraph({x}, {(*defineOp(over))(x)}, {.destroyMap = {{0, 0}}}).ok());
  EXPECT_TRUE(OpFromGraph({x}, {(*defineOp(over))(x + 1)}).ok());
}

// It is the op's list that lacks it.
TEST_F(OpFromGraphTest, ForgottenInputsAreReportedAtTheOp) {
  Variable forgotten = dscalar("forgotten");
  const unsigned made = __LINE__ - 1;
  OpFromGraph op({x}, {x + forgotten});
  EXPECT_EQ(errorPlace(op.status())->line, made + 2);
  EXPECT_EQ(
      op.status().message(),
      "OpFromGraph: forgotten: f64 is no input of the FunctionGraph, but operand 1 of add\n  it "
      "was made at " +
          forgotten.place().str());
}

// One prefix says in which graph of which graph a mistake is, of eight names at most.
TEST_F(OpFromGraphTest, MistakesInNests) {
  OpFromGraph inner({x}, {x + y}, {.name = "inner"});
  OpFromGraph outer({x, z}, {inner(x) * z}, {.name = "outer"});
  EXPECT_EQ(firstLine(outer.status()),
            "MissingInput: outer > inner: y: f64 is no input of the FunctionGraph, but operand 1 "
            "of add");
  OpFromGraph given({x}, {x}, {.pullback = Override(inner), .name = "given"});
  EXPECT_EQ(firstLine(given.status()),
            "MissingInput: given > inner: y: f64 is no input of the FunctionGraph, but operand 1 "
            "of add");
  // Mistakes in applying an op are told in the same way.
  OpFromGraph twice({v}, {v * 2}, {.name = "twice"});
  EXPECT_EQ(firstLine(OpFromGraph({x}, {twice(x)}, {.name = "outer"}).status()),
            "TypeError: outer > twice: operand 0: x: f64 where f64[?] is needed; nothing is cast "
            "implicitly");
  EXPECT_EQ(firstLine(OpFromGraph({x}, {twice(x, x)}, {.name = "outer"}).status()),
            "ValueError: outer > twice: expected 1 operand, got 2");
  OpFromGraph deep = inner;
  for (int level = 0; level < 20; ++level)
    deep = OpFromGraph({x}, {deep(x)}, {.name = "level" + std::to_string(level)});
  EXPECT_EQ(firstLine(deep.status()),
            "MissingInput: level19 > ... > level4 > level3 > level2 > level1 > level0 > inner: y: "
            "f64 is no input of the FunctionGraph, but operand 1 of add");
}

// F-234: operands are counted and converted.
TEST_F(OpFromGraphTest, MistakesInOperands) {
  OpFromGraph op({x, fvector("w")}, {x * 2}, {.name = "twice"});
  EXPECT_EQ(firstLine(op(x).status()), "ValueError: twice: expected 2 operands, got 1");
  EXPECT_EQ(firstLine(op({}).status()), "ValueError: twice: expected 2 operands, got 0");
  EXPECT_EQ(firstLine(op(x, v).status()),
            "TypeError: twice: operand 1: v: f64[?] where f32[?] is needed; nothing is cast "
            "implicitly");
  EXPECT_EQ(
      firstLine(op(x, 1).status()),
      "TypeError: twice: operand 1: a Variable of type f32 where f32[?] is needed; nothing is "
      "cast implicitly");
  EXPECT_EQ(firstLine(op(x, Variable()).status()), firstLine(Variable().status()));
  OpFromGraph two({x}, {x, x + 1}, {.name = "pair"});
  EXPECT_EQ(firstLine(two(x).status()), "ValueError: pair: there are 2 results; use apply");
  EXPECT_EQ(two.apply({x}).size(), 2u);
  // Numbers take the input's dtype where it holds them.
  Variable b = bscalar("b");
  OpFromGraph bytes({b}, {b + b});
  EXPECT_EQ(bytes(3).dtype(), DType::Int8);
  EXPECT_EQ(run({}, {bytes(3)}, {}), List{6});
  EXPECT_EQ(firstLine(bytes(300).status()),
            "TypeError: OpFromGraph: operand 0: a Variable of type i16 where i8 is needed; nothing "
            "is cast implicitly");
  EXPECT_EQ(firstLine(bytes(1.5).status()),
            "TypeError: OpFromGraph: operand 0: a Variable of type f64 where i8 is needed; nothing "
            "is cast implicitly");
  Variable h = tensor(DType::Float16, {});
  OpFromGraph halves({h}, {h + h});
  EXPECT_EQ(run({}, {halves(2)}, {}), List{4});
  EXPECT_EQ(firstLine(halves(1e6).status()),
            "TypeError: OpFromGraph: operand 0: the number 1000000.0 is beyond float16");
  EXPECT_EQ(run({}, {seed(2, 3, 4)}, {}), List{14});
}

// F-234, F-242: operands may know more extents than the inputs, and the results do then; what they
// know too little of is checked at the call.
TEST_F(OpFromGraphTest, ExtentsOfOperands) {
  Variable w = dvector("w"), three = tensor(DType::Float64, {3}, "three");
  OpFromGraph op({v, w}, {v + w});
  EXPECT_EQ(op(three, w).type().text(), "tensor<3xf64>");
  EXPECT_EQ(op(v, w).type().text(), "tensor<?xf64>");
  EXPECT_EQ(firstLine(op(three, tensor(DType::Float64, {4})).status()),
            "ShapeError: OpFromGraph: add: extents differ along axis 0: 3 and 4 (an extent "
            "broadcasts only where its type says 1: declare it so, or use specifyShape)");
  OpFromGraph narrow({three}, {three * 2});
  auto f = function({v}, narrow(v));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(Tensor({1, 2, 3}))), (List{2, 4, 6}));
  EXPECT_EQ(errorKind((*f)(Tensor({1, 2})).status()), ErrorKind::ShapeError);
  // Within a nest, too.
  OpFromGraph outer({v, w}, {op(op(v, w), w)});
  EXPECT_EQ(outer(three, w).type().text(), "tensor<3xf64>");
  Variable one = tensor(DType::Float64, {1}, "one");
  EXPECT_EQ(run({one, w}, {outer(one, w)}, {Tensor({10}), Tensor({1, 2, 3})}), (List{12, 14, 16}));
  // Shapes without values.
  Variable n = shape(outer(v, w));
  auto g = function({v, w}, n);
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(valuesOf((*g)(Tensor({1, 2}), Tensor({1, 2}))), List{2});
}

// F-231 to F-233: shared variables are captured, read at the call, by the function around the op.
TEST_F(OpFromGraphTest, SharedVariables) {
  SharedVariable s = shared(10.0, "s"), t = shared(1.0, "t");
  OpFromGraph op({x}, {x * s + t});
  ASSERT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(op.captured(), (Variables{s, t}));
  EXPECT_EQ(op.inputs().size(), 3u);
  EXPECT_EQ(op(x).owner().inputs(), (Variables{x, s, t}));
  EXPECT_EQ(firstLine(OpFromGraph({x}, {x * s}, {.strict = true}).status()),
            "MissingInput: OpFromGraph: the outputs need the shared variable 's', which is no "
            "input; list it, or let it be captured (strict = false)");
  auto f = function({x}, op(x), {.updates = {{s, s + 1}}});
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(2)), List{21}); // the old value
  EXPECT_EQ(valuesOf((*f)(2)), List{23});
  ASSERT_TRUE(t.set(Tensor(100.0)).ok());
  EXPECT_EQ(valuesOf((*f)(2)), List{124});
  // As an input it is one (F-232).
  OpFromGraph free({x, s}, {x * s}, {.strict = true});
  EXPECT_TRUE(free.captured().empty());
  EXPECT_EQ(run({x, y}, {free(x, y)}, {Tensor(2.0), Tensor(3.0)}), List{6});
  // From inside a nest (F-238), with a default update.
  ASSERT_TRUE(t.setDefaultUpdate(t + 1).ok());
  OpFromGraph outer({y}, {op(y) + op(y * 2)});
  EXPECT_EQ(outer.captured().size(), 2u);
  auto g = function({y}, outer(y));
  ASSERT_TRUE(g.ok()) << g.status();
  ASSERT_TRUE(s.set(Tensor(1.0)).ok());
  EXPECT_EQ(valuesOf((*g)(1)), List{203}); // 1 + 100 + 2 + 100
  EXPECT_EQ(t.get().item<double>(), 101);
}

// F-236, case I19: what becomes of the user's graph does not matter.
TEST_F(OpFromGraphTest, IsACopy) {
  Variable h = x * 2, e = h + 1;
  h.setName("h");
  OpFromGraph op({x}, {e});
  std::string before = debugPrint(op(y));
  {
    auto graph = FunctionGraph::create({x}, {e}, {.clone = false});
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_TRUE(graph->replace(h, x * 5).ok());
  }
  EXPECT_EQ(run({x}, {e}, {Tensor(3.0)}), List{16});
  EXPECT_EQ(run({y}, {op(y)}, {Tensor(3.0)}), List{7});
  EXPECT_EQ(run({x}, {op(x)}, {Tensor(3.0)}), List{7});
  x.setName("renamed");
  h.setName("renamed too");
  e.setName("result");
  EXPECT_EQ(op.inputs()[0].name(), "x");
  EXPECT_EQ(op.outputs()[0].name(), "");
  EXPECT_EQ(debugPrint(op(y)), before);
  EXPECT_EQ(run({y}, {op(y)}, {Tensor(3.0)}), List{7});
}

// F-238: nests of any depth on a small stack, also where they are destroyed; and one whose nodes
// no memory would hold is refused.
TEST_F(OpFromGraphTest, Nests) {
  onStack(1, [] {
    Variable a = dscalar("a");
    OpFromGraph op({a}, {a + 1});
    for (int level = 0; level < 20000; ++level)
      op = OpFromGraph({a}, {op(a)});
    auto f = function({a}, op(a), {.mode = "interpreter"});
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(2)), List{3});
    EXPECT_EQ(debugPrint(op(a)).size() > 20000, true);
  });
  OpFromGraphOptions inlined{.inlined = true};
  OpFromGraph doubling({x}, {x + 1}, inlined), last = doubling;
  int levels = 0;
  for (; doubling.ok() && levels < 60; ++levels) {
    last = doubling;
    doubling = OpFromGraph({x}, {doubling(doubling(x))}, inlined);
  }
  // k levels have 3 * 2^k - 2 nodes and applications, of which 2^22 are allowed.
  EXPECT_EQ(levels, 21);
  EXPECT_EQ(firstLine(doubling.status()),
            "NotSupported: OpFromGraph: with the graphs of its OpFromGraphs in their places the "
            "graph has more than 4194304 nodes");
  EXPECT_EQ(firstLine(function({x}, last(last(x))).status()),
            "NotSupported: with the graphs of its OpFromGraphs in their places the graph has more "
            "than 4194304 nodes");
}

// What one function is made of is no other's, if it wants other optimizations.
TEST_F(OpFromGraphTest, OptimizationsOfGraphsThatAreKept) {
  OpFromGraph op({v}, {exp(v * 2.0) + 1.0}, {.inlined = false});
  auto kernelsOf = [&](const Mode &mode) {
    return function({v}, op(v), {.mode = mode, .rewrites = false})->counters().kernels;
  };
  const Mode all("fast_run");
  EXPECT_EQ(kernelsOf(all), 1);
  EXPECT_EQ(kernelsOf(all.excluding({"fusion"})), 3);
  EXPECT_EQ(kernelsOf(all), 1);
}

// Ops of several kernels: a program may have no more steps than a graph has nodes. Nothing is made
// for each of them before.
TEST_F(OpFromGraphTest, NestsOfManyKernels) {
  Variable t = v;
  for (int i = 0; i < 6; ++i)
    t = softmax(t); // of four kernels each
  OpFromGraph op({v}, {t});
  EXPECT_EQ(function({v}, op(v))->counters().kernels, 4);
  for (int level = 0; level < 18; ++level)
    op = OpFromGraph({v}, {op(op(v))});
  ASSERT_TRUE(op.ok()) << op.status(); // 8 * 2^18 - 2 nodes and applications
  EXPECT_EQ(firstLine(function({v}, op(v)).status()),
            "NotSupported: with the kernels of its OpFromGraphs called from every site the program "
            "has more than 4194304 steps");
}

// The same, called: each level is compiled once.
TEST_F(OpFromGraphTest, NestsOfCalls) {
  OpFromGraph op({x}, {x + 1});
  for (int level = 0; level < 12; ++level)
    op = OpFromGraph({x}, {op(op(x))});
  auto f = function({x}, op(x));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(valuesOf((*f)(2)), List{4098});
  onStack(1, [] {
    Variable a = dscalar("a");
    OpFromGraph chain({a}, {a * a});
    for (int level = 0; level < 5000; ++level)
      chain = OpFromGraph({a}, {chain(a)});
    auto deep = function({a}, grad(chain(a), a));
    ASSERT_TRUE(deep.ok()) << deep.status();
    EXPECT_EQ(valuesOf((*deep)(2)), List{4});
  });
}

// A nest without a node at its bottom has as many applications.
TEST_F(OpFromGraphTest, NestsOfNothing) {
  for (const Variable &bottom : {x, Variable(constant(1.0))}) {
    OpFromGraph op({x}, {bottom});
    for (int level = 0; level < 60; ++level)
      op = OpFromGraph({x}, {op(op(x))});
    EXPECT_EQ(errorKind(op.status()), ErrorKind::NotSupported);
  }
}

TEST_F(OpFromGraphTest, MovedFrom) {
  OpFromGraph op({x}, {x * 3}), other = std::move(op);
  EXPECT_EQ(run({y}, {other(y)}, {Tensor(2.0)}), List{6});
  EXPECT_EQ(firstLine(op.status()), "ValueError: the OpFromGraph has been moved from");
  EXPECT_TRUE(op.inputs().empty() && op.outputs().empty() && op.captured().empty());
  EXPECT_EQ(op(y).status(), op.status());
  EXPECT_FALSE(op == op);
  OpFromGraph &self = other;
  other = std::move(self);
  EXPECT_TRUE(other.ok());
  op = std::move(other);
  EXPECT_EQ(run({y}, {op(y)}, {Tensor(2.0)}), List{6});
  EXPECT_FALSE(other.ok());
}

// F-264, F-265: equal graphs give equal ops, whatever they are called and wherever they were
// made.
TEST_F(OpFromGraphTest, Equality) {
  Variable a = dscalar("a"), b = dscalar("b"), c = dscalar("c");
  OpFromGraph same({a, b, c}, {a + b * c}, {.name = "other"});
  EXPECT_TRUE(seed == same);
  EXPECT_EQ(seed.op().hash(), same.op().hash());
  EXPECT_TRUE(seed.op() == same.op());
  SharedVariable s = shared(1.0, "s"), t = shared(1.0, "t");
  const OpFromGraph others[] = {
      {{a, c, b}, {a + b * c}},         // order of inputs
      {{a, b, c}, {a + b + c}},         // ops
      {{a, b, c}, {a + b * c, a}},      // outputs
      {{a, b, c}, {a + b * c * 2}},     // constants
      {{a, b}, {a + b * s}},            // captured
      {{a, b}, {a + b * t}},            //
      {{a, b, fscalar()}, {a + b * 2}}, // types
  };
  for (const OpFromGraph &other : others) {
    ASSERT_TRUE(other.ok()) << other.status();
    EXPECT_FALSE(seed == other);
    for (const OpFromGraph &third : others)
      EXPECT_EQ(other == third, &other == &third);
  }
  EXPECT_TRUE(OpFromGraph({a, b}, {a + b * s}) == others[4]);
  // Equal nests are compared by their records: this one has 2^20 paths.
  auto nest = [&] {
    OpFromGraph op({x, y}, {x * y});
    for (int level = 0; level < 20; ++level) {
      Variable p = dscalar(), q = dscalar();
      op = OpFromGraph({p, q}, {op(op(p, q), q)});
    }
    return op;
  };
  EXPECT_TRUE(nest() == nest());
}

// F-264: equal applications to equal operands merge.
TEST_F(OpFromGraphTest, Merges) {
  Variable a = dscalar("a"), b = dscalar("b"), c = dscalar("c");
  OpFromGraph same({a, b, c}, {a + b * c}, {.name = "other"});
  Variables outputs = {seed(x, y, z), same(x, y, z), seed(y, x, z)};
  auto graph = FunctionGraph::create({x, y, z}, outputs);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->numNodes(), 3u);
  RewriteReport report;
  ASSERT_TRUE(mergeRewriter()->rewrite(*graph, {}, report).ok());
  EXPECT_EQ(graph->numNodes(), 2u);
  EXPECT_EQ(graph->outputs()[0], graph->outputs()[1]);
}

// No trace is left, and rewrites work across.
TEST_F(OpFromGraphTest, RewritesWorkAcross) {
  Variable a = dscalar("a");
  OpFromGraphOptions inlined{.inlined = true};
  OpFromGraph exponential({a}, {exp(a)}, inlined), logarithm({a}, {log(1 + a)}, inlined);
  auto graph = FunctionGraph::create({x}, {logarithm(exponential(x))});
  ASSERT_TRUE(graph.ok());
  std::vector<std::string> rules;
  RewriteOptions options;
  options.explain = [&](const RewriteStep &step) { rules.push_back(step.rule); };
  ASSERT_TRUE(rewrite(*graph, options).ok());
  EXPECT_EQ(pp(graph->outputs()[0]), "softplus(x)");
  ASSERT_GE(rules.size(), 2u);
  EXPECT_EQ(rules[0], "inline_graphs");
  EXPECT_EQ(rules[1], "inline_graphs");
  // It is a rewrite as any other: it can be left out.
  graph = FunctionGraph::create({x}, {logarithm(exponential(x))});
  ASSERT_TRUE(rewrite(*graph, {}, {.include = {"fast_run"}, .exclude = {"inline_graphs"}}).ok());
  EXPECT_EQ(graph->numNodes(), 2u);
  options.stopAfter = 1;
  graph = FunctionGraph::create({x}, {logarithm(exponential(x))});
  ASSERT_TRUE(rewrite(*graph, options).ok());
  EXPECT_EQ(pp(graph->outputs()[0]), "OpFromGraph(exp(x))");
}

// F-069: names, and each inner graph once.
TEST_F(OpFromGraphTest, Printing) {
  OpFromGraph inner({x, y}, {x * y}, {.name = "product"});
  OpFromGraph outer({x}, {inner(x, inner(x, 2)), x}, {.inlined = true, .name = "cube"});
  EXPECT_EQ(inner.op().str(), "product");
  EXPECT_EQ(debugPrint(outer.apply({z})[0]), R"(cube{inline=true}.0 [id A]
 └─ z [id B]

Inner graphs:

cube{inline=true} of x [id C]
product{inline=false} [id D]
 ├─ x [id C]
 └─ product{inline=false} [id E]
    ├─ x [id C]
    └─ 2.0 [id F]
x [id C]

product{inline=false} of x [id G], y [id H]
mul [id I]
 ├─ x [id G]
 └─ y [id H]
)");
  auto graph = FunctionGraph::create({z}, {inner(z, z)});
  EXPECT_EQ(debugPrint(*graph), R"(product{inline=false} [id A] 0
 ├─ z [id B]
 └─ z [id B]

Inner graphs:

product{inline=false} of x [id C], y [id D]
mul [id E]
 ├─ x [id C]
 └─ y [id D]
)");
  EXPECT_EQ(debugPrint(z), "z [id A]\n");
  // The gradient of a sum of two sites: one graph of the gradient for both, and no other.
  EXPECT_EQ(debugPrint(grad(inner(z, x) + inner(x, z), z)), R"(add [id A]
 ├─ product_LOp{inline=false}.1 [id B]
 │  ├─ x [id C]
 │  ├─ z [id D]
 │  └─ 1.0 [id E]
 └─ product_LOp{inline=false}.0 [id F]
    ├─ z [id D]
    ├─ x [id C]
    └─ 1.0 [id E]

Inner graphs:

product_LOp{inline=false} of x [id G], y [id H], <Scalar(float64, shape=())> [id I]
mul [id J]
 ├─ <Scalar(float64, shape=())> [id I]
 └─ y [id H]
mul [id K]
 ├─ <Scalar(float64, shape=())> [id I]
 └─ x [id G]
)");
}

// F-244: an input that is overwritten is read by others before.
TEST_F(OpFromGraphTest, DestroyMap) {
  OpDef def;
  def.name = "over";
  def.operands = {{"x"}};
  def.type = [](const TypeRequest &r) { return std::vector<Type>{r.type(0)}; };
  def.emit = [](Emitter &e, const Arrays &in, const Attributes &) {
    return Arrays{e.map(in, [](const Scalars &s) { return s[0] * 3; })};
  };
  def.destroyMap = {0};
  Op over = *defineOp(def);
  for (Inline::Kind inlined : {Inline::No, Inline::Yes}) {
    OpFromGraph op({x}, {over(x)}, {.inlined = inlined, .destroyMap = {{0, 0}}});
    ASSERT_TRUE(op.ok()) << op.status();
    EXPECT_EQ(op.op().def().destroyMap, std::vector<int>{0});
    Variable t = y * 2, sum = op(t) + (t + 1);
    auto graph =
        FunctionGraph::create({y}, {sum}, {.features = {std::make_shared<DestroyHandler>()}});
    ASSERT_TRUE(graph.ok()) << graph.status();
    std::vector<std::string> names;
    std::vector<Apply> order = *graph->toposort();
    for (const Apply &node : order)
      names.emplace_back(node.op().str());
    EXPECT_EQ(names, (std::vector<std::string>{"mul", "add", "OpFromGraph", "add"}));
    auto f = function({y}, sum, {.acceptInplace = true});
    ASSERT_TRUE(f.ok()) << f.status();
    EXPECT_EQ(valuesOf((*f)(5.0)), List{41});
    // Equal ones merge, so that one is left.
    auto both = function({y}, op(t) + op(t * 1), {.acceptInplace = true});
    ASSERT_TRUE(both.ok()) << both.status();
    EXPECT_EQ(valuesOf((*both)(5.0)), List{60});
    // Two others that overwrite one operand cannot both run.
    OpFromGraph other({x}, {over(x) + 1}, {.inlined = inlined, .destroyMap = {{0, 0}}});
    auto refused = function({y}, op(t) + other(t), {.acceptInplace = true});
    EXPECT_EQ(firstLine(refused.status()),
              "Inconsistency: function: OpFromGraph overwrites the memory of mul.0, and so does "
              "OpFromGraph: multiple destroyers");
    // Nor does one read what the other one has overwritten: 3 t + 3 (t + 1) + 1.
    auto apart = function({y}, op(t) + other(t + 1), {.acceptInplace = true});
    ASSERT_TRUE(apart.ok()) << apart.status();
    EXPECT_EQ(valuesOf((*apart)(5.0)), List{64});
  }
}

// F-285: derivatives of what overwrites an input read what was there, by the graph's own
// derivatives and by overrides, whose results have the operand's shape.
TEST_F(OpFromGraphTest, DerivativesOfWhatIsDestroyed) {
  const Op over = *defineOp(squareOver("over"));
  const double e = 2.718281828459045;
  for (Inline::Kind inlined : {Inline::No, Inline::Yes}) {
    SCOPED_TRACE(inlined);
    OpFromGraph plain({x}, {exp(x * x)}, {.inlined = inlined, .destroyMap = {{0, 0}}});
    // The derivative computes over(x) again.
    OpFromGraph steps({x}, {sin(over(x))}, {.inlined = inlined, .destroyMap = {{0, 0}}});
    OpFromGraph rules(
        {x}, {exp(over(x))},
        {.inlined = inlined,
         .pullback = {[](Inputs in, Outputs, Gradients g) { return 7 * in[0] * g[0]; }},
         .pushforward = {[](Inputs in, Tangents t) { return 7 * in[0] * t[0]; }},
         .destroyMap = {{0, 0}}});
    // At t = 1 with t = 2 y: the value, and the first and second derivative by t.
    struct {
      const char *label;
      const OpFromGraph &op;
      double value, first, second;
    } cases[] = {{"exp(t^2)", plain, e, 2 * e, 6 * e},
                 {"sin(t^2)", steps, std::sin(1.0), 2 * std::cos(1.0),
                  2 * std::cos(1.0) - 4 * std::sin(1.0)},
                 {"overridden", rules, e, 7, 7}};
    for (const auto &c : cases) {
      SCOPED_TRACE(c.label);
      ASSERT_TRUE(c.op.ok()) << c.op.status();
      const Variable out = c.op(y * 2), one = constant(1.0);
      const Variable derivatives[] = {grad(out, y), pushforward(out, y, one)};
      for (const char *mode : kModes)
        for (const Variable &derivative : derivatives) {
          SCOPED_TRACE(mode);
          auto f = function({y}, {out, derivative, grad(derivative, y)},
                            {.mode = mode, .acceptInplace = true});
          ASSERT_TRUE(f.ok()) << f.status();
          List values = valuesOf((*f)(0.5));
          EXPECT_DOUBLE_EQ(values[0], c.value);
          EXPECT_DOUBLE_EQ(values[1], 2 * c.first);
          EXPECT_DOUBLE_EQ(values[2], 4 * c.second);
        }
    }
  }
}

// Graph text and bytecode have a function for each op.
TEST_F(OpFromGraphTest, Text) {
  OpFromGraph inner({x, y}, {x * y}, {.name = "product"});
  OpFromGraph outer({x}, {inner(x, inner(x, 2)), x}, {.name = "a cube"});
  OpFromGraph namesake({x}, {x + 1}, {.name = "main"});
  Variables outputs = outer.apply({z});
  outputs.push_back(namesake(outputs[0]));
  GraphModule module{.inputs = {z}, .outputs = outputs, .outputNames = {}};
  for (bool bytecode : {false, true}) {
    absl::StatusOr<std::string> text = printGraph(module, {.bytecode = bytecode});
    ASSERT_TRUE(text.ok()) << text.status();
    if (!bytecode)
      EXPECT_EQ(*text,
                R"(func.func @main(%z: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %0:2 = graph.call @"a cube"(%z) : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  %1 = graph.call @main_2(%0#0) : (tensor<f64>) -> tensor<f64>
  return %0#0, %0#1, %1 : tensor<f64>, tensor<f64>, tensor<f64>
}
func.func private @"a cube"(%x: tensor<f64>) -> (tensor<f64>, tensor<f64>) {
  %0 = graph.constant dense<2.000000e+00> : tensor<f64>
  %1 = graph.call @product(%x, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = graph.call @product(%x, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2, %x : tensor<f64>, tensor<f64>
}
func.func private @main_2(%x: tensor<f64>) -> tensor<f64> {
  %0 = graph.constant dense<1> : tensor<i64>
  %1 = graph.add %x, %0 : (tensor<f64>, tensor<i64>) -> tensor<f64>
  return %1 : tensor<f64>
}
func.func private @product(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = graph.mul %x, %y : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
)");
    absl::StatusOr<GraphModule> read = parseGraph(*text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->outputs[0].owner().op(), outer.op());
    EXPECT_EQ(read->outputs[0].owner().op().str(), "a cube");
    EXPECT_EQ(read->outputs[2].owner().op(), namesake.op());
    EXPECT_EQ(run(read->inputs, read->outputs, {Tensor(3.0)}), (List{18, 3, 19}));
    EXPECT_EQ(*printGraph(*read, {.bytecode = bytecode}), *text);
  }
}

/// The first line of what is wrong with a text.
std::string textMistake(const std::string &text) {
  absl::Status status = parseGraph(text).status();
  return (errorPlace(status) ? errorPlace(status)->str() + ": " : "") + firstLine(status);
}

TEST_F(OpFromGraphTest, MistakesInText) {
  const std::string main = "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
                           "  %0 = graph.call @f(%x) : (tensor<f64>) -> tensor<f64>\n"
                           "  return %0 : tensor<f64>\n}\n";
  auto f = [](const std::string &type, const std::string &body) {
    return "func.func private @f(%x: " + type + ") -> " + type + " {\n" + body + "}\n";
  };
  EXPECT_EQ(textMistake(main), "<memory>:2:8: KeyError: there is no function @f");
  EXPECT_EQ(textMistake(main + f("tensor<f64>", "  %0 = graph.call @main(%x) : (tensor<f64>) -> "
                                                "tensor<f64>\n  return %0 : tensor<f64>\n")),
            "<memory>:6:8: ValueError: function @main calls itself");
  EXPECT_EQ(textMistake(main + f("tensor<f32>", "  return %x : tensor<f32>\n")),
            "<memory>:2:8: TypeError: f: operand 0 is tensor<f64>, expected tensor<f32>");
  EXPECT_EQ(textMistake(main + "func.func private @f(%x: tensor<f64>) {\n  return\n}\n"),
            "<memory>:5:1: ValueError: there are no outputs");
  EXPECT_EQ(textMistake(main + "func.func private @f(%x: tensor<f64>) -> (tensor<f64>, "
                               "tensor<f64>) {\n  return %x, %x : tensor<f64>, tensor<f64>\n}\n"),
            "<memory>:2:8: TypeError: f: 2 results, the text declares 1");
  EXPECT_EQ(textMistake(main + "func.func private @f(%x: tensor<f64>, %y: tensor<f64>) -> "
                               "tensor<f64> {\n  return %x : tensor<f64>\n}\n"),
            "<memory>:2:8: ValueError: f: expected 2 operands, got 1");
  std::string strange = main + f("tensor<f64>", "  return %x : tensor<f64>\n");
  EXPECT_EQ(
      textMistake(strange.replace(strange.find(" :", strange.find("call")), 2, " {odd = 3} :")),
      "<memory>:2:8: ValueError: graph.call: there is no attribute odd");
  EXPECT_EQ(textMistake("func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
                        "  %0 = \"graph.call\"(%x) : (tensor<f64>) -> tensor<f64>\n"
                        "  return %0 : tensor<f64>\n}\n"),
            "<memory>:2:8: ValueError: graph.call needs the name of a function");
}

// A saved function has its ops.
TEST_F(OpFromGraphTest, SavedFunctions) {
  auto f = function({x, y, z}, seed(x, y, z) * 2);
  ASSERT_TRUE(f.ok());
  std::string path = testing::TempDir() + "/opfromgraph.gc";
  ASSERT_TRUE(f->save(path).ok());
  auto loaded = loadFunction(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(valuesOf((*loaded)(2, 3, 4)), List{28});
}

// Errors of a call are at the place in the inner graph.
TEST_F(OpFromGraphTest, ErrorsOfCalls) {
  Variable w = dvector("w");
  OpFromGraph op({v, w}, {v + w});
  auto f = function({v, w}, op(v, w));
  ASSERT_TRUE(f.ok());
  absl::Status status = (*f)(Tensor({1, 2}), Tensor({1, 2, 3})).status();
  EXPECT_EQ(errorKind(status), ErrorKind::ShapeError);
  EXPECT_EQ(errorPlace(status)->line, uint32_t(__LINE__ - 5));
}

// Equal ops made and applied by many threads are one.
TEST_F(OpFromGraphTest, Threads) {
  std::vector<std::thread> threads;
  std::vector<Op> ops(8, seed.op());
  for (Op &op : ops)
    threads.emplace_back([&op] {
      for (int i = 0; i < 200; ++i) {
        Variable a = dvector("a"), b = tensor(DType::Float64, {3});
        OpFromGraph made({a}, {exp(a) + 1});
        op = made(b).owner().op();
        OpFromGraph({a}, {a + i % 3}); // is gone at once, here and elsewhere
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Op &op : ops)
    EXPECT_EQ(op, ops[0]);
}

} // namespace
} // namespace graphc
