//===- HandRecurrences.h - loops over time by hand ----------------*- C++ -*-===//
//
// Compiled as HandLoops.cpp. All arrays are row-major; states have kUnits numbers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc::bench {

constexpr int64_t kUnits = 64;

/// z = sg(x_t Wz + bz + h Uz); r = sg(x_t Wr + br + h Ur); n = tanh(x_t Wn + bn + r (h Un));
/// h' = (1 - z) n + z h.
struct Gru {
  const float *x, *h0;
  const float *w[3], *u[3], *b[3]; // z, r, n
};
/// `products` is scratch of steps x 3 x kUnits.
void handGru(const Gru &gru, float *products, float *h, int64_t steps);

} // namespace graphc::bench
