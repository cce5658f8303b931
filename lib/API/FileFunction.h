//===- API/FileFunction.h - functions of files that are kept ------*- C++ -*-===//
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "graphc/Function.h"
#include "graphc/Import.h"

namespace graphc {

/// How a file becomes the graph of a function.
struct FileReading {
  /// What the graph depends on beside the file: two readings of one key are the same.
  std::string key;
  /// Gets the file's bytes; tells the observer of its stages.
  std::function<absl::StatusOr<GraphModule>(const std::string &bytes, const StageObserver &)> read;
  /// Whether it opens the file itself: one that has changed meanwhile is compiled, and not kept.
  bool opensFile = false;
};

/// The function of the graph of a file with these bytes. What was compiled of the same bytes in the
/// same way before comes from the user's cache folder, and nothing is read then. Errors: those of
/// `read` and `function`. Thread-safe.
absl::StatusOr<Function> functionOfFile(const std::string &path, const std::string &bytes,
                                        const FileReading &reading, FunctionOptions options);

/// All bytes of a file. Io.
absl::StatusOr<std::string> bytesOfFile(const std::string &path);

} // namespace graphc
