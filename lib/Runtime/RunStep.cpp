//===- RunStep.cpp - the steps of a call ----------------------------------===//
#include <algorithm>
#include <atomic>
#include <cstring>

#include "Runtime/ExecutableState.h"
#include "Runtime/RunError.h"
#include "Runtime/ThreadPool.h"

namespace graphc {

int32_t Executable::State::runKernel(const Program::Step &step, const Plan::StepPlan &stepPlan,
                                     void **pointers, const Lease &lease, int threads) const {
  if (stepPlan.isIdle)
    return 0;
  KernelFunction function = functions[step.callee];
  const int64_t *arguments = lease.plan().arguments.data() + stepPlan.firstArgument;
  if (threads <= 1 || !stepPlan.parallel || !lease.frame->prepareThreads(threads))
    return function(pointers, arguments);
  std::atomic<int32_t> failed{0};
  int64_t extent = arguments[stepPlan.numArguments - 1], grain = stepPlan.grain;
  if (stepPlan.copies)
    grain = std::max(grain, (extent - 1) / threads + 1);
  ThreadPool::shared().parallelFor(
      0, extent, grain, threads, [&](int64_t begin, int64_t end, int slot) {
        SmallPointers ownPointers(pointers, pointers + stepPlan.numPointers);
        if (slot > 0)
          lease.frame->pointersFor(stepPlan, slot, ownPointers.data());
        absl::InlinedVector<int64_t, 16> own(arguments, arguments + stepPlan.numArguments);
        own[own.size() - 2] = begin;
        own[own.size() - 1] = end;
        // Of several failing checks the first counts, so that messages do not depend on timing.
        if (int32_t result = function(ownPointers.data(), own.data())) {
          int32_t before = failed.load();
          while ((before == 0 || result < before) && !failed.compare_exchange_weak(before, result))
            ;
        }
      });
  return failed.load();
}

absl::Status Executable::State::runHost(const Program::Step &step, void **pointers,
                                        const Plan &plan, int threads) const {
  std::vector<Tensor> tensors;
  for (size_t k = 0; k < step.arrays.size(); ++k) {
    const Program::Array &array = program.arrays[step.arrays[k]];
    absl::StatusOr<Tensor> tensor = Tensor::borrow(array.dtype, pointers[k], plan.shapeOf(array));
    if (!tensor.ok())
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  const Program::Failure &failure = program.failures[step.failures[0]];
  absl::Span<Tensor> all = absl::MakeSpan(tensors);
  std::vector<Tensor> results(tensors.begin() + step.numInputs, tensors.end());
  absl::Status status =
      program.hosts[step.callee].run(all.first(step.numInputs), absl::MakeSpan(results), threads);
  if (!status.ok()) {
    ErrorKind kind = errorKind(status);
    if (kind == ErrorKind::Internal)
      kind = failure.kind;
    return failureError(program, {kind, std::string(status.message()), failure.node}, plan.sizes);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor &expected = tensors[size_t(step.numInputs) + k];
    const Tensor &given = results[k];
    if (given.defined() && given.data() == expected.data())
      continue;
    // The callback made a tensor of its own instead of filling the one that it was given.
    if (!given.defined() || given.dtype() != expected.dtype() || given.shape() != expected.shape())
      return failureError(
          program,
          {failure.kind,
           "the callback's result " + std::to_string(k) + " has another type than declared",
           failure.node},
          plan.sizes);
    Tensor rowMajor = given.contiguous();
    if (!rowMajor.defined())
      return failureError(
          program,
          {ErrorKind::OutOfMemory,
           "no memory for a row-major copy of the callback's result " + std::to_string(k),
           failure.node},
          plan.sizes);
    std::memcpy(pointers[step.numInputs + int64_t(k)], rowMajor.data(),
                size_t(rowMajor.numBytes()));
  }
  return absl::OkStatus();
}

/// Kernels run are counted by the caller.
absl::Status Executable::State::runStep(const Program::Step &step, const Plan::StepPlan &stepPlan,
                                        void **pointers, const Lease &lease, int threads,
                                        RunProfile *profile) const {
  const Plan &plan = lease.plan();
  switch (step.kind) {
  case Program::Step::Kind::Kernel:
    if (int32_t failed = runKernel(step, stepPlan, pointers, lease, threads))
      return kernelError(program, step, failed, pointers, plan.sizes);
    break;
  case Program::Step::Kind::Host:
    return runHost(step, pointers, plan, threads);
  case Program::Step::Kind::Control:
    return runControl(step, pointers, plan, threads, profile);
  case Program::Step::Kind::Copy: {
    int64_t bytes = plan.bytesOf(program.arrays[step.arrays[0]]);
    if (bytes == 0 || pointers[1] == pointers[0])
      break;
    std::memcpy(pointers[1], pointers[0], size_t(bytes));
    counters.bytesCopied.fetch_add(bytes, std::memory_order_relaxed);
    break;
  }
  }
  return absl::OkStatus();
}

const PlanCost &Executable::State::addMemory(int32_t segment, const Lease &lease,
                                             RunProfile &profile) const {
  const PlanCost &cost = plans.costOf(segment, lease);
  MemoryUse &all = profile.memory;
  const MemoryUse &own = cost.memory;
  // Segments keep their memory to the end of the call.
  all.intermediateBytes += own.intermediateBytes;
  all.arenaBytes += own.arenaBytes;
  all.scratchBytes += own.scratchBytes;
  all.resultBytes += own.resultBytes;
  return cost;
}

absl::Status Executable::State::runSegment(int32_t segment, const Lease &lease, int threads,
                                           RunProfile *profile) const {
  const ProgramLayout::Segment &s = layout.segments[segment];
  const Plan &plan = lease.plan();
  const PlanCost *cost = profile ? &addMemory(segment, lease, *profile) : nullptr;
  int64_t kernels = 0;
  size_t fork = threads > 1 && !profile ? 0 : plan.forks.size();
  for (int32_t number = s.firstStep; number < s.endStep; ++number) {
    if (fork < plan.forks.size() && plan.forks[fork].firstStep == number) {
      const size_t current = fork++;
      if (lease.cached->forks[current] != CachedPlan::ForkRuns::InOrder) {
        if (absl::Status status = runFork(current, s.firstStep, lease, threads); !status.ok())
          return status;
        number = plan.forks[current].endStep - 1;
        continue;
      }
    }
    const Program::Step &step = program.steps[number];
    auto index = size_t(number - s.firstStep);
    const Plan::StepPlan &stepPlan = plan.steps[index];
    kernels += step.kind == Program::Step::Kind::Kernel;
    RunProfile::Clock::time_point start;
    if (profile)
      start = RunProfile::Clock::now();
    if (absl::Status status =
            runStep(step, stepPlan, lease.frame->pointersOf(stepPlan), lease, threads, profile);
        !status.ok())
      return status;
    if (profile)
      profile->steps.push_back({number, start, RunProfile::Clock::now(), cost->steps[index]});
  }
  counters.kernels.fetch_add(kernels, std::memory_order_relaxed);
  return absl::OkStatus();
}

} // namespace graphc
