//===- HandMath.h - functions of SLEEF, a vector at a time --------*- C++ -*-===//
//
// What a loop by hand would call for one function over an array: SLEEF's versions of at most one
// unit in the last place, on vectors of the machine's full length.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace graphc::bench {

template <class T> using MathLoop = void (*)(const T *x, const T *y, T *o, int64_t n);

/// Elements are done a whole vector at a time: their number must be a multiple of this.
constexpr int64_t kMathGrain = 16;

/// A function, and the loop that computes o[i] = f(x[i]) or f(x[i], y[i]) with it.
struct HandMath {
  const char *name;
  MathLoop<float> f32;
  MathLoop<double> f64;
};

/// exp, expm1, log, log1p, sin, cos, tan, sinh, cosh, tanh, arcsin, arctan, erf, pow.
const HandMath *findHandMath(const char *name);

} // namespace graphc::bench
