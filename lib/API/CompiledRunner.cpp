//===- CompiledRunner.cpp - calls of compiled programs ------------------------===//
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>

#include "API/Runner.h"
#include "API/Specialisations.h"
#include "Runtime/ArrayMemory.h"
#include "Runtime/ConfigText.h"
#include "Runtime/ThreadPool.h"
#include "Support/Fork.h"
#include "Support/Text.h"
#include "graphc/Config.h"

namespace graphc {
namespace {

/// False where a call is more than a call of code.
bool isCode(const DirectCall *direct, int threads) { return direct && direct->isFor(threads); }

/// With what `executable` does as one call.
void fill(detail::BoundCall &call, const Executable &executable) {
  static_cast<detail::CodeCall &>(call) = *executable.directCall();
  call.executable = &executable;
}

/// Versions of a program as calls find them that are one call of code: a list that only grows.
/// Thread-safe.
class BoundVersions {
public:
  const std::atomic<const detail::BoundCall *> *newest() const { return &newest_; }

  /// Puts the one for these extents into the list, unless it is there.
  void add(const Executable &version, absl::Span<const int64_t> inputs,
           absl::Span<const int64_t> outputs) {
    auto isThere = [&](const detail::BoundCall *call) {
      while (
          call &&
          !(call->extents.size() == inputs.size() + outputs.size() &&
            std::ranges::equal(absl::MakeConstSpan(call->extents).first(inputs.size()), inputs) &&
            std::ranges::equal(absl::MakeConstSpan(call->extents).subspan(inputs.size()), outputs)))
        call = call->next;
      return call != nullptr;
    };
    if (isThere(newest_.load(std::memory_order_acquire)))
      return;
    std::lock_guard lock(mutex_);
    const detail::BoundCall *newest = newest_.load(std::memory_order_relaxed);
    if (isThere(newest))
      return;
    detail::BoundCall &call = calls_.emplace_back();
    fill(call, version);
    call.extents.assign(inputs.begin(), inputs.end());
    call.extents.insert(call.extents.end(), outputs.begin(), outputs.end());
    call.next = newest;
    newest_.store(&call, std::memory_order_release);
  }

private:
  std::atomic<const detail::BoundCall *> newest_ = nullptr;
  ShortMutex mutex_;
  std::deque<detail::BoundCall> calls_; // the last of which memory may have been missing for
};

class CompiledRunner : public Runner {
public:
  CompiledRunner(std::shared_ptr<const Executable> executable, int threads,
                 std::shared_ptr<ProfilePart> profile,
                 std::unique_ptr<const Specialisations> specialisations)
      : executable_(std::move(executable)), threads_(threads), profile_(std::move(profile)),
        specialisations_(std::move(specialisations)) {
    if (profile_)
      profile_->setSteps(profiledSteps(executable_->program()));
    for (const Program::Input &input : executable_->program().inputs)
      extents_.insert(extents_.end(), input.shape.begin(), input.shape.end());
    isStatic_ = std::ranges::all_of(extents_, [](int64_t extent) { return extent >= 0; });
  }

  absl::Status run(absl::Span<const Tensor> arguments, absl::Span<Tensor> results,
                   OutputMemory memory, const Lending *lending) const override {
    if (!specialisations_)
      return run(*executable_, arguments, results, memory, lending);
    absl::InlinedVector<int64_t, 64> given; // allocates nothing in most calls
    for (size_t i = 0; !isStatic_ && i < arguments.size(); ++i)
      given.insert(given.end(), arguments[i].shape().begin(), arguments[i].shape().end());
    const absl::Span<const int64_t> extents =
        isStatic_ ? absl::MakeConstSpan(extents_) : absl::MakeConstSpan(given);
    if (const Executable *own = specialisations_->find(extents))
      return run(*own, arguments, results, memory, lending);
    absl::Status status = run(*executable_, arguments, results, memory, lending);
    if (status.ok())
      specialisations_->count(extents);
    return status;
  }

  bool runAtOnce(absl::Span<void *const> memory, absl::Span<const int64_t> inputExtents,
                 absl::Span<const int64_t> outputExtents) const override {
    if (profile_)
      return false;
    const Executable *own = specialisations_ ? specialisations_->find(inputExtents) : nullptr;
    const Executable &executable = own ? *own : *executable_;
    if (!executable.runAtOnce(memory, inputExtents, outputExtents, threads_))
      return false;
    if (own)
      addVersion(*own, inputExtents, outputExtents);
    else if (specialisations_)
      specialisations_->count(inputExtents);
    return true;
  }

  int overwrites(size_t result) const override {
    return executable_->program().outputs[result].over;
  }

  bool direct(detail::BoundCall &call) const override {
    if (profile_)
      return false;
    if (specialisations_)
      call.versions = versions_.newest();
    const bool isDirect = isCode(executable_->directCall(), threads_);
    if (isDirect)
      fill(call, *executable_);
    return isDirect;
  }

