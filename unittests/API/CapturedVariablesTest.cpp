//===- CapturedVariablesTest.cpp - functions with OpFromGraphs and state ---===//
//
// Functions with applications of OpFromGraphs that capture shared variables, copied, cloned,
// dumped, saved and loaded: values, and which of them are shared (docs/Function.md). Numbers follow
// by hand from the formulas beside them.
//
//===----------------------------------------------------------------------===//
#include "API/SavedFunction.h"
#include "Calls.h"
#include "Runtime/TestData.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"

namespace graphc {
namespace {

using List = std::vector<double>;

class CapturedVariables : public testing::TestWithParam<std::tuple<Inline::Kind, const char *>> {
protected:
  Inline::Kind inlined() const { return std::get<0>(GetParam()); }
  FunctionOptions options() const { return {.mode = std::get<1>(GetParam())}; }

  Variable x = dscalar("x");
  SharedVariable w = shared(3.0, "w"), bias = shared(10.0, "bias");
  /// x w, of which the derivative is said to be the bias: captured by the override alone.
  OpFromGraph inner{{x},
                    {x * w},
                    {.inlined = inlined(),
                     .pullback = {[this](Inputs, Outputs, Gradients g) { return g[0] * bias; }},
                     .name = "inner"}};
  /// x w + w, with the derivative bias.
  OpFromGraph outer{{x}, {inner(x) + w}, {.inlined = inlined(), .name = "outer"}};

