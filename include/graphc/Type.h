//===- graphc/Type.h - types of variables -----------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graphc/DType.h"

namespace graphc {

/// A static extent that is not known while building.
inline constexpr int64_t kDynamic = -1;

/// The type of a Variable: a value, cheap to copy, hashable. Nearly always a tensor's; besides
/// there are the types that differentiation needs (Null: "not defined", with a reason;
/// Disconnected) and Invalid, which carries the Status of a mistake onward until `function` (or
/// anybody who asks) reports it. One that was moved from is as default-constructed.
class Type {
public:
  enum class Kind { Tensor, Null, Disconnected, Invalid };

  /// 0-d float64.
  Type();
  /// Each extent is >= 0 or kDynamic. A negative extent or a rank over 32 gives an Invalid type.
  Type(DType dtype, absl::Span<const int64_t> shape);
  static Type null(std::string reason);
  static Type disconnected();
  static Type invalid(absl::Status why);

  Kind kind() const;
  bool isTensor() const { return kind() == Kind::Tensor; }
  /// The rest is for tensor types; others answer Float64 and rank 0.
  DType dtype() const;
  int rank() const;
  absl::Span<const int64_t> shape() const &;
  absl::Span<const int64_t> shape() const && = delete;
  /// kDynamic for an axis that there is not.
  int64_t extent(int axis) const {
    return axis >= 0 && axis < rank() ? shape()[size_t(axis)] : kDynamic;
  }
  /// F-014: statically 1. A dynamic extent never broadcasts.
  bool broadcastable(int axis) const { return extent(axis) == 1; }
  bool hasStaticShape() const;
  /// Number of elements, or kDynamic.
  int64_t numElements() const;
  /// The same with another dtype or shape.
  Type withDType(DType dtype) const;
  Type withShape(absl::Span<const int64_t> shape) const { return Type(dtype(), shape); }

  /// Why it is Invalid; OK otherwise. The reason of a Null type.
  const absl::Status &status() const;
  const std::string &reason() const;

  /// F-016: same dtype and rank, and every known extent of this equals `other`'s.
  bool isSuperOf(const Type &other) const;

  friend bool operator==(const Type &a, const Type &b);
  template <class H> friend H AbslHashValue(H h, const Type &t) {
    return H::combine(std::move(h), t.hash());
  }
  uint64_t hash() const;

  /// F-015: "Matrix(float64, shape=(1, ?))".
  std::string str() const;
  /// As in graph text: "tensor<1x?xf64>".
  std::string text() const;
  /// As in messages: "f64[1,?]", "f64" for rank 0.
  std::string brief() const;
  friend std::ostream &operator<<(std::ostream &os, const Type &type);

  struct Rep;

private:
  explicit Type(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  const Rep &rep() const;
  std::shared_ptr<const Rep> rep_;
};

/// `TensorType(DType::Float32, {2, kDynamic})`.
class TensorType : public Type {
public:
  TensorType(DType dtype, std::initializer_list<int64_t> shape)
      : Type(dtype, absl::MakeConstSpan(shape.begin(), shape.size())) {}
  TensorType(DType dtype, absl::Span<const int64_t> shape) : Type(dtype, shape) {}
  /// F-014: from broadcast flags; true is 1, false is unknown.
  static Type fromBroadcastable(DType dtype, absl::Span<const bool> flags);
};

} // namespace graphc

template <> struct std::hash<graphc::Type> {
  size_t operator()(const graphc::Type &t) const { return t.hash(); }
};
