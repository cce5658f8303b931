//===- HandLoops.cpp ------------------------------------------------------===//
#include "HandLoops.h"

#include <algorithm>

#include "HandVectors.h"

namespace graphc::bench {

//===--- elementwise ----------------------------------------------------------===//

static inline Vector<float> ew10(const Vector<float> &x, const Vector<float> &y) {
  Vector<float> t = vectorTanh(x * y + x);
  return vectorExp(-(t * t)) / vectorSqrt(1.0f + y * y);
}

void handEw10(const float *__restrict x, const float *__restrict y, float *__restrict o,
              int64_t begin, int64_t end) {
  constexpr int kStep = kLanes<float>;
  int64_t i = begin;
  for (; i + kStep <= end; i += kStep)
    store(o + i, ew10(load(x + i), load(y + i)));
  if (i == end)
    return;
  float lastX[kStep] = {}, lastY[kStep] = {}, lastO[kStep];
  std::copy(x + i, x + end, lastX);
  std::copy(y + i, y + end, lastY);
  store(lastO, ew10(load(lastX), load(lastY)));
  std::copy(lastO, lastO + (end - i), o + i);
}

void handEw10cheap(const float *__restrict x, const float *__restrict y, float *__restrict o,
                   int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    float t = std::max(x[i] * y[i] + x[i], 0.25f) * 0.5f - y[i];
    o[i] = std::fabs(std::min(t * t + 1, 3.0f) * x[i]);
  }
}

//===--- sums -------------------------------------------------------------------===//

/// The sum of n elements, n <= 4096: few enough for f32 in 8 vectors.
template <class T> static inline T sumOf(const T *x, int64_t n) {
  constexpr int kStep = kLanes<T>, kVectors = 8;
  Vector<T> sums[kVectors] = {};
  int64_t i = 0;
  for (; i + kStep * kVectors <= n; i += kStep * kVectors)
    for (int v = 0; v < kVectors; ++v)
      sums[v] += load(x + i + v * kStep);
  Vector<T> sum =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  T result = horizontalSum<T>(sum);
  for (; i < n; ++i)
    result += x[i];
  return result;
}

template <class T>
void handSumAxis1(const T *x, T *o, int64_t columns, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
    o[r] = sumOf(x + r * columns, columns);
}

template <class T> double handSumAll(const T *x, int64_t columns, int64_t begin, int64_t end) {
  double sum = 0;
  for (int64_t r = begin; r < end; ++r)
    sum += double(sumOf(x + r * columns, columns));
  return sum;
}

/// Four rows at a time: more are more streams than prefetchers follow.
template <class T>
void handSumAxis0(const T *__restrict x, T *__restrict o, int64_t rows, int64_t columns,
                  int64_t begin, int64_t end) {
  std::fill(o + begin, o + end, T(0));
  constexpr int kRows = 4, kStep = kLanes<T>;
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) {
    const T *from = x + r * columns;
    int64_t c = begin;
    for (; c + kStep <= end; c += kStep) {
      Vector<T> sums[kRows];
      for (int k = 0; k < kRows; ++k)
        sums[k] = load(from + k * columns + c);
      for (int width = kRows / 2; width > 0; width /= 2)
        for (int k = 0; k < width; ++k)
          sums[k] += sums[k + width];
      store<T>(o + c, load(o + c) + sums[0]);
    }
    for (; c < end; ++c)
      for (int k = 0; k < kRows; ++k)
        o[c] += from[k * columns + c];
  }
  for (; r < rows; ++r)
    for (int64_t c = begin; c < end; ++c)
      o[c] += x[r * columns + c];
}

template void handSumAxis0(const float *, float *, int64_t, int64_t, int64_t, int64_t);
template void handSumAxis0(const double *, double *, int64_t, int64_t, int64_t, int64_t);
template void handSumAxis1(const float *, float *, int64_t, int64_t, int64_t);
template void handSumAxis1(const double *, double *, int64_t, int64_t, int64_t);
template double handSumAll(const float *, int64_t, int64_t, int64_t);
template double handSumAll(const double *, int64_t, int64_t, int64_t);

//===--- rows -------------------------------------------------------------------===//

