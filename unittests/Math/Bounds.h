//===- Bounds.h - how far the functions may be off ------------------*- C++ -*-===//
#pragma once

#include "Lowering/Math/MathFunction.h"

namespace graphc::math {

/// Largest error in units of the last place of the exact result (of the smallest subnormal below
/// the normal numbers), over all forms of the expansion. Measured on samples with some room, as
/// AccuracyTest.cpp says; logaddexp relative to its larger operand.
struct Bound {
  MathFunction function;
  double single, twice;
};

inline constexpr Bound kBounds[] = {
    {MathFunction::Exp, 0.98, 0.99},     {MathFunction::Exp2, 1.1, 1.75},
    {MathFunction::Expm1, 0.95, 1.25},   {MathFunction::Log, 0.9, 0.9},
    {MathFunction::Log2, 0.98, 1.1},     {MathFunction::Log10, 0.95, 0.95},
    {MathFunction::Log1p, 0.9, 0.95},    {MathFunction::Log1mExp, 0.51, 1.8},
    {MathFunction::Softplus, 1.4, 1.75}, {MathFunction::Sigmoid, 0.95, 0.98},
    {MathFunction::Logit, 0.51, 2.4},    {MathFunction::LogAddExp, 0.51, 1.8},
    {MathFunction::Sin, 0.9, 0.95},      {MathFunction::Cos, 0.9, 0.95},
    {MathFunction::Tan, 0.51, 2.5},      {MathFunction::Arcsin, 0.51, 2.05},
    {MathFunction::Arccos, 0.51, 1.4},   {MathFunction::Arctan, 0.51, 1.85},
    {MathFunction::Arctan2, 0.51, 1.8},  {MathFunction::Sinh, 0.51, 1.8},
    {MathFunction::Cosh, 0.51, 1.4},     {MathFunction::Tanh, 0.8, 0.95},
    {MathFunction::Arcsinh, 0.51, 1.55}, {MathFunction::Arccosh, 0.51, 1.8},
    {MathFunction::Arctanh, 0.51, 1.95}, {MathFunction::Sinc, 0.51, 3.5},
    {MathFunction::Erf, 1.35, 1.65},     {MathFunction::Erfc, 0.51, 6.5},
    {MathFunction::Erfcx, 0.52, 7},      {MathFunction::Ndtr, 0.51, 9.5},
    {MathFunction::LogNdtr, 0.51, 8.5},  {MathFunction::Silu, 0.95, 1},
    {MathFunction::Gelu, 5, 9.5},        {MathFunction::GeluTanh, 0.9, 1.4},
    {MathFunction::Sqrt, 0.5, 0.5},      {MathFunction::Rsqrt, 0.51, 1.25},
    {MathFunction::Cbrt, 0.51, 0.55},    {MathFunction::Pow, 0.51, 1.15},
    {MathFunction::Hypot, 0.51, 0.5},    {MathFunction::Floor, 0, 0},
    {MathFunction::Ceil, 0, 0},          {MathFunction::Trunc, 0, 0},
    {MathFunction::RoundEven, 0, 0},     {MathFunction::RoundAway, 0, 0},
    {MathFunction::Mod, 0.5, 0.5},       {MathFunction::FloorDivide, 0.51, 0},
    {MathFunction::Copysign, 0, 0},      {MathFunction::Nextafter, 0, 0},
};

} // namespace graphc::math
