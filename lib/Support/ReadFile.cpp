//===- Support/ReadFile.cpp -----------------------------------------------===//
#include "Support/ReadFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <vector>

#include "Support/StageOfText.h"
#include "Support/SystemError.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

absl::Status errnoError(const std::string &path) { return systemError(path, errno); }

/// A pipe that this process holds: standard input, or a shell's `<(command)`. Opening it does not
/// wait for a writer.
bool isOurPipe(const std::string &path, const struct stat &info) {
  if (!S_ISFIFO(info.st_mode))
    return false;
  struct stat input;
  bool isStandardInput = fstat(STDIN_FILENO, &input) == 0 && input.st_dev == info.st_dev &&
                         input.st_ino == info.st_ino;
  return isStandardInput || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

/// No text of ours has a zero byte; bytecode begins with its own magic.
absl::Status checkText(std::string_view head) {
  if (head.starts_with(kBytecodeMagic) || head.find('\0') == std::string_view::npos)
    return absl::OkStatus();
  if (stageOfText(head) == "onnx")
    return makeError(ErrorKind::Io, "is no text: it looks " + stageHint("onnx"));
  return makeError(ErrorKind::Io, "is no text: it has a zero byte");
}

} // namespace

absl::StatusOr<OpenFile> openFile(const std::string &path) {
  // Opening a pipe would wait for its writer, and opening a device may do something: what has been
  // looked at may be another thing a moment later.
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return errnoError(path);
  auto check = [&]() -> absl::Status {
    if (S_ISDIR(info.st_mode))
      return makeError(ErrorKind::Io, path + ": is a folder");
    if (!S_ISREG(info.st_mode) && !isOurPipe(path, info))
      return makeError(ErrorKind::Io, path + ": is no regular file");
    return absl::OkStatus();
  };
  if (absl::Status status = check(); !status.ok())
    return status;
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  OpenFile opened{File(descriptor < 0 ? nullptr : fdopen(descriptor, "rb"))};
  if (!opened.file || fstat(descriptor, &info) != 0)
    return errnoError(path);
  if (absl::Status status = check(); !status.ok())
    return status;
  if (S_ISREG(info.st_mode))
    opened.size = int64_t(info.st_size);
  else if (fcntl(descriptor, F_SETFL, O_RDONLY) != 0) // reading one's own pipe does wait
    return errnoError(path);
  return opened;
}

absl::StatusOr<std::string> readToEnd(FILE *file, const std::string &name, CheckHead check) {
  try {
    std::string bytes;
    std::vector<char> buffer(1 << 16);
    while (size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
      if (bytes.empty())
        if (absl::Status status = check({buffer.data(), count}); !status.ok())
          return prefixError(status, name);
      bytes.append(buffer.data(), count);
    }
    if (std::ferror(file))
      return errnoError(name);
    return bytes;
  } catch (const std::bad_alloc &) {
    return makeError(ErrorKind::OutOfMemory, name + ": no memory to read it");
  }
}

absl::StatusOr<std::string> readText(const std::string &path) {
  absl::StatusOr<OpenFile> opened = openFile(path);
  if (!opened.ok())
    return opened.status();
  return readToEnd(opened->file.get(), path, checkText);
}

absl::StatusOr<std::string> readStandardInput() { return readToEnd(stdin, "<stdin>", checkText); }

} // namespace graphc
