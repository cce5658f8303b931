//===- Import/ExternalFiles.h - files beside a model ----------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace graphc {

/// A file descriptor that is closed with its owner; -1 is none.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  bool isOpen() const { return number_ >= 0; }

private:
  int number_;
};

/// The files in a model's folder and below, for its external data. The one that was read last stays
/// open, so that a file that many tensors lie in is opened once. For one thread.
class ExternalFiles {
public:
  /// `folder` empty: the working one.
  explicit ExternalFiles(std::string folder) : folder_(folder.empty() ? "." : std::move(folder)) {}

  /// Bytes `offset` to `offset` + `count` of the file at `location`, written to what `memory` gives
  /// once they are known to be there. ValueError where the location is no file in the folder
  /// or below, by its text or by links, whenever these are changed, and where the file is too
  /// short; Io where it cannot be read.
  absl::Status read(const std::string &location, int64_t offset, int64_t count,
                    absl::FunctionRef<absl::StatusOr<void *>()> memory);

private:
  absl::Status find(const std::string &location, int64_t offset, int64_t count);
  absl::Status open(const std::string &location);
  absl::Status copy(int64_t offset, int64_t count, void *into) const;

  std::string folder_, location_;
  Descriptor root_, file_;
  int64_t size_ = 0;
};

} // namespace graphc
