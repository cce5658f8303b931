//===- SequencesTest.cpp - sequences, optional values, steps of training ------------===//
//
// What ONNX's own tests (BackendTest.cpp) do not show: names of inputs and outputs, structure that
// depends on conditions, bounds, errors. Models are in ONNX's text form.
//
//===----------------------------------------------------------------------===//
#include <limits>
#include <map>
#include <regex>

#include "Eval/Evaluate.h"
#include "Import/OneNode.h"
#include "Messages.h"
#include "graphc/Function.h"
#include "onnx/defs/parser.h"
#include "gmock/gmock.h"

namespace graphc::test {
namespace {

using Numbers = std::vector<double>;

/// Gives values of these names the type `wrap` makes of theirs, in all graphs. An input `omitted`
/// is none, for which the text has no sign.
void retype(onnx::GraphProto &graph, const std::map<std::string, std::string> &kinds) {
  for (auto *list : {graph.mutable_input(), graph.mutable_output()})
    for (onnx::ValueInfoProto &info : *list)
      if (auto kind = kinds.find(info.name()); kind != kinds.end()) {
        onnx::TypeProto tensor = info.type();
        onnx::TypeProto &type = *info.mutable_type();
        if (kind->second == "seq")
          *type.mutable_sequence_type()->mutable_elem_type() = tensor;
        else
          *type.mutable_optional_type()->mutable_elem_type() = tensor;
      }
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &input : *node.mutable_input())
      if (input == "omitted")
        input.clear();
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        retype(*attribute.mutable_g(), kinds);
  }
}

/// ONNX's text form, which has no sequences and optional values: "seq(float[2]) s" is of this file.
onnx::ModelProto parsed(std::string graph, int opset = 16) {
  std::map<std::string, std::string> kinds;
  static const std::regex kType(R"((seq|optional)\((\w+\[\w*\])\) (\w+))");
  for (std::sregex_iterator it(graph.begin(), graph.end(), kType), none; it != none; ++it)
    kinds[(*it)[3]] = (*it)[1];
  graph = std::regex_replace(graph, kType, "$2 $3");
  std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                     ", \"ai.onnx.preview.training\" : 1]> g " + graph;
  onnx::ModelProto model;
  auto status = onnx::OnnxParser(text.c_str()).Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  retype(*model.mutable_graph(), kinds);
  return model;
}

absl::StatusOr<GraphModule> loaded(const std::string &graph, const OnnxInputs &options = {}) {
  return loadModel(parsed(graph), options);
}

std::string errorOf(const std::string &graph, const OnnxInputs &options = {}) {
  return error(loaded(graph, options));
}

std::vector<std::string> namesOf(const Variables &variables) {
  std::vector<std::string> names;
  for (const Variable &v : variables)
    names.emplace_back(v.name());
  return names;
}

/// The outputs' elements, evaluated and compiled, which must be equal.
std::vector<Numbers> run(const std::string &graph, const std::vector<Tensor> &inputs,
                         const OnnxInputs &options = {}) {
  auto module = loaded(graph, options);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return {};
  auto evaluated = evaluate(module->outputs, module->inputs, inputs);
  EXPECT_TRUE(evaluated.ok()) << evaluated.status();
  auto f = function(*module, {.onUnusedInput = OnUnusedInput::Ignore});
  EXPECT_TRUE(f.ok()) << f.status();
  if (!evaluated.ok() || !f.ok())
    return {};
  auto called = f->call(inputs);
  EXPECT_TRUE(called.ok()) << called.status();
  std::vector<Numbers> values;
  for (size_t i = 0; i < evaluated->size(); ++i) {
    if (called.ok())
      EXPECT_EQ((*evaluated)[i], (*called)[i]);
    Tensor wide = (*evaluated)[i].cast(DType::Float64).contiguous();
    values.emplace_back(wide.flat<double>().begin(), wide.flat<double>().end());
  }
  return values;
}

