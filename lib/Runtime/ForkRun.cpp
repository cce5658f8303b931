//===- ForkRun.cpp - branches of a plan side by side ----------------------===//
//
// No estimate knows how long a routine or a loop takes, so a plan's calls find out: the first one
// warms up, the second one measures each branch, and those after it run branches side by side if
// that saves more than it costs to wake a thread. Results do not depend on it.
//
//===----------------------------------------------------------------------===//
#include <algorithm>
#include <mutex>

#include "Runtime/ExecutableState.h"
#include "Runtime/ThreadPool.h"
#include "Support/Cancel.h"

namespace graphc {
namespace {

using Clock = std::chrono::steady_clock;

/// Of branches that fail, the error of the step that fails first where one runs after the other.
class FirstError {
public:
  void add(int32_t step, absl::Status error) {
    std::lock_guard lock(mutex_);
    if (error_.ok() || step < step_) {
      step_ = step;
      error_ = std::move(error);
    }
  }
  absl::Status take() { return std::move(error_); }

private:
  std::mutex mutex_;
  int32_t step_ = 0;
  absl::Status error_;
};

/// What is gained with so many threads.
Clock::duration gainOf(absl::Span<const Clock::duration> branches, int threads) {
  Clock::duration total{}, longest{};
  for (Clock::duration time : branches) {
    total += time;
    longest = std::max(longest, time);
  }
  return total - std::max(longest, total / threads);
}

} // namespace

absl::Status Executable::State::runFork(size_t number, int32_t firstStep, const Lease &lease,
                                        int threads) const {
  const Plan &plan = lease.plan();
  const Fork &fork = plan.forks[number];
  auto run = [&](int32_t step, int slot, int stepThreads) {
    const Plan::StepPlan &placed = plan.steps[size_t(step - firstStep)];
    SmallPointers own;
    void **pointers = lease.frame->pointersOf(placed);
    if (slot > 0) {
      own.resize(size_t(placed.numPointers));
      lease.frame->pointersFor(placed, slot, own.data());
      pointers = own.data();
    }
    return runStep(program.steps[size_t(step)], placed, pointers, lease, stepThreads, nullptr);
  };
  auto countKernels = [&] {
    counters.kernels.fetch_add(std::count_if(program.steps.begin() + fork.firstStep,
                                             program.steps.begin() + fork.endStep,
                                             [](const Program::Step &step) {
                                               return step.kind == Program::Step::Kind::Kernel;
                                             }),
                               std::memory_order_relaxed);
  };
  using Runs = CachedPlan::ForkRuns;
  std::atomic<Runs> &runs = lease.cached->forks[number];
  const Runs now = runs.load(std::memory_order_relaxed);

  if (now == Runs::SideBySide && lease.frame->prepareThreads(threads)) {
    FirstError first;
    const std::optional<Cancellation> &wanted = CancelScope::current();
    ThreadPool::shared().parallelFor(
        0, int64_t(fork.branches.size()), 1, threads, [&](int64_t begin, int64_t end, int slot) {
          CancelScope scope(wanted);
          for (int64_t branch = begin; branch < end; ++branch)
            for (int32_t step : fork.branches[size_t(branch)])
              if (absl::Status status = run(step, slot, 1); !status.ok()) {
                first.add(step, std::move(status));
                break;
              }
        });
    absl::Status status = first.take();
    if (status.ok())
      countKernels();
    counters.forks.fetch_add(1, std::memory_order_relaxed);
    return status;
  }

  const bool isMeasured = now == Runs::Once;
  const int64_t loopsBefore = ThreadPool::loopsForThreads();
  std::vector<Clock::duration> times(isMeasured ? fork.branches.size() : 0);
  std::vector<size_t> branchOf(isMeasured ? size_t(fork.endStep - fork.firstStep) : 0);
  for (size_t branch = 0; branch < fork.branches.size() && isMeasured; ++branch)
    for (int32_t step : fork.branches[branch])
      branchOf[size_t(step - fork.firstStep)] = branch;
  for (int32_t step = fork.firstStep; step < fork.endStep; ++step) {
    Clock::time_point start;
    if (isMeasured)
      start = Clock::now();
    if (absl::Status status = run(step, 0, threads); !status.ok())
      return status;
    if (isMeasured)
      times[branchOf[size_t(step - fork.firstStep)]] += Clock::now() - start;
  }
  countKernels();
  if (now == Runs::NotYet)
    runs = Runs::Once;
  else if (isMeasured) // a loop within a branch would have one thread then
    runs = ThreadPool::loopsForThreads() == loopsBefore &&
                   gainOf(times, threads) > std::chrono::nanoseconds(int64_t(kWorthFork))
               ? Runs::SideBySide
               : Runs::InOrder;
  return absl::OkStatus();
}

} // namespace graphc
