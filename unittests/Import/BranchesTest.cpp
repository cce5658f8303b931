//===- BranchesTest.cpp - If whose branches differ in rank; nodes in any order ----===//
//
// As PyTorch writes squeeze: If an axis is 1 long, Squeeze, else Identity.
//
//===----------------------------------------------------------------------===//
#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using testing::EndsWith;

void addBranch(onnx::NodeProto &node, const std::string &name, const std::string &op,
               const std::vector<std::string> &inputs, const std::string &output) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::NodeProto &inner = *attribute.mutable_g()->add_node();
  inner.set_op_type(op);
  for (const std::string &input : inputs)
    inner.add_input(input);
  inner.add_output(output);
  attribute.mutable_g()->add_output()->set_name(output);
}

/// y is x without axis 1 if `isOne`, else x.
void addChoice(onnx::ModelProto &model) {
  onnx::NodeProto &choice = addNode(model, "If", {"isOne"}, {"y"});
  choice.set_name("choice");
  addBranch(choice, "then_branch", "Squeeze", {"x", "one"}, "squeezed");
  addBranch(choice, "else_branch", "Identity", {"x"}, "same");
  addOutput(model, "y");
}

std::string typeOfSqueezed(std::vector<int64_t> shape) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", shape);
  addInts(model, "one", {1});
  addNode(model, "Shape", {"x"}, {"shape"});
  addNode(model, "Gather", {"shape", "one"}, {"extent"});
  addNode(model, "Equal", {"extent", "one"}, {"isOne"});
  addChoice(model);
  auto module = loadModel(model);
  return module.ok() ? module->outputs[0].type().text() : error(module);
}

TEST(Branches, ofAKnownConditionAreNotCompared) {
  EXPECT_EQ(typeOfSqueezed({-1, 1, 4}), "tensor<?x4xf32>");
  EXPECT_EQ(typeOfSqueezed({-1, 3, 4}), "tensor<?x3x4xf32>");
  EXPECT_EQ(typeOfSqueezed({2, -1, 4}), "tensor<2x4xf32>"); // as the next test says
}

/// then_branch is meant, which is looked at when the model runs.
TEST(Branches, ofAnUnknownConditionAreTheFirstIfTheirRanksDiffer) {
  onnx::ModelProto proto = makeModel(13);
  addInput(proto, "x", {2, 1, 4});
  addInput(proto, "isOne", {}, onnx::TensorProto::BOOL);
  addInts(proto, "one", {1});
  addChoice(proto);
  auto model = loadModel(proto);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->outputs[0].rank(), 2);
  Tensor x = *Tensor::zeros(DType::Float32, {2, 1, 4});
  for (const char *mode : {"interpreter", "fast_run"}) {
    auto f = function(*model, {.mode = mode});
    ASSERT_TRUE(f.ok()) << f.status();
    auto y = (*f)(x, Tensor(1).cast(DType::Bool));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0].shape(), (std::vector<int64_t>{2, 4}));
    absl::Status wrong = (*f)(x, Tensor(0).cast(DType::Bool)).status();
    EXPECT_EQ(errorKind(wrong), ErrorKind::ValueError);
    EXPECT_THAT(
        std::string(wrong.message()),
        testing::StartsWith("assert: the condition is false, but the result was taken to be "
                            "then_branch's, of rank 2; else_branch's has rank 3"));
    EXPECT_THAT(errorPlace(wrong).value_or(Place()).str(), EndsWith("node 1 (If \"choice\")"));
  }
}

/// As converters to float16 leave them, with the cast of an input last; within a branch, too.
TEST(NodeOrder, isFound) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  addInts(model, "one", {1});
  onnx::NodeProto &choice = addNode(model, "If", {"condition"}, {"y"});
  addBranch(choice, "then_branch", "Neg", {"wide"}, "negative");
  addBranch(choice, "else_branch", "Identity", {"x"}, "same");
  addNode(model, "Mul", {"x", "three"}, {"wide"});
  addNode(model, "Cast", {"truth"}, {"condition"}).set_name("late");
  setInt(*model.mutable_graph()->mutable_node(2), "to", onnx::TensorProto::BOOL);
  model.mutable_graph()->mutable_node(2)->mutable_attribute(0)->set_type(onnx::AttributeProto::INT);
  addNode(model, "Identity", {"one"}, {"truth"});
  addNode(model, "Add", {"x", "x"}, {"three"});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  auto values = evaluate(module->outputs, module->inputs, {Tensor({1, 3}).cast(DType::Float32)});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(difference((*values)[0], Tensor({-2, -18}).cast(DType::Float32), 0, 0), "");
}

TEST(NodeOrder, ofACycleIsNone) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {2});
  addNode(model, "Add", {"x", "b"}, {"a"});
  addNode(model, "Neg", {"a"}, {"b"});
  addOutput(model, "b");
  EXPECT_THAT(std::string(loadModel(model).status().message()),
              EndsWith("node 2 (Neg): 'a' is used before anything defines it"));
}

} // namespace
} // namespace graphc::test