Tensor row(std::vector<float> values) {
  return *Tensor::fromSpan(absl::MakeConstSpan(values), {int64_t(values.size())});
}

TEST(Sequences, elementsAreInputsAndOutputs) {
  const std::string kGraph = "(seq(float[N]) s, float[M] x) => (seq(float[N]) t, int64 n) {"
                             " t = SequenceInsert(s, x) n = SequenceLength(t) }";
  OnnxInputs two{.lengths = {{"s", 2}}};
  auto module = loaded(kGraph, two);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(namesOf(module->inputs), (std::vector<std::string>{"s[0]", "s[1]", "x"}));
  EXPECT_EQ(module->outputNames, (std::vector<std::string>{"t[0]", "t[1]", "t[2]", "n"}));
  // Elements of one dim_param may differ: it is each element's own.
  EXPECT_EQ(run(kGraph, {row({1}), row({2, 3}), row({4, 5, 6})}, two),
            (std::vector<Numbers>{{1}, {2, 3}, {4, 5, 6}, {3}}));
  EXPECT_EQ(run(kGraph, {row({4})}, {.lengths = {{"s", 0}}}), (std::vector<Numbers>{{4}, {1}}));
}

TEST(Sequences, shapesOfInputsCanBeGiven) {
  const std::string kGraph = "(float[N,3] x) => (float[N,3] y) { y = Relu(x) }";
  auto module = loaded(kGraph, {.shapes = {{"x", {2, 3}}}});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->outputs[0].type().brief(), "f32[2,3]");
  EXPECT_EQ(errorOf(kGraph, {.shapes = {{"x", {2, 4}}}}),
            "model.onnx: input 'x': is declared as f32[?,3], but the shape (2, 4) is given for it");
  EXPECT_EQ(errorOf(kGraph, {.shapes = {{"y", {2}}}}),
            "model.onnx: a shape is given for 'y', which is no input or element of one");
  EXPECT_EQ(errorOf(kGraph, {.lengths = {{"x", 2}}}),
            "model.onnx: a length is given for 'x', which is no input that is a sequence or an "
            "optional value");
}

TEST(Sequences, inputsNeedALength) {
  const std::string kSequence = "(seq(float[N]) s) => (seq(float[N]) t) { t = Identity(s) }";
  EXPECT_EQ(errorOf(kSequence),
            "model.onnx: input 's': is a sequence; give its length (OnnxInputs::lengths, or "
            "--length 's=N'): how many elements it has");
  EXPECT_EQ(errorOf(kSequence, {.lengths = {{"s", -1}}}),
            "model.onnx: input 's': is a sequence; its length is -1");
  const std::string kOptional = "(optional(float[N]) o) => (bool b) { b = OptionalHasElement(o) }";
  EXPECT_EQ(errorOf(kOptional),
            "model.onnx: input 'o': is an optional value; give its length (OnnxInputs::lengths, or "
            "--length 'o=N'): 1, or none (OnnxInputs::kNone) where it is not there");
  EXPECT_EQ(errorOf(kOptional, {.lengths = {{"o", 2}}}),
            "model.onnx: input 'o': is an optional tensor; its length is 2");
  EXPECT_EQ(run(kOptional, {row({1})}, {.lengths = {{"o", 1}}}), (std::vector<Numbers>{{1}}));
  EXPECT_EQ(run(kOptional, {}, {.lengths = {{"o", OnnxInputs::kNone}}}),
            (std::vector<Numbers>{{0}}));
  EXPECT_EQ(errorOf("(seq(string[N]) s) => (seq(string[N]) t) { t = Identity(s) }",
                    {.lengths = {{"s", 1}}}),
            "model.onnx: input 's': is no sequence of numbers");
}

