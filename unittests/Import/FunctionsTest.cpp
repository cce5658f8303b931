//===- FunctionsTest.cpp - functions that models define ----------------------===//
#include <google/protobuf/unknown_field_set.h>

#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using testing::HasSubstr;

// Fields that the message of the library in hand has not.
constexpr int kOverloadOfNode = 8, kAttributeProtoOfFunction = 11, kOverloadOfFunction = 13;

void addText(google::protobuf::UnknownFieldSet *fields, int number, const std::string &text) {
  fields->AddLengthDelimited(number, text);
}

/// A model y = f(x) of vectors, whose functions tests add.
onnx::ModelProto callingModel(int opset = 17) {
  onnx::ModelProto model = makeModel(opset);
  model.add_opset_import()->set_domain("my");
  model.mutable_opset_import(1)->set_version(1);
  addInput(model, "x", {3});
  addOutput(model, "y");
  return model;
}

onnx::FunctionProto &addFunction(onnx::ModelProto &model, const std::string &name,
                                 std::vector<std::string> inputs,
                                 std::vector<std::string> outputs) {
  onnx::FunctionProto &function = *model.add_functions();
  function.set_domain("my");
  function.set_name(name);
  for (const std::string &input : inputs)
    function.add_input(input);
  for (const std::string &output : outputs)
    function.add_output(output);
  return function;
}

onnx::NodeProto &addStep(onnx::FunctionProto &function, const std::string &op,
                         std::vector<std::string> inputs, std::vector<std::string> outputs) {
  onnx::NodeProto &node = *function.add_node();
  node.set_op_type(op);
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  return node;
}

onnx::NodeProto &call(onnx::ModelProto &model, const std::string &name,
                      std::vector<std::string> inputs, std::vector<std::string> outputs) {
  onnx::NodeProto &node = addNode(model, name, std::move(inputs), std::move(outputs));
  node.set_domain("my");
  return node;
}

void refer(onnx::NodeProto &node, const std::string &name, const std::string &to,
           onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_ref_attr_name(to);
  attribute.set_type(type);
}

void setFloat(onnx::NodeProto &node, const std::string &name, float value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
}

/// The first output for x = (-1, 0, 2).
Tensor run(const onnx::ModelProto &model) {
  auto module = loadModel(model);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return Tensor(0.0);
  auto results =
      evaluate(module->outputs, module->inputs, {Tensor({-1, 0, 2}).cast(DType::Float32)});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : Tensor(0.0);
}

Tensor f32(const Tensor &values) { return values.cast(DType::Float32); }

TEST(Functions, callEachOther) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &twice = addFunction(model, "Twice", {"a"}, {"b"});
  addStep(twice, "Add", {"a", "a"}, {"b"});
  onnx::FunctionProto &four = addFunction(model, "Four", {"a"}, {"b"});
  addStep(four, "Twice", {"a"}, {"x"}).set_domain("my"); // x is the function's own
  addStep(four, "Twice", {"x"}, {"b"}).set_domain("my");
  call(model, "Four", {"x"}, {"z"});
  call(model, "Twice", {"z"}, {"y"});
  EXPECT_EQ(run(model), f32(Tensor({-8, 0, 16})));
}

/// A call's attribute, the function's default, and the node's own where there is neither.
TEST(Functions, haveAttributes) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &leak = addFunction(model, "Leak", {"a"}, {"b"});
  leak.add_attribute("slope");
  refer(addStep(leak, "LeakyRelu", {"a"}, {"b"}), "alpha", "slope", onnx::AttributeProto::FLOAT);
  onnx::NodeProto &node = call(model, "Leak", {"x"}, {"y"});
  EXPECT_EQ(run(model), f32(Tensor({-0.01f, 0, 2})));
  setFloat(node, "slope", 0.5f);
  EXPECT_EQ(run(model), f32(Tensor({-0.5, 0, 2})));

  node.clear_attribute();
  onnx::AttributeProto standard;
  standard.set_name("slope");
  standard.set_type(onnx::AttributeProto::FLOAT);
  standard.set_f(0.25f);
  model.mutable_functions(0)->clear_attribute();
  addText(model.mutable_functions(0)->mutable_unknown_fields(), kAttributeProtoOfFunction,
          standard.SerializeAsString());
  EXPECT_EQ(run(model), f32(Tensor({-0.25, 0, 2})));
  setFloat(node, "slope", 2);
  EXPECT_EQ(run(model), f32(Tensor({-2, 0, 2})));
}

