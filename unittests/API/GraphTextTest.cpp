//===- GraphTextTest.cpp - reading and writing graph text -----------------===//
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "graphc/Function.h"
#include "graphc/FunctionGraph.h"
#include "graphc/Import.h"
#include "graphc/Ops.h"
#include "graphc/Print.h"
#include "graphc/Rewrite.h"
#include "graphc/Status.h"
#include "graphc/Traversal.h"

namespace graphc {
namespace {

constexpr std::string_view kText =
    R"(func.func @main(%x: tensor<?x3xf32>, %b: tensor<1x3xf32>) -> (tensor<?xf32> {graph.name = "total"}, tensor<2xi64>) {
  %c = graph.constant dense<[1, 2]> : tensor<2xi64>
  %h = graph.add %x, %b : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  %0 = graph.sum %h {axes = [1]} : (tensor<?x3xf32>) -> tensor<?xf32>
  return %0, %c : tensor<?xf32>, tensor<2xi64>
}
)";

std::string messageOf(const absl::Status &status) {
  return std::string(status.message().data(), status.message().size());
}

TEST(GraphText, ReadsNamesTypesAndConstants) {
  auto module = parseGraph(kText, "sum.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->inputs.size(), 2u);
  EXPECT_EQ(module->inputs[0].name(), "x");
  EXPECT_EQ(module->inputs[1].type(), Type(TensorType(DType::Float32, {1, 3})));
  EXPECT_EQ(module->outputNames, (std::vector<std::string>{"total", ""}));
  EXPECT_EQ(module->outputs[0].owner().input(0).name(), "h");
  EXPECT_EQ(Constant::from(module->outputs[1])->data(), Tensor({1, 2}, DType::Int64));
  Place place = module->outputs[0].place();
  EXPECT_STREQ(place.file, "sum.mlir");
  EXPECT_EQ(place.line, 4u);
}

TEST(GraphText, RoundTripsAsTextAndBytecode) {
  auto module = parseGraph(kText, "sum.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  auto text = printGraph(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kText);
  auto bytecode = printGraph(*module, {.bytecode = true});
  ASSERT_TRUE(bytecode.ok()) << bytecode.status();
  auto again = parseGraph(*bytecode, "sum.bc");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(equalComputations(again->outputs, module->outputs, again->inputs, module->inputs));
}

TEST(GraphText, LocationsSurvive) {
  auto module = parseGraph(kText, "sum.mlir");
  auto text = printGraph(*module, {.locations = true});
  ASSERT_TRUE(text.ok()) << text.status();
  auto again = parseGraph(*text, "other.mlir");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_STREQ(again->outputs[0].place().file, "sum.mlir");
  EXPECT_EQ(again->outputs[0].place().line, 4u);
  EXPECT_EQ(again->inputs[1].place().str(), "sum.mlir:1:38");
}

// A node that rewriting made of several has all their places, in text too.
TEST(GraphText, OriginsSurvive) {
  auto module = parseGraph(R"(func.func @main(%x: tensor<f64>) -> tensor<f64> {
    %0 = graph.exp %x : (tensor<f64>) -> tensor<f64>
    %1 = graph.log %0 : (tensor<f64>) -> tensor<f64>
    %2 = graph.neg %x : (tensor<f64>) -> tensor<f64>
    %3 = graph.neg %2 : (tensor<f64>) -> tensor<f64>
    %4 = graph.sub %3, %1 : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %5 = graph.tanh %4 : (tensor<f64>) -> tensor<f64>
    %one = graph.constant dense<1.0> : tensor<f64>
    %6 = graph.exp %5 : (tensor<f64>) -> tensor<f64>
    %7 = graph.sub %6, %one : (tensor<f64>, tensor<f64>) -> tensor<f64>
    return %7 : tensor<f64>
  })",
                           "expm1.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  auto graph = FunctionGraph::create(module->inputs, module->outputs);
  ASSERT_TRUE(graph.ok() && rewrite(*graph).ok());
  auto lines = [](const Variable &v) {
    std::vector<uint32_t> found;
    for (Place place : v.owner().origins())
      found.push_back(place.line);
    return found;
  };
  EXPECT_THAT(lines(graph->output(0)), testing::ElementsAre(10, 9)) << debugPrint(*graph);
  auto text =
      printGraph({.inputs = graph->inputs(), .outputs = graph->outputs(), .outputNames = {""}},
                 {.locations = true});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, testing::HasSubstr("fused[\"expm1.mlir\":10:10, \"expm1.mlir\":9:10]"));
  auto again = parseGraph(*text, "other.mlir");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_THAT(lines(again->outputs[0]), testing::ElementsAre(10, 9));
}

