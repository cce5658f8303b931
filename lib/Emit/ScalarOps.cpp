//===- ScalarOps.cpp - facts of scalar operations and of joins ------------===//
#include "graphc/Emit.h"

#include <cassert>
#include <iterator>

namespace graphc {
namespace {

struct ScalarOpInfo {
  ScalarOp op;
  std::string_view name;
  int operands;
};

// In the order of ScalarOp; looked up by number.
constexpr ScalarOpInfo kInfo[] = {
    {ScalarOp::Constant, "constant", 0},
    {ScalarOp::Index, "index", 0},
    {ScalarOp::Size, "size", 0},
    {ScalarOp::Load, "load", 0},
    {ScalarOp::Add, "add", 2},
    {ScalarOp::Sub, "sub", 2},
    {ScalarOp::Mul, "mul", 2},
    {ScalarOp::Div, "div", 2},
    {ScalarOp::IntDiv, "int_div", 2},
    {ScalarOp::Mod, "mod", 2},
    {ScalarOp::Pow, "pow", 2},
    {ScalarOp::Neg, "neg", 1},
    {ScalarOp::Abs, "abs", 1},
    {ScalarOp::Sgn, "sgn", 1},
    {ScalarOp::Sqrt, "sqrt", 1},
    {ScalarOp::Rsqrt, "rsqrt", 1},
    {ScalarOp::Cbrt, "cbrt", 1},
    {ScalarOp::Maximum, "maximum", 2},
    {ScalarOp::Minimum, "minimum", 2},
    {ScalarOp::Fma, "fma", 3},
    {ScalarOp::CopySign, "copysign", 2},
    {ScalarOp::NextAfter, "nextafter", 2},
    {ScalarOp::Hypot, "hypot", 2},
    {ScalarOp::Eq, "eq", 2},
    {ScalarOp::Ne, "ne", 2},
    {ScalarOp::Lt, "lt", 2},
    {ScalarOp::Le, "le", 2},
    {ScalarOp::Gt, "gt", 2},
    {ScalarOp::Ge, "ge", 2},
    {ScalarOp::IsNan, "is_nan", 1},
    {ScalarOp::IsInf, "is_inf", 1},
    {ScalarOp::SignBit, "signbit", 1},
    {ScalarOp::And, "and", 2},
    {ScalarOp::Or, "or", 2},
    {ScalarOp::Xor, "xor", 2},
    {ScalarOp::Not, "not", 1},
    {ScalarOp::Shl, "shl", 2},
    {ScalarOp::Shr, "shr", 2},
    {ScalarOp::Floor, "floor", 1},
    {ScalarOp::Ceil, "ceil", 1},
    {ScalarOp::Trunc, "trunc", 1},
    {ScalarOp::RoundEven, "round_even", 1},
    {ScalarOp::RoundAway, "round_away", 1},
    {ScalarOp::Exp, "exp", 1},
    {ScalarOp::Exp2, "exp2", 1},
    {ScalarOp::Expm1, "expm1", 1},
    {ScalarOp::Log, "log", 1},
    {ScalarOp::Log2, "log2", 1},
    {ScalarOp::Log10, "log10", 1},
    {ScalarOp::Log1p, "log1p", 1},
    {ScalarOp::Log1mExp, "log1mexp", 1},
    {ScalarOp::Logit, "logit", 1},
    {ScalarOp::LogAddExp, "logaddexp", 2},
    {ScalarOp::Sin, "sin", 1},
    {ScalarOp::Cos, "cos", 1},
    {ScalarOp::Tan, "tan", 1},
    {ScalarOp::ArcSin, "arcsin", 1},
    {ScalarOp::ArcCos, "arccos", 1},
    {ScalarOp::ArcTan, "arctan", 1},
    {ScalarOp::ArcTan2, "arctan2", 2},
    {ScalarOp::Sinh, "sinh", 1},
    {ScalarOp::Cosh, "cosh", 1},
    {ScalarOp::Tanh, "tanh", 1},
    {ScalarOp::ArcSinh, "arcsinh", 1},
    {ScalarOp::ArcCosh, "arccosh", 1},
    {ScalarOp::ArcTanh, "arctanh", 1},
    {ScalarOp::Sinc, "sinc", 1},
    {ScalarOp::Erf, "erf", 1},
    {ScalarOp::Erfc, "erfc", 1},
    {ScalarOp::Erfcx, "erfcx", 1},
    {ScalarOp::Ndtr, "ndtr", 1},
    {ScalarOp::LogNdtr, "log_ndtr", 1},
    {ScalarOp::Sigmoid, "sigmoid", 1},
    {ScalarOp::Softplus, "softplus", 1},
    {ScalarOp::Gelu, "gelu", 1},
    {ScalarOp::GeluTanh, "gelu_tanh", 1},
    {ScalarOp::Silu, "silu", 1},
    {ScalarOp::Select, "select", 3},
    {ScalarOp::Cast, "cast", 1},
};

constexpr bool inOrder() {
  for (size_t i = 0; i < std::size(kInfo); ++i)
    if (size_t(kInfo[i].op) != i)
      return false;
  return std::size(kInfo) == size_t(ScalarOp::Cast) + 1;
}
static_assert(inOrder(), "kInfo lists every ScalarOp in the enumeration's order");

struct CombineInfo {
  Combine combine;
  std::string_view name;
  ScalarOp join; // Select where it is none
};

constexpr CombineInfo kCombines[] = {
    {Combine::None, "", ScalarOp::Select},
    {Combine::Sum, "sum", ScalarOp::Add},
    {Combine::Prod, "prod", ScalarOp::Mul},
    {Combine::Max, "max", ScalarOp::Maximum},
    {Combine::Min, "min", ScalarOp::Minimum},
    {Combine::And, "and", ScalarOp::And},
    {Combine::Or, "or", ScalarOp::Or},
    {Combine::Xor, "xor", ScalarOp::Xor},
    {Combine::ArgMax, "argmax", ScalarOp::Select},
    {Combine::ArgMin, "argmin", ScalarOp::Select},
};

constexpr bool combinesInOrder() {
  for (size_t i = 0; i < std::size(kCombines); ++i)
    if (size_t(kCombines[i].combine) != i)
      return false;
  return std::size(kCombines) == size_t(Combine::ArgMin) + 1;
}
static_assert(combinesInOrder(), "kCombines lists every Combine in the enumeration's order");

} // namespace

std::string_view scalarOpName(ScalarOp op) { return kInfo[size_t(op)].name; }
int numScalarOperands(ScalarOp op) { return kInfo[size_t(op)].operands; }
bool givesBool(ScalarOp op) { return op >= ScalarOp::Eq && op <= ScalarOp::SignBit; }

std::string_view combineName(Combine combine) { return kCombines[size_t(combine)].name; }
bool hasAccumulator(Combine combine) { return combine == Combine::Sum || combine == Combine::Prod; }
bool isArg(Combine combine) { return combine == Combine::ArgMax || combine == Combine::ArgMin; }

ScalarOp joinOp(Combine combine) {
  assert(combine != Combine::None && !isArg(combine) && "joined by no one operation");
  return kCombines[size_t(combine)].join;
}

} // namespace graphc
