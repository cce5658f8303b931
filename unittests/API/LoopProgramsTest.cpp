//===- LoopProgramsTest.cpp - loops as programs, text and files ------------===//
//
// Numbers follow by hand from the values beside them.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "API/SavedFunction.h"
#include "Calls.h"
#include "Messages.h"
#include "Runtime/TestData.h"
#include "graphc/ControlFlow.h"
#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpDef.h"
#include "graphc/Ops.h"
#include "graphc/Profile.h"
#include "graphc/Scan.h"

namespace graphc {
namespace {

using List = std::vector<double>;
using V = const Variables &;
using ::testing::HasSubstr;
using ::testing::Not;

class LoopPrograms : public ::testing::Test {
protected:
  Variable x = dvector("x"), a = dscalar("a"), n = lscalar("n");
  /// h[t] = a h[t - 1] + x[t] from 0; while h is below 100.
  Variables geometric() const {
    return scan(
               [this](V in) {
                 Variable h = a * in[1] + in[0];
                 return ScanStep({h, ifElse(gt(h, 5.0), log(h), 0.0)}, {}, ge(h, 100.0));
               },
               {.sequences = {x}, .outputs = {0.0, ScanOutput::none()}})
        .outputs;
  }
};

/// The function, and what rewriting made of it: the text of the graph, and that of its bodies.
Function rewritten(V inputs, V outputs, std::string &outside, std::string &bodies) {
  const std::string folder = ::testing::TempDir() + "loop-stages";
  Function f = made(function(InputList(inputs), OutputList(outputs), {.dumpStages = folder}));
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().find("rewritten") != std::string::npos) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      outside = text.str();
    }
  std::filesystem::remove_all(folder);
  const size_t end = outside.find("func.func private");
  bodies = outside.substr(std::min(end, outside.size()));
  outside.resize(std::min(end, outside.size()));
  return f;
}

TEST_F(LoopPrograms, HaveText) {
  GraphModule module{"main", {x, a}, geometric(), {"h", ""}};
  module.outputs.push_back(grad(sum(module.outputs[0]), a));
  module.outputNames.emplace_back("g");
  absl::StatusOr<std::string> text = printGraph(module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("graph.scan @step(%x, %"));
  EXPECT_THAT(*text, HasSubstr("{mapped = 1 : i64, names = [\"0 `x`\"], sequences = [[0]], states "
                               "= [[-1]], until}"));
  absl::StatusOr<GraphModule> again = parseGraph(*text, "loop.mlir");
  ASSERT_TRUE(again.ok()) << again.status() << *text;
  EXPECT_EQ(*printGraph(*again), *text);
  auto valuesAt = [](const GraphModule &of) {
    Function f = made(function(InputList(of.inputs), OutputList(of.outputs)));
    return valuesOf(f.call({Tensor({1, 2, 3, 4}).cast(DType::Float64), Tensor(2.0)}));
  };
  List values = valuesAt(module);
  EXPECT_EQ(values, valuesAt(*again));
  ASSERT_EQ(values.size(), 9u);
  EXPECT_EQ(List(values.begin(), values.begin() + 4), (List{1, 4, 11, 26}));
  // Each derivative is the value before, and twice the derivative before.
  EXPECT_EQ(values[8], 0 + 1 + (4 + 2 * 1) + (11 + 2 * (4 + 2 * 1)));
}

