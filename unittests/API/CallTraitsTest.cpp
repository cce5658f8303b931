//===- CallTraitsTest.cpp - OpFromGraphs in graph text ---------------------===//
//
// What a function that `graph.call` names is told: written, read again, and refused.
//
//===----------------------------------------------------------------------===//
#include <gmock/gmock.h>

#include "Messages.h"
#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Import.h"
#include "graphc/OpFromGraph.h"
#include "graphc/Ops.h"
#include "graphc/Shared.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

using testing::HasSubstr;
using List = std::vector<double>;

class CallTraitsTest : public ::testing::Test {
protected:
  Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");

  absl::StatusOr<std::string> textOf(const OpFromGraph &op) {
    GraphModule module;
    module.inputs = {x, y};
    module.outputs = op.apply({x, y});
    return printGraph(module);
  }
  /// The op of the only node of a graph.
  static Op opOf(const GraphModule &module) { return module.outputs[0].owner().op(); }

  static List gradients(const GraphModule &module) {
    auto f = function(module.inputs, grad(module.outputs[0], module.inputs));
    EXPECT_TRUE(f.ok()) << f.status();
    if (!f.ok())
      return {};
    auto results = (*f)(3.0, 5.0);
    EXPECT_TRUE(results.ok()) << results.status();
    return {(*results)[0].item<double>(), (*results)[1].item<double>()};
  }
};

// F-266: what is read is equal to what was written.
TEST_F(CallTraitsTest, AreWrittenAndReadAgain) {
  auto scaled = [](Inputs in, Outputs out, Gradients g) { return in[0] * out[0] * g[0]; };
  auto pushed = [](Inputs in, Tangents t) { return in[1] * t[0]; };
  const OpFromGraphOptions kinds[] = {
      {},
      {.inlined = true},
      {.inlined = Inline::Automatic},
      {.pullback = {scaled, Override::byDefault()}},
      {.pullback = {Override::byDefault(), scaled}, .pushforward = {pushed}},
      {.pullback = {scaled, Override::disconnected()}, .connectionPattern = {{true}, {false}}},
      {.pullback = {Override::nullType("no \"way\""), Override::byDefault()}},
      {.destroyMap = {{0, 1}}},
  };
  std::vector<OpFromGraph> ops;
  for (const OpFromGraphOptions &options : kinds)
    ops.emplace_back(Variables{x, y}, Variables{x * y + 1}, options);
  for (size_t k = 0; k < ops.size(); ++k)
    for (bool bytecode : {false, true}) {
      ASSERT_TRUE(ops[k].ok()) << ops[k].status();
      GraphModule module;
      module.inputs = {x, y};
      module.outputs = ops[k].apply({x, y});
      auto text = printGraph(module, {.bytecode = bytecode});
      ASSERT_TRUE(text.ok()) << text.status();
      auto read = parseGraph(*text);
      ASSERT_TRUE(read.ok()) << read.status() << *text;
      EXPECT_EQ(opOf(*read), ops[k].op()) << *text;
      for (size_t other = 0; other < ops.size(); ++other)
        EXPECT_EQ(opOf(*read) == ops[other].op(), k == other);
    }
  auto text = textOf(ops[3]);
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("attributes {graph.pullback = {of = [0, \"default\"], rule = "
                               "@OpFromGraph_LOp}}"));
  // x (x y + 1) = 3 * 16, and x = 3.
  EXPECT_EQ(gradients(*parseGraph(*text)), (List{48, 3}));
  auto both = textOf(ops[6]);
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(*both, HasSubstr("of = [{null = \"no \\22way\\22\"}, \"default\"]"));
}

