//===- BodyRun.h - a body of a branch or loop, run many times -----*- C++ -*-===//
#pragma once

#include <vector>

#include "Runtime/ExecutableState.h"

namespace graphc {

/// Runs of a body on inputs of the same shapes, each on memory that it is given. Plans and frames
/// are those that the body keeps; runs with the same plan as the one before allocate nothing.
class BodyRun {
public:
  /// `profile`: null, or what runs tell of their steps.
  BodyRun(const Executable::State &body, int threads, RunProfile *profile)
      : body_(body), threads_(threads), profile_(profile) {}
  ~BodyRun();
  BodyRun(const BodyRun &) = delete;
  BodyRun &operator=(const BodyRun &) = delete;

  /// What follows from shapes alone. Errors: those of checks.
  absl::Status start(std::vector<Plan::Shape> inputs);

  /// Whether no size depends on elements: all runs have one plan, and the shapes of outputs are
  /// known.
  bool isSteady() const { return isSteady_; }
  const Plan &plan() const { return leases_[0].plan(); }
  Frame &frame() const { return *leases_[0].frame; }
  size_t numOutputs() const { return body_.program.outputs.size(); }
  /// Of a steady one at any time, else after a run.
  Plan::Shape shapeOfOutput(size_t output) const {
    const Program &p = body_.program;
    return leases_.back().plan().shapeOf(p.arrays[size_t(p.outputs[output].array)]);
  }
  /// Whether it is another array's memory in another shape, which may be known after that array
  /// only.
  bool isView(size_t output) const {
    return body_.program.outputs[output].array != body_.layout.outputRoot[output];
  }
  /// Memory for an output that does not fit where it belongs: it runs to its end to tell its shape.
  absl::StatusOr<void *> memoryApart(size_t output, absl::Span<const int64_t> shape);
  /// Of a steady one, on the memory that its frame has.
  absl::Status run() const { return body_.runSegment(0, leases_[0], threads_, profile_); }

  /// Gives the memory of an output of that shape; of a view, that of the array that it is one of.
  using Place =
      absl::FunctionRef<absl::StatusOr<void *>(size_t output, absl::Span<const int64_t> shape)>;
  absl::Status run(absl::Span<void *const> inputs, Place place);

private:
  void fillDims(std::vector<SizeValue> &values) const;
  /// Has the lease of a segment for `key_`.
  absl::Status lease(int32_t segment);

  const Executable::State &body_;
  const int threads_;
  RunProfile *const profile_;
  bool isSteady_ = false;
  std::vector<Plan::Shape> shapes_; // of inputs
  std::vector<Lease> leases_;       // by segment
  // Kept for the next run.
  PlanKey key_;
  size_t numExtents_ = 0;
  std::vector<SizeValue> sizes_;
  SmallPointers arrays_, outputs_;
  std::vector<Tensor> apart_;
};

} // namespace graphc
