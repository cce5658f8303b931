//===- JIT/Linker.cpp - objects to one file -------------------------------===//
#include "JIT/Linker.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

#include "JIT/Target.h"
#include "Support/SystemError.h"
#include "graphc/Status.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ELF/ELFConfig.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
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
    return systemError("cannot hand an object to the linker", errno);
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
        "code can be linked for this machine's processor only; write an object (--emit=obj)");
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
  // The one mistake that can be the user's: "PATH: why" follows.
  constexpr std::string_view kCannotOpen = "ld.lld: error: cannot open output file ";
  if (text.starts_with(kCannotOpen)) {
    std::string why = text.substr(kCannotOpen.size());
    for (int number : {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ENOSPC})
      if (why.ends_with(strerror(number)))
        return ioError(why, number);
    return ioError(why, EIO);
  }
  return makeError(ErrorKind::Internal, "cannot link: " + text);
}

/// Makes `path` of `objects` and `libraries`, as `options` say.
absl::Status link(absl::Span<const std::string> objects, const std::string &path,
                  llvm::ArrayRef<const char *> options, llvm::ArrayRef<std::string> libraries) {
  std::vector<MemoryFile> files(objects.size());
  std::vector<std::string> paths;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (absl::Status status = files[i].write(objects[i]); !status.ok())
      return status;
    paths.push_back(files[i].path());
  }
  llvm::SmallVector<const char *> arguments = {"ld.lld", "--threads=1", "-o", path.c_str()};
  arguments.append(options.begin(), options.end());
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  for (const std::string &library : libraries)
    arguments.push_back(library.c_str());
  return runLld(arguments);
}

/// Links to libc and libm, with what holds for all that is loaded.
absl::Status linkToLoad(absl::Span<const std::string> objects, const std::string &path,
                        llvm::ArrayRef<const char *> kind) {
  absl::StatusOr<std::string> libm =
      libraryOf(reinterpret_cast<void *>(static_cast<double (*)(double)>(&::sin)), "sin");
  if (!libm.ok())
    return libm.status();
  // Functions of which sanitizers have no copy in the program.
  absl::StatusOr<std::string> libc = libraryOf(reinterpret_cast<void *>(&::getppid), "getppid");
  if (!libc.ok())
    return libc.status();
  for (const std::string &object : objects)
    if (absl::Status status = checkMachine(object); !status.ok())
      return status;
  llvm::SmallVector<const char *> options = {
      "--build-id=none", "--hash-style=gnu", "-z", "now", "-z", "defs", "--as-needed"};
  options.append(kind.begin(), kind.end());
  return link(objects, path, options, {*libm, *libc});
}

} // namespace

absl::Status linkSharedObject(absl::Span<const std::string> objects, const std::string &path,
                              const std::string &soName) {
  llvm::SmallVector<const char *> options = {"-shared"};
  if (!soName.empty())
    options.append({"-soname", soName.c_str()});
  return linkToLoad(objects, path, options);
}

absl::Status linkExecutable(absl::Span<const std::string> objects, const std::string &path) {
  // The processor's own ABI says where it is.
  const char *interpreter =
      hostTarget().isAArch64 ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
  return linkToLoad(objects, path, {"-pie", "--dynamic-linker", interpreter});
}

absl::StatusOr<std::string> mergeObjects(absl::Span<const std::string> objects,
                                         absl::Span<const std::string> globals) {
  // A file with a name: lld makes its results beside their place and renames them.
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("graphc", "o", path))
    return makeError(ErrorKind::Io, "cannot merge objects: " + error.message());
  llvm::FileRemover remover(path);
  if (absl::Status status = link(objects, path.str().str(), {"-r"}, {}); !status.ok())
    return status;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> merged =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!merged)
    return makeError(ErrorKind::Io, "cannot merge objects: " + merged.getError().message());

  llvm::objcopy::CommonConfig config;
  for (const std::string &name : globals)
    if (llvm::Error error = config.SymbolsToKeepGlobal.addMatcher(
            llvm::objcopy::NameOrPattern::create(name, llvm::objcopy::MatchStyle::Literal, {})))
      return makeError(ErrorKind::Internal, llvm::toString(std::move(error)));
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> elf =
      llvm::object::ObjectFile::createELFObjectFile(**merged);
  if (!elf)
    return makeError(ErrorKind::Internal, "merged object: " + llvm::toString(elf.takeError()));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  if (llvm::Error error = llvm::objcopy::elf::executeObjcopyOnBinary(
          config, {}, llvm::cast<llvm::object::ELFObjectFileBase>(**elf), out))
    return makeError(ErrorKind::Internal, "merged object: " + llvm::toString(std::move(error)));
  return std::string(bytes.begin(), bytes.end());
}

} // namespace graphc
