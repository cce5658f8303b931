//===- OperatorsTest.cpp - what ONNX's node tests leave open ---------------===//
//
// Older versions of operators, and attributes that no node test sets. Expected numbers are small
// enough to be computed by hand; where functions occur, they are libm's.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <limits>

#include "Import/OneNode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace graphc::test {
namespace {

using testing::EndsWith;

/// The largest distance of elements.
double distance(const Tensor &a, const Tensor &b) {
  if (!a.defined() || a.shape() != b.shape())
    return HUGE_VAL;
  Tensor x = a.contiguous().cast(DType::Float64), y = b.contiguous().cast(DType::Float64);
  double most = 0;
  for (int64_t i = 0; i < x.numElements(); ++i)
    most = std::max(most, std::abs(x.flat<double>()[i] - y.flat<double>()[i]));
  return most;
}

/// A few roundings of numbers around 1 in float32.
constexpr double kClose = 1e-6;

//===--- older versions --------------------------------------------------------===//

TEST(OlderVersions, binaryOperatorsBroadcastFromAnAxisOn) {
  Tensor x = shaped(f32(Tensor({0, 1, 2, 3, 4, 5, 6, 7})), {2, 2, 2});
  Tensor y = OneNode(6, "Add")
                 .given(x)
                 .given(f32(Tensor({10, 20})))
                 .integer("broadcast", 1)
                 .integer("axis", 1)
                 .run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({10, 11, 22, 23, 14, 15, 26, 27})), {2, 2, 2}));
}

TEST(OlderVersions, clipHasAttributes) {
  Tensor y =
      OneNode(6, "Clip").given(f32(Tensor({-5, 0, 5}))).number("min", -1).number("max", 2).run()[0];
  EXPECT_EQ(y, f32(Tensor({-1, 0, 2})));
}

TEST(OlderVersions, preluHasASlopeForEachChannel) {
  Tensor x = shaped(f32(Tensor({-1, 1, -1, 1})), {1, 2, 2});
  Tensor y = OneNode(6, "PRelu").given(x).given(f32(Tensor({2, 3}))).run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({-2, 1, -3, 1})), {1, 2, 2}));
}

TEST(OlderVersions, concatJoinsChannelsByDefault) {
  Tensor x = shaped(f32(Tensor({1, 2})), {1, 2});
  Tensor y = OneNode(3, "Concat").given(x).given(x).run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({1, 2, 1, 2})), {1, 4}));
}

/// Before set 13 all axes from `axis` on are one: four equal numbers have a quarter each.
TEST(OlderVersions, softmaxJoinsAxes) {
  Tensor x = shaped(f32(Tensor({1, 1, 1, 1})), {1, 2, 2});
  EXPECT_LT(distance(OneNode(11, "Softmax").given(x).run()[0],
                     shaped(f32(Tensor({0.25, 0.25, 0.25, 0.25})), {1, 2, 2})),
            kClose);
  EXPECT_LT(distance(OneNode(13, "Softmax").given(x).run()[0],
                     shaped(f32(Tensor({0.5, 0.5, 0.5, 0.5})), {1, 2, 2})),
            kClose);
}

TEST(OlderVersions, upsampleHasScalesAsAttribute) {
  Tensor x = shaped(f32(Tensor({1, 2})), {1, 1, 1, 2});
  Tensor y = OneNode(7, "Upsample").given(x).floats("scales", {1, 1, 1, 2}).run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({1, 1, 2, 2})), {1, 1, 1, 4}));
}

/// Parameters for each element of a channel: (x - mean) / sqrt(variance) * scale + bias.
TEST(OlderVersions, batchNormalizationOfEachElement) {
  auto each = [](double a, double b) { return shaped(f32(Tensor({a, b})), {1, 2}); };
  Tensor y = OneNode(7, "BatchNormalization")
                 .given(shaped(f32(Tensor({1, 2})), {1, 1, 2}))
                 .given(each(2, 3))
                 .given(each(1, 1))
                 .given(each(0, 1))
                 .given(each(4, 1))
                 .number("epsilon", 0)
                 .integer("spatial", 0)
                 .run()[0];
  EXPECT_LT(distance(y, shaped(f32(Tensor({2, 4})), {1, 1, 2})), kClose);
}

