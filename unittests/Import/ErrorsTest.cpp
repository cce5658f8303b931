//===- ErrorsTest.cpp - what mistakes in models are called, whole -----------===//
#include "Import/OneNode.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"

namespace graphc::test {
namespace {

constexpr int64_t kLarge = (int64_t(1) << 32) + 1; // 1 where it is cut to 32 bits

/// Zeros of a shape.
Tensor zeros(std::vector<int64_t> shape, DType dtype = DType::Float32) {
  return *Tensor::zeros(dtype, shape);
}

struct Case {
  OneNode node;
  std::string message;
};

void expectErrors(std::vector<Case> cases) {
  for (Case &c : cases)
    EXPECT_EQ(error(c.node.load()), "model.onnx: node 1 (" + c.message);
}

/// ONNX's numbers have 64 bits, graphc's parameters mostly 32: what does not fit is refused.
TEST(Errors, numbersOutOfRange) {
  Tensor picture = zeros({1, 1, 4, 4}), kernel = zeros({1, 1, 2, 2});
  auto conv = [&] { return OneNode(13, "Conv").given(picture).given(kernel); };
  auto transposed = [&] { return OneNode(13, "ConvTranspose").given(picture).given(kernel); };
  auto pool = [&] { return OneNode(13, "MaxPool").given(picture); };
  expectErrors({
      {conv().integer("group", kLarge), "Conv): attribute group is out of range: 4294967297"},
      {conv().integers("strides", {1, kLarge}),
       "Conv): attribute strides is out of range: 4294967297"},
      {conv().integers("dilations", {-kLarge, 1}),
       "Conv): attribute dilations is out of range: -4294967297"},
      {conv().integers("pads", {0, 0, 0, kLarge}),
       "Conv): attribute pads is out of range: 4294967297"},
      {transposed().integer("group", kLarge),
       "ConvTranspose): attribute group is out of range: 4294967297"},
      {transposed().integers("output_shape", {kLarge, 1}),
       "ConvTranspose): attribute output_shape is out of range: 4294967297"},
      {pool().integers("kernel_shape", {kLarge, 1}),
       "MaxPool): attribute kernel_shape is out of range: 4294967297"},
      {pool()
           .integers("kernel_shape", {INT32_MAX, 1})
           .integers("dilations", {INT32_MAX, 1})
           .text("auto_pad", "SAME_UPPER"),
       "MaxPool): the padding is out of range: 2305843005992468481"},
      {OneNode(13, "Cast").given(picture).integer("to", kLarge),
       "Cast): attribute to is out of range: 4294967297"},
      {OneNode(9, "EyeLike").given(zeros({2, 2})).integer("dtype", kLarge),
       "EyeLike): attribute dtype is out of range: 4294967297"},
      {OneNode(13, "LRN").given(picture).integer("size", kLarge),
       "LRN): attribute size is out of range: 4294967297"},
      {OneNode(13, "DepthToSpace").given(picture).integer("blocksize", kLarge),
       "DepthToSpace): attribute blocksize is out of range: 4294967297"},
      {OneNode(10, "Pad").given(zeros({2})).integers("pads", {0, kLarge}),
       "Pad): attribute pads is out of range: 4294967297"},
      {OneNode(13, "Pad").given(zeros({2})).constant({-kLarge, 0}),
       "Pad): input 1 is out of range: -4294967297"},
      {OneNode(13, "Transpose").given(zeros({2, 2})).integers("perm", {0, kLarge}),
       "Transpose): axis 4294967297 is out of range for rank 2"},
      {OneNode(11, "Squeeze").given(zeros({1, 2})).integers("axes", {kLarge - 1}),
       "Squeeze): axis 4294967296 is out of range for rank 2"},
      {OneNode(13, "GatherND")
           .given(zeros({2, 2}))
           .given(zeros({2, 1}, DType::Int64))
           .integer("batch_dims", kLarge),
       "GatherND): attribute batch_dims is out of range: 4294967297"},
      {OneNode(13, "MaxUnpool")
           .given(picture)
           .given(zeros({1, 1, 4, 4}, DType::Int64))
           .constant({1, 1, 4, kLarge})
           .integers("kernel_shape", {1, 1}),
       "MaxUnpool): output_shape is out of range: 4294967297"},
      {OneNode(11, "Resize").given(zeros({3})).omitted().omitted().constant({kLarge}),
       "Resize): a size or scale is 4294967297.000000"},
  });
}

TEST(Errors, ofElementwiseOperators) {
  Tensor x = zeros({2});
  expectErrors({
      {OneNode(20, "Gelu").given(x).text("approximate", "erf"),
       "Gelu): attribute approximate is 'erf'"},
      {OneNode(13, "Cast").given(x), "Cast): attribute to is missing"},
      {OneNode(13, "Cast").given(x).integer("to", 8),
       "Cast): attribute to names STRING, which graphc has not"},
      {OneNode(11, "BitShift").given(x).given(x).text("direction", "UP"),
       "BitShift): attribute direction is 'UP'"},
      {OneNode(12, "NegativeLogLikelihoodLoss")
           .given(zeros({2, 3}))
           .given(zeros({2}, DType::Int64))
           .text("reduction", "max"),
       "NegativeLogLikelihoodLoss): attribute reduction is 'max'"},
      {OneNode(12, "SoftmaxCrossEntropyLoss")
           .given(zeros({2, 3}))
           .given(zeros({2, 3}, DType::Int64)),
       "SoftmaxCrossEntropyLoss): labels must have one axis less than probabilities"},
      {OneNode(13, "LpNormalization").given(x).integer("p", 3),
       "LpNormalization): attribute p is 3"},
      {OneNode(13, "LRN").given(x).integer("size", 3), "LRN): size 3 of rank 1"},
      {OneNode(13, "Concat").integer("axis", 0), "Concat): input 0 is missing"},
      {OneNode(13, "Concat").given(x), "Concat): attribute axis is missing"},
  });
}

TEST(Errors, ofWindows) {
  Tensor line = zeros({1, 1, 4}), picture = zeros({1, 1, 4, 4}), kernel = zeros({1, 1, 2, 2});
  auto conv = [&] { return OneNode(13, "Conv").given(picture).given(kernel); };
  auto transposed = [&] { return OneNode(13, "ConvTranspose").given(picture).given(kernel); };
  expectErrors({
      {OneNode(13, "Conv").given(line).given(kernel),
       "Conv): operand and kernel must have the same rank: f32[1,1,4] and "
       "f32[1,1,2,2]"},
      {conv().integers("strides", {0, 1}),
       "Conv): windows, strides and dilations must be positive"},
      {conv().integers("strides", {1}),
       "Conv): attribute strides has 1 entries for 2 spatial axes"},
      {conv().integers("pads", {1}), "Conv): attribute pads has 1 entries for 2 spatial axes"},
      {conv().text("auto_pad", "SAME"), "Conv): attribute auto_pad is 'SAME'"},
      {OneNode(13, "MaxPool").given(zeros({1, 1})).integers("kernel_shape", {2}),
       "MaxPool): the operand has no spatial axes: f32[1,1]"},
      {OneNode(13, "MaxPool").given(picture).integers("kernel_shape", {2}),
       "MaxPool): a window of 1 axes for 2 spatial axes"},
      {OneNode(13, "ConvTranspose").given(line).given(kernel),
       "ConvTranspose): operand and kernel must have the same rank, at least 3: f32[1,1,4] and "
       "f32[1,1,2,2]"},
      {transposed().text("auto_pad", "SAME"), "ConvTranspose): attribute auto_pad is 'SAME'"},
      {transposed().integer("group", 2), "ConvTranspose): 1 channels in 2 groups"},
      {OneNode(13, "MaxUnpool")
           .given(picture)
           .given(zeros({1, 1, 4, 4}, DType::Int64))
           .integers("kernel_shape", {1}),
       "MaxUnpool): kernel_shape, strides and pads do not fit f32[1,1,4,4]"},
      {OneNode(13, "MaxUnpool")
           .given(picture)
           .given(zeros({1, 1, 4, 4}, DType::Int64))
           .integers("kernel_shape", {1, 1})
           .integers("strides", {INT64_MAX, 1}),
       "MaxUnpool): kernel_shape, strides and pads are out of range"},
      {OneNode(13, "MaxUnpool")
           .given(picture)
           .given(zeros({1, 1, 4, 4}, DType::Int64))
           .constant({4, 4})
           .integers("kernel_shape", {1, 1}),
       "MaxUnpool): output_shape must have 4 numbers"},
  });
}

TEST(Errors, ofShapesAndIndices) {
  Tensor x = zeros({2}), matrix = zeros({2, 3});
  expectErrors({
      {OneNode(13, "Split", 2).given(x).constant({1, 1, 0}), "Split): 3 sizes for 2 outputs"},
      {OneNode(13, "Slice").given(x).constant({0}).constant({1, 2}),
       "Slice): input 2 has 2 numbers where others have 1"},
      {OneNode(9, "Slice").given(x).integers("starts", {0}).integers("ends", {1, 2}),
       "Slice): starts, ends, axes and steps differ in length"},
      {OneNode(13, "Slice").given(matrix).constant({0, 0}).constant({1, 1}).constant({1, -1}),
       "Slice): axis 1 is given twice"},
      {OneNode(13, "GatherElements").given(x).given(zeros({1, 1}, DType::Int64)),
       "GatherElements): indices must have the operand's rank"},
      {OneNode(13, "Pad").given(matrix).constant({0, 0, 1}), "Pad): 3 pads for 2 axes"},
      {OneNode(13, "EyeLike").given(x), "EyeLike): the operand must be a matrix: f32[2]"},
      {OneNode(14, "Trilu").given(x), "Trilu): the operand has no matrices: f32[2]"},
      {OneNode(14, "Trilu").given(matrix).constant({1, 2}), "Trilu): input 1 must be one integer"},
      {OneNode(11, "Squeeze").given(x).number("axes", 0),
       "Squeeze): attribute axes is of kind FLOAT where INTS is expected"},
      {OneNode(13, "TopK", 2).given(x).constant({1, 2}), "TopK): k must be one number"},
      {OneNode(13, "Reshape").given(x).constant({0, 0}),
       "Reshape): extent 1 is 0, but the operand's rank is 1"},
      {OneNode(13, "Reshape").given(x).given(x),
       "Reshape): input 1 must be a vector of integers, is f32[2]"},
      {OneNode(13, "Unsqueeze").given(x), "Unsqueeze): axes are missing"},
      {OneNode(13, "Tile").given(x).constant({1, 1}), "Tile): 2 repeats for rank 1"},
      {OneNode(13, "Tile").given(x).constant({INT64_MAX}),
       "Tile): a shape has more than 2^63 elements"},
      {OneNode(13, "ScatterElements")
           .given(x)
           .given(zeros({1, 1}, DType::Int64))
           .given(zeros({1, 1})),
       "ScatterElements): data, indices and updates must have the same rank"},
      {OneNode(13, "GatherND").given(x).given(zeros({1, 2}, DType::Int64)),
       "GatherND): indices of i64[1,2] for 1 axes"},
      {OneNode(13, "GatherND").given(x).given(zeros({1, 1}, DType::Int64)).integer("batch_dims", 1),
       "GatherND): batch_dims is 1"},
      {OneNode(17, "DFT").given(zeros({2, 3})),
       "DFT): the last axis must have one or two numbers: f32[2,3]"},
      {OneNode(17, "DFT").given(zeros({2, 1})),
       "DFT): the last axis has the parts of numbers; no transform goes along it"},
      {OneNode(17, "STFT").given(x).constant({1}),
       "STFT): the signal must be (batch, length), with a last axis of one or two numbers: f32[2]"},
      {OneNode(17, "STFT").given(zeros({1, 4})).constant({1}),
       "STFT): neither window nor frame_length is given"},
      {OneNode(13, "Resize").given(x).omitted().omitted().constant({1, 2}),
       "Resize): 2 sizes or scales for 1 axes"},
      {OneNode(13, "Resize").given(x).omitted().omitted().constant({-1}),
       "Resize): a size or scale is -1.000000"},
      {OneNode(13, "Resize").given(x).text("mode", "area"), "Resize): attribute mode is 'area'"},
      {OneNode(9, "Upsample").given(x).text("mode", "cubic"),
       "Upsample): attribute mode is 'cubic'"},
  });
}

TEST(Errors, ofGraphsWithin) {
  Tensor x = zeros({2}), yes = zeros({}, DType::Bool);
  expectErrors({
      {OneNode(13, "If").given(yes), "If): attribute then_branch is missing"},
      {OneNode(13, "If").given(yes).reversing("then_branch", {"a"}),
       "If): attribute then_branch is a graph of 1 inputs where 0 are given"},
      {OneNode(13, "If").given(yes).reversing("then_branch", {}),
       "If): attribute then_branch is a graph of 0 outputs where there must be 1"},
      {OneNode(13, "Loop").omitted().omitted().given(x), "Loop): attribute body is missing"},
      {OneNode(13, "Scan").given(x).reversing("body", {"a"}),
       "Scan): attribute num_scan_inputs is missing"},
      {OneNode(13, "Scan").given(x).integer("num_scan_inputs", 2).reversing("body", {"a"}),
       "Scan): num_scan_inputs is 2 of 1 inputs"},
      {OneNode(13, "Scan")
           .given(x)
           .given(x)
           .given(x)
           .integer("num_scan_inputs", 1)
           .reversing("body", {}),
       "Scan): there are 1 outputs for 2 states"},
      {OneNode(8, "Scan").omitted().given(x).integer("num_scan_inputs", 2),
       "Scan): num_scan_inputs is 2 of 1 inputs"},
      {OneNode(8, "Scan").omitted().given(x).given(x).given(x).integer("num_scan_inputs", 1),
       "Scan): there are 1 outputs for 2 states"},
      {OneNode(8, "Scan").omitted().given(x).integer("num_scan_inputs", 1),
       "Scan): a scan input must have a batch and a sequence: f32[2]"},
  });
}

TEST(Errors, ofAttentionAndNormalizations) {
  Tensor x = zeros({2}), line = zeros({1, 2, 8}), heads = zeros({1, 2, 2, 4});
  auto attention = [&](const Tensor &q, const Tensor &k) {
    return OneNode(23, "Attention").given(q).given(k).given(k);
  };
  expectErrors({
      {attention(x, x), "Attention): Q, K and V must all have rank 3 or all 4: f32[2], f32[2] and "
                        "f32[2]"},
      {attention(line, line), "Attention): q_num_heads and kv_num_heads must be given, and be "
                              "positive, where Q has rank 3"},
      {attention(zeros({1, 3, 2, 4}), heads), "Attention): 3 heads of queries for 2 of keys"},
      {attention(heads, heads).omitted().given(heads),
       "Attention): past_key and past_value must be given together"},
      {attention(heads, heads).integer("qk_matmul_output_mode", 4),
       "Attention): attribute qk_matmul_output_mode is 4"},
      {OneNode(23, "RotaryEmbedding").given(x).given(x).given(x),
       "RotaryEmbedding): the operand must have rank 3 or 4: f32[2]"},
      {OneNode(23, "RotaryEmbedding").given(line).given(zeros({1, 2, 4})).given(zeros({1, 2, 4})),
       "RotaryEmbedding): num_heads must be given, and be positive, where the operand has rank 3"},
      {OneNode(21, "GroupNormalization").given(x).given(x).given(x).integer("num_groups", 1),
       "GroupNormalization): the operand has no channels: f32[2]"},
      {OneNode(21, "GroupNormalization").given(line).given(x).given(x).integer("num_groups", 3),
       "GroupNormalization): 2 channels in 3 groups"},
      {OneNode(18, "LpPool").given(line).integers("kernel_shape", {2}).integer("p", 0),
       "LpPool): attribute p is 0.000000"},
  });
}

/// An extent that the file merely claims: no array is made of it.
TEST(Errors, ofClaimedExtents) {
  for (int64_t claimed : {int64_t(1) << 33, int64_t(1) << 62, INT64_MAX}) {
    onnx::ModelProto model = makeModel(20);
    addInput(model, "theta", {1, claimed, -1});
    addInput(model, "size", {-1}, onnx::TensorProto::INT64);
    addNode(model, "AffineGrid", {"theta", "size"}, {"y"});
    addOutput(model, "y");
    EXPECT_THAT(error(loadModel(model)), testing::HasSubstr("AffineGrid")) << claimed;
  }
}

TEST(Errors, ofRegionsAndPictures) {
  Tensor x = zeros({2}), picture = zeros({1, 1, 4, 4}), rois = zeros({1, 4}),
         batch = zeros({1}, DType::Int64);
  auto align = [&] { return OneNode(16, "RoiAlign").given(picture).given(rois).given(batch); };
  expectErrors({
      {OneNode(16, "RoiAlign").given(x).given(rois).given(batch),
       "RoiAlign): X must be pictures of floats, of rank 4, and rois a matrix: f32[2] and "
       "f32[1,4]"},
      {align().text("mode", "min"), "RoiAlign): attribute mode is 'min'"},
      {align().text("coordinate_transformation_mode", "asymmetric"),
       "RoiAlign): attribute coordinate_transformation_mode is 'asymmetric'"},
      {align().integer("output_width", 0),
       "RoiAlign): output_height and output_width must be positive"},
      {OneNode(22, "MaxRoiPool").given(picture).given(zeros({1, 5})),
       "MaxRoiPool): attribute pooled_shape must be two positive numbers"},
      {OneNode(20, "AffineGrid").given(zeros({1, 2, 3})).constant({1, 1, 2}),
       "AffineGrid): theta must have rank 3 and size 4 or 5 numbers: f32[1,2,3] and 3"},
      {OneNode(18, "CenterCropPad").given(x).constant({2}).integers("axes", {0, 0}),
       "CenterCropPad): 1 extents for 2 axes"},
      {OneNode(18, "CenterCropPad").given(x).constant({INT64_MIN}),
       "CenterCropPad): an extent is out of range"},
      {OneNode(18, "Col2Im").given(x).constant({2}).constant({2}),
       "Col2Im): image_shape and block_shape must be as long as each other, and the operand of "
       "rank 3: f32[2]"},
      {OneNode(18, "Col2Im").given(zeros({1, 3, 1})).constant({2}).constant({2}),
       "Col2Im): 3 channels in blocks of 2"},
      {OneNode(19, "DeformConv").given(x).given(x).given(x),
       "DeformConv): other operands than pictures, of rank 4: f32[2], f32[2] and f32[2]"},
      {OneNode(19, "DeformConv").given(picture).given(picture).given(picture).integer("group", 0),
       "DeformConv): group and offset_group must be positive"},
      {OneNode(18, "Resize")
           .given(x)
           .omitted()
           .omitted()
           .constant({2})
           .text("keep_aspect_ratio_policy", "any"),
       "Resize): attribute keep_aspect_ratio_policy is 'any'"},
      {OneNode(16, "GridSample").given(x).given(x),
       "GridSample): the operand and the grid must have one rank, at least 3: f32[2] and f32[2]"},
  });
}

/// Axes that are known at run time alone.
TEST(Errors, ofComputedAxesOutOfRange) {
  for (auto [opset, op] : {std::pair(14, "CumSum"), std::pair(26, "CumProd")})
    for (int64_t axis : {int64_t(2), int64_t(-3), INT64_MAX}) {
      absl::StatusOr<GraphModule> module =
          OneNode(opset, op).given(zeros({2, 3})).given(i64(Tensor(0))).load();
      ASSERT_TRUE(module.ok()) << module.status();
      absl::StatusOr<std::vector<Tensor>> results =
          evaluate(module->outputs, module->inputs, {zeros({2, 3}), Tensor(axis)});
      EXPECT_EQ(errorKind(results.status()), ErrorKind::AxisError);
      EXPECT_TRUE(absl::StartsWith(results.status().message(),
                                   "assert: an axis is out of range for rank 2\n"))
          << op << axis;
    }
}

/// Inputs that are computed, of which the result's rank depends on how many there are.
TEST(Errors, ofComputedAxes) {
  Tensor x = zeros({2, 3});
  auto withAxes = [&](int opset, const std::string &op, std::vector<int64_t> shape) {
    onnx::ModelProto model = makeModel(opset);
    addInput(model, "x", {2, 3});
    addInput(model, "axes", shape, onnx::TensorProto::INT64);
    onnx::NodeProto &node = addNode(model, op, {"x", "axes"}, {"y"});
    if (op == "ReduceSum")
      setInt(node, "keepdims", 0);
    addOutput(model, "y");
    return error(loadModel(model));
  };
  const std::string unknown = "): an unknown number of computed axes, on which the result's rank "
                              "depends; declare the output's shape";
  EXPECT_EQ(withAxes(13, "ReduceSum", {-1}), "model.onnx: node 1 (ReduceSum" + unknown);
  EXPECT_EQ(withAxes(13, "Squeeze", {-1}), "model.onnx: node 1 (Squeeze" + unknown);
  EXPECT_EQ(withAxes(13, "Unsqueeze", {-1}), "model.onnx: node 1 (Unsqueeze" + unknown);
  EXPECT_EQ(withAxes(13, "Squeeze", {3}), "model.onnx: node 1 (Squeeze): 3 axes for rank 2");
  EXPECT_EQ(withAxes(13, "Unsqueeze", {31}),
            "model.onnx: node 1 (Unsqueeze): the result has rank 33");
  EXPECT_EQ(withAxes(13, "ReduceSum", {}),
            "model.onnx: node 1 (ReduceSum): input 1 must be a vector of integers, is i64");
  expectErrors(
      {{OneNode(18, "Split", 2).given(x).integer("num_outputs", 3),
        "Split): num_outputs is 3, but the node has 2 outputs"},
       {OneNode(18, "ScatterElements")
            .given(x)
            .given(zeros({1, 1}, DType::Int64))
            .given(zeros({1, 1}))
            .text("reduction", "mean"),
        "ScatterElements): attribute reduction is 'mean'"},
       {OneNode(24, "TensorScatter").given(x).given(x).integer("axis", 0),
        "TensorScatter): the cache and its update must have one rank, and the axis must "
        "not be the batch's"},
       {OneNode(24, "TensorScatter").given(x).given(x).integer("axis", 1).text("mode", "ring"),
        "TensorScatter): attribute mode is 'ring'"}});
}

TEST(Errors, ofQuantization) {
  Tensor x = zeros({2, 4}), one = zeros({});
  auto quantize = [&](const Tensor &scale) {
    return OneNode(21, "QuantizeLinear").given(x).given(scale);
  };
  expectErrors({
      {quantize(zeros({2, 2})), "QuantizeLinear): block_size is 0 for a parameter of f32[2,2]"},
      {quantize(one).integer("output_dtype", onnx::TensorProto::INT32),
       "QuantizeLinear): quantizing to int32"},
  });
}

TEST(Errors, ofEquationsAndSequences) {
  Tensor x = zeros({2}), w = zeros({1, 1, 1});
  auto einsum = [&](const std::string &equation) {
    return OneNode(13, "Einsum").given(x).text("equation", equation);
  };
  auto rnn = [&] { return OneNode(14, "RNN").given(w).given(w).given(w); };
  expectErrors({
      {einsum("+"), "Einsum): einsum: '+' is no term of labels\n  einsum(x0: f32[2])"},
      {einsum("i,i"),
       "Einsum): einsum: the equation has 2 terms for 1 operands\n  einsum(x0: f32[2])"},
      {einsum("ij"), "Einsum): einsum: the term 'ij' does not fit rank 1\n  einsum(x0: f32[2])"},
      {einsum("i->j"), "Einsum): einsum: the result repeats a label, or has one that no operand "
                       "has\n  einsum(x0: f32[2])"},
      {OneNode(13, "DepthToSpace")
           .given(zeros({1, 4, 2, 2}))
           .integer("blocksize", 2)
           .text("mode", "ROW"),
       "DepthToSpace): attribute mode is 'ROW'"},
      {OneNode(13, "SpaceToDepth").given(x).integer("blocksize", 2),
       "SpaceToDepth): spaceToDepth: x must be (batch, channels, height, width), not rank 1\n  "
       "spaceToDepth(x0: f32[2])"},
      {OneNode(14, "RNN").given(x).given(w).given(w), "RNN): X, W and R must have rank 3"},
      {rnn().text("direction", "up"), "RNN): direction 'up' for R of f32[1,1,1]"},
      {rnn().texts("activations", {"Tanh", "Tanh"}),
       "RNN): attribute activations has 2 names for 1 directions"},
      {rnn().texts("activations", {"Gelu"}), "RNN): activation 'Gelu'"},
  });
}

TEST(Errors, ofInputsAndConstants) {
  auto model = [](auto change) {
    onnx::ModelProto model = makeModel(13);
    addInput(model, "x", {2});
    addOutput(model, "x");
    change(*model.mutable_graph());
    return error(loadModel(model));
  };
  EXPECT_EQ(model([](onnx::GraphProto &g) {
              g.mutable_input(0)->mutable_type()->mutable_sequence_type();
            }),
            "model.onnx: input 'x': is a sequence; give its length (OnnxInputs::lengths, or "
            "--length 'x=N'): how many elements it has");
  EXPECT_EQ(
      model([](onnx::GraphProto &g) { g.mutable_input(0)->mutable_type()->mutable_map_type(); }),
      "model.onnx: input 'x': is no tensor");
  EXPECT_EQ(model([](onnx::GraphProto &g) {
              g.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                  onnx::TensorProto::STRING);
            }),
            "model.onnx: input 'x': is of STRING, which graphc has not");
  EXPECT_EQ(model([](onnx::GraphProto &g) {
              g.mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
            }),
            "model.onnx: input 'x': has no rank; give the shape of 'x' (OnnxInputs::shapes, or "
            "--shape 'x=2,?')");
  EXPECT_EQ(model([](onnx::GraphProto &g) { g.mutable_output(0)->set_name("a\nb\x7f"); }),
            "model.onnx: output 'a\\x0ab\\x7f' is computed by no node");

