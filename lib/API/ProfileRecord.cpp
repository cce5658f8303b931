//===- ProfileRecord.cpp --------------------------------------------------===//
#include "API/ProfileRecord.h"

#include <unistd.h>

#include <algorithm>

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
  for (const RunProfile::StepRun &ran : run.steps) {
    ProfileRecord::Step &step = function.steps[size_t(ran.step)];
    ++step.runs;
    step.time += ran.end - ran.start;
    step.cost.bytesRead += ran.cost.bytesRead;
    step.cost.bytesWritten += ran.cost.bytesWritten;
    step.cost.flops += ran.cost.flops;
  }
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

std::vector<ProfileRecord::Step> profiledSteps(const Program &program) {
  std::vector<ProfileRecord::Step> steps;
  for (const Program::Step &from : program.steps) {
    ProfileRecord::Step step;
    using Kind = Program::Step::Kind;
    step.kernel = from.kind == Kind::Kernel    ? program.kernels[size_t(from.callee)].symbol
                  : from.kind == Kind::Host    ? "host call"
                  : from.kind == Kind::Control ? "bodies"
                                               : "copy";
    if (steps.size() < program.facts.size())
      for (const Program::Facts::Node &node : program.facts[steps.size()].nodes)
        step.nodes.push_back({node.op, node.place});
    steps.push_back(std::move(step));
  }
  return steps;
}

Profile snapshotOf(const Profile &profile) {
  Profile snapshot(profile.title());
  std::lock_guard lock(profile.record()->mutex);
  snapshot.record()->functions = profile.record()->functions;
  return snapshot;
}

std::shared_ptr<ProfilePart> openProfile(const ProfileOption &option) {
  std::optional<Profile> profile = option.open();
  return profile ? std::make_shared<ProfilePart>(*profile) : nullptr;
}

} // namespace graphc
