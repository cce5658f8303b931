//===- Support/SystemError.h - what the system says of files ----*- C++ -*-===//
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// Io, "CONTEXT: what errno means", with the code that graphc/Status.h gives it.
absl::Status systemError(std::string_view context, int errorNumber);

/// Io with that code and another message, for libraries that have their own.
absl::Status ioError(std::string_view message, int errorNumber);

} // namespace graphc
