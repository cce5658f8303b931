//===- Window.cpp - attributes of windows ----------------------------------===//
#include "Import/Window.h"

namespace graphc {

std::vector<int> perAxis(OnnxNode &n, std::string_view name, int axes, int otherwise) {
  std::vector<int> list = n.toInts(n.getInts(name).value_or(Ints(size_t(axes), otherwise)),
                                   "attribute " + std::string(name));
  if (int(list.size()) == axes)
    return list;
  n.fail(ErrorKind::ValueError, "attribute " + std::string(name) + " has " +
                                    std::to_string(list.size()) + " entries for " +
                                    std::to_string(axes) + " spatial axes");
  return std::vector<int>(size_t(axes), otherwise);
}

std::vector<std::pair<int, int>> padsAttribute(OnnxNode &n, int axes) {
  std::vector<std::pair<int, int>> padding(size_t(axes), {0, 0});
  std::optional<Ints> pads = n.getInts("pads");
  if (!pads)
    return padding;
  std::vector<int> list = n.toInts(*pads, "attribute pads");
  if (int(list.size()) != 2 * axes) {
    n.fail(ErrorKind::ValueError, "attribute pads has " + std::to_string(list.size()) +
                                      " entries for " + std::to_string(axes) + " spatial axes");
    return padding;
  }
  for (int k = 0; k < axes; ++k)
    padding[k] = {list[k], list[axes + k]};
  return padding;
}

std::vector<int> kernelExtent(OnnxNode &n, const Variable &kernel) {
  std::vector<int> extent;
  for (int k = 2; k < kernel.rank(); ++k)
    extent.push_back(n.toInt(std::max<int64_t>(1, kernel.type().extent(k)), "the kernel's extent"));
  return extent;
}

std::optional<Window> unpaddedWindow(OnnxNode &n, const Variable &x, std::vector<int> extent) {
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
  w.padding.assign(size_t(w.axes), {0, 0});
  for (int k = 0; k < w.axes; ++k) {
    // With all of them ints, no sum or product of two leaves 64 bits.
    n.toInt(std::max<int64_t>(0, x.type().extent(2 + k)), "the operand's extent");
    if (w.extent[k] < 1 || w.stride[k] < 1 || w.dilation[k] < 1)
      n.fail(ErrorKind::ValueError, "windows, strides and dilations must be positive");
  }
  if (!n.status().ok())
    return std::nullopt;
  return w;
}

namespace {

/// Padding that gives ceil(n / stride) windows; an odd element goes to the back or the front.
std::pair<int, int> samePadding(OnnxNode &n, const Window &w, int k, int64_t extent, bool upper) {
  int64_t reach = covered(w, k), total = reach - 1;
  if (w.stride[k] != 1) {
    if (extent == kDynamic) {
      n.unsupported("auto_pad with strides on an axis of unknown extent");
      return {};
    }
    int64_t windows = (extent + w.stride[k] - 1) / w.stride[k];
    total = std::max<int64_t>(0, (windows - 1) * w.stride[k] + reach - extent);
  }
  int more = n.toInt(total - total / 2, "the padding"), less = int(total / 2);
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
  w.padding = padsAttribute(n, w.axes);
}

} // namespace

std::optional<Window> windowOf(OnnxNode &n, const Variable &x, std::vector<int> extent) {
  std::optional<Window> w = unpaddedWindow(n, x, std::move(extent));
  if (w)
    addPadding(n, x, *w);
  return n.status().ok() ? w : std::nullopt;
}

} // namespace graphc
