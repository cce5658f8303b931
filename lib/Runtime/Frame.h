//===- Frame.h - the memory of one call under a plan --------------*- C++ -*-===//
#pragma once

#include <memory>
#include <vector>

#include "Runtime/ArrayMemory.h"
#include "Runtime/Plan.h"

namespace graphc {

/// An arena and the kernels' pointers into it; inputs and outputs are written in for each call.
class Frame {
public:
  /// OutOfMemory, or a frame for `plan`, which must live as long.
  static absl::StatusOr<std::unique_ptr<Frame>> create(const Program &program, const Plan &plan);

  void **pointersOf(const Plan::StepPlan &step) { return pointers_.data() + step.firstPointer; }
  void setInputs(absl::Span<void *const> memory) { patch(inputs_, memory); }
  void setOutputs(absl::Span<void *const> memory) { patch(outputs_, memory); }
  /// By array.
  void setEarlier(absl::Span<void *const> memory) { patch(earlier_, memory); }
  char *arena() const { return arena_.data(); }
  /// Where steps find the memory of the inputs, and of the outputs: `position` in `pointers`, the
  /// number of the input or output, and the bytes of it that are before what the step has.
  struct Patch {
    int64_t position, source, begin;
  };
  absl::Span<const Patch> inputs() const { return inputs_; }
  absl::Span<const Patch> outputs() const { return outputs_; }
  void **pointers() { return pointers_.data(); }

  /// Pointers of one step for `thread` >= 1, with scratch of its own; false where there is no
  /// memory. `prepareThreads` comes first.
  bool prepareThreads(int threads);
  void pointersFor(const Plan::StepPlan &step, int thread, void **result) const;

private:
  void patch(const std::vector<Patch> &patches, absl::Span<void *const> memory) {
    for (const Patch &p : patches)
      pointers_[size_t(p.position)] = static_cast<char *>(memory[size_t(p.source)]) + p.begin;
  }

  const Plan *plan_ = nullptr;
  ArrayMemory arena_, scratch_, threadScratch_;
  std::vector<void *> pointers_;
  std::vector<Patch> inputs_, outputs_, earlier_;
};

} // namespace graphc
