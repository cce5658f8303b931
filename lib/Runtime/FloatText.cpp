//===- Runtime/FloatText.cpp - decimal digits of floats -------------------===//
#include "Runtime/FloatText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "Runtime/NarrowFloat.h"

namespace graphc {
namespace {

/// |x| = 0.d1 d2 d3... * 10^(exponent + 1); no trailing zeros but for zero itself, "0".
struct Digits {
  std::string digits;
  int exponent = 0;
};

/// Reads the output of to_chars in scientific format: "1.25e-07".
Digits parseScientific(const char *begin, const char *end) {
  Digits result;
  const char *e = std::find(begin, end, 'e');
  result.digits.assign(begin, std::find(begin, e, '.'));
  if (e - begin > 2)
    result.digits.append(begin + 2, e);
  result.digits.erase(std::max<size_t>(result.digits.find_last_not_of('0') + 1, 1));
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, result.exponent);
  return result;
}

/// |x| rounded to nearest even, with `precision` digits after the first.
Digits roundedDigits(double magnitude, int precision) {
  char buffer[800]; // a double has at most 767 significant digits; to_chars pads with zeros
  precision = std::min(precision, 770);
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), magnitude,
                                    std::chars_format::scientific, precision);
  return parseScientific(buffer, end);
}

template <class T> Digits shortestByLibrary(T magnitude) {
  char buffer[64];
  auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), magnitude, std::chars_format::scientific);
  return parseScientific(buffer, end);
}

/// For the 16-bit floats, which the library does not know: more and more digits until the number
/// reads back. Beside the nearest decimal the next above is tried, since above a power of two the
/// interval of what reads back reaches twice as far as below.
template <class Format> Digits shortestBySearch(double magnitude) {
  uint16_t bits = narrowFloat<Format>(magnitude);
  for (int precision = 0;; ++precision) {
    Digits nearest = roundedDigits(magnitude, precision);
    int scale = nearest.exponent - precision;
    nearest.digits.resize(size_t(precision) + 1, '0');
    int whole = std::atoi(nearest.digits.c_str());
    for (int candidate : {whole, whole + 1}) {
      std::string text = std::to_string(candidate) + "e" + std::to_string(scale);
      double back = 0;
      std::from_chars(text.data(), text.data() + text.size(), back);
      // The exact value reads back at the latest with all its digits, so the loop ends.
      if (narrowFloat<Format>(back) == bits)
        return shortestByLibrary(back);
    }
  }
}

Digits shortestDigits(FloatValue x) {
  double magnitude = std::fabs(x.value);
  switch (x.dtype) {
  case DType::Float16:
    return shortestBySearch<HalfFormat>(magnitude);
  case DType::BFloat16:
    return shortestBySearch<BFloat16Format>(magnitude);
  case DType::Float32:
    return shortestByLibrary(float(magnitude));
  default:
    return shortestByLibrary(magnitude);
  }
}

const char *signText(FloatValue x) { return std::signbit(x.value) ? "-" : ""; }

} // namespace

DecimalParts positionalParts(FloatValue x, int precision) {
  Digits shortest = shortestDigits(x);
  int count = int(shortest.digits.size());
  if (precision >= 0 && count - 1 - shortest.exponent > precision) {
    // More digits after the point than wanted. At most one digit remains of a value below the
    // last place, and rounding may bring it up to a digit further left: to_chars sees to both.
    std::string buffer(size_t(precision) + 330, '\0');
    auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                      std::fabs(x.value), std::chars_format::fixed, precision);
    buffer.resize(size_t(end - buffer.data()));
    size_t point = std::min(buffer.find('.'), buffer.size());
    DecimalParts parts{signText(x) + buffer.substr(0, point), {}, 0};
    if (point < buffer.size())
      parts.fraction = buffer.substr(point + 1);
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
    return parts;
  }
  DecimalParts parts{signText(x), {}, 0};
  if (shortest.exponent < 0) {
    parts.integer += '0';
    parts.fraction = std::string(size_t(-shortest.exponent - 1), '0') + shortest.digits;
  } else {
    size_t whole = size_t(shortest.exponent) + 1;
    if (shortest.digits.size() < whole)
      shortest.digits.resize(whole, '0');
    parts.integer += shortest.digits.substr(0, whole);
    parts.fraction = shortest.digits.substr(whole);
  }
  return parts;
}

DecimalParts scientificParts(FloatValue x, int precision, int minFraction) {
  Digits digits = shortestDigits(x);
  int fraction = int(digits.digits.size()) - 1;
  if (precision >= 0 && fraction > precision)
    digits = roundedDigits(std::fabs(x.value), precision);
  else if (fraction < minFraction)
    digits = roundedDigits(std::fabs(x.value), minFraction);
  return {signText(x) + digits.digits.substr(0, 1), digits.digits.substr(1), digits.exponent};
}

std::string exponentText(int exponent, int minDigits) {
  std::string digits = std::to_string(std::abs(exponent));
  if (int(digits.size()) < minDigits)
    digits.insert(0, size_t(minDigits) - digits.size(), '0');
  return (exponent < 0 ? "e-" : "e+") + digits;
}

std::string shortestText(FloatValue x, const char *wholeSuffix) {
  if (std::isnan(x.value))
    return "nan";
  if (std::isinf(x.value))
    return x.value < 0 ? "-inf" : "inf";
  double magnitude = std::fabs(x.value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    DecimalParts parts = positionalParts(x);
    return parts.integer + (parts.fraction.empty() ? wholeSuffix : "." + parts.fraction);
  }
  DecimalParts parts = scientificParts(x);
  return parts.integer + (parts.fraction.empty() ? "" : "." + parts.fraction) +
         exponentText(parts.exponent);
}

} // namespace graphc