/// The number of copies and the axis are inputs.
TEST(OlderVersions, tileHasOneAxis) {
  Tensor x = shaped(f32(Tensor({1, 2, 3, 4})), {2, 2});
  Tensor y = OneNode(1, "Tile").given(x).constant({2}).constant({1}).run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({1, 2, 1, 2, 3, 4, 3, 4})), {2, 4}));
}

//===--- newer versions --------------------------------------------------------===//

TEST(NewerVersions, splitsLastPieceMayBeSmaller) {
  std::vector<Tensor> parts = OneNode(18, "Split", 2).given(f32(Tensor({1, 2, 3}))).run();
  EXPECT_EQ(parts[0], f32(Tensor({1, 2})));
  EXPECT_EQ(parts[1], f32(Tensor({3})));
  EXPECT_THAT(
      std::string(OneNode(13, "Split", 2).given(f32(Tensor({1, 2, 3}))).load().status().message()),
      EndsWith("node 1 (Split): an extent of 3 does not split into 2 equal pieces"));
}

TEST(NewerVersions, scatterTakesTheGreater) {
  Tensor x = f32(Tensor({5, 5, 5})), updates = f32(Tensor({9, 1}));
  Tensor y = OneNode(18, "ScatterElements")
                 .given(x)
                 .given(i64(Tensor({0, 2})))
                 .given(updates)
                 .text("reduction", "max")
                 .run()[0];
  EXPECT_EQ(y, f32(Tensor({9, 5, 5})));
  y = OneNode(18, "ScatterElements")
          .given(x)
          .given(i64(Tensor({0, 2})))
          .given(updates)
          .text("reduction", "min")
          .run()[0];
  EXPECT_EQ(y, f32(Tensor({5, 5, 1})));
}

/// Averages of dilated windows: elements 0 and 2, then 1 and 3.
TEST(NewerVersions, averagePoolHasDilations) {
  Tensor x = shaped(f32(Tensor({1, 2, 5, 10})), {1, 1, 4});
  Tensor y = OneNode(19, "AveragePool")
                 .given(x)
                 .integers("kernel_shape", {2})
                 .integers("dilations", {2})
                 .run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({3, 6})), {1, 1, 2}));
}

//===--- attributes -------------------------------------------------------------===//

TEST(Operators, quotientsOfIntegersAreRoundedToZero) {
  Tensor x = Tensor({-7, 7, -8, 7}, DType::Int32), y = Tensor({2, 2, 2, -2}, DType::Int32);
  EXPECT_EQ(OneNode(13, "Div").given(x).given(y).run()[0], Tensor({-3, 3, -4, -3}, DType::Int32));
}

/// Bounds are cut off at the ends: backwards from the end to beyond it is nothing, to before the
/// front everything.
TEST(Operators, sliceBoundsBeyondTheEnds) {
  auto backwards = [](int64_t stop) {
    return OneNode(13, "Slice")
        .given(f32(Tensor({1, 2, 3})))
        .constant({INT64_MAX})
        .constant({stop})
        .constant({0})
        .constant({-1})
        .run()[0];
  };
  EXPECT_EQ(backwards(INT64_MAX).numElements(), 0);
  EXPECT_EQ(backwards(INT64_MIN), f32(Tensor({3, 2, 1})));
}

TEST(Operators, topKTakesTheFirstOfEquals) {
  std::vector<Tensor> y =
      OneNode(13, "TopK", 2).given(f32(Tensor({1, 2, 2, 2}))).constant({2}).run();
  EXPECT_EQ(y[0], f32(Tensor({2, 2})));
  EXPECT_EQ(y[1], i64(Tensor({1, 2})));
  EXPECT_THAT(std::string(OneNode(13, "TopK", 2)
                              .given(f32(Tensor({1, 2})))
                              .constant({3})
                              .load()
                              .status()
                              .message()),
              EndsWith("node 1 (TopK): argtopk: k is 3 where axis 0 has 2 elements\n"
                       "  argtopk{axis = 0}(x0: f32[2], 3)"));
}

