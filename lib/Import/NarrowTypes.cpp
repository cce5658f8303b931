//===- NarrowTypes.cpp - element types of 8 and 4 bits ---------------------===//
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

} // namespace

std::optional<DType> narrowStorage(int dataType) {
  if (formatOf(dataType))
    return DType::Float16;
  return dataType == kInt4    ? std::optional(DType::Int8)
         : dataType == kUInt4 ? std::optional(DType::UInt8)
                              : std::nullopt;
}

int elementsPerByte(int dataType) {
  return dataType == kInt4 || dataType == kUInt4 || dataType == kFloat4E2M1 ? 2 : 1;
}

absl::StatusOr<Tensor> decodeNarrow(int dataType, absl::Span<const uint8_t> bytes,
                                    absl::Span<const int64_t> shape) {
  absl::StatusOr<Tensor> result = Tensor::allocate(*narrowStorage(dataType), shape);
  if (!result.ok())
    return result;
  std::optional<Format> format = formatOf(dataType);
  const bool isPacked = elementsPerByte(dataType) == 2;
  dispatch(result->dtype(), [&](auto zero) {
    using T = decltype(zero);
    absl::Span<T> elements = result->mutableFlat<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      // The first of two stands in the lower bits.
      int code = isPacked ? bytes[i / 2] >> (i % 2 * 4) & 15 : bytes[i];
      if constexpr (std::is_same_v<T, Half>)
        elements[i] = Half(float(format->value(code)));
      else
        elements[i] = T(dataType == kInt4 && code >= 8 ? code - 16 : code);
    }
  });
  return result;
}

Variable narrowed(OnnxNode &n, const Variable &x, int dataType, bool saturate) {
  if (std::optional<Format> format = formatOf(dataType))
    return rounded(n, x, *format, saturate);
  DType storage = *narrowStorage(dataType);
  Variable whole = cast(n.at(x), storage);
  Variable low = bitwiseAnd(n.at(whole), n.scalar(15, storage));
  if (dataType == kUInt4)
    return low;
  Variable eight = n.scalar(8, storage);
  return sub(n.at(bitwiseXor(n.at(low), eight)), eight);
}

std::pair<double, double> narrowRange(int dataType) {
  return dataType == kInt4 ? std::pair(-8.0, 7.0) : std::pair(0.0, 15.0);
}

bool movesNarrow(std::string_view op) {
  static constexpr std::string_view kMove[] = {"Flatten", "Identity",  "Pad",      "Reshape",
                                               "Squeeze", "Transpose", "Unsqueeze"};
  return std::ranges::count(kMove, op) > 0;
}

bool takesNarrow(std::string_view op) {
  static constexpr std::string_view kTake[] = {"Cast", "CastLike", "DequantizeLinear",
                                               "If",   "Loop",     "QuantizeLinear",
                                               "Scan", "Shape",    "Size"};
  return movesNarrow(op) || std::ranges::count(kTake, op) > 0;
}

} // namespace graphc
