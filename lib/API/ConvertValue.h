//===- ConvertValue.h - values as a type takes them ---------------*- C++ -*-===//
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "graphc/Tensor.h"
#include "graphc/Type.h"

namespace graphc {

/// F-039 to F-044.
struct ValueRules {
  bool strict = false;
  std::optional<bool> allowDowncast = std::nullopt;
};

/// Whether the value is one of the type as it is.
bool isOfType(const Tensor &value, const Type &type);

/// The value as one of the type. TypeError "wants f32[?] but got f64[3]: ...".
absl::StatusOr<Tensor> convertValue(const Tensor &value, const Type &type, const ValueRules &rules);

} // namespace graphc