TEST(Sequences, valuesOfTheWrongKind) {
  auto three = [](const std::string &nodes) {
    return errorOf("(float[2] x, float[2] y, int64 i) => (z) { s = SequenceConstruct(x, y, x) " +
                   nodes + " }");
  };
  EXPECT_EQ(three("z = Add(s, x)"),
            "model.onnx: node 2 (Add): input 0 must be a tensor, is a sequence of 3 float32");
  EXPECT_EQ(three("o = Optional(x) z = Add(o, x)"),
            "model.onnx: node 3 (Add): input 0 must be a tensor, is an optional value of f32[2]; "
            "OptionalGetElement gives what it has");
  EXPECT_EQ(three("z = SequenceLength(x)"),
            "model.onnx: node 2 (SequenceLength): input 0 must be a sequence, is f32[2]");
  EXPECT_EQ(three("o = Optional(s) z = SequenceLength(o)"),
            "model.onnx: node 3 (SequenceLength): input 0 must be a sequence, is an optional value "
            "of a sequence of 3 float32");
  EXPECT_EQ(three("z = SequenceInsert(s, i)"),
            "model.onnx: node 2 (SequenceInsert): an element of i64 in a sequence of float32");
  EXPECT_EQ(three("z = SequenceConstruct(x, i)"),
            "model.onnx: node 2 (SequenceConstruct): an element of i64 in a sequence of float32");
  EXPECT_EQ(three("z = SequenceAt(s, i)"),
            "model.onnx: node 2 (SequenceAt): input 1 must be constant, but is computed from the "
            "model's inputs");
  EXPECT_EQ(three("p = Constant<value_int = 3>() z = SequenceAt(s, p)"),
            "model.onnx: node 3 (SequenceAt): position 3 of a sequence of 3");
  EXPECT_EQ(three("p = Constant<value_int = -4>() z = SequenceErase(s, p)"),
            "model.onnx: node 3 (SequenceErase): position -4 of a sequence of 3");
  EXPECT_EQ(three("p = Constant<value_int = 4>() z = SequenceInsert(s, x, p)"),
            "model.onnx: node 3 (SequenceInsert): position 4 of a sequence of 3");
  EXPECT_EQ(three("e = SequenceEmpty() z = SequenceErase(e)"),
            "model.onnx: node 3 (SequenceErase): an empty sequence has nothing to erase");
  EXPECT_EQ(three("e = SequenceEmpty() z = ConcatFromSequence<axis = 0>(e)"),
            "model.onnx: node 3 (ConcatFromSequence): an empty sequence has no shape");
  EXPECT_EQ(three("z = Optional()"),
            "model.onnx: node 2 (Optional): there is neither an input nor attribute type");
}

TEST(Sequences, declarations) {
  auto declared = [](const std::string &type) {
    return errorOf("(float[2] x) => (" + type + " z) { z = SequenceConstruct(x) }");
  };
  EXPECT_EQ(declared("seq(float[2])"), "no error");
  EXPECT_EQ(
      declared("seq(int64[2])"),
      "model.onnx: node 1 (SequenceConstruct): output 'z' is declared as a sequence of INT64, "
      "but is a sequence of 1 float32; correct the declaration or the graph");
  EXPECT_EQ(declared("float[2]"),
            "model.onnx: node 1 (SequenceConstruct): output 'z' is declared as a tensor, but is a "
            "sequence of 1 float32; correct the declaration or the graph");
}

