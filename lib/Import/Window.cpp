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
  Ints named = n.getInts("kernel_shape").value_or(Ints());
  for (int k = 2; k < kernel.rank(); ++k) {
    int64_t own = kernel.type().extent(k);
    if (own == kDynamic && size_t(k - 2) < named.size())
      own = named[size_t(k - 2)];
    else if (own == kDynamic && n.getString("auto_pad", "NOTSET").starts_with("SAME"))
      n.unsupported("auto_pad with a kernel of unknown extents: " + kernel.type().brief() +
                    "; attribute kernel_shape says them");
    extent.push_back(n.toInt(std::max<int64_t>(1, own), "the kernel's extent"));
  }
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

/// Half of the padding, whose odd element goes to the back or the front.
std::pair<Operand, Operand> halves(OnnxNode &n, const Variable &total, bool upper) {
  Variable less = intDiv(n.at(total), 2), more = sub(n.at(total), less);
  return upper ? std::pair(n.at(less), n.at(more)) : std::pair(n.at(more), n.at(less));
}

/// Padding that gives ceil(extent / stride) windows.
void addSamePadding(OnnxNode &n, const Variable &x, Window &w, int k, bool upper) {
  int64_t extent = x.type().extent(2 + k), stride = w.stride[k];
  int64_t reach = covered(w, k), total = reach - 1;
  if (stride != 1 && extent == kDynamic) {
    Variable size = wholeNumber(n, extentTerm(n, x, 2 + k));
    Variable steps = intDiv(n.at(sub(n.at(size), 1)), stride);
    Variable end = add(n.at(mul(n.at(steps), stride)), reach);
    if (!w.open)
      w.open.emplace(x.rank());
    std::tie(w.open->front[2 + k], w.open->back[2 + k]) =
        halves(n, maximum(n.at(sub(n.at(end), size)), 0), upper);
    return;
  }
  if (stride != 1) {
    int64_t windows = (extent + stride - 1) / stride;
    total = std::max<int64_t>(0, (windows - 1) * stride + reach - extent);
  }
  int more = n.toInt(total - total / 2, "the padding"), less = int(total / 2);
  w.padding[k] = upper ? std::pair(less, more) : std::pair(more, less);
}

void addPadding(OnnxNode &n, const Variable &x, Window &w) {
  std::string automatic = n.getString("auto_pad", "NOTSET");
  w.padding.assign(size_t(w.axes), {0, 0});
  if (automatic == "VALID")
    return;
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (int k = 0; k < w.axes; ++k)
      addSamePadding(n, x, w, k, automatic == "SAME_UPPER");
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

Variable paddedWhereOpen(OnnxNode &n, const Variable &x, const Window &w, const Operand &value) {
  PadOptions options;
  options.value = value;
  return w.open ? widened(n, x, *w.open, options) : x;
}

} // namespace graphc
