//===- BroadcastTest.cpp - axes of unknown extent that are 1 at run time ----===//
//
// Expected numbers are computed by hand: NumPy's broadcasting, which ONNX prescribes.
//
//===----------------------------------------------------------------------===//
#include "Import/OneNode.h"
#include "graphc/Function.h"
#include "graphc/Traversal.h"

namespace graphc::test {
namespace {

/// An input whose extents have the names, or are the numbers.
void addNamed(onnx::ModelProto &model, const std::string &name, std::vector<std::string> extents,
              int type = onnx::TensorProto::FLOAT) {
  addInput(model, name, {}, type);
  onnx::TensorShapeProto &shape = *model.mutable_graph()
                                       ->mutable_input(model.graph().input_size() - 1)
                                       ->mutable_type()
                                       ->mutable_tensor_type()
                                       ->mutable_shape();
  for (const std::string &extent : extents)
    if (std::isdigit(extent[0]))
      shape.add_dim()->set_dim_value(std::stoi(extent));
    else
      shape.add_dim()->set_dim_param(extent);
}

onnx::ModelProto nodeOf(const std::string &op,
                        const std::vector<std::vector<std::string>> &shapes) {
  onnx::ModelProto model = makeModel(17);
  std::vector<std::string> names;
  for (const std::vector<std::string> &shape : shapes) {
    names.push_back("x" + std::to_string(names.size()));
    bool isCondition = op == "Where" && names.size() == 1;
    addNamed(model, names.back(), shape,
             isCondition ? onnx::TensorProto::BOOL : onnx::TensorProto::FLOAT);
  }
  addNode(model, op, names, {"y"});
  addOutput(model, "y");
  return model;
}

/// Run by compiled code as `function` makes it, and by the evaluator, which agree.
absl::StatusOr<Tensor> run(const onnx::ModelProto &model, const std::vector<Tensor> &values) {
  auto module = loadModel(model);
  if (!module.ok())
    return module.status();
  auto evaluated = evaluate(module->outputs, module->inputs, values);
  auto f = function(*module);
  if (!f.ok())
    return f.status();
  auto compiled = f->call(values);
  EXPECT_EQ(evaluated.ok(), compiled.ok());
  if (!evaluated.ok() || !compiled.ok())
    return compiled.status();
  EXPECT_EQ((*evaluated)[0], (*compiled)[0]);
  return (*compiled)[0];
}

Tensor row(std::vector<double> values, std::vector<int64_t> shape) {
  return shaped(f32(*Tensor::fromSpan<double>(values, {int64_t(values.size())})), shape);
}

TEST(Broadcast, UnknownExtentsThatAreOne) {
  onnx::ModelProto add = nodeOf("Add", {{"A", "B"}, {"C", "D"}});
  Tensor x = row({1, 2, 3}, {1, 3}), y = row({10, 20}, {2, 1}),
         sum = row({11, 12, 13, 21, 22, 23}, {2, 3});
  EXPECT_EQ(*run(add, {x, y}), sum);
  EXPECT_EQ(*run(add, {y, x}), sum);
  EXPECT_EQ(*run(add, {x, x}), row({2, 4, 6}, {1, 3}));
  EXPECT_EQ(*run(add, {row({5}, {1, 1}), x}), row({6, 7, 8}, {1, 3}));
  EXPECT_EQ(*run(add, {sum, row({1}, {1, 1})}), row({12, 13, 14, 22, 23, 24}, {2, 3}));
  EXPECT_EQ(*run(add, {row({}, {0, 3}), x}), row({}, {0, 3}));
  // Named by graphc's requirement, as where the extents are known.
  EXPECT_EQ(errorKind(run(add, {sum, row({1, 2}, {1, 2})}).status()), ErrorKind::ShapeError);
  EXPECT_EQ(errorKind(run(add, {sum, row({}, {0, 3})}).status()), ErrorKind::ShapeError);
}

TEST(Broadcast, AnUnknownExtentBesideAKnownOne) {
  onnx::ModelProto sub = nodeOf("Sub", {{"A"}, {"2", "3"}});
  Tensor y = row({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(*run(sub, {row({1}, {1}), y}), row({0, -1, -2, -3, -4, -5}, {2, 3}));
  EXPECT_EQ(*run(sub, {row({1, 2, 3}, {3}), y}), row({0, 0, 0, -3, -3, -3}, {2, 3}));
  EXPECT_EQ(errorKind(run(sub, {row({1, 2}, {2}), y}).status()), ErrorKind::ShapeError);
}

TEST(Broadcast, AllOperatorsThatBroadcast) {
  Tensor x = row({-1, 2, -3}, {1, 3}), y = row({10, 20}, {2, 1});
  auto of = [](const std::string &op, size_t inputs = 2) {
    std::vector<std::vector<std::string>> shapes = {{"A", "B"}, {"C", "D"}, {"E", "F"}};
    shapes.resize(inputs);
    return nodeOf(op, shapes);
  };
  EXPECT_EQ(*run(of("Div"), {y, x}), row({-10, 5, -10 / 3.0, -20, 10, -20 / 3.0}, {2, 3}));
  EXPECT_EQ(*run(of("Pow"), {x, row({2}, {1, 1})}), row({1, 4, 9}, {1, 3}));
  EXPECT_EQ(*run(of("Max", 3), {x, y, row({15}, {1, 1})}), row({15, 15, 15, 20, 20, 20}, {2, 3}));
  EXPECT_EQ(*run(of("PRelu"), {x, row({2}, {1, 1})}), row({-2, 2, -6}, {1, 3}));
  EXPECT_EQ(*run(of("Less"), {x, row({0}, {1, 1})}), row({1, 0, 1}, {1, 3}).cast(DType::Bool));
  Tensor chosen = row({1, 0}, {2, 1}).cast(DType::Bool);
  EXPECT_EQ(*run(of("Where", 3), {chosen, x, row({7}, {1, 1})}), row({-1, 2, -3, 7, 7, 7}, {2, 3}));
  EXPECT_EQ(*run(nodeOf("Gemm", {{"A", "B"}, {"B", "C"}, {"D", "E"}}), {y, x, row({1}, {1, 1})}),
            row({-9, 21, -29, -19, 41, -59}, {2, 3}));
  EXPECT_EQ(*run(nodeOf("MatMul", {{"A", "2", "1"}, {"B", "1", "2"}}),
                 {row({1, 2}, {1, 2, 1}), row({1, 2, 3, 4}, {2, 1, 2})}),
            row({1, 2, 2, 4, 3, 4, 6, 8}, {2, 2, 2}));
  onnx::ModelProto expand = makeModel(17);
  addNamed(expand, "x", {"A", "B"});
  addNamed(expand, "shape", {"2"}, onnx::TensorProto::INT64);
  addNode(expand, "Expand", {"x", "shape"}, {"y"});
  addOutput(expand, "y");
  EXPECT_EQ(*run(expand, {x, i64(Tensor({2, 1}))}), row({-1, 2, -3, -1, 2, -3}, {2, 3}));
  EXPECT_EQ(*run(expand, {y, i64(Tensor({1, 2}))}), row({10, 10, 20, 20}, {2, 2}));
}

/// Of operators whose parameters may be one for all: extents that only the run tells.
TEST(Broadcast, ParametersThatAreOneForAll) {
  using P = onnx::TensorProto;
  struct Given {
    std::string op;
    std::vector<std::vector<std::string>> shapes;
    std::vector<int> types;
  };
  auto of = [](const Given &given, int set) {
    onnx::ModelProto model = makeModel(set);
    std::vector<std::string> names;
    for (size_t i = 0; i < given.shapes.size(); ++i) {
      names.push_back("x" + std::to_string(i));
      addNamed(model, names.back(), given.shapes[i], given.types[i]);
    }
    addNode(model, given.op, names, {"y"});
    addOutput(model, "y");
    return model;
  };
  auto bytes = [](std::vector<double> values, std::vector<int64_t> shape,
                  DType dtype = DType::UInt8) { return row(values, shape).cast(dtype); };
  // Numbers that float32 has.
  onnx::ModelProto quantize =
      of({"QuantizeLinear", {{"A", "B"}, {"C"}, {"D"}}, {P::FLOAT, P::FLOAT, P::UINT8}}, 13);
  Tensor x = row({1, -1, 3.25, 0, 2, 200}, {2, 3});
  EXPECT_EQ(*run(quantize, {x, row({0.5}, {1}), bytes({3}, {1})}),
            bytes({5, 1, 9, 3, 7, 255}, {2, 3})); // 6.5 to even
  EXPECT_EQ(*run(quantize, {x, row({0.5, 1, 2}, {3}), bytes({3}, {1})}),
            bytes({5, 2, 5, 3, 5, 103}, {2, 3}));
  EXPECT_EQ(*run(quantize, {x, row({0.5}, {1}), bytes({3, 4, 5}, {3})}),
            bytes({5, 2, 11, 3, 8, 255}, {2, 3}));
  EXPECT_EQ(errorKind(run(quantize, {x, row({1, 2}, {2}), bytes({3}, {1})}).status()),
            ErrorKind::ShapeError);
  // Where there is no axis 1, there is one for all.
  onnx::ModelProto flat =
      of({"QuantizeLinear", {{"A"}, {"C"}, {"D"}}, {P::FLOAT, P::FLOAT, P::UINT8}}, 13);
  EXPECT_EQ(*run(flat, {row({1, -1}, {2}), row({0.5}, {1}), bytes({3}, {1})}), bytes({5, 1}, {2}));

  onnx::ModelProto dequantize =
      of({"DequantizeLinear", {{"A", "B"}, {"C"}, {"D"}}, {P::UINT8, P::FLOAT, P::UINT8}}, 13);
  Tensor q = bytes({5, 1, 9, 3, 7, 255}, {2, 3});
  EXPECT_EQ(*run(dequantize, {q, row({0.5}, {1}), bytes({3}, {1})}),
            row({1, -1, 3, 0, 2, 126}, {2, 3}));
  EXPECT_EQ(*run(dequantize, {q, row({0.5, 1, 2}, {3}), bytes({3}, {1})}),
            row({1, -2, 12, 0, 4, 504}, {2, 3}));

  onnx::ModelProto product = of({"MatMulInteger",
                                 {{"A", "B"}, {"C", "D"}, {"E"}, {"F"}},
                                 {P::UINT8, P::UINT8, P::UINT8, P::UINT8}},
                                10);
  Tensor a = bytes({1, 2, 3, 4}, {2, 2}), b = bytes({5, 6, 7, 8}, {2, 2});
  EXPECT_EQ(*run(product, {a, b, bytes({1}, {1}), bytes({5}, {1})}),
            bytes({2, 3, 6, 11}, {2, 2}, DType::Int32)); // [0 1; 2 3] [0 1; 2 3]
  EXPECT_EQ(*run(product, {a, b, bytes({1, 3}, {2}), bytes({5, 6}, {2})}),
            bytes({2, 2, 2, 2}, {2, 2}, DType::Int32)); // [0 1; 0 1] [0 0; 2 2]

  std::vector<std::vector<std::string>> shapes = {{"A", "B"}, {"C"}, {"D"}, {"E", "F"},
                                                  {"G"},      {"H"}, {"I"}, {"J"}};
  onnx::ModelProto quantized =
      of({"QLinearMatMul",
          shapes,
          {P::UINT8, P::FLOAT, P::UINT8, P::UINT8, P::FLOAT, P::UINT8, P::FLOAT, P::UINT8}},
         10);
  auto call = [&](const Tensor &scaleOfA, const Tensor &scaleOfB) {
    return *run(quantized, {a, scaleOfA, bytes({1}, {1}), b, scaleOfB, bytes({5}, {1}),
                            row({0.5}, {1}), bytes({10}, {1})});
  };
  EXPECT_EQ(call(row({0.5}, {1}), row({2}, {1})), bytes({14, 16, 22, 32}, {2, 2}));
  EXPECT_EQ(call(row({0.5}, {1}), row({2, 4}, {2})), bytes({14, 22, 22, 54}, {2, 2}));
  EXPECT_EQ(call(row({0.5, 1}, {2}), row({2}, {1})), bytes({14, 16, 34, 54}, {2, 2}));

  // Zero points of both operands of a convolution, of one channel each.
  onnx::ModelProto convolution = of({"ConvInteger",
                                     {{"1", "1", "2"}, {"1", "1", "2"}, {"A"}, {"B"}},
                                     {P::UINT8, P::UINT8, P::UINT8, P::UINT8}},
                                    10);
  EXPECT_EQ(*run(convolution, {bytes({3, 4}, {1, 1, 2}), bytes({5, 6}, {1, 1, 2}), bytes({1}, {1}),
                               bytes({2}, {1})}),
            bytes({18}, {1, 1, 1}, DType::Int32)); // 2 * 3 + 3 * 4
}

/// What cannot broadcast is read as it is: extents of one name, and what follows from them.
TEST(Broadcast, NothingIsTakenWhereExtentsAreEqual) {
  onnx::ModelProto model = makeModel(17);
  addNamed(model, "x", {"N", "C", "H", "W"});
  addNamed(model, "y", {"N", "C", "H", "W"});
  addNode(model, "Relu", {"x"}, {"r"});
  addNode(model, "MaxPool", {"r"}, {"p"});
  setInts(*model.mutable_graph()->mutable_node(1), "kernel_shape", {3, 3});
  setInts(*model.mutable_graph()->mutable_node(1), "pads", {1, 1, 1, 1});
  addNode(model, "Add", {"p", "x"}, {"s"});
  addNode(model, "Mul", {"s", "y"}, {"z"});
  addOutput(model, "z");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::string> taken;
  for (const Variable &v : ancestors(module->outputs))
    if (v.hasOwner() && v.owner().op().name() == "take")
      taken.push_back(v.place().str());
  EXPECT_EQ(taken, std::vector<std::string>());
}

} // namespace
} // namespace graphc::test
