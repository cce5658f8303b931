//===- Graph/Builtins.h - the names that are taken ----------------*- C++ -*-===//
//
// Rewriting, printing and export know ops by their names: an op of a user's may have none of a
// built-in one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace graphc {

struct OpDef;

/// The built-in op of a name; null for an unknown one. Thread-safe. lib/Ops defines it, a layer
/// above: definitions are checked here, and the table of ops is there.
const OpDef *findOp(std::string_view name);

/// ValueError where another op, which is built in, has the definition's name.
absl::Status checkName(const OpDef &def);

} // namespace graphc
