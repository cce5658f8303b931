//===- ReductionFunctions.cpp - reductions, products, convolutions ---------===//
#include "Build.h"
#include "CallScope.h"
#include "graphc/Arrays.h"

namespace graphc {
namespace {

AttributeValue optionalDType(std::optional<DType> dtype) {
  return dtype ? AttributeValue(*dtype) : AttributeValue(NoneAttr());
}

/// Which options an op has besides axes and keepDims.
enum class Extra { None, DTypes, Ddof };

Variable reduction(std::string_view name, Extra extra, const Operand &operand,
                   const ReductionOptions &options) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  if (extra != Extra::DTypes && (options.dtype || options.accDtype))
    return invalidAt(operand, ErrorKind::TypeError, name,
                     "it has no dtype option; cast the result");
  if (extra != Extra::Ddof && options.ddof != 0)
    return invalidAt(operand, ErrorKind::TypeError, name,
                     "it has no ddof option; var and stddev have one");
  Attributes attributes = {{"axes", axesAttribute(options.axes, x)},
                           {"keepDims", options.keepDims}};
  if (extra == Extra::DTypes) {
    attributes.set("dtype", optionalDType(options.dtype));
    attributes.set("accDtype", optionalDType(options.accDtype));
  } else if (extra == Extra::Ddof) {
    attributes.set("ddof", options.ddof);
  }
  return build(builtin(name, attributes), {Operand(x, operand.place())});
}

Variable softmaxLike(std::string_view name, const Operand &operand, const Axes &axes) {
  Variable x = asVariable(operand);
  if (!x.ok())
    return x;
  // One distribution of one element.
  Axes used = x.rank() == 0 ? Axes() : axes;
  return build(builtin(name, {{"axes", axesAttribute(used, x)}}), {Operand(x, operand.place())});
}

IntList asList(const std::vector<int> &values) { return IntList(values.begin(), values.end()); }

} // namespace

//===--- reductions -----------------------------------------------------------===//

Variable reduceAnd(const Operand &x, const ReductionOptions &options) {
  return reduction("reduceAnd", Extra::None, x, options);
}
Variable reduceOr(const Operand &x, const ReductionOptions &options) {
  return reduction("reduceOr", Extra::None, x, options);
}
Variable reduceXor(const Operand &x, const ReductionOptions &options) {
  return reduction("reduceXor", Extra::None, x, options);
}

#define GRAPHC_REDUCTION(NAME, EXTRA)                                                              \
  Variable NAME(const Operand &x, const Axes &axes) {                                              \
    return reduction(#NAME, Extra::EXTRA, x, {.axes = axes});                                      \
  }                                                                                                \
  Variable NAME(const Operand &x, const ReductionOptions &options) {                               \
    return reduction(#NAME, Extra::EXTRA, x, options);                                             \
  }
GRAPHC_REDUCTION(sum, DTypes)
GRAPHC_REDUCTION(prod, DTypes)
GRAPHC_REDUCTION(mean, DTypes)
GRAPHC_REDUCTION(max, None)
GRAPHC_REDUCTION(min, None)
GRAPHC_REDUCTION(argmax, None)
GRAPHC_REDUCTION(argmin, None)
GRAPHC_REDUCTION(any, None)
GRAPHC_REDUCTION(all, None)
GRAPHC_REDUCTION(logsumexp, None)
GRAPHC_REDUCTION(var, Ddof)
GRAPHC_REDUCTION(stddev, Ddof)

Variable softmax(const Operand &x, const Axes &axes) { return softmaxLike("softmax", x, axes); }
Variable logSoftmax(const Operand &x, const Axes &axes) {
  return softmaxLike("logSoftmax", x, axes);
}

//===--- products ---------------------------------------------------------------===//

Variable dot(const Operand &x, const Operand &y) { return build(builtin("dot"), {x, y}); }
Variable matmul(const Operand &x, const Operand &y) { return build(builtin("matmul"), {x, y}); }
Variable batchedDot(const Operand &x, const Operand &y) {
  return build(builtin("batchedDot"), {x, y});
}
Variable outer(const Operand &x, const Operand &y) { return build(builtin("outer"), {x, y}); }

Variable tensordot(const Operand &x, const Operand &y, int axes) {
  CallScope scope(x);
  std::vector<int> axesX, axesY;
  // One more than x has is refused, with its shape; a thousand million more need no longer list.
  axes = std::min(axes, asVariable(x).rank() + 1);
  for (int k = 0; k < axes; ++k) {
    axesX.push_back(k - axes);
    axesY.push_back(k);
  }
  return tensordot(x, y, axesX, axesY);
}

Variable tensordot(const Operand &x, const Operand &y, const std::vector<int> &axesX,
                   const std::vector<int> &axesY) {
  CallScope scope(x);
  auto plain = [](const std::vector<int> &axes, const Operand &operand) {
    Variable v = asVariable(operand);
    IntList list;
    for (int axis : axes)
      list.push_back(plainAxis(axis, v));
    return list;
  };
  Attributes attributes = {{"axesX", plain(axesX, x)}, {"axesY", plain(axesY, y)}};
  return build(builtin("tensordot", attributes), {x, y});
}

//===--- convolution and pooling --------------------------------------------------===//

Padding::Padding(std::initializer_list<int> perAxis) : kind_(Kind::Explicit) {
  for (int both : perAxis)
    pairs_.emplace_back(both, both);
}

IntList Padding::flat(int axes) const {
  IntList list;
  if (kind_ != Kind::Explicit)
    return list;
  for (int k = 0; k < (all_ ? axes : int(pairs_.size())); ++k) {
    const std::pair<int, int> &pair = pairs_[all_ ? 0 : k];
    list.push_back(pair.first);
    list.push_back(pair.second);
  }
  return list;
}

static Variable convolution(int axes, const Operand &x, const Operand &kernel,
                            const ConvOptions &options) {
  std::string border = options.padding.kind() == Padding::Kind::Half   ? "half"
                       : options.padding.kind() == Padding::Kind::Full ? "full"
                                                                       : "explicit";
  Attributes attributes = {{"stride", asList(options.stride)},
                           {"padding", options.padding.flat(axes)},
                           {"border", border},
                           {"dilation", asList(options.dilation)},
                           {"groups", int64_t(options.groups)},
                           {"filterFlip", options.filterFlip}};
  return build(builtin("conv" + std::to_string(axes) + "d", attributes), {x, kernel});
}

Variable conv1d(const Operand &x, const Operand &kernel, const ConvOptions &options) {
  return convolution(1, x, kernel, options);
}
Variable conv2d(const Operand &x, const Operand &kernel, const ConvOptions &options) {
  return convolution(2, x, kernel, options);
}
Variable conv3d(const Operand &x, const Operand &kernel, const ConvOptions &options) {
  return convolution(3, x, kernel, options);
}

Variable pool(const Operand &x, const std::vector<int> &window, const PoolOptions &options) {
  constexpr std::string_view kModes[] = {"max", "sum", "averageIncPad", "averageExcPad"};
  int axes = int(window.size());
  if (options.padding.kind() == Padding::Kind::Half ||
      options.padding.kind() == Padding::Kind::Full)
    return invalidAt(x, ErrorKind::ValueError, "pool",
                     "padding is given in numbers, not as half or full");
  Attributes attributes = {{"window", asList(window)},
                           {"stride", asList(options.stride)},
                           {"padding", options.padding.flat(axes)},
                           {"mode", std::string(kModes[int(options.mode)])},
                           {"ignoreBorder", options.ignoreBorder}};
  return build(builtin("pool", attributes), {x});
}

} // namespace graphc
