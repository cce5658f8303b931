//===- Runtime/Element.h - elements in memory and their casts ---*- C++ -*-===//
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "Runtime/NarrowFloat.h"
#include "graphc/DType.h"

namespace graphc {

/// How a T lies in memory. Reading a byte that is neither 0 nor 1 as a bool is undefined, and a
/// borrowed bool array may hold one: it counts as true.
template <class T> using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// The value as a C++ number: halves as float, bools as 0 or 1.
template <class T> auto loadElement(Stored<T> value) {
  if constexpr (std::is_same_v<T, Half>)
    return widenFloat<HalfFormat>(value.bits);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return widenFloat<BFloat16Format>(value.bits);
  else if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return value;
}

/// An integer as a double such that rounding it on to fewer than 52 bits rounds once: where bits
/// are lost the last one kept is made odd (Boldo and Melquiond, "When double rounding is odd",
/// 2005).
template <class I> double toDoubleRoundToOdd(I value) {
  double result = double(value);
  if constexpr (sizeof(I) == 8) {
    // Comparing in 128 bits, since 2^64 is no uint64.
    __int128 back = __int128(result);
    if (back != __int128(value)) {
      uint64_t bits = std::bit_cast<uint64_t>(result);
      bool awayFromZero = (back > __int128(value)) == (value > 0);
      bits -= awayFromZero; // now truncated
      return std::bit_cast<double>(bits | 1);
    }
  }
  return result;
}

/// F-046: float to integer truncates and saturates, NaN is 0; integer to integer wraps; to bool
/// is != 0; to a narrower float rounds once to nearest even.
template <class To, class From> Stored<To> castElement(Stored<From> stored) {
  auto value = loadElement<From>(stored);
  using V = decltype(value);
  if constexpr (std::is_same_v<To, From> && !std::is_same_v<To, bool>) {
    return stored;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (kIsHalf<To>) {
    using Format = std::conditional_t<std::is_same_v<To, Half>, HalfFormat, BFloat16Format>;
    To result;
    if constexpr (std::is_floating_point_v<V>)
      result.bits = narrowFloat<Format>(value);
    else
      result.bits = narrowFloat<Format>(toDoubleRoundToOdd(value));
    return result;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<V>) {
    // Both limits are powers of two, so they are exact as V; float holds all but the halves'.
    constexpr V kEnd = V(2) * V(uint64_t(std::numeric_limits<To>::max() / 2 + 1));
    constexpr V kBegin = std::is_signed_v<To> ? -kEnd : V(0);
    if (value >= kEnd)
      return std::numeric_limits<To>::max();
    if (value <= kBegin)
      return std::numeric_limits<To>::min();
    return value == value ? To(value) : To(0);
  } else {
    return Stored<To>(value);
  }
}

} // namespace graphc
