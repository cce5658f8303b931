//===- HardOperands.h - where formulas were found to be at their worst ------===//
#pragma once

#include "Lowering/Math/MathFunction.h"

namespace graphc::math {

struct HardOperand {
  MathFunction function;
  double x; // rounded to f32 where f32 is tested
};

/// Operands at which the error of some form was, or is, the greatest that is known.
inline constexpr HardOperand kHardOperands[] = {
    // Just below 3/4, where the exponent and the logarithm of the mantissa cancel.
    {MathFunction::Log2, 0.74939144},
    {MathFunction::Log2, 0.74918455},
    {MathFunction::Log2, 0.7463347595335366},
    {MathFunction::Log2, 0.74739675773003722},
    {MathFunction::Log2, 0.73901725860485856},
    {MathFunction::Log10, 0.74990356},
    {MathFunction::Log10, 0.7499021102740863},
    {MathFunction::Log, 0.73985153436660767},
    {MathFunction::Log, 0.74456161033724244},
    {MathFunction::Softplus, -1.2684691},
    {MathFunction::Softplus, -1.2623344659805298},
    {MathFunction::Softplus, -0.43860204886595261},
    // The product ends just below the normal numbers.
    {MathFunction::Silu, -81.39695},
    {MathFunction::Silu, -91.876205444335938},
    {MathFunction::Silu, -42.6060596220111},
    {MathFunction::Silu, -89.056976210769321},
    {MathFunction::Silu, -714.98009969982081},
    // Just above 1/4, where the formula changes.
    {MathFunction::Logit, 0.2697703741791793},
    {MathFunction::Logit, 0.27015393300992768},
    // The exact product of the correction overflows without FMA.
    {MathFunction::Rsqrt, 2.8692746658867816e+300},
    {MathFunction::Rsqrt, 7.0243018638306137e+305},
    // A subnormal has no exact product without FMA.
    {MathFunction::Sinc, 4.7687935545584026e-314},
    {MathFunction::Gelu, -2.2023396492004395},
    {MathFunction::Gelu, -2.7858572006225586},
    {MathFunction::GeluTanh, -10.103058815002441},
    {MathFunction::GeluTanh, -20.495545282014952},
    {MathFunction::Erfc, 3.6170505584048365e-06},
    {MathFunction::Erfcx, 1.2723990972243654e-08},
    {MathFunction::Ndtr, -1.8519550486732933e-08},
    {MathFunction::LogNdtr, 0.27595340508161809},
    {MathFunction::Arctanh, -0.12254874775991781},
    {MathFunction::Arcsin, 0.50790853090889365},
    {MathFunction::Tan, 114205.53641314221},
    {MathFunction::Sinh, 0.00024277784059831116},
    {MathFunction::Log1mExp, -1.0285033091249158},
    {MathFunction::Arccosh, 1.0251177826441387},
    {MathFunction::Arccos, 0.56891541778530585},
    {MathFunction::Arcsinh, -0.24386711430462649},
    {MathFunction::Arctan, -0.42095178856137866},
    {MathFunction::Tanh, -0.1748582433858816},
    {MathFunction::Erf, 1.0877265930175781},
    {MathFunction::Erf, -1.0821160332977684},
    {MathFunction::Erf, -1.1383612541787513},
};

} // namespace graphc::math
