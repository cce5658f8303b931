//===- HandPeak.cpp -------------------------------------------------------===//
#include "HandPeak.h"

#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

#include "HandVectors.h"

namespace graphc::bench {

template <class T> double handFlops(int64_t steps, T *result) {
  constexpr int kChains = 12;
  Vector<T> sums[kChains];
  for (int chain = 0; chain < kChains; ++chain)
    sums[chain] = splat(T(chain));
  Vector<T> factor = splat(T(0.5)), term = splat(T(1));
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = sums[chain] * factor + term;
  }
  Vector<T> sum = sums[0];
  for (int chain = 1; chain < kChains; ++chain)
    sum += sums[chain];
  *result = horizontalSum<T>(sum);
  return double(steps) * kChains * kLanes<T> * 2;
}
template double handFlops(int64_t, float *);
template double handFlops(int64_t, double *);

#ifdef __AVX512BF16__
double handBFloat16Flops(int64_t steps, float *result) {
  constexpr int kChains = 24;
  Vector<float> sums[kChains];
  for (int chain = 0; chain < kChains; ++chain)
    sums[chain] = splat(float(chain));
  const __m512bh one = _mm512_cvtne2ps_pbh(splat(1.0f), splat(1.0f));
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = _mm512_dpbf16_ps(sums[chain], one, one);
  }
  Vector<float> sum = sums[0];
  for (int chain = 1; chain < kChains; ++chain)
    sum += sums[chain];
  *result = horizontalSum<float>(sum);
  return double(steps) * kChains * kLanes<float> * 4;
}
#else
double handBFloat16Flops(int64_t, float *) { return 0; }
#endif

float handRead(const float *x, int64_t begin, int64_t end) {
  constexpr int kStep = kLanes<float>, kVectors = 8;
  Vector<float> sums[kVectors] = {};
  for (int64_t i = begin; i + kStep * kVectors <= end; i += kStep * kVectors)
    for (int v = 0; v < kVectors; ++v)
      sums[v] += load(x + i + v * kStep);
  for (int v = 1; v < kVectors; ++v)
    sums[0] += sums[v];
  return horizontalSum<float>(sums[0]);
}

void handMixed(const float *x, const float *y, float *__restrict o, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    o[i] = x[i] + y[i];
}

} // namespace graphc::bench
