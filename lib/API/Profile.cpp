//===- Profile.cpp - reading a record -------------------------------------===//
#include "graphc/Profile.h"

#include <algorithm>
#include <map>
#include <set>

#include "API/ProfileRecord.h"
#include "Support/Text.h"
#include "graphc/Config.h"

namespace graphc {

using detail::ProfileRecord;

static double secondsOf(ProfileRecord::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

Profile::Profile(std::string title) : record_(std::make_shared<ProfileRecord>(std::move(title))) {}

const std::string &Profile::title() const { return record_->title; }

std::vector<Profile::FunctionSummary> Profile::functions() const {
  std::vector<FunctionSummary> list;
  std::lock_guard lock(record_->mutex);
  for (const ProfileRecord::Function &f : record_->functions)
    list.push_back({f.name, f.calls, secondsOf(f.time), f.memory.intermediateBytes,
                    f.memory.arenaBytes, f.memory.scratchBytes, f.memory.resultBytes});
  return list;
}

std::vector<Profile::Step> Profile::steps() const {
  std::vector<Step> list;
  std::lock_guard lock(record_->mutex);
  for (size_t function = 0; function < record_->functions.size(); ++function)
    for (const ProfileRecord::Step &s : record_->functions[function].steps)
      list.push_back({function, s.kernel, s.nodes, s.runs, secondsOf(s.time), s.cost.bytesRead,
                      s.cost.bytesWritten, s.cost.flops});
  return list;
}

std::vector<Profile::OpKind> Profile::opKinds() const {
  std::map<std::string, OpKind> kinds;
  const std::vector<Step> all = steps();
  std::vector<double> own; // seconds without those of the steps within
  for (const Step &step : all)
    own.push_back(step.seconds);
  {
    std::lock_guard lock(record_->mutex);
    size_t first = 0;
    for (const ProfileRecord::Function &f : record_->functions) {
      for (size_t k = 0; k < f.steps.size() && first + k < own.size(); ++k)
        if (f.steps[k].around >= 0)
          own[first + size_t(f.steps[k].around)] -= all[first + k].seconds;
      first += f.steps.size();
    }
  }
  for (size_t k = 0; k < all.size(); ++k) {
    const Step &step = all[k];
    std::set<std::string> ops;
    for (const Node &node : step.nodes)
      ops.insert(node.op);
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
