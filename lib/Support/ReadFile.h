//===- Support/ReadFile.h - bytes of the user's files -------------*- C++ -*-===//
//
// Devices and the like, which may have no end, are refused; so is what is of another kind than
// wanted, before the rest of it is read.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace graphc {

struct FileCloser {
  void operator()(FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, FileCloser>;

struct OpenFile {
  File file;
  /// Of a regular file; -1 for a pipe.
  int64_t size = -1;
};

/// Opens a regular file, or a pipe that the process holds already, such as its standard input and a
/// shell's `<(command)`. Io, "PATH: why".
absl::StatusOr<OpenFile> openFile(const std::string &path);

/// What is wrong with a file that begins so (up to 64 KiB of it), if anything.
using CheckHead = absl::Status (*)(std::string_view head);

/// Everything up to the end. Io where reading fails, OutOfMemory, or what `check` says, with
/// "NAME: " in front.
absl::StatusOr<std::string> readToEnd(FILE *file, const std::string &name, CheckHead check);

/// What MLIR bytecode begins with.
inline constexpr std::string_view kBytecodeMagic = "ML\xefR";

/// A whole file of text or MLIR bytecode. Errors as those of the above.
absl::StatusOr<std::string> readText(const std::string &path);
/// The same of standard input, which is called "<stdin>".
absl::StatusOr<std::string> readStandardInput();

} // namespace graphc
