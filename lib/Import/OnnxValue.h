//===- Import/OnnxValue.h - what a name of a model stands for -------*- C++ -*-===//
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graphc/Variable.h"

namespace graphc {

/// A tensor, a sequence of tensors, or an optional value, which is one of these or nothing. How
/// many elements there are and whether there is a value is known while the model is read, so that
/// graphs have tensors only.
class OnnxValue {
public:
  enum class Kind : uint8_t { Tensor, Sequence, Nothing };

  OnnxValue(Variable tensor) : elements_{std::move(tensor)} {}
  /// `dtype` is that of the elements, where there are none, too.
  static OnnxValue sequence(Variables elements, DType dtype) {
    return OnnxValue(Kind::Sequence, std::move(elements), dtype);
  }
  /// An optional value that is not there.
  static OnnxValue nothing() { return OnnxValue(Kind::Nothing, {}, {}).asOptional(); }

  OnnxValue asOptional() const {
    OnnxValue result = *this;
    result.isOptional_ = true;
    return result;
  }
  /// What an optional value is, if it is there.
  OnnxValue content() const {
    OnnxValue result = *this;
    result.isOptional_ = false;
    return result;
  }

  Kind kind() const { return kind_; }
  bool isOptional() const { return isOptional_; }
  bool isTensor() const { return kind_ == Kind::Tensor && !isOptional_; }
  bool isSequence() const { return kind_ == Kind::Sequence && !isOptional_; }
  bool ok() const { return status().ok(); }
  absl::Status status() const {
    for (const Variable &v : elements_)
      if (!v.ok())
        return v.status();
    return absl::OkStatus();
  }
  /// The tensor alone, or the sequence's elements.
  const Variables &elements() const { return elements_; }
  Variables &elements() { return elements_; }
  /// Of a sequence.
  DType dtype() const { return dtype_; }
  /// Whether they have a tensor where the other has one.
  bool hasStructureOf(const OnnxValue &other) const {
    return kind_ == other.kind_ && elements_.size() == other.elements_.size() &&
           (kind_ != Kind::Sequence || dtype_ == other.dtype_);
  }
  /// In messages: "f32[2]", "a sequence of 3 f32", "an optional value that is not there".
  std::string brief() const;

private:
  OnnxValue(Kind kind, Variables elements, DType dtype)
      : kind_(kind), dtype_(dtype), elements_(std::move(elements)) {}

  Kind kind_ = Kind::Tensor;
  bool isOptional_ = false;
  DType dtype_ = DType::Float32;
  Variables elements_;
};

using OnnxValues = std::vector<OnnxValue>;

} // namespace graphc
