//===- StoreProgram.cpp ---------------------------------------------------===//
#include "StoreProgram.h"

#include "JIT/Linker.h"
#include "Runtime/CodeFolder.h"
#include "Runtime/ProgramFile.h"
#include "Support/Log.h"

namespace graphc {
namespace {

/// Constants beyond this are read again from the user's file rather than kept twice.
constexpr size_t kMaxStoredBytes = size_t(16) << 20;

/// All kernels as one shared object.
absl::StatusOr<std::string> linkCode(ProgramCode code) {
  std::vector<std::string> objects;
  for (const std::shared_ptr<const CachedKernel> &kernel : code)
    objects.insert(objects.end(), kernel->objects.begin(), kernel->objects.end());
  return linkSharedObject(objects);
}

} // namespace

void storeProgram(const Program &program, ProgramCode code, const Hash128 &key) {
  std::shared_ptr<CodeFolder> folder = CodeFolder::configured();
  if (!folder || code.empty())
    return;
  std::optional<std::string> bytes = programToBytes(program);
  if (!bytes || bytes->size() > kMaxStoredBytes)
    return;
  absl::StatusOr<std::string> linked = linkCode(code);
  absl::Status stored = linked.ok() ? folder->store(key, CodeFolder::Kind::Library, *bytes, *linked)
                                    : linked.status();
  if (!stored.ok())
    logWarning("a compiled program is not kept: " + std::string(stored.message()));
}

absl::StatusOr<ProgramImage> imageOf(const Program &program, ProgramCode code) {
  std::optional<std::string> bytes = programToBytes(program);
  if (!bytes)
    return ProgramImage();
  ProgramImage image{*std::move(bytes), ""};
  if (code.empty())
    return image;
  absl::StatusOr<std::string> linked = linkCode(code);
  if (!linked.ok())
    return linked.status();
  image.code = *std::move(linked);
  return image;
}

} // namespace graphc