TEST_F(LoopPrograms, TextsThatAreWrong) {
  auto messageOf = [](const std::string &operation, const std::string &type) {
    return said(parseGraph("func.func @main(%x: tensor<?xf64>, %h: tensor<f64>) -> " + type +
                               " {\n  %0 = " + operation + " -> " + type +
                               "\n  return %0 : " + type +
                               "\n}\nfunc.func private @step(%e: tensor<f64>, %s: tensor<f64>) -> "
                               "tensor<f64> {\n  %0 = graph.add %e, %s : (tensor<f64>, "
                               "tensor<f64>) -> tensor<f64>\n  return %0 : tensor<f64>\n}\n"
                               "func.func private @ends(%e: tensor<f64>) -> (tensor<f64>, "
                               "tensor<i1>) {\n  %0 = graph.isnan %e : (tensor<f64>) -> "
                               "tensor<i1>\n  return %e, %0 : tensor<f64>, tensor<i1>\n}\n",
                           "t.mlir")
                    .status());
  };
  const std::string all = " : (tensor<?xf64>, tensor<f64>)", rows = "tensor<?xf64>";
  EXPECT_EQ(messageOf("graph.scan @step(%x, %h) {sequences = [[0]], states = [[-1]]}" + all, rows),
            "OK");
  expectMessages({{parseGraph("func.func @main() -> tensor<f64> {\n  %0 = \"graph.scan\"() : () -> "
                              "tensor<f64>\n  return %0 : tensor<f64>\n}\n",
                              "t.mlir")
                       .status(),
                   "ValueError: graph.scan needs the name of a function"}});
  EXPECT_EQ(messageOf("graph.scan @step(%x, %h) {sequences = [[0]], states = [[0]]}" + all, rows),
            "ValueError: scan: attribute states is none of a loop's, or has a value that it cannot "
            "have");
  EXPECT_EQ(
      messageOf("graph.scan @step(%x, %h) {sequences = [[0]], states = [[-1]], steps}" + all, rows),
      "ValueError: scan: its body has 2 inputs and 1 output, which are not those that its taps, "
      "its "
      "operands and its results need");
  // Of rows that only the text speaks of there is no table.
  EXPECT_EQ(messageOf("graph.scan @step(%x, %h) {mapped = 2147483647, sequences = [[0]], states = "
                      "[[-1]]}" +
                          all,
                      rows),
            "ValueError: scan: its body has 2 inputs and 1 output, which are not those that its "
            "taps, its operands and its results need");
  EXPECT_EQ(messageOf("graph.scan @ends(%x) {mapped = 1, sequences = [[0]], states = [], until, "
                      "stacks_backwards} : (tensor<?xf64>)",
                      rows),
            "ValueError: scan: stacks_backwards is not possible with until");
  auto ofResults = [&](const std::string &attribute) {
    return messageOf("graph.scan @step(%x, %h) {sequences = [[0]], states = [[-1]], " + attribute +
                         "}" + all,
                     rows);
  };
  EXPECT_EQ(ofResults("last = [false, true]"),
            "ValueError: scan: last is of 2 states, and there are 1");
  EXPECT_EQ(ofResults("rows = [2, 3]"), "ValueError: scan: rows is of 2 results, and there are 1");
  EXPECT_EQ(ofResults("result_names = [\"state 1\", \"result 2\"]"),
            "ValueError: scan: result_names is of 2 results, and there are 1");
  EXPECT_EQ(ofResults("result_names = [1]"),
            "ValueError: scan: attribute result_names is none of a loop's, or has a value that it "
            "cannot have");
  EXPECT_EQ(ofResults("rows = [1]"),
            "ValueError: scan: rows of result 0 are 1: of a state they must be more than its "
            "history has, and none where last or stacks_backwards says otherwise");
  EXPECT_EQ(ofResults("rows = [2]"), "OK");
  EXPECT_EQ(ofResults("rows = [-1]"),
            "ValueError: scan: attribute rows is none of a loop's, or has a value that it cannot "
            "have");
  EXPECT_EQ(messageOf("graph.scan @step(%h, %x) {sequences = [[0]], states = [[-1]]} : "
                      "(tensor<f64>, tensor<?xf64>)",
                      rows),
            "TypeError: scan: input 0 of the body is f64, which does not fit f64");
  EXPECT_EQ(messageOf("graph.scan @step(%h, %x, %h) {sequences = [[0]], states = [[-1]], steps} : "
                      "(tensor<f64>, tensor<?xf64>, tensor<f64>)",
                      rows),
            "TypeError: scan: the number of steps is f64, and must be i64");
  // What a body declares holds in all calls.
  GraphModule narrow =
      *parseGraph("func.func @main(%x: tensor<?x?xf64>) -> tensor<?x3xf64> {\n"
                  "  %0 = graph.scan @step(%x) {mapped = 1, sequences = [[0]], states = []} : "
                  "(tensor<?x?xf64>) -> tensor<?x3xf64>\n"
                  "  return %0 : tensor<?x3xf64>\n}\n"
                  "func.func private @step(%e: tensor<3xf64>) -> tensor<3xf64> {\n"
                  "  %0 = graph.neg %e : (tensor<3xf64>) -> tensor<3xf64>\n"
                  "  return %0 : tensor<3xf64>\n}\n",
                  "t.mlir");
  Function f = made(function(InputList(narrow.inputs), OutputList(narrow.outputs)));
  EXPECT_EQ(firstLine(f.call({*Tensor::zeros(DType::Float64, {2, 2})}).status()),
            "ShapeError: scan: step 0: input 0 of a body: expected f64[3], got f64[2]");
}

