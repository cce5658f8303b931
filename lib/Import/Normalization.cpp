//===- Normalization.cpp - normalizations and dropout ----------------------===//
#include <numeric>

#include "Import/Broadcast.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"

namespace graphc {
namespace {

/// A vector with one element for each channel, beside axis 1 of x.
Variable beside(OnnxNode &n, const Variable &x, const Variable &vector) {
  return dimshuffle(n.at(vector), orderAlong(0, x.rank() - 1));
}

Variable sqrtPlus(OnnxNode &n, const Variable &variance, double epsilon) {
  return sqrt(n.at(add(n.at(variance), n.scalar(epsilon, variance.dtype()))));
}

struct Normalized {
  Variable value, mean, variance, inverseDeviation;
};

/// (x - mean) / sqrt(variance + epsilon) over axes.
Normalized normalized(OnnxNode &n, const Variable &x, const std::vector<int> &axes,
                      double epsilon) {
  ReductionOptions options{.axes = Axes(axes), .keepDims = true};
  Variable mean = graphc::mean(n.at(x), options);
  Variable centered = sub(n.at(x), mean);
  Variable variance = graphc::mean(n.at(sqr(n.at(centered))), options);
  Variable inverse = reciprocal(n.at(sqrtPlus(n, variance, epsilon)));
  return {mul(n.at(centered), inverse), mean, variance, inverse};
}

std::vector<int> axesFrom(int first, int rank) {
  std::vector<int> axes(size_t(std::max(0, rank - first)));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// Of this batch; the other outputs are means of the given statistics and this batch's.
Variables trainingBatchNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  std::vector<int> axes = axesFrom(1, x.rank());
  if (!axes.empty())
    axes[0] = 0;
  Normalized part = normalized(n, x, axes, n.getFloat("epsilon", 1e-5));
  double momentum = n.getFloat("momentum", 0.9);
  auto running = [&](size_t i, const Variable &batch) {
    Variable given = n.in(i), own = reshape(n.at(batch), ShapeList({Operand(-1)}));
    return add(n.at(mul(n.at(given), n.scalar(momentum, given.dtype()))),
               mul(n.at(cast(n.at(own), given.dtype())), n.scalar(1 - momentum, given.dtype())));
  };
  Variable scaled = mul(n.at(part.value), beside(n, x, n.in(1)));
  return {add(n.at(scaled), beside(n, x, n.in(2))), running(3, part.mean),
          running(4, part.variance)};
}

/// As ONNX's inference: x * factor + offset, the two of which follow from the parameters alone
/// and so are computed once where these are constant.
Variables batchNormalization(OnnxNode &n) {
  Variable x = n.in(0), scale = n.in(1), bias = n.in(2), mean = n.in(3), variance = n.in(4);
  if (n.getBool("training_mode", false))
    return trainingBatchNormalization(n);
  // Before set 9 there may be parameters for each element of a channel.
  const bool each = n.opset() < 9 && !n.getBool("spatial", true);
  auto along = [&](const Variable &v) {
    return each ? expandDims(n.at(v), Axis(0)) : beside(n, x, v);
  };
  double epsilon = n.getFloat("epsilon", 1e-5);
  Variable factor = trueDiv(n.at(scale), sqrtPlus(n, variance, epsilon));
  Variable offset = sub(n.at(bias), mul(n.at(mean), factor));
  Variable scaled = mul(n.at(x), along(factor));
  return {add(n.at(scaled), along(offset))};
}

Variables instanceNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  Normalized part = normalized(n, x, axesFrom(2, x.rank()), n.getFloat("epsilon", 1e-5));
  Variable scaled = mul(n.at(part.value), beside(n, x, n.in(1)));
  return {add(n.at(scaled), beside(n, x, n.in(2)))};
}

/// x in the dtype in which statistics are computed (stash_type): f32 at least.
Variable forStatistics(OnnxNode &n, const Variable &x) {
  bool narrow = x.dtype() == DType::Float16 || x.dtype() == DType::BFloat16;
  return narrow ? cast(n.at(x), DType::Float32) : x;
}

/// Groups of channels, each with all of its positions. Set 18 has a factor and a term for each
/// group, later ones for each channel.
Variables groupNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  int64_t groups = n.requireInt("num_groups");
  if (!n.status().ok() || x.rank() < 2)
    return {n.fail(ErrorKind::TypeError, "the operand has no channels: " + x.type().brief())};
  if (int64_t channels = x.type().extent(1);
      groups < 1 || (channels != kDynamic && channels % groups != 0))
    return {n.fail(ErrorKind::ValueError, std::to_string(channels) + " channels in " +
                                              std::to_string(groups) + " groups")};
  Terms own;
  for (int k = 0; k < x.rank(); ++k)
    own.push_back(extentTerm(n, x, k));
  Variable apart = reshape(n.at(forStatistics(n, x)),
                           shapeOf(n, {own[0], Operand(groups), Operand(int64_t(-1))}));
  Variable value = normalized(n, apart, {2}, n.getFloat("epsilon", 1e-5)).value;
  value = cast(n.at(value), x.dtype());
  const bool byGroup = n.opset() < 21;
  if (!byGroup)
    value = reshape(n.at(value), shapeOf(n, own));
  Variable result = mul(n.at(value), beside(n, value, n.in(1)));
  result = add(n.at(result), beside(n, value, n.in(2)));
  return {byGroup ? reshape(n.at(result), shapeOf(n, own)) : result};
}