// What is known of a result by the elements of a shape, or since two operands are one, is no claim
// of the text's: it is read again, from bytecode also.
TEST_F(CallTraitsTest, ExtentsThatFollow) {
  Variable four = tensor(DType::Float64, {4, kDynamic}, "four"), m = dmatrix("m");
  GraphModule module;
  module.inputs = {four, m};
  module.outputs = {reshape(m, {shape(four, 0), -1}), dot(four, four)};
  EXPECT_EQ(module.outputs[0].type().text(), "tensor<4x?xf64>");
  EXPECT_EQ(module.outputs[1].type().text(), "tensor<4x4xf64>");
  for (bool bytecode : {false, true}) {
    auto text = printGraph(module, {.bytecode = bytecode});
    ASSERT_TRUE(text.ok()) << text.status();
    auto read = parseGraph(*text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->outputs[0].type(), module.outputs[0].type());
    EXPECT_EQ(read->outputs[1].type(), module.outputs[1].type());
  }
}

// What `vectorize` gives has text, too: the function of a slice; it is the same op when read.
TEST_F(CallTraitsTest, OfSlices) {
  Variable row = dvector("row"), rows = dmatrix("rows"), other = dmatrix("other");
  GraphModule module;
  module.inputs = {rows, x};
  module.outputs = vectorize({sum(row * row) * x, row + 1.0}, {{row, rows}});
  for (bool bytecode : {false, true}) {
    auto text = printGraph(module, {.bytecode = bytecode});
    ASSERT_TRUE(text.ok()) << text.status();
    auto read = parseGraph(*text);
    ASSERT_TRUE(read.ok()) << read.status() << *text;
    EXPECT_EQ(opOf(*read), module.outputs[0].owner().op());
    auto f = function(*read);
    ASSERT_TRUE(f.ok()) << f.status();
    auto r = (*f)(Tensor({{1.0, 2.0}, {3.0, 4.0}}), 10.0);
    ASSERT_TRUE(r.ok()) << r.status();
    EXPECT_EQ((*r)[0], Tensor({50.0, 250.0}));
    EXPECT_EQ((*r)[1], Tensor({{2.0, 3.0}, {4.0, 5.0}}));
  }
  auto text = printGraph(module);
  EXPECT_THAT(*text, HasSubstr("attributes {graph.slices = 1 : i64}"));
  // Equal ones are one op, for any operands; others are not.
  Variable slice = dvector("slice");
  EXPECT_EQ(vectorize({sum(slice * slice) * x, slice + 1.0}, {{slice, other}})[0].owner().op(),
            module.outputs[0].owner().op());
  EXPECT_FALSE(vectorize({sum(slice) * x, slice + 1.0}, {{slice, other}})[0].owner().op() ==
               module.outputs[0].owner().op());
  for (auto [given, wrong] :
       {std::pair("graph.slices = 0", "is a number of inputs, 1 at least"),
        std::pair("graph.slices = 3", "is a number of inputs, 1 at least"),
        std::pair("graph.inline = \"yes\", graph.slices = 1", "goes with no other attribute")}) {
    std::string changed = *text;
    changed.replace(changed.find("graph.slices = 1"), 16, given);
    EXPECT_EQ(said(parseGraph(changed).status()),
              "ValueError: function @vectorized: graph.slices " + std::string(wrong));
  }
}

