//===- Zip/Zip.cpp - zip archives by libzip -------------------------------===//
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "Runtime/Archive.h"
#include "Support/ReadFile.h"
#include "Support/SystemError.h"
#include "absl/strings/str_cat.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

struct Close {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using Member = std::unique_ptr<zip_file_t, Close>;

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

absl::StatusOr<zip_t *> openArchive(const std::string &path, int flags) {
  int code = 0;
  if (zip_t *archive = zip_open(path.c_str(), flags, &code))
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

/// Members have their own bytes of the archive. Where many have the same ones, a small file would
/// stand for any amount of memory. Those that are too large by themselves are never read.
absl::Status checkTotal(zip_t *archive, int64_t archiveBytes) {
  zip_uint64_t left = zip_uint64_t(archiveBytes);
  for (zip_int64_t i = 0, count = zip_get_num_entries(archive, 0); i < count; ++i) {
    zip_stat_t info;
    if (zip_stat_index(archive, zip_uint64_t(i), 0, &info) != 0 ||
        !(info.valid & ZIP_STAT_COMP_SIZE) || info.comp_size > zip_uint64_t(archiveBytes))
      continue;
    if (info.comp_size > left)
      return makeError(ErrorKind::Io,
                       absl::StrCat("members overlap: there are ", archiveBytes, " bytes in all"));
    left -= info.comp_size;
  }
  return absl::OkStatus();
}

struct Discard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
};

class ZipArchive : public OpenArchive {
public:
  ZipArchive(std::string path, int64_t numBytes, zip_t *archive)
      : path_(std::move(path)), numBytes_(numBytes), archive_(archive) {}

  size_t numMembers() const override {
    return size_t(std::max<zip_int64_t>(zip_get_num_entries(archive_.get(), 0), 0));
  }
  absl::StatusOr<std::string> name(size_t member) const override {
    const char *name = zip_get_name(archive_.get(), member, 0);
    if (!name)
      return zipError(path_, absl::StrCat("member ", member, ": ", zip_strerror(archive_.get())));
    return name;
  }
  absl::Status read(size_t member,
                    absl::FunctionRef<absl::Status(ByteSource &)> read) const override {
    absl::StatusOr<std::string> name = this->name(member);
    if (!name.ok())
      return name.status();
    absl::Status status = readBytes(member, read);
    return status.ok() ? status : prefixError(status, absl::StrCat(path_, ": ", *name));
  }

private:
  absl::Status readBytes(size_t member, absl::FunctionRef<absl::Status(ByteSource &)> read) const {
    zip_stat_t info;
    if (zip_stat_index(archive_.get(), member, 0, &info) != 0)
      return makeError(ErrorKind::Io, zip_strerror(archive_.get()));
    if (absl::Status status = checkSizes(info, numBytes_); !status.ok())
      return status;
    Member file(zip_fopen_index(archive_.get(), member, 0));
    if (!file)
      return makeError(ErrorKind::Io, zip_strerror(archive_.get()));
    MemberSource source(file.get(), int64_t(info.size));
    if (absl::Status status = read(source); !status.ok())
      return status;
    return source.checkEnd();
  }

  std::string path_;
  int64_t numBytes_;
  std::unique_ptr<zip_t, Discard> archive_;
};

absl::StatusOr<std::unique_ptr<const OpenArchive>> openToRead(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  if (opened->size < 0)
    return zipError(path, "an archive cannot be read from a pipe");
  absl::StatusOr<zip_t *> archive = openArchive(path, ZIP_RDONLY);
  if (!archive.ok())
    return archive.status();
  auto whole = std::make_unique<const ZipArchive>(path, opened->size, *archive);
  if (absl::Status status = checkTotal(*archive, opened->size); !status.ok())
    return prefixError(status, path);
  return whole;
}

absl::Status write(const std::string &path, const ArchiveMembers &members) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return zipError(path, "is no regular file: an archive cannot be written to it");
  if (members.empty()) {
    // libzip deletes archives without members; NumPy writes them: an end record and nothing else.
    constexpr char kEmpty[22] = {'P', 'K', 5, 6};
    FILE *file = std::fopen(path.c_str(), "wb");
    bool written = file && std::fwrite(kEmpty, 1, sizeof(kEmpty), file) == sizeof(kEmpty);
    if (file && std::fclose(file) != 0)
      written = false;
    return written ? absl::OkStatus() : systemError(path, errno);
  }
  absl::StatusOr<zip_t *> opened = openArchive(path, ZIP_CREATE | ZIP_TRUNCATE);
  if (!opened.ok())
    return opened.status();
  zip_t *zip = *opened;
  absl::Status status;
  for (const auto &[name, bytes] : members) {
    zip_source_t *source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
    zip_int64_t index =
        source ? zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8) : zip_int64_t(-1);
    if (index >= 0 && zip_set_file_compression(zip, zip_uint64_t(index), ZIP_CM_STORE, 0) == 0 &&
        zip_file_set_dostime(zip, zip_uint64_t(index), 0, 1 << 5 | 1, 0) == 0)
      continue;
    status = zipError(path, zip_get_error(zip));
    if (index < 0)
      zip_source_free(source);
    break;
  }
  if (status.ok() && zip_close(zip) == 0)
    return status;
  if (status.ok())
    status = zipError(path, zip_get_error(zip));
  zip_discard(zip);
  return status;
}

} // namespace
} // namespace graphc

extern "C" const graphc::ZipInterface *graphcZipEntry() {
  static const graphc::ZipInterface interface = {graphc::openToRead, graphc::write};
  return &interface;
}
