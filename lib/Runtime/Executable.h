//===- Executable.h - running a Program ---------------------------*- C++ -*-===//
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "Runtime/LoadedCode.h"
#include "Runtime/Program.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/CodeCall.h"

namespace graphc {

/// Counts of what an Executable did, over all threads.
struct RunCounters {
  std::atomic<int64_t> calls{0};
  std::atomic<int64_t> kernels{0};
  /// Calls of `directCall` by others, which are not among these.
  std::atomic<int64_t> directCalls{0};
  /// Forks whose branches ran side by side.
  std::atomic<int64_t> forks{0};
  /// Plans solved for new input shapes, and arenas allocated for calls.
  std::atomic<int64_t> plans{0};
  std::atomic<int64_t> arenas{0};
  /// Bytes of inputs that were made row-major and of arrays copied to outputs.
  std::atomic<int64_t> bytesCopied{0};
};

/// A program of a few kernels whose sizes are all known, called without a detour.
struct DirectCall : detail::CodeCall {
  int64_t numKernels = 0;
  bool isParallel = false; ///< with several threads it is better run otherwise
  bool isFor(int threads) const { return threads <= 1 || !isParallel; }
  /// Of several kernels, what `sizes` points to: DirectRun.cpp.
  std::vector<int64_t> table;
};

/// Whether a call with inputs as the program declares them can fail but for want of memory: where
/// sizes are not known, steps have checks, or host functions are called.
bool canFail(const Program &program);

struct RunProfile;

enum class OutputMemory { Fresh, Given };

/// By number: inputs that may share memory with results, and results that may share it with them,
/// with constants and with each other (F-163, F-171 to F-173).
struct Lending {
  std::vector<bool> inputs, outputs;
};

/// A Program joined with its code. Immutable but for caches; many threads may run it at once,
/// each call in its own arena.
class Executable {
public:
  /// `code->function(i)` is the code of `program.kernels[i]`. Internal error for a program that
  /// is not well-formed. Where products read copies of constants, they have those of `general`,
  /// which has the same constants.
  static absl::StatusOr<std::shared_ptr<const Executable>>
  create(Program program, std::shared_ptr<const LoadedCode> code,
         const Executable *general = nullptr);
  ~Executable();

  const Program &program() const;

  /// Runs on `inputs`, whose dtypes and ranks must be the program's (TypeError) and whose static
  /// extents must hold (ShapeError). Strided inputs are copied. `outputs` (as many as the
  /// program's) get fresh row-major tensors; after an error they are undefined tensors.
  /// With `OutputMemory::Given`, an output that is a row-major tensor of the result's dtype and
  /// shape is written to instead; it must share no memory with another output, nor with the inputs,
  /// unless it is the one that `Program::Output::over` says: if the call fails, that is as before.
  /// With `lending`, a result that is nothing but an input, a constant or another result is not
  /// copied, where both sides allow it.
  /// `threads` is the greatest number of threads that it uses. Only with `profile` steps are
  /// timed; it gets what ran, also of a call that fails.
  /// Errors: those of checks, with op, place and shapes; OutOfMemory; those of host calls.
  absl::Status run(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs, int threads = 1,
                   OutputMemory memory = OutputMemory::Fresh, RunProfile *profile = nullptr,
                   const Lending *lending = nullptr) const;

  /// The same on the caller's memory, where that is one call of code for extents that were seen
  /// just before: row-major arrays of the program's dtypes and ranks, at proper addresses, none of
  /// them empty, outputs apart from all others. The extents are those of all arrays, axis by axis.
  /// False, with nothing counted, where it is more than that, or fails: `run` does it then, or says
  /// why. Outputs may have been written to by then.
  bool runAtOnce(absl::Span<void *const> memory, absl::Span<const int64_t> inputExtents,
                 absl::Span<const int64_t> outputExtents, int threads) const;

  /// Null if the program is not a few kernels with known sizes that want at most 1 MB besides.
  const DirectCall *directCall() const;

  /// Another one of the same program and code; its counts, plans and arenas are its own.
  std::shared_ptr<const Executable> clone() const;
  /// Frees the arenas that no call is using.
  void free() const;
  /// Counts a call of `directCall`.
  void countDirectCall() const;

  const RunCounters &counters() const;

  struct Joined;
  struct State; // ExecutableState.h

private:
  explicit Executable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace graphc
