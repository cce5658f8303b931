//===- JIT/Linker.cpp - objects to a shared object ------------------------===//
#include "JIT/Linker.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

#include "JIT/Target.h"
#include "graphc/Status.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace graphc {
namespace {

/// A file in memory that has a path, which is what lld takes.
class MemoryFile {
public:
  MemoryFile() = default;
  MemoryFile(MemoryFile &&other) : descriptor(std::exchange(other.descriptor, -1)) {}
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  absl::Status write(const std::string &bytes) {
    descriptor = memfd_create("graphc-object", MFD_CLOEXEC);
    if (descriptor < 0)
      return failure();
    for (size_t done = 0; done < bytes.size();) {
      ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno != EINTR)
        return failure();
      done += count < 0 ? 0 : static_cast<size_t>(count);
    }
    return absl::OkStatus();
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  static absl::Status failure() {
    return makeError(ErrorKind::Io,
                     std::string("cannot hand an object to the linker: ") + strerror(errno));
  }
  int descriptor = -1;
};

/// The file of this process's library that has `function`.
absl::StatusOr<std::string> libraryOf(void *function, const char *name) {
  Dl_info info;
  if (!dladdr(function, &info) || !info.dli_fname)
    return makeError(ErrorKind::Internal, std::string("cannot find the file of ") + name);
  return std::string(info.dli_fname);
}

absl::Status checkMachine(const std::string &object) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  if (!file)
    return makeError(ErrorKind::Internal, "cannot link: " + llvm::toString(file.takeError()));
  if ((*file)->getArch() != llvm::Triple(hostTarget().triple).getArch())
    return makeError(
        ErrorKind::NotSupported,
        "shared objects can be linked for this machine's processor only; write an object");
  return absl::OkStatus();
}

absl::Status runLld(llvm::ArrayRef<const char *> arguments) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard lock(mutex);
  if (!usable)
    return makeError(ErrorKind::Internal, "the linker has crashed before in this process");
  std::string text;
  llvm::raw_string_ostream out(text);
  lld::Result result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0)
    return absl::OkStatus();
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return makeError(ErrorKind::Internal, "cannot link: " + text);
}

} // namespace

absl::Status linkSharedObject(absl::Span<const std::string> objects, const std::string &path,
                              const std::string &soName) {
  absl::StatusOr<std::string> libm =
      libraryOf(reinterpret_cast<void *>(static_cast<double (*)(double)>(&::sin)), "sin");
  if (!libm.ok())
    return libm.status();
  absl::StatusOr<std::string> libc = libraryOf(reinterpret_cast<void *>(&::write), "write");
  if (!libc.ok())
    return libc.status();

  std::vector<MemoryFile> files(objects.size());
  std::vector<std::string> paths;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (absl::Status status = checkMachine(objects[i]); !status.ok())
      return status;
    if (absl::Status status = files[i].write(objects[i]); !status.ok())
      return status;
    paths.push_back(files[i].path());
  }

  llvm::SmallVector<const char *> arguments = {
      "ld.lld", "-shared", "-o", path.c_str(), "--build-id=none", "--hash-style=gnu", "--threads=1",
      "-z",     "now",     "-z", "defs",       "--as-needed"};
  if (!soName.empty())
    arguments.append({"-soname", soName.c_str()});
  for (const std::string &object : paths)
    arguments.push_back(object.c_str());
  arguments.append({libm->c_str(), libc->c_str()});
  return runLld(arguments);
}

} // namespace graphc
