//===- Profile.cpp - reading a record -------------------------------------===//
#include "graphc/Profile.h"

#include <algorithm>
#include <map>
#include <set>

#include "API/ProfileRecord.h"
#include "Ops/Registry.h"
#include "Support/Text.h"
#include "graphc/Config.h"
#include "graphc/OpDef.h"

namespace graphc {

using detail::ProfileRecord;

static double secondsOf(ProfileRecord::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

Profile::Profile(std::string title, ProfileSettings settings)
    : record_(std::make_shared<ProfileRecord>(std::move(title), settings)) {}

const std::string &Profile::title() const { return record_->title; }

const ProfileSettings &Profile::settings() const { return record_->settings; }

std::vector<Profile::FunctionSummary> Profile::functions() const {
  std::vector<FunctionSummary> list;
  std::lock_guard lock(record_->mutex);
  for (const ProfileRecord::Function &f : record_->functions) {
    FunctionSummary &summary =
        list.emplace_back(FunctionSummary{.name = f.name,
                                          .calls = f.calls,
                                          .seconds = secondsOf(f.time),
                                          .intermediateBytes = f.memory.intermediateBytes,
                                          .arenaBytes = f.memory.arenaBytes,
                                          .scratchBytes = f.memory.scratchBytes,
                                          .resultBytes = f.memory.resultBytes});
    for (const ProfileRecord::Step &step : f.steps)
      if (step.around < 0) // else it is part of another one's
        summary.stepSeconds += secondsOf(step.sum.time);
    for (const ProfileRecord::Stage &stage : f.stages)
      summary.compileSeconds += secondsOf(stage.end - stage.start);
  }
  return list;
}

std::vector<Profile::Step> Profile::steps() const {
  std::vector<Step> list;
  std::lock_guard lock(record_->mutex);
  for (size_t function = 0; function < record_->functions.size(); ++function)
    for (const ProfileRecord::Step &s : record_->functions[function].steps)
      list.push_back({function, s.kernel, s.nodes, s.sum.runs, secondsOf(s.sum.time),
                      s.sum.cost.bytesRead, s.sum.cost.bytesWritten, s.sum.cost.flops});
  return list;
}

/// By step: its seconds without those of the steps within.
static std::vector<double> ownSeconds(const ProfileRecord &record,
                                      const std::vector<Profile::Step> &steps) {
  std::vector<double> own;
  for (const Profile::Step &step : steps)
    own.push_back(step.seconds);
  std::lock_guard lock(record.mutex);
  size_t first = 0;
  for (const ProfileRecord::Function &f : record.functions) {
    for (size_t k = 0; k < f.steps.size() && first + k < own.size(); ++k)
      if (f.steps[k].around >= 0)
        own[first + size_t(f.steps[k].around)] -= steps[first + k].seconds;
    first += f.steps.size();
  }
  return own;
}

/// Sums of steps by what their nodes are called.
static std::vector<Profile::OpKind> sumsBy(const std::vector<Profile::Step> &all,
                                           const std::vector<double> &own,
                                           std::string nameOf(const Profile::Node &node)) {
  using OpKind = Profile::OpKind;
  std::map<std::string, OpKind> kinds;
  for (size_t k = 0; k < all.size(); ++k) {
    const Profile::Step &step = all[k];
    std::set<std::string> ops;
    for (const Profile::Node &node : step.nodes)
      ops.insert(nameOf(node));
    std::string name = ops.empty() ? step.kernel : join(ops, "+");
    OpKind &kind = kinds[name];
    kind.ops = name;
    ++kind.steps;
    kind.runs += step.runs;
    kind.seconds += std::max(own[k], 0.0);
    kind.bytesRead += step.bytesRead;
    kind.bytesWritten += step.bytesWritten;
    kind.flops += step.flops;
  }
  std::vector<OpKind> list;
  for (auto &[name, kind] : kinds)
    list.push_back(std::move(kind));
  std::sort(list.begin(), list.end(), [](const OpKind &a, const OpKind &b) {
    return std::pair(-a.seconds, a.ops) < std::pair(-b.seconds, b.ops);
  });
  return list;
}

std::vector<Profile::OpKind> Profile::opKinds() const {
  const std::vector<Step> all = steps();
  return sumsBy(all, ownSeconds(*record_, all), [](const Node &node) { return node.op; });
}

std::vector<Profile::OpKind> Profile::opClasses() const {
  const std::vector<Step> all = steps();
  return sumsBy(all, ownSeconds(*record_, all), [](const Node &node) -> std::string {
    const OpDef *op = findOp(node.op);
    return op ? op->section : "user's ops";
  });
}

std::vector<Profile::Stage> Profile::stages() const {
  std::vector<Stage> list;
  std::lock_guard lock(record_->mutex);
  for (size_t function = 0; function < record_->functions.size(); ++function)
    for (const ProfileRecord::Stage &s : record_->functions[function].stages)
      list.push_back({function, s.name, secondsOf(s.end - s.start), s.size});
  return list;
}

std::optional<Profile> ProfileOption::open() const {
  if (!on_.value_or(config().profile))
    return std::nullopt;
  return profile_ ? profile_ : Profile(title_);
}

} // namespace graphc
