//===- Support/TemporaryFile.cpp ------------------------------------------===//
#include "Support/TemporaryFile.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "Support/SystemError.h"

namespace graphc {

absl::StatusOr<TemporaryFile> TemporaryFile::create(std::string_view prefix) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string path = (error ? "/tmp" : folder.string()) + "/" + std::string(prefix) + "-XXXXXX";
  int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot make a temporary file " + path, errno);
  return TemporaryFile(std::move(path), descriptor);
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ < 0)
    return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

absl::Status TemporaryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return systemError(path_, errno);
    bytes.remove_prefix(count > 0 ? size_t(count) : 0);
  }
  return absl::OkStatus();
}

} // namespace graphc
