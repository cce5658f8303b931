//===- Ops/RoundedMath.h - functions that have the same bits everywhere -*- C++ -*-===//
//
// Of operations that are exact or rounded as IEEE 754 says, so that the evaluator and compiled code
// for any processor give the same bits (F-342); the functions of ScalarOp differ by a unit. Errors
// are a few units in the last place. Operands are Float32 or Float64.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "graphc/Emit.h"

namespace graphc::rounded {

/// log(u) where v = 1 - u, for u from 2^-126 to 1: either may be the one with more digits.
Scalar logOfUnit(Scalar u, Scalar v);
/// For x from 2^-120 to 2^6.
Scalar log(Scalar x);
/// For all x: infinite above the range of floats, 0 below it (and where the result is subnormal it
/// has fewer digits).
Scalar exp(Scalar x);
/// e^x - 1, of as many digits where that is small.
Scalar expm1(Scalar x);
/// sin(pi/2 x) and cos(pi/2 x) for |x| <= 1/2.
struct SinCos {
  Scalar sin, cos;
};
SinCos sinCosOfQuarter(Scalar x);

} // namespace graphc::rounded
