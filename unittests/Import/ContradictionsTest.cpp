//===- ContradictionsTest.cpp - statements that contradict the graph --------===//
#include "Eval/Evaluate.h"
#include "Import/OneNode.h"
#include "graphc/Function.h"

namespace graphc::test {
namespace {

constexpr int kInt64 = onnx::TensorProto::INT64;

std::string errorOf(OneNode node) { return error(node.load()); }

TEST(Contradictions, attributesThatAnOperatorHasNot) {
  Tensor x = *Tensor::zeros(DType::Float32, {2, 3});
  auto softmax = [&] { return OneNode(17, "Softmax").given(x); };
  EXPECT_EQ(errorOf(softmax().integer("axsi", 0)),
            "model.onnx: node 1 (Softmax): there is no attribute 'axsi' in version 17 of ONNX's "
            "operators; there is axis");
  EXPECT_EQ(errorOf(OneNode(17, "Relu").given(x).integer("bogus", 3)),
            "model.onnx: node 1 (Relu): there is no attribute 'bogus' in version 17 of ONNX's "
            "operators; there is none");
  // Which there are depends on the version.
  EXPECT_EQ(errorOf(OneNode(13, "Unsqueeze").given(x).integers("axes", {0})),
            "model.onnx: node 1 (Unsqueeze): there is no attribute 'axes' in version 13 of ONNX's "
            "operators; there is none");
  EXPECT_EQ(errorOf(OneNode(11, "Unsqueeze").given(x).integers("axes", {0})), "no error");
  EXPECT_EQ(errorOf(OneNode(6, "Relu").given(x).integers("consumed_inputs", {0})),
            "model.onnx: node 1 (Relu): there is no attribute 'consumed_inputs' in version 6 of "
            "ONNX's operators; there is none");
  EXPECT_EQ(errorOf(OneNode(5, "Relu").given(x).integers("consumed_inputs", {0})), "no error");
  EXPECT_EQ(errorOf(softmax().integer("axis", 0).integer("axis", 1)),
            "model.onnx: node 1 (Softmax): attribute axis is given twice");
  EXPECT_EQ(errorOf(softmax().integer("__made_by", 7)), "no error");
}

TEST(Contradictions, moreInputsThanAnOperatorTakes) {
  Tensor x = *Tensor::zeros(DType::Float32, {2, 3});
  EXPECT_EQ(errorOf(OneNode(17, "Relu").given(x).given(x).given(x)),
            "model.onnx: node 1 (Relu): has 3 inputs; in version 17 of ONNX's operators it takes 1 "
            "at most");
  // Bounds are inputs from version 11 on.
  EXPECT_EQ(errorOf(OneNode(10, "Clip").given(x).given(x)),
            "model.onnx: node 1 (Clip): has 2 inputs; in version 10 of ONNX's operators it takes 1 "
            "at most");
}

onnx::ValueInfoProto &declare(onnx::ModelProto &model, const std::string &name) {
  onnx::ValueInfoProto &info = *model.mutable_graph()->add_value_info();
  info.set_name(name);
  return info;
}

/// y = relu(z = relu(x)), x being [N, 3] of float32.
onnx::ModelProto twoNodes() {
  onnx::ModelProto model = makeModel(17);
  addInput(model, "x", {-1, 3});
  addNode(model, "Relu", {"x"}, {"z"});
  addNode(model, "Relu", {"z"}, {"y"});
  addOutput(model, "y");
  return model;
}

TEST(Contradictions, declaredTypes) {
  auto output = [](std::vector<int64_t> shape, int type = onnx::TensorProto::FLOAT) {
    onnx::ModelProto model = twoNodes();
    setType(*model.mutable_graph()->mutable_output(0), shape, type);
    return error(loadModel(model));
  };
  EXPECT_EQ(output({-1, 3}), "no error");
  EXPECT_EQ(output({5}, kInt64), "model.onnx: node 2 (Relu): output 'y' is declared as INT64, but "
                                 "is f32[?,3]; correct the declaration or the graph");
  EXPECT_EQ(output({5}), "model.onnx: node 2 (Relu): output 'y' is declared with rank 1, but is "
                         "f32[?,3]; correct the declaration or the graph");
  EXPECT_EQ(output({5, 4}), "model.onnx: node 2 (Relu): output 'y' is declared with extent 4 along "
                            "axis 1, but is f32[?,3]; correct the declaration or the graph");
  auto between = [](auto set) {
    onnx::ModelProto model = twoNodes();
    set(declare(model, "z"));
    return error(loadModel(model));
  };
  EXPECT_EQ(between([](auto &z) { setType(z, {5, 3}, kInt64); }),
            "model.onnx: node 1 (Relu): value_info 'z' is declared as INT64, but is f32[?,3]; "
            "correct the declaration or the graph");
  EXPECT_EQ(between([](auto &z) { z.mutable_type()->mutable_sequence_type(); }),
            "model.onnx: node 1 (Relu): value_info 'z' is declared as a sequence, but is f32[?,3]; "
            "correct the declaration or the graph");
  EXPECT_EQ(between([](auto &) {}), "no error");
  onnx::ModelProto weights = makeModel(17);
  addInput(weights, "w", {3}, kInt64);
  addInts(weights, "w", {1, 2});
  addOutput(weights, "w");
  EXPECT_EQ(error(loadModel(weights)),
            "model.onnx: input 'w' is declared with extent 3 along axis 0, but is i64[2]; correct "
            "the declaration or the graph");
}

/// What can only be seen when the model runs is an error then, compiled or not.
std::string runError(const onnx::ModelProto &model, const std::vector<Tensor> &inputs) {
  auto module = loadModel(model);
  if (!module.ok())
    return error(module);
  auto evaluated = evaluate(module->outputs, module->inputs, inputs);
  auto f = function(*module);
  if (!f.ok())
    return std::string(f.status().message());
  auto called = f->call(inputs);
  EXPECT_EQ(errorKind(evaluated.status()), errorKind(called.status()));
  if (called.ok())
    return "no error";
  std::optional<Place> place = errorPlace(called.status());
  std::string text = (place ? place->str() + ": " : "") + std::string(called.status().message());
  text = text.substr(0, text.find('\n'));
  return text.substr(text.find("model.onnx"));
}

Tensor zeros(std::vector<int64_t> shape) { return *Tensor::zeros(DType::Float32, shape); }

TEST(Contradictions, declaredExtentsThatAreOpenInTheGraph) {
  onnx::ModelProto model = twoNodes();
  setType(*model.mutable_graph()->mutable_output(0), {5, 3});
  EXPECT_EQ(runError(model, {zeros({5, 3})}), "no error");
  EXPECT_EQ(runError(model, {zeros({4, 3})}),
            "model.onnx: node 2 (Relu): output 'y' as declared: specifyShape: the extent along "
            "axis 0 is 4 instead of 5");
}

/// x @ w, x being [N, 3] and w [3, N]: nothing but the names says that the extents are equal. Nor
/// does the message say what can be done in a graph: nobody writes types of an ONNX file.
TEST(Contradictions, extentsOfOneName) {
  onnx::ModelProto model = makeModel(17);
  addInput(model, "x", {-1, 3});
  addInput(model, "w", {3, -1});
  addNode(model, "MatMul", {"x", "w"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(runError(model, {zeros({2, 3}), zeros({3, 2})}), "no error");
  EXPECT_EQ(runError(model, {zeros({1, 3}), zeros({3, 2})}),
            "model.onnx: input 'w', whose axis 1 is N as axis 0 of input 'x': broadcastTo: extent "
            "2 along axis 1 cannot become 1");
  onnx::ModelProto square = makeModel(17);
  addInput(square, "x", {-1, -1});
  addOutput(square, "x");
  EXPECT_EQ(runError(square, {zeros({2, 2})}), "no error");
  EXPECT_EQ(runError(square, {zeros({2, 3})}),
            "model.onnx: input 'x', whose axis 1 is N as axis 0 of input 'x': broadcastTo: extent "
            "3 along axis 1 cannot become 2");
}

TEST(Contradictions, extentsThatDiffer) {
  onnx::ModelProto model = makeModel(17);
  addInput(model, "x", {2});
  addInput(model, "w", {3});
  addNode(model, "Add", {"x", "w"}, {"y"});
  addOutput(model, "y");
  EXPECT_EQ(error(loadModel(model)),
            "model.onnx: node 1 (Add): add: extents differ along axis 0: 2 and 3\n"
            "  add(x: f32[2], w: f32[3])");
}

TEST(Contradictions, versions) {
  auto versions = [](std::vector<std::pair<std::string, int>> sets, int format = 8) {
    onnx::ModelProto model = twoNodes();
    model.set_ir_version(format);
    model.clear_opset_import();
    for (const auto &[domain, version] : sets) {
      model.add_opset_import()->set_version(version);
      model.mutable_opset_import()->rbegin()->set_domain(domain);
    }
    return error(loadModel(model));
  };
  const std::string none = "model.onnx: does not say for which version of ONNX's operators it is "
                           "written; add an opset_import with that version";
  EXPECT_EQ(versions({}), none);
  EXPECT_EQ(versions({{"com.example", 1}}), none);
  EXPECT_EQ(versions({}, 2), "no error"); // the format had no such field yet
  EXPECT_EQ(versions({{"", 17}, {"", 9}}),
            "model.onnx: names two versions of ONNX's operators, 17 and 9; keep the one that it is "
            "written for");
  EXPECT_EQ(versions({{"", 17}, {"ai.onnx", 17}}), "no error");
}

} // namespace
} // namespace graphc::test
