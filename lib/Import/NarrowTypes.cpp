//===- NarrowTypes.cpp - element types of 8, 4 and 2 bits ------------------===//
#include "Import/NarrowTypes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphc/Sorting.h"

namespace graphc {
namespace {

// Numbers in newer versions of ONNX's message than the one that is compiled in.
enum NarrowType {
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUInt4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUInt2 = 25,
  kInt2 = 26,
};

/// A sign, exponent bits and mantissa bits. `unsignedZero`: the code of -0 is NaN, the only one.
/// `infinity`: the greatest exponent is that of infinity and NaN, as IEEE 754 has it; otherwise its
/// numbers are finite, but for the greatest code, which is NaN, if there is one.
struct Format {
  int exponentBits, mantissaBits, bias;
  bool unsignedZero = false, infinity = false, hasNaN = true;

  int bits() const { return 1 + exponentBits + mantissaBits; }
  /// How many codes without the sign stand for finite numbers.
  int finiteCodes() const {
    int all = 1 << (bits() - 1);
    return infinity ? all - (1 << mantissaBits) : all - (hasNaN && !unsignedZero);
  }
  double finite(int code) const {
    int exponent = code >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    int implied = exponent == 0 ? 0 : 1 << mantissaBits;
    return std::ldexp(implied + mantissa, std::max(exponent, 1) - bias - mantissaBits);
  }
  double value(int code) const {
    int sign = 1 << (bits() - 1), magnitude = code & (sign - 1);
    double result = std::numeric_limits<double>::quiet_NaN();
    if (magnitude < finiteCodes() && !(unsignedZero && code == sign))
      result = finite(magnitude);
    else if (infinity && (magnitude & ((1 << mantissaBits) - 1)) == 0)
      result = std::numeric_limits<double>::infinity();
    return code & sign ? -result : result;
  }
};

std::optional<Format> formatOf(int dataType) {
  switch (dataType) {
  case kFloat8E4M3FN:
    return Format{4, 3, 7};
  case kFloat8E4M3FNUZ:
    return Format{4, 3, 8, /*unsignedZero=*/true};
  case kFloat8E5M2:
    return Format{5, 2, 15, false, /*infinity=*/true};
  case kFloat8E5M2FNUZ:
    return Format{5, 2, 16, /*unsignedZero=*/true};
  case kFloat4E2M1:
    return Format{2, 1, 1, false, false, /*hasNaN=*/false};
  default:
    return std::nullopt;
  }
}

/// The code is the number of bounds that are not above the magnitude: between two codes, their
/// middle, or the next number where the middle belongs to the lower one, whose code is even.
Variable rounded(OnnxNode &n, const Variable &x, const Format &format, bool saturate) {
  const double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::nan("");
  std::vector<double> values, bounds;
  for (int code = 0; code < format.finiteCodes(); ++code) {
    values.push_back(format.finite(code));
    double above = format.finite(code + 1), middle = (values.back() + above) / 2;
    bounds.push_back(code % 2 == 0 ? std::nextafter(middle, kInfinity) : middle);
  }
  bool cutOff = saturate || !format.hasNaN;
  values.push_back(cutOff ? values.back() : format.infinity ? kInfinity : kNaN);
  Variable wide = cast(n.at(x), DType::Float64);
  Variable code = searchsorted(n.at(n.vector(bounds)), abs(n.at(wide)), {.right = true});
  Variable magnitude = take(n.at(n.vector(values)), code);
  Variable result = copysign(n.at(magnitude), wide);
  if (format.unsignedZero)
    result = where(n.at(eq(n.at(magnitude), 0)), n.scalar(0, DType::Float64), result);
  if (format.hasNaN)
    result = where(n.at(isnan(n.at(wide))), n.scalar(kNaN, DType::Float64), result);
  return cast(n.at(result), DType::Float16);
}

/// FLOAT8E8M0: code k is 2^(k - 127), the last one NaN.
constexpr int kPowers = 255, kPowerOfOne = 127;

std::vector<double> powers(double factor = 1) {
  std::vector<double> list;
  for (int code = 0; code < kPowers; ++code)
    list.push_back(std::ldexp(factor, code - kPowerOfOne));
  return list;
}

/// The code is the number of bounds that are not above x, or that are below it.
Variable roundedToPowers(OnnxNode &n, const Variable &x, bool saturate) {
  const std::string mode = n.getString("round_mode", "up");
  const bool isNearest = mode == "nearest", isDown = mode == "down";
  if (!isNearest && !isDown && mode != "up")
    return n.fail(ErrorKind::ValueError, "attribute round_mode is '" + mode + "'");
  std::vector<double> values = powers();
  const double least = values.front(), kNaN = std::nan("");
  values.push_back(saturate ? values.back() : kNaN);
  Variable wide = cast(x, DType::Float64), none = n.scalar(kNaN, DType::Float64);
  // Halfway is 1.5 times the lower one.
  Variable code =
      searchsorted(n.vector(powers(isNearest ? 1.5 : 1)), wide, {.right = isNearest || isDown});
  if (isDown)
    code = where(ge(wide, std::ldexp(1.0, kPowers - kPowerOfOne)), int64_t(kPowers),
                 maximum(code - 1, 0));
  Variable result = take(n.vector(values), code);
  if (!saturate)
    result = where(lt(wide, least), none, result);
  return cast(where(isnan(wide), none, result), DType::Float32);
}

/// INT4 and the like: bits, and whether there is a sign.
struct WholeNumbers {
  int bits;
  bool isSigned;
};

std::optional<WholeNumbers> wholeNumbersOf(int dataType) {
  switch (dataType) {
  case kUInt4:
  case kInt4:
    return WholeNumbers{4, dataType == kInt4};
  case kUInt2:
  case kInt2:
    return WholeNumbers{2, dataType == kInt2};
  default:
    return std::nullopt;
  }
}

double valueOf(int dataType, int code) {
  if (std::optional<Format> format = formatOf(dataType))
    return format->value(code);
  if (dataType == kFloat8E8M0)
    return code == kPowers ? std::nan("") : std::ldexp(1.0, code - kPowerOfOne);
  std::optional<WholeNumbers> whole = wholeNumbersOf(dataType);
  return whole->isSigned && code >> (whole->bits - 1) ? code - (1 << whole->bits) : code;
}

} // namespace

std::optional<DType> narrowStorage(int dataType) {
  if (formatOf(dataType))
    return DType::Float16;
  if (dataType == kFloat8E8M0)
    return DType::Float32;
  std::optional<WholeNumbers> whole = wholeNumbersOf(dataType);
  return whole ? std::optional(whole->isSigned ? DType::Int8 : DType::UInt8) : std::nullopt;
}

int narrowBits(int dataType) {
  if (std::optional<Format> format = formatOf(dataType))
    return format->bits();
  return dataType == kFloat8E8M0 ? 8 : wholeNumbersOf(dataType)->bits;
}

absl::StatusOr<Tensor> decodeNarrow(int dataType, absl::Span<const uint8_t> bytes,
                                    absl::Span<const int64_t> shape) {
  absl::StatusOr<Tensor> result = Tensor::allocate(*narrowStorage(dataType), shape);
  if (!result.ok())
    return result;
  const int bits = narrowBits(dataType), perByte = 8 / bits;
  dispatch(result->dtype(), [&](auto zero) {
    using T = decltype(zero);
    absl::Span<T> elements = result->mutableFlat<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      // The first of several stands in the lowest bits.
      int shift = int(i % size_t(perByte)) * bits;
      int code = bytes[i / size_t(perByte)] >> shift & ((1 << bits) - 1);
      if constexpr (std::is_same_v<T, Half>)
        elements[i] = Half(float(valueOf(dataType, code)));
      else
        elements[i] = T(valueOf(dataType, code));
    }
  });
  return result;
}

