//===- Invoker.h - calls of a function with its slots -------------*- C++ -*-===//
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "API/Resolve.h"
#include "API/Runner.h"
#include "Support/Fork.h"
#include "absl/functional/function_ref.h"

namespace graphc {

/// Joins the graph that a Runner runs with the values in containers. Thread-safe.
class Invoker {
public:
  /// The runner's first results of `numResults` are the function's outputs; by output, whether it
  /// is borrowed (F-171).
  /// `explain` adds to the error of a run with these arguments, if it is there.
  using Explain = std::function<absl::Status(const absl::Status &, absl::Span<const Tensor>)>;
  Invoker(std::shared_ptr<const Runner> runner, std::vector<Slot> slots,
          std::vector<bool> areBorrowed, size_t numResults, Explain explain);
  ~Invoker();

  const Runner &runner() const { return *runner_; }
  size_t numResults() const { return numResults_; }
  const std::vector<bool> &areBorrowed() const { return areBorrowed_; }
  const std::vector<Slot> &slots() const { return slots_; }
  /// Whether there is no container: a call is a run.
  bool isPlain() const { return containers_.empty(); }
  /// Whether results may be the memory of arguments or of each other.
  bool mayShareMemory() const { return !reuses_.empty() || lending_; }

  /// Gives back memory that calls have left for later ones.
  void free() const;

  /// What a caller says to the outputs of a run, by an error that they may not be.
  using Accept = absl::FunctionRef<absl::Status(absl::Span<const Tensor> outputs)>;
  /// `arguments` are of the types of the slots that take one, in their order; undefined where the
  /// container's value is wanted. Results as Runner::run gives them. All next values are stored
  /// when the run has succeeded and its outputs are accepted (null: they are), or none. Throws for
  /// want of memory, before any is stored.
  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory, const Accept *accept = nullptr) const;

private:
  struct Frame;
  std::unique_ptr<Frame> takeFrame() const;
  /// `mayShare`: whether results may share memory with what says so.
  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results, bool mayShare,
                   const Accept *accept, Frame &frame) const;
  void findReuses();
  bool mayReplace(size_t slot) const;
  absl::Status moveValues(Frame &frame) const;
  absl::Status runPlain(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                        OutputMemory memory) const;
  void takeArguments(absl::Span<const Tensor> arguments, absl::Span<Tensor> results) const;
  void borrowArguments(absl::Span<const Tensor> arguments, absl::Span<const Tensor> inputs,
                       absl::Span<Tensor> results) const;

  absl::Status explained(const absl::Status &error, absl::Span<const Tensor> arguments) const {
    return error.ok() || !explain_ ? error : explain_(error, arguments);
  }

  std::shared_ptr<const Runner> runner_;
  Explain explain_;
  std::vector<Slot> slots_;
  std::vector<bool> areBorrowed_; // by output
  size_t numInputs_ = 0, numResults_;
  /// A result that may be computed over an argument, which is that input.
  struct Reuse {
    size_t argument, input, result;
  };
  std::vector<Reuse> reuses_;
  /// Where an output is borrowed.
  std::optional<Lending> lending_;
  /// By container that is read or updated: its slot.
  std::vector<detail::Container *> containers_;
  std::vector<size_t> containerSlots_;
  /// Those that are updated, and their slots.
  std::vector<detail::Access::Update> updates_;
  std::vector<size_t> updatedSlots_;
  detail::Access access_;

  mutable ShortMutex mutex_;
  /// Frames that wait for a call, so that calls allocate nothing.
  mutable std::vector<std::unique_ptr<Frame>> frames_;
  mutable size_t numFrames_ = 0; // that have been made: there is room for all
};

/// OutOfMemory for what is no array: tables and messages.
absl::Status noMemoryForCall();

} // namespace graphc
