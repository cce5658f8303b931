//===- MathFunction.h - the elementwise functions of generated code ---*- C++ -*-===//
#pragma once

#include <string_view>

namespace graphc {

/// Every elementwise floating-point function that has a formula: enumerator, name, operands.
#define GRAPHC_MATH_FUNCTIONS(X)                                                                   \
  X(Exp, "exp", 1)                                                                                 \
  X(Exp2, "exp2", 1)                                                                               \
  X(Expm1, "expm1", 1)                                                                             \
  X(Log, "log", 1)                                                                                 \
  X(Log2, "log2", 1)                                                                               \
  X(Log10, "log10", 1)                                                                             \
  X(Log1p, "log1p", 1)                                                                             \
  X(Log1mExp, "log1mexp", 1)                                                                       \
  X(Softplus, "softplus", 1)                                                                       \
  X(Sigmoid, "sigmoid", 1)                                                                         \
  X(Logit, "logit", 1)                                                                             \
  X(LogAddExp, "logaddexp", 2)                                                                     \
  X(Sin, "sin", 1)                                                                                 \
  X(Cos, "cos", 1)                                                                                 \
  X(Tan, "tan", 1)                                                                                 \
  X(Arcsin, "arcsin", 1)                                                                           \
  X(Arccos, "arccos", 1)                                                                           \
  X(Arctan, "arctan", 1)                                                                           \
  X(Arctan2, "arctan2", 2)                                                                         \
  X(Sinh, "sinh", 1)                                                                               \
  X(Cosh, "cosh", 1)                                                                               \
  X(Tanh, "tanh", 1)                                                                               \
  X(Arcsinh, "arcsinh", 1)                                                                         \
  X(Arccosh, "arccosh", 1)                                                                         \
  X(Arctanh, "arctanh", 1)                                                                         \
  X(Sinc, "sinc", 1)                                                                               \
  X(Erf, "erf", 1)                                                                                 \
  X(Erfc, "erfc", 1)                                                                               \
  X(Erfcx, "erfcx", 1)                                                                             \
  X(Ndtr, "ndtr", 1)                                                                               \
  X(LogNdtr, "log_ndtr", 1)                                                                        \
  X(Silu, "silu", 1)                                                                               \
  X(Gelu, "gelu", 1)                                                                               \
  X(GeluTanh, "gelu_tanh", 1)                                                                      \
  X(Sqrt, "sqrt", 1)                                                                               \
  X(Rsqrt, "rsqrt", 1)                                                                             \
  X(Cbrt, "cbrt", 1)                                                                               \
  X(Pow, "pow", 2)                                                                                 \
  X(Hypot, "hypot", 2)                                                                             \
  X(Floor, "floor", 1)                                                                             \
  X(Ceil, "ceil", 1)                                                                               \
  X(Trunc, "trunc", 1)                                                                             \
  X(RoundEven, "round_half_to_even", 1)                                                            \
  X(RoundAway, "round_half_away_from_zero", 1)                                                     \
  X(Mod, "mod", 2)                                                                                 \
  X(FloorDivide, "int_div", 2)                                                                     \
  X(Copysign, "copysign", 2)                                                                       \
  X(Nextafter, "nextafter", 2)

enum class MathFunction {
#define GRAPHC_ENUMERATOR(id, name, operands) id,
  GRAPHC_MATH_FUNCTIONS(GRAPHC_ENUMERATOR)
#undef GRAPHC_ENUMERATOR
};

/// The name that the op catalogue uses.
constexpr std::string_view mathFunctionName(MathFunction function) {
  constexpr std::string_view names[] = {
#define GRAPHC_NAME(id, name, operands) name,
      GRAPHC_MATH_FUNCTIONS(GRAPHC_NAME)
#undef GRAPHC_NAME
  };
  return names[static_cast<int>(function)];
}

/// Number of operands, 1 or 2.
constexpr int mathFunctionOperands(MathFunction function) {
  constexpr int counts[] = {
#define GRAPHC_COUNT(id, name, operands) operands,
      GRAPHC_MATH_FUNCTIONS(GRAPHC_COUNT)
#undef GRAPHC_COUNT
  };
  return counts[static_cast<int>(function)];
}

} // namespace graphc