TEST_F(LoopPrograms, AreSavedWithTheirCode) {
  Function f = made(function({x, a}, geometric()));
  TemporaryFile file("loop.graphc");
  ASSERT_TRUE(f.save(file.path()).ok()) << f.save(file.path());
  absl::StatusOr<SavedFunction> saved = readSaved(file.path(), true);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_FALSE(saved->code.program.empty()) << "loops and branches are data";
  Function again = made(loadFunction(file.path()));
  for (const Tensor &values :
       {Tensor({1.0, 2.0, 3.0}), Tensor({90.0, 20.0, 3.0}), *Tensor::zeros(DType::Float64, {0})}) {
    EXPECT_EQ(valuesOf(again.call({values, Tensor(2.0)})), valuesOf(f.call({values, Tensor(2.0)})));
  }
  EXPECT_EQ(valuesOf(f.call({Tensor({90.0, 20.0, 3.0}), Tensor(2.0)})),
            (List{90, 200, std::log(90.0), std::log(200.0)}));
}

// Row 91: what nobody uses is not computed, and products of elements are made before the loop.
TEST_F(LoopPrograms, DoNoMoreThanIsUsed) {
  Variable m = dmatrix("m"), w = dmatrix("w"), h0 = dvector("h0");
  ScanResult r = scan(
      [&](V in) {
        Variable h = tanh(dot(in[0], w) + in[1]);
        return Variables{h, exp(h) * 3.0};
      },
      {.sequences = {m}, .outputs = {ScanOutput(h0), ScanOutput::none()}});
  std::string outside, body;
  Function f = rewritten({m, w, h0}, {r.outputs[0]}, outside, body);
  EXPECT_THAT(outside, HasSubstr("graph.dot"));
  EXPECT_THAT(body, Not(HasSubstr("graph.dot")));
  EXPECT_THAT(body, Not(HasSubstr("graph.exp ")));
  EXPECT_EQ(valuesOf(f.call({*Tensor::zeros(DType::Float64, {2, 3}),
                             *Tensor::zeros(DType::Float64, {3, 1}), Tensor({0.0})})),
            (List{0, 0}));
}

// The gradient with respect to a matrix is one product behind the backward loop.
TEST_F(LoopPrograms, SumsOfOuterProductsAreProducts) {
  Variable m = dmatrix("m"), u = dmatrix("u"), h0 = dvector("h0");
  Variable h = scan([&](V in) { return in[0] + dot(in[1], u); },
                    {.sequences = {m}, .outputs = {ScanOutput(h0)}})
                   .outputs[0];
  std::string outside, bodies;
  Function f = rewritten({m, u, h0}, {grad(sum(h), u)}, outside, bodies);
  EXPECT_THAT(outside, HasSubstr("graph.tensordot"));
  EXPECT_THAT(bodies, Not(HasSubstr("axesX = []")));
  // h1 = (1, 2), h2 = (3, 4) + h1 u; with u = 0 the sum's derivative by u[i][j] is h0[i] + h1[i].
  EXPECT_EQ(valuesOf(f.call({*Tensor({1.0, 2.0, 3.0, 4.0}).reshape({2, 2}),
                             *Tensor::zeros(DType::Float64, {2, 2}), Tensor({5.0, 6.0})})),
            (List{6, 6, 8, 8}));
}

