//===- Forks.cpp - steps that may run side by side ------------------------===//
#include "Runtime/Forks.h"

#include <algorithm>
#include <unordered_map>

#include "Runtime/ProgramLayout.h"

namespace graphc {
namespace {

/// A fork has no more steps, so that the search is linear.
constexpr int32_t kMostSteps = 512;

/// Who used memory since it was last written.
struct Uses {
  int32_t writer = -1;
  std::vector<int32_t> readers;
  // Of its parts, each of which has uses of its own.
  std::vector<int32_t> partWriters, partReaders;
};

/// As StepOrder::isUnseen.
bool isUnseen(const Program &program, const Program::Step &step) {
  if (step.kind == Program::Step::Kind::Host) {
    const HostCall &host = program.hosts[size_t(step.callee)];
    return host.isNamed() && host.routine->name != "print"; // which writes lines, and stops
  }
  if (step.kind != Program::Step::Kind::Control)
    return true;
  return std::ranges::all_of(program.controls[size_t(step.callee)].bodies, [](const Program &body) {
    return std::ranges::all_of(body.steps,
                               [&](const Program::Step &inner) { return isUnseen(body, inner); });
  });
}

class ForkFinder {
public:
  /// Steps are numbered from `firstStep` on, which `times` begins with.
  ForkFinder(const StepOrder &order, int32_t firstStep, absl::Span<const double> times)
      : order_(order), firstStep_(firstStep), times_(times) {}

  struct Range {
    int32_t first = 0, end = 0;
    double gain = 0; // with threads enough
  };

  /// The longest one from `first` on that ends before two of its branches meet. It is not empty.
  Range from(int32_t first) {
    branchOf_.clear();
    branchTimes_.clear();
    const int32_t limit = std::min(int32_t(times_.size()), first + kMostSteps);
    int32_t s = first;
    for (; s < limit && times_[size_t(s)] >= 0; ++s) {
      int32_t branch = -1;
      bool isMeeting = false;
      for (int32_t before : order_.before(firstStep_ + s)) {
        if (before < firstStep_ + first)
          continue;
        int32_t own = branchOf_[size_t(before - firstStep_ - first)];
        isMeeting |= branch >= 0 && own != branch;
        branch = own;
      }
      if (isMeeting)
        break;
      if (branch < 0) {
        branch = int32_t(branchTimes_.size());
        branchTimes_.push_back(0);
      }
      branchOf_.push_back(branch);
      branchTimes_[size_t(branch)] += times_[size_t(s)];
    }
    double total = 0, longest = 0;
    for (double time : branchTimes_) {
      total += time;
      longest = std::max(longest, time);
    }
    return {first, std::max(s, first + 1), total - longest};
  }

  std::vector<std::vector<int32_t>> branchesOf(const Range &range) {
    from(range.first);
    std::vector<std::vector<int32_t>> branches(branchTimes_.size());
    for (int32_t s = range.first; s < range.end; ++s)
      branches[size_t(branchOf_[size_t(s - range.first)])].push_back(firstStep_ + s);
    return branches;
  }

private:
  const StepOrder &order_;
  const int32_t firstStep_;
  absl::Span<const double> times_;
  // Of the range looked at last.
  std::vector<int32_t> branchOf_; // by step
  std::vector<double> branchTimes_;
};

} // namespace

StepOrder::StepOrder(const Program &program, const ProgramLayout &layout) {
  using Storage = Program::Array::Storage;
  // A result may be given an input's memory.
  auto memoryOf = [&](int32_t owner) {
    const Program::Array &a = program.arrays[size_t(owner)];
    int32_t input = a.storage == Storage::Input    ? a.number
                    : a.storage == Storage::Output ? program.outputs[size_t(a.number)].over
                                                   : -1;
    return input < 0 ? owner : int32_t(program.arrays.size()) + input;
  };
  std::unordered_map<int32_t, Uses> uses; // Abseil's do not stand an allocation that fails
  std::vector<int32_t> numWaiting(program.steps.size(), 0), before;
  for (int32_t s = 0; s < int32_t(program.steps.size()); ++s) {
    const Program::Step &step = program.steps[size_t(s)];
    before.clear();
    auto comeAfter = [&](absl::Span<const int32_t> steps) {
      for (int32_t other : steps)
        if (other >= 0 && other != s)
          before.push_back(other);
    };
    for (size_t k = 0; k < step.arrays.size(); ++k) {
      const bool isWrite = k >= size_t(step.numInputs);
      int32_t owner = ownerOf(program, step.arrays[k]);
      Uses &own = uses[memoryOf(owner)];
      comeAfter({own.writer});
      comeAfter(own.partWriters);
      if (isWrite) {
        comeAfter(own.readers);
        comeAfter(own.partReaders);
        own = Uses();
        own.writer = s;
      } else {
        own.readers.push_back(s);
      }
      while (owner != layout.root[size_t(owner)]) {
        owner = ownerOf(program, program.arrays[size_t(owner)].number);
        Uses &whole = uses[memoryOf(owner)];
        comeAfter({whole.writer});
        if (isWrite)
          comeAfter(whole.readers);
        (isWrite ? whole.partWriters : whole.partReaders).push_back(s);
      }
    }
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    all_.insert(all_.end(), before.begin(), before.end());
    begin_.push_back(all_.size());
    unseen_.push_back(graphc::isUnseen(program, step));
    for (int32_t other : before)
      ++numWaiting[size_t(other)];
  }
  for (int32_t count : numWaiting)
    parts_.push_back(count > 1);
}

std::vector<Fork> findForks(const StepOrder &order, int32_t firstStep,
                            absl::Span<const double> times) {
  const auto numSteps = int32_t(times.size());
  ForkFinder finder(order, firstStep, times);
  std::vector<Fork> forks;
  for (int32_t s = 0; s < numSteps;) {
    // Branches that depend on the same step are one, unless the fork begins behind it.
    ForkFinder::Range best = finder.from(s);
    const int32_t end = best.end;
    for (int32_t later = s + 1; later < end; ++later)
      if (order.partsAfter(firstStep + later - 1))
        if (ForkFinder::Range range = finder.from(later); range.gain > best.gain)
          best = range;
    s = end;
    if (best.gain < kWorthFork)
      continue;
    Fork &fork = forks.emplace_back();
    fork.firstStep = firstStep + best.first;
    fork.endStep = firstStep + best.end;
    fork.branches = finder.branchesOf(best);
    s = best.end;
  }
  return forks;
}

} // namespace graphc
