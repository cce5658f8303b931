//===- HandRecurrences.cpp -------------------------------------------------===//
#include "HandRecurrences.h"

#include "HandVectors.h"

namespace graphc::bench {

using Floats = Vector<float>;
constexpr int kWidth = kLanes<float>, kVectors = int(kUnits) / kWidth;

/// rows [first, first + kRows) of x times w, to every third kUnits numbers of `products`; added to
/// b.
template <int kRows>
static void addProducts(const float *x, const float *w, const float *b, float *products) {
  Floats sums[kRows][kVectors];
  for (int v = 0; v < kVectors; ++v)
    for (int r = 0; r < kRows; ++r)
      sums[r][v] = load(b + v * kWidth);
  for (int64_t k = 0; k < kUnits; ++k)
    for (int v = 0; v < kVectors; ++v) {
      Floats column = load(w + k * kUnits + v * kWidth);
      for (int r = 0; r < kRows; ++r)
        sums[r][v] += x[r * kUnits + k] * column;
    }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      store(products + r * 3 * kUnits + v * kWidth, sums[r][v]);
}

static Floats sigmoid(const Floats &x) { return 1.0f / (1.0f + vectorExp(-x)); }

void handGru(const Gru &gru, float *products, float *h, int64_t steps) {
  constexpr int kRows = kVectors <= 4 ? 5 : 1;
  for (int gate = 0; gate < 3; ++gate) {
    int64_t t = 0;
    for (; t + kRows <= steps; t += kRows)
      addProducts<kRows>(gru.x + t * kUnits, gru.w[gate], gru.b[gate],
                         products + (3 * t + gate) * kUnits);
    for (; t < steps; ++t)
      addProducts<1>(gru.x + t * kUnits, gru.w[gate], gru.b[gate],
                     products + (3 * t + gate) * kUnits);
  }
  const float *before = gru.h0;
  for (int64_t t = 0; t < steps; ++t) {
    Floats sums[3][kVectors] = {};
    for (int64_t k = 0; k < kUnits; ++k)
      for (int gate = 0; gate < 3; ++gate)
        for (int v = 0; v < kVectors; ++v)
          sums[gate][v] += before[k] * load(gru.u[gate] + k * kUnits + v * kWidth);
    const float *inputs = products + 3 * t * kUnits;
    for (int v = 0; v < kVectors; ++v) {
      Floats z = sigmoid(load(inputs + v * kWidth) + sums[0][v]);
      Floats r = sigmoid(load(inputs + kUnits + v * kWidth) + sums[1][v]);
      Floats n = vectorTanh(load(inputs + 2 * kUnits + v * kWidth) + r * sums[2][v]);
      store(h + t * kUnits + v * kWidth, (1.0f - z) * n + z * load(before + v * kWidth));
    }
    before = h + t * kUnits;
  }
}

} // namespace graphc::bench
