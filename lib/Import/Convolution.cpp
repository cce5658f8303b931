//===- Convolution.cpp - Conv ----------------------------------------------===//
#include "Import/ShapeTerms.h"
#include "Import/Translations.h"
#include "Import/Window.h"

namespace graphc {

Variable convolution(OnnxNode &n, const Variable &x, const Variable &kernel) {
  if (!x.ok() || !kernel.ok() || x.rank() != kernel.rank())
    return n.fail(ErrorKind::TypeError, "operand and kernel must have the same rank: " +
                                            x.type().brief() + " and " + kernel.type().brief());
  // The kernel's extents are needed for auto_pad only; its shape rules over kernel_shape.
  std::optional<Window> w = windowOf(n, x, kernelExtent(n, kernel));
  int groups = n.getSmallInt("group", 1);
  if (!w || !n.status().ok())
    return Variable::invalid(n.status());
  ConvOptions options;
  options.stride = w->stride;
  options.dilation = w->dilation;
  options.padding = Padding(w->padding);
  options.groups = groups;
  options.filterFlip = false;
  Variable padded = paddedWhereOpen(n, x, *w, n.at(n.scalar(0, x.dtype())));
  return convolved(n, padded, kernel, options);
}

Variable convolved(OnnxNode &n, const Variable &x, const Variable &kernel,
                   const ConvOptions &options) {
  switch (x.rank()) {
  case 3:
    return conv1d(n.at(x), kernel, options);
  case 4:
    return conv2d(n.at(x), kernel, options);
  case 5:
    return conv3d(n.at(x), kernel, options);
  default:
    return n.unsupported("convolution over " + std::to_string(x.rank() - 2) + " axes");
  }
}

Variable withBias(OnnxNode &n, const Variable &y, size_t i) {
  return n.has(i) ? add(n.at(y), dimshuffle(n.arg(i), orderAlong(0, y.rank() - 1))) : y;
}

namespace {

Variables conv(OnnxNode &n) { return {withBias(n, convolution(n, n.in(0), n.in(1)), 2)}; }

} // namespace

absl::Span<const Translation> convolutionTranslations() {
  static constexpr Translation kTable[] = {
      {"Conv", conv, 1,
       "1 to 3 spatial axes; with auto_pad the kernel's extents must be known, or given as "
       "kernel_shape"}};
  return kTable;
}

} // namespace graphc
