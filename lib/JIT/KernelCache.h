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
#include "Support/CopiedOperands.h"
#include "Support/Hash.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace graphc {

/// A kernel's code.
struct CompiledKernel {
  /// For each scratch buffer that the code wants after the outputs: its size in bytes is the
  /// product of `bytes` and the kernel's size arguments with these numbers.
  struct Scratch {
    int64_t bytes;
    std::vector<int32_t> sizeArguments;
    /// It is wanted only where the product of these size arguments is greater than `limit`.
    int64_t limit = -1;
    std::vector<int32_t> limited = {};
    /// As Program::Step::Scratch's.
    KeptForm kept = {};
  };
  std::string symbol; ///< in an object; of the kernel that was compiled first among equal ones
  std::vector<std::string> objects; ///< bytes of ELF files, which call each other
  std::vector<Scratch> scratch;
};

/// A compiled kernel that can be called.
struct CachedKernel : CompiledKernel {
  std::shared_ptr<const LoadedCode> code; ///< one function
};

/// The kernels of the process, by key: those in use, those used lately, and those in a folder. A
/// kernel that two threads want at the same time is compiled by one of them.
class KernelCache {
public:
  /// The process's.
  static KernelCache &shared();

  /// Forgets kernels that nobody uses while it has more than `maxKernels` in all.
  explicit KernelCache(size_t maxKernels = 4096) : maxKernels(maxKernels) {}

  /// Makes kernel number `index` on up to `threads` threads, or is called from several at once.
  using Compile = absl::FunctionRef<absl::StatusOr<CompiledKernel>(size_t index, int threads)>;

  /// The kernels, in order of their keys: codeKeys of kernels without their names, for a target
  /// that runs here. What neither the process nor `folder` (may be null) has is compiled, on up to
  /// `threads` threads, and stored. Errors: the first of `compile` and of loading, in the
  /// order of keys; Cancelled, of which nothing is kept; a folder that cannot be written to is
  /// warned about. Thread-safe.
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
  get(absl::Span<const Hash128> keys, CodeFolder *folder, int threads, Compile compile);

  /// Since the cache was made.
  struct Counters {
    int64_t found = 0;    ///< in the process; also those that another thread was compiling
    int64_t read = 0;     ///< from a folder
    int64_t compiled = 0; ///< newly
  };
  Counters counters() const;

private:
  struct Slot;
  absl::StatusOr<std::vector<std::shared_ptr<const CachedKernel>>>
  tryGet(absl::Span<const Hash128> keys, CodeFolder *folder, int threads, Compile compile);
  absl::StatusOr<CachedKernel> make(const Hash128 &key, CodeFolder *folder, size_t index,
                                    int threads, Compile compile);
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
