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

namespace graphc {

/// An archive as libgraphc-zip has it open; the members of ArchiveReader.
class OpenArchive {
public:
  virtual ~OpenArchive() = default;
  virtual size_t numMembers() const = 0;
  virtual absl::StatusOr<std::string> name(size_t member) const = 0;
  virtual absl::Status read(size_t member,
                            absl::FunctionRef<absl::Status(ByteSource &)> read) const = 0;
};

/// What is written: names and bytes.
using ArchiveMembers = std::vector<std::pair<std::string, std::string>>;

/// What libgraphc-zip offers.
struct ZipInterface {
  absl::StatusOr<std::unique_ptr<const OpenArchive>> (*open)(const std::string &path);
  absl::Status (*write)(const std::string &path, const ArchiveMembers &members);
};

/// An archive that is read. What its directory says is checked before anything is allocated for it;
/// errors begin with the path: Io, NotSupported for ways to compress that NPZ files do not have.
class ArchiveReader {
public:
  static absl::StatusOr<ArchiveReader> open(const std::string &path);

  size_t numMembers() const { return archive_->numMembers(); }
  absl::StatusOr<std::string> name(size_t member) const { return archive_->name(member); }
  /// Gives `read` the member's bytes; it must take all. Then their checksum is compared.
  absl::Status read(size_t member, absl::FunctionRef<absl::Status(ByteSource &)> read) const {
    return archive_->read(member, read);
  }

private:
  explicit ArchiveReader(std::unique_ptr<const OpenArchive> archive)
      : archive_(std::move(archive)) {}
  std::unique_ptr<const OpenArchive> archive_;
};

/// Writes members, uncompressed, in their order and without a time: equal members give equal files.
/// Io; what was there before stays if it fails.
absl::Status writeArchive(const std::string &path, const ArchiveMembers &members);

} // namespace graphc