void handSoftmax(const float *x, float *o, int64_t columns, int64_t begin, int64_t end) {
  constexpr int kStep = kLanes<float>, kVectors = 4;
  for (int64_t r = begin; r < end; ++r) {
    const float *from = x + r * columns;
    float *to = o + r * columns;
    Vector<float> tops[kVectors];
    std::fill(tops, tops + kVectors, splat(from[0]));
    int64_t c = 0;
    for (; c + kStep * kVectors <= columns; c += kStep * kVectors)
      for (int v = 0; v < kVectors; ++v) {
        Vector<float> value = load(from + c + v * kStep);
        tops[v] = value > tops[v] ? value : tops[v];
      }
    float top = from[0];
    for (const Vector<float> &v : tops)
      top = std::max(top, horizontalMax(v));
    for (; c < columns; ++c)
      top = std::max(top, from[c]);

    Vector<float> sums[2] = {};
    for (c = 0; c + kStep * 2 <= columns; c += kStep * 2)
      for (int v = 0; v < 2; ++v) {
        Vector<float> e = vectorExp(load(from + c + v * kStep) - top);
        sums[v] += e;
        store(to + c + v * kStep, e);
      }
    float sum = horizontalSum<float>(sums[0] + sums[1]);
    for (; c < columns; ++c)
      sum += to[c] = std::exp(from[c] - top);
    float scale = 1 / sum;
    for (c = 0; c < columns; ++c)
      to[c] *= scale;
  }
}

void handSoftmaxAxis0(const float *x, float *o, int64_t rows, int64_t columns, int64_t begin,
                      int64_t end) {
  constexpr int kStep = kLanes<float>;
  constexpr int64_t kBlock = 1024;
  float tops[kBlock], sums[kBlock];
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t count = std::min(kBlock, end - first);
    const float *from = x + first;
    float *to = o + first;
    std::copy(from, from + count, tops);
    std::fill(sums, sums + count, 0.0f);
    for (int64_t r = 1; r < rows; ++r)
      for (int64_t c = 0; c < count; ++c)
        tops[c] = std::max(tops[c], from[r * columns + c]);
    for (int64_t r = 0; r < rows; ++r) {
      const float *row = from + r * columns;
      float *out = to + r * columns;
      int64_t c = 0;
      for (; c + kStep <= count; c += kStep) {
        Vector<float> e = vectorExp(load(row + c) - load(tops + c));
        store(out + c, e);
        store(sums + c, load(sums + c) + e);
      }
      for (; c < count; ++c)
        sums[c] += out[c] = std::exp(row[c] - tops[c]);
    }
    for (int64_t c = 0; c < count; ++c)
      sums[c] = 1 / sums[c];
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < count; ++c)
        to[r * columns + c] *= sums[c];
  }
}

void handLayerNorm(const float *__restrict x, const float *__restrict g, const float *__restrict b,
                   float *__restrict o, int64_t columns, int64_t begin, int64_t end) {
  constexpr int kStep = kLanes<float>, kVectors = 4;
  for (int64_t r = begin; r < end; ++r) {
    const float *from = x + r * columns;
    float *to = o + r * columns;
    float mean = sumOf(from, columns) / float(columns);
    Vector<float> squares[kVectors] = {};
    int64_t c = 0;
    for (; c + kStep * kVectors <= columns; c += kStep * kVectors)
      for (int v = 0; v < kVectors; ++v) {
        Vector<float> d = load(from + c + v * kStep) - mean;
        squares[v] += d * d;
      }
    float variance = horizontalSum<float>((squares[0] + squares[1]) + (squares[2] + squares[3]));
    for (; c < columns; ++c)
      variance += (from[c] - mean) * (from[c] - mean);
    float scale = 1 / std::sqrt(variance / float(columns) + 1e-5f);
    for (c = 0; c < columns; ++c)
      to[c] = (from[c] - mean) * scale * g[c] + b[c];
  }
}

//===--- calls --------------------------------------------------------------------===//

double handAdd(double x, double y) { return x + y; }

void handDescend(float *w, const float *g, float step, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    w[i] -= step * g[i];
}

void handAdd3(const double *x, const double *y, double *o, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    o[i] = x[i] + y[i];
}

void handRecurrence(const float *x, const float *a, const float *h0, float *h, int64_t steps,
                    int64_t n) {
  // Vectors side by side, so that their chains of dependent steps overlap.
  constexpr int lanes = kLanes<float>, kVectors = 64 / lanes;
  for (int64_t first = 0; first < n; first += lanes * kVectors) {
    Vector<float> state[kVectors], factor[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      state[v] = load(h0 + first + v * lanes);
      factor[v] = load(a + first + v * lanes);
    }
    for (int64_t t = 0; t < steps; ++t)
      for (int v = 0; v < kVectors; ++v) {
        const int64_t at = t * n + first + v * lanes;
        state[v] = vectorTanh(factor[v] * state[v] + load(x + at));
        store(h + at, state[v]);
      }
  }
}

} // namespace graphc::bench
