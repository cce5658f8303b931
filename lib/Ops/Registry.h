//===- Ops/Registry.h - all built-in ops ----------------------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "Graph/Builtins.h"
#include "absl/types/span.h"
#include "graphc/OpDef.h"

namespace graphc {

/// Every built-in op, by section and as its file lists it. The definitions live as long as the
/// process. Thread-safe.
absl::Span<const OpDef *const> allOps();

/// The page of one op and of all of them, in Markdown (docs/Ops.md is the latter).
std::string opReference(const OpDef &op);
std::string opsReference();

} // namespace graphc
