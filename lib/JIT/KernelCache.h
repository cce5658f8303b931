//===- JIT/KernelCache.h - each kernel compiled once ------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "Runtime/CodeFolder.h"
#include "Runtime/LoadedCode.h"
#include "Support/Hash.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// A compiled kernel, ready to be called and to be linked into a file.
struct CachedKernel {
  std::string symbol; ///< in `object`; of the kernel that was compiled first among equal ones
  std::string object;
  std::shared_ptr<const LoadedCode> code; ///< one function
};

/// The kernels of the process, by key: those in use, those used lately, and those in a folder. A
/// kernel that two threads want at the same time is compiled by one of them.
class KernelCache {
public:
  /// The process's.
  static KernelCache &shared();

  /// Keeps at most about `maxKernels` kernels that nobody uses.
  explicit KernelCache(size_t maxKernels = 4096) : maxKernels(maxKernels) {}

  struct Request {
    Hash128 key;        ///< codeKey of the kernel without its name, for a target that runs here
    std::string symbol; ///< that `compile` gives it
  };
  /// Returns the object with request number `index`'s kernel; called from several threads at once.
  using Compile = absl::FunctionRef<absl::StatusOr<std::string>(size_t index)>;

  /// The kernels, in order. What neither the process nor `folder` (may be null) has is compiled, on
  /// up to `threads` threads, and stored. Errors: the first of `compile` and of loading, in the
  /// order of requests; a folder that cannot be written to is warned about. Thread-safe.
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
  get(absl::Span<const Request> requests, CodeFolder *folder, int threads, Compile compile);

  /// Since the cache was made.
  struct Counters {
    int64_t found = 0;    ///< in the process; also those that another thread was compiling
    int64_t read = 0;     ///< from a folder
    int64_t compiled = 0; ///< newly
  };
  Counters counters() const;

private:
  struct Slot;
  absl::StatusOr<CachedKernel> make(const Request &request, CodeFolder *folder, size_t index,
                                    Compile compile);
  void forgetOldest();

  struct Hash {
    size_t operator()(const Hash128 &key) const { return key.low; }
  };
  const size_t maxKernels;
  mutable std::mutex mutex; // guards what follows
  absl::flat_hash_map<Hash128, std::shared_ptr<Slot>, Hash> slots;
  std::deque<Hash128> order; // of `slots`, oldest first
  Counters counts;
};

/// The code of all kernels, for Executable::create.
std::shared_ptr<const LoadedCode>
codeOf(absl::Span<const std::shared_ptr<const CachedKernel>> kernels);

} // namespace graphc