/// In graphs within a function, too, which see its values.
TEST(Functions, haveAttributesInTheirGraphs) {
  onnx::ModelProto model = callingModel();
  addInput(model, "c", {}, onnx::TensorProto::BOOL);
  onnx::TensorProto &yes = *model.mutable_graph()->add_initializer();
  yes.set_name("c");
  yes.set_data_type(onnx::TensorProto::BOOL);
  yes.add_int32_data(1);
  onnx::FunctionProto &choose = addFunction(model, "Choose", {"c", "a"}, {"b"});
  choose.add_attribute("slope");
  onnx::NodeProto &choice = addStep(choose, "If", {"c"}, {"b"});
  for (const char *name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto &attribute = *choice.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto &node = *attribute.mutable_g()->add_node();
    node.set_op_type("LeakyRelu");
    node.add_input("a");
    node.add_output("r");
    refer(node, "alpha", "slope", onnx::AttributeProto::FLOAT);
    attribute.mutable_g()->add_output()->set_name("r");
  }
  setFloat(call(model, "Choose", {"c", "x"}, {"y"}), "slope", 0.5f);
  EXPECT_EQ(run(model), f32(Tensor({-0.5, 0, 2})));
}

TEST(Functions, haveInputsAndOutputsThatAreLeftOut) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &clip = addFunction(model, "Between", {"a", "low", "high"}, {"b", "c"});
  addStep(clip, "Clip", {"a", "low", "high"}, {"b"});
  addStep(clip, "Neg", {"b"}, {"c"});
  onnx::TensorProto &one = *model.mutable_graph()->add_initializer();
  one.set_name("one");
  one.set_data_type(onnx::TensorProto::FLOAT);
  one.add_float_data(1);
  call(model, "Between", {"x", "", "one"}, {"y"});
  EXPECT_EQ(run(model), f32(Tensor({-1, 0, 1})));
  *model.mutable_graph()->mutable_node(0)->mutable_output(0) = "";
  model.mutable_graph()->mutable_node(0)->add_output("y");
  EXPECT_EQ(run(model), f32(Tensor({1, 0, -1})));
  model.mutable_graph()->mutable_node(0)->mutable_input()->DeleteSubrange(1, 2);
  EXPECT_EQ(run(model), f32(Tensor({1, 0, -2})));
}

/// Hardmax of set 11 joins axes, that of set 13 does not.
TEST(Functions, haveTheirOwnVersionOfOperators) {
  onnx::ModelProto model = callingModel(17);
  onnx::FunctionProto &old = addFunction(model, "Old", {"a"}, {"b"});
  onnx::NodeProto &clip = addStep(old, "Clip", {"a"}, {"b"});
  setFloat(clip, "max", 1);
  call(model, "Old", {"x"}, {"y"});
  EXPECT_THAT(error(loadModel(model)), HasSubstr("there is no attribute 'max' in version 17"));
  onnx::OperatorSetIdProto &own = *model.mutable_functions(0)->add_opset_import();
  own.set_version(6);
  EXPECT_EQ(run(model), f32(Tensor({-1, 0, 1})));
  own.set_version(99);
  EXPECT_THAT(error(loadModel(model)),
              HasSubstr("function my.Old: is written for version 99 of ONNX's operators; 1 to 26 "
                        "are known: convert it to version 26, the nearest"));
}

TEST(Functions, haveOverloads) {
  onnx::ModelProto model = callingModel();
  for (const char *op : {"Neg", "Abs"}) {
    onnx::FunctionProto &function = addFunction(model, "F", {"a"}, {"b"});
    addText(function.mutable_unknown_fields(), kOverloadOfFunction, op);
    addStep(function, op, {"a"}, {"b"});
  }
  onnx::NodeProto &node = call(model, "F", {"x"}, {"y"});
  EXPECT_THAT(error(loadModel(model)),
              HasSubstr("uses operators that have no translation: my.F (1)"));
  addText(node.mutable_unknown_fields(), kOverloadOfNode, "Abs");
  EXPECT_EQ(run(model), f32(Tensor({1, 0, 2})));
}

