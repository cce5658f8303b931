//===- Runtime/CodeFolder.cpp - compiled code on disk ---------------------===//
#include "Runtime/CodeFolder.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "Support/Fork.h"
#include "Support/Log.h"
#include "Support/SystemError.h"
#include "graphc/Config.h"
#include "graphc/Status.h"

namespace graphc {
namespace {

namespace fs = std::filesystem;

/// Stands behind code and data in every entry's file.
struct Trailer {
  uint64_t magic = kMagic;
  uint64_t codeSize = 0;
  uint64_t dataSize = 0;
  Hash128 key;      // the entry's: a renamed file is no entry
  Hash128 checksum; // of code and data

  static constexpr uint64_t kMagic = 0x31306564'6f634367; // "gCcode01"
};

constexpr std::string_view kTemporary = ".new-";

Hash128 checksum(std::string_view code, std::string_view data) {
  Hasher hasher;
  hasher.addString(code).addString(data);
  return hasher.finish128();
}

absl::Status folderError(const std::string &what, const std::string &path) {
  return systemError(what + " " + path, errno);
}

class File {
public:
  File(const std::string &path, int flags)
      // A pipe under an entry's name must not make anybody wait for its writer.
      : descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600)) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  explicit operator bool() const { return descriptor >= 0; }
  int number() const { return descriptor; }

  bool readAll(std::string &bytes) const {
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid())
      return false;
    bytes.resize(static_cast<size_t>(info.st_size));
    for (size_t done = 0; done < bytes.size();) {
      ssize_t count =
          ::pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (count == 0 || (count < 0 && errno != EINTR))
        return false;
      done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    return true;
  }

  bool writeAll(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR)
        return false;
      bytes.remove_prefix(count > 0 ? static_cast<size_t>(count) : 0);
    }
    return true;
  }

private:
  int descriptor;
};

/// Where one entry is being written: a folder that is locked as long as its writer lives, whatever
/// ends it. What is in it is removed by the destructor, or by a sweep that finds it without a lock.
class Workshop {
public:
  static std::optional<Workshop> make(const std::string &folder) {
    // A sweep may come between two of these steps, and take it for one that was left behind.
    constexpr int kTries = 16;
    for (int i = 0; i < kTries; ++i) {
      std::string path = folder + "/" + std::string(kTemporary) + "XXXXXX";
      if (!mkdtemp(path.data()))
        return std::nullopt;
      Workshop made(std::move(path));
      struct stat info;
      if (made.lock() != Lock::OfAnother && fstat(made.descriptor, &info) == 0 && info.st_nlink > 0)
        return made;
    }
    errno = EAGAIN;
    return std::nullopt;
  }
  Workshop(Workshop &&other) noexcept
      : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)) {}
  Workshop &operator=(Workshop &&) = delete;
  ~Workshop() {
    if (descriptor < 0)
      return;
    std::error_code error;
    fs::remove_all(path, error);
    ::close(descriptor);
  }

  std::string file(std::string_view name) const { return path + "/" + std::string(name); }

  /// Removes it where its writer is gone. A file system without locks does not tell: there it goes
  /// when it is old.
  static void sweep(const std::string &path, bool isOld) {
    Workshop found(path);
    if (found.descriptor < 0) {
      if (isOld)
        unlink(path.c_str()); // a file: earlier versions had no folders
      return;
    }
    Lock lock = found.lock();
    if (lock == Lock::OfAnother || (lock == Lock::Unknown && !isOld)) {
      ::close(found.descriptor);
      found.descriptor = -1;
    }
  }

private:
  enum class Lock { Ours, OfAnother, Unknown };

  explicit Workshop(std::string where)
      : path(std::move(where)),
        descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}

  Lock lock() const {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      return Lock::Ours;
    return errno == EWOULDBLOCK ? Lock::OfAnother : Lock::Unknown;
  }

  std::string path;
  int descriptor;
};

/// Marks the file as used now, so that others go first. To the hour is enough, and saves the write.
void touch(const File &file) {
  struct stat info;
  if (fstat(file.number(), &info) == 0 && info.st_mtime + 3600 < time(nullptr))
    futimens(file.number(), nullptr);
}

} // namespace

