//===- SharedLibrary.h - libgraphc's companions -------------------*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace graphc {

/// Where `file`, one of the libraries that are installed with libgraphc, is or would be: in
/// libgraphc's own folder, or, within a program that has libgraphc inside (the command graphc), in
/// that of the libraries beside the program's. Thread-safe.
std::string companionPath(const std::string &file);

/// The address of `symbol` in such a library. It stays loaded, and its symbols stay its own. Io if
/// there is none. Thread-safe.
absl::StatusOr<void *> loadOwnSymbol(const std::string &file, const std::string &symbol);

} // namespace graphc