TEST(Functions, mayReplaceOnnxsOperators) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &function = addFunction(model, "Relu", {"a"}, {"b"});
  function.set_domain("");
  addStep(function, "Neg", {"a"}, {"b"});
  addNode(model, "Relu", {"x"}, {"y"}).set_domain("ai.onnx");
  EXPECT_EQ(run(model), f32(Tensor({1, 0, -2})));
}

/// 400 calls of ten nodes each, in a file without weights.
TEST(Functions, areCalledOften) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &again = addFunction(model, "Again", {"v0"}, {"v10"});
  for (int i = 0; i < 10; ++i)
    addStep(again, "Neg", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  constexpr int kCalls = 400;
  for (int i = 0; i < kCalls; ++i)
    call(model, "Again", {i ? "x" + std::to_string(i) : "x"},
         {i + 1 < kCalls ? "x" + std::to_string(i + 1) : "y"});
  EXPECT_EQ(run(model), f32(Tensor({-1, 0, 2})));
}

TEST(FunctionErrors, recursion) {
  onnx::ModelProto model = callingModel();
  for (auto [own, other] : {std::pair("F", "G"), std::pair("G", "F")})
    addStep(addFunction(model, own, {"a"}, {"b"}), other, {"a"}, {"b"}).set_domain("my");
  call(model, "F", {"x"}, {"y"});
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: node 1 (F): function my.F: node 1 (G): function my.G: node 1 (F): "
            "function my.F calls itself; ONNX's functions must not");
}