TEST(GraphText, NamesThatTextCannotSpell) {
  Variable a(TensorType(DType::Float64, {}), "my input"), b(TensorType(DType::Float64, {}), "arg7");
  GraphModule module{.inputs = {a, b}, .outputs = {a + b}, .outputNames = {""}};
  auto text = printGraph(module);
  ASSERT_TRUE(text.ok()) << text.status();
  auto again = parseGraph(*text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->inputs[0].name(), "my input");
  EXPECT_EQ(again->inputs[1].name(), "arg7");
}

TEST(GraphText, ConstantsOfAllDTypes) {
  for (int d = 0; d < kNumDTypes; ++d) {
    for (const Tensor &data : {Tensor({0, 1, 2}, DType(d)), *Tensor::zeros(DType(d), {2, 0}),
                               Tensor({{1, 1}, {1, 1}}, DType(d)), Tensor({1}, DType(d))}) {
      GraphModule module{.inputs = {}, .outputs = {Constant(data)}, .outputNames = {""}};
      auto text = printGraph(module);
      ASSERT_TRUE(text.ok()) << text.status();
      auto again = parseGraph(*text);
      ASSERT_TRUE(again.ok()) << *text << again.status();
      EXPECT_TRUE(Constant::from(again->outputs[0])->data().identical(data)) << *text;
    }
  }
}

constexpr std::string_view kGlobals =
    R"(ml_program.global private mutable @w(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>) : tensor<2xf64>
ml_program.global private @"no one reads it"(dense<3> : tensor<i64>) : tensor<i64>
ml_program.global private @b(dense<5.000000e-01> : tensor<f64>) : tensor<f64>
func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {
  %w = ml_program.global_load @w : tensor<2xf64>
  %b = ml_program.global_load_const @b : tensor<f64>
  %0 = graph.mul %x, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = graph.add %0, %b : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
)";

TEST(GraphText, GlobalsAreNamedConstants) {
  auto module = parseGraph(kGlobals, "globals.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->globals.size(), 3u);
  EXPECT_EQ(module->globals[0].value.name(), "w");
  EXPECT_TRUE(module->globals[0].isMutable);
  EXPECT_EQ(module->globals[1].value.name(), "no one reads it");
  EXPECT_FALSE(module->globals[2].isMutable);
  EXPECT_EQ(module->globals[0].value, module->outputs[0].owner().input(0).owner().input(1));
  auto text = printGraph(*module);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kGlobals);
  auto bytecode = printGraph(*module, {.bytecode = true});
  ASSERT_TRUE(bytecode.ok()) << bytecode.status();
  auto again = parseGraph(*bytecode, "globals.bc");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*printGraph(*again), kGlobals);
}

TEST(GraphText, Mistakes) {
  auto problem = [](std::string_view body) {
    std::string text =
        "func.func @main(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> tensor<2x5xf32> {\n";
    text += body;
    absl::Status status = parseGraph(text, "bad.mlir").status();
    std::string result = errorPlace(status) ? errorPlace(status)->str() + ": " : "";
    return result + messageOf(status).substr(0, messageOf(status).find('\n'));
  };
  EXPECT_EQ(problem("  %0 = graph.tanhh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"),
            "bad.mlir:2:8: no op is called 'tanhh'; did you mean 'tanh'?");
  EXPECT_EQ(problem("  %0 = graph.exp %x : (tensor<2x3xf32>) -> tensor<2x4xf32>\n  return %x : "
                    "tensor<2x3xf32>\n}"),
            "bad.mlir:2:8: exp: the result is tensor<2x3xf32>, the text declares tensor<2x4xf32>");
  EXPECT_EQ(problem("  %0 = arith.negf %x : tensor<2x3xf32>\n  return %0 : tensor<2x3xf32>\n}")
                .substr(0, 12),
            "bad.mlir:2:8");
  EXPECT_EQ(problem("  %0 = graph.sum %x {axes = \"a\"} : (tensor<2x3xf32>) -> tensor<f32>\n  "
                    "return %x : tensor<2x3xf32>\n}"),
            "bad.mlir:2:8: sum: attribute 'axes' cannot be \"a\"");
  EXPECT_EQ(messageOf(loadGraph("no/such.mlir").status()),
            "no/such.mlir: No such file or directory");
}

