//===- Runtime/FloatText.h - decimal digits of floats -----------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/DType.h"

namespace graphc {

/// An element of a float tensor. Every float dtype is a subset of double, so `value` is exact;
/// `dtype` says which neighbours it must be told from.
struct FloatValue {
  double value = 0;
  DType dtype = DType::Float64;
};

/// A finite number as text, in pieces: "-12" "5" for -12.5, "1" "25" and exponent -7 for 1.25e-07.
struct DecimalParts {
  std::string integer;
  std::string fraction;
  int exponent = 0;
};

/// The fewest digits that read back to the same value of the dtype, of those the closest; but at
/// most `precision` (if not negative) after the point, the value then rounded to nearest even.
/// No trailing zeros after the point.
DecimalParts positionalParts(FloatValue x, int precision = -1);
/// The same with one digit before the point and a power of ten. Where that has fewer than
/// `minFraction` digits after the point, the exact value is rounded to `minFraction`: for the
/// float16 nearest to 0.1, "1" becomes "9" "998" (e-02).
DecimalParts scientificParts(FloatValue x, int precision = -1, int minFraction = 0);

/// "e+05", "e-123": the sign and at least `minDigits` digits.
std::string exponentText(int exponent, int minDigits = 2);

/// Shortest text of any value: positional from 1e-4 to 1e16, else scientific. Whole numbers end in
/// `wholeSuffix` where positional: ".0" as NumPy's scalars, "" as numbers of the command line.
std::string shortestText(FloatValue x, const char *wholeSuffix);

} // namespace graphc
