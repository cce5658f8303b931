//===- Runner.h - the modes in which a function runs --------------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>

#include "API/ProfileRecord.h"
#include "Runtime/Executable.h"
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
  /// that are row-major tensors as they should be may be written to instead.
  virtual absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                           OutputMemory memory) const = 0;
  /// Fills `call` if the code can be called at once and cannot fail.
  virtual bool direct(detail::BoundCall &call) const = 0;
  /// Whether a call with arguments of the inputs' types can fail, but for want of memory.
  virtual bool canFail() const = 0;
  virtual Function::Counters counters() const = 0;
  /// The same code for another function, which writes to `profile`, unless that is null.
  virtual std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile) const = 0;
};

/// Compiles, and puts the whole program into the user's cache folder under `storeAs`, if given.
/// Writes stages, and later calls, to `profile`, unless that is null.
/// ValueError for an unknown mode or target and negative threads; what compiling raises.
absl::StatusOr<std::unique_ptr<const Runner>> makeRunner(const GraphModule &module,
                                                         const FunctionOptions &options,
                                                         const std::optional<Hash128> &storeAs,
                                                         std::shared_ptr<ProfilePart> profile);
/// Of a program that was compiled before. ValueError for negative threads.
absl::StatusOr<std::unique_ptr<const Runner>> runnerOf(std::shared_ptr<const Executable> executable,
                                                       const FunctionOptions &options,
                                                       std::shared_ptr<ProfilePart> profile = {});

} // namespace graphc
