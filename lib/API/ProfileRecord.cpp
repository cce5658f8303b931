//===- ProfileRecord.cpp --------------------------------------------------===//
#include "API/ProfileRecord.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace graphc {

using detail::ProfileRecord;

StageObserver ProfilePart::watch(StageObserver next) {
  return [this, next = std::move(next)](const StageReport &report) {
    if (report.isDone) {
      using Clock = ProfileRecord::Clock;
      Clock::time_point end = Clock::now();
      auto time = std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(report.seconds));
      draft_.stages.push_back(
          {std::string(report.stage), report.size, end - time, end, int64_t(gettid())});
    }
    if (next)
      next(report);
  };
}

void ProfilePart::attach(std::string name) {
  ProfileRecord &record = *profile_.record();
  std::lock_guard lock(record.mutex);
  number_ = record.functions.size();
  draft_.name = name.empty() ? "function " + std::to_string(number_) : std::move(name);
  record.functions.push_back(std::move(draft_));
}

void ProfilePart::add(RunProfile::Clock::time_point start, RunProfile run) {
  RunProfile::Clock::time_point end = RunProfile::Clock::now();
  int64_t thread = gettid();
  ProfileRecord &record = *profile_.record();
  std::lock_guard lock(record.mutex);
  ProfileRecord::Function &function = record.functions[number_];
  if (!std::exchange(function.wasCalled, true) && record.settings.ignoreFirstCall)
    return;
  ++function.calls;
  function.time += end - start;
  auto raise = [&](int64_t MemoryUse::*field) {
    function.memory.*field = std::max(function.memory.*field, run.memory.*field);
  };
  raise(&MemoryUse::intermediateBytes);
  raise(&MemoryUse::arenaBytes);
  raise(&MemoryUse::scratchBytes);
  raise(&MemoryUse::resultBytes);
  function.allocations += run.allocations;
  for (const RunProfile::StepRun &ran : run.steps)
    function.steps[size_t(ran.step)].sum.add({1, ran.end - ran.start, ran.cost});
  const size_t own = function.steps.size() - run.within.size();
  for (size_t k = 0; k < run.within.size(); ++k)
    function.steps[own + k].sum.add(run.within[k]);
  if (run.steps.size() > Profile::kTracedSteps)
    run.steps.resize(Profile::kTracedSteps);
  record.tracedSteps += run.steps.size();
  record.traced.push_back({number_, thread, start, end, std::move(run.steps)});
  while (record.traced.size() > Profile::kTracedCalls ||
         record.tracedSteps > Profile::kTracedSteps) {
    record.tracedSteps -= record.traced.front().steps.size();
    record.traced.pop_front();
  }
}

/// `kernels`: of the outermost program; `around`: the step in whose body this one is.
static void addSteps(const Program &program, const std::vector<Program::Kernel> &kernels,
                     int64_t around, const std::string &name,
                     std::vector<ProfileRecord::Step> &steps) {
  const size_t first = steps.size();
  for (const Program::Step &from : program.steps) {
    ProfileRecord::Step step;
    step.around = around;
    using Kind = Program::Step::Kind;
    step.kernel = from.kind == Kind::Kernel    ? kernels[size_t(from.callee)].symbol
                  : from.kind == Kind::Host    ? "host call"
                  : from.kind == Kind::Control ? "bodies"
                                               : "copy";
    step.kernel = name + step.kernel;
    if (steps.size() - first < program.facts.size())
      for (const Program::Facts::Node &node : program.facts[steps.size() - first].nodes)
        step.nodes.push_back({node.op, node.place});
    steps.push_back(std::move(step));
  }
  for (size_t k = 0; k < program.steps.size(); ++k) {
    const Program::Step &step = program.steps[k];
    if (step.kind == Program::Step::Kind::Control)
      for (const Program &body : program.controls[size_t(step.callee)].bodies)
        addSteps(body, kernels, int64_t(first + k), name + "bodies/", steps);
  }
}

std::vector<ProfileRecord::Step> profiledSteps(const Program &program) {
  std::vector<ProfileRecord::Step> steps;
  addSteps(program, program.kernels, -1, "", steps);
  return steps;
}

Profile snapshotOf(const Profile &profile) {
  Profile snapshot(profile.title(), profile.settings());
  std::lock_guard lock(profile.record()->mutex);
  snapshot.record()->functions = profile.record()->functions;
  return snapshot;
}

std::shared_ptr<ProfilePart> openProfile(const ProfileOption &option) {
  std::optional<Profile> profile = option.open();
  return profile ? std::make_shared<ProfilePart>(*profile) : nullptr;
}

} // namespace graphc
