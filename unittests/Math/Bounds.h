//===- Bounds.h - what is promised of a function's results ----------*- C++ -*-===//
#pragma once

#include <cmath>

#include "Ops/Registry.h"
#include "Reference.h"
#include "gtest/gtest.h"

namespace graphc::math {

/// Greatest error in units of the last place of the exact result (of the smallest subnormal below
/// the normal numbers), over all forms of the expansion: the registry's promise. It is measured,
/// with some room: f32 of one operand on all operands where the formula works in f32, others on
/// samples.
inline MaxUlp boundOf(MathFunction function) {
  for (const OpDef *op : allOps())
    for (const std::string &family : op->golden)
      if (family == mathFunctionName(function))
        return op->maxUlp;
  ADD_FAILURE() << "no bound for " << mathFunctionName(function);
  return {};
}
template <class T> double limit(MathFunction function) {
  MaxUlp bound = boundOf(function);
  double ulp = sizeof(T) == 4 ? bound.f32 : bound.f64;
  return ulp == 0 ? 0.5 : ulp; // correctly rounded
}

/// One unit of the last place of a T at `magnitude`.
template <class T> Wider<T> unitAt(Wider<T> magnitude) {
  using Limits = std::numeric_limits<T>;
  int exponent;
  std::frexp(magnitude, &exponent);
  return std::ldexp(Wider<T>(1), std::max(exponent, Limits::min_exponent) - Limits::digits);
}

/// Whether `got` is `exact` to within `ulps` units; NaN, infinities and the sign of an exact zero
/// are right or wrong.
template <class T> bool isWithin(T got, Wider<T> exact, double ulps) {
  T nearest = static_cast<T>(exact);
  if (std::isnan(nearest) || std::isnan(got))
    return std::isnan(nearest) && std::isnan(got);
  if (std::isinf(nearest) || std::isinf(got) || exact == 0)
    return got == nearest && std::signbit(got) == std::signbit(nearest);
  return std::fabs(got - exact) <= ulps * unitAt<T>(exact);
}

} // namespace graphc::math
