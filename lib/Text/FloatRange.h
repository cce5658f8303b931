//===- FloatRange.h - numbers that are too large for their type ---*- C++ -*-===//
//
// MLIR rounds a decimal number that is beyond its type to infinity, in silence. What text means by
// infinity it says by bits, so such a number is a mistake.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graphc {

/// A decimal number with a point that stands in text.
struct FloatLiteral {
  /// Of the whole number; 0 for what is none.
  size_t length = 0;
  /// Infinity where it is too large for any type, 0 where too small.
  double value = 0;
};

/// The number that stands at text[at], a digit.
FloatLiteral floatLiteral(std::string_view text, size_t at);

/// The element type that follows at text[at], as in `: f32` and `: tensor<2x3xf16>`; "f64", which
/// MLIR takes where text says none, otherwise.
std::string_view elementTypeAfter(std::string_view text, size_t at);

/// What is wrong with a number of this value and spelling where it is of that type; "" if nothing.
std::string beyondRange(double value, std::string_view spelling, std::string_view type);

} // namespace graphc