// Rows of a sequence are an operand of that product as they stand: steps that go backwards stack
// what they give beside them.
TEST_F(LoopPrograms, SumsOfProductsReadSequences) {
  Variable m = dmatrix("m"), u = dmatrix("u");
  for (int64_t truncation : {-1, 1}) {
    Variable h = scan([&](V in) { return tanh(dot(in[0], u)); }, {.sequences = {m},
                                                                  .outputs = {ScanOutput::none()},
                                                                  .numSteps = Operand(n),
                                                                  .truncateGradient = truncation})
                     .outputs[0];
    std::string outside, bodies;
    Function f = rewritten({m, u, n}, {grad(sum(h), u)}, outside, bodies);
    EXPECT_THAT(outside, HasSubstr("stacks_backwards"));
    // tanh' is 1 at 0: the sum of the rows, or the last of them, in each column.
    EXPECT_EQ(valuesOf(f.call({*Tensor({1.0, 2.0, 3.0, 4.0, 50.0, 60.0}).reshape({3, 2}),
                               *Tensor::zeros(DType::Float64, {2, 2}), Tensor(int64_t(2))})),
              truncation < 0 ? (List{4, 4, 6, 6}) : (List{3, 3, 4, 4}));
  }
}

/// How many loops the text has.
int countLoops(const std::string &text) {
  int count = 0;
  for (size_t at = text.find("graph.scan @"); at != text.npos;
       at = text.find("graph.scan @", at + 1))
    ++count;
  return count;
}

// Loops over the same operands whose states are the same are one, whatever else they give.
TEST_F(LoopPrograms, EqualLoopsMerge) {
  auto loop = [&](double factor) {
    return scan(
               [&](V in) {
                 Variable h = tanh(a * in[1] + in[0]);
                 return Variables{h, exp(h) * factor};
               },
               {.sequences = {x}, .outputs = {0.5, ScanOutput::none()}})
        .outputs;
  };
  Variables one = loop(1), two = loop(2), both = {one[0], one[1], two[0], two[1]};
  std::string outside, bodies;
  Function f = rewritten({x, a}, both, outside, bodies);
  EXPECT_EQ(countLoops(outside), 1) << outside;
  List got = valuesOf(f.call({Tensor({0.25, -1.0}), Tensor(0.75)}));
  const double h1 = std::tanh(0.75 * 0.5 + 0.25), h2 = std::tanh(0.75 * h1 - 1);
  const List wanted = {h1, h2, std::exp(h1),     std::exp(h2),
                       h1, h2, 2 * std::exp(h1), 2 * std::exp(h2)};
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], wanted[k], 1e-14) << k; // some roundings of numbers below 5
  // A gradient's forward loop gives what functions gave; it is the one that there is.
  rewritten({x, a}, {sum(one[0]), grad(sum(one[0]), a)}, outside, bodies);
  EXPECT_EQ(countLoops(outside), 2) << outside;
  // Other first states, other steps.
  Variable other =
      scan([&](V in) { return tanh(a * in[1] + in[0]); }, {.sequences = {x}, .outputs = {0.25}})
          .outputs[0];
  rewritten({x, a}, {one[0], other}, outside, bodies);
  EXPECT_EQ(countLoops(outside), 2) << outside;
}

