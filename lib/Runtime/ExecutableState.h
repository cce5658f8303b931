//===- ExecutableState.h - what an Executable is made of ----------*- C++ -*-===//
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "Runtime/Executable.h"
#include "Runtime/Frame.h"
#include "Runtime/KeptOperands.h"
#include "Runtime/RunProfile.h"
#include "Support/Fork.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"

namespace graphc {

/// A plan in the cache, with frames that wait for their next call.
struct CachedPlan {
  std::vector<int64_t> key;
  std::shared_ptr<const Plan> plan;
  std::vector<std::unique_ptr<Frame>> frames;
  /// Of a program of one kernel that needs no memory besides.
  std::optional<DirectCall> direct;
  /// Where a profile asked for it.
  std::optional<PlanCost> cost;
};

/// A frame in use.
struct Lease {
  std::shared_ptr<CachedPlan> cached;
  std::unique_ptr<Frame> frame;
  const Plan &plan() const { return *cached->plan; }
};

using SmallPointers = absl::InlinedVector<void *, 16>;
/// Of a plan: number of the segment, extents of inputs, and all elements that were read.
using PlanKey = absl::InlinedVector<int64_t, 24>;

/// A program and its code: what clones have in common.
struct Executable::Joined {
  Program program;
  ProgramLayout layout;
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
  std::optional<DirectCall> direct;
  mutable RunCounters ownCounters;
  RunCounters &counters;
  /// As those of `joined`.
  std::vector<std::vector<std::unique_ptr<State>>> bodies;

  mutable ShortMutex mutex;
  using Key = std::vector<int64_t>;
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(absl::Span<const int64_t> key) const { return absl::HashOf(key); }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(absl::Span<const int64_t> a, absl::Span<const int64_t> b) const {
      return a == b;
    }
  };
  mutable std::unordered_map<Key, std::shared_ptr<CachedPlan>, KeyHash, KeyEqual> plans;
  mutable std::shared_ptr<CachedPlan> last; // of a static program; else the one used last

  absl::Status checkInputs(absl::Span<const Tensor> inputs) const;
  using FillSizes = absl::FunctionRef<void(std::vector<SizeValue> &)>;
  absl::StatusOr<Lease> lease(int32_t segment, absl::Span<const int64_t> key, FillSizes fill) const;
  void giveBack(Lease lease) const noexcept;
  void free() const;
  absl::Status runHost(const Program::Step &step, void **pointers, const Plan &plan,
                       int threads) const;
  /// LoopRun.cpp: a step that runs bodies.
  absl::Status runControl(const Program::Step &step, void **pointers, const Plan &plan, int threads,
                          RunProfile *profile) const;
  int32_t runKernel(const Program::Step &step, const Plan::StepPlan &stepPlan, const Lease &lease,
                    int threads) const;
  absl::Status runStep(const Program::Step &step, const Plan::StepPlan &stepPlan,
                       const Lease &lease, int threads, RunProfile *profile) const;
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
  std::optional<DirectCall> directCallOf(const Plan &plan) const;
  absl::Status runDirect(const DirectCall &call, const Plan &plan, absl::Span<const Tensor> inputs,
                         absl::Span<Tensor> outputs) const;
  absl::Status runAll(absl::Span<const Tensor> inputs, absl::Span<Tensor> outputs, int threads,
                      RunProfile *profile, const Lending *lending) const;
  void findDirectCall();
  /// Where later segments find what this one computed, by array.
  void noteArrays(const Lease &lease, absl::Span<void *const> outputs, SmallPointers &arrays) const;
};

/// Fills in the elements that the segment's sizes need, with what their indices are made of.
/// `inputs` and `arrays` are where these have their memory.
absl::Status readElements(const Program &program, const ProgramLayout &layout, int32_t segment,
                          absl::Span<void *const> inputs, absl::Span<void *const> arrays,
                          std::vector<SizeValue> &sizes);

} // namespace graphc
