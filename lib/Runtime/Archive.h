//===- Runtime/Archive.h - zip archives -------------------------*- C++ -*-===//
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Runtime/Npy.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

struct zip;

namespace graphc {

/// An archive that is read. What its directory says is checked before anything is allocated for it;
/// errors begin with the path: Io, NotSupported for ways to compress that NPZ files do not have.
class ArchiveReader {
public:
  static absl::StatusOr<ArchiveReader> open(const std::string &path);

  size_t numMembers() const;
  absl::StatusOr<std::string> name(size_t member) const;
  /// Gives `read` the member's bytes; it must take all. Then their checksum is compared.
  absl::Status read(size_t member, absl::FunctionRef<absl::Status(ByteSource &)> read) const;

private:
  struct Discard {
    void operator()(zip *archive) const;
  };
  ArchiveReader(std::string path, int64_t numBytes, zip *archive)
      : path_(std::move(path)), numBytes_(numBytes), archive_(archive) {}
  std::string path_;
  int64_t numBytes_;
  std::unique_ptr<zip, Discard> archive_;
};

/// Writes members, uncompressed, in their order and without a time: equal members give equal files.
/// Io; what was there before stays if it fails.
absl::Status writeArchive(const std::string &path,
                          const std::vector<std::pair<std::string, std::string>> &members);

} // namespace graphc
