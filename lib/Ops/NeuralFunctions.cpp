//===- NeuralFunctions.cpp - layers and losses ------------------------------===//
#include "graphc/Indexing.h"
#include "graphc/Neural.h"

#include <cmath>
#include <limits>

#include "Build.h"
#include "CallScope.h"

namespace graphc {
namespace {

ReductionOptions kept(const Axes &axes) {
  ReductionOptions options;
  options.axes = axes;
  options.keepDims = true;
  return options;
}

/// x of mean 0 and variance 1 over the axes.
Variable normalized(const Variable &x, const Axes &axes, double epsilon) {
  return (x - mean(x, kept(axes))) / sqrt(var(x, kept(axes)) + epsilon);
}

/// One number a channel, to be met with [batch, channels, spatial...] of a rank.
Variable perChannel(const Variable &numbers, int rank) {
  std::vector<int> order = {0};
  order.insert(order.end(), size_t(std::max(rank - 2, 0)), -1);
  return dimshuffle(numbers, order);
}

/// All axes from `first` on, but for the channels' one.
Axes axesFrom(int first, int rank, bool withChannels) {
  std::vector<int> axes;
  for (int axis = first; axis < rank; ++axis)
    if (axis != 1 || withChannels)
      axes.push_back(axis);
  return Axes(axes);
}

/// The first mistake among operands, or that x is no batch of channels.
std::optional<Variable> mistakeOf(std::string_view name, const Operand &place, const Variable &x,
                                  const Variables &others) {
  if (!x.ok())
    return x;
  for (const Variable &v : others)
    if (!v.ok())
      return v;
  if (x.rank() < 2)
    return invalidAt(place, ErrorKind::ValueError, name,
                     "x is [batch, channels, ...], of at least two axes");
  for (const Variable &v : others)
    if (v.rank() != 1)
      return invalidAt(place, ErrorKind::ValueError, name,
                       "gain, shift, mean and variance are vectors, a number for each channel");
  return std::nullopt;
}

} // namespace

//===--- normalizations -----------------------------------------------------------===//

Variable layerNorm(const Operand &x, const Operand &gain, const Operand &shift, double epsilon,
                   const Axes &axes) {
  CallScope scope(x);
  return normalized(asVariable(x), axes, epsilon) * gain + shift;
}

Variable rmsNorm(const Operand &x, const Operand &gain, double epsilon, const Axes &axes) {
  CallScope scope(x);
  Variable v = asVariable(x);
  return v / sqrt(mean(sqr(v), kept(axes)) + epsilon) * gain;
}

Variable groupNorm(const Operand &x, int groups, const Operand &gain, const Operand &shift,
                   double epsilon) {
  CallScope scope(x);
  Variable v = asVariable(x), g = asVariable(gain), s = asVariable(shift);
  if (auto mistake = mistakeOf("groupNorm", x, v, {g, s}))
    return *mistake;
  int64_t channels = v.type().extent(1);
  if (groups < 1 || (channels != kDynamic && channels % groups != 0))
    return invalidAt(x, ErrorKind::ValueError, "groupNorm",
                     std::to_string(channels) + " channels do not make " + std::to_string(groups) +
                         " groups of equal size");
  std::vector<Operand> extents = {shape(v, 0), groups, intDiv(shape(v, 1), groups)};
  for (int axis = 2; axis < v.rank(); ++axis)
    extents.push_back(shape(v, axis));
  Variable grouped = reshape(v, stack(extents));
  Variable result =
      reshape(normalized(grouped, axesFrom(2, grouped.rank(), true), epsilon), shape(v));
  return result * perChannel(g, v.rank()) + perChannel(s, v.rank());
}

Variable instanceNorm(const Operand &x, const Operand &gain, const Operand &shift, double epsilon) {
  CallScope scope(x);
  Variable v = asVariable(x), g = asVariable(gain), s = asVariable(shift);
  if (auto mistake = mistakeOf("instanceNorm", x, v, {g, s}))
    return *mistake;
  return normalized(v, axesFrom(2, v.rank(), false), epsilon) * perChannel(g, v.rank()) +
         perChannel(s, v.rank());
}

Variable batchNormInference(const Operand &x, const Operand &gain, const Operand &shift,
                            const Operand &mean, const Operand &variance, double epsilon) {
  CallScope scope(x);
  Variable v = asVariable(x), g = asVariable(gain), s = asVariable(shift), m = asVariable(mean),
           d = asVariable(variance);
  if (auto mistake = mistakeOf("batchNormInference", x, v, {g, s, m, d}))
    return *mistake;
  auto each = [&](const Variable &numbers) { return perChannel(numbers, v.rank()); };
  return (v - each(m)) / each(sqrt(d + epsilon)) * each(g) + each(s);
}

BatchNorm batchNormTrain(const Operand &x, const Operand &gain, const Operand &shift,
                         double epsilon, const std::optional<Axes> &axes) {
  CallScope scope(x);
  Variable v = asVariable(x), g = asVariable(gain), s = asVariable(shift);
  auto all = [](const Variable &mistake) { return BatchNorm{mistake, mistake, mistake, mistake}; };
  if (!axes)
    if (auto mistake = mistakeOf("batchNormTrain", x, v, {g, s}))
      return all(*mistake);
  for (const Variable &operand : {v, g, s})
    if (!operand.ok())
      return all(operand);
  Axes joined = axes ? *axes : axesFrom(0, v.rank(), false);
  Variable average = mean(v, joined), variance = var(v, joined);
  if (!average.ok())
    return all(average);
  if (g.rank() != average.rank() || s.rank() != average.rank())
    return all(invalidAt(x, ErrorKind::ValueError, "batchNormTrain",
                         "gain and shift must have rank " + std::to_string(average.rank()) +
                             ", the axes of x that are left"));
  Variable inverse = rsqrt(variance + epsilon);
  // Numbers of the axes that are left, to be met with x.
  std::vector<int> order(size_t(v.rank()), 0);
  if (!joined.list())
    order.assign(order.size(), -1);
  else
    for (int64_t axis : *joined.list())
      order[size_t(axis < 0 ? axis + v.rank() : axis)] = -1;
  int next = 0;
  for (int &axis : order)
    axis = axis < 0 ? -1 : next++;
  auto each = [&](const Variable &numbers) { return dimshuffle(numbers, order); };
  Variable count = cast(size(v) / maximum(size(average), 1), v.dtype());
  return {(v - each(average)) * each(inverse * g) + each(s), average, inverse,
          variance * (count / (count - 1.0))};
}

//===--- losses ---------------------------------------------------------------------===//

Variable binaryCrossentropy(const Operand &probability, const Operand &target) {
  CallScope scope(probability);
  Variable p = asVariable(probability), t = asVariable(target);
  return -(xlogy(t, p) + xlogy(1.0 - t, 1.0 - p));
}

Variable sigmoidBinaryCrossentropy(const Operand &x, const Operand &target) {
  CallScope scope(x);
  Variable v = asVariable(x);
  return softplus(v) - v * target;
}

Variable causalConv1d(const Operand &x, const Operand &kernel, int dilation) {
  CallScope scope(x);
  Variable v = asVariable(x), k = asVariable(kernel);
  if (!v.ok() || !k.ok())
    return v.ok() ? k : v;
  if (v.rank() != 3 || k.rank() != 3)
    return invalidAt(x, ErrorKind::ShapeError, "causalConv1d",
                     "x and the kernels must have rank 3, not " + std::to_string(v.rank()) +
                         " and " + std::to_string(k.rank()));
  Variable before = zeros({shape(v, 0), shape(v, 1), (shape(k, 2) - 1) * dilation}, v.dtype());
  return conv1d(Operand(concatenate({before, v}, 2), x.place()), k,
                {.dilation = {dilation}, .filterFlip = false});
}

/// Elements along the last axis at integer labels. A sum of which all terms but one are 0 goes
/// through the row with what computes it, as does its gradient.
static Variable atLabels(const Variable &x, const Operand &operand) {
  Variable labels = asVariable(operand);
  if (!x.ok() || !labels.ok())
    return x.ok() ? labels : x;
  if (labels.rank() != x.rank() - 1)
    return invalidAt(operand, ErrorKind::ShapeError, "crossentropy",
                     "labels must have one axis less than the " + std::to_string(x.rank()) +
                         " of what they choose from, not " + std::to_string(labels.rank()));
  Variable isChosen = oneHot(operand, shape(x, -1), DType::Bool);
  return sum(where(isChosen, x, zerosLike(x)), Axis(-1));
}

Variable softmaxCrossentropy(const Operand &x, const Operand &target) {
  CallScope scope(x);
  Variable t = asVariable(target), logs = logSoftmax(x);
  if (t.ok() && isInteger(t.dtype()))
    return -atLabels(logs, target);
  return -sum(logs * t, Axis(-1));
}

Variable categoricalCrossentropy(const Operand &probabilities, const Operand &target) {
  CallScope scope(probabilities);
  Variable t = asVariable(target), p = asVariable(probabilities);
  if (t.ok() && isInteger(t.dtype()))
    return -log(atLabels(p, target));
  return -sum(xlogy(t, p), Axis(-1));
}

Variable meanSquaredError(const Operand &x, const Operand &y) {
  CallScope scope(x);
  return mean(sqr(sub(x, y)));
}
Variable meanAbsoluteError(const Operand &x, const Operand &y) {
  CallScope scope(x);
  return mean(abs(sub(x, y)));
}

Variable huber(const Operand &error, double delta) {
  CallScope scope(error);
  Variable e = asVariable(error), size = abs(e);
  return where(le(size, delta), 0.5 * sqr(e), delta * (size - 0.5 * delta));
}

Variable klDivergence(const Operand &p, const Operand &q) {
  CallScope scope(p);
  Variable a = asVariable(p), b = asVariable(q);
  return sum(xlogy(a, a) - xlogy(a, b));
}

Variable hinge(const Operand &x, const Operand &target) {
  CallScope scope(x);
  return relu(1.0 - mul(x, target));
}

//===--- cells ------------------------------------------------------------------------===//

Variable attention(const Operand &queries, const Operand &keys, const Operand &values,
                   const AttentionOptions &options) {
  CallScope scope(queries);
  Variable q = asVariable(queries), k = asVariable(keys), v = asVariable(values);
  for (const Variable &operand : {q, k, v})
    if (!operand.ok())
      return operand;
  for (const Variable &operand : {q, k, v})
    if (operand.rank() < 2)
      return invalidAt(queries, ErrorKind::ValueError, "attention",
                       "queries, keys and values are matrices, or batches of them");
  Variable scores = matmul(q, swapaxes(k, -1, -2));
  int64_t width = q.type().extent(q.rank() - 1);
  if (options.scale || width != kDynamic)
    scores = scores * options.scale.value_or(1 / std::sqrt(double(std::max<int64_t>(width, 1))));
  else
    scores = scores / sqrt(cast(maximum(shape(q, -1), 1), scores.dtype()));
  if (options.isCausal) {
    Variable row = dimshuffle(arange(shape(q, -2)), {0, -1}), column = arange(shape(k, -2));
    scores = where(ge(row, column), scores, -std::numeric_limits<double>::infinity());
  }
  return matmul(softmax(scores), v);
}

LstmState lstmCell(const Operand &x, const Operand &h, const Operand &c, const Operand &weights,
                   const Operand &recurrent, const Operand &b) {
  CallScope scope(x);
  Variable state = asVariable(h), cell = asVariable(c);
  Variable all = dot(x, transpose(weights)) + dot(state, transpose(recurrent)) + b;
  Variable width = shape(state, -1);
  auto part = [&](int number) {
    return subtensor(all, {ellipsis, Slice(width * number, width * (number + 1))});
  };
  Variable next = sigmoid(part(1)) * cell + sigmoid(part(0)) * tanh(part(2));
  return {sigmoid(part(3)) * tanh(next), next};
}

Variable gruCell(const Operand &x, const Operand &h, const Operand &weights,
                 const Operand &recurrent, const Operand &b) {
  CallScope scope(x);
  Variable state = asVariable(h);
  Variable input = dot(x, transpose(weights)) + b, before = dot(state, transpose(recurrent));
  Variable width = shape(state, -1);
  auto part = [&](const Variable &all, int number) {
    return subtensor(all, {ellipsis, Slice(width * number, width * (number + 1))});
  };
  Variable r = sigmoid(part(input, 0) + part(before, 0));
  Variable z = sigmoid(part(input, 1) + part(before, 1));
  Variable n = tanh(part(input, 2) + r * part(before, 2));
  return (1.0 - z) * n + z * state;
}

} // namespace graphc
