//===- OpMessagesTest.cpp - what ops say of wrong operands, whole -----------===//
#include <gtest/gtest.h>

#include "OpMessages.h"
#include "graphc/Ops.h"
#include "graphc/graphc.h"

namespace graphc {
namespace {

//===--- dtypes, axes -------------------------------------------------------------===//

TEST(OpMessages, DTypes) {
  Variable b = of(kBool), f = of(kF64), i = of(kI64);
  expectMessages({
      {b - b, "TypeError: sub: bool operands are refused: it takes numbers; cast them, or use "
              "logicalXor or logicalNot\n  sub(i1, i1)"},
      {bitwiseAnd(f, i), "TypeError: bitwiseAnd: float64 operands are refused: it takes integers "
                         "or bools\n  bitwiseAnd(f64, i64)"},
      {bitwiseAnd(b, i), "TypeError: bitwiseAnd: bool and integer operands are not mixed; cast "
                         "one\n  bitwiseAnd(i1, i64)"},
      {leftShift(b, i),
       "TypeError: leftShift: bool operands are refused: it takes integers\n  leftShift(i1, i64)"},
      {bitwiseOr(i, of(DType::UInt64)), "TypeError: bitwiseOr: int64 and uint64 have no common "
                                        "integer dtype; cast one\n  bitwiseOr(i64, ui64)"},
      {round(i), "TypeError: round: int64 operands are refused: it takes floats; cast it "
                 "first\n  round(i64)"},
      {sum(f, {.accDtype = kF32}),
       "TypeError: sum: accDtype float32 would lose range of float64\n  sum{accDtype = f32}(f64)"},
      {mean(f, {.accDtype = kF32}), "TypeError: mean: accDtype float32 would lose range of "
                                    "float64\n  mean{accDtype = f32}(f64)"},
      {mean(of(DType::Int32), {.accDtype = kI64}),
       "TypeError: mean: an average is computed in floats, not in accDtype int64\n  "
       "mean{accDtype = i64}(i32)"},
      {mean(f, {.dtype = kI64}),
       "TypeError: mean: the result of an average is a float, not int64\n  mean{dtype = i64}(f64)"},
      {max(f64({2}), {.dtype = kF32}),
       "TypeError: max: it has no dtype option; cast the result\n  max(f64[2])"},
      {sum(f64({2}), {.ddof = 1}),
       "TypeError: sum: it has no ddof option; var and stddev have one\n  sum(f64[2])"},
      {arange(b, b, b), "TypeError: arange: bool operands are refused: it takes numbers; cast "
                        "them, or use logicalXor or logicalNot\n  arange(i1, i1, i1)"},
      {arange(0, i, 1, kBool), "TypeError: arange: a range of bool is refused; cast one of "
                               "numbers\n  arange{dtype = i1}(0, i64, 1)"},
      {arange(f64({2}), 3, 1),
       "TypeError: arange: operand 0 must be a scalar, not tensor<2xf64>\n  arange(f64[2], 3, 1)"},
      {conv2d(of(kBool, {1, 1, 2, 2}), of(kBool, {1, 1, 1, 1})),
       "TypeError: conv2d: bool operands are refused; cast them first\n  conv2d(i1[1,1,2,2], "
       "i1[1,1,1,1])"},
      {pool(of(kBool, {4}), {2}, {.mode = PoolMode::Sum}),
       "TypeError: pool: bool operands are refused; cast them first\n  pool{window = [2], mode = "
       "\"sum\"}(i1[4])"},
      {take(f64({3}), 1.5),
       "TypeError: take: 1.5 is a float where a size or an index is needed\n  take(f64[3], 1.5)"},
      {take(f64({3}), f64({2})),
       "TypeError: take: indices are integers, not float64\n  take(f64[3], f64[2])"},
      {f64({3})[f], "TypeError: subtensor: operand 1 must be an integer scalar, not tensor<f64>\n  "
                    "subtensor{index = \"$0\"}(f64[3], f64)"},
      {eye(f),
       "TypeError: eye: operand 0 must be an integer scalar, not tensor<f64>\n  eye(f64, f64, 0)"},
      {eye(2.5),
       "TypeError: eye: 2.5 is a float where a size or an index is needed\n  eye(2.5, 2.5, 0)"},
      {eye(Operand(uint64_t(1) << 63)),
       "ValueError: eye: 9223372036854775808 does not fit into int64\n  eye(9223372036854775808, "
       "9223372036854775808, 0)"},
      {reshape(f64({4}), ShapeList({f, 2})),
       "TypeError: reshape: operand 1 must be an integer array of rank 1, not tensor<2xf64>\n  "
       "reshape(f64[4], f64[2])"},
      {filterVariable(TensorType(kF32, {2}), of(kF64, {2})),
       "TypeError: a Variable of type f64[2] where f32[2] is needed; nothing is cast implicitly"},
      {filterVariable(TensorType(kF32, {2}), of(kF32, {3}).setName("x")),
       "TypeError: x: f32[3] where f32[2] is needed; nothing is cast implicitly"},
  });
}

TEST(OpMessages, Axes) {
  Variable m = f64({2, 3}).setName("m");
  expectMessages({
      {sum(m, Axis(2)),
       "AxisError: sum: axis 2 is out of range for rank 2\n  sum{axes = [2]}(m: f64[2,3])"},
      {sum(m, Axes{0, -2}),
       "ValueError: sum: axis 0 is repeated\n  sum{axes = [0, 0]}(m: f64[2,3])"},
      {argmax(f64({2, 0}), Axis(1)), "ValueError: argmax: axis 1 is empty, so there is nothing to "
                                     "choose\n  argmax{axes = [1]}(f64[2,0])"},
      {shape(m, 5),
       "AxisError: shapeI: axis 5 is out of range for rank 2\n  shapeI{axis = 5}(m: f64[2,3])"},
      {transpose(m, {0, 2}),
       "AxisError: transpose: axis 2 is out of range for rank 2\n  transpose(m: f64[2,3])"},
      {transpose(m, {0}),
       "ValueError: transpose: the order names 1 of 2 axes\n  transpose(m: f64[2,3])"},
      {transpose(m, {1, 1}), "ValueError: transpose: axis 1 is repeated\n  transpose(m: f64[2,3])"},
      {swapaxes(m, 0, 2),
       "AxisError: swapaxes: axis 2 is out of range for rank 2\n  swapaxes(m: f64[2,3])"},
      {moveaxis(m, {0}, {3}),
       "AxisError: moveaxis: axis 3 is out of range for rank 2\n  moveaxis(m: f64[2,3])"},
      {moveaxis(m, {0, 1}, {1}),
       "ValueError: moveaxis: source has 2 axes and destination 1\n  moveaxis(m: f64[2,3])"},
      {expandDims(m, Axes()),
       "ValueError: expandDims: the axes must be given\n  expandDims(m: f64[2,3])"},
      {expandDims(m, Axis(4)),
       "AxisError: expandDims: axis 4 is out of range for rank 3\n  expandDims(m: f64[2,3])"},
      {squeeze(m, Axis(2)),
       "AxisError: squeeze: axis 2 is out of range for rank 2\n  squeeze(m: f64[2,3])"},
      {dimshuffle(m, {0, 1, 2}), "ValueError: dimshuffle: axis 2 in order is out of range for rank "
                                 "2\n  dimshuffle{order = [0, 1, 2]}(m: f64[2,3])"},
      {dimshuffle(m, {0, 0, 1}), "ValueError: dimshuffle: axis 0 is repeated in order\n  "
                                 "dimshuffle{order = [0, 0, 1]}(m: f64[2,3])"},
      {dimshuffle(m, {0}), "ValueError: dimshuffle: axis 1 is left out, which needs an extent that "
                           "is statically 1\n  dimshuffle{order = [0]}(m: f64[2,3])"},
      {flatten(m, 3), "ValueError: flatten: ndim = 3 must be 1 to the operand's rank 2\n  "
                      "flatten{ndim = 3}(m: f64[2,3])"},
      {tensordot(m, m, {0}, {0, 1}),
       "ValueError: tensordot: the lists of axes have different lengths: 1 and 2\n  "
       "tensordot{axesX = [0], axesY = [0, 1]}(m: f64[2,3], m: f64[2,3])"},
      {tensordot(m, m, 1'000'000'000),
       "AxisError: tensordot: axis -3 is out of range for rank 2\n  tensordot{axesX = [-3, 0, 1], "
       "axesY = [0, 1, 2]}(m: f64[2,3], m: f64[2,3])"},
      {atleastNd(m, 1'000'000'000), "ValueError: atleastNd: rank 1000000000 is above 32"},
      {tensordot(m, m, {0}, {2}), "AxisError: tensordot: axis 2 is out of range for rank 2\n  "
                                  "tensordot{axesX = [0], axesY = [2]}(m: f64[2,3], m: f64[2,3])"},
      {concatenate({m, m}, 2),
       "ShapeError: concatenate: axis 2 is out of range for rank 2\n  concatenate{axis = "
       "2}(m: f64[2,3], m: f64[2,3])"},
      {split(m, Tensor({1, 2}, kI64), 2, 2)[0],
       "AxisError: split: axis 2 is out of range for rank 2\n  split{piece = 0, axis = "
       "2}(m: f64[2,3], [1 2]: i64[2])"},
      {take(m, 0, {.axis = 2}),
       "AxisError: take: axis 2 is out of range for rank 2\n  take{axis = 2}(m: f64[2,3], 0)"},
  });
}

//===--- shapes -------------------------------------------------------------------===//

TEST(OpMessages, Products) {
  expectMessages({
      {dot(f64({2, 3}), f64({4})),
       "ShapeError: dot: inner extents differ: 3 and 4\n  dot(f64[2,3], f64[4])"},
      {matmul(f64({2, 3}), of(kF64)), "ShapeError: matmul: a scalar is no matrix; use mul for a "
                                      "scalar factor\n  matmul(f64[2,3], f64)"},
      {matmul(f64({2, 3}), f64({4, 3})),
       "ShapeError: matmul: inner extents differ: 3 and 4\n  matmul(f64[2,3], f64[4,3])"},
      {matmul(f64({2, 2, 3}), f64({4, 3, 2})),
       "ShapeError: matmul: batch extents differ: 2 and 4 (an extent broadcasts only where its "
       "type says 1: declare it so, or use specifyShape)\n  matmul(f64[2,2,3], f64[4,3,2])"},
      {batchedDot(f64({2}), f64({2, 3})), "ShapeError: batchedDot: operand 0 must have rank 2 or "
                                          "3, not 1\n  batchedDot(f64[2], f64[2,3])"},
      {batchedDot(f64({2, 3}), f64({4, 3})),
       "ShapeError: batchedDot: batch extents differ: 2 and 4\n  batchedDot(f64[2,3], f64[4,3])"},
      {tensordot(f64({2, 3}), f64({2, 3}), {0}, {1}),
       "ValueError: tensordot: extents of joined axes differ: 2 and 3\n  tensordot{axesX = [0], "
       "axesY = [1]}(f64[2,3], f64[2,3])"},
  });
}

TEST(OpMessages, Shapes) {
  Variable m = f64({2, 3}), i = of(kI64), unknown = of(kI64, {kDynamic});
  expectMessages({
      {reshape(m, {4, -1}), "ShapeError: reshape: 6 elements do not fit a shape of 4\n  "
                            "reshape(f64[2,3], [ 4 -1]: i64[2])"},
      {reshape(m, {-1, -1}), "ShapeError: reshape: only one extent of the new shape may be -1, not "
                             "2\n  reshape(f64[2,3], [-1 -1]: i64[2])"},
      {reshape(m, {-2, 3}), "ShapeError: reshape: extent -2 along axis 0 of the new shape is "
                            "negative\n  reshape(f64[2,3], [-2  3]: i64[2])"},
      {reshape(f64({0, 3}), {0, -1}),
       "ShapeError: reshape: -1 in the new shape is undetermined, since another extent is 0\n  "
       "reshape(f64[0,3], [ 0 -1]: i64[2])"},
      {reshape(m, unknown), "TypeError: reshape: the length of the shape must be known, since it "
                            "is the result's rank\n  reshape(f64[2,3], i64[?])"},
      {reshape(m, of(kI64, {33})),
       "ValueError: reshape: a rank of 33 is above the limit of 32\n  reshape(f64[2,3], i64[33])"},
      {reshape(m, i), "TypeError: reshape: operand 1 must be an integer array of rank 1, not "
                      "tensor<i64>\n  reshape(f64[2,3], i64)"},
      {specifyShapeLike(m, sum(m)), "ShapeError: specifyShapeLike: the ranks are 2 and 0\n  "
                                    "specifyShapeLike(f64[2,3], f64)"},
      {broadcastTo(m, {3}), "ShapeError: broadcastTo: rank 2 cannot become rank 1\n  "
                            "broadcastTo(f64[2,3], [3]: i64[1])"},
      {broadcastTo(m, {4, 3}),
       "ShapeError: broadcastTo: extent 2 along axis 0 cannot become 4 (an extent broadcasts only "
       "where its type says 1: declare it so, or use specifyShape)\n  broadcastTo(f64[2,3], [4 3]: "
       "i64[2])"},
      {broadcastTo(of(kF64), {2, -3}), "ValueError: broadcastTo: extent -3 along axis 1 of the new "
                                       "shape is negative\n  broadcastTo(f64, [ 2 -3]: i64[2])"},
      {specifyShape(m, {2}), "ShapeError: specifyShape: the shape has 1 extent for rank 2\n  "
                             "specifyShape{shape = [2]}(f64[2,3])"},
      {specifyShape(m, {2, 4}), "ShapeError: specifyShape: the extent along axis 1 is 3 instead of "
                                "4\n  specifyShape{shape = [2, 4]}(f64[2,3])"},
      {squeeze(m, Axis(0)),
       "ValueError: squeeze: axis 0 has 2 elements, not 1\n  squeeze{axes = [0]}(f64[2,3])"},
      {concatenate({f64({2, 3}), f64({2, 4})}, 0),
       "ShapeError: concatenate: extents differ along axis 1: 3 and 4\n  concatenate(f64[2,3], "
       "f64[2,4])"},
      {concatenate({m, f64({3})}),
       "ShapeError: concatenate: ranks differ: 2 and 1\n  concatenate(f64[2,3], f64[3])"},
      {concatenate({of(kF64), of(kF64)}), "ShapeError: concatenate: scalars have no axis to be "
                                          "joined along; stack them\n  concatenate(f64, f64)"},
      {node("joinChunks", {}, {f64({2, 3, 4}), f64({5, 3})}),
       "ShapeError: joinChunks: extents differ along axis 1: 4 and 3\n  joinChunks(f64[2,3,4], "
       "f64[5,3])"},
      {node("joinChunks", {}, {m, f64({2, 3})}),
       "ShapeError: joinChunks: rank 2 of what is left goes with chunks of one more, and of 1 at "
       "least: these have rank 2\n  joinChunks(f64[2,3], f64[2,3])"},
      {stack({m, f64({3})}), "ShapeError: stack: ranks differ: 2 and 1\n  stack(f64[3])"},
      {node("splitPiece", {{"piece", int64_t(0)}}, {m, unknown}),
       "TypeError: splitPiece: the number of pieces must be known: give sizes of static shape\n  "
       "splitPiece{piece = 0}(f64[2,3], i64[?])"},
      {split(m, Tensor({1, 1, 2}, kI64), 3, 1)[0],
       "ValueError: split: the sizes add up to 4 where the axis has 3 elements\n  "
       "split{piece = 0, axis = 1}(f64[2,3], [1 1 2]: i64[3])"},
      {split(m, Tensor({-1, 3}, kI64), 2, 0)[0],
       "ValueError: split: piece 0 has the negative size -1\n  split{piece = "
       "0}(f64[2,3], [-1  3]: i64[2])"},
      {split(m, *Tensor::fromSpan(absl::Span<const int64_t>({INT64_MAX, INT64_MAX}), {2}), 2)[0],
       "ValueError: split: the sizes add up to 18446744073709551614, more than an axis can "
       "have\n  split{piece = 0}(f64[2,3], [9223372036854775807 9223372036854775807]: "
       "i64[2])"},
      {node("splitPiece", {{"piece", int64_t(2)}}, {m, Tensor({1, 1}, kI64)}),
       "ValueError: splitPiece: there is no piece 2 of 2\n  splitPiece{piece = 2}(f64[2,3], [1 1]: "
       "i64[2])"},
      {eye(-1), "ValueError: eye: the extent -1 is negative\n  eye(-1, -1, 0)"},
      {arange(0, 5, 0), "ValueError: arange: the step is 0\n  arange(0, 5, 0)"},
  });
  EXPECT_EQ(said(concatenate(Variables{}).status()), "ValueError: concatenate: there are no parts");
}

// The function that was called is named, and not the op that it makes.
TEST(OpMessages, Functions) {
  Variable m = f64({2, 3}), f = of(kF64), i = of(kI64), unknown = of(kI64, {kDynamic});
  std::string extentsDiffer = " extents differ along axis 0: 2 and 3 (an extent broadcasts only "
                              "where its type says 1: declare it so, or use specifyShape)\n  ";
  auto [quotient, rest] = divmod(f64({2}), f64({3}));
  expectMessages({
      {stack({m, f64({2, 4})}), "ShapeError: stack: extents differ along axis 2: 3 and 4\n  "
                                "stack(f64[1,2,3], f64[1,2,4])"},
      {stack({m, m}, 4), "AxisError: stack: axis 4 is out of range for rank 3\n  stack(f64[2,3])"},
      {split(m, Tensor({1, 1, 1}, kI64), 2)[0], "ShapeError: split: the extent along axis 0 is 3 "
                                                "instead of 2\n  split{shape = [2]}([1 1 1]: "
                                                "i64[3])"},
      {split(m, unknown, 2, 3)[1], "AxisError: split: axis 3 is out of range for rank 2\n  "
                                   "split{piece = 1, axis = 3}(f64[2,3], i64[2])"},
      {gather(m, 0, 2),
       "AxisError: gather: axis 2 is out of range for rank 2\n  gather{axis = 2}(f64[2,3], 0)"},
      {where(of(kBool), f64({2}), f64({3})),
       "ShapeError: where:" + extentsDiffer + "where(i1, f64[2], f64[3])"},
      {quotient, "ShapeError: divmod:" + extentsDiffer + "divmod(f64[2], f64[3])"},
      {rest, "ShapeError: divmod:" + extentsDiffer + "divmod(f64[2], f64[3])"},
      {zeros({2, -1}, kF64), "ValueError: zeros: extent -1 along axis 1 of the new shape is "
                             "negative\n  zeros(0.0: f64, [ 2 -1]: i64[2])"},
      {ones({-1}, kF64), "ValueError: ones: extent -1 along axis 0 of the new shape is negative\n  "
                         "ones(1.0: f64, [-1]: i64[1])"},
      {full({-1}, f), "ValueError: full: extent -1 along axis 0 of the new shape is negative\n  "
                      "full(f64, [-1]: i64[1])"},
      {full(f64({2}), 1.0), "TypeError: full: operand 1 must be an integer array of rank 1, not "
                            "tensor<2xf64>\n  full(1.0: f64, f64[2])"},
      {reshape(m, {i, unknown}),
       "ShapeError: extents: one is an array of rank 1\n  extents(i64[?])"},
  });
  Variable deepest = tensor(kF64, std::vector<int64_t>(Tensor::kMaxRank, 1));
  auto firstLine = [](const Variable &v) {
    std::string text = said(v.status());
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(firstLine(expandDims(deepest, Axis(0))),
            "ValueError: expandDims: a tensor type of rank 33; the maximum is 32");
  EXPECT_EQ(firstLine(stack({deepest, deepest})),
            "ValueError: stack: a tensor type of rank 33; the maximum is 32");
}

//===--- windows ------------------------------------------------------------------===//

TEST(OpMessages, Convolution) {
  Variable x = of(kF32, {1, 4, 8, 8}), k = of(kF32, {6, 2, 3, 3});
  expectMessages({
      {conv2d(of(kF32, {4, 8, 8}), k), "ShapeError: conv2d: the operand must have rank 4, not 3\n  "
                                       "conv2d(f32[4,8,8], f32[6,2,3,3])"},
      {conv2d(x, of(kF32, {6, 2, 3})), "ShapeError: conv2d: the kernel must have rank 4, not 3\n  "
                                       "conv2d(f32[1,4,8,8], f32[6,2,3])"},
      {conv2d(x, k), "ShapeError: conv2d: the operand has 4 channels where kernel and groups say "
                     "2\n  conv2d(f32[1,4,8,8], f32[6,2,3,3])"},
      {conv2d(x, of(kF32, {5, 2, 3, 3}), {.groups = 2}),
       "ShapeError: conv2d: the kernel's 5 outputs cannot be divided into 2 groups\n  "
       "conv2d{groups = 2}(f32[1,4,8,8], f32[5,2,3,3])"},
      {conv2d(x, k, {.groups = 0}), "ValueError: conv2d: groups must be at least 1, not 0\n  "
                                    "conv2d{groups = 0}(f32[1,4,8,8], f32[6,2,3,3])"},
      {conv2d(x, k, {.stride = {1, 1, 1}, .groups = 2}),
       "ValueError: conv2d: stride must have 2 numbers, not 3\n  conv2d{stride = [1, 1, 1], groups "
       "= 2}(f32[1,4,8,8], f32[6,2,3,3])"},
      {conv2d(x, k, {.stride = {0, 1}, .groups = 2}),
       "ValueError: conv2d: stride must be at least 1, not 0\n  conv2d{stride = [0, 1], groups = "
       "2}(f32[1,4,8,8], f32[6,2,3,3])"},
      {conv2d(x, k, {.padding = -1, .groups = 2}),
       "ValueError: conv2d: padding must be at least 0, not -1\n  conv2d{padding = [-1, -1, -1, "
       "-1], groups = 2}(f32[1,4,8,8], f32[6,2,3,3])"},
      {conv2d(x, k, {.dilation = {4, 4}, .groups = 2}),
       "ShapeError: conv2d: the kernel covers 9 elements along axis 2 where the padded operand has "
       "8\n  conv2d{dilation = [4, 4], groups = 2}(f32[1,4,8,8], f32[6,2,3,3])"},
      {node("conv1d", {{"stride", IntList{int64_t(1) << 41}}}, {f64({1, 1, 4}), f64({1, 1, 2})}),
       "ValueError: conv1d: stride must be at most 1099511627776, not 2199023255552\n  "
       "conv1d{stride = [2199023255552]}(f64[1,1,4], f64[1,1,2])"},
      {node("conv1d", {{"border", std::string("same")}}, {f64({1, 1, 4}), f64({1, 1, 2})}),
       "ValueError: conv1d: border is \"explicit\", \"half\" or \"full\", not \"same\"\n  "
       "conv1d{border = \"same\"}(f64[1,1,4], f64[1,1,2])"},
  });
}

TEST(OpMessages, PoolingAndPadding) {
  Variable x = f64({4, 5});
  expectMessages({
      {pool(x, {}), "ValueError: pool: the window has 0 axes, which must be 1 to the operand's "
                    "rank 2\n  pool{window = []}(f64[4,5])"},
      {pool(x, {2, 2, 2}), "ValueError: pool: the window has 3 axes, which must be 1 to the "
                           "operand's rank 2\n  pool{window = [2, 2, 2]}(f64[4,5])"},
      {pool(x, {0}),
       "ValueError: pool: window must be at least 1, not 0\n  pool{window = [0]}(f64[4,5])"},
      {pool(x, {2}, {.stride = {1, 1}}), "ValueError: pool: stride must have 1 number, not 2\n  "
                                         "pool{window = [2], stride = [1, 1]}(f64[4,5])"},
      {pool(x, {2}, {.padding = 2}),
       "ValueError: pool: padding 2 must be smaller than the window's extent, 2\n  pool{window = "
       "[2], padding = [2, 2]}(f64[4,5])"},
      {pool(x, {2}, {.padding = 1, .ignoreBorder = false}),
       "ValueError: pool: padding needs ignoreBorder = true; use pad where the border counts\n  "
       "pool{window = [2], padding = [1, 1], ignoreBorder = false}(f64[4,5])"},
      {pool(x, {2}, {.padding = Padding::Kind::Half}),
       "ValueError: pool: padding is given in numbers, not as half or full\n  pool(f64[4,5])"},
      {pool(x, {6}), "ShapeError: pool: the window covers 6 elements along axis 1 where the padded "
                     "operand has 5\n  pool{window = [6]}(f64[4,5])"},
      {node("pool", {{"window", IntList{2}}, {"mode", std::string("mean")}}, {x}),
       "ValueError: pool: mode is \"max\", \"sum\", \"averageIncPad\" or \"averageExcPad\", not "
       "\"mean\"\n  pool{window = [2], mode = \"mean\"}(f64[4,5])"},
      {pad(x, {{1, 1}}), "ValueError: pad: widths must have 4 numbers, two for each axis, not 2\n  "
                         "pad{widths = [1, 1]}(f64[4,5])"},
      {pad(x, {{1, 1}, {-1, 0}}),
       "ValueError: pad: width -1 is negative\n  pad{widths = [1, 1, -1, 0]}(f64[4,5])"},
      {node("pad", {{"widths", IntList{0, 0, 0, int64_t(1) << 41}}}, {x}),
       "ValueError: pad: width 2199023255552 is above the limit of 1099511627776\n  pad{widths = "
       "[0, 0, 0, 2199023255552]}(f64[4,5])"},
      {node("pad", {{"widths", IntList{0, 0, 0, 0}}, {"mode", std::string("fill")}}, {x}),
       "ValueError: pad: mode is \"constant\", \"edge\", \"reflect\", \"symmetric\", \"wrap\", "
       "\"linear_ramp\", \"mean\", \"maximum\" or \"minimum\", not \"fill\"\n  pad{widths = [0, 0, "
       "0, 0], mode = \"fill\"}(f64[4,5])"},
      {pad(x, {{1, 1}, {0, 0}}, {.value = x}),
       "TypeError: pad: the value to pad with is one scalar\n  pad{widths = [1, 1, 0, "
       "0]}(f64[4,5], f64[4,5])"},
      {pad(f64({0}), {{1, 1}}, {.mode = PadMode::Edge}),
       "ValueError: pad: axis 0 is empty, so there is nothing to extend it with\n  pad{widths = "
       "[1, 1], mode = \"edge\"}(f64[0])"},
      {pad(f64({0}), {{1, 1}}, {.mode = PadMode::Mean}),
       "ValueError: pad: axis 0 is empty, so there is nothing to extend it with\n  pad{widths = "
       "[1, 1], mode = \"mean\"}(f64[0])"},
  });
}

//===--- indices ------------------------------------------------------------------===//

TEST(OpMessages, Indices) {
  Variable x = f64({4, 5});
  expectMessages({
      {(x[{0, 0, 0}]), "IndexError: subtensor: too many indices: 3 for rank 2\n  subtensor{index = "
                       "\"0, 0, 0\"}(f64[4,5])"},
      {(x[{ellipsis, 0, ellipsis}]), "ValueError: subtensor: an index has at most one ellipsis, "
                                     "not 2\n  subtensor{index = \"..., 0, ...\"}(f64[4,5])"},
      {x[4], "IndexError: subtensor: index 4 is out of range for axis 0 with 4 elements\n  "
             "subtensor{index = \"4\"}(f64[4,5])"},
      {x[-5], "IndexError: subtensor: index -5 is out of range for axis 0 with 4 elements\n  "
              "subtensor{index = \"-5\"}(f64[4,5])"},
      {(x[{Slice(0, 4, 0)}]),
       "ValueError: subtensor: the step of a slice is 0\n  subtensor{index = \"0:4:0\"}(f64[4,5])"},
      {node("subtensor", {{"index", std::string("1:2:3:4")}}, {x}),
       "ValueError: subtensor: \"1:2:3:4\" is no entry of an index: they are i, $k, "
       "start:stop:step, newaxis and ...\n  subtensor{index = \"1:2:3:4\"}(f64[4,5])"},
      {node("subtensor", {{"index", std::string("0, $1")}}, {x, 2}),
       "ValueError: subtensor: the index names operand $1, which is not there\n  subtensor{index = "
       "\"0, $1\"}(f64[4,5], 2)"},
      {node("take", {{"mode", std::string("fill")}}, {x, 2}),
       "ValueError: take: mode is \"raise\", \"clip\" or \"wrap\", not \"fill\"\n  take{mode = "
       "\"fill\"}(f64[4,5], 2)"},
      {take(f64({0}), of(kI64, {2}), {.mode = TakeMode::Clip}),
       "IndexError: take: there is nothing to take from an empty axis\n  take{mode = "
       "\"clip\"}(f64[0], i64[2])"},
  });
}

TEST(OpMessages, ChangedIndices) {
  Variable x = f64({4, 5}), f = of(kF32, {3});
  expectMessages({
      {setSubtensor(x, {Slice(0, 2)}, f64({3, 5})),
       "ValueError: setSubtensor: y has 3 elements along axis 0 where the index reads 2 (an extent "
       "broadcasts only where its type says 1: declare it so, or use specifyShape)\n  "
       "setSubtensor{index = \"0:2\"}(f64[4,5], f64[3,5])"},
      {incSubtensor(x, {0}, f64({1, 5})),
       "ValueError: incSubtensor: y has rank 2 where the index reads an array of rank 1\n  "
       "incSubtensor{index = \"0\"}(f64[4,5], f64[1,5])"},
      {incSubtensor(f, {0}, f64({})),
       "TypeError: incSubtensor: float64 elements do not fit into "
       "float32; cast y\n  incSubtensor{index = \"0\"}(f32[3], f64)"},
      {incTake(x, of(kI64, {2}), f64({3, 5}), {.axis = 0}),
       "ShapeError: incTake: y has 3 elements along axis 0 where take gives 2\n  incTake{axis = "
       "0}(f64[4,5], f64[3,5], i64[2])"},
      {incTake(x, of(kI64, {2}), f64({2}), {.axis = 0}),
       "ShapeError: incTake: y has rank 1 where take gives rank 2\n  incTake{axis = 0}(f64[4,5], "
       "f64[2], i64[2])"},
  });
}

TEST(OpMessages, OpsOfGradients) {
  Variable g = f64({1, 4, 3}), kernel = f64({4, 2, 2}), x = f64({1, 2, 4}), line = f64({4});
  Operand shape(constant(Tensor({1, 2, 4}, kI64))), two(constant(Tensor({1, 2}, kI64)));
  Operand negative(constant(Tensor({1, 2, -1}, kI64)));
  Attributes window = {{"window", IntList{2}}};
  Attributes widths = {{"widths", IntList{1, 1}}};
  Operand four(constant(Tensor({4}, kI64))), minusOne(constant(Tensor({-1}, kI64)));
  // What stands below a message: the node, with the shape that it names.
  auto joined = [&](std::string name, std::string first, std::string second, std::string shape) {
    return "\n  " + name + "(f64" + first + ", f64" + second + ", " + shape + ")";
  };
  const std::string three = "[1 2 4]: i64[3]", input = "convInputGradient",
                    inKernel = "convKernelGradient";
  expectMessages({
      {node(input, {}, {f64({2, 2}), kernel, shape}),
       "ShapeError: convInputGradient: the operands must have one rank, at least 3, not 2 and 3" +
           joined(input, "[2,2]", "[4,2,2]", three)},
      {node(input, {}, {g, kernel, two}),
       "TypeError: convInputGradient: the shape must be known to have 3 extents" +
           joined(input, "[1,4,3]", "[4,2,2]", "[1 2]: i64[2]")},
      {node(input, {}, {f64({1, 3, 3}), kernel, shape}),
       "ShapeError: convInputGradient: the gradient has 3 channels where the kernel has 4 outputs" +
           joined(input, "[1,3,3]", "[4,2,2]", three)},
      {node(input, {{"groups", 3}}, {g, kernel, shape}),
       "ShapeError: convInputGradient: the kernel's 4 outputs cannot be divided into 3 groups" +
           joined(input + "{groups = 3}", "[1,4,3]", "[4,2,2]", three)},
      {node(input, {}, {g, kernel, negative}),
       "ShapeError: convInputGradient: the extent -1 along axis 2 is negative" +
           joined(input, "[1,4,3]", "[4,2,2]", "[ 1  2 -1]: i64[3]")},
      {node(inKernel, {}, {f64({2, 2, 4}), g, shape}),
       "ShapeError: convKernelGradient: the batches of operand and gradient differ: 2 and 1" +
           joined(inKernel, "[2,2,4]", "[1,4,3]", three)},
      {node(inKernel, {{"groups", 4}}, {x, g, shape}),
       "ShapeError: convKernelGradient: the operand's 2 channels cannot be divided into 4 groups" +
           joined(inKernel + "{groups = 4}", "[1,2,4]", "[1,4,3]", three)},
      {node(inKernel, {}, {x, g, shape}),
       "ShapeError: convKernelGradient: the gradient has 3 elements along axis 2 where the "
       "convolution has 1" +
           joined(inKernel, "[1,2,4]", "[1,4,3]", three)},
      {node("poolSpread", window, {f64({3}), four}),
       "ShapeError: poolSpread: operand 0 has 3 elements along axis 0 where the pool has 2\n  "
       "poolSpread{window = [2]}(f64[3], [4]: i64[1])"},
      {node("poolSpread", window, {f64({3}), minusOne}),
       "ShapeError: poolSpread: the extent -1 along axis 0 is negative\n  poolSpread{window = "
       "[2]}(f64[3], [-1]: i64[1])"},
      {node("poolSpread", {{"window", IntList{2}}, {"mode", std::string("max")}}, {line, four}),
       "ValueError: poolSpread: mode is \"sum\", \"averageIncPad\" or \"averageExcPad\", not "
       "\"max\"\n  poolSpread{window = [2], mode = \"max\"}(f64[4], [4]: i64[1])"},
      {node("poolSpread", window, {of(kI64, {2}), four}),
       "TypeError: poolSpread: a gradient is a float array, not tensor<2xi64>\n  poolSpread{window "
       "= [2]}(i64[2], [4]: i64[1])"},
      {node("poolScatter", window, {f64({2}), f64({2}), four}),
       "TypeError: poolScatter: positions are an int64 array of rank 1, not tensor<2xf64>\n  "
       "poolScatter{window = [2]}(f64[2], f64[2], [4]: i64[1])"},
      {node("poolGather", window, {line, of(kI64, {3})}),
       "ShapeError: poolGather: operand 1 has 3 elements along axis 0 where the pool has 2\n  "
       "poolGather{window = [2]}(f64[4], i64[3])"},
      {node("padFold", widths, {f64({5}), four}),
       "ShapeError: padFold: the gradient has 5 elements along axis 0 where the padded operand has "
       "6\n  padFold{widths = [1, 1]}(f64[5], [4]: i64[1])"},
      {node("padFold", {{"widths", IntList{1, 1}}, {"mode", std::string("mean")}},
            {f64({6}), four}),
       "ValueError: padFold: mode is \"edge\", \"reflect\", \"symmetric\" or \"wrap\", not "
       "\"mean\"\n  padFold{widths = [1, 1], mode = \"mean\"}(f64[6], [4]: i64[1])"},
  });
}

//===--- at run time --------------------------------------------------------------===//

struct Run {
  Variable result;
  Variables inputs;
  std::vector<Tensor> values;
  std::string message;
  std::string_view file = std::source_location::current().file_name();
};

void expectRunTimeMessages(const std::vector<Run> &runs,
                           std::vector<std::string_view> modes = {"fast_run", "interpreter"}) {
  for (const Run &run : runs)
    for (std::string_view mode : modes) {
      auto f = function(run.inputs, {run.result}, {.mode = std::string(mode)});
      ASSERT_TRUE(f.ok()) << f.status();
      absl::Status status = f->call(run.values).status();
      ASSERT_TRUE(errorPlace(status)) << status;
      std::string text = said(status);
      EXPECT_TRUE(errorPlace(status)->str().starts_with(run.file)) << status;
      EXPECT_EQ(text.substr(0, mode == "fast_run" ? text.npos : text.find('\n')),
                run.message.substr(0, mode == "fast_run" ? text.npos : run.message.find('\n')));
    }
}

TEST(OpMessages, OfIncTakeAtRunTime) {
  Variable v = dvector("v"), y = dvector("y"), i = lvector("i");
  expectRunTimeMessages({{incTake(v, i, y),
                          {v, i, y},
                          {Tensor({1.0, 2.0}), Tensor({0, 2}, kI64), Tensor({1.0, 2.0})},
                          "IndexError: incTake: index 2 is out of range for axis 0 with 2 "
                          "elements\n  v: f64[2]   y: f64[2]   i: i64[2]"}});
}

TEST(OpMessages, AtRunTime) {
  Variable v = dvector("v"), w = dvector("w"), m = dmatrix("m"), n = lscalar("n"), d = dscalar("d");
  Variable i = lvector("i"), x = tensor(kF64, {kDynamic, kDynamic, kDynamic, kDynamic}, "x");
  Variable k = tensor(kF64, {kDynamic, kDynamic, kDynamic, kDynamic}, "k");
  Tensor two({1.0, 2.0}), three({1.0, 2.0, 3.0}), none = *Tensor::zeros(kF64, {0});
  Tensor square({{1.0, 2.0}, {3.0, 4.0}});
  auto zeros = [](std::vector<int64_t> shape) { return *Tensor::zeros(kF64, shape); };
  Tensor picture = zeros({1, 4, 2, 2}), kernel = zeros({3, 2, 3, 3});
  expectRunTimeMessages({
      {v + w,
       {v, w},
       {two, three},
       "ShapeError: add: extents differ along axis 0: 2 and 3 (an extent broadcasts only where its "
       "type says 1: declare it so, or use specifyShape)\n  v: f64[2]   w: f64[3]"},
      {dot(m, v),
       {m, v},
       {square, three},
       "ShapeError: dot: inner extents differ: 2 and 3\n  m: f64[2,2]   v: f64[3]"},
      {matmul(m, m.T()[{Slice(1, kEnd)}]),
       {m},
       {square},
       "ShapeError: matmul: inner extents differ: 2 and 1\n  m: f64[2,2]   "
       "subtensor(...): f64[1,2]"},
      {batchedDot(m, m[{Slice(1, kEnd)}]),
       {m},
       {square},
       "ShapeError: batchedDot: batch extents differ: 2 and 1\n  m: f64[2,2]   "
       "subtensor(m): f64[1,2]"},
      {tensordot(m, v, {1}, {0}),
       {m, v},
       {square, three},
       "ValueError: tensordot: extents of joined axes differ: 2 and 3\n  m: f64[2,2]   "
       "v: f64[3]"},
      {reshape(v, {n, -1}),
       {v, n},
       {three, 2},
       "ShapeError: reshape: 3 elements do not fit a shape of 2\n  v: f64[3]   "
       "extents(..., ...): i64[2]"},
      {reshape(v, {n, n}),
       {v, n},
       {three, -1},
       "ShapeError: reshape: only one extent of the new shape may be -1, not 2\n  v: "
       "f64[3]   extents(..., ...): i64[2]"},
      {reshape(v, {n, n}),
       {v, n},
       {three, -2},
       "ShapeError: reshape: extent -2 along axis 0 of the new shape is negative\n  v: "
       "f64[3]   extents(..., ...): i64[2]"},
      {reshape(v, {n, -1}),
       {v, n},
       {none, 0},
       "ShapeError: reshape: -1 in the new shape is undetermined, since another extent is 0\n  v: "
       "f64[0]   extents(..., ...): i64[2]"},
      {broadcastTo(v, {n, 3}),
       {v, n},
       {two, 2},
       "ShapeError: broadcastTo: extent 2 along axis 0 cannot become 3 (an extent broadcasts only "
       "where its type says 1: declare it so, or use specifyShape)\n  v: f64[2]   "
       "extents(..., ...): i64[2]"},
      {broadcastTo(v, {n}),
       {v, n},
       {two, -2},
       "ShapeError: broadcastTo: extent -2 along axis 0 of the new shape is negative\n  v: f64[2]  "
       " "
       "extents(n): i64[1]"},
      {grad(sum(qr(m).r), m),
       {m},
       {zeros({2, 3})},
       "ShapeError: gradient of qr: qr has no derivative for more columns than rows\n  qr(m): "
       "f64[2,3]   swapaxes(...): f64[3,2]"},
      {broadcastTo(d, {n, 3}),
       {d, n},
       {1.0, -2},
       "ValueError: broadcastTo: extent -2 along axis 0 of the new shape is negative\n "
       " d: f64[]   extents(..., ...): i64[2]"},
      {specifyShape(v, {3}),
       {v},
       {two},
       "ShapeError: specifyShape: the extent along axis 0 is 2 instead of 3\n  v: "
       "f64[2]"},
      {squeeze(m, Axis(0)),
       {m},
       {square},
       "ValueError: squeeze: axis 0 has 2 elements, not 1\n  m: f64[2,2]"},
      {concatenate({m, m[{Slice(), Slice(1, kEnd)}]}, 0),
       {m},
       {square},
       "ShapeError: concatenate: extents differ along axis 1: 2 and 1\n  m: f64[2,2]   "
       "subtensor(m): f64[2,1]"},
      {split(v, stack({n, n}), 2)[0],
       {v, n},
       {three, 1},
       "ValueError: split: the sizes add up to 2 where the axis has 3 elements\n  "
       "v: f64[3]   stack(..., ...): i64[2]"},
      {split(v, stack({n, n}), 2)[0],
       {v, n},
       {three, -1},
       "ValueError: split: piece 0 has the negative size -1\n  v: f64[3]   "
       "stack(..., ...): i64[2]"},
      {stack({v, w}),
       {v, w},
       {two, three},
       "ShapeError: stack: extents differ along axis 1: 2 and 3\n  stack(v): f64[1,2]  "
       " "
       "stack(w): f64[1,3]"},
      {split(v, i, 2)[0],
       {v, i},
       {three, Tensor({1, 1, 1}, kI64)},
       "ShapeError: split: the extent along axis 0 is 3 instead of 2\n  i: i64[3]"},
      {gather(v, i),
       {v, i},
       {three, Tensor({0, 7}, kI64)},
       "IndexError: gather: index 7 is out of range for axis 0 with 3 elements\n  v: "
       "f64[3]   i: i64[2]"},
      {where(v > 0.0, v, w),
       {v, w},
       {two, three},
       "ShapeError: where: extents differ along axis 0: 2 and 3 (an extent broadcasts only where "
       "its type says 1: declare it so, or use specifyShape)\n  gt(v, ...): i1[2]   v: "
       "f64[2]   w: f64[3]"},
      {divmod(v, w).second,
       {v, w},
       {two, three},
       "ShapeError: divmod: extents differ along axis 0: 2 and 3 (an extent broadcasts only where "
       "its type says 1: declare it so, or use specifyShape)\n  v: f64[2]   w: f64[3]"},
      {full({n}, d),
       {d, n},
       {1.0, -2},
       "ValueError: full: extent -2 along axis 0 of the new shape is negative\n  d: "
       "f64[]   extents(n): i64[1]"},
      {graphc::zeros({n}, kF64),
       {n},
       {-2},
       "ValueError: zeros: extent -2 along axis 0 of the new shape is negative\n  0.0: "
       "f64[]   extents(n): i64[1]"},
      {ones({n}, kF64),
       {n},
       {-2},
       "ValueError: ones: extent -2 along axis 0 of the new shape is negative\n  1.0: "
       "f64[]   extents(n): i64[1]"},
      {dot(m, expandDims(v, Axis(0))),
       {m, v},
       {square, three},
       "ShapeError: dot: inner extents differ: 2 and 1\n  m: f64[2,2]   "
       "expandDims(v): f64[1,3]"},
      {dot(m, moveaxis(x[{0, 0}], {0}, {1})),
       {m, x},
       {square, zeros({1, 1, 4, 3})},
       "ShapeError: dot: inner extents differ: 2 and 3\n  m: f64[2,2]   moveaxis(...): "
       "f64[3,4]"},
      {max(v),
       {v},
       {none},
       "ValueError: max: axis 0 is empty, so there is nothing to choose\n  v: f64[0]"},
      {pad(v, {{1, 1}}, {.mode = PadMode::Wrap}),
       {v},
       {none},
       "ValueError: pad: axis 0 is empty, so there is nothing to extend it with\n  v: "
       "f64[0]"},
      {v[{n}],
       {v, n},
       {three, 3},
       "IndexError: subtensor: index 3 is out of range for axis 0 with 3 elements\n  "
       "v: f64[3]   n: i64[]"},
      {v[{n}],
       {v, n},
       {three, -4},
       "IndexError: subtensor: index -4 is out of range for axis 0 with 3 elements\n  "
       "v: f64[3]   n: i64[]"},
      {v[5],
       {v},
       {three},
       "IndexError: subtensor: index 5 is out of range for axis 0 with 3 elements\n  "
       "v: f64[3]"},
      {v[{Slice(0, 2, n)}],
       {v, n},
       {three, 0},
       "ValueError: subtensor: the step of a slice is 0\n  v: f64[3]   n: i64[]"},
      {take(v, i),
       {v, i},
       {three, Tensor({0, 7}, kI64)},
       "IndexError: take: index 7 is out of range for axis 0 with 3 elements\n  v: "
       "f64[3]   i: i64[2]"},
      {take(v, i, {.mode = TakeMode::Wrap}),
       {v, i},
       {none, Tensor({0, 7}, kI64)},
       "IndexError: take: there is nothing to take from an empty axis\n  v: f64[0]   "
       "i: i64[2]"},
      {eye(n),
       {n},
       {-2},
       "ValueError: eye: the extent -2 is negative\n  n: i64[]   n: i64[]   0: i64[]"},
      {arange(0, n, n),
       {n},
       {0},
       "ValueError: arange: the step is 0\n  0: i64[]   n: i64[]   n: i64[]"},
      {arange(0.0, d, d),
       {d},
       {0.0},
       "ValueError: arange: the step is 0\n  0.0: f64[]   d: f64[]   d: f64[]"},
      {conv2d(x, k),
       {x, k},
       {picture, kernel},
       "ShapeError: conv2d: the operand has 4 channels where kernel and groups say 2\n "
       " x: f64[1,4,2,2]   k: f64[3,2,3,3]"},
      {conv2d(x, k, {.groups = 2}),
       {x, k},
       {picture, kernel},
       "ShapeError: conv2d: the kernel's 3 outputs cannot be divided into 2 groups\n  "
       "x: f64[1,4,2,2]   k: f64[3,2,3,3]"},
      {conv2d(x, k),
       {x, k},
       {zeros({1, 2, 2, 2}), kernel},
       "ShapeError: conv2d: the kernel covers 3 elements along axis 2 where the padded operand has "
       "2\n  x: f64[1,2,2,2]   k: f64[3,2,3,3]"},
      {pool(v, {4}),
       {v},
       {three},
       "ShapeError: pool: the window covers 4 elements along axis 0 where the padded operand has "
       "3\n  v: f64[3]"},
  });
}

/// Compiled code computes such indices where they are used, or as sizes.
TEST(OpMessages, ComputedIndicesAtRunTime) {
  Variable v = dvector("v"), w = dvector("w");
  std::vector<Tensor> values = {Tensor({1.0, 2.0}), Tensor({1.0, 2.0, 3.0})};
  expectRunTimeMessages({{v[{argmax(w)}],
                          {v, w},
                          values,
                          "IndexError: subtensor: index 2 is out of range for axis 0 with 2 "
                          "elements\n  v: f64[2]   argmax(w): i64[]"},
                         {v[{shape(w, 0) - 9}],
                          {v, w},
                          values,
                          "IndexError: subtensor: index -6 is out of range for axis 0, where -2 is "
                          "the first element\n  v: f64[2]   sub(..., ...): i64[]"}},
                        {"fast_run"});
}

} // namespace
} // namespace graphc
