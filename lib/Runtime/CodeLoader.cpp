//===- Runtime/CodeLoader.cpp - loading shared objects --------------------===//
#include "Runtime/CodeLoader.h"

#include <dlfcn.h>

#include "graphc/Status.h"

namespace graphc {
namespace {

/// Closes the library when the last user has gone.
struct Closer {
  void operator()(void *library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, Closer>;

class SharedObjectCode : public LoadedCode {
public:
  SharedObjectCode(std::vector<KernelFunction> functions, Library library)
      : LoadedCode(std::move(functions)), library(std::move(library)) {}

private:
  Library library;
};

} // namespace

absl::StatusOr<std::shared_ptr<const LoadedCode>>
loadSharedObject(const std::string &path, absl::Span<const std::string> names) {
  // RTLD_LOCAL: the names of kernels in different files may be the same.
  Library library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library)
    return makeError(ErrorKind::Io, std::string("cannot load compiled code: ") + dlerror());
  std::vector<KernelFunction> functions;
  for (const std::string &name : names) {
    void *symbol = dlsym(library.get(), name.c_str());
    if (!symbol)
      return makeError(ErrorKind::Internal, path + " has no kernel '" + name + "'");
    functions.push_back(reinterpret_cast<KernelFunction>(symbol));
  }
  return std::make_shared<SharedObjectCode>(std::move(functions), std::move(library));
}

} // namespace graphc
