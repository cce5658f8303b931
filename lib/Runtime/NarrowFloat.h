//===- Runtime/NarrowFloat.h - 16-bit floats to and from wider ones -------*- C++ -*-===//
//
// IEEE 754-2019 section 7.4's conversions in integer arithmetic: rounding once, to nearest even,
// whatever the rounding mode and the processor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace graphc {

/// Shape of a 16-bit float: one sign bit, the rest exponent and fraction.
struct HalfFormat {
  static constexpr int kFractionBits = 10;
  static constexpr int kBias = 15;
};
struct BFloat16Format {
  static constexpr int kFractionBits = 7;
  static constexpr int kBias = 127;
};

/// The bits of `value` (float or double) rounded to nearest even; NaNs stay NaNs, quiet, with
/// the upper bits of their payload.
template <class To, class F> uint16_t narrowFloat(F value) {
  static_assert(std::is_same_v<F, float> || std::is_same_v<F, double>);
  using Bits = std::conditional_t<std::is_same_v<F, float>, uint32_t, uint64_t>;
  constexpr int kWidth = 8 * sizeof(Bits);
  constexpr int kFraction = std::is_same_v<F, float> ? 23 : 52;
  constexpr int kBias = std::is_same_v<F, float> ? 127 : 1023;
  constexpr int kDropped = kFraction - To::kFractionBits;
  constexpr Bits kImplicit = Bits(1) << kFraction;
  constexpr Bits kInf = (~Bits(0) >> 1) & ~(kImplicit - 1);
  constexpr Bits kToInf = 0x7fff & ~((1 << To::kFractionBits) - 1);
  constexpr int kRebias = kBias - To::kBias;

  Bits bits = std::bit_cast<Bits>(value);
  uint16_t sign = uint16_t(bits >> (kWidth - 16)) & 0x8000;
  Bits magnitude = bits & ~(Bits(1) << (kWidth - 1));
  // Rounds away the lowest `shift` bits; a carry out of the fraction moves the exponent up, as
  // it should.
  auto roundedShift = [](Bits x, int shift) {
    return (x + (Bits(1) << (shift - 1)) - 1 + ((x >> shift) & 1)) >> shift;
  };

  if (magnitude > kInf)
    return uint16_t(sign | kToInf | (Bits(1) << (To::kFractionBits - 1)) |
                    ((magnitude >> kDropped) & ((Bits(1) << To::kFractionBits) - 1)));
  // Normal in the result. With an equal bias subnormals, too, keep their place.
  if (kRebias == 0 || magnitude >= (Bits(kRebias + 1) << kFraction)) {
    Bits rounded = roundedShift(magnitude - (Bits(kRebias) << kFraction), kDropped);
    return uint16_t(sign | (rounded > kToInf ? kToInf : rounded));
  }
  // Subnormal in the result: the implicit bit becomes an explicit one, further down.
  int shift = kDropped + kRebias + 1 - int(magnitude >> kFraction);
  if (shift > kFraction + 1)
    return sign; // below half of the smallest subnormal
  return uint16_t(sign | roundedShift((magnitude & (kImplicit - 1)) | kImplicit, shift));
}

/// Exact.
template <class From> float widenFloat(uint16_t bits) {
  constexpr int kGained = 23 - From::kFractionBits;
  constexpr uint32_t kRebias = uint32_t(127 - From::kBias) << 23;
  constexpr uint32_t kFromInf = 0x7fff & ~((1u << From::kFractionBits) - 1);
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (kRebias == 0 || magnitude >= kFromInf) // infinities and NaNs keep an exponent of all ones
    return std::bit_cast<float>(sign | magnitude << kGained | (kRebias ? 0x7f800000u : 0));
  if (magnitude >= 1u << From::kFractionBits)
    return std::bit_cast<float>(sign | ((magnitude << kGained) + kRebias));
  // Subnormal: the fraction, an exact float, times the smallest subnormal, a power of two.
  constexpr float kUnit =
      std::bit_cast<float>(uint32_t(127 + 1 - From::kBias - From::kFractionBits) << 23);
  float value = float(magnitude) * kUnit;
  return sign ? -value : value;
}

} // namespace graphc