TEST(Sequences, pieces) {
  auto split = [](const std::string &input, const std::string &nodes) {
    return "(" + input + " x, int64 i) => (z) { " + nodes + " }";
  };
  EXPECT_EQ(run(split("float[5]", "p = Constant<value_int = 2>() z = SplitToSequence(x, p)"),
                {row({1, 2, 3, 4, 5}), Tensor(int64_t(0))}),
            (std::vector<Numbers>{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(run(split("float[5]", "p = Constant<value_ints = [4, 1]>() z = SplitToSequence(x, p)"),
                {row({1, 2, 3, 4, 5}), Tensor(int64_t(0))}),
            (std::vector<Numbers>{{1, 2, 3, 4}, {5}}));
  EXPECT_EQ(errorOf(split("float[N]", "z = SplitToSequence(x)")),
            "model.onnx: node 1 (SplitToSequence): the extent along axis 0 must be known, for it "
            "says how many pieces there are: f32[?]");
  EXPECT_EQ(
      errorOf(split("float[1000000000000]", "z = SplitToSequence(x)")),
      "model.onnx: node 1 (SplitToSequence): loops over sequences are unrolled, loops whose "
      "states change their shape are copied, and with arrays that are cut into sequences they make "
      "too many nodes (in a file of this size 8219 at most, fewer where sequences are long)");
  EXPECT_EQ(errorOf(split("float[5]", "p = Constant<value_int = 0>() z = SplitToSequence(x, p)")),
            "model.onnx: node 2 (SplitToSequence): pieces of 0 elements");
}

/// The branch that is not taken is not even read: it takes the element of an empty sequence.
TEST(Sequences, branchesOfAKnownCondition) {
  const std::string kGraph =
      "(optional(float[N]) o, float[M] x) => (y) { has = OptionalHasElement(o) y = If(has) <"
      "then_branch = t () => (float[N] a) { a = OptionalGetElement(o) }, "
      "else_branch = e () => (float[M] b) { b = Neg(x) }> }";
  EXPECT_EQ(run(kGraph, {row({1}), row({2, 3})}, {.lengths = {{"o", 1}}}),
            (std::vector<Numbers>{{1}}));
  EXPECT_EQ(run(kGraph, {row({2, 3})}, {.lengths = {{"o", OnnxInputs::kNone}}}),
            (std::vector<Numbers>{{-2, -3}}));
  EXPECT_EQ(errorOf("(optional(float[N]) o) => (y) { y = OptionalGetElement(o) }",
                    {.lengths = {{"o", OnnxInputs::kNone}}}),
            "model.onnx: node 1 (OptionalGetElement): input 0 is an optional value that is not "
            "there");
}

TEST(Sequences, branchesOfAComputedCondition) {
  auto graph = [](const std::string &other) {
    return "(bool c, float[2] x, float[2] y) => (z) { z = If(c) <"
           "then_branch = t () => (a) { a = SequenceConstruct(x, y) }, "
           "else_branch = e () => (b) { b = SequenceConstruct(" +
           other + ") }> }";
  };
  Tensor yes = Tensor(int64_t(1)).cast(DType::Bool), no = Tensor(int64_t(0)).cast(DType::Bool);
  EXPECT_EQ(run(graph("y, x"), {yes, row({1, 2}), row({3, 4})}),
            (std::vector<Numbers>{{1, 2}, {3, 4}}));
  EXPECT_EQ(run(graph("y, x"), {no, row({1, 2}), row({3, 4})}),
            (std::vector<Numbers>{{3, 4}, {1, 2}}));
  EXPECT_EQ(errorOf(graph("x")),
            "model.onnx: node 1 (If): condition must be constant, since the branches give a "
            "sequence of 2 float32 and a sequence of 1 float32");
}

/// A loop that appends x to a sequence and gives it times the number of the step.
std::string loop(const std::string &count, const std::string &condition) {
  return "(float[2] x, int64 n, bool c) => (s, y) { e = SequenceEmpty() one = Constant<value_int = "
         "1>() " +
         count + " s, y = Loop(" + (count.empty() ? "n" : "m") +
         ", c0, e) <body = b (int64 i, bool go, seq(float[2]) t) => (bool again, seq(float[2]) u, "
         "float[2] v) { u = SequenceInsert(t, x) f = Cast<to = 1>(i) v = Mul(x, f) " +
         condition + " }> }";
}

/// Steps without a bound: the sum of 0 to i is added to x while it is below n.
TEST(Sequences, loopsWithoutABound) {
  const std::string graph =
      "(float[2] x, int64 n, bool c) => (y, t) { zero = Constant<value_int = 0>() t, y = "
      "Loop(omitted, c, "
      "zero, x) <body = b (int64 i, bool go, int64 s, float[2] v) => (bool again, int64 u, "
      "float[2] "
      "w) { u = Add(s, i) again = Less(u, n) f = Cast<to = 1>(u) w = Add(v, f) }> }";
  const Tensor yes = Tensor(int64_t(1)).cast(DType::Bool),
               no = Tensor(int64_t(0)).cast(DType::Bool);
  // u is 0, 1, 3, 6, 10.
  EXPECT_EQ(run(graph, {row({1, 2}), Tensor(int64_t(10)), yes}),
            (std::vector<Numbers>{{21, 22}, {10}}));
  EXPECT_EQ(run(graph, {row({1, 2}), Tensor(int64_t(-5)), yes}),
            (std::vector<Numbers>{{1, 2}, {0}}));
  EXPECT_EQ(run(graph, {row({1, 2}), Tensor(int64_t(10)), no}),
            (std::vector<Numbers>{{1, 2}, {0}}));
}

/// What exporters write for "as long as the condition says", or a number nobody knows before the
/// call, or none: no memory for steps that do not come. Results of all steps are as many as ran.
TEST(Sequences, loopsWithAHugeBound) {
  const Tensor most = Tensor(std::numeric_limits<int64_t>::max()), few = Tensor(int64_t(3));
  auto graph = [](const std::string &bound, const std::string &result) {
    return "(float[2] x, int64 n, int64 m) => (t, y" + std::string(result.empty() ? "" : ", all") +
           ") { zero = Constant<value_int = 0>() yes = Constant<value = bool {1}>() huge = "
           "Constant<value_int = 9223372036854775807>() t, y" +
           std::string(result.empty() ? "" : ", all") + " = Loop(" + bound +
           ", yes, zero, x) <body = b (int64 i, bool go, int64 s, float[2] v) => (bool again, "
           "int64 u, float[2] w" +
           result +
           ") { u = Add(s, i) again = Less(u, n) f = Cast<to = 1>(u) w = Add(v, f) r = Mul(w, f) "
           "}> }";
  };
  // u is 0, 1, 3, 6, 10; w is x + 0, 1, 4, 10, 20.
  const std::vector<Numbers> last = {{10}, {21, 22}};
  const std::vector<Numbers> all = {{10}, {21, 22}, {0, 0, 2, 3, 15, 18, 66, 72, 210, 220}};
  for (const char *bound : {"huge", "m", "omitted"}) {
    std::vector<Tensor> inputs = {row({1, 2}), Tensor(int64_t(10)), most};
    EXPECT_EQ(run(graph(bound, ""), inputs), last) << bound;
    EXPECT_EQ(run(graph(bound, ", float[2] r"), inputs), all) << bound;
  }
  EXPECT_EQ(run(graph("m", ", float[2] r"), {row({1, 2}), Tensor(int64_t(10)), few}),
            (std::vector<Numbers>{{3}, {5, 6}, {0, 0, 2, 3, 15, 18}}));
  EXPECT_EQ(
      run(graph("m", ", float[2] r"), {row({1, 2}), Tensor(int64_t(10)), Tensor(int64_t(-1))}),
      (std::vector<Numbers>{{0}, {1, 2}, {}}));
}

/// The condition stays: as many steps as the bound says, whose numbers are no array.
TEST(Sequences, loopsThatCount) {
  for (const char *again : {"again = Identity(go)", "again = Constant<value = bool {1}>()"}) {
    const std::string graph =
        "(int64 m) => (t) { zero = Constant<value_int = 0>() yes = Constant<value = bool {1}>() "
        "t = Loop(m, yes, zero) <body = b (int64 i, bool go, int64 s) => (bool again, int64 u) { "
        "u = Add(s, i) " +
        std::string(again) + " }> }";
    EXPECT_EQ(run(graph, {Tensor(int64_t(5))}), (std::vector<Numbers>{{10}}));
    EXPECT_EQ(run(graph, {Tensor(int64_t(0))}), (std::vector<Numbers>{{0}}));
    EXPECT_EQ(run(graph, {Tensor(int64_t(-5))}), (std::vector<Numbers>{{0}}));
  }
}

/// Another state's shape changes, so that the loop has more states than the model's.
TEST(Sequences, loopsCallStatesByTheirNumbers) {
  auto errorOf = [](const std::string &type, const std::string &next) {
    return error(loaded(
        "(float[a] x, float[b] y) => (r, t) { yes = Constant<value = bool {1}>() ten = "
        "Constant<value_int = 10>() zero = Constant<value_ints = [0]>() r, t = Loop(ten, yes, x, "
        "y) <body = d (int64 i, bool go, float[] k, float[] s) => (bool again, float[] l, " +
        type + "[] u) { again = Identity(go) l = Concat<axis = 0>(k, k) u = " + next + " }> }"));
  };
  const std::string loop = "model.onnx: node 4 (Loop): state 1 is f32[?] before a step and ",
                    keeps = " after it; a state keeps its dtype and its rank";
  EXPECT_EQ(errorOf("float", "Unsqueeze(s, zero)"), loop + "f32[1,?]" + keeps);
  EXPECT_EQ(errorOf("int64", "Cast<to = 7>(s)"), loop + "i64[?]" + keeps);
  EXPECT_EQ(errorOf("float", "Neg(s)"), "no error");
}

// A state that is the one before of another, which grows, has that one's shapes: of no step's but
// the first one it is as it was.
TEST(Sequences, statesFollowGrowingOnes) {
  EXPECT_EQ(
      run("(float[1] x, float[1] y) => (r, t) { yes = Constant<value = bool {1}>() four = "
          "Constant<value_int = 4>() one = Constant<value = float[1] {7}>() r, t = Loop(four, "
          "yes, x, y) <body = d (int64 i, bool go, float[] k, float[] s) => (bool again, "
          "float[] l, float[] u) { again = Identity(go) l = Identity(s) u = "
          "Concat<axis = 0>(s, one) }> }",
          {row({1}), row({2})}),
      (std::vector<Numbers>{{2, 7, 7, 7}, {2, 7, 7, 7, 7}}));
}

// Each level of growing loops has copies of those within.
TEST(Sequences, nestsOfGrowingLoopsAreBounded) {
  auto nested = [](int depth) {
    std::string body = "z0 = Concat<axis = 0>(s, s)";
    for (int level = 0; level < depth; ++level) {
      const std::string k = std::to_string(level), next = std::to_string(level + 1);
      body = "z" + next + " = Loop(two, yes, s) <body = d" + k + " (int64 i" + k + ", bool go" + k +
             ", float[] s) => (bool again" + k + ", float[] z" + k + ") { again" + k +
             " = Identity(go" + k + ") " + body + " }>";
    }
    return "(float[1] s) => (z" + std::to_string(depth) +
           ") { yes = Constant<value = bool {1}>() two = Constant<value_int = 2>() " + body + " }";
  };
  EXPECT_EQ(run(nested(2), {row({3})}), (std::vector<Numbers>{Numbers(16, 3)}));
  EXPECT_THAT(error(loaded(nested(14))),
              ::testing::HasSubstr("loops whose states change their shape are copied"));
}

TEST(Sequences, loopsAreUnrolled) {
  auto withCondition = [](std::string graph, const std::string &value) {
    size_t at = graph.find("s, y = Loop");
    return graph.insert(at, "c0 = Constant<value = bool {" + value + "}>() ");
  };
  std::vector<Tensor> inputs = {row({1, 2}), Tensor(int64_t(7)),
                                Tensor(int64_t(1)).cast(DType::Bool)};
  const std::string kThree = "m = Constant<value_int = 3>()", kKeep = "again = Identity(go)";
  EXPECT_EQ(run(withCondition(loop(kThree, kKeep), "1"), inputs),
            (std::vector<Numbers>{{1, 2}, {1, 2}, {1, 2}, {0, 0, 1, 2, 2, 4}}));
  // Until i >= 1, which is known in each step.
  EXPECT_EQ(run(withCondition(loop(kThree, "again = Less(i, one)"), "1"), inputs),
            (std::vector<Numbers>{{1, 2}, {1, 2}, {0, 0, 1, 2}}));
  auto none = loaded(withCondition(loop(kThree, kKeep), "0"));
  ASSERT_TRUE(none.ok()) << none.status();
  ASSERT_EQ(none->outputs.size(), 1u);
  EXPECT_EQ(none->outputs[0].type().brief(), "f32[0,2]");
  EXPECT_EQ(errorOf(withCondition(loop("", kKeep), "1")),
            "model.onnx: node 4 (Loop): the number of steps must be constant in a loop over "
            "sequences, which is unrolled");
  // One value, whatever its rank.
  auto after = [&](const std::string &value) {
    std::string graph =
        withCondition(loop(kThree, "again = Constant<value = " + value + ">()"), "1");
    return graph.replace(graph.find("bool again"), 10, "again");
  };
  EXPECT_EQ(run(after("bool[1] {0}"), inputs), (std::vector<Numbers>{{1, 2}, {0, 0}}));
  EXPECT_EQ(errorOf(after("bool[2] {1, 1}")),
            "model.onnx: node 5 (Loop): the condition after step 0 must be one value, is i1[2]");
  EXPECT_EQ(errorOf(withCondition(loop(kThree, "again = Identity(c)"), "1")),
            "model.onnx: node 5 (Loop): the condition after step 0 must be constant in a loop over "
            "sequences, which is unrolled");
  EXPECT_EQ(
      errorOf(withCondition(loop("m = Constant<value_int = 1000000000>()", kKeep), "1")),
      "model.onnx: node 5 (Loop): attribute body: node 1 (SequenceInsert): loops over "
      "sequences are "
      "unrolled, loops whose states change their shape are copied, and with arrays that are cut "
      "into sequences they make too many nodes (in a file of this size 8312 at most, fewer "
      "where sequences are long)");
}

TEST(Sequences, maps) {
  auto graph = [](const std::string &second) {
    return "(seq(float[N]) s, " + second +
           " o, float[M] x) => (t, u) { t, u = SequenceMap(s, o) <"
           "body = b (float[N] a, float[K] c) => (float[N] d, float[L] e) { d = Mul(a, x) e = "
           "Concat<axis = 0>(a, c) }> }";
  };
  Tensor x = row({10}), one = row({1}), two = row({2}), three = row({3});
  onnx::ModelProto model = parsed(graph("seq(float[N])"), 17);
  auto module = loadModel(model, {.lengths = {{"s", 2}, {"o", 2}}});
  ASSERT_TRUE(module.ok()) << module.status();
  auto values = evaluate(module->outputs, module->inputs, {one, two, three, one, x});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[1], row({20}));
  EXPECT_EQ((*values)[2], row({1, 3}));
  EXPECT_EQ(error(loadModel(model, {.lengths = {{"s", 2}, {"o", 1}}})),
            "model.onnx: node 1 (SequenceMap): sequences of 2 and 1 elements");
  onnx::ModelProto optional = parsed(graph("optional(float[N])"), 17);
  EXPECT_EQ(error(loadModel(optional, {.lengths = {{"s", 2}, {"o", OnnxInputs::kNone}}})),
            "model.onnx: node 1 (SequenceMap): input 1 must be a tensor or a sequence, is an "
            "optional value that is not there");
  EXPECT_EQ(error(loadModel(optional, {.lengths = {{"s", 2}, {"o", 1}}})),
            "model.onnx: node 1 (SequenceMap): input 1 must be a tensor or a sequence, is an "
            "optional value of f32[?]");
  EXPECT_EQ(loadModel(model, {.lengths = {{"s", 0}, {"o", 0}}})->outputs.size(), 0u);
  EXPECT_EQ(error(loadModel(parsed("(seq(float[N]) s) => (t) { t = SequenceMap(s) <body = b "
                                   "(float[N] a) => (d) { d = SequenceConstruct(a) }> }",
                                   17),
                            {.lengths = {{"s", 1}}})),
            "model.onnx: node 1 (SequenceMap): attribute body: output 0 is a sequence of 1 float32 "
            "where there must be a tensor");
}

//===--- training -------------------------------------------------------------------===//

std::string training(const std::string &inputs, const std::string &node) {
  return "(" + inputs + ") => (y) { y = ai.onnx.preview.training." + node + " }";
}

TEST(Training, errors) {
  const std::string kInputs = "float r, int64 t, float[2] x, float[2] g, float[2] v";
  EXPECT_EQ(errorOf(training(kInputs, "Adam(r, t, x, g, v)")),
            "model.onnx: node 1 (Adam): has 5 inputs where there must be R, T and 4 for each "
            "tensor");
  const std::string kAll = "alpha = 0.9, beta = 0.5, norm_coefficient = 0.1";
  EXPECT_EQ(errorOf(training(kInputs, "Momentum<" + kAll + ">(r, t, x, g, v)")),
            "model.onnx: node 1 (Momentum): attribute mode is missing");
  EXPECT_EQ(errorOf(training(kInputs, "Momentum<" + kAll + ", mode = \"fast\">(r, t, x, g, v)")),
            "model.onnx: node 1 (Momentum): attribute mode is 'fast'");
}

TEST(Training, gradients) {
  auto graph = [](const std::string &attributes, const std::string &inputs) {
    return "(float[2] x, float[2] z) => (d) { u = Mul(x, x) w = Mul(u, z) y = "
           "ReduceSum<keepdims = 0>(w) d = ai.onnx.preview.training.Gradient<" +
           attributes + ">(" + inputs + ") }";
  };
  std::vector<Tensor> inputs = {row({1, 2}), row({3, 5})};
  // The derivative of sum(x^2 z).
  EXPECT_EQ(run(graph("xs = [\"x\"], y = \"y\"", "x"), inputs), (std::vector<Numbers>{{6, 20}}));
  // At other values than the model's.
  EXPECT_EQ(run(graph("xs = [\"x\"], zs = [\"z\"], y = \"y\"", "z, x"), inputs),
            (std::vector<Numbers>{{2 * 3 * 1, 2 * 5 * 2}}));
  // u does not move with x where both are independent: y = sum(u z).
  EXPECT_EQ(run(graph("xs = [\"x\"], zs = [\"u\"], y = \"y\"", "x, u"), inputs),
            (std::vector<Numbers>{{0, 0}}));
  EXPECT_EQ(errorOf(graph("y = \"y\"", "x")),
            "model.onnx: node 4 (Gradient): attributes xs and y must be given");
  EXPECT_EQ(errorOf(graph("xs = [\"x\"], y = \"y\"", "x, z")),
            "model.onnx: node 4 (Gradient): has 2 inputs for 1 names in xs and zs");
  EXPECT_EQ(errorOf(graph("xs = [\"q\"], y = \"y\"", "x")),
            "model.onnx: node 4 (Gradient): 'q' is no tensor that is computed before");
  EXPECT_EQ(errorOf(graph("xs = [\"x\"], y = \"w\"", "x")),
            "model.onnx: node 4 (Gradient): the gradient of 'w', which is no scalar: f32[2]");
}

} // namespace
} // namespace graphc::test
