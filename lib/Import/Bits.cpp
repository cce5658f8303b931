//===- Bits.cpp - BitCast ------------------------------------------------------===//
//
// Bits of floats are computed: sign, exponent (the number of powers of 2 that are not above the
// magnitude) and fraction, in float64, where all three are exact. Of several NaNs one is meant.
//
//===----------------------------------------------------------------------===//
#include <cmath>
#include <limits>

#include "Import/NarrowTypes.h"
#include "Import/TensorReader.h"
#include "Import/Translations.h"
#include "graphc/Sorting.h"

namespace graphc {
namespace {

/// IEEE 754's formats: the greatest exponent is that of infinity and NaN.
struct Binary {
  int exponentBits, fractionBits;

  int bits() const { return 1 + exponentBits + fractionBits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int64_t exponents() const { return int64_t(1) << exponentBits; }
  int64_t one() const { return int64_t(1) << fractionBits; }
  /// What a fraction counts at this exponent: 2 to this.
  int unit(int exponent) const { return std::max(exponent, 1) - bias() - fractionBits; }
};

Binary binaryOf(DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return {5, 10};
  case DType::BFloat16:
    return {8, 7};
  case DType::Float32:
    return {8, 23};
  default:
    return {11, 52};
  }
}

/// x times 2^(sign * unit of its exponent), in two steps: 2^1074 is no number.
Variable scaled(OnnxNode &n, const Variable &x, const Variable &exponent, const Binary &b,
                int sign) {
  std::vector<double> first, second;
  for (int e = 0; e < b.exponents(); ++e) {
    int power = sign * b.unit(e), half = power / 2;
    first.push_back(std::ldexp(1.0, half));
    second.push_back(std::ldexp(1.0, power - half));
  }
  return x * take(n.vector(first), exponent) * take(n.vector(second), exponent);
}

Variable codesOfFloats(OnnxNode &n, const Variable &x) {
  const Binary b = binaryOf(x.dtype());
  std::vector<double> powers;
  for (int e = 1; e + 1 < b.exponents(); ++e)
    powers.push_back(std::ldexp(1.0, e - b.bias()));
  powers.push_back(std::numeric_limits<double>::infinity());
  Variable magnitude = abs(cast(x, DType::Float64));
  Variable exponent = searchsorted(n.vector(powers), magnitude, {.right = true});
  exponent = minimum(exponent, b.exponents() - 1); // NaN
  Variable isFinite = lt(exponent, b.exponents() - 1);
  Variable plain = where(isFinite, magnitude, 0.0);
  Variable fraction = cast(scaled(n, plain, exponent, b, -1), DType::Int64);
  fraction = fraction - where(gt(exponent, 0), b.one(), int64_t(0));
  Variable rest = where(isnan(x), b.one() / 2, int64_t(0));
  Variable sign = n.adopt(Tensor(int64_t(uint64_t(1) << (b.bits() - 1))));
  return where(signbit(x), sign, int64_t(0)) + exponent * b.one() + where(isFinite, fraction, rest);
}

Variable floatsOfCodes(OnnxNode &n, const Variable &codes, DType dtype) {
  const Binary b = binaryOf(dtype);
  Variable exponent = bitwiseAnd(rightShift(codes, int64_t(b.fractionBits)), b.exponents() - 1);
  Variable fraction = bitwiseAnd(codes, b.one() - 1);
  Variable whole = fraction + where(gt(exponent, 0), b.one(), int64_t(0));
  Variable value = scaled(n, cast(whole, DType::Float64), exponent, b, 1);
  Variable beyond = where(eq(fraction, 0), n.scalar(HUGE_VAL, DType::Float64),
                          n.scalar(std::nan(""), DType::Float64));
  value = where(eq(exponent, b.exponents() - 1), beyond, value);
  Variable isNegative = neq(bitwiseAnd(rightShift(codes, int64_t(b.bits() - 1)), 1), 0);
  return cast(where(isNegative, neg(value), value), dtype);
}

int bitsOf(DType dtype, int narrow) {
  return narrow ? narrowBits(narrow) : int(byteSize(dtype)) * 8;
}

/// As int64: from 0 on, but for those of 64 bits.
Variable codesOf(OnnxNode &n, const Variable &x, int narrow) {
  if (narrow)
    return narrowCodes(n, x, narrow);
  if (isFloat(x.dtype()))
    return codesOfFloats(n, x);
  Variable wide = cast(x, DType::Int64);
  const int bits = bitsOf(x.dtype(), 0);
  return bits == 64 ? wide : bitwiseAnd(wide, (int64_t(1) << bits) - 1);
}

Variables bitCast(OnnxNode &n) {
  Variable x = n.in(0);
  const int to = n.requireInt("to"), narrow = isNarrow(to) ? to : 0, own = n.narrowType(0);
  std::optional<DType> dtype = narrow ? narrowStorage(to) : n.getDType("to");
  if (!n.status().ok() || !dtype)
    return {};
  if (isComplex(x.dtype()))
    return {n.unsupported("bits of " + std::string(dtypeName(x.dtype())))};
  const int from = bitsOf(x.dtype(), own), wanted = bitsOf(*dtype, narrow);
  if (from != wanted)
    return {n.fail(ErrorKind::ValueError, "elements of " + std::to_string(from) +
                                              " bits as elements of " + std::to_string(wanted))};
  if (narrow)
    n.giveNarrow(0, narrow);
  if (narrow == own && *dtype == x.dtype())
    return {x};
  Variable codes = codesOf(n, x, own);
  if (narrow)
    return {ofNarrowCodes(n, codes, narrow)};
  return {isFloat(*dtype) ? floatsOfCodes(n, codes, *dtype) : cast(codes, *dtype)};
}

} // namespace

absl::Span<const Translation> bitTranslations() {
  static constexpr Translation kTable[] = {
      {"BitCast", bitCast, 26, "no strings and complex numbers; NaNs are one NaN"}};
  return kTable;
}

} // namespace graphc
