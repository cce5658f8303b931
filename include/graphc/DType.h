//===- graphc/DType.h - element types ---------------------------*- C++ -*-===//
#pragma once

#include "graphc/Compiler.h" // first of all

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"

namespace graphc {

/// Element type of a tensor. Bool is one byte, 0 or 1, in memory. Float16 is IEEE binary16,
/// BFloat16 the upper half of a binary32. A complex number is its real part and its imaginary part,
/// one after the other: two Float32 (Complex64) or two Float64 (Complex128).
///
/// Here and in all public headers enums have int's size: compilers disagree on who extends a
/// narrower argument to a register, and programs may be built by another one than the library.
enum class DType {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

inline constexpr int kNumDTypes = 15;
/// Those that are not complex, which come first.
inline constexpr int kNumRealDTypes = 13;

/// Bytes of one element.
int64_t byteSize(DType dtype);

/// NumPy's name: "bool", "int8", ..., "bfloat16", "float32", "float64", "complex64", "complex128".
std::string_view dtypeName(DType dtype);
/// MLIR's spelling, used in graph text: "i1", "i8", "ui8", ..., "f16", "bf16", "f32", "f64",
/// "complex<f32>", "complex<f64>".
std::string_view dtypeShortName(DType dtype);
/// Accepts both spellings; empty for an unknown name.
std::optional<DType> parseDType(std::string_view name);

bool isBool(DType dtype);
bool isSignedInt(DType dtype);
bool isUnsignedInt(DType dtype);
/// Signed or unsigned; Bool is no integer.
bool isInteger(DType dtype);
/// A real one.
bool isFloat(DType dtype);
inline bool isComplex(DType dtype) { return int(dtype) >= kNumRealDTypes; }
/// The dtype of the parts of complex numbers; others as they are.
DType realDType(DType dtype);
/// F-005: the complex dtype that holds a real one; complex ones as they are.
DType complexDType(DType dtype);
/// Width in bits of one element; 1 for Bool.
int bitWidth(DType dtype);

/// F-004, F-005: the table's promotion of two dtypes; symmetric, equal to NumPy's of two arrays.
DType promote(DType a, DType b);
/// F-006: promotion of n >= 1 dtypes, independent of their order.
DType promote(absl::Span<const DType> dtypes);
/// F-009: bool, 8- and 16-bit integers to float32, wider ones to float64, others stay.
DType promoteToFloat(DType dtype);
/// Whether every value of `from` is a value of `to` without loss of range (F-040).
bool canCastSafely(DType from, DType to);

/// The two halves as host types: bit patterns with conversions that round to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const;
};

/// DTypeOf<T>::value for bool, the fixed-width integers, Half, BFloat16, float, double and
/// std::complex of these two.
template <class T> struct DTypeOf;
template <> struct DTypeOf<bool> {
  static constexpr DType value = DType::Bool;
};
template <> struct DTypeOf<int8_t> {
  static constexpr DType value = DType::Int8;
};
template <> struct DTypeOf<int16_t> {
  static constexpr DType value = DType::Int16;
};
template <> struct DTypeOf<int32_t> {
  static constexpr DType value = DType::Int32;
};
template <> struct DTypeOf<int64_t> {
  static constexpr DType value = DType::Int64;
};
template <> struct DTypeOf<long long> {
  static constexpr DType value = DType::Int64;
};
template <> struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::UInt8;
};
template <> struct DTypeOf<uint16_t> {
  static constexpr DType value = DType::UInt16;
};
template <> struct DTypeOf<uint32_t> {
  static constexpr DType value = DType::UInt32;
};
template <> struct DTypeOf<uint64_t> {
  static constexpr DType value = DType::UInt64;
};
template <> struct DTypeOf<unsigned long long> {
  static constexpr DType value = DType::UInt64;
};
template <> struct DTypeOf<Half> {
  static constexpr DType value = DType::Float16;
};
template <> struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::BFloat16;
};
template <> struct DTypeOf<float> {
  static constexpr DType value = DType::Float32;
};
template <> struct DTypeOf<double> {
  static constexpr DType value = DType::Float64;
};
template <> struct DTypeOf<std::complex<float>> {
  static constexpr DType value = DType::Complex64;
};
template <> struct DTypeOf<std::complex<double>> {
  static constexpr DType value = DType::Complex128;
};

/// Calls `f` with a value-initialised C++ object of the host type of `dtype`, which is real:
/// `dispatch(t.dtype(), [&](auto zero) { using T = decltype(zero); ... })`. Complex tensors are
/// seen as real ones by Tensor::realView.
template <class F> decltype(auto) dispatch(DType dtype, F &&f) {
  switch (dtype) {
  case DType::Bool:
    return f(bool());
  case DType::Int8:
    return f(int8_t());
  case DType::Int16:
    return f(int16_t());
  case DType::Int32:
    return f(int32_t());
  case DType::Int64:
    return f(int64_t());
  case DType::UInt8:
    return f(uint8_t());
  case DType::UInt16:
    return f(uint16_t());
  case DType::UInt32:
    return f(uint32_t());
  case DType::UInt64:
    return f(uint64_t());
  case DType::Float16:
    return f(Half());
  case DType::BFloat16:
    return f(BFloat16());
  case DType::Float32:
    return f(float());
  case DType::Float64:
    return f(double());
  case DType::Complex64:
  case DType::Complex128:
    break;
  }
  __builtin_unreachable();
}

} // namespace graphc
