//===- Windows.cpp - convolution and pooling -------------------------------===//
#include "Import/Translations.h"

namespace graphc {
namespace {

/// Windows over the spatial axes, those from 2 on.
struct Window {
  int axes = 0;
  std::vector<int> extent, stride, dilation;
  std::vector<std::pair<int, int>> padding;
};

/// A list with an entry for each spatial axis.
std::vector<int> perAxis(OnnxNode &n, std::string_view name, int axes) {
  std::vector<int> list = asInts(n.getInts(name).value_or(Ints(size_t(axes), 1)));
  if (int(list.size()) == axes)
    return list;
  n.fail(ErrorKind::ValueError, "attribute " + std::string(name) + " has " +
                                    std::to_string(list.size()) + " entries for " +
                                    std::to_string(axes) + " spatial axes");
  return std::vector<int>(size_t(axes), 1);
}

/// Padding that gives ceil(n / stride) windows; an odd element goes to the back or the front.
std::pair<int, int> samePadding(OnnxNode &n, const Window &w, int k, int64_t extent, bool upper) {
  int64_t covered = int64_t(w.extent[k] - 1) * w.dilation[k] + 1, total = covered - 1;
  if (w.stride[k] != 1) {
    if (extent == kDynamic) {
      n.unsupported("auto_pad with strides on an axis of unknown extent");
      return {};
    }
    int64_t windows = (extent + w.stride[k] - 1) / w.stride[k];
    total = std::max<int64_t>(0, (windows - 1) * w.stride[k] + covered - extent);
  }
  int less = int(total / 2), more = int(total - total / 2);
  return upper ? std::pair(less, more) : std::pair(more, less);
}

void addPadding(OnnxNode &n, const Variable &x, Window &w) {
  std::string automatic = n.getString("auto_pad", "NOTSET");
  w.padding.assign(size_t(w.axes), {0, 0});
  if (automatic == "VALID")
    return;
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (int k = 0; k < w.axes; ++k)
      w.padding[k] = samePadding(n, w, k, x.type().extent(2 + k), automatic == "SAME_UPPER");
    return;
  }
  if (automatic != "NOTSET") {
    n.fail(ErrorKind::ValueError, "attribute auto_pad is '" + automatic + "'");
    return;
  }
  std::optional<Ints> pads = n.getInts("pads");
  if (!pads)
    return;
  std::vector<int> list = asInts(*pads);
  if (int(list.size()) != 2 * w.axes) {
    n.fail(ErrorKind::ValueError, "attribute pads has " + std::to_string(list.size()) +
                                      " entries for " + std::to_string(w.axes) + " spatial axes");
    return;
  }
  for (int k = 0; k < w.axes; ++k)
    w.padding[k] = {list[k], list[w.axes + k]};
}

/// `extent`: that of the window, from an attribute or a kernel's shape.
std::optional<Window> windowOf(OnnxNode &n, const Variable &x, std::vector<int> extent) {
  Window w;
  w.axes = x.rank() - 2;
  if (!x.ok() || w.axes < 1) {
    n.fail(ErrorKind::TypeError, "the operand has no spatial axes: " + x.type().brief());
    return std::nullopt;
  }
  w.extent = std::move(extent);
  if (int(w.extent.size()) != w.axes) {
    n.fail(ErrorKind::ValueError, "a window of " + std::to_string(w.extent.size()) + " axes for " +
                                      std::to_string(w.axes) + " spatial axes");
    return std::nullopt;
  }
  w.stride = perAxis(n, "strides", w.axes);
  w.dilation = perAxis(n, "dilations", w.axes);
  for (int k = 0; k < w.axes; ++k)
    if (w.extent[k] < 1 || w.stride[k] < 1 || w.dilation[k] < 1)
      n.fail(ErrorKind::ValueError, "windows, strides and dilations must be positive");
  if (n.status().ok())
    addPadding(n, x, w);
  if (!n.status().ok())
    return std::nullopt;
  return w;
}

//===--- convolution ------------------------------------------------------------===//

Variables conv(OnnxNode &n) {
  Variable x = n.in(0), kernel = n.in(1);
  if (!x.ok() || !kernel.ok() || x.rank() != kernel.rank())
    return {n.fail(ErrorKind::TypeError, "operand and kernel must have the same rank: " +
                                             x.type().brief() + " and " + kernel.type().brief())};
  // The kernel's extents are needed for auto_pad only; its shape rules over kernel_shape.
  std::vector<int> extent;
  for (int k = 2; k < kernel.rank(); ++k)
    extent.push_back(int(std::max<int64_t>(1, kernel.type().extent(k))));
  std::optional<Window> w = windowOf(n, x, extent);
  if (!w)
    return {};
  ConvOptions options;
  options.stride = w->stride;
  options.dilation = w->dilation;
  options.padding = Padding(w->padding);
  options.groups = int(n.getInt("group", 1));
  options.filterFlip = false;
  Variable y = w->axes == 1   ? conv1d(n.at(x), kernel, options)
               : w->axes == 2 ? conv2d(n.at(x), kernel, options)
               : w->axes == 3 ? conv3d(n.at(x), kernel, options)
                              : n.unsupported("convolution over more than 3 axes");
  if (n.has(2)) {
    std::vector<int> order(size_t(w->axes + 1), -1);
    order[0] = 0;
    y = add(n.at(y), dimshuffle(n.arg(2), order));
  }
  return {y};
}

//===--- pooling ----------------------------------------------------------------===//

/// ceil_mode: the last window may stick out, but starts in the operand or in front of it. That is
/// padding at the back. Whether it was needed.
bool addCeilPadding(OnnxNode &n, const Variable &x, Window &w) {
  bool any = false;
  for (int k = 0; k < w.axes; ++k) {
    int64_t extent = x.type().extent(2 + k), stride = w.stride[k];
    if (extent == kDynamic) {
      n.unsupported("ceil_mode on an axis of unknown extent");
      return false;
    }
    auto [front, back] = w.padding[k];
    int64_t rest = extent + front + back - w.extent[k];
    int64_t windows = (std::max<int64_t>(0, rest) + stride - 1) / stride + 1;
    if ((windows - 1) * stride >= extent + front)
      --windows;
    int64_t more = (windows - 1) * stride - rest;
    w.padding[k].second += int(std::max<int64_t>(0, more));
    any |= more > 0;
  }
  return any;
}

Variables pooled(OnnxNode &n, PoolMode mode) {
  Variable x = n.in(0);
  std::optional<Window> w = windowOf(n, x, asInts(n.getInts("kernel_shape").value_or(Ints())));
  if (!w)
    return {};
  for (int dilation : w->dilation)
    if (dilation != 1)
      return {n.unsupported("pooling with dilations")};
  if (n.getBool("ceil_mode", false) && addCeilPadding(n, x, *w) && mode == PoolMode::AverageIncPad)
    return {n.unsupported("ceil_mode together with count_include_pad")};
  PoolOptions options;
  options.stride = w->stride;
  options.padding = Padding(w->padding);
  options.mode = mode;
  return {pool(n.at(x), w->extent, options)};
}

Variables maxPool(OnnxNode &n) { return pooled(n, PoolMode::Max); }
Variables averagePool(OnnxNode &n) {
  bool counted = n.getBool("count_include_pad", false);
  return pooled(n, counted ? PoolMode::AverageIncPad : PoolMode::AverageExcPad);
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

absl::Span<const Translation> windowTranslations() {
  static constexpr Translation kTable[] = {
      {"AveragePool", averagePool},
      {"Conv", conv},
      {"GlobalAveragePool", globalPool<mean>},
      {"GlobalMaxPool", globalPool<max>},
      {"MaxPool", maxPool},
  };
  return kTable;
}

} // namespace graphc
