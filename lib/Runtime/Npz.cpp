//===- Runtime/Npz.cpp - archives of NPY files ----------------------------===//
#include "Runtime/Archive.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {

static constexpr std::string_view kSuffix = ".npy";

absl::StatusOr<std::map<std::string, Tensor>> loadNpz(const std::string &path) {
  absl::StatusOr<ArchiveReader> archive = ArchiveReader::open(path);
  if (!archive.ok())
    return archive.status();
  std::map<std::string, Tensor> tensors;
  for (size_t i = 0; i < archive->numMembers(); ++i) {
    absl::StatusOr<std::string> name = archive->name(i);
    if (!name.ok())
      return name.status();
    if (!name->ends_with(kSuffix))
      continue; // NumPy gives such members as bytes; they are no arrays
    Tensor tensor;
    absl::Status status = archive->read(i, [&](ByteSource &source) {
      absl::StatusOr<Tensor> array = readNpy(source);
      if (!array.ok())
        return array.status();
      tensor = *std::move(array);
      return absl::OkStatus();
    });
    if (!status.ok())
      return status;
    std::string key = name->substr(0, name->size() - kSuffix.size());
    if (!tensors.emplace(key, std::move(tensor)).second)
      return makeError(ErrorKind::Io, absl::StrCat(path, ": ", *name, " is there twice"));
  }
  return tensors;
}

absl::Status saveNpz(const std::string &path, const std::map<std::string, Tensor> &tensors) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto &[key, tensor] : tensors) {
    absl::StatusOr<std::string> bytes = formatNpy(tensor);
    if (!bytes.ok())
      return prefixError(bytes.status(), absl::StrCat(path, ": ", key));
    members.emplace_back(key + std::string(kSuffix), *std::move(bytes));
  }
  return writeArchive(path, members);
}

} // namespace graphc
