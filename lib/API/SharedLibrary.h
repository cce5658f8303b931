//===- SharedLibrary.h - libgraphc's companions -------------------*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace graphc {

/// The address of `symbol` in the shared library `file` that is installed in libgraphc's own
/// folder. The library stays loaded and its symbols stay its own. Io if there is none. Thread-safe.
absl::StatusOr<void *> loadOwnSymbol(const std::string &file, const std::string &symbol);

} // namespace graphc
