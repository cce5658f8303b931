//===- Runner.h - the modes in which a function runs --------------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>

#include "API/ProfileRecord.h"
#include "Kernels/CompilerInterface.h"
#include "Runtime/ProgramFile.h"
#include "Support/Hash.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graphc/Function.h"

namespace graphc {

/// A graph in a form that can be run: compiled, or interpreted. Thread-safe.
class Runner {
public:
  virtual ~Runner() = default;
  /// Arguments are of the inputs' types; results are fresh. With `OutputMemory::Given`, results
  /// that are row-major tensors as they should be may be written to instead. `lending`, if any, as
  /// for Executable::run.
  virtual absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                           OutputMemory memory, const Lending *lending) const = 0;
  /// Executable::runAtOnce.
  virtual bool runAtOnce(absl::Span<void *const> memory, absl::Span<const int64_t> inputExtents,
                         absl::Span<const int64_t> outputExtents) const {
    (void)memory, (void)inputExtents, (void)outputExtents;
    return false;
  }
  /// The input whose memory `run` may be given for a result, which is then computed in its place
  /// when nothing can fail any more; -1 for none.
  virtual int overwrites(size_t result) const {
    (void)result;
    return -1;
  }
  /// Fills `call` if the code can be called at once. Its versions may be there later where it
  /// cannot.
  virtual bool direct(detail::BoundCall &call) const = 0;
  // Where `direct` gave versions; extents are those of arguments and then of outputs.
  /// Counts a call of the code that `direct` gave.
  virtual void countBound(absl::Span<const int64_t> extents) const { (void)extents; }
  /// Whether there is a version, which later calls find if it is one call of code.
  virtual bool findVersion(absl::Span<const int64_t> extents) const {
    (void)extents;
    return false;
  }
  /// Whether a call with arguments of the inputs' types can fail, but for want of memory.
  virtual bool canFail() const = 0;
  /// Gives back memory that calls have left for later ones.
  virtual void free() const {}
  /// Of code that `direct` gave, or of one of its versions: adds to `counters`.
  virtual void countCall(const detail::BoundCall &call) const { (void)call; }
  virtual Function::Counters counters() const = 0;
  /// The same code for another function, which writes to `profile`, unless that is null. It has
  /// counts and memory of its own unless it `sharesMemory`.
  virtual std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                             bool sharesMemory) const = 0;
};

/// ValueError for a name that no mode has, KeyError for unknown rewrites.
absl::Status checkMode(const Mode &mode);
/// ValueError for negative threads or specialisations.
absl::Status checkLimits(const FunctionOptions &options);
/// All of that, and ValueError for an unknown target.
absl::Status checkOptions(const FunctionOptions &options);
/// Whether a function of this mode is a program and its code.
bool hasCode(const Mode &mode);
/// That program; an empty one if it has host callbacks. Errors as those of makeRunner.
absl::StatusOr<ProgramImage> compileImage(const GraphModule &module,
                                          const FunctionOptions &options);

/// The graph that is compiled: after the rewrites of the mode, but for large constants and loops.
absl::StatusOr<FunctionGraph> rewrittenGraph(const GraphModule &module,
                                             const FunctionOptions &options,
                                             std::map<int, int> updateMapping = {});

/// Compiles, and puts the whole program into the user's cache folder under `storeAs`, if given.
/// Writes stages, and later calls, to `profile`, unless that is null.
/// ValueError for an unknown mode or target and negative threads or specialisations; what compiling
/// raises.
absl::StatusOr<std::unique_ptr<const Runner>> makeRunner(const GraphModule &module,
                                                         const FunctionOptions &options,
                                                         const std::optional<Hash128> &storeAs,
                                                         std::shared_ptr<ProfilePart> profile);
/// Of a program that was compiled before. ValueError for negative threads or specialisations.
absl::StatusOr<std::unique_ptr<const Runner>>
runnerOf(std::shared_ptr<const Executable> executable, const FunctionOptions &options,
         std::shared_ptr<ProfilePart> profile = {},
         std::shared_ptr<const Specialiser> specialiser = {});

} // namespace graphc
