//===- graphc/Neural.h - layers and losses ----------------------*- C++ -*-===//
//
// Functions of neural networks that are made of ops (graphc/Ops.h), and so have their dtypes,
// derivatives and errors: a mistake is carried by the Variable, at the place of the first operand.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>

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
/// By mean and variance over the batch and all positions (Ioffe, Szegedy 2015).
BatchNorm batchNormTrain(const Operand &x, const Operand &gain, const Operand &shift,
                         double epsilon = 1e-5);

/// The correlation of (batch, channels, n) with kernels (filters, channels, k) in which result i
/// sees nothing behind x[i]: as many results as elements.
Variable causalConv1d(const Operand &x, const Operand &kernel, int dilation = 1);

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
