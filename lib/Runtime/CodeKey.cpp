//===- Runtime/CodeKey.cpp - what compiled code depends on ----------------===//
#include <string>
#include <sys/stat.h>

#include "Runtime/BuildIdentity.h"
#include "Runtime/CodeFolder.h"
#include "Runtime/CpuIdentity.h"
#include "Support/SharedLibrary.h"

namespace graphc {
namespace {

void addFile(Hasher &hasher, const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return;
  hasher.add(info.st_size).add(info.st_mtim.tv_sec).add(info.st_mtim.tv_nsec);
}

/// This library's build id, and size and time of the compiler's file, which need not be loaded for
/// that: another build may compile in another way, and a version number would be forgotten.
Hash128 build() {
  Hash128 own = buildIdentity();
  Hasher hasher;
  hasher.add(own.low).add(own.high);
  if (own == Hash128()) // linked without one
    addFile(hasher, companionPath("libgraphc.so"));
  addFile(hasher, companionPath("libgraphc-compiler.so"));
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
