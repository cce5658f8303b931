//===- Runtime/CodeKey.cpp - what compiled code depends on ----------------===//
#include <dlfcn.h>
#include <string>
#include <sys/stat.h>

#include "Runtime/CodeFolder.h"
#include "Runtime/CpuIdentity.h"

namespace graphc {
namespace {

void addFile(Hasher &hasher, const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return;
  hasher.add(info.st_size).add(info.st_mtim.tv_sec).add(info.st_mtim.tv_nsec);
}

/// Size and time of this library's file and of the compiler's beside it: another build may compile
/// in another way, and a version number would be forgotten. The compiler need not be loaded for
/// that.
Hash128 build() {
  Hasher hasher;
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&codeKey), &info) && info.dli_fname) {
    std::string file = info.dli_fname;
    addFile(hasher, file);
    addFile(hasher, file.substr(0, file.rfind('/') + 1) + "libgraphc-compiler.so");
  }
  return hasher.finish128();
}

} // namespace

Hash128 codeKey(std::string_view content, std::string_view options, std::string_view target) {
  static const Hash128 thisBuild = build();
  Hasher hasher;
  hasher.add(thisBuild.low).add(thisBuild.high);
  hasher.addString(content).addString(options).addString(target);
  // What a better processor has left in a folder that this one sees, too, is not for this one.
  hasher.add(runsCodeFor(target));
  if (target == "native") {
    Hash128 cpu = cpuIdentity();
    hasher.add(cpu.low).add(cpu.high);
  }
  return hasher.finish128();
}

} // namespace graphc
