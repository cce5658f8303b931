//===- Pooling.cpp - pooling -------------------------------------------------===//
#include <algorithm>
#include <cmath>

#include "Import/DTypeEnds.h"
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"
#include "Ops/Pictures.h"

namespace graphc {
namespace {

/// ceil_mode: the last window may stick out, but starts in the operand or in front of it. How much
/// padding at the back that takes for each axis: numbers, or 0-d Variables.
Terms ceilPadding(OnnxNode &n, const Variable &x, const Window &w) {
  Terms more(size_t(w.axes), Operand(int64_t(0)));
  for (int k = 0; k < w.axes && n.getBool("ceil_mode", false); ++k) {
    int64_t extent = x.type().extent(2 + k), stride = w.stride[k];
    auto [front, back] = w.padding[k];
    if (extent == kDynamic) {
      // With auto_pad there are ceil(extent / stride) windows already, and nothing sticks out.
      if (w.open || stride == 1)
        continue;
      Variable size = add(n.at(wholeNumber(n, extentTerm(n, x, 2 + k))), int64_t(front));
      Variable rest = add(n.at(size), int64_t(back) - covered(w, k));
      Variable steps = intDiv(n.at(add(n.at(maximum(n.at(rest), 0)), stride - 1)), stride);
      steps = minimum(n.at(steps), intDiv(n.at(sub(n.at(size), 1)), stride));
      more[k] = n.at(maximum(n.at(sub(n.at(mul(n.at(steps), stride)), rest)), 0));
      continue;
    }
    int64_t rest = extent + front + back - covered(w, k);
    int64_t windows = (std::max<int64_t>(0, rest) + stride - 1) / stride + 1;
    if ((windows - 1) * stride >= extent + front)
      --windows;
    more[k] = Operand(
        int64_t(n.toInt(std::max<int64_t>(0, (windows - 1) * stride - rest), "the padding")));
  }
  return more;
}

/// Adds what ceil_mode takes to the padding of the window.
void addCeilPadding(Window &w, const Variable &x, const Terms &more) {
  for (int k = 0; k < w.axes; ++k)
    if (isNumber(more[k])) {
      w.padding[k].second += int(more[k].weakValue().item<int64_t>());
    } else {
      if (!w.open)
        w.open.emplace(x.rank());
      w.open->back[2 + k] = more[k];
    }
}

bool anyPadding(const Terms &more) {
  return std::ranges::any_of(
      more, [](const Operand &m) { return !isNumber(m) || m.weakValue().item<int64_t>() != 0; });
}

/// x with `fill` around its spatial axes.
Variable padSpatial(OnnxNode &n, const Variable &x, const std::vector<std::pair<int, int>> &padding,
                    const Tensor &fill) {
  std::vector<std::pair<int, int>> widths(2, {0, 0});
  widths.insert(widths.end(), padding.begin(), padding.end());
  return pad(n.at(x), widths, PadOptions{.value = Operand(fill)});
}

/// All windows of a padded operand: [batch, channels, taps 0, windows 0, taps 1, windows 1, …].
Variable allWindows(const Variable &padded, const Window &w) {
  return windowsOf(padded, 2, w.extent, w.stride, w.dilation);
}

ReductionOptions overTaps(const Window &w) {
  std::vector<int> axes;
  for (int k = 0; k < w.axes; ++k)
    axes.push_back(2 + 2 * k);
  return {.axes = Axes(axes)};
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
    Variable own = windowPositions(shape(padded, 2 + k), w.extent[k], w.stride[k], w.dilation[k]) -
                   w.padding[k].first;
    if (w.open)
      own = sub(n.at(own), wholeNumber(n, w.open->front[2 + k]));
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

/// With the padding that ceil_mode adds.
std::optional<Window> paddedWindow(OnnxNode &n, const Variable &x) {
  std::optional<Window> w = poolingWindow(n, x);
  if (w)
    addCeilPadding(*w, x, ceilPadding(n, x, *w));
  return n.status().ok() ? w : std::nullopt;
}

bool isDilated(const Window &w) {
  return std::any_of(w.dilation.begin(), w.dilation.end(), [](int d) { return d != 1; });
}

Variables maxPool(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Window> w = paddedWindow(n, x);
  if (!w)
    return {};
  PoolOptions options{.stride = w->stride, .padding = Padding(w->padding), .mode = PoolMode::Max};
  Tensor least = leastOf(x.dtype());
  Variable wide = paddedWhereOpen(n, x, *w, Operand(least));
  if (!isDilated(*w) && !n.wantsOutput(1))
    return {pool(n.at(wide), w->extent, options)};
  Variable padded = padSpatial(n, wide, w->padding, least);
  Variable windows = allWindows(padded, *w);
  Variable result = max(n.at(windows), overTaps(*w));
  if (!n.wantsOutput(1))
    return {result};
  return {result, positionsOfMaxima(n, x, padded, windows, *w)};
}

/// Sums of the windows of x with zeros around it.
Variable windowSums(OnnxNode &n, const Variable &x, const Window &w) {
  Tensor zero = Tensor(0.0).cast(x.dtype());
  Variable wide = paddedWhereOpen(n, x, w, Operand(zero));
  if (isDilated(w))
    return sum(n.at(allWindows(padSpatial(n, wide, w.padding, zero), w)), overTaps(w));
  return pool(n.at(wide), w.extent,
              {.stride = w.stride, .padding = Padding(w.padding), .mode = PoolMode::Sum});
}

Variables averagePool(OnnxNode &n) {
  Variable x = n.in(0);
  std::optional<Window> w = poolingWindow(n, x);
  if (!w)
    return {};
  Terms more = ceilPadding(n, x, *w);
  if (!n.status().ok())
    return {};
  bool padsCount = n.getBool("count_include_pad", false), sticksOut = anyPadding(more);
  Window all = *w;
  addCeilPadding(all, x, more);
  if (!isDilated(*w) && !all.open && !(padsCount && sticksOut)) {
    PoolOptions options{.stride = w->stride, .padding = Padding(all.padding)};
    options.mode = padsCount ? PoolMode::AverageIncPad : PoolMode::AverageExcPad;
    return {pool(n.at(x), w->extent, options)};
  }
  // Padding counts if it is asked for; what ceil_mode adds behind it never does.
  Variable counted = onesLike(n.at(x));
  if (padsCount) {
    Tensor one = Tensor(1.0).cast(x.dtype());
    counted = padSpatial(n, paddedWhereOpen(n, counted, *w, Operand(one)), w->padding, one);
    Window out = all;
    out.padding.assign(size_t(w->axes), {0, 0});
    out.open.reset();
    addCeilPadding(out, x, more);
    return {trueDiv(n.at(windowSums(n, x, all)), windowSums(n, counted, out))};
  }
  return {trueDiv(n.at(windowSums(n, x, all)), windowSums(n, counted, all))};
}

/// The p of an Lp norm, a float in the first set.
double normOrder(OnnxNode &n) {
  double p = n.opset() < 2 ? n.getFloat("p", 2) : double(n.getInt("p", 2));
  if (!(p > 0))
    n.fail(ErrorKind::ValueError, "attribute p is " + std::to_string(p));
  return p;
}

Variable powers(OnnxNode &n, const Variable &x, double p) {
  Variable size = abs(n.at(x));
  return p == 1 ? size : p == 2 ? sqr(n.at(x)) : pow(n.at(size), n.scalar(p, x.dtype()));
}

Variable root(OnnxNode &n, const Variable &x, double p) {
  return p == 1 ? x : p == 2 ? sqrt(n.at(x)) : pow(n.at(x), n.scalar(1 / p, x.dtype()));
}

/// The p-th root of the sum of p-th powers of each window.
Variables lpPool(OnnxNode &n) {
  Variable x = n.in(0);
  double p = normOrder(n);
  std::optional<Window> w = paddedWindow(n, x);
  if (!w)
    return {};
  return {root(n, windowSums(n, powers(n, x, p), *w), p)};
}

std::vector<int> spatialAxes(const Variable &x) {
  std::vector<int> axes;
  for (int axis = 2; axis < x.rank(); ++axis)
    axes.push_back(axis);
  return axes;
}

Variables globalLpPool(OnnxNode &n) {
  Variable x = n.in(0);
  double p = normOrder(n);
  ReductionOptions options{.axes = Axes(spatialAxes(x)), .keepDims = true};
  return {root(n, sum(n.at(powers(n, x, p)), options), p)};
}

template <Variable (*f)(const Operand &, const ReductionOptions &)>
Variables globalPool(OnnxNode &n) {
  Variable x = n.in(0);
  return {f(n.at(x), ReductionOptions{.axes = Axes(spatialAxes(x)), .keepDims = true})};
}

} // namespace

absl::Span<const Translation> poolingTranslations() {
  static constexpr Translation kTable[] = {
      {"AveragePool", averagePool},
      {"GlobalAveragePool", globalPool<mean>},
      {"GlobalLpPool", globalLpPool},
      {"GlobalMaxPool", globalPool<max>},
      {"LpPool", lpPool},
      {"MaxPool", maxPool},
  };
  return kTable;
}

} // namespace graphc
