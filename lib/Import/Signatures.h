//===- Import/Signatures.h - what ONNX's operators take -------------*- C++ -*-===//
#pragma once

#include <limits>
#include <string_view>

#include "Import/Domains.h"

namespace graphc {

/// For operators that take as many inputs as they are given.
inline constexpr int kAnyNumberOfInputs = std::numeric_limits<int>::max();

/// What ONNX's schema lets a node of an operator have, from one version of its domain on.
struct OperatorSignature {
  std::string_view name;
  int since;
  /// At most; which of them may be left out is for the translation to say.
  int inputs;
  /// Names, sorted, with one space between. Without consumed_inputs, a hint about memory that the
  /// first five versions give to most operators.
  std::string_view attributes;
};

/// Null for an operator that has no translation, and for one that the version has not yet.
const OperatorSignature *findSignature(Domain domain, std::string_view name, int version);

} // namespace graphc
