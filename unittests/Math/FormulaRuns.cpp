//===- FormulaRuns.cpp - the formulas as functions over arrays ------------===//
//
// Compiled for AVX2 and FMA on x86, whatever the rest is compiled for: without the instruction each
// fma would be a call of libm, and the tests would take minutes.
//===----------------------------------------------------------------------===//
#include "FormulaRuns.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#endif

#include "CppLanes.h"
#include "Lowering/Math/Formulas.h"

namespace graphc::math {
namespace {

template <MathFunction Function, class O, class T>
void runLanes(const T *x, const T *y, T *out, int64_t n) {
  using F = CppFloat<T, O>;
  for (int64_t i = 0; i < n; i += kLanes) {
    F a, b;
    std::memcpy(&a, x + i, sizeof a);
    if constexpr (mathFunctionOperands(Function) == 2) {
      std::memcpy(&b, y + i, sizeof b);
      a = evaluate<Function>(a, b);
    } else {
      a = evaluate<Function>(a);
    }
    std::memcpy(out + i, &a, sizeof a);
  }
}

template <class O, class T>
void runWith(MathFunction function, const T *x, const T *y, T *out, int64_t n) {
  switch (function) {
#define GRAPHC_CASE(id, name, operands)                                                            \
  case MathFunction::id:                                                                           \
    return runLanes<MathFunction::id, O>(x, y, out, n);
    GRAPHC_MATH_FUNCTIONS(GRAPHC_CASE)
#undef GRAPHC_CASE
  }
}

template <class T>
void runForm(MathFunction function, Form form, const T *x, const T *y, T *out, int64_t n) {
  static_assert(kLanes == kRunLanes);
  switch (form) {
  case Form::FmaAndTables:
    return runWith<Options<true, true>>(function, x, y, out, n);
  case Form::Fma:
    return runWith<Options<true, false>>(function, x, y, out, n);
  case Form::Plain:
    return runWith<Options<false, false>>(function, x, y, out, n);
  }
}

} // namespace

void run(MathFunction function, Form form, const float *x, const float *y, float *out, int64_t n) {
  runForm(function, form, x, y, out, n);
}
void run(MathFunction function, Form form, const double *x, const double *y, double *out,
         int64_t n) {
  runForm(function, form, x, y, out, n);
}

} // namespace graphc::math

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

bool graphc::math::canRun() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}