  onnx::ModelProto empty;
  empty.set_ir_version(7);
  EXPECT_EQ(error(loadModel(empty)), "model.onnx: is no ONNX model: it has no graph");

  auto constant = [](auto change) {
    onnx::ModelProto model = makeModel(13);
    change(addInts(model, "w", {1, 300}));
    addOutput(model, "w");
    return error(loadModel(model));
  };
  EXPECT_EQ(constant([](onnx::TensorProto &w) { w.set_data_type(onnx::TensorProto::STRING); }),
            "model.onnx: initializer 'w': is of STRING, which graphc has not");
  EXPECT_EQ(constant([](onnx::TensorProto &w) { w.set_data_type(99); }),
            "model.onnx: initializer 'w': is of element type 99, which graphc has not");
  EXPECT_EQ(constant([](onnx::TensorProto &w) {
              for (int i = 0; i < 32; ++i)
                w.add_dims(1);
            }),
            "model.onnx: initializer 'w': has rank 33; the greatest is 32");
  EXPECT_EQ(constant([](onnx::TensorProto &w) { w.set_dims(0, -2); }),
            "model.onnx: initializer 'w': has the shape (-2,)");
  EXPECT_EQ(constant([](onnx::TensorProto &w) { w.mutable_segment()->set_begin(0); }),
            "model.onnx: initializer 'w': is stored in segments");
  // Numbers of fewer bits lie in fields of more.
  auto narrow = [&](int type, int32_t number) {
    return constant([&](onnx::TensorProto &w) {
      w.set_data_type(type);
      w.clear_int64_data();
      w.add_int32_data(1);
      w.add_int32_data(number);
    });
  };
  EXPECT_EQ(narrow(onnx::TensorProto::UINT8, 300),
            "model.onnx: initializer 'w': holds 300, which is no uint8");
  EXPECT_EQ(narrow(onnx::TensorProto::INT8, 128),
            "model.onnx: initializer 'w': holds 128, which is no int8");
  EXPECT_EQ(narrow(onnx::TensorProto::FLOAT16, 1 << 16),
            "model.onnx: initializer 'w': holds 65536, which is no float16");
  EXPECT_EQ(narrow(onnx::TensorProto::UINT8, 255), "no error");

