//===- Convolution.h - shapes of convolutions that are measured ---*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc::bench {

/// NCHW, a square picture and a square window of weights [outputs, channels / groups, window,
/// window], cross-correlated.
struct Convolution {
  int64_t channels, side, outputs, window;
  int64_t stride = 1, padding = 0, groups = 1, batch = 1;

  int64_t outputSide() const { return (side + 2 * padding - window) / stride + 1; }
  double flops() const {
    return 2.0 * double(batch * outputs * outputSide() * outputSide()) *
           double(channels / groups * window * window);
  }
};

} // namespace graphc::bench
