//===- TransposedConvolution.cpp - ConvTranspose ---------------------------===//
//
// The operand with stride - 1 zeros between its elements, convolved with stride 1 and the kernel
// reversed, its first two axes exchanged.
//
//===----------------------------------------------------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"

namespace graphc {
namespace {

/// Each spatial axis of x with stride - 1 zeros behind every element.
Variable spreadOut(OnnxNode &n, const Variable &x, const Window &w) {
  std::vector<int> order = {0, 1};
  std::vector<std::pair<int, int>> widths(2, {0, 0});
  Terms joined = {extentTerm(n, x, 0), extentTerm(n, x, 1)};
  bool any = false;
  for (int k = 0; k < w.axes; ++k) {
    order.insert(order.end(), {2 + k, -1});
    widths.insert(widths.end(), {{0, 0}, {0, w.stride[k] - 1}});
    joined.push_back(product(n, extentTerm(n, x, 2 + k), Operand(int64_t(w.stride[k]))));
    any |= w.stride[k] != 1;
  }
  if (!any)
    return x;
  Variable apart = pad(n.at(dimshuffle(n.at(x), order)), widths);
  return reshape(n.at(apart), shapeOf(n, joined));
}

/// [channels, outputs / groups, …] as [outputs, channels / groups, …].
Variable exchanged(OnnxNode &n, const Variable &kernel, int64_t groups) {
  std::vector<int> order = {0, 2, 1};
  // Of an unknown number of channels the reshape says what is left.
  int64_t channels = kernel.type().extent(0);
  Terms split = {Operand(groups), Operand(channels == kDynamic ? -1 : channels / groups),
                 extentTerm(n, kernel, 1)};
  Terms joined = {product(n, Operand(groups), split[2]), split[1]};
  for (int k = 2; k < kernel.rank(); ++k) {
    order.push_back(k + 1);
    split.push_back(extentTerm(n, kernel, k));
    joined.push_back(split.back());
  }
  Variable apart = transpose(n.at(reshape(n.at(kernel), shapeOf(n, split))), order);
  return reshape(n.at(apart), shapeOf(n, joined));
}

/// The padding, from `pads` or from the extents that the result must have.
void addPadding(OnnxNode &n, const Variable &x, Window &w, const std::vector<int> &more) {
  std::string automatic = n.getString("auto_pad", "NOTSET");
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID")
    n.fail(ErrorKind::ValueError, "attribute auto_pad is '" + automatic + "'");
  if (!same && !n.hasAttribute("output_shape")) {
    if (automatic == "NOTSET")
      w.padding = padsAttribute(n, w.axes);
    return;
  }
  std::vector<int> wanted;
  if (n.hasAttribute("output_shape"))
    wanted = perAxis(n, "output_shape", w.axes);
  for (int k = 0; k < w.axes; ++k) {
    int64_t extent = x.type().extent(2 + k);
    // Without a wanted extent it is that of the operand times the stride, whatever that is.
    int64_t result = wanted.empty() ? w.stride[k] : wanted[k];
    if (!wanted.empty() && extent == kDynamic) {
      // The whole result is computed, and cut or widened.
      Variable steps = sub(n.at(wholeNumber(n, extentTerm(n, x, 2 + k))), 1);
      Variable total = add(n.at(mul(n.at(steps), w.stride[k])), more[k] + covered(w, k) - result);
      Variable less = intDiv(n.at(maximum(n.at(total), 0)), 2);
      Variable front = automatic == "SAME_UPPER" ? less : sub(n.at(maximum(n.at(total), 0)), less);
      if (!w.open)
        w.open.emplace(x.rank());
      w.open->front[2 + k] = n.at(neg(n.at(front)));
      w.open->back[2 + k] = n.at(sub(n.at(front), total));
      continue;
    }
    int64_t rest = wanted.empty() ? 0 : int64_t(w.stride[k]) * (extent - 1);
    int64_t total = rest + more[k] + covered(w, k) - result;
    // A larger result than the windows reach has zeros behind it.
    if (total < 0) {
      w.padding[k] = {0, n.toInt(total, "the padding")};
      continue;
    }
    int most = n.toInt(total - total / 2, "the padding"), less = int(total / 2);
    w.padding[k] = automatic == "SAME_UPPER" ? std::pair(less, most) : std::pair(most, less);
  }
}

/// Padding of the convolution; where it would be negative, elements of x are cut off.
Variable cutOff(OnnxNode &n, const Variable &x, std::vector<std::pair<int, int>> &padding) {
  std::vector<Index> kept = {Slice(), Slice()};
  bool any = false;
  for (auto &[front, back] : padding) {
    kept.emplace_back(Slice(front < 0 ? Operand(-int64_t(front)) : Operand(kEnd),
                            back < 0 ? Operand(int64_t(back)) : Operand(kEnd)));
    any |= front < 0 || back < 0;
    front = std::max(0, front);
    back = std::max(0, back);
  }
  return any ? subtensor(n.at(x), kept) : x;
}

/// Whether the windows of the result lie beside each other, so that nothing is added up but
/// channels.
bool areApart(const Window &w, const std::vector<int> &more, int groups) {
  bool apart = groups == 1 && !w.open;
  for (int k = 0; k < w.axes; ++k)
    apart = apart && w.stride[k] == w.extent[k] && w.dilation[k] == 1 && more[k] == 0 &&
            w.padding[k] == std::pair(0, 0);
  return apart;
}

/// Then it is a product of pixels with the kernel's columns, each a window's element, which come
/// between the axes that they belong to.
Variable windowsApart(OnnxNode &n, const Variable &x, const Variable &kernel, const Window &w) {
  Terms flat = {extentTerm(n, kernel, 0), extentProduct(n, kernel, 1, kernel.rank())};
  std::vector<int> exchange = {1, 0};
  Terms split = {extentTerm(n, x, 0), extentTerm(n, kernel, 1)}, joined = split;
  std::vector<int> order = {0, 1};
  for (int k = 0; k < w.axes; ++k) {
    flat.emplace_back(int64_t(1));
    exchange.push_back(2 + k);
    split.insert(split.begin() + 2 + k, Operand(int64_t(w.extent[k])));
    split.push_back(extentTerm(n, x, 2 + k));
    order.insert(order.end(), {2 + w.axes + k, 2 + k});
    joined.push_back(product(n, split.back(), Operand(int64_t(w.extent[k]))));
  }
  Variable columns = transpose(n.at(reshape(n.at(kernel), shapeOf(n, flat))), exchange);
  Variable apart = reshape(n.at(convolved(n, x, columns, {})), shapeOf(n, split));
  return reshape(n.at(transpose(n.at(apart), order)), shapeOf(n, joined));
}

Variables convTranspose(OnnxNode &n) {
  Variable x = n.in(0), kernel = n.in(1);
  if (!x.ok() || !kernel.ok() || x.rank() != kernel.rank() || x.rank() < 3)
    return {n.fail(ErrorKind::TypeError,
                   "operand and kernel must have the same rank, at least 3: " + x.type().brief() +
                       " and " + kernel.type().brief())};
  std::optional<Window> w = unpaddedWindow(n, x, kernelExtent(n, kernel));
  if (!w)
    return {};
  std::vector<int> more = perAxis(n, "output_padding", w->axes, 0);
  addPadding(n, x, *w, more);
  int groups = n.getSmallInt("group", 1);
  int64_t channels = kernel.type().extent(0);
  for (int k = 2; k < kernel.rank(); ++k)
    if (kernel.type().extent(k) == kDynamic && !n.hasAttribute("kernel_shape"))
      return {n.unsupported("a kernel of unknown extents: " + kernel.type().brief() +
                            "; attribute kernel_shape says them")};
  if (groups < 1 || (channels != kDynamic && channels % groups != 0))
    return {n.fail(ErrorKind::ValueError, std::to_string(channels) + " channels in " +
                                              std::to_string(groups) + " groups")};
  if (!n.status().ok())
    return {};

  if (areApart(*w, more, groups))
    return {withBias(n, windowsApart(n, x, kernel, *w), 2)};
  std::vector<std::pair<int, int>> padding;
  for (int k = 0; k < w->axes; ++k) {
    int64_t reach = covered(*w, k) - 1;
    // The zeros behind the last element are there already.
    int64_t front = reach - w->padding[k].first;
    int64_t back = reach - w->padding[k].second + more[k] - (w->stride[k] - 1);
    padding.emplace_back(n.toInt(front, "the padding"), n.toInt(back, "the padding"));
  }
  if (!n.status().ok())
    return {};
  Variable spread = cutOff(n, spreadOut(n, x, *w), padding);
  ConvOptions options{.padding = Padding(padding), .dilation = w->dilation, .groups = groups};
  Variable reversed = exchanged(n, kernel, groups);
  Variable result = convolved(n, spread, reversed, options);
  return {withBias(n, w->open ? widened(n, result, *w->open, {}) : result, 2)};
}

} // namespace

absl::Span<const Translation> transposedConvolutionTranslations() {
  static constexpr Translation kTable[] = {
      {"ConvTranspose", convTranspose, 1,
       "1 to 3 spatial axes; the kernel's extents must be known, or given as kernel_shape"}};
  return kTable;
}

} // namespace graphc
