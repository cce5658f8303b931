//===- Runtime/DType.cpp - element types ----------------------------------===//
#include "graphc/DType.h"

#include <algorithm>
#include <array>
#include <bit>

#include "Runtime/NarrowFloat.h"

namespace graphc {
namespace {

enum class Class : uint8_t { Bool, Signed, Unsigned, Float, Complex, None };

struct DTypeInfo {
  std::string_view name;
  std::string_view shortName;
  Class kind;
  uint8_t bytes;
};

/// In the order of DType.
constexpr std::array<DTypeInfo, kNumDTypes> kInfo = {{
    {"bool", "i1", Class::Bool, 1},
    {"int8", "i8", Class::Signed, 1},
    {"int16", "i16", Class::Signed, 2},
    {"int32", "i32", Class::Signed, 4},
    {"int64", "i64", Class::Signed, 8},
    {"uint8", "ui8", Class::Unsigned, 1},
    {"uint16", "ui16", Class::Unsigned, 2},
    {"uint32", "ui32", Class::Unsigned, 4},
    {"uint64", "ui64", Class::Unsigned, 8},
    {"float16", "f16", Class::Float, 2},
    {"bfloat16", "bf16", Class::Float, 2},
    {"float32", "f32", Class::Float, 4},
    {"float64", "f64", Class::Float, 8},
    {"complex64", "complex<f32>", Class::Complex, 8},
    {"complex128", "complex<f64>", Class::Complex, 16},
}};

/// A number that is no dtype's, which programs can cast to one.
constexpr DTypeInfo kNoDType = {"no dtype", "none", Class::None, 1};

const DTypeInfo &info(DType dtype) {
  return size_t(dtype) < kInfo.size() ? kInfo[size_t(dtype)] : kNoDType;
}

DType integerOfBytes(bool isSigned, int bytes) {
  return DType(int(isSigned ? DType::Int8 : DType::UInt8) + std::countr_zero(unsigned(bytes)));
}

/// The smaller float that has both as subsets.
DType joinFloats(DType a, DType b) {
  if (a == b)
    return a;
  if (info(a).bytes == info(b).bytes)
    return DType::Float32; // the two halves: neither holds the other
  return info(a).bytes > info(b).bytes ? a : b;
}

/// What F-004's table gives for `dtype` (no float) beside a 2-byte float `half`.
DType floatBeside(DType half, int integerBytes) {
  if (integerBytes <= 1)
    return half;
  return integerBytes == 2 ? DType::Float32 : DType::Float64;
}

} // namespace

int64_t byteSize(DType dtype) { return info(dtype).bytes; }
std::string_view dtypeName(DType dtype) { return info(dtype).name; }
std::string_view dtypeShortName(DType dtype) { return info(dtype).shortName; }

std::optional<DType> parseDType(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (kInfo[i].name == name || kInfo[i].shortName == name)
      return DType(i);
  return std::nullopt;
}

bool isBool(DType dtype) { return dtype == DType::Bool; }
bool isSignedInt(DType dtype) { return info(dtype).kind == Class::Signed; }
bool isUnsignedInt(DType dtype) { return info(dtype).kind == Class::Unsigned; }
bool isInteger(DType dtype) { return isSignedInt(dtype) || isUnsignedInt(dtype); }
bool isFloat(DType dtype) { return info(dtype).kind == Class::Float; }

DType realDType(DType dtype) {
  if (!isComplex(dtype))
    return dtype;
  return dtype == DType::Complex64 ? DType::Float32 : DType::Float64;
}

DType complexDType(DType dtype) {
  return promote(realDType(dtype), DType::Float32) == DType::Float32 ? DType::Complex64
                                                                     : DType::Complex128;
}

int bitWidth(DType dtype) { return isBool(dtype) ? 1 : 8 * info(dtype).bytes; }

DType promote(DType a, DType b) { return promote({a, b}); }

DType promote(absl::Span<const DType> dtypes) {
  // F-006: everything is gathered before anything is decided, so order cannot matter.
  int signedBytes = 0, unsignedBytes = 0;
  std::optional<DType> widestFloat;
  bool anyComplex = false;
  for (DType given : dtypes) {
    // F-005: what the parts have in common, in pairs.
    anyComplex |= isComplex(given);
    DType dtype = realDType(given);
    if (isFloat(dtype))
      widestFloat = widestFloat ? joinFloats(*widestFloat, dtype) : dtype;
    else if (isSignedInt(dtype))
      signedBytes = std::max<int>(signedBytes, info(dtype).bytes);
    else if (isUnsignedInt(dtype))
      unsignedBytes = std::max<int>(unsignedBytes, info(dtype).bytes);
  }
  if (widestFloat) {
    DType joined =
        joinFloats(*widestFloat, floatBeside(*widestFloat, std::max(signedBytes, unsignedBytes)));
    return anyComplex ? complexDType(joined) : joined;
  }
  if (!signedBytes && !unsignedBytes)
    return DType::Bool;
  if (!unsignedBytes || signedBytes > unsignedBytes)
    return integerOfBytes(true, signedBytes);
  if (!signedBytes)
    return integerOfBytes(false, unsignedBytes);
  return unsignedBytes == 8 ? DType::Float64 : integerOfBytes(true, 2 * unsignedBytes);
}

DType promoteToFloat(DType dtype) {
  if (isFloat(dtype) || isComplex(dtype))
    return dtype;
  return info(dtype).bytes <= 2 ? DType::Float32 : DType::Float64;
}

bool canCastSafely(DType from, DType to) { return promote(from, to) == to; }

Half::Half(float value) : bits(narrowFloat<HalfFormat>(value)) {}
Half::operator float() const { return widenFloat<HalfFormat>(bits); }
BFloat16::BFloat16(float value) : bits(narrowFloat<BFloat16Format>(value)) {}
BFloat16::operator float() const { return widenFloat<BFloat16Format>(bits); }

} // namespace graphc
