//===- FormatError.h - errors as compilers print them -------------*- C++ -*-===//
#pragma once

#include <string>

#include "absl/status/status.h"

namespace graphc {

/// "FILE:LINE:COLUMN: error: message", the line of the file with a caret under the column where
/// the file can be read, then the message's further lines. Ends with a newline.
std::string formatError(const absl::Status &status);

} // namespace graphc
