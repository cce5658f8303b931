//===- HandLoops.h - the same by hand -----------------------------*- C++ -*-===//
//
// What somebody who knows the machine writes: one pass over the data wherever one is enough, as
// many accumulators as hide latency, libmvec for functions, no temporary arrays but rows in cache.
// Compiled with -O3 -march=native and with contraction allowed. All arrays are row-major; [begin,
// end) is the part of the outermost loop that one thread does.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc::bench {

/// o = exp(-tanh(x y + x)^2) / sqrt(1 + y y)
void handEw10(const float *x, const float *y, float *o, int64_t begin, int64_t end);
/// t = max(x y + x, 0.25) 0.5 - y; o = |min(t t + 1, 3) x|
void handEw10cheap(const float *x, const float *y, float *o, int64_t begin, int64_t end);

/// Sums of a rows x columns matrix: along columns (o[columns], columns [begin, end)), along rows
/// (o[rows], rows [begin, end)), and over rows [begin, end) altogether. f32 is summed in f32 for a
/// row or two at a time, then in f64.
template <class T>
void handSumAxis0(const T *x, T *o, int64_t rows, int64_t columns, int64_t begin, int64_t end);
template <class T> void handSumAxis1(const T *x, T *o, int64_t columns, int64_t begin, int64_t end);
template <class T> double handSumAll(const T *x, int64_t columns, int64_t begin, int64_t end);

/// Over axis 0, in blocks of columns that stay in the cache.
void handSoftmaxAxis0(const float *x, float *o, int64_t rows, int64_t columns, int64_t begin,
                      int64_t end);
void handSoftmax(const float *x, float *o, int64_t columns, int64_t begin, int64_t end);
void handLayerNorm(const float *x, const float *g, const float *b, float *o, int64_t columns,
                   int64_t begin, int64_t end);

/// relu(correlation + b) of a [channels, height, width] picture with a 3 x 3 window and a border of
/// zeros. `scratch` is handConvScratch(...) floats. The number of output channels must be a
/// multiple of 64.
void handConv3x3(const float *x, const float *w, const float *b, float *o, float *scratch,
                 int64_t channels, int64_t outputs, int64_t height, int64_t width);
int64_t handConvScratch(int64_t channels, int64_t outputs, int64_t height, int64_t width);

/// w -= step g
void handDescend(float *w, const float *g, float step, int64_t begin, int64_t end);

double handAdd(double x, double y);
void handAdd3(const double *x, const double *y, double *o, int64_t n);

/// h = tanh(a h + x) of `n` numbers, a multiple of 64, for each row of x, from h0; all h are kept.
void handRecurrence(const float *x, const float *a, const float *h0, float *h, int64_t steps,
                    int64_t n);

} // namespace graphc::bench