std::string codeFolderPath(const Config &config) {
  if (!config.cacheDir.empty())
    return config.cacheDir;
  if (const char *cache = getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::string(cache) + "/graphc/code";
  if (const char *home = getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/graphc/code";
  return std::string(kNoCache);
}

absl::StatusOr<std::unique_ptr<CodeFolder>> CodeFolder::open(const std::string &path,
                                                             uint64_t maxBytes) {
  std::error_code error;
  if (fs::path parent = fs::path(path).parent_path(); !parent.empty())
    fs::create_directories(parent, error);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return folderError("cannot make the folder", path);
  File folder(path, O_RDONLY | O_DIRECTORY);
  struct stat info;
  if (!folder || fstat(folder.number(), &info) != 0)
    return folderError("cannot open the folder", path);
  if (info.st_uid != geteuid())
    return makeError(ErrorKind::Io,
                     "the folder " + path + " belongs to another user; code in it is not run");
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return makeError(ErrorKind::Io,
                     "the folder " + path +
                         " can be written by other users; code in it is not run (chmod go-w it)");
  return std::unique_ptr<CodeFolder>(new CodeFolder(fs::absolute(path, error).string(), maxBytes));
}

std::shared_ptr<CodeFolder> CodeFolder::configured() {
  static auto &mutex = *new ShortMutex;
  static auto &last = *new std::pair<std::string, std::shared_ptr<CodeFolder>>;
  std::string path = codeFolderPath(config());
  std::lock_guard lock(mutex);
  if (path == last.first)
    return last.second;
  last = {path, nullptr};
  if (path == kNoCache)
    return nullptr;
  absl::StatusOr<std::unique_ptr<CodeFolder>> folder = open(path);
  if (folder.ok())
    last.second = *std::move(folder);
  else
    logWarning("compiled code is not kept: " + std::string(folder.status().message()));
  return last.second;
}

std::string CodeFolder::pathOf(const Hash128 &key, Kind kind) const {
  char name[40];
  snprintf(name, sizeof(name), "/%016llx%016llx", static_cast<unsigned long long>(key.high),
           static_cast<unsigned long long>(key.low));
  return folder + name + (kind == Kind::Object ? ".o" : ".so");
}

std::optional<CodeFolder::Entry> CodeFolder::find(const Hash128 &key, Kind kind) const {
  Entry entry;
  entry.path = pathOf(key, kind);
  File file(entry.path, O_RDONLY | O_NOFOLLOW);
  Trailer trailer;
  if (!file || !file.readAll(entry.code) || entry.code.size() < sizeof(trailer))
    return std::nullopt;
  size_t body = entry.code.size() - sizeof(trailer);
  std::memcpy(&trailer, entry.code.data() + body, sizeof(trailer));
  if (trailer.magic != Trailer::kMagic || !(trailer.key == key) || trailer.codeSize > body ||
      trailer.dataSize != body - trailer.codeSize)
    return std::nullopt;
  entry.data = entry.code.substr(trailer.codeSize, trailer.dataSize);
  entry.code.resize(trailer.codeSize);
  if (!(checksum(entry.code, entry.data) == trailer.checksum))
    return std::nullopt;
  touch(file);
  return entry;
}

absl::Status CodeFolder::store(const Hash128 &key, Kind kind, std::string_view data,
                               std::string_view code) {
  // Before writing, so that a process that is killed while it writes has removed what others left.
  if (stores++ % 32 == 0)
    removeUnfinished();
  if (isTurn(key, data.size() + code.size() + sizeof(Trailer)))
    removeOldest();
  std::string target = pathOf(key, kind);
  std::optional<Workshop> workshop = Workshop::make(folder);
  if (!workshop)
    return folderError("cannot write to", folder);
  std::string temporary = workshop->file(kind == Kind::Object ? "code.o" : "code.so");
  Trailer trailer;
  trailer.codeSize = code.size();
  trailer.dataSize = data.size();
  trailer.key = key;
  trailer.checksum = checksum(code, data);
  std::string_view end(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
  File file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file || !file.writeAll(code) || !file.writeAll(data) || !file.writeAll(end))
    return folderError("cannot write", temporary);
  if (rename(temporary.c_str(), target.c_str()) != 0)
    return folderError("cannot write", target);
  return absl::OkStatus();
}

/// Whether all entries are looked at before one of so many bytes is written: once while a sixteenth
/// of what may be kept is, on average, since its size need not be met exactly. Processes know
/// nothing of each other's entries, of which each may write few; but keys are random numbers.
bool CodeFolder::isTurn(const Hash128 &key, uint64_t bytes) const {
  constexpr double kTurns = 16;
  return std::ldexp(double(key.low), -64) * double(maxBytes) <= kTurns * double(bytes);
}

/// What processes that ended have left. Looks at names alone, of which there may be ten thousands.
void CodeFolder::removeUnfinished() const {
  DIR *names = opendir(folder.c_str());
  if (!names)
    return;
  const time_t anHourAgo = time(nullptr) - 3600;
  while (const dirent *entry = readdir(names)) {
    struct stat info;
    std::string path = std::string_view(entry->d_name).starts_with(kTemporary)
                           ? folder + "/" + entry->d_name
                           : std::string();
    if (!path.empty() && lstat(path.c_str(), &info) == 0)
      Workshop::sweep(path, info.st_mtim.tv_sec < anHourAgo);
  }
  closedir(names);
}

void CodeFolder::removeOldest() {
  std::unique_lock lock(removing, std::try_to_lock);
  if (!lock.owns_lock())
    return;
  struct Item {
    std::pair<time_t, long> used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<Item> items;
  uint64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry &file : fs::directory_iterator(folder, error)) {
    struct stat info;
    if (lstat(file.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue; // perhaps another process has removed it
    Item item{{info.st_mtim.tv_sec, info.st_mtim.tv_nsec}, uint64_t(info.st_size), file.path()};
    total += item.bytes;
    items.push_back(std::move(item));
  }
  if (total <= maxBytes)
    return;
  std::sort(items.begin(), items.end(),
            [](const Item &a, const Item &b) { return a.used < b.used; });
  // Down to three quarters, so that it is not done again at once.
  for (const Item &item : items) {
    if (total <= maxBytes / 4 * 3)
      break;
    if (fs::remove(item.path, error))
      total -= item.bytes;
  }
}

} // namespace graphc
