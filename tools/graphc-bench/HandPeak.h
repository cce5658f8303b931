//===- HandPeak.h - loops that do nothing but keep the machine busy -*- C++ -*-===//
#pragma once

#include <cstdint>

namespace graphc::bench {

/// Multiplications with additions in as many chains as hide their latency; the number of
/// operations. `result` keeps the compiler from leaving them out.
template <class T> double handFlops(int64_t steps, T *result);
/// The same of pairs of bfloat16, whose products are added to float32; 0 without AVX512-BF16.
double handBFloat16Flops(int64_t steps, float *result);
/// The sum of x[begin, end); it is read once.
float handRead(const float *x, int64_t begin, int64_t end);
/// o = x + y
void handMixed(const float *x, const float *y, float *o, int64_t begin, int64_t end);

} // namespace graphc::bench