  onnx::ModelProto unsignedAxis = makeModel(13);
  addInput(unsignedAxis, "x", {2});
  onnx::TensorProto &axis = addInts(unsignedAxis, "axis", {});
  axis.set_data_type(onnx::TensorProto::UINT64);
  axis.set_dims(0, 1);
  axis.add_uint64_data(UINT64_MAX);
  addNode(unsignedAxis, "Unsqueeze", {"x", "axis"}, {"y"});
  addOutput(unsignedAxis, "y");
  EXPECT_EQ(error(loadModel(unsignedAxis)),
            "model.onnx: node 1 (Unsqueeze): input 1 is out of range: 18446744073709551615");
}

TEST(Errors, ofConstantNodes) {
  auto constantOfShape = [](std::vector<int64_t> value) {
    onnx::ModelProto model = makeModel(13);
    addInts(model, "shape", {2});
    onnx::AttributeProto &a = *addNode(model, "ConstantOfShape", {"shape"}, {"y"}).add_attribute();
    a.set_name("value");
    a.set_type(onnx::AttributeProto::TENSOR);
    onnx::ModelProto numbers;
    *a.mutable_t() = addInts(numbers, "", value);
    addOutput(model, "y");
    return error(loadModel(model));
  };
  EXPECT_EQ(constantOfShape({1, 2}),
            "model.onnx: node 1 (ConstantOfShape): attribute value must have one element");
  EXPECT_EQ(constantOfShape({1}), "no error");
  EXPECT_EQ(error(OneNode(13, "Constant").load()),
            "model.onnx: node 1 (Constant): a constant that is no tensor of numbers");
  EXPECT_EQ(error(OneNode(13, "Relu", 2).given(zeros({1})).load()),
            "model.onnx: node 1 (Relu): output 1 is not supported");
}

} // namespace
} // namespace graphc::test