/// Each calls the one before ten times: 10^9 nodes in a file of some kilobytes.
TEST(FunctionErrors, expansionIsBounded) {
  onnx::ModelProto model = callingModel();
  addStep(addFunction(model, "F0", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
  for (int k = 1; k < 10; ++k) {
    onnx::FunctionProto &function = addFunction(model, "F" + std::to_string(k), {"v0"}, {"v10"});
    for (int i = 0; i < 10; ++i)
      addStep(function, "F" + std::to_string(k - 1), {"v" + std::to_string(i)},
              {"v" + std::to_string(i + 1)})
          .set_domain("my");
  }
  call(model, "F9", {"x"}, {"y"});
  auto module = loadModel(model);
  EXPECT_EQ(errorKind(module.status()), ErrorKind::NotSupported);
  std::string message = error(module);
  EXPECT_EQ(message.substr(message.find("calls of")),
            "calls of the model's functions come to more than 64 times the file and 8192 nodes; "
            "inline them in the file (onnx.inliner.inline_local_functions does), or call fewer "
            "from each other");
}

/// 16 KiB of a call, in each of a thousand nodes.
TEST(FunctionErrors, attributesAreBounded) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &function = addFunction(model, "F", {"a"}, {"b"});
  function.add_attribute("text");
  for (int i = 0; i < 1000; ++i)
    refer(addStep(function, "Neg", {"a"}, {i ? "b" + std::to_string(i) : "b"}), "__text", "text",
          onnx::AttributeProto::STRING);
  onnx::AttributeProto &text = *call(model, "F", {"x"}, {"y"}).add_attribute();
  text.set_name("text");
  text.set_type(onnx::AttributeProto::STRING);
  text.set_s(std::string(16384, 't'));
  EXPECT_THAT(error(loadModel(model)), HasSubstr("come to more than 64 times the file"));
}

TEST(FunctionErrors, depthIsBounded) {
  onnx::ModelProto model = callingModel();
  addStep(addFunction(model, "F0", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
  for (int k = 1; k < 70; ++k)
    addStep(addFunction(model, "F" + std::to_string(k), {"a"}, {"b"}), "F" + std::to_string(k - 1),
            {"a"}, {"b"})
        .set_domain("my");
  call(model, "F69", {"x"}, {"y"});
  std::string calls = "model.onnx: ";
  for (int k = 69; k > 5; --k)
    calls += "node 1 (F" + std::to_string(k) + "): function my.F" + std::to_string(k) + ": ";
  EXPECT_EQ(error(loadModel(model)), calls + "node 1 (F5): function my.F5 is called within 64 "
                                             "other calls and graphs; put fewer into each other");
}

// What is read stands on the stack, calls and branches alike.
TEST(FunctionErrors, depthIsThatOfCallsAndGraphs) {
  onnx::ModelProto model = callingModel();
  addInput(model, "choice", {}, onnx::TensorProto::BOOL);
  addStep(addFunction(model, "F0", {"a", "c"}, {"b"}), "Neg", {"a"}, {"b"});
  constexpr int kGraphs = 10, kFunctions = 8;
  for (int k = 1; k < kFunctions; ++k) {
    onnx::FunctionProto &function = addFunction(model, "F" + std::to_string(k), {"a", "c"}, {"b"});
    onnx::NodeProto *node = &addStep(function, "If", {"c"}, {"b"});
    for (int level = 1; level <= kGraphs; ++level) {
      onnx::GraphProto *last = nullptr;
      for (const char *name : {"else_branch", "then_branch"}) {
        onnx::AttributeProto &branch = *node->add_attribute();
        branch.set_name(name);
        branch.set_type(onnx::AttributeProto::GRAPH);
        last = branch.mutable_g();
        last->add_output()->set_name(name);
        onnx::NodeProto &same = *last->add_node();
        same.set_op_type("Identity");
        same.add_input("a");
        same.add_output(name);
      }
      node = last->mutable_node(0);
      node->set_op_type(level < kGraphs ? "If" : "F" + std::to_string(k - 1));
      node->set_domain(level < kGraphs ? "" : "my");
      node->set_input(0, level < kGraphs ? "c" : "a");
      if (level == kGraphs)
        node->add_input("c");
    }
  }
  const std::string tooDeep = "called within 64 other calls and graphs; put fewer into each other";
  call(model, "F5", {"x", "choice"}, {"y"}); // 55 readers around F0's
  EXPECT_EQ(error(loadModel(model)), "no error");
  model.mutable_graph()->mutable_node(0)->set_op_type("F7");
  EXPECT_THAT(error(loadModel(model)), HasSubstr(tooDeep));
}

TEST(FunctionErrors, ofCalls) {
  onnx::ModelProto model = callingModel();
  onnx::FunctionProto &function = addFunction(model, "F", {"a"}, {"b"});
  function.add_attribute("slope");
  addStep(function, "Neg", {"a"}, {"b"});
  onnx::NodeProto &node = call(model, "F", {"x"}, {"y"});
  setFloat(node, "slop", 1);
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (F): function my.F has no attribute "
                                     "'slop'; did you mean 'slope'?");
  node.clear_attribute();
  node.add_input("x");
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (F): has 2 inputs; function my.F has 1");
  node.mutable_input()->RemoveLast();
  node.add_output("z");
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (F): has 2 outputs; function my.F has 1");
  node.mutable_output()->RemoveLast();
  *function.mutable_node(0)->mutable_output(0) = "c";
  EXPECT_EQ(error(loadModel(model)), "model.onnx: node 1 (F): function my.F: output 'b' is "
                                     "computed by no node");
  addFunction(model, "F", {"a"}, {"b"});
  EXPECT_EQ(error(loadModel(model)), "model.onnx: defines function my.F twice");
}

/// Operators of functions that are called, once each however often, and no others.
TEST(FunctionErrors, operatorsWithoutTranslation) {
  onnx::ModelProto model = callingModel();
  addStep(addFunction(model, "F", {"a"}, {"b"}), "Rellu", {"a"}, {"b"});
  addStep(addFunction(model, "G", {"a"}, {"b"}), "Bogus", {"a"}, {"b"});
  call(model, "F", {"x"}, {"z"});
  call(model, "F", {"z"}, {"y"});
  EXPECT_EQ(error(loadModel(model)), "model.onnx: uses operators that have no translation: Rellu "
                                     "(1; did you mean 'Relu'?)");
}

} // namespace
} // namespace graphc::test
