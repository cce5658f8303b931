//===- HandMath.cpp -------------------------------------------------------===//
#include "HandMath.h"

#include <sleef.h>

#include <string_view>

#include "HandVectors.h"

namespace graphc::bench {
namespace {

template <auto F, class T> void unary(const T *x, const T *, T *o, int64_t n) {
  for (int64_t i = 0; i < n; i += kLanes<T>)
    store<T>(o + i, F(load(x + i)));
}
template <auto F, class T> void binary(const T *x, const T *y, T *o, int64_t n) {
  for (int64_t i = 0; i < n; i += kLanes<T>)
    store<T>(o + i, F(load(x + i), load(y + i)));
}
static_assert(kMathGrain % kLanes<float> == 0 && kMathGrain % kLanes<double> == 0);

// A name of SLEEF's says type, lanes and error: Sleef_expf16_u10, Sleef_expd8_u10.
#if defined(__AVX512F__)
#define GRAPHC_SLEEF_F32(NAME) Sleef_##NAME##f16_u10
#define GRAPHC_SLEEF_F64(NAME) Sleef_##NAME##d8_u10
#elif defined(__AVX__)
#define GRAPHC_SLEEF_F32(NAME) Sleef_##NAME##f8_u10
#define GRAPHC_SLEEF_F64(NAME) Sleef_##NAME##d4_u10
#else
#define GRAPHC_SLEEF_F32(NAME) Sleef_##NAME##f4_u10
#define GRAPHC_SLEEF_F64(NAME) Sleef_##NAME##d2_u10
#endif
#define GRAPHC_HAND_MATH(OURS, THEIRS, LOOP)                                                       \
  {#OURS, LOOP<GRAPHC_SLEEF_F32(THEIRS), float>, LOOP<GRAPHC_SLEEF_F64(THEIRS), double>}

constexpr HandMath kHandMath[] = {
    GRAPHC_HAND_MATH(exp, exp, unary),     GRAPHC_HAND_MATH(expm1, expm1, unary),
    GRAPHC_HAND_MATH(log, log, unary),     GRAPHC_HAND_MATH(log1p, log1p, unary),
    GRAPHC_HAND_MATH(sin, sin, unary),     GRAPHC_HAND_MATH(cos, cos, unary),
    GRAPHC_HAND_MATH(tan, tan, unary),     GRAPHC_HAND_MATH(sinh, sinh, unary),
    GRAPHC_HAND_MATH(cosh, cosh, unary),   GRAPHC_HAND_MATH(tanh, tanh, unary),
    GRAPHC_HAND_MATH(arcsin, asin, unary), GRAPHC_HAND_MATH(arctan, atan, unary),
    GRAPHC_HAND_MATH(erf, erf, unary),     GRAPHC_HAND_MATH(pow, pow, binary),
};

} // namespace

const HandMath *findHandMath(const char *name) {
  for (const HandMath &math : kHandMath)
    if (std::string_view(math.name) == name)
      return &math;
  return nullptr;
}

} // namespace graphc::bench
