//===- graphc/Neural.h - layers and losses ----------------------*- C++ -*-===//
//
// Functions of neural networks that are made of ops (graphc/Ops.h), and so have their dtypes,
// derivatives and errors: a mistake is carried by the Variable, at the place of the first operand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphc/Ops.h"

namespace graphc {

//===--- normalizations -------------------------------------------------------===//

/// (x - mean) / sqrt(var + epsilon) * gain + shift, with mean and biased variance over `axes`: a
/// layer's normalization (Ba, Kiros, Hinton 2016). gain and shift broadcast.
Variable layerNorm(const Operand &x, const Operand &gain, const Operand &shift,
                   double epsilon = 1e-5, const Axes &axes = Axis(-1));
/// x / sqrt(mean(x^2) + epsilon) * gain over `axes` (Zhang, Sennrich 2019).
Variable rmsNorm(const Operand &x, const Operand &gain, double epsilon = 1e-6,
                 const Axes &axes = Axis(-1));
/// x: [batch, channels, spatial...]; mean and variance over the channels of a group and all
/// positions (Wu, He 2018). gain and shift have one number a channel. The number of channels is
/// a multiple of `groups` (ValueError where it is known, ShapeError when the function runs).
Variable groupNorm(const Operand &x, int groups, const Operand &gain, const Operand &shift,
                   double epsilon = 1e-5);
/// groupNorm with a group for each channel, whose number need not be known.
Variable instanceNorm(const Operand &x, const Operand &gain, const Operand &shift,
                      double epsilon = 1e-5);

/// x: [batch, channels, spatial...] (or [batch, channels]), the others one number a channel.
Variable batchNormInference(const Operand &x, const Operand &gain, const Operand &shift,
                            const Operand &mean, const Operand &variance, double epsilon = 1e-5);
struct BatchNorm {
  Variable result;
  Variable mean, inverseStddev; ///< of each channel: 1 / sqrt(var + epsilon), var biased
  Variable unbiasedVariance;    ///< var n / (n - 1), for running averages
};
/// By mean and variance over the batch and all positions (Ioffe, Szegedy 2015), or over `axes`:
/// Axis(0) is per activation. All but x have the axes of x that are left, in their order
/// (ValueError), one number a channel by default.
BatchNorm batchNormTrain(const Operand &x, const Operand &gain, const Operand &shift,
                         double epsilon = 1e-5, const std::optional<Axes> &axes = std::nullopt);

/// The correlation of (batch, channels, n) with kernels (filters, channels, k) in which result i
/// sees nothing behind x[i]: as many results as elements.
Variable causalConv1d(const Operand &x, const Operand &kernel, int dilation = 1);

//===--- convolutions ---------------------------------------------------------===//

struct TransposedConvOptions {
  /// Per spatial axis; empty means 1, and 0 of outputPadding, which is less than the stride or the
  /// dilation.
  std::vector<int> stride = {}, dilation = {}, outputPadding = {};
  /// In numbers: what is cut off the result.
  Padding padding = {};
  int groups = 1;
};
/// The adjoint of a correlation (conv1d without filterFlip): x is (batch, inputs, n...), the kernel
/// (inputs, outputs / groups, k...), the result has the spatial extents (n - 1) stride - padding +
/// (k - 1) dilation + 1 + outputPadding. ValueError and ShapeError as the correlation's.
Variable conv1dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options = {});
Variable conv2dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options = {});
Variable conv3dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options = {});

//===--- pictures -------------------------------------------------------------===//

struct WindowOptions {
  /// Per axis of the window; empty means 1.
  std::vector<int> stride = {}, dilation = {};
  Padding padding = {};
};
/// The windows over the last axes of x (..., channels, n...) as columns: (..., channels * positions
/// in the window, places), PyTorch's unfold. ShapeError for fewer axes, ValueError for windows,
/// strides and dilations that are not positive.
Variable im2col(const Operand &x, const std::vector<int> &window,
                const WindowOptions &options = {});
enum class NeighbourMode {
  Valid,         ///< windows end where the picture does (ShapeError)
  IgnoreBorders, ///< what is left over is in none
  WrapCentered,  ///< around each place, beyond the border what is opposite
};
struct NeighbourOptions {
  std::vector<int> step = {}; ///< by default the window
  NeighbourMode mode = NeighbourMode::Valid;
};
/// The windows over the last two axes of x (batch, channels, height, width) as rows of a matrix.
Variable images2neibs(const Operand &x, const std::vector<int> &window,
                      const NeighbourOptions &options = {});

/// Whether the channels of x (batch, channels, height, width) count positions in the block first.
enum class BlockOrder { BlocksFirst, ChannelsFirst };
/// Channels as blocks of pixels, (batch, channels / block^2, height block, width block), and back.
/// ShapeError where that cannot be divided.
Variable depthToSpace(const Operand &x, int block, BlockOrder order = BlockOrder::BlocksFirst);
Variable spaceToDepth(const Operand &x, int block, BlockOrder order = BlockOrder::BlocksFirst);

