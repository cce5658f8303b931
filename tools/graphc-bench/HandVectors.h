//===- HandVectors.h - vectors of this machine --------------------*- C++ -*-===//
//
// For the hand-written loops alone, which are compiled for the machine that builds them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace graphc::bench {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T> struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
};
template <class T> using Vector = typename VectorOf<T>::Type;
template <class T> constexpr int kLanes = kVectorBytes / int(sizeof(T));

template <class T> inline Vector<T> load(const T *from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class T> inline void store(T *to, const Vector<T> &v) { std::memcpy(to, &v, sizeof(v)); }

template <class T> inline Vector<T> splat(T value) { return value - Vector<T>{}; }

template <class T> inline T horizontalSum(const Vector<T> &v) {
  T sum = 0;
  for (int lane = 0; lane < kLanes<T>; ++lane)
    sum += v[lane];
  return sum;
}
inline float horizontalMax(const Vector<float> &v) {
  float most = v[0];
  for (int lane = 1; lane < kLanes<float>; ++lane)
    most = v[lane] > most ? v[lane] : most;
  return most;
}

// glibc's vector math library, where it has vectors of this size.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__AVX512F__)
#define GRAPHC_BENCH_LIBMVEC(NAME) _ZGVeN16v_##NAME
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__AVX2__)
#define GRAPHC_BENCH_LIBMVEC(NAME) _ZGVdN8v_##NAME
#endif
#ifdef GRAPHC_BENCH_LIBMVEC
#define GRAPHC_BENCH_FUNCTION(OURS, THEIRS)                                                        \
  extern "C" Vector<float> GRAPHC_BENCH_LIBMVEC(THEIRS##f)(Vector<float>);                         \
  inline Vector<float> OURS(const Vector<float> &v) { return GRAPHC_BENCH_LIBMVEC(THEIRS##f)(v); }
#else
#define GRAPHC_BENCH_FUNCTION(OURS, THEIRS)                                                        \
  inline Vector<float> OURS(Vector<float> v) {                                                     \
    for (int lane = 0; lane < kLanes<float>; ++lane)                                               \
      v[lane] = std::THEIRS(v[lane]);                                                              \
    return v;                                                                                      \
  }
#endif
GRAPHC_BENCH_FUNCTION(vectorExp, exp)
GRAPHC_BENCH_FUNCTION(vectorLog, log)
GRAPHC_BENCH_FUNCTION(vectorTanh, tanh)
GRAPHC_BENCH_FUNCTION(vectorErf, erf)
#undef GRAPHC_BENCH_FUNCTION

inline Vector<float> vectorSqrt(Vector<float> v) {
  for (int lane = 0; lane < kLanes<float>; ++lane) // one instruction
    v[lane] = std::sqrt(v[lane]);
  return v;
}

} // namespace graphc::bench
