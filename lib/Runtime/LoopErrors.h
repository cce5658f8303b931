//===- Runtime/LoopErrors.h - what a loop's steps may do wrong ----*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/status.h"

namespace graphc {

/// An error within a step; that a call was cancelled is none.
absl::Status atStep(const absl::Status &error, int64_t step);
/// A state or a further result of another shape; the types as messages have them.
absl::Status stateChanged(size_t state, const std::string &was, const std::string &becomes);
/// `all`: of those of all steps, with their axis.
absl::Status resultDiffers(size_t result, const std::string &is, const std::string &all);

} // namespace graphc
