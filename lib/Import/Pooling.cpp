//===- Pooling.cpp - pooling -------------------------------------------------===//
#include <cmath>
#include <limits>

#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"

namespace graphc {
namespace {

/// ceil_mode: the last window may stick out, but starts in the operand or in front of it. How much
/// padding at the back that takes for each axis.
std::vector<int> ceilPadding(OnnxNode &n, const Variable &x, const Window &w) {
  std::vector<int> more(size_t(w.axes), 0);
  for (int k = 0; k < w.axes && n.getBool("ceil_mode", false); ++k) {
    int64_t extent = x.type().extent(2 + k), stride = w.stride[k];
    if (extent == kDynamic) {
      n.unsupported("ceil_mode on an axis of unknown extent");
      return more;
    }
    auto [front, back] = w.padding[k];
    int64_t rest = extent + front + back - covered(w, k);
    int64_t windows = (std::max<int64_t>(0, rest) + stride - 1) / stride + 1;
    if ((windows - 1) * stride >= extent + front)
      --windows;
    more[k] = n.toInt(std::max<int64_t>(0, (windows - 1) * stride - rest), "the padding");
  }
  return more;
}

/// x with `fill` around its spatial axes.
Variable padSpatial(OnnxNode &n, const Variable &x, const std::vector<std::pair<int, int>> &padding,
                    const Tensor &fill) {
  std::vector<std::pair<int, int>> widths(2, {0, 0});
  widths.insert(widths.end(), padding.begin(), padding.end());
  return pad(n.at(x), widths, PadOptions{.value = Operand(fill)});
}

/// Positions of the windows' elements along spatial axis k of a padded operand: [windows, taps].
Variable windowPositions(OnnxNode &n, const Variable &padded, const Window &w, int k) {
  Operand extent = extentTerm(n, padded, 2 + k);
  Variable windows = add(n.at(intDiv(n.at(sub(extent, covered(w, k))), w.stride[k])), 1);
  Variable first = mul(n.at(positionsAlong(n, n.at(windows), 0, 2)), w.stride[k]);
  Variable tap = mul(n.at(positionsAlong(n, Operand(int64_t(w.extent[k])), 1, 2)), w.dilation[k]);
  return add(n.at(first), tap);
}

/// All windows of a padded operand: [batch, channels, windows 0, taps 0, windows 1, taps 1, …].
Variable allWindows(OnnxNode &n, const Variable &padded, const Window &w) {
  Variable result = padded;
  for (int k = 0; k < w.axes; ++k)
    result = take(n.at(result), windowPositions(n, padded, w, k), TakeOptions{.axis = 2 + 2 * k});
  return result;
}

ReductionOptions overTaps(const Window &w) {
  std::vector<int> axes;
  for (int k = 0; k < w.axes; ++k)
    axes.push_back(3 + 2 * k);
  return {.axes = Axes(axes)};
}

/// What no element of the dtype is less than.
Tensor lowest(DType dtype) {
  Tensor result(0.0);
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      result = Tensor(int64_t(std::numeric_limits<T>::lowest())).cast(dtype);
    else
      result = Tensor(-std::numeric_limits<double>::infinity()).cast(dtype);
  });
  return result;
}

/// Where in the flattened operand the first maximum of each window is.
Variable positionsOfMaxima(OnnxNode &n, const Variable &x, const Variable &padded,
                           const Variable &windows, const Window &w) {
  bool columnMajor = n.getBool("storage_order", false);
  int rank = windows.rank();
  ReductionOptions taps = overTaps(w);
  taps.keepDims = true;
  Variable hit = logicalOr(n.at(eq(n.at(windows), max(n.at(windows), taps))),
                           isnan(n.at(cast(n.at(windows), DType::Float64))));
  Variable position = n.scalar(0, DType::Int64);
  for (int k = 0; k < w.axes; ++k) {
    Variable own = sub(n.at(windowPositions(n, padded, w, k)), w.padding[k].first);
    std::vector<int> order(size_t(rank), -1);
    order[size_t(2 + 2 * k)] = 0;
    order[size_t(3 + 2 * k)] = 1;
    Operand stride =
        columnMajor ? extentProduct(n, x, 2, 2 + k) : extentProduct(n, x, 3 + k, x.rank());
    position = add(n.at(position), mul(n.at(dimshuffle(n.at(own), order)), stride));
  }
  Variable none = n.scalar(0x1p62, DType::Int64);
  taps.keepDims = false;
  Variable first = min(n.at(where(n.at(hit), position, none)), taps);
  // The batch and the channel in front.
  Variable channel = positionsAlong(n, extentProduct(n, x, 1, 2), 1, x.rank());
  Variable batch = mul(n.at(positionsAlong(n, extentProduct(n, x, 0, 1), 0, x.rank())),
                       extentProduct(n, x, 1, 2));
  Variable plane = mul(n.at(add(n.at(batch), channel)), extentProduct(n, x, 2, x.rank()));
  return add(n.at(plane), first);
}

