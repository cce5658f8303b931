//===- SharedLibrary.cpp --------------------------------------------------===//
#include "SharedLibrary.h"

#include <dlfcn.h>
#include <filesystem>

#include "Support/SystemError.h"
#include "graphc/Status.h"

namespace graphc {

absl::StatusOr<void *> loadOwnSymbol(const std::string &file, const std::string &symbol) {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void *>(&loadOwnSymbol), &self) || !self.dli_fname)
    return makeError(ErrorKind::Internal, "the folder of libgraphc cannot be found");
  std::string path = (std::filesystem::path(self.dli_fname).parent_path() / file).string();
  // LOCAL: another LLVM in the process must not meet this one. NODELETE: LLVM's static objects do
  // not survive being unloaded.
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    std::string why =
        file + " cannot be loaded: " + dlerror() + "; it is installed beside libgraphc";
    std::error_code ignored;
    // dlopen says it in words alone. What is there may lack a library that it needs itself.
    return ioError(why, std::filesystem::exists(path, ignored) ? ELIBACC : ENOENT);
  }
  void *address = dlsym(library, symbol.c_str());
  if (!address)
    return makeError(ErrorKind::Io, path + " is of another version: it lacks " + symbol);
  return address;
}

} // namespace graphc