enum class ResizeMode { Nearest, Linear, Cubic };
/// Where element i of n lies in m elements: (i + 1/2) m / n - 1/2, i (m - 1) / (n - 1), or i m / n.
enum class ResizeCoordinates { HalfPixel, AlignCorners, Asymmetric };
struct ResizeOptions {
  /// Cubic is Keys' convolution (1981); what lies outside is the nearest element.
  ResizeMode mode = ResizeMode::Linear;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  double cubic = -0.75;
};
/// x with other extents along its last axes, interpolated along one after the other. TypeError for
/// integers, except to the nearest.
Variable resize(const Operand &x, const ShapeList &sizes, const ResizeOptions &options = {});
/// resize to multiples of the extents.
Variable upsample(const Operand &x, const std::vector<int> &factors,
                  const ResizeOptions &options = {.mode = ResizeMode::Nearest});

//===--- integers that stand for real numbers -----------------------------------===//
// real = (integer - zero) * scale. Both are numbers, vectors along an axis, or of x's rank.

/// The nearest integers of zero's dtype, ties to even, the ends where they are beyond. TypeError
/// unless x is a float and the integers have 8, 16 or 32 bits.
Variable quantize(const Operand &x, const Operand &scale, const Operand &zero, int axis = 1);
/// The real numbers, of scale's dtype.
Variable dequantize(const Operand &x, const Operand &scale, const Operand &zero, int axis = 1);
/// The product of integers of 8 or 16 bits less their zeros, in int32. A vector of zeros is that of
/// the rows of x, or of the columns of y. TypeError for other dtypes.
Variable matmulInteger(const Operand &x, const Operand &y, const Operand &zeroOfX = int8_t(0),
                       const Operand &zeroOfY = int8_t(0));

//===--- losses ---------------------------------------------------------------===//
// Elementwise or by rows where nothing else is said: take the mean of them.

/// -(t log p + (1 - t) log(1 - p)), where 0 log 0 is 0.
Variable binaryCrossentropy(const Operand &probability, const Operand &target);
/// The same of sigmoid(x): max(x, 0) - x t + log(1 + exp(-|x|)), which does not overflow.
Variable sigmoidBinaryCrossentropy(const Operand &x, const Operand &target);
/// -sum over the last axis of t log softmax(x), for targets t of the shape of x; or, for integer
/// labels of its shape without the last axis, -log softmax(x) at the label. IndexError for labels
/// that are negative or not less than the last axis' extent.
Variable softmaxCrossentropy(const Operand &x, const Operand &target);
/// -sum over the last axis of t log p, where 0 log 0 is 0, or -log p at integer labels, as above.
Variable categoricalCrossentropy(const Operand &probabilities, const Operand &target);
/// The mean of (x - y)^2, and of |x - y|: of all elements.
Variable meanSquaredError(const Operand &x, const Operand &y);
Variable meanAbsoluteError(const Operand &x, const Operand &y);
/// x^2 / 2 where |x| <= delta, else delta (|x| - delta / 2): of errors (Huber 1964).
Variable huber(const Operand &error, double delta = 1.0);
/// The sum over all elements of p log(p / q), where 0 log 0 is 0.
Variable klDivergence(const Operand &p, const Operand &q);
/// Of sequences without alignment: for each element of a batch, -log of the sum of the
/// probabilities of all paths that give its labels, by connectionist temporal classification
/// (Graves et al. 2006). logProbabilities: (times, batch, classes), of which `times` count of each
/// element; labels: (batch, most), of which `counts`; none may be the blank. inf where the times
/// are too few, and the gradient 0. IndexError for labels, ValueError for counts out of range.
Variable ctcLoss(const Operand &logProbabilities, const Operand &labels, const Operand &times,
                 const Operand &counts, int64_t blank = 0);
/// max(0, 1 - target * x) for targets -1 and 1.
Variable hinge(const Operand &x, const Operand &target);

//===--- cells ----------------------------------------------------------------===//

struct AttentionOptions {
  /// Query i sees keys 0 to i.
  bool isCausal = false;
  /// By default 1 / sqrt of the last extent of queries.
  std::optional<double> scale = std::nullopt;
};
/// softmax(scale * q k^T) v: [..., queries, width], [..., keys, width], [..., keys, values].
Variable attention(const Operand &queries, const Operand &keys, const Operand &values,
                   const AttentionOptions &options = {});

struct LstmState {
  Variable h, c;
};
/// A step (Hochreiter, Schmidhuber 1997): [i, f, g, o] = x W^T + h U^T + b, in that order along the
/// last axis, each of the width of h; c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o)
/// tanh(c'). x: [..., inputs], W (`weights`): [4 width, inputs], U (`recurrent`): [4 width, width],
/// b: [4 width].
LstmState lstmCell(const Operand &x, const Operand &h, const Operand &c, const Operand &weights,
                   const Operand &recurrent, const Operand &b);
/// A step (Cho et al. 2014): r and z are sigmoids of their parts of x W^T + b + h U^T,
/// n = tanh(x Wn^T + bn + r (h Un^T)), and h' = (1 - z) n + z h; the parts are r, z, n.
Variable gruCell(const Operand &x, const Operand &h, const Operand &weights,
                 const Operand &recurrent, const Operand &b);

} // namespace graphc