std::optional<Window> poolingWindow(OnnxNode &n, const Variable &x) {
  Ints extent = n.getInts("kernel_shape").value_or(Ints());
  return windowOf(n, x, n.toInts(extent, "attribute kernel_shape"));
}

bool isDilated(const Window &w) {
  return std::any_of(w.dilation.begin(), w.dilation.end(), [](int d) { return d != 1; });
}

Variables maxPool(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Window> w = poolingWindow(n, x);
  if (!w)
    return {};
  std::vector<int> more = ceilPadding(n, x, *w);
  for (int k = 0; k < w->axes; ++k)
    w->padding[k].second += more[k];
  if (!n.status().ok())
    return {};
  PoolOptions options{.stride = w->stride, .padding = Padding(w->padding), .mode = PoolMode::Max};
  if (!isDilated(*w) && !n.wantsOutput(1))
    return {pool(n.at(x), w->extent, options)};
  Variable padded = padSpatial(n, x, w->padding, lowest(x.dtype()));
  Variable windows = allWindows(n, padded, *w);
  Variable result = max(n.at(windows), overTaps(*w));
  if (!n.wantsOutput(1))
    return {result};
  return {result, positionsOfMaxima(n, x, padded, windows, *w)};
}

Variables averagePool(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Window> w = poolingWindow(n, x);
  if (!w)
    return {};
  std::vector<int> more = ceilPadding(n, x, *w);
  if (!n.status().ok())
    return {};
  bool sticksOut = std::any_of(more.begin(), more.end(), [](int m) { return m != 0; });
  bool padsCount = n.getBool("count_include_pad", false);
  std::vector<std::pair<int, int>> all = w->padding, out(size_t(w->axes), {0, 0});
  for (int k = 0; k < w->axes; ++k) {
    all[k].second += more[k];
    out[k].second = more[k];
  }
  if (!isDilated(*w) && !(padsCount && sticksOut)) {
    PoolOptions options{.stride = w->stride, .padding = Padding(all)};
    options.mode = padsCount ? PoolMode::AverageIncPad : PoolMode::AverageExcPad;
    return {pool(n.at(x), w->extent, options)};
  }
  // What ceil_mode adds behind the padding never counts.
  Tensor zero = Tensor(0.0).cast(x.dtype()), one = Tensor(1.0).cast(x.dtype());
  Variable counted = padSpatial(n, onesLike(n.at(x)), w->padding, padsCount ? one : zero);
  Variable counts = allWindows(n, padSpatial(n, counted, out, zero), *w);
  Variable values = allWindows(n, padSpatial(n, x, all, zero), *w);
  return {trueDiv(n.at(sum(n.at(values), overTaps(*w))), sum(n.at(counts), overTaps(*w)))};
}

template <Variable (*f)(const Operand &, const ReductionOptions &)>
Variables globalPool(OnnxNode &n) {
  Variable x = n.in(0);
  std::vector<int> axes;
  for (int axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  return {f(n.at(x), ReductionOptions{.axes = Axes(axes), .keepDims = true})};
}

} // namespace

absl::Span<const Translation> poolingTranslations() {
  static constexpr Translation kTable[] = {
      {"AveragePool", averagePool, 1, "auto_pad with strides and ceil_mode need known extents"},
      {"GlobalAveragePool", globalPool<mean>},
      {"GlobalMaxPool", globalPool<max>},
      {"MaxPool", maxPool, 1, "auto_pad with strides and ceil_mode need known extents"},
  };
  return kTable;
}

} // namespace graphc