  /// Value and slope, after which w is greater by 1 and the bias twice as much.
  Function stepping() {
    FunctionOptions o = options();
    o.updates = {{w, w + 1}, {bias, bias * 2}};
    return made(function({x}, {{"y", outer(x)}, {"slope", grad(outer(x), x)}}, o));
  }
  static double number(const StoredValue &value) {
    absl::StatusOr<Tensor> tensor = value.get();
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return tensor.ok() ? tensor->item<double>() : 0;
  }
  List state() { return {w.get().item<double>(), bias.get().item<double>()}; }
};

INSTANTIATE_TEST_SUITE_P(
    All, CapturedVariables,
    testing::Combine(testing::Values(Inline::No, Inline::Yes, Inline::Automatic),
                     testing::Values("fast_run", "fast_compile", "interpreter")));

// F-209: a copy has the same shared variables, captured ones too.
TEST_P(CapturedVariables, Copies) {
  EXPECT_EQ(outer.captured(), (Variables{w, bias}));
  Function f = stepping();
  EXPECT_EQ(valuesOf(f(2)), (List{9, 10}));
  Function g = made(f.copy());
  EXPECT_EQ(valuesOf(g(2)), (List{12, 20}));
  EXPECT_EQ(valuesOf(f(2)), (List{15, 40}));
  EXPECT_EQ(state(), (List{6, 80}));
  EXPECT_EQ(f.sharedVariables(), g.sharedVariables());
  EXPECT_EQ(f.sharedVariables().size(), 2u);
  // F-211: one that stores nothing.
  Function k = made(f.copy({.deleteUpdates = true}));
  EXPECT_EQ(valuesOf(k(2)), (List{18, 80}));
  EXPECT_EQ(valuesOf(k(2)), (List{18, 80}));
  EXPECT_EQ(state(), (List{6, 80}));
  ASSERT_TRUE(w.set(Tensor(1.0)).ok());
  EXPECT_EQ(valuesOf(k(2)), (List{3, 80}));
}

// F-210: swapped in the graph of the op, in its override, and in the updates.
TEST_P(CapturedVariables, SwappedInCopies) {
  Function f = stepping();
  SharedVariable other = shared(100.0, "other"), slope = shared(7.0, "slope");
  Function g = made(f.copy({.swap = {{w, other}}}));
  EXPECT_EQ(valuesOf(g(2)), (List{300, 10}));
  EXPECT_EQ(number(g[other]), 101);
  EXPECT_EQ(state(), (List{3, 20}));
  Function h = made(f.copy({.swap = {{bias, slope}}}));
  EXPECT_EQ(valuesOf(h(2)), (List{9, 7}));
  EXPECT_EQ(slope.get().item<double>(), 14);
  EXPECT_EQ(state(), (List{4, 20}));
  Function exchanged = made(f.copy({.swap = {{w, bias}, {bias, w}}}));
  EXPECT_EQ(valuesOf(exchanged(2)), (List{60, 4})); // 2 * 20 + 20
  EXPECT_EQ(state(), (List{8, 21}));
}

// F-200, F-216, F-266: what is loaded has shared variables of its own, one for each that was
// captured, however often.
TEST_P(CapturedVariables, SavedAndDumped) {
  Function f = stepping();
  EXPECT_EQ(valuesOf(f(2)), (List{9, 10}));
  TemporaryFile saved("captured-saved.graphc"), dumped("captured-dumped.graphc");
  absl::Status status = f.save(saved.path());
  ASSERT_TRUE(status.ok()) << status;
  FunctionOptions o = options();
  o.updates = {{w, w + 1}, {bias, bias * 2}};
  status = functionDump(dumped.path(), {x}, {{"y", outer(x)}, {"slope", grad(outer(x), x)}}, o);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(w.set(Tensor(-1.0)).ok());
  for (const std::string &path : {saved.path(), dumped.path()})
    for (bool trust : {true, false}) {
      Function g = made(loadFunction(path, {.trustCode = trust}));
      EXPECT_EQ(g.sharedVariables().size(), 2u);
      EXPECT_EQ(valuesOf(g(2)), (List{12, 20}));
      EXPECT_EQ(valuesOf(g(2)), (List{15, 40}));
      EXPECT_EQ(number(g["w"]), 6);
      EXPECT_EQ(number(g["bias"]), 80);
      Function h = made(g.copy());
      EXPECT_EQ(valuesOf(h(2)), (List{18, 80}));
      EXPECT_EQ(number(g["w"]), 7);
    }
  EXPECT_EQ(state(), (List{-1, 20}));
}

// F-266: the graph in a file has the op with its override, which differentiation finds.
TEST_P(CapturedVariables, DifferentiatedAfterLoading) {
  TemporaryFile file("captured-graph.graphc");
  absl::Status status = functionDump(file.path(), {x}, {outer(x)}, options());
  ASSERT_TRUE(status.ok()) << status;
  absl::StatusOr<GraphModule> module = loadSavedGraph(file.path());
  ASSERT_TRUE(module.ok()) << module.status();
  const Variable &input = module->inputs[0], &output = module->outputs[0];
  Function f = made(function({input}, {output, grad(output, input)}, options()));
  EXPECT_EQ(valuesOf(f(2)), (List{9, 10}));
  ASSERT_TRUE(w.set(Tensor(-1.0)).ok());
  EXPECT_EQ(valuesOf(f(2)), (List{9, 10}));
}

// F-014, F-236: clones of a graph have the same op on Variables of their own.
TEST_P(CapturedVariables, ClonedGraphs) {
  absl::StatusOr<FunctionGraph> graph =
      FunctionGraph::create({x, w, bias}, {outer(x), grad(outer(x), x)});
  ASSERT_TRUE(graph.ok()) << graph.status();
  absl::StatusOr<FunctionGraph> clone = graph->clone();
  ASSERT_TRUE(clone.ok()) << clone.status();
  Apply mine = graph->outputs()[0].owner(), its = clone->outputs()[0].owner();
  EXPECT_EQ(mine.op(), its.op());
  EXPECT_EQ(its.op(), outer.op());
  EXPECT_EQ(its.inputs(), clone->inputs());
  for (size_t i = 0; i < 3; ++i)
    EXPECT_FALSE(graph->inputs()[i] == clone->inputs()[i]);
  auto valuesAt = [&](const FunctionGraph &g) {
    return valuesOf(made(function({g.inputs()[0]}, g.outputs(), options()))(2));
  };
  EXPECT_EQ(valuesAt(*graph), (List{9, 10}));
  EXPECT_EQ(valuesAt(*clone), (List{9, 10}));
  // Their shared variables have the values of those that they were made of.
  ASSERT_TRUE(w.set(Tensor(5.0)).ok());
  EXPECT_EQ(valuesAt(*graph), (List{15, 10}));
  EXPECT_EQ(valuesAt(*clone), (List{15, 10}));
  // A change of one graph leaves the other as it is: w + x for x w + w.
  ASSERT_TRUE(clone->replace(clone->outputs()[0], clone->inputs()[1] + clone->inputs()[0]).ok());
  EXPECT_EQ(valuesAt(*clone), (List{7, 10}));
  EXPECT_EQ(valuesAt(*graph), (List{15, 10}));
}

} // namespace
} // namespace graphc
