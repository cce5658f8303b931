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
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

// lld, our only user of LLVM's FileOutputBuffer, maps the file that it writes, whatever its options
// say: where the disk is full, that ends the process (SIGBUS). This is the function of LLVM's by
// which it makes a file, for our copy of LLVM: files that are linked here stay in memory.
static llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> makeInMemory(llvm::StringRef path,
                                                                            size_t size);
namespace llvm {
Expected<std::unique_ptr<FileOutputBuffer>> FileOutputBuffer::create(StringRef path, size_t size,
                                                                     unsigned) {
  return makeInMemory(path, size);
}
} // namespace llvm

namespace graphc {
namespace {

/// A file in memory that has a path, which is what lld takes.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("graphc-object", MFD_CLOEXEC)), error(errno) {}
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  absl::Status write(const std::string &bytes) {
    if (descriptor < 0)
      return noRoom(error);
    for (size_t done = 0; done < bytes.size();) {
      ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno != EINTR)
        return noRoom(errno);
      done += count < 0 ? 0 : static_cast<size_t>(count);
    }
    return absl::OkStatus();
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  static absl::Status noRoom(int number) {
    return systemError("cannot hand an object to the linker", number);
  }
  int descriptor, error;
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

/// What lld writes, in memory.
class LinkedBytes : public llvm::FileOutputBuffer {
public:
  using Bytes = std::unique_ptr<llvm::WritableMemoryBuffer>;

  LinkedBytes(llvm::StringRef path, Bytes room)
      : FileOutputBuffer(path), bytes(std::move(room)),
        start(reinterpret_cast<uint8_t *>(bytes->getBufferStart())), size(bytes->getBufferSize()) {}

  uint8_t *getBufferStart() const override { return start; }
  uint8_t *getBufferEnd() const override { return start + size; }
  size_t getBufferSize() const override { return size; }
  llvm::Error commit() override {
    last() = std::move(bytes);
    return llvm::Error::success();
  }

  /// What was committed last, in the one link that runs.
  static Bytes &last() {
    static Bytes made;
    return made;
  }

private:
  Bytes bytes;
  uint8_t *start;
  size_t size;
};

absl::StatusOr<std::string> runLld(llvm::ArrayRef<const char *> arguments) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard lock(mutex);
  if (!usable)
    return makeError(ErrorKind::Internal, "the linker has crashed before in this process");
  std::string text;
  llvm::raw_string_ostream out(text);
  lld::Result result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  const LinkedBytes::Bytes made = std::exchange(LinkedBytes::last(), nullptr);
  if (result.retCode == 0 && made)
    return std::string(made->getBufferStart(), made->getBufferSize());
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return makeError(ErrorKind::Internal, "cannot link: " + text);
}

/// One file of `objects` and `libraries`, as `options` say.
absl::StatusOr<std::string> link(absl::Span<const std::string> objects,
                                 llvm::ArrayRef<const char *> options,
                                 llvm::ArrayRef<std::string> libraries) {
  std::vector<MemoryFile> files(objects.size());
  std::vector<std::string> paths;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (absl::Status status = files[i].write(objects[i]); !status.ok())
      return status;
    paths.push_back(files[i].path());
  }
  llvm::SmallVector<const char *> arguments = {"ld.lld", "--threads=1", "-o", "/dev/null/linked"};
  arguments.append(options.begin(), options.end());
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  for (const std::string &library : libraries)
    arguments.push_back(library.c_str());
  return runLld(arguments);
}

/// Links to libc and libm, with what holds for all that is loaded.
absl::StatusOr<std::string> linkToLoad(absl::Span<const std::string> objects,
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
  return link(objects, options, {*libm, *libc});
}

} // namespace

absl::StatusOr<std::string> linkSharedObject(absl::Span<const std::string> objects,
                                             const std::string &soName) {
  llvm::SmallVector<const char *> options = {"-shared"};
  if (!soName.empty())
    options.append({"-soname", soName.c_str()});
  return linkToLoad(objects, options);
}

absl::StatusOr<std::string> linkExecutable(absl::Span<const std::string> objects) {
  // The processor's own ABI says where it is.
  const char *interpreter =
      hostTarget().isAArch64 ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
  return linkToLoad(objects, {"-pie", "--dynamic-linker", interpreter});
}

absl::StatusOr<std::string> mergeObjects(absl::Span<const std::string> objects,
                                         absl::Span<const std::string> globals) {
  absl::StatusOr<std::string> merged = link(objects, {"-r"}, {});
  if (!merged.ok())
    return merged;
  llvm::objcopy::CommonConfig config;
  for (const std::string &name : globals)
    if (llvm::Error error = config.SymbolsToKeepGlobal.addMatcher(
            llvm::objcopy::NameOrPattern::create(name, llvm::objcopy::MatchStyle::Literal, {})))
      return makeError(ErrorKind::Internal, llvm::toString(std::move(error)));
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> elf =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(*merged, "merged"));
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

static llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>> makeInMemory(llvm::StringRef path,
                                                                            size_t size) {
  auto room = llvm::WritableMemoryBuffer::getNewMemBuffer(size); // zeros, as a new file has
  if (!room)
    return llvm::errorCodeToError(std::make_error_code(std::errc::not_enough_memory));
  return std::make_unique<graphc::LinkedBytes>(path, std::move(room));
}