// A loop that keeps last values is the one of all values where a gradient needs these.
TEST_F(LoopPrograms, FoldsMergeWithTheLoopsOfTheirGradients) {
  auto step = [&](V in) { return tanh(a * in[1] + in[0]); };
  Variable last = foldl(step, {x}, 0.5);
  Variable all = scan(step, {.sequences = {x}, .outputs = {0.5}}).outputs[0];
  std::string outside, bodies;
  Function f = rewritten({x, a}, {last, grad(last, a)}, outside, bodies);
  EXPECT_EQ(countLoops(outside), 2) << outside;
  const double h1 = std::tanh(0.75 * 0.5 + 0.25), h2 = std::tanh(0.75 * h1 - 1);
  const double slope = (1 - h2 * h2) * (h1 + 0.75 * (1 - h1 * h1) * 0.5);
  for (const char *mode : {"interpreter", "fast_run", "fast_compile"}) {
    Function g = made(function({x, a}, {last, grad(last, a), all}, {.mode = mode}));
    List got = valuesOf(g.call({Tensor({0.25, -1.0}), Tensor(0.75)}));
    const List wanted = {h2, slope, h1, h2};
    ASSERT_EQ(got.size(), wanted.size()) << mode;
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_NEAR(got[k], wanted[k], 1e-15) << k << mode; // some roundings of numbers below 1
    // Without a step it is the first state.
    EXPECT_EQ(valuesOf(g.call({*Tensor::zeros(DType::Float64, {0}), Tensor(0.75)})), (List{0.5, 0}))
        << mode;
  }
  // Alone, it keeps no more than it did.
  rewritten({x, a}, {last, foldl(step, {x}, 0.5) * 2.0}, outside, bodies);
  EXPECT_EQ(countLoops(outside), 1) << outside;
  EXPECT_THAT(outside, HasSubstr("last = [true]"));
}

// Rewriting leaves out states and results that nobody reads: messages have the numbers of those
// that there were, in all modes, and of what is read from text and from files.
TEST_F(LoopPrograms, MessagesHaveTheNumbersOfAllResults) {
  Variable v = dvector("v"), i = lvector("i");
  Variables all = scan(
                      [](V in) {
                        return Variables{in[1] + 1.0, concatenate({in[2], in[2]}), exp(in[1]),
                                         arange(in[0]), in[1] * 2.0};
                      },
                      {.sequences = {i},
                       .outputs = {0.0, ScanOutput(v), ScanOutput::none(), ScanOutput::none(),
                                   ScanOutput::none()}})
                      .outputs;
  const Tensor steps({2, 3}, DType::Int64);
  const std::string ofState = "ShapeError: scan: step 0: state 1 was f64[2] and becomes f64[4]; "
                              "states keep their shapes",
                    ofResult = "ShapeError: scan: step 1: result 3 is i64[3], and all have the "
                               "shape of the first one: i64[2,2] with the axis of steps";
  struct Case {
    Variable result;
    Tensor start; // without elements it does not grow
    std::string message;
  };
  const Tensor none = *Tensor::zeros(DType::Float64, {0});
  for (const Case &c : {Case{all[1][-1], {1, 2}, ofState}, Case{all[1], {1, 2}, ofState},
                        Case{all[3], none, ofResult}}) {
    const std::vector<Tensor> values = {steps, c.start};
    for (const char *mode :
         {"interpreter", "fast_compile", "fast_run", "strict", "nanguard", "debug"}) {
      Function f = made(
          function({i, v}, {c.result}, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore}));
      EXPECT_EQ(firstLine(f.call(values).status()), c.message) << mode;
    }
    Function f = made(function({i, v}, {c.result}, {.onUnusedInput = OnUnusedInput::Ignore}));
    const std::string said = firstLine(f.call(values).status());
    TemporaryFile file("numbers.graphc");
    ASSERT_TRUE(f.save(file.path()).ok());
    for (const bool trustCode : {false, true})
      EXPECT_EQ(
          firstLine(
              made(loadFunction(file.path(), {.trustCode = trustCode})).call(values).status()),
          said)
          << trustCode;
    // The rewritten graph as text, and what is compiled of that.
    std::string outside, bodies;
    rewritten({i, v}, {c.result}, outside, bodies);
    absl::StatusOr<GraphModule> read = parseGraph(outside + bodies, "rewritten.mlir");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(
        firstLine(
            made(function(*read, {.onUnusedInput = OnUnusedInput::Ignore})).call(values).status()),
        said);
  }
}

