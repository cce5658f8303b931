//===- TransposedConvolution.cpp - ConvTranspose ---------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

/// Where less than nothing is to be cut off the result, zeros stand.
void addZeros(const Variable &x, Window &w) {
  for (int k = 0; k < w.axes; ++k) {
    auto &[front, back] = w.padding[k];
    if (front >= 0 && back >= 0)
      continue;
    if (!w.open)
      w.open.emplace(x.rank());
    if (front < 0)
      w.open->front[2 + k] = Operand(-int64_t(front));
    if (back < 0)
      w.open->back[2 + k] = Operand(-int64_t(back));
    front = std::max(0, front);
    back = std::max(0, back);
  }
}

/// What is cut off the result, from `pads` or from the extents that it must have.
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

Variable transposed(OnnxNode &n, const Variable &x, const Variable &kernel,
                    const TransposedConvOptions &options) {
  switch (x.rank()) {
  case 3:
    return conv1dTranspose(x, kernel, options);
  case 4:
    return conv2dTranspose(x, kernel, options);
  case 5:
    return conv3dTranspose(x, kernel, options);
  default:
    return n.unsupported("convolution over " + std::to_string(x.rank() - 2) + " axes");
  }
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
    if (kernel.type().extent(k) == kDynamic && !n.hasAttribute("kernel_shape") &&
        n.hasAttribute("output_shape"))
      return {n.unsupported("output_shape with a kernel of unknown extents: " +
                            kernel.type().brief() + "; attribute kernel_shape says them")};
  if (groups < 1 || (channels != kDynamic && channels % groups != 0))
    return {n.fail(ErrorKind::ValueError, std::to_string(channels) + " channels in " +
                                              std::to_string(groups) + " groups")};
  if (!n.status().ok())
    return {};
  addZeros(x, *w);
  Variable result =
      transposed(n, x, kernel, {w->stride, w->dilation, more, Padding(w->padding), groups});
  return {withBias(n, w->open ? widened(n, result, *w->open, {}) : result, 2)};
}

} // namespace

absl::Span<const Translation> transposedConvolutionTranslations() {
  static constexpr Translation kTable[] = {
      {"ConvTranspose", convTranspose, 1,
       "1 to 3 spatial axes; with auto_pad or output_shape the kernel's extents must be known, or "
       "given as kernel_shape"}};
  return kTable;
}

} // namespace graphc
