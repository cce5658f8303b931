//===- JIT/Linker.h - objects to one file -----------------------*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// Links relocatable objects (their bytes) to a shared object, whose bytes it gives, with lld, in
/// this process. It needs libc and libm and nothing else: a symbol that neither has is an error.
/// `soName` is recorded if not empty. Debug information is kept. Thread-safe (one link at a time:
/// lld has global state); no file is written. Errors: Internal with lld's words; NotSupported for
/// objects of another processor than this one, whose libraries are not here; Io where there is no
/// memory.
absl::StatusOr<std::string> linkSharedObject(absl::Span<const std::string> objects,
                                             const std::string &soName = "");

/// The same to a program that can be run, which begins at its symbol `_start`:
/// position-independent, its tables read-only once it is loaded.
absl::StatusOr<std::string> linkExecutable(absl::Span<const std::string> objects);

/// Relocatable objects of any processor as one, in which only `globals` can be seen from outside.
/// Thread-safe. Errors as above.
absl::StatusOr<std::string> mergeObjects(absl::Span<const std::string> objects,
                                         absl::Span<const std::string> globals);

} // namespace graphc
