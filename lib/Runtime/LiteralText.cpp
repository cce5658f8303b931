//===- LiteralText.cpp ----------------------------------------------------===//
#include "Runtime/LiteralText.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "Runtime/FloatText.h"
#include "absl/strings/str_format.h"

namespace graphc {
namespace {

double floatOfBits(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::Float16: {
    Half half;
    half.bits = uint16_t(bits);
    return float(half);
  }
  case DType::BFloat16: {
    BFloat16 half;
    half.bits = uint16_t(bits);
    return float(half);
  }
  case DType::Float32:
    return std::bit_cast<float>(uint32_t(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

template <class T> std::optional<T> parseWhole(std::string_view text, int base) {
  T value;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<uint64_t> parseFloat(DType dtype, std::string_view text) {
  uint64_t infinity = bitsOfFloat(dtype, HUGE_VAL), sign = uint64_t(1) << (bitWidth(dtype) - 1);
  if (text == "nan")
    return bitsOfFloat(dtype, std::numeric_limits<double>::quiet_NaN());
  if (text == "inf" || text == "-inf")
    return text[0] == '-' ? infinity | sign : infinity;
  if (text.find_first_of("0123456789") > 1) // "-infinity", "nan(7)"
    return std::nullopt;
  auto parse = [&](auto value) -> std::optional<uint64_t> {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      return std::nullopt;
    uint64_t bits = bitsOfFloat(dtype, double(value));
    return (bits & ~sign) == infinity ? std::optional<uint64_t>() : bits;
  };
  return dtype == DType::Float32 ? parse(0.0f) : parse(0.0);
}

} // namespace

uint64_t bitsOfFloat(DType dtype, double value) {
  switch (dtype) {
  case DType::Float16:
    return Half(float(value)).bits;
  case DType::BFloat16:
    return BFloat16(float(value)).bits;
  case DType::Float32:
    return std::bit_cast<uint32_t>(float(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

std::string literalText(DType dtype, uint64_t bits) {
  if (isBool(dtype))
    return bits ? "true" : "false";
  if (isUnsignedInt(dtype))
    return std::to_string(bits);
  if (isInteger(dtype)) {
    int unused = 64 - bitWidth(dtype);
    return std::to_string(int64_t(bits << unused) >> unused);
  }
  double value = floatOfBits(dtype, bits);
  std::string text = std::isnan(value)   ? "nan"
                     : std::isinf(value) ? (value < 0 ? "-inf" : "inf")
                                         : shortestText({value, dtype}, ".0");
  if (parseLiteral(dtype, text) == bits)
    return text;
  return absl::StrFormat("0x%0*x", bitWidth(dtype) / 4, bits);
}

std::optional<uint64_t> parseLiteral(DType dtype, std::string_view text) {
  uint64_t mask = ~uint64_t(0) >> (64 - bitWidth(dtype));
  if (isBool(dtype))
    return text == "true"    ? std::optional<uint64_t>(1)
           : text == "false" ? std::optional<uint64_t>(0)
                             : std::nullopt;
  if (isFloat(dtype)) {
    if (text.substr(0, 2) != "0x")
      return parseFloat(dtype, text);
    std::optional<uint64_t> bits = parseWhole<uint64_t>(text.substr(2), 16);
    return bits && *bits <= mask ? bits : std::nullopt;
  }
  if (isUnsignedInt(dtype)) {
    std::optional<uint64_t> value = parseWhole<uint64_t>(text, 10);
    return value && *value <= mask ? value : std::nullopt;
  }
  std::optional<int64_t> value = parseWhole<int64_t>(text, 10);
  int unused = 64 - bitWidth(dtype);
  if (!value || int64_t(uint64_t(*value) << unused) >> unused != *value)
    return std::nullopt;
  return uint64_t(*value) & mask;
}

} // namespace graphc
