//===- Routines/SortKey.h - elements as unsigned numbers in their order -*- C++ -*-===//
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "Runtime/Element.h"

namespace graphc {

template <size_t kBytes>
using UnsignedOf = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
template <class T> using SortKey = UnsignedOf<sizeof(Stored<T>)>;

/// A number that is less where the element is: all NaNs are one, the greatest, and -0 is 0.
template <class T> SortKey<T> sortKey(Stored<T> value) {
  using Key = SortKey<T>;
  constexpr Key kSign = Key(Key(1) << (8 * sizeof(Key) - 1));
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? Key(Key(value) ^ kSign) : Key(value);
  } else {
    auto number = loadElement<T>(value);
    if (number != number)
      return std::numeric_limits<Key>::max();
    if (number == 0)
      return kSign;
    Key bits = std::bit_cast<Key>(value);
    return bits & kSign ? Key(~bits) : Key(bits | kSign);
  }
}

/// An element that has the key: the other zero and other NaNs have the same one.
template <class T> Stored<T> elementOfKey(SortKey<T> key) {
  using Key = SortKey<T>;
  constexpr Key kSign = Key(Key(1) << (8 * sizeof(Key) - 1));
  if constexpr (std::is_same_v<T, bool>)
    return Stored<T>(key);
  else if constexpr (std::is_integral_v<T>)
    return Stored<T>(std::is_signed_v<T> ? Key(key ^ kSign) : key);
  else
    return std::bit_cast<Stored<T>>(key & kSign ? Key(key ^ kSign) : Key(~key));
}

/// The keys that several elements have: zero's and NaN's.
template <class T> std::array<SortKey<T>, 2> sharedKeys() {
  using Key = SortKey<T>;
  return {Key(Key(1) << (8 * sizeof(Key) - 1)), std::numeric_limits<Key>::max()};
}

} // namespace graphc
