//===- Runtime/Archive.cpp - zip archives, when they are needed -----------===//
//
// libgraphc-zip has libzip behind it, and that libcrypto, whose 20,000 relocations would take a
// fifth of a short process's time.
//
//===----------------------------------------------------------------------===//
#include "Runtime/Archive.h"

#include "Support/SharedLibrary.h"

namespace graphc {

static absl::StatusOr<const ZipInterface *> loadZip() {
  static const absl::StatusOr<void *> entry = loadOwnSymbol("libgraphc-zip.so", "graphcZipEntry");
  if (!entry.ok())
    return entry.status();
  return reinterpret_cast<const ZipInterface *(*)()>(*entry)();
}

absl::StatusOr<ArchiveReader> ArchiveReader::open(const std::string &path) {
  absl::StatusOr<const ZipInterface *> zip = loadZip();
  if (!zip.ok())
    return zip.status();
  absl::StatusOr<std::unique_ptr<const OpenArchive>> archive = (*zip)->open(path);
  if (!archive.ok())
    return archive.status();
  return ArchiveReader(*std::move(archive));
}

absl::Status writeArchive(const std::string &path, const ArchiveMembers &members) {
  absl::StatusOr<const ZipInterface *> zip = loadZip();
  return zip.ok() ? (*zip)->write(path, members) : zip.status();
}

} // namespace graphc
