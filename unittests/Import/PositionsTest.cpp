//===- PositionsTest.cpp - vectors of positions that a call gives ------------===//
//
// What calls are refused, in whole messages, and positions that no double has. Results against
// onnxruntime's are in cases.jsonl ("lengths").
//
//===----------------------------------------------------------------------===//
#include "Import/OneNode.h"
#include "Messages.h"
#include "graphc/Function.h"

namespace graphc::test {
namespace {

/// A node whose inputs have open extents; an undefined Tensor is an input that is left out.
class OpenNode {
public:
  OpenNode(int opset, const std::string &op, const std::vector<Tensor> &inputs)
      : model_(makeModel(opset)) {
    std::vector<std::string> names;
    for (const Tensor &value : inputs) {
      names.push_back(value.defined() ? "x" + std::to_string(names.size()) : std::string());
      if (!value.defined())
        continue;
      addInput(model_, names.back(), {},
               value.dtype() == DType::Int64 ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
      auto *type = model_.mutable_graph()->mutable_input()->rbegin()->mutable_type();
      for (int axis = 0; axis < value.rank(); ++axis)
        type->mutable_tensor_type()->mutable_shape()->add_dim();
      values_.push_back(value);
    }
    node_ = &addNode(model_, op, names, {"y"});
    addOutput(model_, "y");
  }
  OpenNode &integer(const std::string &name, int64_t value) {
    setInt(*node_, name, value);
    return *this;
  }
  OpenNode &declared(int rank) {
    setType(*model_.mutable_graph()->mutable_output(0),
            std::vector<int64_t>(size_t(rank), kDynamic));
    return *this;
  }
  absl::StatusOr<GraphModule> load() const { return loadModel(model_); }

  /// Evaluated, which compiled code and the interpreter agree with, in messages, too.
  absl::StatusOr<Tensor> run() const {
    absl::StatusOr<GraphModule> module = load();
    if (!module.ok())
      return module.status();
    auto evaluated = evaluate(module->outputs, module->inputs, values_);
    for (const char *mode : {"fast_run", "interpreter"}) {
      auto f = function(*module, {.mode = mode, .onUnusedInput = OnUnusedInput::Ignore});
      EXPECT_TRUE(f.ok()) << f.status();
      auto called = f.ok() ? f->call(values_) : f.status();
      EXPECT_EQ(called.ok(), evaluated.ok()) << mode << ": " << called.status();
      if (called.ok() && evaluated.ok())
        EXPECT_EQ((*called)[0], (*evaluated)[0]) << mode;
      else
        EXPECT_EQ(firstLine(called.status()), firstLine(evaluated.status())) << mode;
    }
    return evaluated.ok() ? absl::StatusOr<Tensor>((*evaluated)[0]) : evaluated.status();
  }
  std::string error() const { return firstLine(run().status()); }

private:
  onnx::ModelProto model_;
  onnx::NodeProto *node_;
  std::vector<Tensor> values_;
};

Tensor numbers(std::vector<int64_t> values) {
  return *Tensor::fromSpan<int64_t>(values, {int64_t(values.size())});
}
const Tensor kNone;

/// ONNX's exporters write these for "to the end", and "to the beginning".
TEST(Positions, EndsOfInt64) {
  auto slice = [](std::vector<int64_t> starts, std::vector<int64_t> ends,
                  std::vector<int64_t> steps) {
    return OpenNode(13, "Slice",
                    {counted({5}), numbers(starts), numbers(ends), kNone, numbers(steps)})
        .run();
  };
  EXPECT_EQ(*slice({1}, {INT64_MAX}, {2}), f32(Tensor({1, 3})));
  EXPECT_EQ(*slice({INT64_MAX}, {INT64_MIN}, {-2}), f32(Tensor({4, 2, 0})));
  EXPECT_EQ(*slice({-2}, {INT64_MIN}, {-1}), f32(Tensor({3, 2, 1, 0})));
  EXPECT_EQ(*slice({INT64_MIN}, {INT64_MAX}, {INT64_MAX}), f32(Tensor({0})).cast(DType::Float32));
  EXPECT_EQ(*slice({2}, {INT64_MAX}, {-1}), counted({0})); // nothing is behind the end
}

TEST(Positions, SlicesThatAreRefused) {
  Tensor x = counted({3, 4});
  auto slice = [&](std::vector<Tensor> inputs) {
    inputs.insert(inputs.begin(), x);
    return OpenNode(13, "Slice", inputs).error();
  };
  EXPECT_EQ(slice({numbers({0, 0, 0}), numbers({1, 1, 1})}),
            "ValueError: assert: starts has more numbers than the operand has axes, 2");
  EXPECT_EQ(slice({numbers({0}), numbers({1, 1})}),
            "ShapeError: length: starts, ends, axes and steps have 2 and 1 numbers; give as many "
            "of each");
  EXPECT_EQ(slice({numbers({0}), numbers({1}), numbers({2})}),
            "AxisError: assert: an axis is out of range for rank 2");
  EXPECT_EQ(slice({numbers({0, 1}), numbers({1, 2}), numbers({1, -1})}),
            "AxisError: assert: an axis is given twice");
  EXPECT_EQ(slice({numbers({0}), numbers({1}), numbers({0}), numbers({0})}),
            "ValueError: subtensor: the step of a slice is 0");
}

TEST(Positions, LengthsThatAreRefused) {
  Tensor x = counted({3, 4});
  auto error = [&](int opset, const std::string &op, std::vector<Tensor> inputs) {
    inputs.insert(inputs.begin(), x);
    return OpenNode(opset, op, inputs).error();
  };
  EXPECT_EQ(error(19, "Pad", {numbers({1, 0, 1})}),
            "ShapeError: length: input 1 has 3 numbers instead of 4");
  EXPECT_EQ(error(19, "Pad", {numbers({1, 0, 1}), kNone, numbers({0})}),
            "ShapeError: length: there are 3 pads where the axes need 2, two for each");
  EXPECT_EQ(error(19, "Pad", {numbers({1, 0, 1, 2}), kNone, numbers({1, -1})}),
            "AxisError: assert: an axis is given twice");
  EXPECT_EQ(error(13, "Tile", {numbers({2})}),
            "ShapeError: length: input 1 has 1 numbers instead of 2");
  EXPECT_EQ(error(13, "Expand", {numbers({2, 3, 4})}),
            "ShapeError: length: input 1 has 3 numbers for a result of rank 2; if it is to have "
            "another rank, declare the output's shape");
  EXPECT_EQ(error(18, "CenterCropPad", {numbers({2})}),
            "ShapeError: length: input 1 has 1 numbers instead of 2");
}

/// Ranks that follow from how many numbers there are, or from what the model declares.
TEST(Positions, DeclaredRanks) {
  Tensor x = counted({1, 3}), axes = numbers({0});
  auto squeeze = [&](std::vector<Tensor> inputs) { return OpenNode(13, "Squeeze", inputs); };
  EXPECT_EQ(*squeeze({x, axes}).declared(1).run(), counted({3}));
  EXPECT_EQ(squeeze({counted({1, 1}), numbers({0, 1})}).declared(1).error(),
            "ShapeError: length: there are 2 axes instead of 1, which the declared shape comes to");
  EXPECT_EQ(*squeeze({x}).declared(1).run(), counted({3}));
  EXPECT_EQ(*squeeze({counted({2, 3})}).run(), counted({2, 3}));
  EXPECT_EQ(squeeze({counted({1, 1})}).declared(1).error(),
            "ShapeError: length: 2 axes have extent 1 instead of 1, which the declared shape comes "
            "to");
  EXPECT_EQ(
      squeeze({x}).error(),
      "ValueError: assert: an open extent is 1, and the result's rank was taken to be 2: give "
      "axes, declare the output's shape, or give the extents to the reader (--shape)");
  auto reshape = [&](int rank) {
    return OpenNode(14, "Reshape", {x, numbers({3, 1, -1})}).declared(rank);
  };
  EXPECT_EQ(*reshape(3).run(), counted({3, 1, 1}));
  EXPECT_EQ(reshape(2).error(), "ShapeError: length: input 1 has 3 numbers instead of 2");
  EXPECT_EQ(error(OpenNode(14, "Reshape", {x, axes}).load()),
            "model.onnx: node 1 (Reshape): input 1 must be a vector of known length, is i64[?]; "
            "declare the shape of the output, whose rank it is");
  EXPECT_EQ(error(OpenNode(13, "GatherND", {x, *axes.reshape({1, 1})}).load()),
            "model.onnx: node 1 (GatherND): an unknown number of coordinates, on which the "
            "result's rank depends: i64[?,?]; declare the output's shape");
}

TEST(Positions, ComputedAxes) {
  Tensor x = counted({2, 3});
  // Set 1 of Tile: how often, and the axis.
  auto tile = [&](double axis) {
    return OpenNode(5, "Tile", {x, f32(Tensor({2})), f32(Tensor({axis}))});
  };
  EXPECT_EQ(tile(1).run()->shape(), absl::Span<const int64_t>({2, 6}));
  EXPECT_EQ(tile(0).run()->shape(), absl::Span<const int64_t>({4, 3}));
  auto dft = [&](int64_t axis, std::vector<int64_t> shape) {
    return OpenNode(20, "DFT", {counted(std::move(shape)), kNone, Tensor(axis)});
  };
  EXPECT_EQ(dft(2, {2, 3, 2}).error(),
            "ValueError: assert: the last axis has the parts of numbers; no transform goes along "
            "it");
  EXPECT_EQ(dft(3, {2, 3, 2}).error(), "AxisError: assert: an axis is out of range for rank 3");
  EXPECT_EQ(dft(0, {2, 3, 3}).error(),
            "ValueError: assert: the last axis must have one or two numbers, the parts of a "
            "complex one");
  EXPECT_EQ(OpenNode(14, "CumSum", {counted({3}), Tensor(int64_t(1))}).error(),
            "AxisError: assert: an axis is out of range for rank 1");
}

/// Of an empty and a filled vector Resize means the latter.
TEST(Positions, SizesOrScales) {
  Tensor x = counted({2, 3}), none = *Tensor::zeros(DType::Float32, {0});
  Tensor scales = f32(Tensor({1, 2}));
  EXPECT_EQ(OpenNode(13, "Resize", {x, none, scales, numbers({})}).run()->shape(),
            absl::Span<const int64_t>({2, 6}));
  EXPECT_EQ(OpenNode(13, "Resize", {x, none, none, numbers({4, 3})}).run()->shape(),
            absl::Span<const int64_t>({4, 3}));
  EXPECT_EQ(OpenNode(13, "Resize", {x, kNone, kNone, numbers({4})}).error(),
            "ShapeError: length: input 3 has 1 numbers instead of 2");
}

} // namespace
} // namespace graphc::test
