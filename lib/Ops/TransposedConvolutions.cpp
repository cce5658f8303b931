//===- TransposedConvolutions.cpp - adjoints of correlations ---------------------------===//
#include "Build.h"
#include "CallScope.h"
#include "graphc/Neural.h"

namespace graphc {
namespace {

Variable correlation(const Variable &x, const Variable &kernel) {
  ConvOptions options{.filterFlip = false};
  return x.rank() == 3   ? conv1d(x, kernel, options)
         : x.rank() == 4 ? conv2d(x, kernel, options)
                         : conv3d(x, kernel, options);
}

/// Whether the windows of the result lie beside each other, so that nothing is added up but
/// channels.
bool areApart(const Variable &kernel, const IntList &stride, const IntList &dilation,
              const IntList &more, const IntList &pads, int groups) {
  bool apart = groups == 1;
  for (size_t k = 0; k < stride.size(); ++k)
    apart = apart && stride[k] == kernel.type().extent(int(k) + 2) && dilation[k] == 1 &&
            more[k] == 0 && pads[2 * k] == 0 && pads[2 * k + 1] == 0;
  return apart;
}

/// Then it is a product of pixels with the kernel's columns, each a window's element, which come
/// between the axes that they belong to.
Variable windowsApart(const Variable &x, const Variable &kernel) {
  const int axes = x.rank() - 2;
  Variable one = constant(Tensor(int64_t(1))), all = shape(kernel, 1);
  std::vector<Operand> split = {shape(x, 0), shape(kernel, 1)}, joined = split;
  std::vector<int> exchange = {1, 0}, order = {0, 1};
  for (int k = 0; k < axes; ++k) {
    Variable own = shape(kernel, 2 + k);
    all = all * own;
    exchange.push_back(2 + k);
    split.push_back(own);
    order.insert(order.end(), {2 + axes + k, 2 + k});
    joined.push_back(shape(x, 2 + k) * own);
  }
  std::vector<Operand> flat = {shape(kernel, 0), all};
  for (int k = 0; k < axes; ++k) {
    flat.push_back(one);
    split.push_back(shape(x, 2 + k));
  }
  Variable columns = transpose(reshape(kernel, stack(flat)), exchange);
  Variable apart = reshape(correlation(x, columns), stack(split));
  return reshape(transpose(apart, order), stack(joined));
}

Variable transposedConvolution(std::string_view name, size_t axes, const Operand &operand,
                               const Operand &kernelOperand, const TransposedConvOptions &o) {
  CallScope scope(operand);
  Variable x = asVariable(operand), kernel = asVariable(kernelOperand);
  if (!x.ok() || !kernel.ok())
    return x.ok() ? kernel : x;
  auto wrong = [&](ErrorKind kind, const std::string &why) {
    return invalidAt(operand, kind, name, why);
  };
  if (x.rank() != int(axes) + 2 || kernel.rank() != int(axes) + 2)
    return wrong(ErrorKind::ShapeError, "x and kernel must have rank " + std::to_string(axes + 2) +
                                            ", not " + std::to_string(x.rank()) + " and " +
                                            std::to_string(kernel.rank()));
  auto perAxis = [&](const std::vector<int> &given, int otherwise) {
    std::vector<int> all = given.empty() ? std::vector<int>(axes, otherwise) : given;
    return IntList(all.begin(), all.end());
  };
  IntList stride = perAxis(o.stride, 1), dilation = perAxis(o.dilation, 1),
          more = perAxis(o.outputPadding, 0);
  if (stride.size() != axes || dilation.size() != axes || more.size() != axes)
    return wrong(ErrorKind::ValueError,
                 "stride, dilation and outputPadding have a number for each spatial axis");
  for (size_t k = 0; k < axes; ++k)
    if (stride[k] < 1 || dilation[k] < 1 || more[k] < 0 ||
        more[k] >= std::max(stride[k], dilation[k]))
      return wrong(ErrorKind::ValueError, "stride and dilation are positive, and outputPadding is "
                                          "at least 0 and less than one of them");
  if (o.padding.kind() != Padding::Kind::Valid && o.padding.kind() != Padding::Kind::Explicit)
    return wrong(ErrorKind::ValueError, "padding is given in numbers");
  if (o.groups < 1)
    return wrong(ErrorKind::ValueError, "there are " + std::to_string(o.groups) + " groups");
  IntList pads = o.padding.flat(int(axes));
  pads.resize(2 * axes, 0);
  DType dtype = promote(x.dtype(), kernel.dtype());
  if (areApart(kernel, stride, dilation, more, pads, o.groups))
    return windowsApart(cast(Operand(x, operand.place()), dtype), cast(kernel, dtype));
  std::vector<Operand> extents = {shape(x, 0), shape(kernel, 1) * int64_t(o.groups)};
  for (size_t k = 0; k < axes; ++k) {
    int axis = int(k) + 2;
    extents.push_back((shape(x, axis) - 1) * stride[k] + (shape(kernel, axis) - 1) * dilation[k] +
                      (1 + more[k] - pads[2 * k] - pads[2 * k + 1]));
  }
  return build(builtin("convInputGradient", {{"stride", stride},
                                             {"padding", pads},
                                             {"dilation", dilation},
                                             {"groups", int64_t(o.groups)},
                                             {"filterFlip", false}}),
               {Operand(cast(x, dtype), operand.place()), Operand(cast(kernel, dtype)),
                Operand(stack(extents))});
}

} // namespace

Variable conv1dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options) {
  return transposedConvolution("conv1dTranspose", 1, x, kernel, options);
}
Variable conv2dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options) {
  return transposedConvolution("conv2dTranspose", 2, x, kernel, options);
}
Variable conv3dTranspose(const Operand &x, const Operand &kernel,
                         const TransposedConvOptions &options) {
  return transposedConvolution("conv3dTranspose", 3, x, kernel, options);
}

} // namespace graphc