/// A state and a slice change places: the state is then the slice before, and results are states.
TEST(Operators, scanKeepsOrderAndAxes) {
  Tensor x = shaped(f32(Tensor({1, 2, 3, 4, 5, 6})), {2, 3}), state = f32(Tensor({9, 8}));
  auto scan = [&] {
    return OneNode(13, "Scan", 2)
        .given(state)
        .given(x)
        .integer("num_scan_inputs", 1)
        .integers("scan_input_axes", {1});
  };
  std::vector<Tensor> forward = scan().reversing("body", {"s", "slice"}).run();
  EXPECT_EQ(forward[0], f32(Tensor({3, 6})));
  EXPECT_EQ(forward[1], f32(Tensor({{9, 8}, {1, 4}, {2, 5}})));
  std::vector<Tensor> back = scan()
                                 .integers("scan_input_directions", {1})
                                 .integers("scan_output_directions", {1})
                                 .integers("scan_output_axes", {1})
                                 .reversing("body", {"s", "slice"})
                                 .run();
  EXPECT_EQ(back[0], f32(Tensor({1, 4})));
  EXPECT_EQ(back[1], f32(Tensor({{2, 3, 9}, {5, 6, 8}})));
}

/// Of no steps a state is what it was. The body gives the state and the condition in each other's
/// place, and both are bools.
TEST(Operators, loopEndsWhereItsConditionSays) {
  auto loop = [&](int64_t most, bool first, bool state) {
    auto flag = [](bool value) { return Tensor(value ? 1.0 : 0.0).cast(DType::Bool); };
    std::vector<Tensor> y = OneNode(13, "Loop", 2)
                                .given(Tensor(most))
                                .given(flag(first))
                                .given(flag(state))
                                .reversing("body", {"i", "condition", "state"})
                                .run();
    return std::pair(y[0].item<bool>(), y[1].numElements());
  };
  EXPECT_EQ(loop(5, true, true), std::pair(true, int64_t(5)));
  EXPECT_EQ(loop(5, true, false), std::pair(true, int64_t(1))); // the state becomes the condition
  EXPECT_EQ(loop(5, false, true), std::pair(true, int64_t(0)));
  EXPECT_EQ(loop(0, true, false), std::pair(false, int64_t(0)));
}