Variables rmsNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", -1), x.rank());
  if (!n.status().ok())
    return {};
  Variable wide = forStatistics(n, x);
  ReductionOptions options{.axes = Axes(axesFrom(axis, x.rank())), .keepDims = true};
  Variable square = mean(n.at(sqr(n.at(wide))), options);
  Variable inverse = reciprocal(n.at(sqrtPlus(n, square, n.getFloat("epsilon", 1e-5))));
  Variable result = cast(n.at(mul(n.at(wide), inverse)), n.in(1).dtype());
  return {mul(n.at(result), broadcastInto(n, n.in(1), result))};
}

Variables layerNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", -1), x.rank());
  Variable wide = forStatistics(n, x);
  const bool narrow = wide.dtype() != x.dtype();
  Normalized part = normalized(n, wide, axesFrom(axis, x.rank()), n.getFloat("epsilon", 1e-5));
  Variable result = narrow ? cast(n.at(part.value), x.dtype()) : part.value;
  result = mul(n.at(result), broadcastInto(n, n.in(1), result));
  if (n.has(2))
    result = add(n.at(result), broadcastInto(n, n.in(2), result));
  return {result, part.mean, part.inverseDeviation};
}

Variables meanVarianceNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  // ONNX's function body adds this to the deviation, not to the variance.
  Ints axes = n.getInts("axes").value_or(Ints{0, 2, 3});
  ReductionOptions options{.axes = Axes(n.plainAxes(axes, x.rank())), .keepDims = true};
  Variable centered = sub(n.at(x), mean(n.at(x), options));
  Variable deviation = sqrt(n.at(mean(n.at(sqr(n.at(centered))), options)));
  return {trueDiv(n.at(centered), add(n.at(deviation), n.scalar(1e-9, x.dtype())))};
}

/// x / (bias + alpha / size * sum of squares of `size` channels around each)^beta.
Variables lrn(OnnxNode &n) {
  Variable x = n.in(0);
  int size = n.requireInt("size");
  if (n.status().ok() && (size < 1 || x.rank() < 2))
    return {n.fail(ErrorKind::ValueError,
                   "size " + std::to_string(size) + " of rank " + std::to_string(x.rank()))};
  // A window over the channels, 1 wide along the axes behind them.
  std::vector<int> window(size_t(std::max(1, x.rank() - 1)), 1), stride(window);
  std::vector<std::pair<int, int>> padding(window.size(), {0, 0});
  window[0] = size;
  padding[0] = {(size - 1) / 2, size / 2};
  PoolOptions options{.stride = stride, .padding = Padding(padding), .mode = PoolMode::Sum};
  Variable squares = pool(n.at(sqr(n.at(x))), window, options);
  Variable alpha = n.scalar(n.getFloat("alpha", 1e-4) / std::max(1, size), x.dtype());
  Variable base =
      add(n.at(mul(n.at(squares), alpha)), n.scalar(n.getFloat("bias", 1.0), x.dtype()));
  Variable power = pow(n.at(base), n.scalar(n.getFloat("beta", 0.75), x.dtype()));
  return {trueDiv(n.at(x), power)};
}

Variables lpNormalization(OnnxNode &n) {
  Variable x = n.in(0);
  int axis = n.plainAxis(n.getInt("axis", -1), x.rank());
  int64_t p = n.getInt("p", 2);
  if (p != 1 && p != 2)
    return {n.fail(ErrorKind::ValueError, "attribute p is " + std::to_string(p))};
  ReductionOptions options{.axes = Axis(axis), .keepDims = true};
  Variable total = sum(n.at(p == 1 ? abs(n.at(x)) : sqr(n.at(x))), options);
  // Of zeros ONNX has zeros.
  total = where(n.at(eq(n.at(total), 0)), n.scalar(1, total.dtype()), total);
  return {trueDiv(n.at(x), p == 1 ? total : sqrt(n.at(total)))};
}

/// Nothing is dropped but while training: then what is kept is divided by its share. Whether that
/// is so, and the ratio, may be computed.
Variables dropout(OnnxNode &n) {
  Variable x = n.in(0);
  const bool mayTrain = n.has(2) && (n.isComputed(2) || n.constant(2).item<bool>());
  Variable ratio = mayTrain && n.has(1) ? scalarOf(n, 1) : n.scalar(0.5, DType::Float64);
  if (!n.status().ok())
    return {};
  if (mayTrain && n.numberOf(ratio) != 0.0) {
    Variable kept = keptByDropout(n, x, ratio);
    Variable share = sub(n.at(n.scalar(1, DType::Float64)), cast(n.at(ratio), DType::Float64));
    Variable scaled = trueDiv(n.at(x), cast(n.at(share), x.dtype()));
    Variable result = where(n.at(kept), scaled, n.scalar(0, x.dtype()));
    if (!n.isComputed(2))
      return {result, kept};
    Variable trains = scalarOf(n, 2);
    return {where(n.at(trains), result, x), logicalOr(n.at(kept), logicalNot(n.at(trains)))};
  }
  if (!n.wantsOutput(1))
    return {x};
  return {x, cast(n.at(onesLike(n.at(x))), n.opset() >= 10 ? DType::Bool : x.dtype())};
}

} // namespace

absl::Span<const Translation> normalizationTranslations() {
  static constexpr Translation kTable[] = {
      {"BatchNormalization", batchNormalization, 1, "training_mode from set 14 on"},
      {"Dropout", dropout, 1, "before set 12 nothing is dropped"},
      {"GroupNormalization", groupNormalization, 18},
      {"InstanceNormalization", instanceNormalization},
      {"LRN", lrn},
      {"LayerNormalization", layerNormalization, 17},
      {"LpNormalization", lpNormalization},
      {"MeanVarianceNormalization", meanVarianceNormalization, 9},
      {"RMSNormalization", rmsNormalization, 23},
  };
  return kTable;
}

} // namespace graphc
