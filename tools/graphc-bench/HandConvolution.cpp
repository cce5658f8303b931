//===- HandConvolution.cpp ------------------------------------------------===//
//
// Vectors run over output channels: the weights are packed once per call so that those of one tap
// lie together, the picture gets its border, and a block of neighbouring pixels times channels
// stays in registers while all taps go by.
//
//===----------------------------------------------------------------------===//
#include <algorithm>

#include "HandLoops.h"
#include "HandVectors.h"

namespace graphc::bench {
namespace {

// Accumulators: as many as the registers hold beside the operands.
#if defined(__AVX512F__)
constexpr int kVectors = 4, kPixels = 6;
#else
constexpr int kVectors = 4, kPixels = 2;
#endif
constexpr int kBlock = kVectors * kLanes<float>; // output channels

struct Geometry {
  int64_t channels, height, width;
  int64_t pitch() const { return width + 2 + kPixels; }
  int64_t plane() const { return (height + 2) * pitch(); }
};

/// `kPixels` results of `kBlock` channels; `x` is the upper left corner of the first window.
void block(const Geometry &g, const float *x, const float *w, float *to) {
  Vector<float> sums[kPixels][kVectors] = {};
  for (int64_t c = 0; c < g.channels; ++c)
    for (int64_t row = 0; row < 3; ++row) {
      const float *line = x + c * g.plane() + row * g.pitch();
      for (int64_t column = 0; column < 3; ++column, w += kBlock) {
        Vector<float> weights[kVectors];
        for (int v = 0; v < kVectors; ++v)
          weights[v] = load(w + v * kLanes<float>);
        for (int p = 0; p < kPixels; ++p)
          for (int v = 0; v < kVectors; ++v)
            sums[p][v] += line[column + p] * weights[v];
      }
    }
  for (int p = 0; p < kPixels; ++p)
    for (int v = 0; v < kVectors; ++v)
      store(to + p * kBlock + v * kLanes<float>, sums[p][v]);
}

} // namespace

int64_t handConvScratch(int64_t channels, int64_t outputs, int64_t height, int64_t width) {
  Geometry g{channels, height, width};
  return channels * g.plane() + outputs * channels * 9 + (width + kPixels) * kBlock;
}

void handConv3x3(const float *x, const float *w, const float *b, float *o, float *scratch,
                 int64_t channels, int64_t outputs, int64_t height, int64_t width) {
  Geometry g{channels, height, width};
  float *picture = scratch, *weights = picture + channels * g.plane();
  float *results = weights + outputs * channels * 9;
  std::fill(picture, weights, 0.0f);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t r = 0; r < height; ++r)
      std::copy_n(x + (c * height + r) * width, width,
                  picture + c * g.plane() + (r + 1) * g.pitch() + 1);
  for (int64_t k = 0; k < outputs; ++k)
    for (int64_t tap = 0; tap < channels * 9; ++tap)
      weights[(k / kBlock * channels * 9 + tap) * kBlock + k % kBlock] = w[k * channels * 9 + tap];
  for (int64_t k = 0; k < outputs; k += kBlock)
    for (int64_t r = 0; r < height; ++r) {
      for (int64_t p = 0; p < width; p += kPixels)
        block(g, picture + r * g.pitch() + p, weights + k * channels * 9, results + p * kBlock);
      for (int64_t i = 0; i < kBlock; ++i) {
        float *line = o + ((k + i) * height + r) * width;
        for (int64_t p = 0; p < width; ++p)
          line[p] = std::max(results[p * kBlock + i] + b[k + i], 0.0f);
      }
    }
}

} // namespace graphc::bench
