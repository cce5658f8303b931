//===- Nesting.h - what untrusted text may not be -----------------*- C++ -*-===//
//
// MLIR's parser, printer and walkers call themselves once for each level of brackets, each
// operator of an affine expression and each alias inside of an alias, until the stack ends. So
// text is measured before any of them sees it. Numbers that its parser would take for infinity are
// found on the way (FloatRange.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// Levels that text may have: far more than people and tools write, far less than a stack holds.
inline constexpr int kMaxNesting = 1000;
/// Aliases inside of an alias, all written out: each may name the one before it twice, and so
/// stand for text without end where a message prints it.
inline constexpr int64_t kMaxAliases = 100'000;

/// ValueError, with its place, for MLIR text beyond these bounds, and for a decimal number that is
/// beyond the greatest of its type. `name` stands for the file.
/// Linear in the text, without recursion.
absl::Status checkNesting(std::string_view text, std::string_view name);

} // namespace graphc
