//===- ScalarEval.cpp ------------------------------------------------------===//
#include "ScalarEval.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "Runtime/Element.h"

namespace graphc {

//===--- elements -------------------------------------------------------------===//

template <class T> static Lane laneOf(T value) {
  Lane lane;
  if constexpr (std::is_floating_point_v<T>)
    lane.f = double(value);
  else if constexpr (std::is_signed_v<T>)
    lane.i = value;
  else
    lane.u = value;
  return lane;
}

template <class T> static Stored<T> elementOf(Lane lane) {
  if constexpr (std::is_same_v<T, bool>)
    return lane.u != 0;
  else if constexpr (kIsHalf<T>)
    return T(float(lane.f)); // exact: the value is one of T's
  else if constexpr (std::is_floating_point_v<T>)
    return T(lane.f);
  else
    return T(lane.u);
}

Lane readLane(DType dtype, const void *data, int64_t index) {
  return dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    return laneOf(loadElement<T>(static_cast<const Stored<T> *>(data)[index]));
  });
}

void writeLane(DType dtype, void *data, int64_t index, Lane value) {
  dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    static_cast<Stored<T> *>(data)[index] = elementOf<T>(value);
  });
}

Lane laneOfBits(DType dtype, uint64_t bits) {
  // The lowest bytes of the payload are the element: x86-64 and aarch64 are little-endian.
  return readLane(dtype, &bits, 0);
}

Lane castLane(DType from, DType to, Lane value) {
  return dispatch(from, [&](auto source) {
    using From = decltype(source);
    return dispatch(to, [&](auto target) {
      using To = decltype(target);
      return laneOf(loadElement<To>(castElement<To, From>(elementOf<From>(value))));
    });
  });
}

double roundTo(DType dtype, long double value) {
  // Functions reach the halves through float32, as compiled code computes them.
  switch (dtype) {
  case DType::Float64:
    return double(value);
  case DType::Float32:
    return float(value);
  case DType::Float16:
    return float(Half(float(value)));
  default:
    return float(BFloat16(float(value)));
  }
}

Lane wrapTo(DType dtype, uint64_t bits) {
  return dispatch(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return laneOf(std::is_same_v<T, bool> ? T(bits != 0) : T(bits));
    else
      return Lane();
  });
}

//===--- integers -------------------------------------------------------------===//

