//===- unittests/Gradient/ConvolutionTest.cpp - both gradients, term by term ===//
//
// Each product that a convolution sums is added to both gradients where it belongs, in loops over
// results and taps. Numbers are small integers: all sums are exact.
//
//===----------------------------------------------------------------------===//
#include <gtest/gtest.h>

#include "graphc/Function.h"
#include "graphc/Gradient.h"
#include "graphc/Ops.h"

namespace graphc {
namespace {

struct Layer {
  int64_t batch = 1, channels = 2, outputs = 2; ///< channels and outputs of a group
  std::vector<int64_t> extents, window;         ///< two axes
  std::vector<int> stride = {1, 1}, dilation = {1, 1};
  int padding = 0, groups = 1;
  bool flips = false;
};

Tensor numbered(const std::vector<int64_t> &shape, int64_t step) {
  Tensor filled = *Tensor::zeros(DType::Float64, shape);
  int64_t value = 0;
  for (double &element : filled.mutableFlat<double>())
    element = double((value = (value + step) % 17) - 8);
  return filled;
}

/// The gradients with respect to x and the kernel.
std::pair<Tensor, Tensor> termByTerm(const Layer &l, const Tensor &x, const Tensor &kernel,
                                     const Tensor &g) {
  Tensor dx = *Tensor::zeros(DType::Float64, x.shape());
  Tensor dKernel = *Tensor::zeros(DType::Float64, kernel.shape());
  auto at = [](const Tensor &t, int64_t a, int64_t b, int64_t c, int64_t d) {
    return size_t(((a * t.shape()[1] + b) * t.shape()[2] + c) * t.shape()[3] + d);
  };
  auto *xs = static_cast<const double *>(x.data());
  auto *ks = static_cast<const double *>(kernel.data());
  auto *gs = static_cast<const double *>(g.data());
  for (int64_t n = 0; n < l.batch; ++n)
    for (int64_t o = 0; o < g.shape()[1]; ++o)
      for (int64_t c = 0; c < l.channels; ++c)
        for (int64_t y = 0; y < g.shape()[2]; ++y)
          for (int64_t z = 0; z < g.shape()[3]; ++z)
            for (int64_t i = 0; i < l.window[0]; ++i)
              for (int64_t j = 0; j < l.window[1]; ++j) {
                int64_t fromY = y * l.stride[0] + i * l.dilation[0] - l.padding;
                int64_t fromZ = z * l.stride[1] + j * l.dilation[1] - l.padding;
                if (fromY < 0 || fromZ < 0 || fromY >= l.extents[0] || fromZ >= l.extents[1])
                  continue;
                size_t ofX = at(x, n, o / l.outputs * l.channels + c, fromY, fromZ);
                size_t ofKernel = at(kernel, o, c, l.flips ? l.window[0] - 1 - i : i,
                                     l.flips ? l.window[1] - 1 - j : j);
                double slope = gs[at(g, n, o, y, z)];
                dx.mutableFlat<double>()[ofX] += slope * ks[ofKernel];
                dKernel.mutableFlat<double>()[ofKernel] += slope * xs[ofX];
              }
  return {dx, dKernel};
}

void check(const Layer &l, const char *mode, bool isStatic = true) {
  std::vector<int64_t> xShape = {l.batch, l.channels * l.groups, l.extents[0], l.extents[1]},
                       kernelShape = {l.outputs * l.groups, l.channels, l.window[0], l.window[1]},
                       gShape = {l.batch, l.outputs * l.groups};
  for (size_t k = 0; k < 2; ++k)
    gShape.push_back(
        (l.extents[k] + 2 * l.padding - (l.window[k] - 1) * l.dilation[k] - 1) / l.stride[k] + 1);
  SCOPED_TRACE(testing::Message() << mode << " " << l.extents[0] << "x" << l.extents[1]
                                  << " window " << l.window[0] << "x" << l.window[1] << " stride "
                                  << l.stride[0] << "," << l.stride[1] << " dilation "
                                  << l.dilation[0] << "," << l.dilation[1] << " padding "
                                  << l.padding << " flips " << l.flips << " static " << isStatic);
  auto variable = [&](const std::vector<int64_t> &shape) {
    return Variable(
        TensorType(DType::Float64, isStatic ? shape : std::vector<int64_t>(4, kDynamic)));
  };
  Variable x = variable(xShape), kernel = variable(kernelShape), g = variable(gShape);
  ConvOptions options;
  options.stride = l.stride;
  options.dilation = l.dilation;
  options.padding = Padding(l.padding);
  options.groups = l.groups;
  options.filterFlip = l.flips;
  Variables both = pullback({conv2d(x, kernel, options)}, {x, kernel}, {g});
  auto f = function({x, kernel, g}, both, {.mode = mode});
  ASSERT_TRUE(f.ok()) << f.status();
  Tensor xs = numbered(xShape, 5), ks = numbered(kernelShape, 3), gs = numbered(gShape, 7);
  auto found = (*f)(xs, ks, gs);
  ASSERT_TRUE(found.ok()) << found.status();
  auto [dx, dKernel] = termByTerm(l, xs, ks, gs);
  EXPECT_EQ((*found)[0], dx);
  EXPECT_EQ((*found)[1], dKernel);
}

TEST(ConvolutionGradients, OfStridesAndDilations) {
  for (int strideY : {1, 2, 3, 4})
    for (int strideX : {1, 2, 5})
      for (int dilation : {1, 2, 3})
        for (int padding : {0, 2})
          for (bool flips : {false, true})
            check({.batch = 2,
                   .extents = {9, 10},
                   .window = {3, 2},
                   .stride = {strideY, strideX},
                   .dilation = {dilation, dilation % 2 + 1},
                   .padding = padding,
                   .flips = flips},
                  "interpreter");
}

TEST(ConvolutionGradients, OfGroupsAndUnknownExtents) {
  for (const char *mode : {"interpreter", "fast_run"})
    for (bool isStatic : {true, false})
      check({.batch = 2,
             .channels = 3,
             .extents = {7, 8},
             .window = {3, 3},
             .stride = {2, 2},
             .padding = 1,
             .groups = 2},
            mode, isStatic);
}

// Strides beyond the window leave elements that no tap reaches.
TEST(ConvolutionGradients, AtTheEdges) {
  for (const char *mode : {"interpreter", "fast_run"}) {
    check({.extents = {7, 9}, .window = {1, 1}, .stride = {2, 2}}, mode);
    check({.extents = {8, 9}, .window = {1, 2}, .stride = {4, 2}}, mode);
    check({.extents = {3, 1}, .window = {5, 3}, .stride = {2, 2}, .padding = 2}, mode);
    check({.batch = 0, .extents = {5, 9}, .window = {3, 3}, .stride = {2, 2}}, mode);
  }
}

// With channels enough for products (docs/design/18-convolutions.md).
TEST(ConvolutionGradients, Compiled) {
  for (int stride : {1, 2})
    for (bool flips : {false, true})
      check({.channels = 40,
             .outputs = 20,
             .extents = {19, 22},
             .window = {3, 3},
             .stride = {stride, stride},
             .padding = 1,
             .flips = flips},
            "fast_run");
}

// Products that are made along another loop (lib/Kernels/TurnProducts.cpp): the gradient of the
// picture beside many channels and outputs, that of the kernel beside few outputs; and some that
// are not, by one line of pixels less, or one channel.
TEST(ConvolutionGradients, OfTurnedProducts) {
  for (int64_t width : {7, 6, 4})
    check({.batch = 2, .channels = 130, .outputs = 256, .extents = {8, width}, .window = {1, 1}},
          "fast_run");
  check({.channels = 128, .outputs = 257, .extents = {13, 13}, .window = {1, 1}, .stride = {2, 2}},
        "fast_run");
  for (int stride : {1, 2})
    check({.channels = 33,
           .outputs = 256,
           .extents = {9, 10},
           .window = {2, 3},
           .stride = {stride, 1},
           .padding = 1},
          "fast_run");
  for (int64_t channels : {3, 7, 15, 16, 37})
    for (int stride : {1, 2})
      for (bool flips : {false, true})
        check({.batch = stride,
               .channels = channels,
               .outputs = 9,
               .extents = {11, 18},
               .window = {3, 6},
               .stride = {stride, stride},
               .dilation = {1, 3 - stride},
               .padding = 3 - stride,
               .groups = stride,
               .flips = flips},
              "fast_run");
}

// With outputs enough for products of every tap with every element
// (lib/Ops/ConvolutionGradients.cpp), and some of them beside too few outputs, too many products,
// too many taps or, without strides, two pictures (or no mask registers).
TEST(ConvolutionGradients, OfProductsOfTaps) {
  for (const char *mode : {"interpreter", "fast_run"}) {
    for (const std::vector<int> &stride : {std::vector<int>{1, 1}, {2, 2}, {1, 2}, {3, 2}, {4, 2}})
      for (int dilation : {1, 2, 3})
        for (bool flips : {false, true})
          check({.batch = dilation % 2 + 1,
                 .channels = 3,
                 .outputs = 64,
                 .extents = {9, 8},
                 .window = {3, 2},
                 .stride = stride,
                 .dilation = {dilation, 3 - dilation % 2},
                 .padding = dilation,
                 .flips = flips},
                mode);
    for (int dilation : {1, 2})
      check({.channels = 3,
             .outputs = 64,
             .extents = {7, 6},
             .window = {3, 2},
             .dilation = {dilation, 3 - dilation},
             .padding = dilation,
             .flips = dilation == 1},
            mode);
    for (int64_t window : {1, 5, 6})
      check({.channels = 2,
             .outputs = 65,
             .extents = {11, 7},
             .window = {window, 6},
             .stride = {2, 2},
             .padding = 3,
             .groups = 2},
            mode);
    check({.channels = 9, .outputs = 64, .extents = {7, 7}, .window = {3, 3}, .padding = 1}, mode);
    check({.outputs = 64, .extents = {3, 1}, .window = {5, 3}, .stride = {2, 2}, .padding = 2},
          mode);
    check({.batch = 0, .outputs = 64, .extents = {5, 9}, .window = {3, 3}, .stride = {2, 2}}, mode);
    check({.outputs = 64, .extents = {5, 9}, .window = {3, 3}, .stride = {2, 2}}, mode, false);
    check({.outputs = 63, .extents = {5, 9}, .window = {3, 3}, .stride = {2, 2}}, mode);
  }
}

// Kernels of one element leave some of x out: the rest is copied for the gradient by the kernel.
TEST(ConvolutionGradients, OfOneStridedTap) {
  for (const char *mode : {"interpreter", "fast_run"})
    for (bool isStatic : {true, false})
      for (int padding : {0, 1})
        check({.batch = 2,
               .channels = 20,
               .outputs = 12,
               .extents = {37, 6},
               .window = {1, 1},
               .stride = {2, 3},
               .padding = padding,
               .groups = 2},
              mode, isStatic);
}

// Lines of 3 columns beside one long sum.
TEST(ConvolutionGradients, OfShortLines) {
  for (int stride : {1, 2})
    for (bool flips : {false, true})
      check({.channels = 30,
             .outputs = 20,
             .extents = {9, 75},
             .window = {3, 3},
             .stride = {stride, stride},
             .dilation = {1, 2},
             .padding = 1,
             .flips = flips},
            "fast_run");
}

} // namespace
} // namespace graphc
