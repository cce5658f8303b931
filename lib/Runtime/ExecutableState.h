//===- ExecutableState.h - what an Executable is made of ----------*- C++ -*-===//
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "Runtime/Executable.h"
#include "Runtime/KeptOperands.h"
#include "Runtime/PlanCache.h"
#include "Runtime/RunProfile.h"
#include "absl/container/inlined_vector.h"

namespace graphc {

using SmallPointers = absl::InlinedVector<void *, 64>;
/// Of a plan: number of the segment, extents of inputs, and all elements that were read.
using PlanKey = absl::InlinedVector<int64_t, 64>;

/// A program's StepOrder, made when it is first asked for. Thread-safe.
class LazyStepOrder {
public:
  const StepOrder &get(const Program &program, const ProgramLayout &layout) const {
    std::call_once(once_, [&] { order_.emplace(program, layout); });
    return *order_;
  }

private:
  mutable std::once_flag once_;
  mutable std::optional<StepOrder> order_;
};

/// A program and its code: what clones have in common.
struct Executable::Joined {
  Program program;
  ProgramLayout layout;
  LazyStepOrder order;
  std::shared_ptr<const LoadedCode> code;
  std::vector<KernelFunction> functions;
  std::shared_ptr<KeptOperands> kept; // of bodies, too
  /// Some output is a view of what was computed.
  bool reshapes = false;
  /// By control, by body: their code is the same.
  std::vector<std::vector<std::shared_ptr<const Joined>>> bodies;
};

struct Executable::State {
  /// `counts`: what a body's runs are counted in, those of the program around it.
  explicit State(std::shared_ptr<const Joined> both, RunCounters *counts = nullptr);

  const std::shared_ptr<const Joined> joined;
  const Program &program = joined->program;
  const ProgramLayout &layout = joined->layout;
  const std::vector<KernelFunction> &functions = joined->functions;
  mutable RunCounters ownCounters;
  RunCounters &counters;
  mutable PlanCache plans;
  /// Of a static program that is one call.
  std::shared_ptr<const CachedPlan> only;
  /// As those of `joined`.
  std::vector<std::vector<std::unique_ptr<State>>> bodies;

  absl::Status checkInputs(absl::Span<const Tensor> inputs) const;
  void free() const;
  absl::Status runHost(const Program::Step &step, void **pointers, const Plan &plan,
                       int threads) const;
  /// LoopRun.cpp: a step that runs bodies.
  absl::Status runControl(const Program::Step &step, void **pointers, const Plan &plan, int threads,
                          RunProfile *profile) const;
  int32_t runKernel(const Program::Step &step, const Plan::StepPlan &stepPlan, void **pointers,
                    const Lease &lease, int threads) const;
  /// `pointers`: those of the step, for the thread that runs it.
  absl::Status runStep(const Program::Step &step, const Plan::StepPlan &stepPlan, void **pointers,
                       const Lease &lease, int threads, RunProfile *profile) const;
  /// ForkRun.cpp: the steps of a fork of the lease's plan; `firstStep` is that of the segment.
  absl::Status runFork(size_t fork, int32_t firstStep, const Lease &lease, int threads) const;
  absl::Status runSegment(int32_t segment, const Lease &lease, int threads,
                          RunProfile *profile) const;
  const PlanCost &addMemory(int32_t segment, const Lease &lease, RunProfile &profile) const;
  Tensor lent(int32_t output, DType dtype, absl::Span<const int64_t> shape,
              absl::Span<const Tensor> inputs, absl::Span<const Tensor> outputs,
              const Lending &lending) const;
  absl::Status allocateOutputs(int32_t segment, const Plan &plan, absl::Span<const Tensor> inputs,
                               absl::Span<Tensor> outputs, absl::Span<void *> memory,
                               const Lending *lending) const;
  absl::StatusOr<Tensor> copyInput(const Tensor &input, size_t number) const;
  absl::Status reshapeOutputs(const Plan &plan, absl::Span<Tensor> outputs) const;
  /// Whether runDirect does a call for which `cached` is the plan, if any.
  static bool isOneCall(const CachedPlan *cached, int threads) {
    return cached && cached->direct && cached->direct->isFor(threads);
  }
  /// False where the call fails: the general way says why.
  absl::StatusOr<bool> runDirect(const CachedPlan &cached, absl::Span<const Tensor> inputs,
                                 absl::Span<Tensor> outputs) const;
  absl::Status runAll(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs, int threads,
                      RunProfile *profile, const Lending *lending) const;
  void findDirectCall();
  /// Where later segments find what this one computed, by array.
  void noteArrays(const Lease &lease, absl::Span<void *const> outputs, SmallPointers &arrays) const;
};

/// Nothing where the program is more than a few kernels, or they need much memory besides.
std::optional<DirectCall> directCallOf(const Executable::Joined &joined, const Plan &plan);

/// Fills in the elements that the segment's sizes need, with what their indices are made of.
/// `inputs` and `arrays` are where these have their memory.
absl::Status readElements(const Program &program, const ProgramLayout &layout, int32_t segment,
                          absl::Span<void *const> inputs, absl::Span<void *const> arrays,
                          std::vector<SizeValue> &sizes);

} // namespace graphc