namespace {

/// x ** y modulo 2 ** 64; negative powers truncate 1 / x ** -y, and are 0 at 0.
uint64_t integerPower(uint64_t x, int64_t y, bool isSigned) {
  if (isSigned && y < 0) {
    if (x == 1)
      return 1;
    if (int64_t(x) == -1)
      return y % 2 ? uint64_t(-1) : 1;
    return 0;
  }
  uint64_t result = 1;
  for (uint64_t n = uint64_t(y); n; n >>= 1) {
    if (n & 1)
      result *= x;
    x *= x;
  }
  return result;
}

uint64_t shiftLeft(Lane a, Lane b, int width, bool isSigned) {
  bool outside = (isSigned && b.i < 0) || b.u >= uint64_t(width);
  return outside ? 0 : a.u << b.u;
}

uint64_t shiftRight(Lane a, Lane b, int width, bool isSigned) {
  bool outside = (isSigned && b.i < 0) || b.u >= uint64_t(width);
  if (isSigned)
    return uint64_t(a.i >> (outside ? 63 : b.i));
  return outside ? 0 : a.u >> b.u;
}

uint64_t integerOp(ScalarOp op, Lane a, Lane b, DType dtype) {
  bool isSigned = isSignedInt(dtype);
  switch (op) {
  case ScalarOp::Add:
    return a.u + b.u;
  case ScalarOp::Sub:
    return a.u - b.u;
  case ScalarOp::Mul:
    return a.u * b.u;
  case ScalarOp::IntDiv:
    if (isSigned)
      return uint64_t(foldSize(SizeOp::FloorDiv, a.i, b.i));
    return b.u ? a.u / b.u : 0;
  case ScalarOp::Mod:
    if (isSigned)
      return uint64_t(foldSize(SizeOp::Mod, a.i, b.i));
    return b.u ? a.u % b.u : 0;
  case ScalarOp::Pow:
    return integerPower(a.u, b.i, isSigned);
  case ScalarOp::Neg:
    return -a.u;
  case ScalarOp::Abs:
    return isSigned && a.i < 0 ? -a.u : a.u;
  case ScalarOp::Sgn:
    return isSigned ? uint64_t((a.i > 0) - (a.i < 0)) : a.u != 0;
  case ScalarOp::Maximum:
    return (isSigned ? a.i > b.i : a.u > b.u) ? a.u : b.u;
  case ScalarOp::Minimum:
    return (isSigned ? a.i < b.i : a.u < b.u) ? a.u : b.u;
  case ScalarOp::And:
    return a.u & b.u;
  case ScalarOp::Or:
    return a.u | b.u;
  case ScalarOp::Xor:
    return a.u ^ b.u;
  case ScalarOp::Not:
    return isBool(dtype) ? !a.u : ~a.u;
  case ScalarOp::Shl:
    return shiftLeft(a, b, bitWidth(dtype), isSigned);
  case ScalarOp::Shr:
    return shiftRight(a, b, bitWidth(dtype), isSigned);
  default:
    break;
  }
  assert(false && "no operation of integers");
  return 0;
}

//===--- floats: exact in their format ------------------------------------------===//

/// NumPy's floor division and remainder: the quotient is (x - remainder) / y, rounded to the
/// nearest integer, since it is one but for rounding.
template <class T> T floorDivide(T x, T y) {
  if (y == 0)
    return x / y;
  T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(T(0), x / y);
  T floor = std::floor(quotient);
  return quotient - floor > T(0.5) ? floor + 1 : floor;
}

template <class T> T remainder(T x, T y) {
  T rest = std::fmod(x, y);
  if (std::isnan(rest))
    return rest;
  if (rest == 0)
    return std::copysign(T(0), y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}

/// IEEE 754-2019's maximum and minimum: NaN if one is, and +0 is greater than -0.
template <class T> T larger(T a, T b) {
  return std::isnan(a) || a > b || (a == b && std::signbit(b)) ? a : b;
}
template <class T> T smaller(T a, T b) {
  return std::isnan(a) || a < b || (a == b && std::signbit(a)) ? a : b;
}

/// T is float (for halves, too) or double.
template <class T> bool exactOp(ScalarOp op, T a, T b, T c, T &out) {
  switch (op) {
  case ScalarOp::Add:
    out = a + b;
    return true;
  case ScalarOp::Sub:
    out = a - b;
    return true;
  case ScalarOp::Mul:
    out = a * b;
    return true;
  case ScalarOp::Div:
    out = a / b;
    return true;
  case ScalarOp::IntDiv:
    out = floorDivide(a, b);
    return true;
  case ScalarOp::Mod:
    out = remainder(a, b);
    return true;
  case ScalarOp::Neg:
    out = -a;
    return true;
  case ScalarOp::Abs:
    out = std::fabs(a);
    return true;
  case ScalarOp::Sgn:
    out = a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a;
    return true;
  case ScalarOp::Sqrt:
    out = std::sqrt(a);
    return true;
  case ScalarOp::Maximum:
    out = larger(a, b);
    return true;
  case ScalarOp::Minimum:
    out = smaller(a, b);
    return true;
  case ScalarOp::Fma:
    out = std::fma(a, b, c);
    return true;
  case ScalarOp::CopySign:
    out = std::copysign(a, b);
    return true;
  case ScalarOp::Floor:
    out = std::floor(a);
    return true;
  case ScalarOp::Ceil:
    out = std::ceil(a);
    return true;
  case ScalarOp::Trunc:
    out = std::trunc(a);
    return true;
  case ScalarOp::RoundAway:
    out = std::round(a);
    return true;
  case ScalarOp::RoundEven:
    out = std::nearbyint(a);
    return true;
  default:
    return false;
  }
}

/// The next number of a half's format: its bits, read as a sign and a magnitude, count by one.
template <class H> double nextHalf(double from, double to) {
  H a{float(from)};
  if (std::isnan(from) || std::isnan(to))
    return std::numeric_limits<double>::quiet_NaN();
  if (from == to)
    return to;
  if (from == 0) {
    H least;
    least.bits = uint16_t(to < 0 ? 0x8001 : 1);
    return float(least);
  }
  a.bits = uint16_t((from < to) == (from > 0) ? a.bits + 1 : a.bits - 1);
  return float(a);
}

double nextAfter(DType dtype, double from, double to) {
  switch (dtype) {
  case DType::Float16:
    return nextHalf<Half>(from, to);
  case DType::BFloat16:
    return nextHalf<BFloat16>(from, to);
  case DType::Float32:
    return std::nextafter(float(from), float(to));
  default:
    return std::nextafter(from, to);
  }
}

//===--- floats: in a wider format ------------------------------------------------===//

template <class W> constexpr W kPi = std::numbers::pi_v<W>;

/// Maechler 2012, formula 7.
template <class W> W log1mExp(W x) {
  return x > -std::numbers::ln2_v<W> ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

/// 2x - 1 is exact near the zero at 1/2, and would lose x below 1/4.
template <class W> W logit(W x) {
  return x < W(0.25) ? std::log(x / (1 - x)) : std::log1p((2 * x - 1) / (1 - x));
}

template <class W> W softplus(W x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <class W> W sigmoid(W x) { return 1 / (1 + std::exp(-x)); }

template <class W> W logAddExp(W a, W b) {
  if (a == b) // infinities, too
    return a + std::numbers::ln2_v<W>;
  return larger(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
}

/// With x reduced to [-1, 1] exactly, so that integers give 0.
template <class W> W sinc(W x) {
  if (x == 0)
    return 1;
  W r = x - 2 * std::nearbyint(x / 2);
  W sine = std::fabs(r) > W(0.5) ? std::copysign(std::sin(kPi<W> * (1 - std::fabs(r))), r)
                                 : std::sin(kPi<W> * r);
  return std::isinf(x) ? W(0) * sine : sine / (kPi<W> * x);
}

/// x * f where f goes to 0 with x to -inf.
template <class W> W gated(W x, W f) { return x == -HUGE_VALL ? W(-0.0) : x * f; }

template <class W> W ndtr(W x) { return std::erfc(-x / std::numbers::sqrt2_v<W>) / 2; }

/// From 10 on by the asymptotic series, whose terms fall below a unit before they grow.
template <class W> W erfcx(W x) {
  if (x < 10) {
    // The square as one that is exact and the rest, since the exponential multiplies its error.
    W high = W(float(x)), low = x - high;
    return x < -200 ? W(HUGE_VALL)
                    : std::exp(high * high) * std::exp(low * (x + high)) * std::erfc(x);
  }
  W series = 1, term = 1;
  for (int odd = 1; odd < 100 && std::fabs(term) > series * std::numeric_limits<W>::epsilon() / 4;
       odd += 2)
    series += term *= -odd / (2 * x * x);
  return series / (x * std::sqrt(kPi<W>));
}

template <class W> W logNdtr(W x) {
  W scaled = x / std::numbers::sqrt2_v<W>;
  if (x < -1)
    return std::log(erfcx(-scaled) / 2) - x * x / 2;
  return std::log1p(-std::erfc(scaled) / 2);
}

template <class W> W gelu(W x) { return gated(x, ndtr(x)); }

/// 1 + tanh(u) is 2 sigmoid(2u), without cancellation.
template <class W> W geluTanh(W x) {
  W u = std::sqrt(2 / kPi<W>) * (x + W(0.044715L) * x * x * x);
  return gated(x, sigmoid(2 * u));
}

template <class W> W wideOp(ScalarOp op, W a, W b) {
  switch (op) {
  case ScalarOp::Pow:
    return std::pow(a, b);
  case ScalarOp::Rsqrt:
    return 1 / std::sqrt(a);
  case ScalarOp::Cbrt:
    return std::cbrt(a);
  case ScalarOp::Hypot:
    return std::hypot(a, b);
  case ScalarOp::Exp:
    return std::exp(a);
  case ScalarOp::Exp2:
    return std::exp2(a);
  case ScalarOp::Expm1:
    return std::expm1(a);
  case ScalarOp::Log:
    return std::log(a);
  case ScalarOp::Log2:
    return std::log2(a);
  case ScalarOp::Log10:
    return std::log10(a);
  case ScalarOp::Log1p:
    return std::log1p(a);
  case ScalarOp::Log1mExp:
    return log1mExp(a);
  case ScalarOp::Logit:
    return logit(a);
  case ScalarOp::LogAddExp:
    return logAddExp(a, b);
  case ScalarOp::Sin:
    return std::sin(a);
  case ScalarOp::Cos:
    return std::cos(a);
  case ScalarOp::Tan:
    return std::tan(a);
  case ScalarOp::ArcSin:
    return std::asin(a);
  case ScalarOp::ArcCos:
    return std::acos(a);
  case ScalarOp::ArcTan:
    return std::atan(a);
  case ScalarOp::ArcTan2:
    return std::atan2(a, b);
  case ScalarOp::Sinh:
    return std::sinh(a);
  case ScalarOp::Cosh:
    return std::cosh(a);
  case ScalarOp::Tanh:
    return std::tanh(a);
  case ScalarOp::ArcSinh:
    return std::asinh(a);
  case ScalarOp::ArcCosh:
    return std::acosh(a);
  case ScalarOp::ArcTanh:
    return std::atanh(a);
  case ScalarOp::Sinc:
    return sinc(a);
  case ScalarOp::Erf:
    return std::erf(a);
  case ScalarOp::Erfc:
    return std::erfc(a);
  case ScalarOp::Erfcx:
    return erfcx(a);
  case ScalarOp::Ndtr:
    return ndtr(a);
  case ScalarOp::LogNdtr:
    return logNdtr(a);
  case ScalarOp::Sigmoid:
    return sigmoid(a);
  case ScalarOp::Softplus:
    return softplus(a);
  case ScalarOp::Gelu:
    return gelu(a);
  case ScalarOp::GeluTanh:
    return geluTanh(a);
  case ScalarOp::Silu:
    return gated(a, sigmoid(a));
  default:
    break;
  }
  assert(false && "no operation of floats");
  return a;
}

double floatOp(ScalarOp op, DType dtype, double a, double b, double c) {
  if (op == ScalarOp::NextAfter)
    return nextAfter(dtype, a, b);
  if (dtype == DType::Float64) {
    double out;
    return exactOp(op, a, b, c, out) ? out : double(wideOp<long double>(op, a, b));
  }
  float out;
  if (exactOp(op, float(a), float(b), float(c), out))
    return roundTo(dtype, out);
  return roundTo(dtype, wideOp<double>(op, a, b));
}

//===--- comparisons ----------------------------------------------------------------===//

template <class T> bool compareAs(ScalarOp op, T a, T b) {
  switch (op) {
  case ScalarOp::Eq:
    return a == b;
  case ScalarOp::Ne:
    return a != b;
  case ScalarOp::Lt:
    return a < b;
  case ScalarOp::Le:
    return a <= b;
  case ScalarOp::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

bool test(ScalarOp op, DType dtype, Lane a, Lane b) {
  switch (op) {
  case ScalarOp::IsNan:
    return std::isnan(a.f);
  case ScalarOp::IsInf:
    return std::isinf(a.f);
  case ScalarOp::SignBit:
    return std::signbit(a.f);
  default:
    break;
  }
  if (isFloat(dtype))
    return compareAs(op, a.f, b.f);
  return isSignedInt(dtype) ? compareAs(op, a.i, b.i) : compareAs(op, a.u, b.u);
}

} // namespace

void evaluateLanes(ScalarOp op, DType operand, DType result, const Lane *a, const Lane *b,
                   const Lane *c, absl::Span<Lane> out) {
  size_t n = out.size();
  Lane none;
  none.u = 0;
  auto at = [&](const Lane *lanes, size_t k) { return lanes ? lanes[k] : none; };
  if (op == ScalarOp::Select) {
    for (size_t k = 0; k < n; ++k)
      out[k] = a[k].u ? b[k] : c[k];
  } else if (op == ScalarOp::Cast) {
    for (size_t k = 0; k < n; ++k)
      out[k] = castLane(operand, result, a[k]);
  } else if (op >= ScalarOp::Eq && op <= ScalarOp::SignBit) {
    for (size_t k = 0; k < n; ++k)
      out[k].u = test(op, operand, a[k], at(b, k));
  } else if (isFloat(result)) {
    for (size_t k = 0; k < n; ++k)
      out[k].f = floatOp(op, result, a[k].f, at(b, k).f, at(c, k).f);
  } else {
    for (size_t k = 0; k < n; ++k)
      out[k] = wrapTo(result, integerOp(op, a[k], at(b, k), result));
  }
}

} // namespace graphc