// F-231, F-259: what is captured is told from what is given, and what rules read.
TEST_F(CallTraitsTest, SharedVariables) {
  SharedVariable s = shared(2.0, "s");
  OpFromGraph op({x}, {x * s},
                 {.pullback = {[](Inputs, Outputs, Gradients g) { return g[0] * 7; }}});
  GraphModule module;
  module.inputs = {x, s};
  module.outputs = {op(x)};
  auto text = printGraph(module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("graph.captured = 1"));
  auto read = parseGraph(*text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(gradients(*read), (List{7, 3}));
  OpFromGraph reads({x}, {x},
                    {.pullback = {[&](Inputs, Outputs, Gradients g) { return g[0] * s; }}});
  module.outputs = {reads(x)};
  text = printGraph(module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("reads = [1], rule = @OpFromGraph_LOp}"));
  read = parseGraph(*text);
  ASSERT_TRUE(read.ok()) << read.status();
  auto f = function(read->inputs, grad(read->outputs[0], read->inputs[0]));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ((*f)(3.0, 5.0)->item<double>(), 5);
}

// Whole messages.
TEST_F(CallTraitsTest, Mistakes) {
  auto mistake = [](const std::string &attributes) {
    auto module = parseGraph(R"(
func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = graph.call @f(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @rule(%a: tensor<f64>) -> tensor<f64> {
  return %a : tensor<f64>
}
func.func private @four(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>) -> tensor<f64> {
  return %a : tensor<f64>
}
func.func private @f(%a: tensor<f64>, %b: tensor<f64>) -> tensor<f64> attributes {)" +
                             attributes + R"(} {
  return %a : tensor<f64>
}
)");
    std::string text(module.status().message());
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(mistake("graph.inline = \"no\""), "");
  EXPECT_EQ(mistake("graph.pullback = {of = [0, \"default\"], rule = @four}"), "");
  EXPECT_EQ(mistake("graph.inline = \"maybe\""),
            "function @f: graph.inline is \"yes\", \"no\" or \"automatic\"");
  EXPECT_EQ(mistake("graph.inline = 1"),
            "function @f: graph.inline is \"yes\", \"no\" or \"automatic\"");
  EXPECT_EQ(mistake("graph.captured = 3"), "function @f: graph.captured is a number of inputs");
  EXPECT_EQ(mistake("graph.captured = \"a\""), "function @f: graph.captured is a number of inputs");
  EXPECT_EQ(mistake("graph.pullback = 1"),
            "function @f: graph.pullback needs a list `of` with an entry for each of 2");
  EXPECT_EQ(mistake("graph.pullback = {of = [\"default\"]}"),
            "function @f: graph.pullback needs a list `of` with an entry for each of 2");
  EXPECT_EQ(mistake("graph.pullback = {of = [0, 0], rule = @rule}"),
            "function @f: graph.pullback needs a rule, a function of 4 arguments");
  const std::string entry = " has an entry that is neither \"default\", \"disconnected\", {null = "
                            "\"reason\"} nor the number of a result of the rule";
  EXPECT_EQ(mistake("graph.pullback = {of = [1, \"default\"], rule = @four}"),
            "function @f: graph.pullback" + entry);
  EXPECT_EQ(mistake("graph.pullback = {of = [0, \"default\"]}"),
            "function @f: graph.pullback" + entry + ", which it does not name");
  EXPECT_EQ(mistake("graph.pushforward = {of = [\"other\"]}"),
            "function @f: graph.pushforward" + entry + ", which it does not name");
  EXPECT_EQ(mistake("graph.pulback = {of = [0, \"default\"], rule = @four}"),
            "function @f: graph.pulback is none of those that a called function has: graph.inline, "
            "graph.captured, graph.pullback, graph.pushforward, graph.connection, graph.destroys, "
            "graph.slices");
  for (const char *reads : {"[2]", "1", "[\"a\"]"})
    EXPECT_EQ(
        mistake("graph.pullback = {of = [0, 0], rule = @four, reads = " + std::string(reads) + "}"),
        "function @f: graph.pullback reads a list of inputs, by number");
  EXPECT_EQ(mistake("graph.pullback = {of = [0, 0], rule = @none}"), "there is no function @none");
  EXPECT_EQ(mistake("graph.pullback = {of = [0, 0], rule = @f}"), "function @f calls itself");
  EXPECT_EQ(mistake("graph.connection = [[true]]"),
            "function @f: graph.connection is a list of 2 rows of 1 boolean");
  EXPECT_EQ(mistake("graph.connection = [[true], [1]]"),
            "function @f: graph.connection is a list of 2 rows of 1 boolean");
  EXPECT_EQ(mistake("graph.destroys = [2]"),
            "function @f: graph.destroys is a list of 1 input, -1 for none");
  EXPECT_EQ(mistake("graph.destroys = []"),
            "function @f: graph.destroys is a list of 1 input, -1 for none");
}

} // namespace
} // namespace graphc
