//===- Runtime/LoopErrors.h - what a loop's steps may do wrong ----*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/status.h"

namespace graphc {

/// An error within a step; that a call was cancelled is none.
absl::Status atStep(const absl::Status &error, int64_t step);
/// "state 1" or "result 2", if it has no name of its own: results of states come first.
std::string nameOfResult(const std::string &given, size_t number, size_t numStates);
/// A state or a further result of another shape, "state 1" or "result 2"; the types as messages
/// have them.
absl::Status stateChanged(const std::string &state, const std::string &was,
                          const std::string &becomes);
/// `all`: of those of all steps, with their axis.
absl::Status resultDiffers(const std::string &result, const std::string &is,
                           const std::string &all);

} // namespace graphc
