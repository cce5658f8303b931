//===- ExternalFiles.cpp - files beside a model ------------------------------===//
//
// A model must not make its reader open files elsewhere. The parts of a location are opened one in
// the other, links are followed here and not by the system: nothing is looked up by a name twice,
// so that it makes no difference when somebody exchanges a folder or a link.
//
//===----------------------------------------------------------------------===//
#include "Import/ExternalFiles.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "Support/SystemError.h"
#include "Support/Text.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

namespace fs = std::filesystem;

/// As many links as Linux follows.
constexpr int kMostLinks = 40;

bool leaves(const fs::path &relative) {
  return relative.empty() || relative.is_absolute() || *relative.begin() == "..";
}

/// A walk from a folder down, which never comes above it.
class Walk {
public:
  Walk(int root, const fs::path &folder) : root_(root), folder_(folder) {}

  enum class End { Found, Outside, Failed };
  /// The file, open for reading; errno says why it has failed.
  End to(const fs::path &location, Descriptor &file) {
    push(location);
    while (!parts_.empty()) {
      const std::string part = parts_.back();
      parts_.pop_back();
      if (part.empty() || part == ".")
        continue;
      if (part == "..") {
        if (folders_.empty())
          return End::Outside;
        folders_.pop_back();
        continue;
      }
      // Of a link itself, and of a pipe without waiting for who writes to it.
      constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
      Descriptor next(openat(current(), part.c_str(), kFlags));
      if (!next.isOpen() && errno == ELOOP) {
        if (End end = follow(part); end != End::Found)
          return end;
        continue;
      }
      if (!next.isOpen())
        return End::Failed;
      if (parts_.empty()) {
        file = std::move(next);
        return End::Found;
      }
      folders_.push_back(std::move(next));
    }
    errno = EISDIR;
    return End::Failed;
  }

private:
  int current() const { return folders_.empty() ? root_ : folders_.back().number(); }
  void push(const fs::path &path) {
    std::vector<std::string> parts(path.begin(), path.end());
    parts_.insert(parts_.end(), parts.rbegin(), parts.rend());
  }
  End follow(const std::string &link) {
    char text[4096];
    ssize_t size = readlinkat(current(), link.c_str(), text, sizeof text);
    if (size < 0 || size == ssize_t(sizeof text) || ++links_ > kMostLinks) {
      errno = size < 0 ? errno : ELOOP;
      return End::Failed;
    }
    fs::path target(std::string(text, size_t(size)));
    if (target.is_absolute()) { // perhaps into the folder, from which the walk begins again
      std::error_code failure;
      target = target.lexically_normal().lexically_relative(fs::canonical(folder_, failure));
      if (failure || leaves(target))
        return End::Outside;
      folders_.clear();
    }
    push(target);
    return End::Found;
  }

  int root_;
  const fs::path folder_;
  std::vector<Descriptor> folders_;
  std::vector<std::string> parts_; // what is still to go, from the end
  int links_ = 0;
};

} // namespace

Descriptor::~Descriptor() {
  if (isOpen())
    close(number_);
}

absl::Status ExternalFiles::open(const std::string &location) {
  file_ = Descriptor();
  auto outside = [&] {
    return makeError(ErrorKind::ValueError,
                     printable("its external data has the location '" + location +
                               "', which is not a file beside the model or below"));
  };
  const fs::path plain = fs::path(location).lexically_normal();
  if (location.find('\0') != std::string::npos || leaves(plain))
    return outside();
  const std::string path = (fs::path(folder_) / location).string();
  auto failed = [&](const std::string &why) {
    return makeError(ErrorKind::Io, "cannot read its data: " + path + ": " + why);
  };
  if (!root_.isOpen())
    root_ = Descriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Descriptor file;
  Walk::End end =
      root_.isOpen() ? Walk(root_.number(), folder_).to(plain, file) : Walk::End::Failed;
  if (end == Walk::End::Outside)
    return outside();
  struct stat info;
  if (end == Walk::End::Failed || fstat(file.number(), &info) != 0)
    return errno == EISDIR ? failed("is a folder")
                           : systemError("cannot read its data: " + path, errno);
  if (!S_ISREG(info.st_mode))
    return failed(S_ISDIR(info.st_mode) ? "is a folder" : "is no regular file");
  file_ = std::move(file);
  size_ = info.st_size;
  location_ = location;
  return absl::OkStatus();
}

absl::Status ExternalFiles::read(const std::string &location, int64_t offset, int64_t count,
                                 absl::FunctionRef<absl::StatusOr<void *>()> memory) {
  absl::Status found = find(location, offset, count);
  if (!found.ok())
    return found;
  absl::StatusOr<void *> into = memory();
  return into.ok() ? copy(offset, count, *into) : into.status();
}

absl::Status ExternalFiles::find(const std::string &location, int64_t offset, int64_t count) {
  if (!file_.isOpen() || location != location_)
    if (absl::Status s = open(location); !s.ok())
      return s;
  if (offset <= size_ && count <= size_ - offset)
    return absl::OkStatus();
  return makeError(ErrorKind::ValueError,
                   printable("needs " + std::to_string(count) + " bytes from offset " +
                             std::to_string(offset) + " of " +
                             (fs::path(folder_) / location).string() + ", which has " +
                             std::to_string(size_)));
}

absl::Status ExternalFiles::copy(int64_t offset, int64_t count, void *into) const {
  auto *next = static_cast<char *>(into);
  while (count > 0) {
    ssize_t part = pread(file_.number(), next, size_t(count), offset);
    if (part < 0 && errno == EINTR)
      continue;
    const std::string what = "cannot read its data: " + (fs::path(folder_) / location_).string();
    if (part < 0)
      return systemError(what, errno);
    if (part == 0) // it has become shorter
      return makeError(ErrorKind::Io, what);
    next += part;
    offset += part;
    count -= part;
  }
  return absl::OkStatus();
}

} // namespace graphc
