//===- Gradient/Results.h - what derivatives give ---------------*- C++ -*-===//
#pragma once

#include <string>

#include "graphc/Variable.h"

namespace graphc {

/// What a Variable is called in messages.
std::string called(const Variable &v);
/// As many Invalid Variables.
Variables failed(size_t count, const absl::Status &status);
/// Zeros of v's shape, of its gradient's dtype.
Variable zerosFor(const Variable &v);

} // namespace graphc
