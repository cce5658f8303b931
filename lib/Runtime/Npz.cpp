//===- Runtime/Npz.cpp - archives of NPY files ----------------------------===//
#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <memory>

#include "Runtime/Npy.h"
#include "Support/ReadFile.h"
#include "Support/SystemError.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct Discard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Member = std::unique_ptr<zip_file_t, Discard>;

absl::Status zipError(const std::string &path, absl::string_view what) {
  return makeError(ErrorKind::Io, absl::StrCat(path, ": ", what));
}

/// What libzip says, with the system's reason where that is the cause.
absl::Status zipError(const std::string &path, zip_error_t *error) {
  std::string message = absl::StrCat(path, ": ", zip_error_strerror(error));
  if (zip_error_system_type(error) == ZIP_ET_SYS)
    return ioError(message, zip_error_code_system(error));
  if (zip_error_code_zip(error) == ZIP_ER_NOENT)
    return ioError(message, ENOENT);
  return makeError(ErrorKind::Io, message);
}

absl::StatusOr<Archive> openArchive(const std::string &path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive)
    return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  absl::Status status = zipError(path, &error);
  zip_error_fini(&error);
  return status;
}

class MemberSource : public ByteSource {
public:
  MemberSource(zip_file_t *file, int64_t size) : ByteSource(size), file_(file) {}

  /// The member's checksum, which libzip compares when the end is read.
  absl::Status checkEnd() {
    char extra;
    zip_int64_t count = zip_fread(file_, &extra, 1);
    if (count == 0)
      return absl::OkStatus();
    return makeError(ErrorKind::Io, count < 0 ? zip_file_strerror(file_)
                                              : "more data than the archive's directory says");
  }

protected:
  absl::Status readSome(void *out, int64_t count) override {
    char *next = static_cast<char *>(out);
    while (count > 0) {
      zip_int64_t got = zip_fread(file_, next, zip_uint64_t(count));
      if (got < 0)
        return makeError(ErrorKind::Io, zip_file_strerror(file_));
      if (got == 0)
        return makeError(ErrorKind::Io, "the member ends early");
      next += got;
      count -= got;
    }
    return absl::OkStatus();
  }

private:
  zip_file_t *file_;
};

/// Whether the directory's sizes can be true, so that they may be trusted with an allocation.
absl::Status checkSizes(const zip_stat_t &info, int64_t archiveBytes) {
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((info.valid & kNeeded) != kNeeded)
    return makeError(ErrorKind::Internal, "libzip does not tell the sizes of an archive's member");
  if (info.encryption_method != ZIP_EM_NONE)
    return makeError(ErrorKind::NotSupported, "encrypted members are not supported");
  if (info.comp_method != ZIP_CM_STORE && info.comp_method != ZIP_CM_DEFLATE)
    return makeError(ErrorKind::NotSupported,
                     absl::StrCat("compression method ", info.comp_method, " is not supported"));
  // A bit of deflate's stands for at most 258 bytes in two bits of codes: factor 1032.
  zip_uint64_t most = info.comp_method == ZIP_CM_STORE ? info.comp_size : info.comp_size * 1032;
  if (info.comp_size > zip_uint64_t(archiveBytes) || info.size > most)
    return makeError(ErrorKind::Io, absl::StrCat("sizes ", info.comp_size, " and ", info.size,
                                                 " in the archive's directory cannot be"));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> readMember(zip_t *archive, const zip_stat_t &info, int64_t archiveBytes) {
  if (absl::Status status = checkSizes(info, archiveBytes); !status.ok())
    return status;
  Member file(zip_fopen_index(archive, info.index, 0));
  if (!file)
    return makeError(ErrorKind::Io, zip_strerror(archive));
  MemberSource source(file.get(), int64_t(info.size));
  absl::StatusOr<Tensor> tensor = readNpy(source);
  if (!tensor.ok())
    return tensor;
  if (absl::Status status = source.checkEnd(); !status.ok())
    return status;
  return tensor;
}

} // namespace

absl::StatusOr<std::map<std::string, Tensor>> loadNpz(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  if (opened->size < 0)
    return zipError(path, "an archive cannot be read from a pipe");
  absl::StatusOr<Archive> archive = openArchive(path, ZIP_RDONLY);
  if (!archive.ok())
    return archive.status();
  std::map<std::string, Tensor> tensors;
  zip_int64_t count = zip_get_num_entries(archive->get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    if (zip_stat_index(archive->get(), zip_uint64_t(i), 0, &info) != 0 || !info.name)
      return zipError(path, absl::StrCat("member ", i, ": ", zip_strerror(archive->get())));
    std::string name = info.name;
    if (!name.ends_with(kSuffix))
      continue; // NumPy gives such members as bytes; they are no arrays
    absl::StatusOr<Tensor> tensor = readMember(archive->get(), info, opened->size);
    if (!tensor.ok())
      return prefixError(tensor.status(), absl::StrCat(path, ": ", name));
    std::string key = name.substr(0, name.size() - kSuffix.size());
    if (!tensors.emplace(key, *std::move(tensor)).second)
      return zipError(path, absl::StrCat(name, " is there twice"));
  }
  return tensors;
}

absl::Status saveNpz(const std::string &path, const std::map<std::string, Tensor> &tensors) {
  std::list<std::string> contents; // libzip reads them when it closes the archive
  for (const auto &[key, tensor] : tensors) {
    absl::StatusOr<std::string> bytes = formatNpy(tensor);
    if (!bytes.ok())
      return prefixError(bytes.status(), absl::StrCat(path, ": ", key));
    contents.push_back(*std::move(bytes));
  }
  absl::StatusOr<Archive> archive = openArchive(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!archive.ok())
    return archive.status();
  zip_t *zip = archive->get();
  auto bytes = contents.begin();
  for (const auto &[key, tensor] : tensors) {
    zip_source_t *source = zip_source_buffer(zip, bytes->data(), bytes->size(), 0);
    std::string name = key + std::string(kSuffix);
    zip_int64_t index =
        source ? zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8) : zip_int64_t(-1);
    // The time of no clock: equal tensors give equal files.
    if (index < 0 || zip_set_file_compression(zip, zip_uint64_t(index), ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip, zip_uint64_t(index), 0, 1 << 5 | 1, 0) != 0) {
      absl::Status status = zipError(path, zip_get_error(zip));
      if (index < 0)
        zip_source_free(source);
      return status;
    }
    ++bytes;
  }
  if (tensors.empty()) {
    // libzip deletes archives without members; NumPy writes them: an end record and nothing else.
    archive->reset();
    constexpr char kEmpty[22] = {'P', 'K', 5, 6};
    FILE *file = std::fopen(path.c_str(), "wb");
    bool written = file && std::fwrite(kEmpty, 1, sizeof(kEmpty), file) == sizeof(kEmpty);
    if (file && std::fclose(file) != 0)
      written = false;
    return written ? absl::OkStatus() : systemError(path, errno);
  }
  if (zip_close(zip) != 0)
    return zipError(path, zip_get_error(zip));
  (void)archive->release(); // zip_close has freed it
  return absl::OkStatus();
}

} // namespace graphc
