//===- Import/Window.h - windows over spatial axes ------------------*- C++ -*-===//
#pragma once

#include "Import/Widening.h"

namespace graphc {

/// Windows over the spatial axes, those from 2 on.
struct Window {
  int axes = 0;
  std::vector<int> extent, stride, dilation;
  /// What is known of the padding.
  std::vector<std::pair<int, int>> padding;
  /// Padding that depends on extents that are not known, of all axes of the operand.
  std::optional<Widths> open;
};

/// Elements between the window's first and last one, both counted.
inline int64_t covered(const Window &w, int k) {
  return int64_t(w.extent[k] - 1) * w.dilation[k] + 1;
}

/// The attributes strides and dilations of windows with this extent, without padding. An error is
/// kept in the node.
std::optional<Window> unpaddedWindow(OnnxNode &n, const Variable &x, std::vector<int> extent);
/// The same with the padding that pads or auto_pad says.
std::optional<Window> windowOf(OnnxNode &n, const Variable &x, std::vector<int> extent);
/// x with the padding that is not known: what is left is `padding`.
Variable paddedWhereOpen(OnnxNode &n, const Variable &x, const Window &w, const Operand &value);
/// A list with an entry for each spatial axis, `otherwise` if it is not given.
std::vector<int> perAxis(OnnxNode &n, std::string_view name, int axes, int otherwise = 1);
/// The attribute pads: front and back of each axis.
std::vector<std::pair<int, int>> padsAttribute(OnnxNode &n, int axes);
/// The extents of a kernel's spatial axes, 1 where they are unknown.
std::vector<int> kernelExtent(OnnxNode &n, const Variable &kernel);

/// Conv without bias, its attributes being the node's.
Variable convolution(OnnxNode &n, const Variable &x, const Variable &kernel);
/// conv1d, conv2d or conv3d, as x's rank says.
Variable convolved(OnnxNode &n, const Variable &x, const Variable &kernel,
                   const ConvOptions &options);
/// y with input i, if it is given, added to each channel.
Variable withBias(OnnxNode &n, const Variable &y, size_t i);

} // namespace graphc
