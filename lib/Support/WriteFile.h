//===- Support/WriteFile.h - files that are there whole, or not ---*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace graphc {

/// Makes the file `path` of `bytes`, in place of one that is there: who has that one open keeps it.
/// Where it cannot be written whole, nothing changes and nothing is left. Devices and pipes are
/// written as they are. Io, "PATH: why".
absl::Status replaceFile(const std::string &path, std::string_view bytes, bool isProgram = false);

} // namespace graphc
