//===- BatchedScanTest.cpp - Scan of set 8 --------------------------------------===//
#include "Eval/Evaluate.h"
#include "Import/OnnxModels.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

/// Running sums of each element of a batch, whose lengths may be given: the states start at 0 and
/// 100.
std::vector<Tensor> runningSums(bool withLengths, bool backwards) {
  onnx::ModelProto model = makeModel(8);
  addInput(model, "lengths", {2}, onnx::TensorProto::INT64);
  addInput(model, "initial", {2, 1});
  addInput(model, "x", {2, -1, 1});
  onnx::NodeProto &node =
      addNode(model, "Scan", {withLengths ? "lengths" : "", "initial", "x"}, {"last", "all"});
  setInt(node, "num_scan_inputs", 1);
  if (backwards)
    setInts(node, "directions", {1});
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto &body = *attribute.mutable_g();
  for (const char *name : {"sum", "element"}) {
    body.add_input()->set_name(name);
    setType(*body.mutable_input()->rbegin(), {1});
  }
  onnx::NodeProto &add = *body.add_node();
  add.set_op_type("Add");
  add.add_input("sum");
  add.add_input("element");
  add.add_output("next");
  for (int k = 0; k < 2; ++k)
    body.add_output()->set_name("next");
  addOutput(model, "last");
  addOutput(model, "all");
  auto module = loadModel(model);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok())
    return {Tensor(0.0), Tensor(0.0)};
  Tensor x = *Tensor({1, 2, 3, 10, 20, 30}).cast(DType::Float32).reshape({2, 3, 1});
  Tensor initial = *Tensor({0, 100}).cast(DType::Float32).reshape({2, 1});
  auto results =
      evaluate(module->outputs, module->inputs, {Tensor({2, 3}, DType::Int64), initial, x});
  EXPECT_TRUE(results.ok()) << results.status();
  Variable gradient = grad(sum(module->outputs[0]), module->inputs[2]);
  EXPECT_TRUE(gradient.ok()) << gradient.status();
  return results.ok() ? *results : std::vector<Tensor>{Tensor(0.0), Tensor(0.0)};
}

Tensor f32(std::vector<double> values, std::vector<int64_t> shape) {
  return Tensor::fromSpan(absl::MakeConstSpan(values), shape)->cast(DType::Float32);
}

TEST(BatchedScan, ofWholeSequences) {
  std::vector<Tensor> y = runningSums(false, false);
  EXPECT_EQ(y[0], f32({6, 160}, {2, 1}));
  EXPECT_EQ(y[1], f32({1, 3, 6, 110, 130, 160}, {2, 3, 1}));
}

/// What is behind the first one's two elements gives 0.
TEST(BatchedScan, ofSequencesWithLengths) {
  std::vector<Tensor> y = runningSums(true, false);
  EXPECT_EQ(y[0], f32({3, 160}, {2, 1}));
  EXPECT_EQ(y[1], f32({1, 3, 0, 110, 130, 160}, {2, 3, 1}));
}

/// From the last element that there is.
TEST(BatchedScan, backwards) {
  std::vector<Tensor> y = runningSums(true, true);
  EXPECT_EQ(y[0], f32({3, 160}, {2, 1}));
  EXPECT_EQ(y[1], f32({2, 3, 0, 130, 150, 160}, {2, 3, 1}));
}

} // namespace
} // namespace graphc::test