Variable narrowed(OnnxNode &n, const Variable &x, int dataType, bool saturate) {
  if (std::optional<Format> format = formatOf(dataType))
    return rounded(n, x, *format, saturate);
  if (dataType == kFloat8E8M0)
    return roundedToPowers(n, x, saturate);
  return ofNarrowCodes(n, cast(x, *narrowStorage(dataType)), dataType);
}

Variable narrowCodes(OnnxNode &n, const Variable &x, int dataType) {
  const int bits = narrowBits(dataType);
  if (wholeNumbersOf(dataType))
    return bitwiseAnd(cast(x, DType::Int64), (1 << bits) - 1);
  Variable wide = cast(x, DType::Float64);
  if (dataType == kFloat8E8M0) // NaN is behind all numbers
    return searchsorted(n.vector(powers()), wide);
  const Format format = *formatOf(dataType);
  const int sign = 1 << (bits - 1);
  std::vector<double> values;
  for (int code = 0; code < format.finiteCodes(); ++code)
    values.push_back(format.finite(code));
  Variable code = searchsorted(n.vector(values), abs(wide)); // behind all: infinity, or NaN
  code = code + where(signbit(wide), int64_t(sign), int64_t(0));
  if (format.unsignedZero)
    return where(isnan(wide), int64_t(sign), where(eq(wide, 0.0), int64_t(0), code));
  return format.infinity ? code + cast(isnan(wide), DType::Int64) : code;
}

/// Of integers, only the lowest bits count.
Variable ofNarrowCodes(OnnxNode &n, const Variable &codes, int dataType) {
  const int bits = narrowBits(dataType);
  if (std::optional<WholeNumbers> whole = wholeNumbersOf(dataType)) {
    const DType storage = *narrowStorage(dataType);
    Variable low = bitwiseAnd(cast(codes, storage), n.scalar((1 << bits) - 1, storage));
    if (!whole->isSigned)
      return low;
    Variable half = n.scalar(1 << (bits - 1), storage);
    return sub(bitwiseXor(low, half), half);
  }
  std::vector<double> values;
  for (int code = 0; code < 1 << bits; ++code)
    values.push_back(valueOf(dataType, code));
  return take(n.vector(values, narrowStorage(dataType)), codes);
}

std::pair<double, double> narrowRange(int dataType) {
  WholeNumbers whole = *wholeNumbersOf(dataType);
  double count = 1 << whole.bits;
  return whole.isSigned ? std::pair(-count / 2, count / 2 - 1) : std::pair(0.0, count - 1);
}

bool movesNarrow(std::string_view op) {
  static constexpr std::string_view kMove[] = {"Flatten", "Identity",  "Pad",      "Reshape",
                                               "Squeeze", "Transpose", "Unsqueeze"};
  return std::ranges::count(kMove, op) > 0;
}

bool takesNarrow(std::string_view op) {
  static constexpr std::string_view kTake[] = {
      "BitCast", "Cast",  "CastLike", "DequantizeLinear", "If", "Loop", "QuantizeLinear",
      "Scan",    "Shape", "Size"};
  return movesNarrow(op) || std::ranges::count(kTake, op) > 0;
}

} // namespace graphc
