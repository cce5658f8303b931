//===- Formulas.h - from a MathFunction to its formula --------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/FormulasArc.h"
#include "Lowering/Math/FormulasErf.h"
#include "Lowering/Math/FormulasPower.h"
#include "Lowering/Math/FormulasTrig.h"
#include "Lowering/Math/MathFunction.h"

namespace graphc::math {

/// f64 lanes as they are; f32 lanes in f64 with the short coefficients, which leaves about one
/// rounding: for functions that would be laborious in f32.
template <class Formula, class F, class... Rest> F evaluateWide(Formula formula, F x, Rest... y) {
  if constexpr (kIsDouble<F>)
    return formula.template operator()<DoubleCoefficients>(x, y...);
  else
    return narrow(formula.template operator()<WideCoefficients>(widen(x), widen(y)...));
}
#define GRAPHC_WIDE(formula, ...)                                                                  \
  evaluateWide([]<class S>(auto... v) { return formula<S>(v...); }, __VA_ARGS__)

template <MathFunction Function, class F> F evaluate(F x) {
  using K = Native<F>;
  using enum MathFunction;
  // clang-format off
  if constexpr (Function == Exp) return expFormula<K>(x);
  if constexpr (Function == Exp2) return exp2Formula<K>(x);
  if constexpr (Function == Expm1) return expm1Formula<K>(x);
  if constexpr (Function == Log) return logFormula<K>(x);
  if constexpr (Function == Log2) return log2Formula<K>(x);
  if constexpr (Function == Log10) return log10Formula<K>(x);
  if constexpr (Function == Log1p) return log1pFormula<K>(x);
  if constexpr (Function == Softplus) return softplusFormula<K>(x);
  if constexpr (Function == Sigmoid) return sigmoidFormula<K>(x);
  if constexpr (Function == Sin) return sinFormula<K>(x);
  if constexpr (Function == Cos) return cosFormula<K>(x);
  if constexpr (Function == Tanh) return tanhFormula<K>(x);
  if constexpr (Function == Erf) return erfFormula<K>(x);
  if constexpr (Function == Ndtr) return ndtrFormula<K>(x);
  if constexpr (Function == Silu) return siluFormula<K>(x);
  if constexpr (Function == Gelu) return geluFormula<K>(x);
  if constexpr (Function == GeluTanh) return geluTanhFormula<K>(x);
  if constexpr (Function == Log1mExp) return GRAPHC_WIDE(log1mexpFormula, x);
  if constexpr (Function == Logit) return GRAPHC_WIDE(logitFormula, x);
  if constexpr (Function == Tan) return GRAPHC_WIDE(tanFormula, x);
  if constexpr (Function == Arcsin) return GRAPHC_WIDE(arcsinFormula, x);
  if constexpr (Function == Arccos) return GRAPHC_WIDE(arccosFormula, x);
  if constexpr (Function == Arctan) return GRAPHC_WIDE(arctanFormula, x);
  if constexpr (Function == Sinh) return GRAPHC_WIDE(sinhFormula, x);
  if constexpr (Function == Cosh) return GRAPHC_WIDE(coshFormula, x);
  if constexpr (Function == Arcsinh) return GRAPHC_WIDE(arcsinhFormula, x);
  if constexpr (Function == Arccosh) return GRAPHC_WIDE(arccoshFormula, x);
  if constexpr (Function == Arctanh) return GRAPHC_WIDE(arctanhFormula, x);
  if constexpr (Function == Sinc) return GRAPHC_WIDE(sincFormula, x);
  if constexpr (Function == Erfc) return erfcFormula(x);
  if constexpr (Function == Erfcx) return GRAPHC_WIDE(erfcxFormula, x);
  if constexpr (Function == LogNdtr) return GRAPHC_WIDE(logNdtrFormula, x);
  if constexpr (Function == Cbrt) return GRAPHC_WIDE(cbrtFormula, x);
  if constexpr (Function == Sqrt) return sqrt(x);
  if constexpr (Function == Rsqrt) return rsqrtFormula(x);
  if constexpr (Function == Floor) return floorValue(x);
  if constexpr (Function == Ceil) return ceilValue(x);
  if constexpr (Function == Trunc) return truncValue(x);
  if constexpr (Function == RoundEven) return roundEvenValue(x);
  if constexpr (Function == RoundAway) return roundAwayValue(x);
  // clang-format on
}

template <MathFunction Function, class F> F evaluate(F x, F y) {
  using enum MathFunction;
  // clang-format off
  if constexpr (Function == Arctan2) return GRAPHC_WIDE(arctan2Formula, x, y);
  if constexpr (Function == LogAddExp) return GRAPHC_WIDE(logAddExpFormula, x, y);
  if constexpr (Function == Pow) return powFormula(x, y);
  if constexpr (Function == Hypot) return hypotFormula(x, y);
  if constexpr (Function == Mod) return modFormula(x, y);
  if constexpr (Function == FloorDivide) return floorDivideFormula(x, y);
  if constexpr (Function == Copysign) return copysignValue(x, y);
  if constexpr (Function == Nextafter) return nextafterFormula(x, y);
  // clang-format on
}

#undef GRAPHC_WIDE

} // namespace graphc::math
