//===- Support/WriteFile.cpp ----------------------------------------------===//
#include "Support/WriteFile.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "Support/SystemError.h"

namespace graphc {
namespace {

/// 0, or what went wrong. Closes the descriptor.
int writeAndClose(int descriptor, std::string_view bytes) {
  int failed = 0;
  while (!bytes.empty() && !failed) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      failed = errno;
    bytes.remove_prefix(count > 0 ? size_t(count) : 0);
  }
  if (::close(descriptor) != 0 && !failed) // network file systems tell it late
    failed = errno;
  return failed;
}

/// The file that symbolic links lead to.
std::string targetOf(const std::string &path) {
  char *found = ::realpath(path.c_str(), nullptr);
  std::string target = found ? found : path;
  std::free(found);
  return target;
}

} // namespace

absl::Status replaceFile(const std::string &path, std::string_view bytes, bool isProgram) {
  const mode_t mode = isProgram ? 0777 : 0666;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    int failed = descriptor < 0 ? errno : writeAndClose(descriptor, bytes);
    return failed ? systemError(path, failed) : absl::OkStatus();
  }
  const std::string target = targetOf(path);
  std::string temporary;
  int descriptor = -1;
  // Not mkstemp, whose files nobody else may read.
  for (int i = 0; descriptor < 0 && (i == 0 || (errno == EEXIST && i < 1000)); ++i) {
    temporary = target + ".new-" + std::to_string(getpid()) + "-" + std::to_string(i);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  }
  if (descriptor < 0)
    return systemError(path, errno);
  int failed = writeAndClose(descriptor, bytes);
  if (!failed && rename(temporary.c_str(), target.c_str()) != 0)
    failed = errno;
  if (!failed)
    return absl::OkStatus();
  unlink(temporary.c_str());
  return systemError(path, failed);
}

} // namespace graphc