  void countBound(absl::Span<const int64_t> extents) const override {
    if (!findVersion(extents))
      specialisations_->count(extents.first(extents_.size()));
  }

  bool findVersion(absl::Span<const int64_t> extents) const override {
    absl::Span<const int64_t> inputs = extents.first(extents_.size());
    const Executable *own = specialisations_->find(inputs);
    if (own)
      addVersion(*own, inputs, extents.subspan(inputs.size()));
    return own;
  }

  bool canFail() const override { return graphc::canFail(executable_->program()); }

  void free() const override {
    for (const Executable *executable : executables())
      executable->free();
  }
  void countCall(const detail::BoundCall &call) const override {
    static_cast<const Executable *>(call.executable)->countDirectCall();
  }

  Function::Counters counters() const override {
    Function::Counters all;
    for (const Executable *executable : executables()) {
      const RunCounters &c = executable->counters();
      const int64_t direct = c.directCalls;
      all.calls += c.calls + direct;
      all.kernelRuns += c.kernels + (direct ? direct * executable->directCall()->numKernels : 0);
      all.plans += c.plans;
      all.arenas += c.arenas;
      all.bytesCopied += c.bytesCopied;
      all.forks += c.forks;
      if (executable == executable_.get())
        continue;
      ++all.specialisations;
      all.specialisedCalls += c.calls + direct;
    }
    all.kernels = int64_t(executable_->program().kernels.size());
    return all;
  }

  std::unique_ptr<const Runner> with(std::shared_ptr<ProfilePart> profile,
                                     bool sharesMemory) const override {
    return std::make_unique<CompiledRunner>(
        sharesMemory ? executable_ : executable_->clone(), threads_, std::move(profile),
        specialisations_ ? specialisations_->forCopy() : nullptr);
  }

private:
  absl::Status run(const Executable &executable, absl::Span<const Tensor> arguments,
                   absl::Span<Tensor> results, OutputMemory memory, const Lending *lending) const {
    if (!profile_)
      return executable.run(arguments, results, threads_, memory, nullptr, lending);
    RunProfile run;
    int64_t allocations = ArrayMemory::allocationsOfThread();
    RunProfile::Clock::time_point start = RunProfile::Clock::now();
    absl::Status status = executable.run(arguments, results, threads_, memory, &run, lending);
    run.allocations = ArrayMemory::allocationsOfThread() - allocations;
    profile_->add(start, std::move(run));
    return status;
  }

  /// What calls find from now on, if it is one call of code.
  void addVersion(const Executable &version, absl::Span<const int64_t> inputs,
                  absl::Span<const int64_t> outputs) const {
    if (isCode(version.directCall(), threads_))
      versions_.add(version, inputs, outputs);
  }

  /// The general one and its versions.
  std::vector<const Executable *> executables() const {
    std::vector<const Executable *> all;
    if (specialisations_)
      all = specialisations_->made();
    all.push_back(executable_.get());
    return all;
  }

  std::shared_ptr<const Executable> executable_;
  int threads_;
  std::shared_ptr<ProfilePart> profile_;                   // null for none
  std::unique_ptr<const Specialisations> specialisations_; // null for none
  std::vector<int64_t> extents_;                           // of all inputs, as declared
  bool isStatic_;
  mutable BoundVersions versions_;
};

/// Threads of a call and versions of a program.
struct RunLimits {
  int threads, specialisations;
};

absl::StatusOr<RunLimits> runLimits(const FunctionOptions &options) {
  RunLimits limits{options.threads.value_or(config().threads),
                   options.specialisations.value_or(config().specialisations)};
  if (limits.threads < 0)
    return makeError(ErrorKind::ValueError, "function: threads must not be negative, but is " +
                                                std::to_string(limits.threads));
  if (limits.threads == 0)
    limits.threads = usableThreads();
  limits.threads = std::min(limits.threads, ThreadPool::kMaxThreads);
  if (absl::Status status = checkSpecialisations(limits.specialisations); !status.ok())
    return prefixError(status, "function");
  return limits;
}

} // namespace

absl::Status checkLimits(const FunctionOptions &options) { return runLimits(options).status(); }

absl::StatusOr<std::unique_ptr<const Runner>>
runnerOf(std::shared_ptr<const Executable> executable, const FunctionOptions &options,
         std::shared_ptr<ProfilePart> profile, std::shared_ptr<const Specialiser> specialiser) {
  absl::StatusOr<RunLimits> limits = runLimits(options);
  if (!limits.ok())
    return limits.status();
  std::unique_ptr<const Specialisations> specialisations;
  if (specialiser && limits->specialisations > 0)
    specialisations = std::make_unique<Specialisations>(std::move(specialiser),
                                                        limits->specialisations, limits->threads);
  return std::make_unique<CompiledRunner>(std::move(executable), limits->threads,
                                          std::move(profile), std::move(specialisations));
}

} // namespace graphc