/// ONNX's text of set 20: "minus infinity (if supported by the datatype) or the minimum value of
/// the data type otherwise". Floats and bytes, also of open extents, are compared with
/// onnxruntime's in cases.jsonl.
TEST(Operators, extremesOfNoElementsAreTheEndsOfTheDType) {
  auto of = [](const std::string &op, DType dtype) {
    return OneNode(20, op).given(*Tensor::zeros(dtype, {0})).integer("keepdims", 0).run()[0];
  };
  EXPECT_EQ(of("ReduceMax", DType::Int64), Tensor(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(of("ReduceMin", DType::Int64), Tensor(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(of("ReduceMax", DType::Int32), Tensor(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(of("ReduceMin", DType::Int32), Tensor(std::numeric_limits<int32_t>::max()));
  EXPECT_EQ(of("ReduceMax", DType::Bool), Tensor(0).cast(DType::Bool));
  EXPECT_EQ(of("ReduceMin", DType::Bool), Tensor(1).cast(DType::Bool));
}

/// "The precision of the division": float16 has no 2049.
TEST(Operators, quantizeLinearDividesInThePrecisionAskedFor) {
  auto of = [](int64_t precision) {
    return OneNode(23, "QuantizeLinear")
        .given(f32(Tensor({2049, 3})))
        .given(f32(Tensor(1)))
        .integer("precision", precision)
        .integer("output_dtype", onnx::TensorProto::INT16)
        .run()[0];
  };
  EXPECT_EQ(of(onnx::TensorProto::FLOAT16), Tensor({2048, 3}).cast(DType::Int16));
  EXPECT_EQ(of(onnx::TensorProto::FLOAT), Tensor({2049, 3}).cast(DType::Int16));
}

TEST(Operators, topKPutsNaNFirst) {
  std::vector<Tensor> y =
      OneNode(13, "TopK", 2).given(f32(Tensor({1.0, NAN, 3.0}))).constant({3}).run();
  EXPECT_EQ(y[1], i64(Tensor({1, 2, 0})));
}

TEST(Operators, maxPoolCountsColumnsFirst) {
  Tensor x = shaped(f32(Tensor({0, 5, 2, 3})), {1, 1, 2, 2});
  auto where = [&](int64_t order) {
    return OneNode(13, "MaxPool", 2)
        .given(x)
        .integers("kernel_shape", {2, 2})
        .integer("storage_order", order)
        .run()[1]
        .item<int64_t>();
  };
  EXPECT_EQ(where(0), 1);
  EXPECT_EQ(where(1), 2);
}

/// The window that ceil_mode adds has one element of the operand; what is behind it never counts.
TEST(Operators, averagePoolCountsPaddingButNotWhatCeilModeAdds) {
  Tensor x = shaped(f32(Tensor({2, 4, 6, 8})), {1, 1, 4});
  Tensor y = OneNode(13, "AveragePool")
                 .given(x)
                 .integers("kernel_shape", {2})
                 .integers("strides", {2})
                 .integers("pads", {1, 0})
                 .integer("ceil_mode", 1)
                 .integer("count_include_pad", 1)
                 .run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({1, 5, 8})), {1, 1, 3}));
}

/// The last window of stride 3 would begin behind the operand.
TEST(Operators, ceilModeHasNoWindowBehindTheOperand) {
  Tensor x = shaped(f32(Tensor({1, 2, 3})), {1, 1, 3});
  Tensor y = OneNode(13, "MaxPool")
                 .given(x)
                 .integers("kernel_shape", {2})
                 .integers("strides", {3})
                 .integers("pads", {0, 1})
                 .integer("ceil_mode", 1)
                 .run()[0];
  EXPECT_EQ(y, shaped(f32(Tensor({2})), {1, 1, 1}));
}

TEST(Operators, einsumWithoutArrowKeepsWhatOccursOnce) {
  Tensor a = shaped(f32(Tensor({1, 2, 3, 4})), {2, 2});
  Tensor product = OneNode(13, "Einsum").given(a).given(a).text("equation", "ij,jk").run()[0];
  EXPECT_EQ(product, shaped(f32(Tensor({7, 10, 15, 22})), {2, 2}));
  Tensor trace = OneNode(13, "Einsum").given(a).text("equation", "ii").run()[0];
  EXPECT_EQ(trace.item<double>(), 5);
}

TEST(Operators, resizeByWholeNumberOfUnknownExtent) {
  onnx::ModelProto model = makeModel(10);
  addInput(model, "x", {1, -1});
  onnx::TensorProto *scales = model.mutable_graph()->add_initializer();
  scales->set_name("scales");
  scales->set_data_type(onnx::TensorProto::FLOAT);
  scales->add_dims(2);
  scales->add_float_data(1);
  scales->add_float_data(3);
  addNode(model, "Resize", {"x", "scales"}, {"y"});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  auto y = evaluate(module->outputs, module->inputs, {shaped(f32(Tensor({1, 2})), {1, 2})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->front(), shaped(f32(Tensor({1, 1, 1, 2, 2, 2})), {1, 6}));
}

/// Each element times the kernel, in a place of its own; the rows' number is not known.
TEST(Operators, transposedConvolutionWithWindowsBesideEachOther) {
  onnx::ModelProto model = makeModel(11);
  addInput(model, "x", {1, 2, -1, 2});
  addInput(model, "kernel", {2, 1, 2, 3});
  setInts(addNode(model, "ConvTranspose", {"x", "kernel"}, {"y"}), "strides", {2, 3});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  Tensor x = shaped(f32(Tensor({1, 2, 3, 4})), {1, 2, 1, 2});
  Tensor kernel = shaped(f32(Tensor({1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60})), {2, 1, 2, 3});
  auto y = evaluate(module->outputs, module->inputs, {x, kernel});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->front(), shaped(f32(Tensor({31, 62, 93, 42, 84, 126, //
                                           124, 155, 186, 168, 210, 252})),
                               {1, 1, 2, 6}));
}

TEST(Operators, transposedConvolutionWithKernelOfUnknownExtents) {
  onnx::ModelProto model = makeModel(11);
  addInput(model, "x", {1, 1, 2});
  addInput(model, "kernel", {1, 1, -1});
  setInts(addNode(model, "ConvTranspose", {"x", "kernel"}, {"y"}), "strides", {2});
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  Tensor x = shaped(f32(Tensor({1, 2})), {1, 1, 2});
  Tensor kernel = shaped(f32(Tensor({1, 10, 100})), {1, 1, 3});
  auto y = evaluate(module->outputs, module->inputs, {x, kernel});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->front(), shaped(f32(Tensor({1, 10, 102, 20, 200})), {1, 1, 5}));
}

/// What negative padding would cut off are zeros.
TEST(Operators, transposedConvolutionWithNegativePadding) {
  Tensor x = shaped(f32(Tensor({1, 2})), {1, 1, 2}),
         kernel = shaped(f32(Tensor({3, 4})), {1, 1, 2});
  auto padded = [&](std::vector<int64_t> pads) {
    return OneNode(11, "ConvTranspose").given(x).given(kernel).integers("pads", pads).run()[0];
  };
  EXPECT_EQ(padded({0, 0}), shaped(f32(Tensor({3, 10, 8})), {1, 1, 3}));
  EXPECT_EQ(padded({-1, 0}), shaped(f32(Tensor({0, 3, 10, 8})), {1, 1, 4}));
  EXPECT_EQ(padded({1, -2}), shaped(f32(Tensor({10, 8, 0, 0})), {1, 1, 4}));
}

/// A translation may be a function that makes several ops: each is at the model's node.
TEST(Operators, nodesOfOneNodeAreAtIt) {
  onnx::ModelProto model = makeModel(13);
  addInput(model, "x", {-1, -1});
  onnx::TypeProto &type = *model.mutable_graph()->mutable_input(0)->mutable_type();
  type.mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_param("M");
  onnx::AttributeProto &equation = *addNode(model, "Einsum", {"x", "x"}, {"y"}).add_attribute();
  equation.set_name("equation");
  equation.set_type(onnx::AttributeProto::STRING);
  equation.set_s("ij,jk");
  addOutput(model, "y");
  auto module = loadModel(model);
  ASSERT_TRUE(module.ok()) << module.status();
  auto y =
      evaluate(module->outputs, module->inputs, {shaped(f32(Tensor({1, 2, 3, 4, 5, 6})), {2, 3})});
  EXPECT_THAT(errorPlace(y.status()).value_or(Place()).str(),
              testing::EndsWith("model.onnx: node 1 (Einsum)"));
}

//===--- recurrent networks ------------------------------------------------------===//

Tensor rnn(const std::string &direction, const Tensor &x, size_t output) {
  int64_t directions = direction == "bidirectional" ? 2 : 1;
  Tensor weights = f32(directions == 2 ? Tensor({0.5, 0.5}) : Tensor({0.5}));
  Tensor w = shaped(weights, {directions, 1, 1});
  return OneNode(14, "RNN", 2)
      .given(x)
      .given(w)
      .given(w)
      .integer("hidden_size", 1)
      .text("direction", direction)
      .run()[output];
}

/// Backwards is forwards of the reversed sequence, with the results in the sequence's order.
TEST(Recurrent, reverseGoesBackwards) {
  Tensor x = shaped(f32(Tensor({1, 2, 3})), {3, 1, 1}),
         turned = shaped(f32(Tensor({3, 2, 1})), {3, 1, 1});
  Tensor forward = rnn("forward", turned, 0).contiguous();
  Tensor reverse = rnn("reverse", x, 0).contiguous();
  Tensor both = rnn("bidirectional", x, 0).contiguous();
  ASSERT_EQ(both.numElements(), 6);
  for (int64_t t = 0; t < 3; ++t) {
    EXPECT_EQ(reverse.flat<float>()[t], forward.flat<float>()[2 - t]);
    EXPECT_EQ(both.flat<float>()[2 * t + 1], reverse.flat<float>()[t]);
  }
  EXPECT_NEAR(forward.flat<float>()[0], std::tanh(1.5), kClose);
  EXPECT_EQ(rnn("reverse", x, 1).item<float>(), reverse.flat<float>()[0]);
}

/// All weights are 0, the hidden gate's bias of the state is 2, the gates are half open.
TEST(Recurrent, gruResetsBeforeOrAfterTheProduct) {
  auto hidden = [](int64_t linearBeforeReset) {
    Tensor w = shaped(f32(Tensor({0, 0, 0})), {1, 3, 1});
    return OneNode(14, "GRU", 2)
        .given(shaped(f32(Tensor({1})), {1, 1, 1}))
        .given(w)
        .given(w)
        .given(shaped(f32(Tensor({0, 0, 0, 0, 0, 2})), {1, 6}))
        .integer("hidden_size", 1)
        .integer("linear_before_reset", linearBeforeReset)
        .run()[1]
        .item<double>();
  };
  EXPECT_NEAR(hidden(0), 0.5 * std::tanh(2.0), kClose);
  EXPECT_NEAR(hidden(1), 0.5 * std::tanh(1.0), kClose);
}

/// All weights and biases are 0 but the input gate's bias, which opens it: sigmoid(30) is 1.
TEST(Recurrent, lstmForgetsWhatItsInputDoesNotLetIn) {
  auto cell = [](int64_t inputForget) {
    Tensor w = shaped(f32(Tensor({0, 0, 0, 0})), {1, 4, 1}),
           none = shaped(f32(Tensor({0})), {1, 1, 1});
    return OneNode(14, "LSTM", 3)
        .given(none)
        .given(w)
        .given(w)
        .given(shaped(f32(Tensor({30, 0, 0, 0, 0, 0, 0, 0})), {1, 8}))
        .omitted()
        .given(none)
        .given(shaped(f32(Tensor({2})), {1, 1, 1}))
        .integer("hidden_size", 1)
        .integer("input_forget", inputForget)
        .run()[2]
        .item<double>();
  };
  EXPECT_NEAR(cell(0), 1, kClose);
  EXPECT_NEAR(cell(1), 0, kClose);
}

// Frames of two, a and b, with the window (1, 2) give a + 2 b and a - 2 b. onnxruntime 1.30 gives
// other numbers where signals are complex, so that cases.jsonl has none of these.
TEST(Operators, stftOfComplexSignalsHasItsWindow) {
  Tensor signal = *f32(Tensor({{1, 2}, {3, -1}, {0, 4}, {-2, 5}})).reshape({1, 4, 2});
  Tensor y = OneNode(17, "STFT")
                 .given(signal)
                 .constant({2})
                 .given(f32(Tensor({1, 2})))
                 .constant({2})
                 .integer("onesided", 0)
                 .run()[0];
  Tensor expected = f32(Tensor({{7, 0}, {-5, 4}, {-4, 14}, {4, -6}}));
  EXPECT_LT(distance(y, *expected.reshape({1, 2, 2, 2})), 1e-6);
}

} // namespace
} // namespace graphc::test
