//===- ProfileRecord.h - where functions write their profiles -----*- C++ -*-===//
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Runtime/RunProfile.h"
#include "Support/Fork.h"
#include "graphc/Profile.h"
#include "graphc/Stage.h"

namespace graphc {

namespace detail {

/// What a Profile is a handle to. All fields but the first three are under the mutex.
struct ProfileRecord {
  using Clock = RunProfile::Clock;
  struct Step {
    std::string kernel;
    std::vector<Profile::Node> nodes;
    RunProfile::Sum sum = {}; // of all runs
    /// The step in whose body it is; -1: none.
    int64_t around = -1;
  };
  struct Stage {
    std::string name, size;
    Clock::time_point start, end;
    int64_t thread;
  };
  struct Function {
    std::string name;
    bool wasCalled = false; // also by a call that is not counted
    int64_t calls = 0;
    Clock::duration time{};
    MemoryUse memory; // the greatest
    int64_t allocations = 0;
    std::vector<Step> steps;
    std::vector<Stage> stages;
  };
  struct Call {
    size_t function;
    int64_t thread;
    Clock::time_point start, end;
    std::vector<RunProfile::StepRun> steps;
  };

  ProfileRecord(std::string title, ProfileSettings settings)
      : title(std::move(title)), settings(settings) {}

  const std::string title;
  const ProfileSettings settings;
  const Clock::time_point start = Clock::now();
  mutable ShortMutex mutex;
  std::vector<Function> functions;
  /// The last ones, and how many steps they have.
  std::deque<Call> traced;
  size_t tracedSteps = 0;
};

} // namespace detail

/// The part of a record that is one function's. Thread-safe once it is attached; before, it is its
/// maker's.
class ProfilePart {
public:
  explicit ProfilePart(const Profile &profile) : profile_(profile) {}

  const Profile &profile() const { return profile_; }
  /// Steps as numStepsOf numbers them.
  void setSteps(std::vector<detail::ProfileRecord::Step> steps) { draft_.steps = std::move(steps); }
  /// Tells `next`, too. The part must live as long as what it returns.
  StageObserver watch(StageObserver next);
  /// The function was made: it stands in the record from now on.
  void attach(std::string name);
  void add(RunProfile::Clock::time_point start, RunProfile run);

private:
  Profile profile_;
  detail::ProfileRecord::Function draft_; // until it is attached
  size_t number_ = 0;
};

/// Of a program's steps, and of its bodies'.
std::vector<detail::ProfileRecord::Step> profiledSteps(const Program &program);

/// What it has now, which no call changes any more; without calls for traces.
Profile snapshotOf(const Profile &profile);

/// The part of a function that is made now; null if it has none.
std::shared_ptr<ProfilePart> openProfile(const ProfileOption &option);

} // namespace graphc