TEST(GraphText, BytecodeIsSigned) {
  auto module = parseGraph(kText);
  std::string bytecode = *printGraph(*module, {.bytecode = true});
  bytecode[bytecode.size() / 2] ^= 1;
  EXPECT_EQ(messageOf(parseGraph(bytecode, "sum.bc").status()),
            "the bytecode is damaged: its checksum is wrong");
  EXPECT_EQ(messageOf(parseGraph("ML\xefR and more", "sum.bc").status()),
            "bytecode that graphc has not written; hand it over as text");
}

/// The forms that text may take: attributes of every kind and locations; generic syntax; nesting.
std::vector<std::string> formsOfText() {
  std::string attributes =
      "#far = loc(fused[\"model.py\":3:1, callsite(\"f\" at \"m.py\":9:2)])\n"
      "func.func @main(%x: tensor<2x3xf32> {graph.name = \"x 1\"} loc(\"a\"(#far))) -> "
      "tensor<?xf32> {\n"
      "  %c = graph.constant dense<[[1.0, -2.5e+00, 0x7FC00000], [0.0, 1.0, 2.0]]> : "
      "tensor<2x3xf32>\n"
      "  %h = graph.add %x, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> "
      "loc(callsite(\"g\" at #far))\n"
      "  %s = graph.sum %h {axes = [1], dtype = f32} : (tensor<2x3xf32>) -> "
      "tensor<?xf32> loc(\"x.cpp\":4:5)\n"
      "  return %s : tensor<?xf32> loc(unknown)\n}\n";
  std::string generic =
      "\"builtin.module\"() ({\n  \"func.func\"() <{function_type = (tensor<f64>) "
      "-> tensor<f64>, sym_name = \"main\"}> ({\n"
      "  ^bb0(%x: tensor<f64>):\n"
      "    %0 = \"graph.constant\"() {value = dense<2.0> : tensor<f64>} : () -> "
      "tensor<f64>\n"
      "    %1 = \"graph.mul\"(%x, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>\n"
      "    \"func.return\"(%1) : (tensor<f64>) -> ()\n  }) {res_attrs = "
      "[{graph.name = \"y\"}]} : () -> ()\n}) : () -> ()\n";
  std::string nested = "#m = affine_map<(d, e) -> ((d + 2) * 3, -(e mod 4))>\n"
                       "func.func @main(%x: tensor<f64>) -> tensor<f64> attributes {a = [[[#m, "
                       "{b = tuple<tuple<f32, () -> (f32)>>}]]]} {\n  return %x : tensor<f64>\n}\n";
  return {std::string(kText), std::string(kGlobals), attributes, generic, nested};
}

/// One change of those that files suffer, and of those that break what belongs together.
std::string damaged(std::string text, std::mt19937 &random) {
  auto place = [&] { return random() % text.size(); };
  switch (random() % 5) {
  case 0:
    text.resize(place());
    break;
  case 1:
    text[place()] ^= char(1 << random() % 8);
    break;
  case 2: // a piece is missing
    text.erase(place(), 1 + random() % 12);
    break;
  case 3: { // a piece comes twice
    std::string piece = text.substr(place(), 1 + random() % 40);
    text.insert(place(), piece);
    break;
  }
  default: { // a bracket is another, or many
    constexpr std::string_view kBrackets = "()[]{}<>-\"";
    text.insert(place(), std::string(1 + random() % 3, kBrackets[random() % kBrackets.size()]));
  }
  }
  return text;
}

// Whatever a file holds, reading it ends in a graph or an error, and so does compiling the graph.
TEST(GraphText, DamagedFiles) {
  std::vector<std::string> forms = formsOfText();
  for (const std::string &text : forms)
    EXPECT_TRUE(parseGraph(text).ok()) << text << parseGraph(text).status();
  forms.push_back(*printGraph(*parseGraph(kText), {.bytecode = true}));
  std::mt19937 random(11);
  int read = 0;
  constexpr int kTimes = 10000;
  for (int i = 0; i < kTimes; ++i) {
    auto graph = parseGraph(damaged(forms[size_t(i) % forms.size()], random), "damaged");
    if (!graph.ok()) {
      EXPECT_FALSE(messageOf(graph.status()).empty());
      continue;
    }
    ++read;
    absl::StatusOr<Function> compiled =
        function(*graph, {.onUnusedInput = OnUnusedInput::Ignore, .cache = false});
    if (!compiled.ok()) {
      EXPECT_FALSE(messageOf(compiled.status()).empty());
    }
  }
  EXPECT_LT(read, kTimes / 2);
  EXPECT_GT(read, kTimes / 100) << "a changed letter in a name is another graph";
}

} // namespace
} // namespace graphc
