//===- Support/TemporaryFile.h - a file for a moment ------------*- C++ -*-===//
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace graphc {

/// A new file in the system's folder for such, which only this user can open; removed by the
/// destructor.
class TemporaryFile {
public:
  static absl::StatusOr<TemporaryFile> create(std::string_view prefix);
  TemporaryFile(TemporaryFile &&other) noexcept
      : path_(std::exchange(other.path_, "")), descriptor_(std::exchange(other.descriptor_, -1)) {}
  TemporaryFile &operator=(TemporaryFile &&) = delete;
  ~TemporaryFile();

  const std::string &path() const { return path_; }
  /// Appends. Io.
  absl::Status write(std::string_view bytes);

private:
  TemporaryFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
};

} // namespace graphc