// Kernels within a step are split over threads as others are; results are the same bits.
TEST_F(LoopPrograms, SplitKernelsOverThreads) {
  Variable h0 = dvector("h0");
  Variable h = scan([&](V in) { return tanh(in[0] * a) + 0.25; },
                    {.outputs = {ScanOutput(h0)}, .numSteps = 3})
                   .outputs[0];
  Tensor start = *Tensor::allocate(DType::Float64, {100003});
  for (int64_t i = 0; i < 100003; ++i)
    start.mutableFlat<double>()[size_t(i)] = double(i % 101) / 7;
  List values[2];
  for (int threads : {1, 2}) {
    Function f = made(function({h0, a}, {h}, {.threads = threads}));
    values[threads - 1] = valuesOf(f.call({start, Tensor(0.75)}));
  }
  EXPECT_EQ(values[0].size(), 300009u);
  EXPECT_EQ(values[0], values[1]);
}

// A loop for each slice: rows of a Jacobian are gradients through time.
TEST_F(LoopPrograms, RunForEachSlice) {
  Variable h = scan([&](V in) { return a * in[1] + in[0]; }, {.sequences = {x}, .outputs = {0.0}})
                   .outputs[0];
  Function f = made(function({x, a}, {jacobian(h, x)}));
  const std::vector<Tensor> values = {Tensor({1.0, 2.0, 3.0}), Tensor(2.0)};
  const List expected = {1, 0, 0, 2, 1, 0, 4, 2, 1};
  EXPECT_EQ(valuesOf(f.call(values)), expected);
  // They are code, as others are: a file has it.
  TemporaryFile file("slices.graphc");
  ASSERT_TRUE(f.save(file.path()).ok()) << f.save(file.path());
  absl::StatusOr<SavedFunction> saved = readSaved(file.path(), true);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_FALSE(saved->code.program.empty());
  EXPECT_EQ(valuesOf(made(loadFunction(file.path())).call(values)), expected);
}

// A loop whose emission stands in another function is one still, whose code a file has.
TEST_F(LoopPrograms, AreFoundBehindWrappers) {
  Apply loop = scan([&](V in) { return a * in[1] + in[0]; }, {.sequences = {x}, .outputs = {0.0}})
                   .outputs[0]
                   .owner();
  ASSERT_EQ(loop.op().name(), "scan");
  OpDef def = loop.op().def();
  def.emit = [emit = def.emit](Emitter &e, const Arrays &in, const Attributes &attributes) {
    return emit(e, in, attributes);
  };
  absl::StatusOr<Op> op = defineOp(def);
  ASSERT_TRUE(op.ok()) << op.status();
  const Variables inputs = loop.inputs();
  absl::StatusOr<Apply> node = op->makeNode(std::vector<Operand>(inputs.begin(), inputs.end()));
  ASSERT_TRUE(node.ok()) << node.status();
  Function f = made(function({x, a}, {node->output(0)}));
  EXPECT_EQ(valuesOf(f.call({Tensor({1.0, 2.0, 3.0}), Tensor(2.0)})), (List{1, 4, 11}));
  TemporaryFile file("wrapped.graphc");
  ASSERT_TRUE(f.save(file.path()).ok()) << f.save(file.path());
  absl::StatusOr<SavedFunction> saved = readSaved(file.path(), true);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_FALSE(saved->code.program.empty());
}

} // namespace
} // namespace graphc
