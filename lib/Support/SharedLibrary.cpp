//===- SharedLibrary.cpp --------------------------------------------------===//
#include "Support/SharedLibrary.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <sys/auxv.h>

#include "Support/SystemError.h"
#include "graphc/Status.h"

namespace graphc {

namespace fs = std::filesystem;

std::string companionPath(const std::string &file) {
  static const int here = 0;
  std::error_code ignored;
  Dl_info info;
  link_map *self = nullptr;
  bool found = dladdr1(&here, &info, reinterpret_cast<void **>(&self), RTLD_DL_LINKMAP) != 0;
  if (found && self && *self->l_name)
    return (fs::path(self->l_name).parent_path() / file).string();
  // The loader has no name for the program, unless it was started itself, with the program as its
  // first argument.
  bool isLoaders = found && getauxval(AT_BASE) == 0;
  fs::path program = isLoaders ? fs::canonical(info.dli_fname, ignored)
                               : fs::read_symlink("/proc/self/exe", ignored);
  program = program.parent_path();
  fs::path built = program / "../lib" / file, installed = program / GRAPHC_LIBRARY_FOLDER / file;
  return (fs::exists(built, ignored) ? built : installed).lexically_normal().string();
}

absl::StatusOr<void *> loadOwnSymbol(const std::string &file, const std::string &symbol) {
  std::string path = companionPath(file);
  // LOCAL: another LLVM in the process must not meet this one. NODELETE: LLVM's static objects do
  // not survive being unloaded.
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    std::string why =
        file + " cannot be loaded: " + dlerror() + "; it is installed beside libgraphc";
    std::error_code ignored;
    // dlopen says it in words alone. What is there may lack a library that it needs itself.
    return ioError(why, fs::exists(path, ignored) ? ELIBACC : ENOENT);
  }
  void *address = dlsym(library, symbol.c_str());
  if (!address)
    return makeError(ErrorKind::Io, path + " is of another version: it lacks " + symbol);
  return address;
}

} // namespace graphc
